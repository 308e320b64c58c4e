"""Each entry of an exported page: its summary line, and what unfolds below it."""

from collections.abc import Generator, Iterator

from viewer import text
from viewer.bodies import Changed, Json, Source
from viewer.causes import ADVICE
from viewer.describe import Words, describe, hook_words
from viewer.formats.fields import mapping
from viewer.html_calls import answered, asked
from viewer.html_ink import Ink
from viewer.load import Transcript
from viewer.model import Agent, Branch, Call, Entry, Hook, Row
from viewer.nodes import Node
from viewer.session import Session
from viewer.tagged import NAMES, TYPED, tagged

_PLAIN = ("call", "thinking")  # look like what they are without their glyph
_SHORT = 120  # characters; what is longer may have been cut, and is read again
_END = "</div></details>\n"
_TONES = ("error", "missing", "running", "warning", "dim", "ok")


class _Remembering(Source):
    """Calls of one message stand in one record: it is parsed once, unless it is large."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(transcript)
        self._known: dict[tuple[int, int, int | None], Json] = {}

    def record(self, row: Row, session: Session) -> Json:
        key = (id(session), row.start, row.part)
        known = self._known.get(key)
        if known is None:
            known = super().record(row, session)
            while len(self._known) > 3:
                self._known.pop(next(iter(self._known)))
            if row.end - row.start < 1 << 22:
                self._known[key] = known
        return known


class Entries:
    def __init__(self, transcript: Transcript, ink: Ink, anchors: dict[int, str]) -> None:
        self._ink = ink
        self._anchors = anchors
        self._names = set(anchors.values())
        self._source = _Remembering(transcript)

    def begin(self, node: Node) -> Generator[str, None, str]:
        """Write a node as far as what it holds; answers with what ends it."""
        match node.item:
            case _ if node.is_turn:
                return (yield from self._turn(node))
            case Call() as call:
                return (yield from self._call(node, call))
            case Hook() as hook:
                return (yield from self._hook(node, hook))
            case Branch() | Agent():
                yield self._summary(node, describe(node), "say")
                return _END
            case Entry() as entry:
                return (yield from self._entry(node, entry))
        yield self._line(node, describe(node))
        return ""

    # Summary lines

    def _summary(self, node: Node, words: Words, look: str = "", *, open: bool = False) -> str:
        return (
            f"{self._details(node, words.tone, look, open=open)}"
            f"<summary>{self._words(words, glyph=node.kind not in _PLAIN)}</summary>"
            '<div class="in">\n'
        )

    def _details(self, node: Node, tone: str, look: str, *, open: bool) -> str:
        classes = " ".join(word for word in ("entry", look, tone if tone in _TONES else "") if word)
        return f'<details class="{classes}"{self._id(node)}{" open" if open else ""}>'

    def _id(self, node: Node) -> str:
        anchor = self._anchors.get(id(node.item))
        return f' id="{anchor}"' if anchor is not None else ""

    def _words(self, words: Words, *, glyph: bool = True) -> str:
        ink = self._ink
        parts = (
            f"<span>{words.glyph}</span>" if glyph else "",
            ink.span("name", words.name, 60),
            ink.span("what", words.text, 240),
            ink.span("state", words.state, 60),
        )
        return " ".join(part for part in parts if part)

    def _line(self, node: Node, words: Words) -> str:
        """An entry that is no longer than its line."""
        tone = words.tone if words.tone in _TONES else "dim"
        return f'<p class="line {tone}"{self._id(node)}>{self._words(words)}</p>\n'

    def _label(self, words: str) -> str:
        return f'<p class="label">{words}</p>\n'

    def _place(self, node: Node, row: Row, result: Row | None = None) -> str:
        facts = [text.stamp(row.time), f"line {row.line}"]
        if result is not None:
            facts.append(f"result in line {result.line}")
        if node.scope.file:
            facts.append(self._ink.line(node.scope.file, 80))
        facts.append(self._links(node))
        return f'<p class="place">{" · ".join(fact for fact in facts if fact)}</p>\n'

    def _links(self, node: Node) -> str:
        """From one problem to the next."""
        anchor = self._anchors.get(id(node.item), "")
        after = f"p{int(anchor[1:]) + 1}" if anchor.startswith("p") else ""
        links = [f'<a href="#{after}">next problem</a>'] if after in self._names else []
        if anchor.startswith("p"):
            links.append('<a href="#problems">all problems</a>')
        return " · ".join(links)

    def _advise(self, cause: str | None) -> str:
        if cause not in ADVICE:
            return ""
        advice = ADVICE[cause]
        means, helps = self._ink.line(advice.means), self._ink.line(advice.helps)
        return f'<p class="advice"><b>{cause}</b> {means}<br><b>What helps:</b> {helps}</p>\n'

    # Turns and what was said

    def _turn(self, node: Node) -> Generator[str, None, str]:
        words = describe(node)
        clock = text.clock(words.time)
        parts = [f"<span>{words.glyph}</span>", clock and f"<time>{clock}</time>"]
        name = words.name or ("prompt" if node.kind == "prompt" else node.kind)
        parts += [self._ink.line(name, 60), self._ink.line(words.state, 60)]
        heading = " ".join(part for part in parts if part)
        yield f'<section class="turn"{self._id(node)}>\n<h2>{heading}</h2>\n<div class="prompt">\n'
        if isinstance(node.item, Entry):
            yield from self._said(self._whole(node, node.item))
        else:
            yield from self._ink.markdown(words.text)
        yield "</div>\n"
        return "</section>\n"

    def _whole(self, node: Node, entry: Entry) -> str:
        """All that an entry says, or what is known of it where its file has changed."""
        try:
            return self._source.text(entry, node.scope.session) or entry.text
        except Changed:
            return entry.text

    def _said(self, words: str) -> Iterator[str]:
        """A text of a user message: the tags that Claude Code wraps around parts of it, as what
        they mean."""
        position = 0
        for tag, start, inside, end in tagged(words):
            yield from self._plain(words[position:start])
            position = end
            if inside and tag in TYPED:
                yield from self._ink.pre(inside, "command", TYPED[tag])
            elif inside and NAMES[tag]:
                yield self._label(NAMES[tag])
                yield from self._ink.pre(inside)
        yield from self._plain(words[position:])

    def _plain(self, words: str) -> Iterator[str]:
        if words.strip():
            yield from self._ink.markdown(words.strip("\n"))

    def _entry(self, node: Node, entry: Entry) -> Generator[str, None, str]:
        words, ink = describe(node), self._ink
        match entry.kind:
            case "reply":
                yield f'<div class="reply"{self._id(node)}>\n'
                yield from ink.markdown(self._whole(node, entry))
                yield "</div>\n"
                return ""
            case "thinking" if entry.text:
                yield self._summary(node, words, "say thinking")
                yield from ink.markdown(self._whole(node, entry))
                yield self._place(node, entry.row)
                return _END
            case "api_error" | "invalid":
                yield self._summary(node, words, open=True)
                yield from ink.pre(entry.text or self._whole(node, entry), "out failed")
                yield self._advise("API_ERROR" if entry.kind == "api_error" else None)
                if entry.kind == "invalid":
                    yield ink.pairs([("what helps", entry.label)])
                yield self._place(node, entry.row)
                return _END
            case "orphan":
                yield self._summary(node, words, open=True)
                yield from ink.pre(self._whole(node, entry), "out failed")
                yield self._place(node, entry.row)
                return _END
            case "damaged" | "unknown":
                yield self._summary(node, words)
                yield from self._raw(node, entry.row)
                yield self._place(node, entry.row)
                return _END
            case "note" | "context" | "state" | "interrupt":
                whole = self._whole(node, entry) if len(entry.text) > _SHORT else entry.text
                if len(whole) > _SHORT:
                    yield self._summary(node, words, "say")
                    yield from self._said(whole)
                    yield self._place(node, entry.row)
                    return _END
        yield self._line(node, words)
        return ""

    def _raw(self, node: Node, row: Row) -> Iterator[str]:
        """The record as it is in the file."""
        try:
            if row.type != "damaged":
                yield from self._ink.code(self._source.record(row, node.scope.session))
                return
            raw = self._source.raw(row, node.scope.session)
        except Changed as problem:
            yield self._ink.note(str(problem), "warning")
            return
        yield from self._ink.pre(raw[: 1 << 20].decode("utf-8", "replace"))

    # Calls and hooks

    def _call(self, node: Node, call: Call) -> Generator[str, None, str]:
        words, ink = describe(node), self._ink
        ink.cwd = node.scope.session.cwd
        judge = node.scope.judge
        status, cause = judge.status(call), judge.cause(call)
        yield self._summary(node, words, open=status in ("failed", "missing"))
        yield self._advise(cause)
        try:
            body = self._source.call(call, node.scope.session)
        except Changed as problem:
            yield ink.note(str(problem), "warning")
            yield ink.note(call.summary, "path")
        else:
            yield from asked(body, ink)
            if body.result is not None:
                yield self._label("result")
                yield from answered(body, ink)
            elif status in ("in_progress", "pending") and call.progress is not None:
                yield from ink.pre(call.progress.text)
        yield self._place(node, call.row, call.result)
        if call.hooks:
            yield self._label("hooks")
        return _END

    def _hook(self, node: Node, hook: Hook) -> Generator[str, None, str]:
        words, ink = hook_words(hook), self._ink
        told = list(self._told(node, hook))
        if not told and len(words.text) <= _SHORT:
            yield self._line(node, words)
            return ""
        yield self._summary(node, words, "say", open=hook.failed)
        code = str(hook.exit_code) if hook.exit_code is not None else ""
        yield ink.pairs([("exit code", code), ("decision", hook.decision or "")])
        if hook.command:
            yield from ink.pre(hook.command, "command", "$ ")
        for name, said in told:
            yield self._label(name)
            yield from ink.pre(said, "out failed" if hook.failed and name != "output" else "out")
        yield self._place(node, hook.row)
        return _END

    def _told(self, node: Node, hook: Hook) -> Iterator[tuple[str, str]]:
        """What a hook put out, by where it did."""
        try:
            record = self._source.record(hook.row, node.scope.session)
        except Changed:
            return
        said = mapping(record.get("attachment")) or mapping(record.get("data")) or record
        found = False
        for key, name in _STREAMS.items():
            value = said.get(key)
            inner = mapping(value).get("blockingError") if isinstance(value, dict) else value
            if isinstance(inner, str) and inner.strip():
                found = True
                yield name, inner
        if not found and hook.text and hook.text != hook.command:
            yield "it said", hook.text


_STREAMS = {
    "stdout": "output", "stderr": "stderr", "content": "it said", "blockingError": "why it said no",
}  # fmt: skip
