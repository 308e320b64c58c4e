"""The line in which words are typed, to find or to filter."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from viewer import text


class FindBar(Input):
    """Where words are typed; every change searches at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave everything as it was", show=False),
    ]

    class Done(Message):
        def __init__(self, kept: bool) -> None:
            super().__init__()
            self.kept = kept

    def __init__(self) -> None:
        super().__init__(id="find", placeholder="find", select_on_focus=False, compact=True)

    def open(self) -> None:
        self.display = True
        self.value = ""
        self.screen.set_focus(self)  # at once: what is typed next belongs here

    def on_input_changed(self, event: Input.Changed) -> None:
        cleaned = text.one_line(event.value) if event.value.strip() else event.value
        if text.clean(event.value) != event.value:
            event.stop()
            self.value = cleaned  # something was pasted that is no plain text
            return
        event.stop()
        self.post_message(self.Sought(event.value))

    class Sought(Message):
        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Done(kept=True))

    def action_leave(self) -> None:
        self.post_message(self.Done(kept=False))
