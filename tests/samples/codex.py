"""Sessions of Codex: what its rollouts of several years look like."""

import json
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.samples.log import Object, to_json

FOLDER = "-other-codex"
SHOP = "/home/demo/shop"
FIRST = datetime(2026, 10, 1, 9, 0, tzinfo=UTC)
MODEL = "gpt-demo-codex"


def id_of(number: int) -> str:
    """Not begun like those of Claude Code's sessions: 8 characters are enough to name each."""
    return f"c0de{number:04d}-5a00-7000-8000-{number:012d}"


class Rollout:
    """One file of Codex: its clock, its counters, and everything told twice."""

    def __init__(
        self, number: int, version: str, begun: datetime | None = None, **about: Any
    ) -> None:
        self.id = id_of(number)
        self.begun = self.now = begun or FIRST + timedelta(days=number)
        self.paginated = about.get("history_mode") == "paginated"
        self.objects: list[Object] = []
        self._calls = 0
        self._spent = [0, 0, 0]
        meta: Object = {"id": self.id, "timestamp": self.time(0), "cwd": SHOP}
        meta |= {"originator": "codex_cli_rs", "cli_version": version, "source": "cli", **about}
        meta |= {"git": {"branch": "main"}, "model_provider": "openai"}
        self.line("session_meta", meta)

    @property
    def path(self) -> str:
        return f"{FOLDER}/rollout-{self.begun:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"

    @property
    def data(self) -> bytes:
        return as_lines(self.objects)

    def time(self, seconds: float = 1.5) -> str:
        self.now += timedelta(seconds=seconds)
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    # Lines

    def line(self, type: str, payload: Object) -> None:
        head: Object = {"timestamp": self.time()}
        if self.paginated:
            head["ordinal"] = len(self.objects)
        self.objects.append({**head, "type": type, "payload": payload})

    def item(self, type: str, **fields: Any) -> None:
        self.line("response_item", {"type": type, **fields})

    def event(self, type: str, **fields: Any) -> None:
        self.line("event_msg", {"type": type, **fields})

    def completed(self, type: str, **fields: Any) -> None:
        self.event("item_completed", thread_id=self.id, item={"type": type, **fields})

    # What is said

    def context(self) -> None:
        """What Codex tells the model before the first prompt."""
        rules = "<permissions instructions>\nAsk before you write.\n</permissions instructions>"
        self.item("message", role="developer", content=_texts(rules))
        place = f"<environment_context>\n  <cwd>{SHOP}</cwd>\n</environment_context>"
        self.item("message", role="user", content=_texts(place))

    def turn(self, prompt: str) -> None:
        self.event("task_started", model_context_window=272000)
        about = {"cwd": SHOP, "model": MODEL, "approval_policy": "on-request", "effort": "medium"}
        self.line("turn_context", about)
        if self.paginated:
            self.completed("UserMessage", id=f"u{len(self.objects)}", content=_texts(prompt))
        self.item("message", role="user", content=_texts(prompt))
        if not self.paginated:
            self.event("user_message", message=prompt, images=[])

    def think(self, text: str) -> None:
        id = f"rs_{len(self.objects)}"
        if self.paginated:
            self.completed("Reasoning", id=id, summary_text=[text], raw_content=[])
        else:
            self.event("agent_reasoning", text=text)
        summary = [{"type": "summary_text", "text": text}]
        self.item("reasoning", id=id, summary=summary, encrypted_content="c2FtcGxl")

    def say(self, text: str) -> None:
        if not self.paginated:
            self.event("agent_message", message=text)
        content = [{"type": "output_text", "text": text}]
        self.item("message", role="assistant", id=f"msg_{len(self.objects)}", content=content)

    def end(self, last: str) -> None:
        """The model's last words, and what the turn has cost."""
        self.say(last)
        self._spent = [self._spent[0] + 5200, self._spent[1] + 4096, self._spent[2] + 310]
        keys = ("input_tokens", "cached_input_tokens", "output_tokens")
        used = {"input_tokens": 5200, "output_tokens": 310, "total_tokens": 5510}
        total = dict(zip(keys, self._spent, strict=True))
        info = {"total_token_usage": total, "last_token_usage": used}
        self.event("token_count", info=info, rate_limits=None)
        self.event("task_complete", last_agent_message=last)

    # Calls

    def call(self, name: str, namespace: str | None = None, **arguments: Any) -> str:
        self._calls += 1
        id = f"call_{self.id[:8]}{self._calls:03d}"
        fields: Object = {"name": name, "arguments": json.dumps(arguments), "call_id": id}
        if namespace:
            fields["namespace"] = namespace
        self.item("function_call", **fields)
        return id

    def output(self, id: str, text: str) -> None:
        self.item("function_call_output", call_id=id, output=text)

    def ran(self, id: str, command: str, text: str, code: int = 0) -> None:
        """A command that ended: told by an event first, then by what the model saw."""
        if self.paginated:
            status = "failed" if code else "completed"
            words = ["/bin/bash", "-lc", command]
            took = {"secs": 0, "nanos": 420_000_000}
            self.completed("CommandExecution", id=id, command=words, cwd=f"file://{SHOP}",
                           status=status, exit_code=code, aggregated_output=text,
                           duration=took)  # fmt: skip
        head = f"Chunk ID: {self._calls:06x}\nWall time: 0.4 seconds\n"
        self.output(id, f"{head}Process exited with code {code}\nOutput:\n{text}")

    def run(self, command: str, text: str, code: int = 0) -> None:
        self.ran(self.call("exec_command", cmd=command), command, text, code)

    def patch(self, path: str, old: str, new: str) -> None:
        self._calls += 1
        id = f"call_{self.id[:8]}{self._calls:03d}"
        text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
        self.item(
            "custom_tool_call", name="apply_patch", input=text, call_id=id, status="completed"
        )
        change = {"type": "update", "unified_diff": f"@@ -1 +1 @@\n-{old}\n+{new}\n"}
        changes = {f"{SHOP}/{path}": {**change, "move_path": None}}
        if self.paginated:
            self.completed("FileChange", id=id, changes=changes, status="completed")
        else:
            self.event("patch_apply_end", call_id=id, success=True, changes=changes, stdout="",
                       stderr="", status="completed")  # fmt: skip
        said = f"Success. Updated the following files:\nM {path}\n"
        head = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n"
        self.item("custom_tool_call_output", call_id=id, output=head + said)


