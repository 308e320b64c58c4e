"""The outline and the problems as plain text and as Markdown, for people and pipes."""

from collections.abc import Iterator

from viewer import problems, text
from viewer.causes import ADVICE
from viewer.describe import describe
from viewer.ending import KINDS as ENDINGS
from viewer.ending import ending
from viewer.evidence import of_missing
from viewer.load import Transcript
from viewer.masks import Mask
from viewer.model import DEAD, Call, Liveness
from viewer.nodes import ALONE, FIRST, LAST, Forest, Node
from viewer.problems import Problem
from viewer.status import Court
from viewer.summary_words import recovered_by

_ROOMY = 100  # columns from which there is room for a long state
_NAME = 10  # cells that most tool names fit in
_MESSAGE = 160


_BARE = Mask(on=False)


def as_text(
    transcript: Transcript, liveness: Liveness, columns: int | None, mask: Mask = _BARE
) -> Iterator[str]:
    """The outline, one line a row. Cut to the width of a terminal, whole in a pipe."""
    title, *facts = map(mask.beginning, _heading(transcript))
    yield text.clip(title, columns) if columns else title
    yield from _wrapped(facts, columns)
    yield ""
    hidden = 0
    for node in Forest(transcript, liveness).walk():
        if node.hidden:
            hidden += 1
            continue
        yield _line(node, columns, mask)
    yield ""
    yield from _wrapped(_footing(transcript, liveness, hidden, mask), columns)


def _wrapped(words: list[str], columns: int | None) -> Iterator[str]:
    """Facts on one line, or on as many as the width asks for."""
    line = ""
    for word in words:
        longer = f"{line} · {word}" if line else word
        if columns and line and text.width(longer) > columns:
            yield line
            longer = word
        line = text.clip(longer, columns) if columns else longer
    yield line


def _heading(transcript: Transcript) -> list[str]:
    """The title, then what else is known."""
    session = transcript.session
    total = session.tokens.total()
    facts = [
        session.project,
        session.git_branch,
        session.session_id,
        session.format or "unknown format",
        " ".join(session.versions[-1:]),
        text.iso(session.started),
        _length(session.started, session.ended),
        f"{text.number(total.input + total.cache_read + total.cache_creation)} tokens in,"
        f" {text.number(total.output)} out"
        if total.messages
        else None,
    ]
    title = session.title or "(no prompt)"
    return [text.one_line(fact) for fact in (title, *facts) if fact]


def _length(started: float | None, ended: float | None) -> str:
    if started is None or ended is None or ended <= started:
        return ""
    return text.duration(round((ended - started) * 1000))


_BRACKETS = {ALONE: " ", FIRST: "╭", LAST: "╰"}


def _line(node: Node, columns: int | None, mask: Mask) -> str:
    row = describe(node)
    clock = text.clock(row.time) if node.is_turn else ""
    name = row.name
    if node.kind == "call":
        name = text.pad(name, max(_NAME, text.width(name)))
    words = mask.beginning(" ".join(word for word in (clock, name, row.text) if word))
    before = "" if node.is_turn and node.level == 0 else _BRACKETS.get(node.group, "│") + " "
    line = f"{'  ' * node.level}{before}{row.glyph} {words}"
    if not row.state:
        return text.clip(line, columns) if columns else line
    if columns is None:
        return f"{line}  {row.state}"
    state = row.short if row.short and columns < _ROOMY else row.state
    room = columns - text.width(state) - 2
    return f"{text.pad(line, room)}  {state}" if room > 20 else text.clip(line, columns)


def _footing(transcript: Transcript, liveness: Liveness, hidden: int, mask: Mask) -> list[str]:
    if not transcript.session.rows:
        return ["the file has no records", *_unfinished(transcript)]
    counts = transcript.session.counts
    found = problems.find(transcript, liveness)
    words = [
        text.plural(counts.total, "record"),
        text.plural(sum(len(each.calls) for each, _ in transcript.sessions()), "call"),
        problems.summarize(found),
        f"{hidden} hidden (context, state, duplicates)" if hidden else "",
        f"{counts.unknown} of unknown type" if counts.unknown else "",
        f"{transcript.helpers} of the program's own sub-agents" if transcript.helpers else "",
        *_unfinished(transcript),
        mask.told,
    ]
    return [word for word in words if word]


