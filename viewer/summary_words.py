"""A summary in words: lines with a label, each leading to where that stands. All of it is clean."""

from collections.abc import Iterator
from typing import NamedTuple

from viewer import text
from viewer.causes import ADVICE
from viewer.describe import call_name, relative
from viewer.ending import KINDS
from viewer.load import Transcript
from viewer.model import Call, Entry
from viewer.nodes import Thing
from viewer.outline import thing_of
from viewer.recovery import Recovery
from viewer.session import Session
from viewer.summary import Failure, Missing, Place, Summary
from viewer.timeline import timeline
from viewer.timeline_words import sparkline, timeline_rows

_MOST = 8  # lines of a kind; what is left is counted


class Line(NamedTuple):
    label: str  # empty where the line before has it
    words: str
    tone: str = "text"
    item: Thing | None = None
    session: Session | None = None


def lines(summary: Summary, transcript: Transcript) -> Iterator[Line]:
    session = transcript.session
    yield from _labelled("ended", _ended(summary, session))
    if summary.failures:
        yield from _labelled("first ✗", _first(summary))
    yield from _labelled("open ✗", _open(summary))
    yield from _labelled("fixed", _fixed(summary))
    yield from _labelled("again ✗", _streaks(summary))
    yield from _labelled("missing ∅", _missing(summary))
    yield from _labelled("slowest", _slowest(summary))
    yield from _labelled("silence", _silences(summary, session))
    yield from _labelled("tools", _tools(summary))
    yield from _labelled("hooks", _hooks(summary))
    yield from _labelled("mcp", _servers(summary))
    yield from _labelled("files", _files(summary, session.project))
    yield from _labelled("tokens", _tokens(summary, session))
    yield from _labelled("context", _context(summary, session))


def _labelled(label: str, found: Iterator[Line]) -> Iterator[Line]:
    for number, line in enumerate(found):
        yield line._replace(label="" if number else label)


def _capped(found: list[Line]) -> Iterator[Line]:
    yield from found[:_MOST]
    if len(found) > _MOST:
        yield Line("", f"and {len(found) - _MOST} more", "dim")


# How it went


def _ended(summary: Summary, session: Session) -> Iterator[Line]:
    end = summary.ending
    words = KINDS[end.kind] + (f": {text.one_line(end.words, 160)}" if end.words else "")
    tone = {"finished": "ok", "idle": "ok", "running": "running", "waiting": "missing"}
    facts = [
        text.plural(summary.turns, "turn"),
        text.plural(summary.calls, "call"),
        text.plural(summary.records, "record"),
        _length(summary),
    ]
    when = f" · last record {text.stamp(end.time)}" if end.time is not None else ""
    yield Line("", words + when, tone.get(end.kind, "error"), end.item, session)
    yield Line("", " · ".join(fact for fact in facts if fact), "dim")
    if end.good is not None and end.kind not in ("finished", "idle", "running"):
        clock = text.clock(end.good.row.time)
        good = f"last that worked: {clock} {_thing(end.good)}".replace("  ", " ")
        yield Line("", good, "dim", end.good, session)


def _length(summary: Summary) -> str:
    if summary.started is None or summary.ended is None or summary.ended <= summary.started:
        return ""
    return text.duration(round((summary.ended - summary.started) * 1000))


def _thing(thing: Thing) -> str:
    match thing:
        case Call() as call:
            return call_words(call)
        case Entry() as entry:
            return text.one_line(entry.text, 100)
    return ""


def call_words(call: Call, cwd: str | None = None) -> str:
    return f"{call_name(call.name)} {text.one_line(relative(call.summary, cwd), 90)}".strip()


def _at(place: Place) -> str:
    """When, and by whom."""
    agent = place.agent
    name = text.one_line(agent.description or agent.id or "", 30) if agent is not None else ""
    words = (
        text.clock(place.call.row.time),
        f"({name})" if name else "",
        call_words(place.call, place.session.cwd),
    )
    return " ".join(word for word in words if word)


def _failure(failure: Failure) -> str:
    call = failure.place.call
    code = call.answer.exit_code if call.answer else None
    cause = failure.cause or "failed"
    return f"{_at(failure.place)} · {cause}" + (f" exit {code}" if code else "")


def recovered_by(recovery: Recovery) -> str:
    """recovered by Write 14:09:51 (simpler tool, after 2 tries)."""
    clock = text.clock(recovery.by.row.time)
    by = " ".join(word for word in (call_name(recovery.by.name), clock) if word)
    tries = f", after {recovery.tries} tries" if recovery.tries > 1 else ""
    return f"recovered by {by} ({recovery.pattern}{tries})"


