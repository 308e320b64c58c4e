"""A timeline in bars and glyphs, a cell a column."""

from collections import Counter

from viewer import text
from viewer.timeline import Timeline

_MOST_KINDS = 4  # of calls that have a row of their own in the timeline
_BARS = "▁▂▃▄▅▆▇█"


def timeline_rows(drawn: Timeline) -> list[tuple[str, str, str]]:
    """Rows of cells: what, the cells, the tone. All are as wide as there are columns."""
    columns = drawn.columns
    counted: Counter[str] = Counter()
    for column in columns:
        counted += column.calls if column else Counter()
    rows = [("turns", "".join("❯" if c and c.prompts else " " for c in columns), "prompt")]
    if counted:
        sums = [c.calls.total() if c else 0 for c in columns]
        rows.append(("calls", _bars(sums), "text"))
    if len(counted) > 1:
        for kind, _ in counted.most_common(_MOST_KINDS):
            rows.append(
                (
                    f" {text.one_line(kind, 9)}",
                    _bars([c.calls[kind] if c else 0 for c in columns]),
                    "dim",
                )
            )
    if any(c and c.failures for c in columns):
        cells = "".join("✗" if c and c.failures else " " for c in columns)
        rows.append(("failed", cells, "error"))
    largest = max((c.context for c in columns if c), default=0)
    if largest:
        cells, known = "", 0
        for c in columns:
            known = c.context if c and c.context else known
            mark = "┊" if c and c.compactions else _bar(known, largest) if known else " "
            cells += mark
        rows.append(("context", cells, "dim"))
    elif any(c and c.compactions for c in columns):
        cells = "".join("┊" if c and c.compactions else " " for c in columns)
        rows.append(("compacted", cells, "warning"))
    return rows


def _bars(values: list[int]) -> str:
    most = max(values, default=0)
    return "".join(_bar(value, most) if value else " " for value in values)


def sparkline(values: list[int], width: int) -> str:
    """A row of bars, each the largest of its share of the values."""
    if not values:
        return ""
    count = min(width, len(values))
    shares = [
        values[n * len(values) // count : (n + 1) * len(values) // count] for n in range(count)
    ]
    most = max(values) or 1
    return "".join(_bar(max(share), most) for share in shares)


def _bar(value: int, most: int) -> str:
    return _BARS[min(len(_BARS) - 1, value * len(_BARS) // (most + 1))]
