"""From words to strips, the only way onto the screen.

A string that came from a file never goes into a widget. It becomes rich `Text` here, and every
strip is cleaned once more when it is made: Markdown turns entities into characters after the
first cleaning.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from viewer import text

if TYPE_CHECKING:
    from viewer.search import Query


def fit(words: str, cells: int) -> str:
    """Filled or cut to exactly this width; an ellipsis tells that something was cut."""
    if cell_len(words) <= cells:
        return set_cell_size(words, cells)
    return set_cell_size(words, cells - 1) + "…" if cells > 0 else ""


def fit_path(path: str, cells: int) -> str:
    """Cut at the left: the name of the file is what one looks for."""
    if cell_len(path) <= cells or cells < 2:
        return path
    kept = path[-(cells - 1) :]
    while cell_len(kept) > cells - 1:
        kept = kept[1:]
    return "…" + kept


def cut(words: str, cells: int) -> str:
    """Cut to this width at the most."""
    return words if cell_len(words) <= cells else fit(words, cells)


def safe(segment: Segment) -> Segment:
    """Nothing that acts on a terminal, and no link."""
    words, style, _ = segment
    words = text.clean(words).replace("\n", " ")
    return Segment(words, _harmless(style) if style is not None else None)


@lru_cache(maxsize=4096)
def _harmless(style: Style) -> Style:
    """Without link and meta, and without the terminal's own background."""
    return Style(
        color=style.color,
        bgcolor=None if style.bgcolor is None or style.bgcolor.is_default else style.bgcolor,
        bold=style.bold,
        dim=style.dim,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
        reverse=style.reverse,
    )


def strip_of(line: Text, console: Console, width: int) -> Strip:
    """One line, exactly `width` cells."""
    segments = [safe(each) for each in line.render(console, end="")]
    return Strip(segments).adjust_cell_length(width)


def strips_of(parts: Iterable[RenderableType], console: Console, width: int) -> list[Strip]:
    """Renderables one below the other, wrapped to a width."""
    options = console.options.update(width=max(1, width), height=None, highlight=False)
    strips: list[Strip] = []
    for part in parts:
        for line in console.render_lines(part, options, pad=False):
            strips.append(Strip([safe(segment) for segment in line if not segment.control]))
    return strips


def highlighted(strip: Strip, query: "Query | None", style: Style) -> Strip:
    """A strip with the words that are sought made visible."""
    if query is None or not query.words:
        return strip
    spans = query.spans(strip.text)
    if not spans:
        return strip
    cuts: list[Segment] = []
    position = 0
    for segment in strip:
        words, own, _ = segment
        for piece, marked in _pieces(words, position, spans):
            look = (own + style if own else style) if marked else own
            cuts.append(Segment(piece, look))
        position += len(words)
    return Strip(cuts, strip.cell_length)


def _pieces(words: str, at: int, spans: list[tuple[int, int]]) -> Iterable[tuple[str, bool]]:
    start, end = at, at + len(words)
    for first, last in spans:
        if last <= start or first >= end:
            continue
        if first > start:
            yield words[start - at : first - at], False
        yield words[max(first, start) - at : min(last, end) - at], True
        start = min(last, end)
    if start < end:
        yield words[start - at :], False


_LOOKS: dict[text.Look, Style] = {}


def look_style(look: text.Look) -> Style:
    style = _LOOKS.get(look)
    if style is None:
        style = _LOOKS[look] = Style(
            color=_colour(look.color),
            bgcolor=_colour(look.background),
            bold=look.bold or None,
            dim=look.dim or None,
            italic=look.italic or None,
            underline=look.underline or None,
            reverse=look.reverse or None,
            strike=look.strike or None,
        )
    return style


def _colour(colour: text.Colour | None) -> str | None:
    if colour is None:
        return None
    return f"color({colour})" if isinstance(colour, int) else "rgb({},{},{})".format(*colour)


def coloured(output: str) -> Text:
    """The output of a program with its own colours."""
    pieces = text.styled(output)
    found = Text()
    for words, look in pieces:
        found.append(words, look_style(look))
    if len(pieces) > 1 and text.clean(found.plain) != found.plain:
        return Text(text.clean(found.plain))  # pieces that are harmless only by themselves
    return found