def _first(summary: Summary) -> Iterator[Line]:
    first = summary.failures[0]
    place = first.place
    yield Line("", _failure(first), "error", place.call, place.session)
    if first.recovery is not None:
        by = first.recovery.by
        yield Line("", recovered_by(first.recovery), "ok", by, place.session)
    else:
        yield Line("", "never recovered", "error", place.call, place.session)
    if place.call.answer is not None and (said := _said(place.call)):
        yield Line("", f"it said: {said}", "dim", place.call, place.session)
    if summary.following:
        names = [call_words(each.call, each.session.cwd)[:40] for each in summary.following]
        last = summary.following[0]
        yield Line("", f"then: {' → '.join(names)}", "dim", last.call, last.session)


def _said(call: Call) -> str:
    words = call.answer.text if call.answer else ""
    words = words.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    return text.one_line(words[:400], 120)


def _open(summary: Summary) -> Iterator[Line]:
    """What was never made good, the same thing once."""
    grouped: dict[tuple[str, str | None], list[Failure]] = {}
    for failure in summary.unrecovered:
        key = (call_words(failure.place.call), failure.cause)
        grouped.setdefault(key, []).append(failure)
    found = []
    for group in grouped.values():
        times = f" ×{len(group)}" if len(group) > 1 else ""
        place = group[0].place
        words = f"{_failure(group[0])}{times}"
        found.append(Line("", words, "error", place.call, place.session))
    yield from _capped(found)
    causes = dict.fromkeys(failure.cause for failure in summary.unrecovered)
    for cause in [cause for cause in causes if cause in ADVICE][:3]:
        assert cause is not None
        yield Line("", f"{cause}: {ADVICE[cause].helps}", "advice")


def _fixed(summary: Summary) -> Iterator[Line]:
    found = []
    for failure in summary.recovered:
        assert failure.recovery is not None
        words = f"{_failure(failure)} · {recovered_by(failure.recovery)}"
        found.append(Line("", words, "text", failure.place.call, failure.place.session))
    yield from _capped(found)


def _streaks(summary: Summary) -> Iterator[Line]:
    found = []
    for streak, session in sorted(summary.streaks, key=lambda each: -len(each[0].calls)):
        first, last = streak.calls[0], streak.calls[-1]
        clocks = [text.clock(call.row.time) for call in (first, last)]
        when = " to ".join(clock for clock in clocks if clock)
        words = f"{call_words(first, session.cwd)} failed {len(streak.calls)} times in a row"
        found.append(Line("", f"{words} · {when}".rstrip(" ·"), "error", first, session))
    yield from _capped(found)


def missing_words(missing: Missing) -> str:
    words = f"{missing.cause}: {text.one_line(missing.evidence.words, 160)}"
    if missing.evidence.next is not None and missing.cause != "SESSION_ENDED":
        following = missing.evidence.next
        thing = thing_of(following)
        what = _thing(thing)[:60] if thing is not None else following.type
        words += f"; next came line {following.line}: {text.one_line(what, 60)}"
    return words


def _missing(summary: Summary) -> Iterator[Line]:
    yield from _capped(
        [
            Line(
                "", f"{_at(m.place)} · {missing_words(m)}", "missing", m.place.call, m.place.session
            )
            for m in summary.missing
        ]
    )


# Where the time went


def _slowest(summary: Summary) -> Iterator[Line]:
    for place in summary.slowest[:5]:
        took = text.duration(place.call.duration_ms)
        yield Line("", f"{took:>7}  {_at(place)}", "text", place.call, place.session)


def _silences(summary: Summary, session: Session) -> Iterator[Line]:
    who = {
        "you": "until you went on",
        "a call": "while it ran",
        "the model": "until the model went on",
    }
    for each in summary.silences:
        took = text.duration(round(each.seconds * 1000))
        what = _thing(each.item) if each.item is not None else ""
        clock = text.clock(each.since.time)
        words = f"{took:>7}  {clock} {who[each.what]}: {what}"
        yield Line("", words.rstrip(": "), "text", each.item, session)


def _tools(summary: Summary) -> Iterator[Line]:
    found = []
    width = min(32, max((text.width(call_name(use.name)) for use in summary.tools), default=0))
    for use in summary.tools:
        causes = ", ".join(f"{cause} {count}" for cause, count in use.causes.items())
        facts = [
            text.plural(use.calls, "call"),
            f"✗{use.failed}" if use.failed else "",
            f"∅{use.missing}" if use.missing else "",
            f"median {text.duration(use.median)}, p95 {text.duration(use.p95)}"
            if use.durations
            else "",
            causes,
        ]
        name = text.pad(call_name(use.name), width)
        place = use.first_failed
        item, session = (place.call, place.session) if place else (None, None)
        tone = "error" if use.failed else "missing" if use.missing else "text"
        words = f"{name}  {' · '.join(fact for fact in facts if fact)}"
        found.append(Line("", words, tone, item, session))
    yield from _capped(found)


