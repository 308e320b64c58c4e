"""The detail of one entry as a page, in four ways: rendered, input, output, raw."""

from viewer import evidence, text, tools
from viewer.bodies import CallBody, Changed, Json, Source
from viewer.causes import ADVICE
from viewer.describe import agent_name, call_name, describe, hook_words
from viewer.formats.fields import mapping, string
from viewer.model import Agent, Branch, Call, Compaction, Entry, Hook, Row
from viewer.nodes import Node
from viewer.pretty import pretty
from viewer.records import Said
from viewer.summary_words import call_words, recovered_by
from viewer.ui.renderers import files, render_answer, render_call, values
from viewer.ui.renderers.markers import render_text
from viewer.ui.renderers.page import Page


def write_page(node: Node, tab: str, source: Source, page: Page) -> None:
    """Write what a tab shows of a node."""
    try:
        match tab, node.item:
            case "Raw", _:
                _raw(node, source, page)
            case _, Call() as call:
                _call(node, call, tab, source, page)
            case _, Hook() as hook:
                _hook(node, hook, source, page)
            case _, Entry() as entry:
                _entry(node, entry, tab, source, page)
            case _, Compaction() | Branch() | Agent() | Said():
                _other(node, page)
    except Changed as problem:
        page.line((f"{problem}", "warning"))


def _entry(node: Node, entry: Entry, tab: str, source: Source, page: Page) -> None:
    session = node.scope.session
    if entry.kind in ("damaged", "unknown"):
        words = describe(node)
        page.line((f"{words.name}: {words.text}", "error" if entry.kind == "damaged" else "dim"))
        page.gap()
        _raw(node, source, page)
        return
    if tab == "Rendered" and (step := source.step(entry, session)) is not None:
        render_call(step, page)
        page.heading("result")
        render_answer(step, page)
        page.gap()
        _where(node, entry.row, None, source, page)
        return
    whole = source.text(entry, session)
    if tab != "Rendered":
        page.body(whole)
        return
    match entry.kind:
        case "reply":
            page.markdown(whole)
        case "thinking":
            page.body(whole or f"({entry.label or 'the text was not kept'})", "dim")
        case "api_error" | "invalid":
            page.body(entry.text or whole, "error")
            cause = "API_ERROR" if entry.kind == "api_error" else ""
            _advise(cause, page)
            if entry.kind == "invalid":
                page.fields([("what helps", entry.label)])
        case "interrupt":
            page.body(whole, "warning")
            _advise("INTERRUPTED", page)
        case _:
            render_text(whole or entry.text or entry.label, page)
    page.gap()
    _where(node, entry.row, None, source, page)


def _other(node: Node, page: Page) -> None:
    words = describe(node)
    page.line((words.name, "heading"))
    if words.text:
        page.body(words.text)
    if words.state:
        page.line((words.state, "dim"))
    match node.item:
        case Branch() as branch:
            rows = branch.rows
            page.fields([("lines", f"{rows[0].line} to {max(row.line for row in rows)}")])
            page.line(("The conversation went on elsewhere; → unfolds what was said here.", "dim"))
        case Agent() as agent:
            page.fields([("file", agent.file or ""), ("id", agent.id or "")])
            if agent.prompt:
                page.heading("task")
                page.markdown(agent.prompt)
        case Compaction() as item:
            page.fields(
                [
                    ("tokens before", f"{item.tokens_before:,}" if item.tokens_before else ""),
                    ("tokens after", f"{item.tokens_after:,}" if item.tokens_after else ""),
                    ("line", str(item.row.line)),
                ]
            )


# Calls


def _call(node: Node, call: Call, tab: str, source: Source, page: Page) -> None:
    body = source.call(call, node.scope.session)
    if tab == "Input":
        page.code(pretty(body.input), "json")
        return
    if tab == "Output":
        _output(body, page)
        return
    render_call(body, page)
    _outcome(node, call, body, page)
    if call.hooks:
        page.heading("hooks")
        for hook in call.hooks:
            _hook_lines(hook, node, source, page)
    if call.agent is not None:
        page.heading("sub-agent")
        agent = call.agent
        page.fields(
            [
                ("name", agent_name(agent)),
                ("id", agent.id or ""),
                ("file", agent.file or ""),
                ("steps", str(agent.steps)),
            ]
        )
    page.gap()
    _where(node, call.row, call, source, page)