def _texts(text: str) -> list[Object]:
    return [{"type": "input_text", "text": text}]


def as_lines(objects: list[Object]) -> bytes:
    return b"".join(to_json(each).encode() + b"\n" for each in objects)


# The sessions


def paginated() -> Rollout:
    """A Codex 0.169 rollout: parallel calls, a patch, a failure, a rollback and an interrupt."""
    log = Rollout(1, "0.169.0", history_mode="paginated")
    log.context()
    log.turn("Receipts are a cent off. Round once, at the end.")
    log.think("**Looking for every place that rounds**")
    log.say("I'll look at the cart and at the receipt together.")
    first = log.call("exec_command", cmd="cat src/cart.py")
    second = log.call("exec_command", cmd="rg -n round templates")
    log.ran(first, "cat src/cart.py", "def total(items):\n    return round(subtotal(items), 2)\n")
    log.ran(second, "rg -n round templates", "templates/receipt.html:12:{{ total | round(2) }}\n")
    log.patch("src/cart.py", "    return round(subtotal(items), 2)", "    return subtotal(items)")
    log.run("pytest -q tests/test_cart.py", "1 failed, 11 passed in 0.31s\n", code=1)
    log.end("One test still expects the old rounding.")
    log.turn("Then delete that test.")
    log.run("git rm tests/test_cart.py", "rm 'tests/test_cart.py'\n")
    log.end("The test is gone.")
    log.event("thread_rolled_back", num_turns=1)
    log.turn("Change what the test expects instead.")
    log.patch("tests/test_cart.py", "    assert total == 29.99", "    assert total == 30")
    log.call("exec_command", cmd="pytest -q --cov")
    log.event("turn_aborted", reason="interrupted")
    log.item("message", role="user", content=_texts("<turn_aborted>\nInterrupted\n</turn_aborted>"))
    return log


