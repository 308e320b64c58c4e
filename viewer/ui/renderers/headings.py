"""Headings of Markdown at the left, where a reader of a narrow pane looks for them."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.text import Text


class LeftHeading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heading = self.text.copy()
        heading.justify = "left"
        if self.tag in ("h1", "h2"):
            yield Text("")
        yield heading


class LeftMarkdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": LeftHeading,
    }
