"""The summary on the screen (`S`): what happened, every line a jump, and the session over time with
a cursor that walks through it."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from viewer import text
from viewer.ascii import ascii_only
from viewer.load import Transcript
from viewer.model import Liveness
from viewer.nodes import Thing
from viewer.outline import thing_of
from viewer.session import Session
from viewer.summary import Summary, summarize
from viewer.summary_words import Line, lines
from viewer.timeline import Column, Timeline, timeline
from viewer.timeline_words import timeline_rows
from viewer.ui.paint import cut
from viewer.ui.pick_list import PickList
from viewer.ui.styles import Looks

_LABEL = 10  # cells
_MARGIN = 1 + _LABEL + 1


class Target(NamedTuple):
    """Where a line leads."""

    item: Thing
    session: Session


class TimeRow(NamedTuple):
    name: str
    cells: str
    tone: str


Shown = Line | TimeRow


class SummaryScreen(Looks, ModalScreen[Target | None]):
    """Answers with what was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,S", "leave", "Back", show=False),
        Binding("h,left", "walk(-1)", "Earlier", show=False),
        Binding("l,right", "walk(1)", "Later", show=False),
        Binding("left_curly_bracket", "seek(-1)", "Problem before", show=False),
        Binding("right_curly_bracket", "seek(1)", "Next problem", show=False),
    ]

    def __init__(self, transcript: Transcript, liveness: Liveness, *, ascii: bool = False) -> None:
        super().__init__()
        self._transcript, self._liveness, self._ascii = transcript, liveness, ascii
        self._summary: Summary | None = None
        self._timeline = Timeline([])
        self._column = 0
        self._shown: Sequence[Shown] = ()
        self._wide = 0
        self._list = PickList(0, self._draw, ascii=ascii)

    def compose(self) -> ComposeResult:
        self._list.border_title = Content("Summary")
        self._list.border_subtitle = Content("counting…")
        yield self._list

    def on_mount(self) -> None:
        self._list.focus()
        self.call_after_refresh(self._count)

    def _count(self) -> None:
        self._summary = summarize(self._transcript, self._liveness)
        self._lay_out()

    def on_resize(self) -> None:
        if self._summary is not None:
            self.call_after_refresh(self._lay_out)

    def _lay_out(self) -> None:
        """Put the lines together for the width that there is."""
        assert self._summary is not None
        width = max(10, self._list.scrollable_content_region.width - _MARGIN - 1)
        if width == self._wide:
            return
        self._wide = width
        self._timeline = timeline(self._transcript.session, width)
        columns = self._timeline.columns
        if not (self._column < len(columns) and columns[self._column]):
            self._column = max((n for n, c in enumerate(columns) if c), default=0)
        found = list(lines(self._summary, self._transcript))
        head = next((n for n, line in enumerate(found) if n and line.label), len(found))
        rows = [TimeRow(*row) for row in timeline_rows(self._timeline)] if any(columns) else []
        self._shown = [*found[:head], *rows, *([TimeRow("at", "", "dim")] if rows else []),
                       *found[head:]]  # fmt: skip
        cursor = self._list.cursor if self._list.count else 0
        self._list.show(len(self._shown), cursor)
        pauses = self._timeline.pauses
        hint = "enter goes there · ← → walk in time · { } problems"
        if pauses:
            hint += f" · {text.plural(pauses, 'pause')} cut short"
        hint = hint if self._wide > 60 else "enter goes there · ← → time"
        self._list.border_subtitle = Content(hint)

    # Drawing

    def _draw(self, view: PickList, index: int) -> Text:
        shown = self._shown[index]
        width = view.scrollable_content_region.width
        if isinstance(shown, Line):
            line = Text(f" {text.pad(shown.label, _LABEL)} ", view.look("heading"))
            return line.append(cut(shown.words, max(0, width - _MARGIN)), view.look(shown.tone))
        line = Text(f" {text.pad(shown.name, _LABEL)} ", view.look("dim"))
        if shown.name == "at":
            return line.append(cut(self._at(), max(0, width - _MARGIN)), view.look("key"))
        cells = Text(shown.cells, view.look(shown.tone))
        if self._column < len(shown.cells):
            cells.stylize(view.look("cursor"), self._column, self._column + 1)
        if self._ascii:
            cells.plain = ascii_only(cells.plain)
        return line.append_text(cells)

    def _at(self) -> str:
        """What the column under the cursor of time holds."""
        column = self._here
        if column is None:
            return ""
        kinds = [f"{kind} {count}" for kind, count in column.calls.most_common()]
        facts = [
            f"line {column.first.line}",
            text.plural(column.prompts, "prompt") if column.prompts else "",
            ", ".join(kinds),
            f"✗{column.failures}" if column.failures else "",
            "compacted" if column.compactions else "",
            f"context {text.number(column.context)}" if column.context else "",
        ]
        clock = text.clock(column.first.time)
        return f"{clock}  {' · '.join(fact for fact in facts if fact)}"

    @property
    def _here(self) -> Column | None:
        columns = self._timeline.columns
        return columns[self._column] if self._column < len(columns) else None

    # Keys

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_walk(self, by: int) -> None:
        self._move(by, lambda _: True)

    def action_seek(self, by: int) -> None:
        self._move(by, lambda column: column.failures > 0)

    def _move(self, by: int, wanted: Callable[[Column], bool]) -> None:
        columns = self._timeline.columns
        index = self._column + by
        while 0 <= index < len(columns):
            column = columns[index]
            if column is not None and wanted(column):
                self._column = index
                break
            index += by
        # Whoever walks in time wants to see where, and to go there.
        at = next((n for n, row in enumerate(self._shown) if row[0] == "at"), None)
        if at is not None and not isinstance(self._shown[self._list.cursor], TimeRow):
            self._list.go(at)
        self._list.refresh()

    def on_pick_list_chosen(self, event: PickList.Chosen) -> None:
        shown = self._shown[event.index]
        session = self._transcript.session
        if isinstance(shown, TimeRow):
            column = self._here
            item = (column.problem or thing_of(column.first)) if column is not None else None
            self.dismiss(Target(item, session) if item is not None else None)
        elif shown.item is not None:
            self.dismiss(Target(shown.item, shown.session or session))
