"""Jumps in an outline: to prompts, problems, parents, sub-agents and lines of the file."""

from bisect import bisect_right
from collections.abc import Callable

from viewer.nodes import Node
from viewer.outline import Outline, thing_of
from viewer.problems import Problem

Order = tuple[tuple[int, int], ...]


def seek(outline: Outline, wanted: Callable[[Node], bool], direction: int) -> bool:
    """Move to the next row, or the one before, that is wanted."""
    index = outline.cursor + direction
    while 0 <= index < len(outline.rows):
        if wanted(outline.rows[index]):
            outline.move(index)
            return True
        index += direction
    return False


def in_order(outline: Outline, problems: list[Problem]) -> list[Problem]:
    return [problem for _, problem in _placed(outline, problems)]


def _placed(outline: Outline, problems: list[Problem]) -> list[tuple[Order, Problem]]:
    """Problems with their places, as they come in the outline."""
    placed = []
    for problem in problems:
        if problem.item is not None:
            node = outline.forest.find(problem.item, problem.session)
            if node is not None:
                placed.append((node.order(), problem))
    return sorted(placed, key=lambda each: each[0])


def next_problem(outline: Outline, problems: list[Problem], direction: int) -> Problem | None:
    """The next one behind the cursor, or before it; round the end if need be."""
    placed = _placed(outline, problems)
    if not placed:
        return None
    here = outline.current.order() if outline.current else ()
    if direction > 0:
        later = [problem for order, problem in placed if order > here]
        return later[0] if later else placed[0][1]
    earlier = [problem for order, problem in placed if order < here]
    return earlier[-1] if earlier else placed[-1][1]


def go_to_parent(outline: Outline) -> bool:
    """Put the cursor on what the record under it follows."""
    node = outline.current
    row = node.row.parent if node is not None and node.row is not None else None
    while node is not None and row is not None:
        thing = thing_of(row)
        if thing is not None and thing is not node.item:
            return outline.reveal(thing, node.scope.session)
        row = row.parent
    return False


def go_to_agent(outline: Outline) -> bool:
    """Put the cursor on the first thing that the sub-agent of a call did."""
    node = outline.current
    if node is None or node.call is None or node.call.agent is None:
        return False
    outline.set_fold(outline.cursor, True)
    hooks = len(node.call.hooks)
    inside = outline.forest.children(node)[hooks:]
    index = outline.index(inside[0]) if inside else None
    if index is not None:
        outline.move(index)
    return index is not None


def go_to_recovery(outline: Outline) -> bool:
    """From a failed call to the one that made it good, and back."""
    node = outline.current
    if node is None or node.call is None:
        return False
    recoveries = node.scope.session.recoveries
    recovery = recoveries.of(node.call)
    failed = recoveries.by(node.call)
    target = recovery.by if recovery is not None else failed[-1] if failed else None
    return target is not None and outline.reveal(target, node.scope.session)


def go_to_line(outline: Outline, line: int) -> int | None:
    """Put the cursor on what stands in a line of the file, or before it; the line it is."""
    session = outline.transcript.session
    index = bisect_right(session.rows, line, key=lambda row: row.line) - 1
    while index >= 0:
        row = session.rows[index]
        if (item := thing_of(row)) is not None and outline.reveal(item, session):
            return row.line
        index -= 1
    return None