def _output(body: CallBody, page: Page) -> None:
    if body.result is None:
        page.line(("There is no result.", "dim"))
        return
    page.body(values.untagged(body.result.text) or "(empty)")
    values.media(body.result.media, page)
    if isinstance(body.result.structured, (dict, list)):
        page.heading("as the program noted it")
        page.code(pretty(body.result.structured), "json")


def _outcome(node: Node, call: Call, body: CallBody, page: Page) -> None:
    """How it ended, why, and what it said."""
    judge = node.scope.judge
    status, cause = judge.status(call), judge.cause(call)
    words = describe(node)
    tone = words.tone
    facts = [words.state if cause is None or cause in words.state else f"{words.state} · {cause}"]
    if body.result is not None and (lines := body.result.text.count("\n")):
        facts.append(text.plural(lines + 1, "line"))
    page.gap()
    page.line(("result  ", "heading"), (" · ".join(facts), tone))
    _advise(cause or "", page)
    if status == "missing":
        tells = evidence.of_missing(call, node.scope.session, judge)
        page.pair("  why", tells.words, "missing")
        if tells.next is not None:
            page.pair("  next", f"line {tells.next.line} · {tells.next.type}", "dim")
    _recovery(node, call, page)
    if status in ("in_progress", "pending") and call.progress is not None:
        page.bar(call.progress.text)
    render_answer(body, page)


def _recovery(node: Node, call: Call, page: Page) -> None:
    """What made it good, or what it made good; R goes there."""
    recoveries = node.scope.session.recoveries
    if (recovery := recoveries.of(call)) is not None:
        page.line(("  ", "dim"), (recovered_by(recovery), "ok"), ("  R goes there", "dim"))
    for failed in recoveries.by(call)[:5]:
        words = f"{text.clock(failed.row.time)} {call_words(failed, node.scope.session.cwd)}"
        page.line(("  made good ", "dim"), (words.strip(), "ok"), ("  R goes there", "dim"))


def _advise(cause: str, page: Page) -> None:
    if cause in ADVICE:
        advice = ADVICE[cause]
        page.line(("  ", "dim"), advice.means)
        page.pair("  what helps", advice.helps, "advice")


# Hooks


def _hook(node: Node, hook: Hook, source: Source, page: Page) -> None:
    _hook_lines(hook, node, source, page)
    page.gap()
    _where(node, hook.row, None, source, page)


def _hook_lines(hook: Hook, node: Node, source: Source, page: Page) -> None:
    words = hook_words(hook)
    name = words.name.removeprefix("hook ")
    page.line((f"  {name}  ", "name"), (words.state, words.tone))
    record = source.record(hook.row, node.scope.session)
    said = mapping(record.get("attachment")) or mapping(record.get("data")) or record
    page.fields(
        [
            ("command", hook.command or ""),
            ("exit code", str(hook.exit_code) if hook.exit_code is not None else ""),
            ("decision", hook.decision or ""),
        ]
    )
    told = False
    for key in ("stdout", "stderr", "content", "blockingError"):
        value = said.get(key)
        inner = mapping(value).get("blockingError") if isinstance(value, dict) else value
        if isinstance(inner, str) and inner.strip():
            told = True
            page.line((f"    {key}", "dim"))
            page.bar(inner.rstrip("\n"), "error" if hook.failed and key != "stdout" else "dim")
    if not told and hook.text and hook.text != hook.command:
        page.bar(hook.text, "error" if hook.failed else "dim")


# Where it is


