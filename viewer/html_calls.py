"""What a call asked and what it was answered, as HTML: by the tool's name, then by its kind."""

import difflib
from collections.abc import Callable, Iterator

from viewer import text, tools
from viewer.bodies import CallBody, Json, Result
from viewer.describe import relative
from viewer.formats.fields import mapping, string, text_of, whole
from viewer.html_ink import Ink
from viewer.pretty import as_json, pretty

Renderer = Callable[[CallBody, Ink], Iterator[str]]

_MOST = 500  # items of a list
_ABOVE = 120  # characters that the summary line shows anyway
_BOXES = {"completed": "✓", "in_progress": "⋯", "pending": "·"}


def asked(body: CallBody, ink: Ink) -> Iterator[str]:
    for noted in body.notes[:_MOST]:
        yield from _noted(noted, ink)
    if body.notes and not body.input:
        return
    renderer = _BY_NAME.get(body.name) or _BY_KIND.get(tools.kind(body.name)) or _anything
    yield from renderer(body, ink)


def answered(body: CallBody, ink: Ink) -> Iterator[str]:
    """An error is shown as it is, whatever the tool."""
    result = body.result
    if result is None:
        return
    if body.kind == "execute":
        yield from _output(result, ink)
    elif body.name in _ANSWERS and not result.error:
        yield from _ANSWERS[body.name](body, ink)
    else:
        yield from _result(result, ink)
    for each in result.diffs[:_MOST]:
        yield _path(string(each.get("path")) or "", ink)
        new = each.get("newText")
        if isinstance(new, str):
            yield from _changed(string(each.get("oldText")), new, ink)
    yield from ink.media(result.media)


def _noted(noted: Json, ink: Ink) -> Iterator[str]:
    """Title and places of a call, where the program tells them beside its input."""
    if title := noted.get("title"):
        yield ink.note(title if isinstance(title, str) else pretty(title), "path")
    places = noted.get("locations")
    for place in places[:_MOST] if isinstance(places, list) else ():
        each = mapping(place)
        if path := string(each.get("path")):
            line = each.get("line")
            yield ink.note(f"{path}:{line}" if isinstance(line, int) else path, "path")


def _anything(body: CallBody, ink: Ink) -> Iterator[str]:
    return ink.fields(body.input)


def _path(path: str, ink: Ink, more: str = "") -> str:
    words = f"{relative(path, ink.cwd)} {more}".strip()
    return ink.note(words, "path")


def _subject(words: str | None, ink: Ink) -> str:
    """What the call is about: the line above says it too, but not all of it if it is long."""
    return ink.note(words, "path") if words and len(words) > _ABOVE else ""


# Commands


