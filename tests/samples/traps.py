"""What is hard to read or dangerous to show, and the other kind of file."""

from tests.samples.log import MODEL, Log, Object, to_json

NOTES = "/home/demo/notes"
PNG = (  # eight by eight pixels
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAHElEQVR42mP49eEOHJ3Q0IAjBipKIHOQFVFRAgByWHvB"
    "x3pkTQAAAABJRU5ErkJggg=="
)


def images(log: Log) -> None:
    """Images: one pasted into a prompt, one that was read from a file."""
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    image: Object = {"type": "image", "source": source}
    text = "[Image #1] Is this pattern in my notes?"
    log.prompt([{"type": "text", "text": text}, image], imagePasteIds=[1])
    log.title("Images in a prompt and in a result")
    id = log.call("Read", file_path=f"{NOTES}/pattern.png")
    size = {"originalWidth": 8, "originalHeight": 8, "displayWidth": 8, "displayHeight": 8}
    file: Object = {"base64": PNG, "type": "image/png", "originalSize": 85, "dimensions": size}
    log.result(id, [image], {"type": "image", "file": file})
    log.say("Yes, `pattern.png` is the same chessboard of red and cream.")


def damaged_lines(log: Log) -> None:
    """Damaged lines among good ones: torn, joined, NULs, plain text; unknown records and blocks."""
    log.prompt("Which notes mention the greenhouse?")
    log.title("Damaged lines between good ones")
    log.bash("grep -l greenhouse *.md", "roses.md\ntomatoes.md")

    # A torn line: the record is lost, and those that follow name it as their parent.
    torn = log.make("user", log.last, message={"role": "user", "content": "This line was torn."})
    log.raw(to_json(torn).encode()[:150])
    log.last = str(torn["uuid"])
    log.say("Two notes mention it: roses and tomatoes.")

    # A torn record with the next one behind it, and two whole ones on one line.
    torn = log.make("system", log.last, subtype="informational", content="Cut off.")
    whole = log.make("user", log.last, message={"role": "user", "content": "And the shed?"})
    log.raw(to_json(torn).encode()[:90] + to_json(whole).encode())
    log.last = str(whole["uuid"])
    first = log.make("system", log.last, subtype="informational", content="First of two.")
    second = log.make("system", first["uuid"], subtype="informational", content="Second of two.")
    log.raw((to_json(first) + to_json(second)).encode())
    log.last = str(second["uuid"])

    log.raw(b"\0" * 64)
    note = log.make("system", log.last, subtype="informational", content="Behind a run of NULs.")
    log.raw(b"\0" * 16 + to_json(note).encode())
    log.raw(b"Segmentation fault (core dumped)")
    log.state("hologram", shape="cube", note="a record of a type that does not exist yet")
    log.block({"type": "hologram", "shape": "cube"}, stop="end_turn")
    log.say("No note mentions a shed.")


def hostile_text(log: Log) -> None:
    """Text that would harm a careless terminal: escapes, bidi, invisible characters, markup.

    The file itself is pure ASCII: everything dangerous in it is escaped as JSON.
    """
    log.prompt(
        "Show me \x1b[31mred\x1b[0m, \x1b[2J\x1b[Hclear, \x1b]0;owned\x07title, \x9b31mC1\x9b0m."
    )
    log.title("Text \x1b[31mthat would\x1b[0m harm [bold]a careless[/bold] \u202eterminal\u202c")
    log.say(
        "Markup: [bold]x[/bold] [@click=app.quit]press me[/] [/] [link=file:///etc/passwd]here[/link]\n"
        "<script>alert(1)</script> <b>bold</b> &lt;tag&gt; <!-- comment --> </system-reminder>"
    )
    id = log.call("Bash", command="cat evil.txt \x1b]52;c;ZXZpbA==\x07 # \u202egnp.exe\u202c")
    long = "0123456789abcdef" * 126
    lines = (
        "link: \x1b]8;;https://evil.example.com\x1b\\shop\x1b]8;;\x1b\\",
        "device: \x1bP1$r0m\x1b\\ \x1b_apc\x1b\\ \x1b[6n \x1b[?1049h \x1bc",
        "controls: \x00 \x07 \x08\x08 \x0b \x0c \r over \x7f \x84 \x85 \x90 \x9d",
        "bidi: \u202a \u202b \u202d \u202e \u2066 \u2067 \u2068 \u2069 \u200e \u200f \u061c",
        "zero width: a\u200bb\u200cc\u200dd\u2060e\ufefff soft\u00adhyphen \u2028 \u2029",
        "tags: \U000e0001\U000e0068\U000e0069\U000e007f lone surrogates: \ud83d \udc00",
        "wide: 価格 ＦＵＬＬ 🛒 👩\u200d🌾 🇩🇪 ❤\ufe0f",
        "combining: e\u0301 Z\u0351\u036b\u0343\u036a\u0302a\u0334\u0319\u0324l\u035eg\u030ao",
        f"long: {long}",
    )
    text = "\n".join(lines)
    noted = {"stdout": "", "stderr": "", "interrupted": False}
    log.result(id, text, noted, error=False)
    call = log.new_call("[bold]Tool\x1b[31m", {"na\u202eme": "\x1b[5mblink"})
    log.fail(log.calls(call)[0], "No \x1b[7msuch tool")
    log.say("That was all of it.")


