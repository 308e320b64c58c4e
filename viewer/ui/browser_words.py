"""What the lines of the browser say: projects, sessions, the preview."""

import os
from typing import NamedTuple

from rich.text import Text

from viewer import text
from viewer.catalogue import Listed, Project
from viewer.ends import Preview
from viewer.ui.paint import cut, fit, fit_path
from viewer.ui.pick_list import PickList

_STATES = {
    "working": ("▪ working", "ok"),
    "waiting": ("▪ waiting", "missing"),
    "idle": ("▪ idle", "running"),
    "unclean": ("∅ unclean", "warning"),
    "": ("", "dim"),
}
LONG_STATES = {
    "working": "working",
    "waiting": "waiting for approval",
    "idle": "idle, waits for a prompt",
    "unclean": "ended uncleanly",
    "": "",
}


class Columns(NamedTuple):
    """Widths in cells; 0 for a column that has no room."""

    state: int
    age: int
    project: int
    branch: int
    calls: int
    size: int
    problems: int


def columns(width: int, *, all_projects: bool) -> Columns:
    """What fits beside a title of a useful width."""
    project = 16 if all_projects and width >= 84 else 0
    return Columns(
        state=9 if width >= 44 else 1,
        age=5,
        project=project,
        branch=14 if width >= 72 + project else 0,
        calls=6 if width >= 96 + project else 0,
        size=7 if width >= 62 else 0,
        problems=10 if width >= 34 else 0,
    )


def heading(width: int, cols: Columns) -> str:
    words = {"state": "state", "age": "age", "project": "project", "branch": "branch",
             "calls": "calls", "size": "size", "problems": "problems"}  # fmt: skip
    cells = {key: words[key] if getattr(cols, key) >= len(words[key]) else "" for key in words}
    return _laid_out(cols, width, "title", cells)


def _laid_out(cols: Columns, width: int, title: str, cells: dict[str, str]) -> str:
    left = f" {fit(cells['state'], cols.state)} {cells['age']:>{cols.age}}  "
    parts = []
    for key in ("project", "branch"):
        if size := getattr(cols, key):
            parts.append(f" {fit(cells[key], size)}")
    for key in ("calls", "size"):
        if size := getattr(cols, key):
            parts.append(f" {cut(cells[key], size).rjust(size)}")
    if cols.problems:
        parts.append(f"  {fit(cells['problems'], cols.problems - 2)}")
    right = "".join(parts) + " "
    return left + fit(title, max(0, width - len(left) - text.width(right))) + right


def session_line(
    view: PickList, index: int, listed: Listed, now: float, *, all_projects: bool
) -> Text:
    width = view.scrollable_content_region.width
    cols = columns(width, all_projects=all_projects)
    file, look = listed.file, view.look
    state, tone = _STATES[listed.state]
    line = Text(no_wrap=True, end="")
    line.append("▌" if index == view.cursor else " ", look("prompt"))
    line.append(f"{fit(state, cols.state) if cols.state > 1 else state[:1] or ' '} ", look(tone))
    line.append(f"{text.age(now - file.modified):>{cols.age}}  ", look("dim"))
    right = Text(no_wrap=True, end="")
    if cols.project:
        name = os.path.basename(listed.project) or listed.project
        right.append(f" {fit(text.one_line(name), cols.project)}", look("path"))
    if cols.branch:
        right.append(f" {fit(text.one_line(file.branch or ''), cols.branch)}", look("dim"))
    if cols.calls:
        calls = str(listed.counts.calls) if listed.counts else ""
        right.append(f" {calls:>{cols.calls}}", look("dim"))
    if cols.size:
        right.append(f" {text.size(file.size):>{cols.size}}", look("dim"))
    if cols.problems:
        right.append("  ")
        _problems(right, listed, view, cols.problems - 2)
    right.append(" ")
    room = max(0, width - line.cell_len - right.cell_len)
    title, tone = title_of(listed)
    mark = f"{file.agent} · " if file.agent != "claude" and room > 16 else ""
    line.append(mark, look("dim"))
    line.append(fit(title, max(0, room - len(mark))), look(tone))
    return line.append_text(right)


def title_of(listed: Listed) -> tuple[str, str]:
    file = listed.file
    if file.problem:
        return (
            f"({text.one_line(file.problem)}) {text.one_line(os.path.basename(file.path))}",
            "error",
        )
    if not listed.described and not file.title:
        return "⋯", "dim"
    if file.title:
        return text.one_line(file.title), "text"
    return "(no prompt)", "dim"


def _problems(line: Text, listed: Listed, view: PickList, width: int) -> None:
    """✗2 ∅1; nothing where there is no problem; three dots until it is known."""
    found = listed.problems
    if found is None:
        counting = not listed.counted and listed.file.problem is None
        line.append(fit("⋯" if counting else "", width), view.look("dim"))
        return
    wrong, missing = found
    pieces = [(f"✗{text.number(wrong)}", "error")] if wrong else []
    pieces += [(f"∅{text.number(missing)}", "missing")] if missing else []
    used = 0
    for words, tone in pieces:
        words = cut(words + " ", width - used)
        line.append(words, view.look(tone))
        used += text.width(words)
    line.append(" " * max(0, width - used))


def project_line(
    view: PickList, index: int, project: Project | None, count: int, alive: int
) -> Text:
    """A project, or all of them."""
    width = view.scrollable_content_region.width
    line = Text(no_wrap=True, end="")
    line.append("▌" if index == view.cursor else " ", view.look("prompt"))
    line.append("▪" if alive else " ", view.look("ok"))
    number = f" {count} "
    room = max(0, width - 2 - len(number) - 1)
    if project is None:
        line.append(" " + fit("all projects", room), view.look("name"))
    else:
        path = fit_path(text.one_line(text.shorten_home(project.path)), room)
        line.append(" " + fit(path, room), view.look("text"))
    return line.append(number, view.look("dim"))


def facts(listed: Listed, now: float) -> str:
    """One line about a session."""
    file = listed.file
    words = [
        text.shorten_home(listed.file.cwd or listed.project),
        file.branch or "",
        LONG_STATES[listed.state],
        f"for {listed.liveness.waits_for}" if listed.liveness.waits_for else "",
        text.plural(listed.counts.calls, "call") if listed.counts else "",
        text.size(file.size),
        f"written {text.age(now - file.modified)} ago",
        file.id,
    ]
    return " · ".join(text.one_line(word) for word in words if word)


def preview_lines(listed: Listed, last: Preview, now: float) -> list[tuple[str, str, str]]:
    """Pairs of a mark and words, and how they look."""
    title = text.one_line(listed.file.title or "")
    lines = [(" ", facts(listed, now), "dim")]
    if prompt := text.one_line(last.prompt):
        lines.append(("❯", prompt, "prompt"))
    elif title:
        lines.append(("❯", title, "prompt"))
    if reply := text.one_line(last.reply):
        lines.append(("▪", reply, "reply"))
    return lines