def _hooks(summary: Summary) -> Iterator[Line]:
    found = []
    for use in summary.hooks:
        facts = [
            f"fired {use.fired}",
            f"blocked {use.blocked}" if use.blocked else "",
            f"failed {use.failed}" if use.failed else "",
            f"{text.duration(use.milliseconds)} in all" if use.milliseconds else "",
        ]
        words = f"{text.one_line(use.name, 60)}  {' · '.join(fact for fact in facts if fact)}"
        hook, session = use.worst if use.worst is not None else (None, None)
        found.append(
            Line("", words, "error" if use.blocked or use.failed else "text", hook, session)
        )
    yield from _capped(found)


def _servers(summary: Summary) -> Iterator[Line]:
    for use in summary.servers[:_MOST]:
        facts = [
            text.plural(use.calls, "call"),
            text.plural(use.timeouts, "timeout") if use.timeouts else "",
            f"{use.silent} without a response" if use.silent else "",
            text.plural(use.errors, "error") if use.errors else "",
        ]
        bad = use.timeouts + use.silent + use.errors
        facts.append("healthy" if not bad else "")
        words = f"{text.one_line(use.name, 40)}  {' · '.join(fact for fact in facts if fact)}"
        place = use.first_failed
        item, session = (place.call, place.session) if place else (None, None)
        yield Line("", words, "error" if bad else "ok", item, session)


def _files(summary: Summary, cwd: str | None) -> Iterator[Line]:
    found = []
    for use in sorted(summary.files, key=lambda use: (-use.changes, -use.reads)):
        facts = [
            f"+{use.added} −{use.removed}" if use.added or use.removed else "",
            text.plural(use.changes, "change") if use.changes else "",
            text.plural(use.reads, "read") if use.reads else "",
        ]
        words = f"{text.one_line(relative(use.path, cwd), 90)}  {' · '.join(f for f in facts if f)}"
        last = use.last
        item = last.call or thing_of(last.row)
        found.append(Line("", words, "text", item, use.session))
    yield from _capped(found)


# Tokens


def _tokens(summary: Summary, session: Session) -> Iterator[Line]:
    total = summary.tokens
    if not total.messages:
        return
    read = total.input + total.cache_read + total.cache_creation
    cached = f" ({total.cache_read * 100 // read} % cached)" if read and total.cache_read else ""
    cost = _cost(session)
    words = f"{text.number(read)} in{cached} · {text.number(total.output)} out · {cost}"
    yield Line("", words)
    named = {model: each for model, each in summary.by_model.items() if model}
    if len(named) > 1:
        for model, each in named.items():
            read = each.input + each.cache_read + each.cache_creation
            name = text.one_line(model, 40)
            words = f"{name}: {text.number(read)} in · {text.number(each.output)} out"
            yield Line("", words, "dim")


def _cost(session: Session) -> str:
    """Only where the file states it."""
    stated = session.facts.get("cost") or session.facts.get("result") or {}
    cost = stated.get("totalCostUSD", stated.get("total_cost_usd"))
    if not isinstance(cost, (int, float)) or isinstance(cost, bool) or not 0 <= cost < 1e9:
        return "cost not stated"
    return f"cost stated: ${cost:.2f}"


def _context(summary: Summary, session: Session) -> Iterator[Line]:
    if len(summary.contexts) < 2:
        return
    sizes = [size for _, size in summary.contexts]
    row = max(summary.contexts, key=lambda each: each[1])[0]
    most = f"at most {text.number(max(sizes))}, at last {text.number(sizes[-1])}"
    yield Line("", f"{sparkline(sizes, 40)}  {most}", "text", thing_of(row), session)
    for before, after, row in summary.compactions:
        sizes_ = " → ".join(text.number(n) for n in (before, after) if n is not None)
        words = f"compacted {text.clock(row.time)} {sizes_}".rstrip()
        yield Line("", words, "warning", thing_of(row), session)


def as_text(summary: Summary, transcript: Transcript, width: int = 100) -> Iterator[str]:
    """The whole summary as plain text, the timeline with it."""
    drawn = timeline(transcript.session, max(10, width - 14))
    found = list(lines(summary, transcript))
    head = 1 + next((n for n, line in enumerate(found[1:]) if line.label), len(found) - 1)
    for line in found[:head]:
        yield f"{line.label:10} {line.words}".rstrip()
    if any(drawn.columns):
        for name, cells, _ in timeline_rows(drawn):
            yield f"{name:10} {cells}".rstrip()
    for line in found[head:]:
        yield f"{line.label:10} {line.words}".rstrip()
