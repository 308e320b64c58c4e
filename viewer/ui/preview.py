"""The last words of the session under the cursor of the browser."""

from rich.text import Text
from textual.strip import Strip

from viewer.ascii import ascii_only
from viewer.ui.paint import cut, strip_of
from viewer.ui.styles import Styled


class PreviewLines(Styled):
    """The last words of the session under the cursor."""

    def __init__(self, *, ascii: bool) -> None:
        super().__init__(id="preview")
        self._lines: list[tuple[str, str, str]] = []
        self._ascii = ascii

    def show(self, lines: list[tuple[str, str, str]]) -> None:
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        line = Text(no_wrap=True, end="")
        drawn = self._laid_out(width)
        if y < len(drawn):
            line = drawn[y]
        if self._ascii:
            line.plain = ascii_only(line.plain)
        return strip_of(line, self.app.console, width).apply_style(self.rich_style)

    def _laid_out(self, width: int) -> list[Text]:
        """The first line alone, the others in the lines that are left, each cut with a mark."""
        said = self._lines[1:]
        each = max(1, (self.size.height - 1) // max(1, len(said)))
        found: list[Text] = []
        for number, (mark, words, look) in enumerate(self._lines):
            rows = 1 if number == 0 else each
            words = cut(words, max(1, width - 2)) if rows == 1 else words
            wrapped = Text(words, self.look(look)).wrap(self.app.console, max(1, width - 2))
            lines = list(wrapped)[:rows]
            if len(wrapped) > rows:
                lines[-1].append(" …")
                lines[-1].truncate(max(1, width - 2), overflow="ellipsis")
            for index, piece in enumerate(lines):
                line = Text(
                    f"{mark if index == 0 else ' '} ", self.look(look), no_wrap=True, end=""
                )
                found.append(line.append_text(piece))
        return found