def legacy() -> tuple[Rollout, Rollout]:
    """A Codex 0.144 rollout: MCP, a web search, a compaction, and a sub-agent in its own file."""
    log = Rollout(2, "0.144.3")
    log.context()
    log.turn("How do other shops round VAT, and what do our orders say?")
    log.event("web_search_end", call_id="ws_1", query="VAT rounding per line or per invoice")
    action = {"type": "search", "query": "VAT rounding per line or per invoice"}
    log.item("web_search_call", status="completed", action=action)
    asked = log.call("query", "mcp__shop_db", sql="select count(*) from orders")
    call = {
        "server": "shop_db",
        "tool": "query",
        "arguments": {"sql": "select count(*) from orders"},
    }
    rows = {"content": [{"type": "text", "text": '[{"count": 1204}]'}], "isError": False}
    took = {"secs": 0, "nanos": 88_000_000}
    log.event("mcp_tool_call_end", call_id=asked, invocation=call, duration=took,
              result={"Ok": rows})  # fmt: skip
    log.output(asked, "Wall time: 0.1 seconds\nOutput:\n" + '[{"count": 1204}]')
    task = "List every place that formats a price."
    start = log.call("spawn_agent", "collaboration", message=task, task_name="formats")
    spawn = {"parent_thread_id": log.id, "depth": 1, "agent_nickname": "Ada",
             "agent_role": "explorer"}  # fmt: skip
    child = Rollout(3, "0.144.3", log.now, parent_thread_id=log.id,
                    source={"subagent": {"thread_spawn": spawn}})  # fmt: skip
    child.turn(task)
    child.run("rg -ln money templates", "templates/cart.html\n")
    child.end("Only templates/cart.html formats prices.")
    log.event("sub_agent_activity", event_id=start, agent_thread_id=child.id, kind="started",
              agent_path="/root/formats")  # fmt: skip
    log.output(start, '{"task_name":"/root/formats"}')
    said = _texts("Only templates/cart.html formats prices.")
    log.item("agent_message", author="/root/formats", recipient="/root", content=said)
    log.end("Most shops round per invoice. So do we, but for 3 of 1204 orders.")
    history = [{"type": "message", "role": "user", "content": _texts("Rounding of VAT")}]
    log.line("compacted", {"message": "", "replacement_history": history})
    log.event("context_compacted")
    log.turn("Show me those three.")
    broken = log.call("query", "mcp__shop_db", sql="select * from ordrs limit 3")
    call = {"server": "shop_db", "tool": "query", "arguments": {}}
    log.event("mcp_tool_call_end", call_id=broken, invocation=call, duration=took,
              result={"Err": "no such table: ordrs"})  # fmt: skip
    log.output(broken, "no such table: ordrs")
    log.end("The table is called orders; I mistyped it.")
    return log, child


def bare() -> list[Object]:
    """A Codex rollout of summer 2025: items without times, outputs that are JSON in a text."""
    place = f"<environment_context>\n  <cwd>{SHOP}</cwd>\n</environment_context>"
    failed = {"output": "make: *** No rule to make target 'tset'.\n",
              "metadata": {"exit_code": 2, "duration_seconds": 0.1}}  # fmt: skip
    fine = {"output": "12 passed in 0.31s\n", "metadata": {"exit_code": 0, "duration_seconds": 1.2}}
    reply = [{"type": "output_text", "text": "All 12 tests pass; `tset` was a typo."}]
    return [
        {"id": _bare_id, "timestamp": "2025-08-05T09:00:00.000Z", "instructions": None,
         "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": _texts(place)},
        {"type": "message", "role": "user", "content": _texts("Run the tests.")},
        {"type": "reasoning", "id": "rs_1",
         "summary": [{"type": "summary_text", "text": "There is a Makefile"}]},
        {"type": "function_call", "name": "shell", "call_id": "call_1",
         "arguments": json.dumps({"command": ["bash", "-lc", "make tset"]})},
        {"type": "function_call_output", "call_id": "call_1", "output": json.dumps(failed)},
        {"record_type": "state"},
        {"type": "local_shell_call", "call_id": "call_2", "status": "completed",
         "action": {"type": "exec", "command": ["bash", "-lc", "make test"]}},
        {"type": "function_call_output", "call_id": "call_2", "output": json.dumps(fine)},
        {"type": "function_call", "name": "update_plan", "call_id": "call_3",
         "arguments": '{"plan": [{"step": "Run the tests", "status": '},
        {"type": "function_call_output", "call_id": "call_3",
         "output": "failed to parse function arguments: EOF while parsing a value"},
        {"type": "message", "role": "assistant", "content": reply},
    ]  # fmt: skip


