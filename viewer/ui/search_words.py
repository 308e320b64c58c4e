"""What the lines of the search say: sessions, and their hits below them."""

from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from viewer import text
from viewer.describe import GLYPHS
from viewer.everywhere import Found, Place, Search
from viewer.projects import project_of
from viewer.search import Query
from viewer.ui.paint import cut, fit, fit_path
from viewer.ui.pick_list import PickList

_LOOKS = {
    "prompt": "prompt", "reply": "reply", "thinking": "thinking", "call": "name",
    "damaged": "error", "API error": "error", "invalid": "error",
}  # fmt: skip


class Row(NamedTuple):
    found: Found
    place: Place | None = None  # None for the session itself
    more: int = 0  # hits that are not shown: this line stands for them


def rows(found: Found) -> list[Row]:
    """A session and its first hits."""
    shown = [Row(found), *(Row(found, place) for place in found.places)]
    more = found.count - len(found.places)
    return [*shown, Row(found, found.places[-1], more)] if more else shown


def is_enough(words: str) -> bool:
    """One letter stands nearly everywhere; one ideograph is a word."""
    words = words.strip()
    return len(words) > 1 or not words.isascii()


def none(view: PickList, search: Search | None, *, ended: bool) -> Text:
    """Why there is nothing."""
    words = " type the words to look for"
    if search is not None:
        words = " nothing found" if ended else " searching …"
        if search.bulk:
            words += f"; {text.plural(search.bulk, 'hit')} in what only the model reads"
    return Text(words, view.look("dim"))


def progress(search: Search, *, ended: bool) -> str:
    parts = []
    if ended:
        parts.append(f"{text.plural(search.sessions, 'session')} searched")
    elif search.total:
        parts.append(f"{min(99, 100 * search.done // search.total)}% of {text.size(search.total)}")
    if search.unreadable:
        parts.append(f"{len(search.unreadable)} unreadable")
    return " · ".join(parts)


def line(view: PickList, index: int, row: Row, query: Query, now: float) -> Text:
    found = Text("▌" if index == view.cursor else " ", view.look("prompt"), no_wrap=True, end="")
    width = view.scrollable_content_region.width
    if row.place is None:
        return _session(found, view, row.found, width, now)
    if row.more:
        words = f"{'':11}and {row.more} more: enter, then n"
        return found.append(cut(words, max(0, width - 1)), view.look("dim"))
    return _hit(found, view, row, row.place, query, width)


def _session(line: Text, view: PickList, found: Found, width: int, now: float) -> Text:
    file = found.file
    line.append(f"{text.age(now - file.modified):>5}  ", view.look("dim"))
    count = f"  {text.plural(found.count, 'hit')} "
    room = max(0, width - line.cell_len - cell_len(count))
    project = text.one_line(text.shorten_home(project_of(file)))
    if width < 60:
        project = project.rpartition("/")[2] or project
    project = fit_path(project, min(30, room // 3))
    line.append(f"{project}  ", view.look("path"))
    room = max(0, width - line.cell_len - cell_len(count))
    agent = f"{text.one_line(file.agent, 8)} · " if file.agent != "claude" and room > 30 else ""
    line.append(agent, view.look("dim"))
    title = text.one_line(file.title or "(no prompt)")
    line.append(fit(title, max(0, room - len(agent))), view.look("heading"))
    return line.append(count, view.look("dim"))


def _hit(line: Text, view: PickList, row: Row, place: Place, query: Query, width: int) -> Text:
    mark = "*" if row.found.is_inside(place) else " "
    line.append(f"{place.line:>8}{mark} ", view.look("dim"))
    look = _LOOKS.get(place.kind, "dim")
    glyph = "→" if place.kind == "result" else GLYPHS.get(place.kind, "·")
    if width >= 60:
        line.append(f"{glyph} {fit(_what(place), min(34, width // 4))} ", view.look(look))
    else:
        line.append(f"{glyph} ", view.look(look))
    words = _around(place.text, query, max(0, width - line.cell_len))
    begun = len(line)
    line.append(words, view.look("text"))
    for start, end in query.spans(words):
        line.stylize(view.look("match"), begun + start, begun + end)
    return line


def _what(place: Place) -> str:
    if place.kind == "call" and place.name:
        return place.name
    if place.kind == "result" and place.name:
        return place.name
    return f"{place.kind} {place.name}".strip()


def _around(words: str, query: Query, room: int) -> str:
    """An excerpt that shows the words, also where there is little room."""
    spans = query.spans(words)
    if spans and cell_len(words[: spans[0][1]]) > room - 8:
        words = "…" + words[max(0, spans[0][0] - max(6, room // 4)) :]
    return cut(words, room)
