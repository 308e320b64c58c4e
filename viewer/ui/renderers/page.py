"""What a renderer writes on: parts one below the other, cut where they are long.

Everything is cut before it is laid out, so that a body of a hundred megabytes costs what its
first lines cost; the number of lines left out is told, and the pager has them all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from viewer import text
from viewer.ui.paint import coloured

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LINES = 300
CHARACTERS = 24_000
_MARKDOWN = 12_000  # characters; Markdown costs ten times what plain text costs
_CODE = 12_000
_CELLS = 800

# Markdown and Syntax are imported where they are used: the first screen does not wait for them.


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Tags are shown: a transcript quotes more HTML than it means.
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])


@dataclass(slots=True)
class Beside:
    """Lines with something beside each: a bar, or line numbers. What is too long goes on below
    its own beginning. Rich's tables do this too, at ten times the cost."""

    lines: list[tuple[Text, Text, Style | None]]
    again: bool = False  # what stands beside stands there on every line that follows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for beside, line, look in self.lines:
            room = max(4, options.max_width - beside.cell_len)
            start = list(beside.render(console, end=""))
            blank = [Segment(" " * beside.cell_len)]
            wrapped = line.wrap(console, room, overflow="fold") if line.cell_len > room else [line]
            for number, piece in enumerate(wrapped):
                segments = start if number == 0 or self.again else blank
                segments = [*segments, *piece.render(console, end="")]
                if look is not None:
                    segments = list(Segment.apply_style(segments, look))
                    segments = Segment.adjust_line_length(segments, options.max_width, look)
                yield from segments
                yield Segment.line()


@dataclass(slots=True)
class Page:
    style: Callable[[str], Style]  # by name: error, missing, dim, name, added, removed, ...
    dark: bool = True
    cwd: str | None = None
    parts: list[RenderableType] = field(default_factory=list)
    left: int = 0  # lines that were cut

    def add(self, part: RenderableType) -> None:
        self.parts.append(part)

    def line(self, *words: str | tuple[str, str]) -> None:
        """A line of words, each plain or with the name of its style. Where it is too long, it
        goes on below its own beginning."""
        made = self._styled(words)
        indent = len(made.plain) - len(made.plain.lstrip(" "))
        self.parts.append(Padding(made[indent:], (0, 0, 0, indent)) if indent else made)

    def pair(self, label: str, value: str, tone: str = "text", width: int = 0) -> None:
        """A value beside its label; where it is too long, it goes on below itself."""
        grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
        grid.add_column(width=max(width, len(label)), no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row(Text(text.clean(label), self.style("dim")), self._styled([(value, tone)]))
        self.parts.append(grid)

    def _styled(self, words: Sequence[str | tuple[str, str]]) -> Text:
        made = Text()
        for word in words:
            if isinstance(word, str):
                made.append(text.clean(word))
            else:
                made.append(text.clean(word[0]), self.style(word[1]))
        return made

    def gap(self) -> None:
        if self.parts:
            self.parts.append(Text(""))

    def heading(self, words: str, tone: str = "heading") -> None:
        self.gap()
        self.line((words, tone))

    def fields(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Names and values, the names aligned."""
        pairs = [(name, value) for name, value in pairs if value]
        width = min(18, max((len(name) for name, _ in pairs), default=0))
        for name, value in pairs:
            self.line(
                (f"  {text.one_line(name, width):{width}}  ", "dim"), text.one_line(value, 400)
            )

    def body(self, words: str, tone: str | None = None) -> None:
        """Text as it is, with the colours that its program gave it."""
        made = coloured(self._cut(words))
        if tone is not None:
            made.stylize(self.style(tone))
        self.parts.append(made)
        self.tell_rest()

    def bar(self, words: str, tone: str = "dim") -> None:
        """Text with a bar beside it: what a tool put out."""
        bar = Text("┃ ", self.style(tone))
        lines = coloured(self._cut(words)).split("\n", allow_blank=True)
        self.parts.append(Beside([(bar, line, None) for line in lines], again=True))
        self.tell_rest()

    def code(self, code: str, lexer: str, start: int | None = None) -> None:
        """Code in its language, numbered from `start`."""
        from rich.syntax import Syntax

        shown = text.clean(self._cut(code, _CODE))
        self.parts.append(
            Syntax(
                shown,
                lexer,
                theme=self.theme,
                line_numbers=start is not None,
                start_line=start or 1,
                word_wrap=True,
                background_color="default",
            )
        )
        self.tell_rest()

    @property
    def theme(self) -> str:
        return "ansi_dark" if self.dark else "ansi_light"

    def highlight(self, code: str, lexer: str) -> list[Text]:
        """The lines of a code in the colours of its language."""
        from rich.syntax import Syntax

        cleaned = text.clean(code)
        made = Syntax("", lexer, theme=self.theme, word_wrap=True).highlight(cleaned)
        made.rstrip()
        lines = list(made.split("\n", allow_blank=True))
        return lines + [Text()] * (cleaned.count("\n") + 1 - len(lines))

    def markdown(self, words: str, tone: str | None = None) -> None:
        shown = text.clean(self._cut(words, _MARKDOWN))
        if shown.count("|") > _CELLS:
            self.parts.append(Text(shown))  # a table of this size takes a second to lay out
            self.tell_rest()
            return
        from viewer.ui.renderers.headings import LeftMarkdown

        made = LeftMarkdown(
            "", code_theme=self.theme, hyperlinks=False, style=self.style(tone or "text")
        )
        made.parsed = _parser().parse(shown)
        self.parts.append(made)
        self.tell_rest()

    def inset(self, part: RenderableType) -> None:
        self.parts.append(Padding(part, (0, 0, 0, 2)))

    def cut_lines(self, lines: list[str], most: int = LINES) -> list[str]:
        """The first lines, as far as they are shown; what is left is told by `tell_rest`."""
        room = CHARACTERS
        for number, line in enumerate(lines[:most]):
            room -= len(line) + 1
            if room < 0:
                most = max(1, number)
                break
        self.left = max(0, len(lines) - most)
        return lines[:most]

    def _cut(self, words: str, characters: int = CHARACTERS) -> str:
        """The beginning of a body; notes how many lines are left."""
        shown = words[:characters]
        lines = shown.split("\n", LINES)
        if len(lines) > LINES:
            shown = "\n".join(lines[:LINES])
        self.left = 0
        if len(shown) < len(words):
            self.left = words.count("\n", len(shown)) + (0 if shown.endswith("\n") else 1)
        return shown.rstrip("\n")

    def tell_rest(self) -> None:
        if self.left:
            words = text.plural(self.left, "more line")
            self.parts.append(Text(f"… {words} — o opens all of it in $PAGER", self.style("more")))
            self.left = 0


_LEXERS = {
    ".py": "python", ".js": "javascript", ".ts": "typescript", ".tsx": "tsx", ".jsx": "jsx",
    ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "cpp", ".java": "java",
    ".rb": "ruby", ".sh": "bash", ".md": "markdown", ".json": "json", ".jsonl": "json",
    ".yml": "yaml", ".yaml": "yaml", ".toml": "toml", ".html": "html", ".css": "css",
    ".sql": "sql", ".tcss": "css", ".swift": "swift", ".kt": "kotlin", ".php": "php",
    ".xml": "xml", ".lua": "lua", ".cs": "csharp", ".scala": "scala", ".vue": "html",
}  # fmt: skip


def lexer_of(path: str) -> str:
    """By the ending of a name alone: the file is never looked at."""
    return _LEXERS.get(PurePath(path[-300:].replace("\0", "")).suffix.lower(), "text")