def _command(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    yield from ink.pre(tools.command_words(input), "command", "$ ")
    told = ("command", "cmd") if "command" in input or "cmd" in input else ("description",)
    yield from ink.fields(input, told)


def _script(body: CallBody, ink: Ink) -> Iterator[str]:
    yield from ink.pre(string(mapping(body.input).get("input")) or "", "command")
    yield from ink.fields(body.input, ("input",))


def _output(result: Result, ink: Ink) -> Iterator[str]:
    noted = mapping(result.structured)
    stdout, stderr = string(noted.get("stdout")), string(noted.get("stderr"))
    look = "out failed" if result.error else "out"
    if stdout or stderr:
        yield from ink.pre(stdout or "", look)
        if stderr:
            yield ink.note("stderr")
            yield from ink.pre(stderr, "out failed")
    elif result.text.strip():
        yield from ink.pre(_untagged(result.text), look)
    else:
        yield ink.note("(no output)")
    for key, words in (("backgroundTaskId", "runs on in the background as"),
                       ("returnCodeInterpretation", "which means"),
                       ("persistedOutputPath", "all of it was kept in")):  # fmt: skip
        if value := string(noted.get(key)):
            yield ink.note(f"{words} {value}")


# Files


def _read(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    yield _subject(string(input.get("file_path")) or string(input.get("notebook_path")), ink)
    yield from ink.fields(input, ("file_path", "notebook_path"))


def _read_answer(body: CallBody, ink: Ink) -> Iterator[str]:
    assert body.result is not None
    file = mapping(mapping(body.result.structured).get("file"))
    content, start = string(file.get("content")), whole(file.get("startLine")) or 1
    if content is None:
        yield from ink.pre(_untagged(body.result.text))
        return
    total, shown = whole(file.get("totalLines")), content.count("\n") + 1
    if total and total > shown:
        yield ink.note(f"lines {start} to {start + shown - 1} of {total}")
    yield from ink.pre(content, "code")


def _edit(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    path = string(input.get("file_path")) or string(input.get("path"))
    yield _subject(path or string(input.get("notebook_path")), ink)
    if input.get("replace_all") is True:
        yield ink.note("all occurrences")
    noted = mapping(body.result.structured) if body.result else {}
    patch = noted.get("structuredPatch")
    if isinstance(patch, list) and patch:
        yield from ink.diff([line for hunk in patch for line in _hunk(mapping(hunk))])
        return
    edits = input.get("edits")
    for each in edits[:_MOST] if isinstance(edits, list) else [input]:
        change = mapping(each)
        new = _first(change, "new_string", "new_str", "content", "file_text", "new_source")
        old = _first(change, "old_string", "old_str") or string(noted.get("old_source"))
        if new is not None:
            yield from _changed(old, new, ink)
        else:
            yield from ink.fields(change, ("file_path", "path", "notebook_path"))


def _hunk(hunk: Json) -> Iterator[str]:
    lines = hunk.get("lines")
    yield f"@@ -{whole(hunk.get('oldStart')) or 1} +{whole(hunk.get('newStart')) or 1} @@"
    yield from (line for line in (lines if isinstance(lines, list) else ()) if type(line) is str)


def _changed(old: str | None, new: str, ink: Ink) -> Iterator[str]:
    if old is None:
        yield ink.note("new content")
        return (yield from ink.pre(new, "code"))
    before, after = old.split("\n"), new.split("\n")
    if len(before) * len(after) > 250_000:
        yield from ink.diff([f"-{line}" for line in before] + [f"+{line}" for line in after])
    else:
        made = list(difflib.unified_diff(before, after, n=3, lineterm=""))[2:]
        yield from ink.diff([line for line in made if not line.startswith("@@ ")])


def _first(value: Json, *keys: str) -> str | None:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), None)


def _patch(body: CallBody, ink: Ink) -> Iterator[str]:
    """Codex's patches: several files in one text, or the changes as they were made."""
    input = mapping(body.input)
    changes = mapping(input.get("changes"))
    for path, change in [*changes.items()][:_MOST]:
        each = mapping(change)
        yield _path(path, ink, string(each.get("type")) or "")
        if (diff := string(each.get("unified_diff"))) is not None:
            yield from ink.diff(diff.split("\n"))
        elif (content := string(each.get("content"))) is not None:
            yield from ink.pre(content, "code")
    if words := tools.patch_text(input):
        yield from ink.diff(words.split("\n"))
    elif not changes:
        yield from ink.fields(input)


def _search(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    key = next((key for key in ("pattern", "query", "path") if string(input.get(key))), "")
    yield _subject(string(input.get(key)), ink)
    yield from ink.fields(input, (key,))


# The web


def _fetch(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    key = "url" if string(input.get("url")) else "query"
    yield _subject(string(input.get(key)), ink)
    yield from ink.fields(input, (key,))


def _fetch_answer(body: CallBody, ink: Ink) -> Iterator[str]:
    assert body.result is not None
    noted = mapping(body.result.structured)
    code, size = whole(noted.get("code")), whole(noted.get("bytes"))
    status = f"{code} {string(noted.get('codeText')) or ''}" if code else ""
    yield ink.pairs([("status", status), ("size", text.size(size) if size else "")])
    yield from ink.markdown(string(noted.get("result")) or _untagged(body.result.text))


def _search_answer(body: CallBody, ink: Ink) -> Iterator[str]:
    assert body.result is not None
    results = mapping(body.result.structured).get("results")
    made: list[str] = []
    for group in results[:_MOST] if isinstance(results, list) else ():
        if isinstance(group, str):
            made.append(group)
        links = mapping(group).get("content")
        for link in links[:_MOST] if isinstance(links, list) else ():
            each = mapping(link)
            words = string(each.get("title")) or "(no title)"
            made.append(f"- {text.one_line(words)} {string(each.get('url')) or ''}")
    yield from ink.markdown("\n".join(made) or _untagged(body.result.text))


# Plans, questions, sub-agents


def _todos(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    if words := string(input.get("explanation")):
        yield ink.note(words)
    items = input.get("todos", input.get("plan"))
    if not isinstance(items, list):
        return (yield from ink.fields(input))
    yield '<ul class="todo">'
    for each in items[:_MOST]:
        item = mapping(each)
        words = _first(item, "content", "step", "activeForm") or ""
        box = _BOXES.get(string(item.get("status")) or "pending", "?")
        yield f"<li>{box} {ink.line(words)}</li>\n"
    yield "</ul>\n"


def _agent(body: CallBody, ink: Ink) -> Iterator[str]:
    input = mapping(body.input)
    prompt = "prompt" if string(input.get("prompt")) else "message"
    yield from ink.fields(input, (prompt,))
    yield from ink.markdown(string(input.get(prompt)) or "")


def _agent_answer(body: CallBody, ink: Ink) -> Iterator[str]:
    assert body.result is not None
    report = text_of(mapping(body.result.structured).get("content"), 1 << 24)
    return ink.markdown(report or _untagged(body.result.text))


def _questions(body: CallBody, ink: Ink) -> Iterator[str]:
    questions = mapping(body.input).get("questions")
    if not isinstance(questions, list):
        return (yield from ink.fields(body.input))
    noted = mapping(body.result.structured) if body.result else {}
    answers = mapping(noted.get("answers"))
    for each in questions[:20]:
        question = mapping(each)
        words = string(question.get("question")) or ""
        answer = string(answers.get(words)) or ""
        yield ink.note(words, "path")
        options = question.get("options")
        labels = [
            string(mapping(option).get("label")) or ""
            for option in (options[:_MOST] if isinstance(options, list) else ())
        ]
        chosen = [part.strip() for part in answer.split(",")]
        yield '<ul class="todo">'
        for label in labels:
            yield f"<li>{'✓' if label in chosen else '·'} {ink.line(label)}</li>\n"
        if answer and answer not in labels:
            yield f"<li>✓ {ink.line(answer)}</li>\n"
        yield "</ul>\n"


def _plan(body: CallBody, ink: Ink) -> Iterator[str]:
    noted = mapping(body.result.structured) if body.result else {}
    words = string(mapping(body.input).get("plan")) or string(noted.get("plan"))
    yield from ink.markdown(words or "")
    yield from ink.fields(body.input, ("plan",))


# Any result


def _result(result: Result, ink: Ink) -> Iterator[str]:
    words = _untagged(result.text)
    parsed = None if result.error else as_json(words)
    if parsed is not None:
        yield from ink.code(parsed)
    elif words.strip():
        yield from ink.pre(words, "out failed" if result.error else "out")
    elif not result.media and not result.diffs:
        yield ink.note("(empty)")


def _untagged(words: str) -> str:
    return words.replace("<tool_use_error>", "").replace("</tool_use_error>", "")


_BY_NAME: dict[str, Renderer] = {
    **dict.fromkeys(tools.SHELLS - {"write_stdin"}, _command),
    **dict.fromkeys(tools.AGENT_TOOLS, _agent),
    "exec": _script,
    "js_repl": _script,
    "Read": _read,
    "NotebookRead": _read,
    "apply_patch": _patch,
    "Grep": _search,
    "Glob": _search,
    "LS": _search,
    "TodoWrite": _todos,
    "TodoRead": _todos,
    "update_plan": _todos,
    "AskUserQuestion": _questions,
    "ExitPlanMode": _plan,
    "exit_plan_mode": _plan,
}
_BY_KIND: dict[str, Renderer] = {"edit": _edit, "fetch": _fetch}
_ANSWERS: dict[str, Renderer] = {
    "Read": _read_answer,
    "WebFetch": _fetch_answer,
    "WebSearch": _search_answer,
    "Agent": _agent_answer,
    "Task": _agent_answer,
}