def stream_capture(log: Log) -> None:
    """Not a transcript but a capture of `claude -p --output-format stream-json`, with hooks."""
    _hook(log, "SessionStart:startup", "on main\n")
    init: Object = {"cwd": log.cwd, "tools": ["Task", "Bash", "Read", "Write"], "mcp_servers": []}
    init |= {"model": MODEL, "permissionMode": "acceptEdits", "apiKeySource": "none"}
    _event(log, "system", subtype="init", **init, claude_code_version=log.version)
    prompt = "A stream-json capture: how many notes are there?"
    message: Object = {"role": "user", "content": [{"type": "text", "text": prompt}]}
    _event(log, "user", message=message, parent_tool_use_id=None, isReplay=True)
    call = log.new_call("Bash", {"command": "ls *.md | wc -l", "description": "Count notes"})
    _assistant(log, {"type": "text", "text": "I'll count them."}, call)
    _hook(log, "PreToolUse:Bash", "ok\n")
    noted = {"stdout": "42", "stderr": "", "interrupted": False}
    _result(log, call, {"content": "42", "is_error": False}, noted)

    call = log.new_call("Write", {"file_path": "/etc/motd", "content": "42 notes"})
    _assistant(log, call)
    text = "Claude requested permissions to write to /etc/motd, but you haven't granted it yet."
    denied: Object = {"tool_name": "Write", "tool_use_id": call["id"]}
    _event(log, "system", subtype="permission_denied", **denied, message=text)
    _result(log, call, {"content": text, "is_error": True}, f"Error: {text}")
    _assistant(log, {"type": "text", "text": "There are 42 notes."})
    _hook(log, "Stop", "clean\n")

    usage = {"input_tokens": 36, "output_tokens": 120, "cache_read_input_tokens": 900}
    end: Object = {"subtype": "success", "is_error": False, "duration_ms": 4100}
    end |= {"duration_api_ms": 3300, "num_turns": 3, "result": "There are 42 notes."}
    end |= {"total_cost_usd": 0.0123, "usage": usage}
    end["modelUsage"] = {MODEL: {"inputTokens": 36, "outputTokens": 120, "costUSD": 0.0123}}
    end["permission_denials"] = [denied | {"tool_input": call["input"]}]
    _event(log, "result", **end)


def _event(log: Log, type: str, **fields: object) -> None:
    log.object({"type": type, **fields, "session_id": log.session_id, "uuid": log.name()})


def _assistant(log: Log, *blocks: Object) -> None:
    usage = {"input_tokens": 12, "output_tokens": 1}
    message: Object = {"id": log.name("m"), "type": "message", "role": "assistant", "model": MODEL}
    message |= {"stop_reason": None, "usage": usage}
    for block in blocks:
        said = message | {"content": [block]}
        _event(log, "assistant", message=said, parent_tool_use_id=None, timestamp=log.time())


def _result(log: Log, call: Object, fields: Object, noted: object) -> None:
    block = {"tool_use_id": call["id"], "type": "tool_result", **fields}
    message = {"role": "user", "content": [block]}
    rest: Object = {"timestamp": log.time(), "tool_use_result": noted}
    _event(log, "user", message=message, parent_tool_use_id=None, **rest)


def _hook(log: Log, name: str, output: str) -> None:
    fields = {"hook_id": log.name("h"), "hook_name": name, "hook_event": name.partition(":")[0]}
    _event(log, "system", subtype="hook_started", **fields)
    told: Object = {"output": output, "stdout": output, "stderr": "", "exit_code": 0}
    _event(log, "system", subtype="hook_response", **fields, **told, outcome="success")
