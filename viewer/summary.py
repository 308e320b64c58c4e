"""What happened in a session, from the model: how it ended, what failed and what followed, where
the time went. Made when somebody asks; costs what the session has of calls and records.

The same facts stand on the screen (`S`), in `show --json` and in `check`; the words for them are
in summary_words.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from viewer import evidence, tools, touched
from viewer.ending import Ending, ending
from viewer.evidence import Evidence
from viewer.load import Transcript
from viewer.model import DEAD, PERMISSION, Agent, Call, Hook, Liveness, Row
from viewer.nodes import Thing
from viewer.outline import thing_of
from viewer.recovery import Recovery, Streak
from viewer.session import Session
from viewer.status import Court, Judge
from viewer.tokens import Tokens, Total

_SLOWEST = 10
_SILENCES = 5
_SILENCE = 10.0  # seconds from which a silence is told of
_FOLLOWING = 5


class Place(NamedTuple):
    """A call and where it stands."""

    call: Call
    session: Session
    agent: Agent | None  # whose file it is


class Failure(NamedTuple):
    place: Place
    cause: str | None
    recovery: Recovery | None


class Missing(NamedTuple):
    place: Place
    cause: str | None
    evidence: Evidence


class Silence(NamedTuple):
    """A time in which nothing was written."""

    seconds: float
    since: Row
    until: Row
    what: str  # you, a call, or the model
    item: Thing | None


@dataclass(slots=True)
class ToolUse:
    name: str
    calls: int = 0
    failed: int = 0
    missing: int = 0
    durations: list[int] = field(default_factory=list)  # ms
    first_failed: Place | None = None
    causes: dict[str, int] = field(default_factory=dict)

    @property
    def median(self) -> int | None:
        return round(median(self.durations)) if self.durations else None

    @property
    def p95(self) -> int | None:
        if not self.durations:
            return None
        ordered = sorted(self.durations)
        return ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


@dataclass(slots=True)
class HookUse:
    name: str
    fired: int = 0
    blocked: int = 0
    failed: int = 0
    milliseconds: int = 0
    worst: tuple[Hook, Session] | None = None  # the first that blocked or failed, or the first


@dataclass(slots=True)
class ServerUse:
    """An MCP server's health."""

    name: str
    calls: int = 0
    timeouts: int = 0
    silent: int = 0
    errors: int = 0
    first_failed: Place | None = None


@dataclass(slots=True)
class Summary:
    ending: Ending
    started: float | None
    ended: float | None
    records: int
    turns: int
    calls: int
    failures: list[Failure]  # in the order of the file
    following: list[Place]  # what was called right after the first failure
    streaks: list[tuple[Streak, Session]]
    missing: list[Missing]
    slowest: list[Place]
    silences: list[Silence]
    tools: list[ToolUse]  # the most used first
    hooks: list[HookUse]
    servers: list[ServerUse]
    files: list[touched.Use]
    tokens: Total
    by_model: dict[str | None, Total]
    contexts: list[tuple[Row, int]]
    compactions: list[tuple[int | None, int | None, Row]]

    @property
    def unrecovered(self) -> list[Failure]:
        return [failure for failure in self.failures if failure.recovery is None]

    @property
    def recovered(self) -> list[Failure]:
        return [failure for failure in self.failures if failure.recovery is not None]


def summarize(transcript: Transcript, liveness: Liveness = DEAD) -> Summary:
    session = transcript.session
    court = Court(transcript, liveness)
    judge = court.judge(session)
    places = list(_places(transcript))
    failures = [
        Failure(place, _judge(court, place).cause(place.call), _recovery(place))
        for place in places
        if place.call.result is not None and place.call.failed
    ]
    tokens = Tokens()
    for each, _ in transcript.sessions():
        tokens.merge(each.tokens)
    return Summary(
        ending=ending(transcript, judge, liveness),
        started=session.started,
        ended=session.ended,
        records=session.counts.total,
        turns=sum(row.asks for row in session.rows),
        calls=len(places),
        failures=failures,
        following=_following(failures, places),
        streaks=[(s, each) for each, _ in transcript.sessions() for s in each.recoveries.streaks],
        missing=_missing(places, court),
        slowest=_slowest(places),
        silences=_silences(session),
        tools=_tools(places, court),
        hooks=_hooks(transcript),
        servers=_servers(places, court),
        files=touched.of_transcript(transcript),
        tokens=tokens.total(),
        by_model=tokens.by_model(),
        contexts=list(session.contexts()),
        compactions=[(c.tokens_before, c.tokens_after, c.row) for c in session.compactions],
    )