def _unfinished(transcript: Transcript) -> list[str]:
    """It is no damage: it may be being written."""
    size = transcript.pending
    return [f"{text.size(size)} of an unfinished last line"] if size else []


def as_markdown(transcript: Transcript, liveness: Liveness, mask: Mask = _BARE) -> Iterator[str]:
    """The outline as nested lists, a section a turn."""
    title, *facts = map(mask.beginning, _heading(transcript))
    yield f"# {_escape(title)}"
    yield ""
    yield _escape(" · ".join(facts))
    yield ""
    hidden = 0
    for node in Forest(transcript, liveness).walk():
        if node.hidden:
            hidden += 1
            continue
        row = describe(node)
        row.name, row.text = mask.beginning(row.name), mask.beginning(row.text)
        if node.is_turn and node.level == 0:
            yield ""
            heading = _escape(" ".join(word for word in (text.clock(row.time), row.name) if word))
            yield f"## {row.glyph} {heading}".rstrip()
            yield ""
            yield f"> {_escape(row.text)}"
            yield ""
            continue
        name = f"**{_escape(row.name)}** " if row.name else ""
        words = _code(row.text) if node.kind in ("call", "hook") and row.text else _escape(row.text)
        state = f" - {_escape(row.state)}" if row.state else ""
        yield f"{'  ' * node.level}- {name}{words}{state}"
    yield ""
    yield _escape(" · ".join(_footing(transcript, liveness, hidden, mask)))


def _escape(words: str) -> str:
    """Foreign text as text: nothing in it is Markdown or HTML."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+-.!|<>~&$" else c for c in words)


def _code(words: str) -> str:
    """A code span, fenced by more backticks than it holds in a row."""
    longest = run = 0
    for character in words:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    space = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{fence}{space}{words}{space}{fence}"


def as_report(
    transcript: Transcript, found: list[Problem], name: str, liveness: Liveness = DEAD
) -> Iterator[str]:
    """Problems, grouped by kind and cause, with advice."""
    title = text.one_line(transcript.session.title or "(no prompt)", 80)
    yield f"{text.one_line(name)}  {title}"
    court = Court(transcript, liveness)
    end = ending(transcript, court.judge(transcript.session), liveness)
    if end.kind not in ("finished", "empty"):
        words = f": {text.one_line(end.words, 120)}" if end.words else ""
        yield f"  ended: {ENDINGS[end.kind]}{words}"
    for words in _unfinished(transcript):
        yield f"  {words}"
    if not found:
        yield "  no problems" if transcript.session.rows else "  no records"
        return
    for kind, heading in problems.KINDS.items():
        of_kind = [problem for problem in found if problem.kind == kind]
        if not of_kind:
            continue
        yield f"  {heading}: {len(of_kind)}"
        causes = sorted({problem.cause or "" for problem in of_kind})
        for cause in causes:
            of_cause = [problem for problem in of_kind if (problem.cause or "") == cause]
            if cause:
                advice = ADVICE[cause]
                yield f"    {cause} ({len(of_cause)}): {advice.means} {advice.helps}"
            yield from _places(of_cause, 6 if cause else 4, court)
    yield f"  {problems.summarize(found)}"


_MOST_PLACES = 20


def _more(problem: Problem, court: Court) -> str | None:
    """What made a failed call good, or what tells why a result is missing."""
    call = problem.item
    if not isinstance(call, Call):
        return None
    judge = court.judge(problem.session)
    if (recovery := judge.recovery(call)) is not None:
        return f"{recovered_by(recovery)} in line {recovery.by.row.line}"
    if problem.kind == "missing_result":
        return text.one_line(of_missing(call, problem.session, judge).words, _MESSAGE)
    return None


def _places(found: list[Problem], indent: int, court: Court) -> Iterator[str]:
    digits = max(len(str(problem.line)) for problem in found[:_MOST_PLACES])
    for problem in found[:_MOST_PLACES]:
        where = f"line {problem.line:>{digits}}"
        if problem.file:
            where += f" of {text.one_line(problem.file, 60)}"
        yield f"{' ' * indent}{where}  {text.one_line(problem.message[:400], _MESSAGE)}"
        if (more := _more(problem, court)) is not None:
            yield f"{' ' * (indent + 2)}{more}"
    if len(found) > _MOST_PLACES:
        yield f"{' ' * indent}and {len(found) - _MOST_PLACES} more; --json has all of them"