_bare_id = id_of(4)


def exec_capture() -> list[Object]:
    """What `codex exec --json` prints: a plan, a command, a patch, a failed MCP call."""

    def item(state: str, number: int, type: str, **fields: Any) -> Object:
        return {"type": f"item.{state}", "item": {"id": f"item_{number}", "type": type, **fields}}

    steps = [{"text": "Find the discount", "completed": True}]
    steps.append({"text": "Test it", "completed": False})
    command: Object = {"command": "/bin/bash -lc 'rg -n discount src'"}
    done = command | {"aggregated_output": "src/cart.py:7:discount = 0.1\n", "exit_code": 0}
    changes = [{"path": f"{SHOP}/src/cart.py", "kind": "update"}]
    asked: Object = {"server": "shop_db", "tool": "query", "arguments": {"sql": "select 1"}}
    usage = {"input_tokens": 9100, "cached_input_tokens": 8200, "output_tokens": 420}
    return [
        {"type": "thread.started", "thread_id": id_of(5)},
        {"type": "turn.started"},
        item("completed", 0, "reasoning", text="**Looking for the discount**"),
        item("started", 1, "todo_list", items=steps),
        item("started", 2, "command_execution", **command, status="in_progress"),
        item("completed", 2, "command_execution", **done, status="completed"),
        item("completed", 3, "file_change", changes=changes, status="completed"),
        item("started", 4, "mcp_tool_call", **asked, status="in_progress"),
        item("completed", 4, "mcp_tool_call", **asked, status="failed",
             error={"message": "the database is locked"}),
        item("completed", 1, "todo_list", items=steps),
        item("completed", 5, "agent_message", text="The discount is a `Decimal` now."),
        {"type": "turn.completed", "usage": usage},
    ]  # fmt: skip


def packed() -> Rollout:
    """A Codex rollout that was packed after a week without a change (zstd)."""
    log = Rollout(6, "0.160.0")
    log.context()
    log.turn("Which Python does the shop need?")
    log.run("grep requires-python pyproject.toml", 'requires-python = ">=3.11"\n')
    log.end("Python 3.11 or later.")
    return log


def as_zstd(data: bytes) -> bytes:
    """A frame of stored blocks: what compressors make differs from version to version."""
    blocks = [data[at : at + (1 << 17)] for at in range(0, len(data), 1 << 17)]
    frame = struct.pack("<IBI", 0xFD2FB528, 0b1010_0000, len(data))  # one segment, 4 bytes of size
    for number, block in enumerate(blocks, 1):
        head = len(block) << 3 | (number == len(blocks))
        frame += head.to_bytes(3, "little") + block
    return frame


def files() -> Iterator[tuple[str, bytes, str]]:
    """Every file by its path below the samples, and what it shows."""

    def about(made: Any) -> str:
        return (made.__doc__ or "").partition("\n")[0]

    log = paginated()
    yield log.path, log.data, about(paginated)
    log, child = legacy()
    yield log.path, log.data, about(legacy)
    yield child.path, child.data, "The sub-agent of the rollout before; not listed by itself."
    name = f"rollout-2025-08-05T09-00-00-{_bare_id}.jsonl"
    yield f"{FOLDER}/{name}", as_lines(bare()), about(bare)
    yield f"{FOLDER}/exec-capture.jsonl", as_lines(exec_capture()), about(exec_capture)
    log = packed()
    yield f"{log.path}.zst", as_zstd(log.data), about(packed)
