"""Markdown to a small and safe part of HTML, for exports.

Paragraphs, headings, lists, tables, quotes, code, bold, italic, struck out. No tag and no address
of the text becomes one of the page: links are shown as text. Linear, and nothing recurses.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})([^`]*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$")
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"^(\s*)([-*+•]|\d{1,9}[.)])[ \t]+(\S.*)$")
_QUOTE = re.compile(r"^ {0,3}(?:>[ \t]?)+")
_DIVIDER = re.compile(r"^\s*\|?(?:\s*:?-{1,}:?\s*\|)*\s*:?-{1,}:?\s*\|?\s*$")
_MOST_LISTS = 6  # inside one another
_MOST_CELLS = 4000
_LONG = 1000


def escape(words: str) -> str:
    """Text as text: nothing in it is HTML."""
    return (
        words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        .replace('"', "&quot;").replace("'", "&#39;")
    )  # fmt: skip


def markdown(words: str) -> Iterator[str]:
    """The HTML of a cleaned text, block by block."""
    return _Blocks(words.split("\n")).run()


class _Blocks:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._text: list[str] = []  # of a paragraph or an item
        self._lists: list[tuple[int, str]] = []  # indents and tags of the open ones
        self._blank = False
        self._cells = 0

    def run(self) -> Iterator[str]:
        while self._at < len(self._lines):
            yield from self._block(self._lines[self._at])
        yield from self._close_lists()

    def _block(self, line: str) -> Iterator[str]:
        self._at += 1
        blank, self._blank = self._blank, not line.strip()
        indented = line[:1] in (" ", "\t")
        if self._blank:
            if not self._lists:
                yield from self._flush()
        elif (match := _FENCE.match(line)) and len(line) < _LONG:
            yield from self._flush() if indented else self._close_lists()
            yield from self._code(match[1])
        elif match := _HEADING.match(line):
            yield from self._close_lists()
            tag = f"h{min(6, len(match[1]) + 2)}"
            yield f"<{tag}>{inline(match[2].rstrip(' #'))}</{tag}>\n"
        elif len(line) < _LONG and _RULE.match(line):
            yield from self._close_lists()
            yield "<hr>\n"
        elif match := _ITEM.match(line):
            yield from self._item(len(match[1].expandtabs(4)), match[2], match[3])
        elif _QUOTE.match(line):
            yield from self._close_lists()
            yield from self._quote(line)
        elif "|" in line and self._is_table():
            yield from self._close_lists()
            yield from self._table(line)
        else:
            if self._lists and blank and not indented:
                yield from self._close_lists()
            elif self._lists and blank:
                self._text.append("")
            self._text.append(line.strip())

    def _flush(self) -> Iterator[str]:
        if self._text:
            made = inline("\n".join(self._text))
            yield made if self._lists else f"<p>{made}</p>\n"
            self._text = []

    def _code(self, fence: str) -> Iterator[str]:
        start = self._at
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            self._at += 1
            if line.startswith(fence) and not line.strip(fence[0]):
                yield _code_block(self._lines[start : self._at - 1])
                return
        yield _code_block(self._lines[start:])

    def _item(self, indent: int, mark: str, words: str) -> Iterator[str]:
        tag = "ol" if mark[0].isdigit() else "ul"
        yield from self._flush()
        while self._lists and indent < self._lists[-1][0]:
            yield f"</li></{self._lists.pop()[1]}>\n"
        inside = self._lists and indent > self._lists[-1][0] + 1
        if self._lists and not inside and self._lists[-1][1] != tag:
            yield f"</li></{self._lists.pop()[1]}>\n"
        if self._lists and (not inside or len(self._lists) >= _MOST_LISTS):
            yield "</li>\n<li>"
        else:
            self._lists.append((indent, tag))
            yield f'<ol start="{int(mark[:-1])}"><li>' if tag == "ol" else "<ul><li>"
        self._text = [words]

    def _close_lists(self) -> Iterator[str]:
        yield from self._flush()
        while self._lists:
            yield f"</li></{self._lists.pop()[1]}>\n"

    def _quote(self, line: str) -> Iterator[str]:
        quoted = [_QUOTE.sub("", line)]
        while self._at < len(self._lines) and _QUOTE.match(self._lines[self._at]):
            quoted.append(_QUOTE.sub("", self._lines[self._at]))
            self._at += 1
        made = inline("\n".join(quoted))
        yield f"<blockquote><p>{made}</p></blockquote>\n"

    def _is_table(self) -> bool:
        if self._at >= len(self._lines) or self._cells > _MOST_CELLS:
            return False
        below = self._lines[self._at]
        return "-" in below and len(below) < _LONG and bool(_DIVIDER.match(below))

    def _table(self, line: str) -> Iterator[str]:
        heads = _cells(line)
        self._at += 1
        yield '<div class="wide"><table><thead><tr>'
        yield from (f"<th>{inline(cell)}</th>" for cell in heads)
        yield "</tr></thead><tbody>\n"
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            cells = _cells(self._lines[self._at])
            self._cells += len(cells)
            if self._cells > _MOST_CELLS:
                break  # the rest is shown as text
            self._at += 1
            yield "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in cells) + "</tr>\n"
        yield "</tbody></table></div>\n"


def _code_block(lines: list[str]) -> str:
    code = escape("\n".join(lines))
    return f"<pre><code>{code}</code></pre>\n"


_BAR = re.compile(r"(?<!\\)\|")


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)[:40]]


_TOKEN = re.compile(
    r"(?P<code>`+)|(?P<mark>\*\*|~~|__|\*|_)"
    r"|(?P<picture>!?)\[(?P<words>[^\[\]\n]{0,300})\]\((?P<address>[^()\s]{1,500})\)"
)
_TAGS = {"**": "strong", "__": "strong", "*": "em", "_": "em", "~~": "del"}


def inline(words: str) -> str:
    """What stands in one paragraph."""
    made: list[str] = []
    opened: list[tuple[str, int]] = []  # marks that wait for their end, and where they stand
    runs: dict[int, list[int]] | None = None
    position = 0
    while (match := _TOKEN.search(words, position)) is not None:
        start, end = match.span()
        made.append(escape(words[position:start]))
        position = end
        if match["code"]:
            runs = _runs(words) if runs is None else runs
            places = runs[end - start]
            after = bisect_right(places, start)
            if after < len(places):
                made.append(f"<code>{escape(words[end : places[after]].strip(' '))}</code>")
                position = places[after] + end - start
                continue
            made.append(match[0])
        elif mark := match["mark"]:
            _mark(mark, words, start, end, made, opened)
        else:
            made.append(_link(match))
    made.append(escape(words[position:]))
    return "".join(made)


def _runs(words: str) -> dict[int, list[int]]:
    """Where backticks stand, by how many."""
    found: dict[int, list[int]] = {}
    for match in re.finditer("`+", words):
        found.setdefault(len(match[0]), []).append(match.start())
    return found


def _mark(
    mark: str, words: str, start: int, end: int, made: list[str], opened: list[tuple[str, int]]
) -> None:
    """Begin or end what a mark stands for. Where it does neither, it is text."""
    before, after = words[start - 1 : start], words[end : end + 1]
    ends = bool(before) and not before.isspace() and not (mark[0] == "_" and after.isalnum())
    begins = bool(after) and not after.isspace()
    if len(mark) == 1 or mark == "__":
        begins = begins and not before.isalnum()
    made.append(mark)
    if ends:
        for depth in range(1, min(4, len(opened)) + 1):
            if opened[-depth][0] == mark and opened[-depth][1] < len(made) - 2:
                made[opened[-depth][1]] = f"<{_TAGS[mark]}>"
                made[-1] = f"</{_TAGS[mark]}>"
                del opened[-depth:]
                return
    if begins:
        opened.append((mark, len(made) - 1))


def _link(match: re.Match[str]) -> str:
    words, address = match["words"].strip(), match["address"]
    shown = escape(words) if words and words != address else ""
    if match["picture"]:
        shown = f"[image] {shown}".rstrip()
    return f'{shown} <span class="url">{escape(address)}</span>'.lstrip()
