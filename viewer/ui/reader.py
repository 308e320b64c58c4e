"""The reader: one session on the screen, outline left, detail right.

The screen only joins things: keys to actions, steps of the reading to the outline, the cursor to
the detail. What the outline does is in viewer/outline.py.
"""

import gc
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from viewer import jumps, touched
from viewer.bodies import Source
from viewer.collection import collect, without_collection
from viewer.feed import Feed
from viewer.nodes import CATEGORIES
from viewer.outline import Outline, thing_of
from viewer.problems import Problem
from viewer.ui import bar_words
from viewer.ui.bar_words import WIDE
from viewer.ui.bars import Bar
from viewer.ui.detail import DetailPane
from viewer.ui.find import Finder
from viewer.ui.find_bar import FindBar
from viewer.ui.following import Following
from viewer.ui.keys import KEYS, key_words
from viewer.ui.outline_view import TIMES, OutlineView

if TYPE_CHECKING:
    from viewer.everywhere import Place
    from viewer.search import Query


class Reader(Following):
    """One session."""

    BINDINGS: ClassVar[list[BindingType]] = [*KEYS]

    def __init__(
        self,
        feed: Feed,
        *,
        follow: bool = False,
        switch: bool = False,
        ascii: bool = False,
        at: "Place | None" = None,  # where a search has found words
        words: str = "",
    ) -> None:
        super().__init__()
        self._at, self._words = at, words
        self.brought: Query | None = None  # what was sought before it was opened
        self.feed = feed
        self._ascii = ascii
        self._steps = feed.reading.steps()
        with without_collection():
            first = next(self._steps, None)
        self._loaded = first.bytes if first else 0
        transcript = feed.reading.transcript
        self.outline = Outline(transcript, feed.liveness)
        self.source = Source(transcript)
        self.finder = Finder(transcript)
        self.found: list[Problem] = []
        self.busy = True
        self.following = self.has_followed = follow
        self._switches = switch  # to a newer session, without being asked
        self.note = ""  # what the last action has to say
        self._zoomed = False
        self._before = (self.outline.view(), 0)  # how it was looked at before finding
        self._next_refresh = self._next_problems = 0.0
        self._drawn = self._drawn_all = 0.0
        self._changed: set[int] = set()
        self._owes = False
        self.view = OutlineView(self.outline, ascii=ascii)
        self.view.border_title = Content("Outline")
        self._place = ""  # as it stands in the border
        self._place_due = False  # to be said there soon
        self.detail = DetailPane(self.source, ascii=ascii)
        self.find_bar = FindBar()
        self.bars = {name: Bar(name, ascii=ascii) for name in ("title", "chips", "status", "keys")}

    def compose(self) -> ComposeResult:
        yield self.bars["title"]
        yield self.bars["chips"]
        with Horizontal(id="panes"):
            yield self.view
            yield self.detail
        yield self.bars["status"]
        yield self.bars["keys"]
        yield self.find_bar

    def on_mount(self) -> None:
        self.set_class(self._ascii, "-ascii")
        self.find_bar.display = False
        self.view.focus()
        self._lay_out()
        self.detail.show(self.outline.current)
        self.say()
        self.run_worker(self.live(), exclusive=True, group="live")
        if self._at is not None:
            from viewer.ui.arriving import arrive

            self.run_worker(arrive(self, self._at, self._words), group="arrive")

    @property
    def share(self) -> float:
        """How much of the file was read."""
        try:
            return min(1.0, self._loaded / max(1, os.stat(self.feed.path).st_size))
        except OSError:
            return 0.0

    # Layout

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        wide = self.size.width >= WIDE and not self._zoomed
        self.set_class(self.size.width < WIDE, "-narrow")
        self.set_class(self.size.height < 14, "-low")
        reads = self.reads
        self.view.display = wide or not reads
        self.detail.display = wide or reads
        self.say()

    def _focus(self, detail: bool) -> None:
        target = self.detail if detail else self.view
        target.display = True
        self.set_focus(self.detail.lines if detail else self.view)
        self.call_after_refresh(self._after_focus)

    def _after_focus(self) -> None:
        self._lay_out()
        if self.detail.display:
            self.call_after_refresh(self.detail.draw)

    def action_other_pane(self) -> None:
        if self.reads:
            self._focus(False)
        else:
            self.action_open()

    def action_zoom(self) -> None:
        self._zoomed = not self._zoomed
        self._lay_out()
        self.detail.show(self.outline.current)

    def action_open(self) -> None:
        if not self.reads:
            self.pause()  # what is read does not change under the eyes
            self._focus(True)

    def action_back(self) -> None:
        if self.find_bar.display:
            self.close_find()
        elif self.reads:
            self._focus(False)
        elif self.outline.only is not None:
            self.still(lambda: self.outline.show_only(None))
        elif self.finder.query is not None and self.finder.query is not self.brought:
            self.seek(None)
        elif self._zoomed:
            self.action_zoom()
        else:
            self.leave()
            return
        self.say()

    def leave(self) -> None:
        """Back to the list, where there is one."""
        if len(self.app.screen_stack) > 2:
            self.workers.cancel_group(self, "live")
            self.app.set_timer(0.5, collect)  # a session is full of circles
            self.dismiss()

    def action_tab(self, by: int) -> None:
        self.detail.next_tab(by)

    # Moving

    def action_move(self, by: int) -> None:
        if self.reads:
            self._scroll(by)
        else:
            self.view.go(self.outline.cursor + by)

    def _scroll(self, by: int) -> None:
        lines = self.detail.lines
        lines.go(lines.scroll_offset.y + by)

    def action_page(self, pages: float) -> None:
        if self.reads:
            self._scroll(round(pages * (self.detail.lines.size.height - 1)))
        else:
            height = max(1, self.view.scrollable_content_region.height - 1)
            self.view.go(self.outline.cursor + round(pages * height))

    def action_first(self) -> None:
        if self.reads:
            self.detail.lines.go(0)
        else:
            self.view.go(0)

    def action_last(self) -> None:
        if self.reads:
            self.detail.lines.go(len(self.detail.lines.strips))
        else:
            self.action_follow()

    def action_turn(self, direction: int) -> None:
        if not jumps.seek(self.outline, lambda node: node.is_turn and node.level == 0, direction):
            self.note = "no prompt further on" if direction > 0 else "no prompt before this"
        self.arrived()

    def action_branch(self) -> None:
        rows = self.outline.rows
        found = [index for index, node in enumerate(rows) if node.kind == "branch"]
        if found:
            behind = [index for index in found if index > self.outline.cursor]
            self.outline.move(behind[0] if behind else found[0])
        else:
            self.note = "the conversation has no branches"
        self.arrived()

    def action_parent(self) -> None:
        if not jumps.go_to_parent(self.outline):
            self.note = "it names no parent that is shown"
        self.arrived()

    def action_agent(self) -> None:
        if not jumps.go_to_agent(self.outline):
            self.note = "it started no sub-agent"
        self.arrived()

    def action_go_to_line(self, line: int) -> None:
        found = jumps.go_to_line(self.outline, line)
        if found is None:
            self.note = f"nothing is shown for line {line} or before it"
        elif found != line:
            self.note = f"line {line} shows nothing by itself; this is line {found}"
        self.arrived()

    def arrived(self) -> None:
        """The cursor was put somewhere else."""
        self.view.update()
        self.view.show_cursor(middle=True)
        self.view.tell_moved()
        self.say()

    # Folding and filtering

    def still(self, change: Callable[[], None]) -> None:
        """Do something to the outline without moving what is on the screen."""
        row = self.view.screen_row
        change()
        self.view.keep_still(row)
        self.mark_problems()
        self.view.tell_moved()

    def action_fold(self) -> None:
        self.still(lambda: self.outline.toggle(self.outline.cursor) if self.outline.rows else None)

    def action_leave(self) -> None:
        self.still(self.outline.fold_or_leave)
        self.view.show_cursor()

    def action_enter(self) -> None:
        self.still(self.outline.unfold_or_enter)
        self.view.show_cursor()

    def action_chip(self, number: int) -> None:
        self.still(lambda: self.outline.switch(CATEGORIES[number - 1]))

    def action_all(self) -> None:
        self.still(self.outline.show_all)

    def action_times(self) -> None:
        self.view.times = TIMES[(TIMES.index(self.view.times) + 1) % len(TIMES)]
        self.note = f"times: {self.view.times}"
        self.view.update()
        self.say()

    # Another session

    def action_newer(self) -> None:
        """Follow the session that started beside this one."""
        if self.feed.newer is None:
            self.note = "no newer session has started here"
            self.say()
        else:
            self.post_message(self.Switch(self, self.feed.newer))

    class Switch(Message):
        """Another session is to be followed instead."""

        def __init__(self, reader: "Reader", path: str) -> None:
            super().__init__()
            self.reader = reader
            self.path = path

    # Problems

    def action_problem(self, direction: int, kind: str) -> None:
        wanted = [p for p in self.found if kind == "any" or p.kind == "missing_result"]
        problem = jumps.next_problem(self.outline, wanted, direction)
        if problem is None or problem.item is None:
            self.note = "no missing results" if kind == "missing" else "no problems"
            self.say()
            return
        self.outline.reveal(problem.item, problem.session)
        self.arrived()

    def action_problems(self) -> None:
        found = jumps.in_order(self.outline, self.found)

        def chosen(index: int | None) -> None:
            if index is not None and (item := found[index].item) is not None:
                self.outline.reveal(item, found[index].session)
                self.arrived()

        if not found:
            self.note = "no problems"
            self.say()
            return
        from viewer.ui.dialogs import problem_list

        self.app.push_screen(problem_list(found, ascii=self._ascii), chosen)

    def action_files(self) -> None:
        transcript = self.feed.reading.transcript
        uses = touched.of_transcript(transcript)

        def chosen(index: int | None) -> None:
            if index is not None:
                last = uses[index].last
                thing = last.call or thing_of(last.row)
                if thing is not None and self.outline.reveal(thing, uses[index].session):
                    self.arrived()

        if not uses:
            self.note = "no files are named by its calls"
            self.say()
            return
        from viewer.ui.dialogs import file_list

        dialog = file_list(uses, transcript.session.project, ascii=self._ascii)
        self.app.push_screen(dialog, chosen)

    def action_summary(self) -> None:
        from viewer.ui.summary_screen import SummaryScreen, Target

        def chosen(target: Target | None) -> None:
            if target is not None and self.outline.reveal(target.item, target.session):
                self.arrived()

        transcript = self.feed.reading.transcript
        screen = SummaryScreen(transcript, self.feed.liveness, ascii=self._ascii)
        self.app.push_screen(screen, chosen)

    def action_recovery(self) -> None:
        if not jumps.go_to_recovery(self.outline):
            self.note = "it was not recovered, and recovered nothing"
        self.arrived()

    # Out of the program

    def action_copy_text(self) -> None:
        self._hand_over("copy_text")

    def action_copy_json(self) -> None:
        self._hand_over("copy_json")

    def action_copy_resume(self) -> None:
        self._hand_over("copy_resume")

    def action_pager(self) -> None:
        self._hand_over("page")

    def action_editor(self) -> None:
        self._hand_over("edit")

    def _hand_over(self, what: str) -> None:
        from viewer.ui.hand_over import HandOver

        transcript, tab = self.feed.reading.transcript, self.detail.tab
        out = HandOver(self.app, self.outline.current, self.source, transcript, tab)
        self.note = getattr(out, what)()
        self.say()

    # Words

    def action_help(self) -> None:
        from viewer.ui.dialogs import text_dialog

        lines = [(key_words(binding), binding.description) for binding in KEYS]
        self.app.push_screen(text_dialog("Help", lines))

    def action_palette(self) -> None:
        self.app.action_command_palette()

    async def action_quit(self) -> None:
        self.app.exit()

    def on_unmount(self) -> None:
        self.feed.stop()
        gc.unfreeze()

    def on_bar_clicked(self, event: Bar.Clicked) -> None:
        event.stop()
        self.run_worker(self.run_action(event.action), group="click")

    def on_outline_view_moved(self, event: OutlineView.Moved) -> None:
        event.stop()
        if not self._place_due:
            # Not for every key: the border is drawn with all that is in it.
            self._place_due = True
            self.set_timer(0.2, self.name_place)
        if not event.at_end and self.outline.cursor < len(self.outline.rows) - 1:
            self.pause()
        self.detail.show(self.outline.current)
        self.say()

    def on_outline_view_opened(self, event: OutlineView.Opened) -> None:
        event.stop()
        self.action_open()

    def on_key(self) -> None:
        self.note = ""

    def say(self) -> None:
        """Bring the bars up to date."""
        if not self.is_mounted or not self.view.is_attached:
            return
        transcript = self.feed.reading.transcript
        state = bar_words.State(
            session=transcript.session,
            outline=self.outline,
            feed=self.feed,
            following=self.following,
            has_followed=self.has_followed,
            found=self.found,
            loaded=None if not self.busy else self.share,
            note=self.note,
            seeking=self.finder.words(self.outline),
            reads=self.reads,
            width=self.size.width,
        )
        self.bars["title"].show(*bar_words.title(state))
        self.bars["chips"].show(*bar_words.chips(state))
        self.bars["status"].show(*bar_words.status(state))
        self.bars["keys"].show(*bar_words.keys(state))

    def name_place(self) -> None:
        """Where the cursor is, in the border."""
        self._place_due = False
        rows = len(self.outline.rows)
        place = f"{min(self.outline.cursor + 1, rows)} of {rows}" if rows else "empty"
        if place != self._place:
            self._place = place
            self.view.border_subtitle = Content(place)
