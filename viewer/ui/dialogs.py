"""Screens in front of the reader: help, the list of problems."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from viewer import problems, text
from viewer.describe import relative
from viewer.problems import Problem
from viewer.touched import Use
from viewer.ui.paint import cut, fit_path
from viewer.ui.pick_list import Drawn, PickList
from viewer.ui.styles import Looks


class ListDialog(Looks, ModalScreen[int | None]):
    """A list in front of everything else; answers with the index of what was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss_none", "Back", show=False),
    ]

    def __init__(
        self, title: str, count: int, draw: Drawn, *, hint: str = "", ascii: bool = False
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._list = PickList(count, draw, ascii=ascii)

    def compose(self) -> ComposeResult:
        self._list.border_title = Content(self._title)
        self._list.border_subtitle = Content(self._hint)
        yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    def action_dismiss_none(self) -> None:
        self.dismiss(None)

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        self.dismiss(event.index)


def text_dialog(title: str, lines: Sequence[tuple[str, str]]) -> ListDialog:
    """Pairs of words, aligned, to be read: the help."""
    width = max((len(left) for left, _ in lines), default=0)

    def draw(view: PickList, index: int) -> Text:
        left, right = lines[index]
        if not right:
            return Text(f" {left}", view.look("heading"))
        line = Text(f" {left:{width}}  ", view.look("key"))
        room = max(0, view.scrollable_content_region.width - line.cell_len)
        return line.append(cut(right, room), view.look("text"))

    return ListDialog(title, len(lines), draw, hint="esc closes")


def problem_list(found: list[Problem], *, ascii: bool) -> ListDialog:
    """Everything that went wrong, a line each."""

    def draw(view: PickList, index: int) -> Text:
        problem = found[index]
        tone = "missing" if problem.kind == "missing_result" else "error"
        glyph = "∅" if tone == "missing" else "✗"
        line = Text(f" {glyph} ", view.look(tone))
        line.append(f"{problem.line:>6}{'*' if problem.file else ' '} ", view.look("dim"))
        width = view.scrollable_content_region.width
        cause = problem.cause or problem.kind.upper()
        line.append(f"{cause:18} " if width > 70 else f"{cut(cause, 14)} ", view.look(tone))
        room = max(0, width - line.cell_len)
        line.append(cut(text.one_line(problem.message[:400]), room), view.look("text"))
        return line

    title = f"{text.plural(len(found), 'problem')}: {problems.summarize(found)}"
    inside = any(problem.file for problem in found)
    hint = "enter goes there" + (" · * in a sub-agent's file" if inside else "")
    return ListDialog(title, len(found), draw, hint=hint, ascii=ascii)


def file_list(uses: list[Use], cwd: str | None, *, ascii: bool) -> ListDialog:
    """The files of a session, the one touched last first."""

    def draw(view: PickList, index: int) -> Text:
        use = uses[index]
        width = view.scrollable_content_region.width
        line = Text(f" {_times(use.reads, 'read', width):>9}", view.look("dim"))
        line.append(f" {_times(use.changes, 'change', width):>10}  ", view.look("warning"))
        lines = f"+{use.added} −{use.removed}" if use.added or use.removed else ""
        right = f"  {lines}" if width > 50 else ""
        at = f":{use.last.line}" if use.last.line is not None else ""
        place = f"  line {use.last.row.line}{'*' if use.file else ''} "
        room = max(0, width - line.cell_len - cell_len(right) - cell_len(place))
        path = fit_path(text.one_line(relative(use.path, cwd)) + at, room)
        line.append(text.pad(path, room), view.look("path"))
        line.append(right, view.look("added"))
        return line.append(place, view.look("dim"))

    inside = any(use.file for use in uses)
    hint = "enter goes to the last call" + (" · * in a sub-agent's file" if inside else "")
    return ListDialog(text.plural(len(uses), "file"), len(uses), draw, hint=hint, ascii=ascii)


def _times(count: int, word: str, width: int) -> str:
    if not count:
        return ""
    return text.plural(count, word) if width > 60 else f"{count}{word[0]}"
