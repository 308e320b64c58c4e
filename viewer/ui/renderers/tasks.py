"""Plans of work: to-do lists as check lists, sub-agents with their task and their report."""

from viewer.bodies import CallBody
from viewer.formats.fields import mapping, string, text_of
from viewer.ui.renderers import values
from viewer.ui.renderers.page import LINES, Page

_BOXES = {"completed": ("✓", "ok"), "in_progress": ("⋯", "running"), "pending": ("·", "dim")}


def todos(body: CallBody, page: Page) -> None:
    todos = mapping(body.input).get("todos")
    if not isinstance(todos, list):
        values.fields(body.input, page)
        return
    for each in todos[:LINES]:
        todo = mapping(each)
        status = string(todo.get("status")) or "pending"
        glyph, tone = _BOXES.get(status, ("?", "dim"))
        words = string(todo.get("content")) or string(todo.get("activeForm")) or ""
        priority = string(todo.get("priority"))
        page.line((f"  {glyph} ", tone), words, (f"  {priority}" if priority else "", "dim"))
    page.left = max(0, len(todos) - LINES)
    page.tell_rest()


def plan(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    if words := string(input.get("explanation")):
        page.line(words)
    steps = input.get("plan")
    found = [mapping(each) for each in steps] if isinstance(steps, list) else []
    for each in found[:LINES]:
        glyph, tone = _BOXES.get(string(each.get("status")) or "pending", ("?", "dim"))
        page.line((f"  {glyph} ", tone), string(each.get("step")) or "")
    page.left = max(0, len(found) - LINES)
    page.tell_rest()


def agent(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    page.line((string(input.get("description")) or string(input.get("task_name")) or "", "name"))
    page.fields(
        [
            ("type", string(input.get("subagent_type")) or string(input.get("agent_type")) or ""),
            ("model", string(input.get("model")) or ""),
            ("in background", "yes" if input.get("run_in_background") is True else ""),
        ]
    )
    if prompt := string(input.get("prompt")) or string(input.get("message")):
        page.heading("task")
        page.markdown(prompt)


def agent_answer(body: CallBody, page: Page) -> None:
    assert body.result is not None
    noted = mapping(body.result.structured)
    report = text_of(noted.get("content"), 1 << 24) or values.untagged(body.result.text)
    page.markdown(report)
