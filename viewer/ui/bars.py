"""The lines above and below the panes. Each is made of pieces; a piece may be clicked."""

from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip

from viewer.ascii import ascii_only
from viewer.ui.paint import cut, strip_of
from viewer.ui.styles import Styled


class Piece(NamedTuple):
    """Cleaned words, how they look, and what a click on them does."""

    words: str
    look: str = "text"
    action: str | None = None
    gives: bool = False  # gives way where there is no room


class Bar(Styled):
    """One line: pieces from the left, pieces to the right."""

    class Clicked(Message):
        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, id: str, *, ascii: bool = False) -> None:
        super().__init__(id=id)
        self._ascii = ascii
        self._left: list[Piece] = []
        self._right: list[Piece] = []

    def show(self, left: list[Piece], right: list[Piece] | None = None) -> None:
        if self._ascii:
            left, right = (
                [_spelled(each) for each in left],
                [_spelled(each) for each in right or []],
            )
        if (left, right or []) != (self._left, self._right):
            self._left, self._right = left, right or []
            self.refresh()

    def _laid_out(self, width: int) -> list[Piece]:
        """The pieces that fit, with the space between both sides."""
        right = list(self._right)
        while right and sum(cell_len(p.words) for p in right) > width // 2:
            right.pop(0)
        room = width - sum(cell_len(piece.words) for piece in right)
        fixed = sum(cell_len(piece.words) for piece in self._left if not piece.gives)
        laid: list[Piece] = []
        for piece in self._left:
            if piece.gives:
                piece = piece._replace(words=cut(piece.words, max(0, room - fixed)))
            else:
                fixed -= cell_len(piece.words)
            if cell_len(piece.words) > room:
                if laid and laid[-1].action and laid[-1].action == piece.action:
                    room += cell_len(laid.pop().words)  # a key without its word says nothing
                break
            laid.append(piece)
            room -= cell_len(piece.words)
        return [*laid, Piece(" " * max(0, room)), *right]

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        line = Text(end="", no_wrap=True)
        for piece in self._laid_out(width):
            line.append(piece.words, self.look(piece.look))
        return strip_of(line, self.app.console, width).apply_style(self.rich_style)

    def on_click(self, event: events.Click) -> None:
        at = 0
        for piece in self._laid_out(self.size.width):
            end = at + cell_len(piece.words)
            if at <= event.x < end and piece.action:
                self.post_message(self.Clicked(piece.action))
            at = end


def _spelled(piece: Piece) -> Piece:
    words = piece.words.replace("␣", "space").replace("⏎", "enter").replace("⇥", "tab")
    return piece._replace(words=ascii_only(words))
