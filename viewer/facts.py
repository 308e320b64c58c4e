"""What a file says about its session as a whole: titles, modes, links, the queue of prompts.

State records are written again and again; the last one of each kind wins.
"""

from collections.abc import Callable
from typing import Any

from viewer.records import PREVIEW, Said


class Facts:
    def __init__(self) -> None:
        self.first_prompt: str | None = None
        self._piece: str | None = None  # what its further pieces join, where it came in pieces
        self.first_command: str | None = None
        self.queue: list[Said] = []  # prompts typed and not yet taken up
        self._stated: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        """What was stated last, as it was read: of any type."""
        return self._stated.get(key)

    def string(self, key: str) -> str | None:
        value = self._stated.get(key)
        return value if isinstance(value, str) and value else None

    def learn(self, key: str, value: object) -> None:
        self._stated[key] = value

    def note_said(self, said: Said) -> None:
        """Something was asked of the agent in the main conversation."""
        if said.kind == "prompt" and said.label == "command":
            self.first_command = self.first_command or said.text
        elif said.kind == "prompt" and said.label not in ("image", "document"):
            if not self.first_prompt:
                self.first_prompt, self._piece = said.text, said.joins
            elif said.joins is not None and said.joins == self._piece:
                self.first_prompt = (self.first_prompt + said.text)[:PREVIEW]
        if self.queue:
            # 2.1.37 does not tell when it takes one from the queue.
            self.queue = [each for each in self.queue if each.text != said.text]

    def note_queue(self, operation: object, said: Said) -> None:
        match operation:
            case "enqueue":
                self.queue.append(said)
            case "dequeue" if self.queue:
                del self.queue[0]
            case "remove" if said in self.queue:
                self.queue.remove(said)
            case "remove" | "popAll":
                self.queue.clear()

    def title(self, holds: Callable[[str], bool]) -> str | None:
        """As the program itself titles a session. `holds` tells whether a uuid is in its file."""
        for key in ("custom_title", "sidecar_title", "ai_title", "last_prompt"):
            if title := self.string(key):
                return title
        # Up to 2.0.0 the program wrote summaries of other sessions into a new session's file.
        summary, leaf = self.get("summary") or (None, "")
        return (summary if holds(leaf) else None) or self.first_prompt or self.first_command
