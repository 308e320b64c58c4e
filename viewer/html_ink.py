"""Foreign text to HTML, the one way: cleaned, secrets masked, cut where it is long, escaped.

What these functions answer with goes into the page as it is; nothing else of a transcript does.
"""

from collections.abc import Iterator, Sequence

from viewer import text
from viewer.formats.fields import mapping, string
from viewer.html_markdown import escape, markdown
from viewer.masks import Mask
from viewer.pretty import pretty

CHARACTERS = 64_000
LINES = 2000
_MORE = 16_000  # characters behind the cut, so that a secret that lies across it is seen whole
_SHORT = 200


class Ink:
    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        self.cwd: str | None = None  # of the session that is written: paths are shown from there

    def line(self, words: str, most: int = 300) -> str:
        """Words on one line. They may be the beginning of something longer."""
        return escape(text.clip(text.one_line(self.mask.beginning(words[: most * 8])), most))

    def span(self, look: str, words: str, most: int = 300) -> str:
        line = self.line(words, most)
        return f'<span class="{look}">{line}</span>' if line else ""

    def note(self, words: str, look: str = "dim") -> str:
        return f'<p class="{look}">{self.line(words)}</p>\n' if words else ""

    def pre(self, words: str, look: str = "out", sign: str = "") -> Iterator[str]:
        """Text as it is."""
        shown, left = self.cut(words)
        if shown.strip():
            yield f'<pre class="{look}">{sign}{escape(shown)}</pre>\n'
        yield self.rest(left)

    def code(self, value: object) -> Iterator[str]:
        """A JSON value for people."""
        return self.pre(pretty(value), "json")

    def markdown(self, words: str) -> Iterator[str]:
        shown, left = self.cut(words)
        if shown.strip():
            yield '<div class="md">'
            yield from markdown(shown)
            yield "</div>\n"
        yield self.rest(left)

    def diff(self, lines: Sequence[str]) -> Iterator[str]:
        """Lines with their signs."""
        shown, left = self.cut("\n".join(lines))
        if not shown:
            return
        yield '<pre class="diff">'
        for line in shown.split("\n"):
            match line[:1]:
                case "+":
                    yield f"<ins>{escape(line)}\n</ins>"
                case "-":
                    yield f"<del>{escape(line)}\n</del>"
                case "@":
                    yield f'<span class="dim">{escape(line)}\n</span>'
                case _:
                    yield f"{escape(line)}\n"
        yield "</pre>\n"
        yield self.rest(left)

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> str:
        """Names and short values."""
        made = [
            f"<div><dt>{self.line(name, 60)}</dt><dd>{self.line(value, 400)}</dd></div>"
            for name, value in pairs
            if value
        ]
        return f"<dl>{''.join(made)}</dl>\n" if made else ""

    def fields(self, value: object, skip: tuple[str, ...] = ()) -> Iterator[str]:
        """The input of a call: short values beside their names, long ones below them."""
        if not isinstance(value, dict):
            if value is not None:
                yield from self.code(value)
            return
        short: list[tuple[str, str]] = []
        long: list[tuple[str, str]] = []
        for key, each in value.items():
            if key not in skip and each is not None:
                words = each if isinstance(each, str) else pretty(each)
                is_short = len(words) <= _SHORT and "\n" not in words
                (short if is_short else long).append((str(key), words))
            if len(short) + len(long) >= _SHORT:
                break
        yield self.pairs(short)
        for name, words in long:
            yield self.note(name)
            yield from self.pre(words)

    def media(self, blocks: Sequence[dict[str, object]]) -> Iterator[str]:
        """Images and documents: their type and size, never what is in them."""
        for block in blocks[:_SHORT]:
            if block.get("type") in ("image", "document"):
                yield self.picture(block)
            else:
                yield from self.code(block)

    def picture(self, block: dict[str, object]) -> str:
        source = mapping(block.get("source"))
        media = string(source.get("media_type")) or string(source.get("type")) or "of unknown type"
        data = source.get("data")
        size = ""
        if isinstance(data, str):
            size = " · " + text.size(len(data) * 3 // 4 - data[-2:].count("="))
        kind = "image" if block.get("type") == "image" else "document"
        return f'<p class="media">{kind} {self.line(media, 60)}{size} · not included</p>\n'

    def cut(self, words: str) -> tuple[str, str]:
        """The beginning of a body with its secrets masked, and how much is left, in words."""
        masked = self.mask.whole(words[: CHARACTERS + _MORE])
        shown = "\n".join(masked[:CHARACTERS].split("\n", LINES)[:LINES])
        if len(shown) == len(masked) and len(words) <= CHARACTERS + _MORE:
            return shown.rstrip("\n"), ""
        lines = words.count("\n") - shown.count("\n")
        if lines > 0:
            return shown.rstrip("\n"), text.plural(lines, "more line")
        return shown, f"{text.size(max(1, len(words) - len(shown)))} more"

    def rest(self, left: str) -> str:
        return f'<p class="more">… {left}, not included</p>\n' if left else ""