def _where(node: Node, row: Row, call: Call | None, source: Source, page: Page) -> None:
    record = source.record(row, node.scope.session)
    facts = [f"line {row.line}"]
    if call is not None and call.result is not None:
        facts.append(f"result in line {call.result.line}")
    if node.scope.file:
        facts.append(node.scope.file)
    if row.time is not None:
        facts.append(text.stamp(row.time))
    page.line((" · ".join(facts), "dim"))
    ids = [_short(call.id)] if call is not None and call.id else []
    for key, name in (("uuid", "uuid"), ("parentUuid", "parent")):
        if value := string(record.get(key)):
            ids.append(f"{name} {_short(value)}")
    if ids:
        page.line((text.one_line(" · ".join(ids), 300), "dim"))


def _short(id: str) -> str:
    """Enough of an id to know it by; Raw has all of it."""
    return id if len(id) <= 20 else f"{id[:12]}…{id[-4:]}"


_MOST_RECORDS = 40


def _records_of(node: Node) -> list[Row]:
    """The records that a thing was read from; of many, the first and the last ones."""
    rows = [node.row] if node.row is not None else []
    if node.call is not None:
        rows += node.call.updates
        if node.call.result is not None and node.call.result not in rows:
            rows.append(node.call.result)
    elif isinstance(node.item, Entry):
        rows += node.item.more
    rows.sort(key=lambda row: (row.line, row.start))
    half = _MOST_RECORDS // 2
    return rows if len(rows) <= _MOST_RECORDS else [*rows[:half], *rows[-half:]]


def _raw(node: Node, source: Source, page: Page) -> None:
    """The records as they are in the file."""
    rows = _records_of(node)
    for number, row in enumerate(rows):
        if number:
            page.gap()
        size = text.size(row.end - row.start)
        page.line((f"line {row.line} · {row.type} · {size}", "heading"))
        raw = source.raw(row, node.scope.session)
        record: Json | None
        try:
            record = source.record(row, node.scope.session)
        except Changed:
            record = None
        if record is None or row.type == "damaged":
            page.body(raw.decode("utf-8", "replace"))
        else:
            page.code(pretty(record), "json")
    if not rows:
        page.line(("This stands in no record of its own.", "dim"))


def title_of(node: Node) -> str:
    """What stands above the detail."""
    words = describe(node)
    name = call_name(node.call.name) if node.call else words.name or node.kind
    return " ".join(word for word in (name, words.state) if word)


def whole_text(node: Node, source: Source, tab: str = "Rendered") -> str:
    """All of what a tab says, uncut, for the pager and the clipboard."""
    session = node.scope.session
    if tab == "Raw":
        records = [source.record(row, session) for row in _records_of(node)]
        return "\n\n".join(pretty(record) for record in records)
    match node.item:
        case Call() as call:
            return _whole_call(source.call(call, session), tab)
        case Hook() as hook:
            record = source.record(hook.row, session)
            said = mapping(record.get("attachment")) or mapping(record.get("data"))
            words = [hook.command, string(said.get("stdout")), string(said.get("stderr"))]
            return "\n".join(word for word in (*words, hook.text) if word)
        case Entry() as entry:
            return source.text(entry, session) or entry.text
    return describe(node).whole


def _whole_call(body: CallBody, tab: str) -> str:
    result = values.untagged(body.result.text) if body.result is not None else ""
    if tab == "Output":
        structured = body.result.structured if body.result is not None else None
        noted = pretty(structured) if isinstance(structured, (dict, list)) else ""
        return "\n\n".join(part for part in (result, noted) if part)
    if tab == "Input":
        return pretty(body.input)
    asked = tools.command_words(mapping(body.input)) if body.name in tools.SHELLS else ""
    asked = asked or pretty(body.input)
    if body.name in tools.PATCHES and (words := tools.patch_text(mapping(body.input))):
        asked = words
    elif body.kind == "edit":
        asked = files.diff_text(body) or asked
    elif body.name == "Read":
        asked = string(mapping(body.input).get("file_path")) or asked
        file = mapping(mapping(body.result.structured if body.result else None).get("file"))
        result = string(file.get("content")) or result
    return "\n\n".join(part for part in (asked, result) if part)
