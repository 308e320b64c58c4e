"""A session over time, in as many columns as there is room for: turns, calls, failures,
compactions, and how full the context was.

The time across is the time in which something was done: longer pauses are cut short, or a session
that was resumed the next day would be two specks.
"""

from collections import Counter
from dataclasses import dataclass, field

from viewer.model import Call, Compaction, Entry, Row
from viewer.session import Session

_PAUSE = 120.0  # seconds of a pause that count at the most


@dataclass(slots=True)
class Column:
    first: Row  # that stands in it
    rows: int = 0
    prompts: int = 0
    calls: Counter[str] = field(default_factory=Counter)  # by kind
    failures: int = 0
    compactions: int = 0
    context: int = 0  # tokens, the most
    problem: Call | Entry | None = None  # the first thing that failed there


@dataclass(slots=True)
class Timeline:
    columns: list[Column | None]  # None where nothing happened
    pauses: int = 0  # that were cut short
    seconds: float = 0.0  # that are shown


def timeline(session: Session, width: int) -> Timeline:
    """The main conversation in `width` columns. Costs what the session has of records."""
    rows = [row for row in session.rows if row.time is not None and row.branch is not None]
    if not rows or width < 1:
        return Timeline([])
    places: list[float] = []
    at, pauses, last = 0.0, 0, rows[0].time or 0.0
    for row in rows:
        assert row.time is not None
        gap = row.time - last
        if gap > 0:
            pauses += gap > _PAUSE
            at += min(gap, _PAUSE)
            last = row.time
        places.append(at)
    made: list[Column | None] = [None] * width
    scale = (width - 1) / at if at > 0 else 0.0
    contexts = {id(row): size for row, size in session.contexts()}
    for row, place in zip(rows, places, strict=True):
        index = round(place * scale)
        column = made[index]
        if column is None:
            column = made[index] = Column(row)
        _add(column, row)
        column.context = max(column.context, contexts.get(id(row), 0))
    return Timeline(made, pauses, at)


def _add(column: Column, row: Row) -> None:
    column.rows += 1
    column.prompts += row.asks
    about = row.about
    if isinstance(about, Call) and about.result is row and about.failed:
        column.failures += 1
        column.problem = column.problem or about
    for entry in row.entries:
        match entry.kind:
            case "call" if isinstance(entry.item, Call):
                column.calls[entry.item.kind] += 1
            case "api_error":
                column.failures += 1
                column.problem = column.problem or entry
            case "compaction" if isinstance(entry.item, Compaction):
                column.compactions += 1
