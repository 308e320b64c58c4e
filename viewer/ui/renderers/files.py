"""Files: reads as numbered code, edits as diffs, searches as hits by file."""

import difflib
import re
from collections.abc import Iterator

from rich.style import Style
from rich.text import Text

from viewer import tools
from viewer.bodies import CallBody, Json
from viewer.describe import relative
from viewer.formats.fields import mapping, string, whole
from viewer.ui.renderers import values
from viewer.ui.renderers.page import CHARACTERS, Beside, Page, lexer_of

_NUMBERED = re.compile(r"^ *(\d+)(?:\t|→)(.*)$")
_REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*", re.S)


def read(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    path = string(input.get("file_path")) or string(input.get("notebook_path")) or ""
    page.line((relative(path, page.cwd), "path"))
    limits = [(key, str(input[key])) for key in ("offset", "limit", "pages") if key in input]
    page.fields(limits)


def read_answer(body: CallBody, page: Page) -> None:
    assert body.result is not None
    path = string(mapping(body.input).get("file_path")) or ""
    file = mapping(mapping(body.result.structured).get("file"))
    content, start = string(file.get("content")), whole(file.get("startLine")) or 1
    if content is None:
        content, start = _unnumbered(body.result.text)
    total = whole(file.get("totalLines"))
    if content:
        shown = content.count("\n") + 1
        if total and total > shown:
            page.line((f"  lines {start} to {start + shown - 1} of {total}", "dim"))
        page.code(content, lexer_of(path), start)
    elif body.result.text.strip():
        page.bar(values.untagged(body.result.text), "error" if body.result.error else "dim")
    values.media(body.result.media, page)


def _unnumbered(words: str) -> tuple[str | None, int]:
    """A file's lines without the numbers that the tool put before them."""
    start: int | None = None
    lines: list[str] = []
    for line in _REMINDER.sub("", words[: 4 * CHARACTERS]).split("\n"):
        match = _NUMBERED.match(line)
        if match is None:
            if start is None or line.strip():
                return None, 1
            continue
        start = int(match[1]) if start is None else start
        lines.append(match[2])
    return ("\n".join(lines), start) if start is not None else (None, 1)


def edit(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    path = string(input.get("file_path")) or string(input.get("path")) or ""
    noted = mapping(body.result.structured) if body.result else {}
    page.line((relative(path, page.cwd), "path"))
    if input.get("replace_all") is True:
        page.fields([("replace all", "yes")])
    patch = noted.get("structuredPatch")
    lexer = lexer_of(path)
    if isinstance(patch, list) and patch:
        for hunk in patch:
            _hunk(mapping(hunk), lexer, page)
        return
    edits = input.get("edits")
    for each in edits if isinstance(edits, list) else [input]:
        change = mapping(each)
        new = _first(change, "new_string", "new_str", "content", "file_text")
        old = _first(change, "old_string", "old_str")
        if old is None and new is not None:
            page.line(("  new content", "dim"))
            page.code(new, lexer, 1)
        elif new is not None:
            _diff(old or "", new, lexer, page)
        else:
            values.fields(change, page, ("file_path", "path"))


_FILE_OF_PATCH = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$")


def patch(body: CallBody, page: Page) -> None:
    """Codex's patches: several files in one text, or the changes as they were made."""
    input = mapping(body.input)
    changes = mapping(input.get("changes"))
    for path, change in changes.items():
        each = mapping(change)
        page.line((relative(path, page.cwd), "path"), (f"  {each.get('type')}", "dim"))
        if (diff := string(each.get("unified_diff"))) is not None:
            _lines(diff.rstrip("\n").split("\n"), 1, 1, lexer_of(path), page, numbered=False)
        elif (content := string(each.get("content"))) is not None:
            page.code(content, lexer_of(path), 1)
    words = tools.patch_text(input)
    if not words:
        if not changes:
            values.fields(input, page)
        return
    lexer, hunk = "text", []
    for line in [*words.split("\n"), "*** End Patch"]:
        if not line.startswith("*** "):
            hunk.append(line)
            continue
        if any(each.strip() for each in hunk):
            _lines(hunk, 1, 1, lexer, page, numbered=False)
        hunk = []
        if (match := _FILE_OF_PATCH.match(line)) is not None:
            path = (match[2] or match[3]).strip()
            lexer = lexer_of(path)
            what = match[1].lower() if match[1] else "move to"
            page.line((relative(path, page.cwd), "path"), (f"  {what}", "dim"))


def diffs(changes: list[Json], page: Page) -> None:
    """Changes of files as ACP has them: the old text and the new one."""
    for each in changes:
        path = string(each.get("path")) or ""
        page.line((relative(path, page.cwd), "path"))
        old, new = each.get("oldText"), each.get("newText")
        if isinstance(new, str) and isinstance(old, str):
            _diff(old, new, lexer_of(path), page)
        elif isinstance(new, str):
            page.line(("  new file", "dim"))
            page.code(new, lexer_of(path), 1)
        else:
            values.fields({key: v for key, v in each.items() if key not in ("type", "path")}, page)


def notebook_edit(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((relative(string(input.get("notebook_path")) or "", page.cwd), "path"))
    page.fields(
        [(key, string(input.get(key)) or "") for key in ("cell_id", "cell_type", "edit_mode")]
    )
    noted = mapping(body.result.structured) if body.result else {}
    lexer = "markdown" if input.get("cell_type") == "markdown" else "python"
    old, new = string(noted.get("old_source")) or "", string(input.get("new_source")) or ""
    _diff(old, new, lexer, page)


def _first(value: Json, *keys: str) -> str | None:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), None)


def _hunk(hunk: Json, lexer: str, page: Page) -> None:
    lines = [line for line in hunk.get("lines", ()) if isinstance(line, str)]
    old, new = whole(hunk.get("oldStart")) or 1, whole(hunk.get("newStart")) or 1
    page.line((f"@@ -{old} +{new} @@", "dim"))
    _lines(lines, old, new, lexer, page)


def _diff(old: str, new: str, lexer: str, page: Page) -> None:
    """Line numbers are those of the text that was replaced: where it stood is not told."""
    before, after = old.split("\n"), new.split("\n")
    if len(before) * len(after) > 250_000:
        lines = [f"-{line}" for line in before] + [f"+{line}" for line in after]
    else:
        lines = list(difflib.unified_diff(before, after, n=3, lineterm=""))[2:]
    for part in _hunks(lines):
        _lines(part, 1, 1, lexer, page, numbered=False)


def _hunks(lines: list[str]) -> Iterator[list[str]]:
    hunk: list[str] = []
    for line in lines:
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        else:
            hunk.append(line)
    if hunk:
        yield hunk


def _lines(
    lines: list[str], old: int, new: int, lexer: str, page: Page, *, numbered: bool = True
) -> None:
    """A hunk with its line numbers, signs, and the colours of its language."""
    shown = page.cut_lines(lines)
    left = page.left
    codes = page.highlight("\n".join(line[1:] for line in shown)[:CHARACTERS], lexer)
    width = max(len(str(old + len(lines))), len(str(new + len(lines)))) if numbered else 0
    made: list[tuple[Text, Text, Style | None]] = []
    for line, code in zip(shown, codes, strict=False):
        sign = line[:1]
        tone = {"+": "added", "-": "removed"}.get(sign, "dim")
        gutter = Text()
        if numbered:
            before = str(old) if sign != "+" else ""
            after = str(new) if sign != "-" else ""
            gutter.append(f"{before:>{width}} {after:>{width}} ", page.style("dim"))
        old += sign != "+"
        new += sign != "-"
        gutter.append(f"{sign or ' '} ", page.style(tone))
        look = page.style(f"{tone}-line") if sign in ("+", "-") else None
        made.append((gutter, code, look))
    page.add(Beside(made))
    page.left = left
    page.tell_rest()


_HIT = re.compile(r"^(.{1,400}?)[:-](\d+)[:-](.*)$")


def grep(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((string(input.get("pattern")) or "", "pattern"))
    values.fields(input, page, ("pattern",))


def grep_answer(body: CallBody, page: Page) -> None:
    """Hits by file."""
    assert body.result is not None
    lines = values.untagged(body.result.text).split("\n")
    known: str | None = None
    shown = page.cut_lines(lines)
    left = page.left
    for line in shown:
        match = _HIT.match(line)
        if match is None:
            page.line(("  ", "dim"), line)
            continue
        path, at, hit = match.groups()
        if path != known:
            known = path
            page.line((relative(path, page.cwd), "path"))
        page.line((f"  {at:>5}  ", "dim"), hit)
    page.left = left
    page.tell_rest()


def found_files(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((string(input.get("pattern")) or string(input.get("path")) or "", "pattern"))
    values.fields(input, page, ("pattern",))


def diff_text(body: CallBody) -> str:
    """All of an edit as a diff, for the pager."""
    input, noted = mapping(body.input), mapping(body.result.structured if body.result else None)
    lines: list[str] = []
    patch = noted.get("structuredPatch")
    for hunk in patch if isinstance(patch, list) else ():
        each = mapping(hunk)
        lines.append(f"@@ -{each.get('oldStart')} +{each.get('newStart')} @@")
        lines += [line for line in each.get("lines", ()) if isinstance(line, str)]
    edits = input.get("edits")
    for change in (edits if isinstance(edits, list) else [input]) if not lines else ():
        old = _first(mapping(change), "old_string", "old_str") or ""
        new = _first(mapping(change), "new_string", "new_str", "content", "new_source") or ""
        lines += [f"-{line}" for line in old.split("\n")] if old else []
        lines += [f"+{line}" for line in new.split("\n")] if new else []
    return "\n".join(lines)