def _places(transcript: Transcript) -> Iterator[Place]:
    """All calls, those of sub-agents behind those of the session."""
    seen: set[str] = set()
    for session, agent in transcript.sessions():
        for call in (*session.calls.values(), *session.nameless_calls):
            if call.id is None or call.id not in seen:
                yield Place(call, session, agent)
        seen.update(session.calls)
    for agent in transcript.agents:  # those of which only progress records tell
        for id, call in agent.calls.items():
            if id not in seen:
                seen.add(id)
                yield Place(call, transcript.session, agent)


def _judge(court: Court, place: Place) -> Judge:
    return court.judge(place.session)


def _recovery(place: Place) -> Recovery | None:
    return place.session.recoveries.of(place.call)


def _following(failures: list[Failure], places: list[Place]) -> list[Place]:
    """The calls after the first failure: what was tried then."""
    if not failures:
        return []
    first = failures[0].place
    index = next(n for n, place in enumerate(places) if place.call is first.call)
    after = places[index + 1 : index + 1 + _FOLLOWING]
    return [place for place in after if place.session is first.session]


def _missing(places: list[Place], court: Court) -> list[Missing]:
    found = []
    for place in places:
        judge = _judge(court, place)
        if judge.status(place.call) == "missing":
            cause = judge.cause(place.call)
            tells = evidence.of_missing(place.call, place.session, judge)
            found.append(Missing(place, cause, tells))
    return found


def _slowest(places: list[Place]) -> list[Place]:
    timed = [place for place in places if place.call.duration_ms]
    timed.sort(key=lambda place: -(place.call.duration_ms or 0))
    return timed[:_SLOWEST]


def _silences(session: Session) -> list[Silence]:
    found: list[Silence] = []
    before: Row | None = None
    for row in session.rows:
        if row.time is None or row.branch is None or not _is_seen(row):
            continue
        if before is not None and before.time is not None and row.time - before.time > _SILENCE:
            found.append(_silence(before, row))
        if before is None or before.time is None or row.time >= before.time:
            before = row
    found.sort(key=lambda silence: -silence.seconds)
    return found[:_SILENCES]


def _is_seen(row: Row) -> bool:
    return row.about is not None or any(not entry.hidden for entry in row.entries)


def _silence(since: Row, until: Row) -> Silence:
    assert since.time is not None and until.time is not None
    what = "the model"
    item = thing_of(until)
    if until.asks:
        what = "you"
    elif isinstance(until.about, Call) and until.about.result is until:
        what = "a call"
    return Silence(until.time - since.time, since, until, what, item)


def _tools(places: list[Place], court: Court) -> list[ToolUse]:
    uses: dict[str, ToolUse] = {}
    for place in places:
        call, judge = place.call, _judge(court, place)
        use = uses.setdefault(call.name, ToolUse(call.name))
        use.calls += 1
        status = judge.status(call)
        if status in ("failed", "missing"):
            use.failed += status == "failed"
            use.missing += status == "missing"
            use.first_failed = use.first_failed or place
            cause = judge.cause(call) or "OTHER"
            use.causes[cause] = use.causes.get(cause, 0) + 1
        if call.duration_ms is not None:
            use.durations.append(call.duration_ms)
    return sorted(uses.values(), key=lambda use: (-use.calls, use.name))


def _hooks(transcript: Transcript) -> list[HookUse]:
    uses: dict[str, HookUse] = {}
    for session, _ in transcript.sessions():
        for hook in session.hooks.all:
            if hook.event == PERMISSION:
                continue
            name = hook.command or hook.name or hook.event
            use = uses.setdefault(name, HookUse(name))
            use.fired += 1
            use.blocked += hook.outcome == "blocked"
            use.failed += hook.outcome == "error"
            use.milliseconds += hook.duration_ms or 0
            if use.worst is None or (hook.failed and not use.worst[0].failed):
                use.worst = (hook, session)
    return sorted(uses.values(), key=lambda use: (-use.fired, use.name))


def _servers(places: list[Place], court: Court) -> list[ServerUse]:
    uses: dict[str, ServerUse] = {}
    for place in places:
        server = tools.mcp(place.call.name)
        if server is None:
            continue
        use = uses.setdefault(server.server, ServerUse(server.server))
        use.calls += 1
        judge = _judge(court, place)
        status, cause = judge.status(place.call), judge.cause(place.call)
        if status == "failed":
            use.timeouts += cause == "TIMEOUT"
            use.silent += cause == "MCP_NO_RESPONSE"
            use.errors += cause not in ("TIMEOUT", "MCP_NO_RESPONSE")
        elif status == "missing":
            use.silent += 1
        if status in ("failed", "missing"):
            use.first_failed = use.first_failed or place
    return sorted(uses.values(), key=lambda use: (-use.calls, use.name))
