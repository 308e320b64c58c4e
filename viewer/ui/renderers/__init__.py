"""How the detail of an entry looks, a module for each kind of thing.

A renderer gets the whole record and writes into a `Page`; it never opens anything and never sees
the terminal. `render_call` picks it by the tool's name, then by its kind.
"""

from collections.abc import Callable

from viewer import tools
from viewer.bodies import CallBody
from viewer.ui.renderers import dialogue, files, shell, tasks, values, web
from viewer.ui.renderers.page import Page

Renderer = Callable[[CallBody, Page], None]

_BY_NAME: dict[str, Renderer] = {
    "TodoWrite": tasks.todos,
    "TodoRead": tasks.todos,
    "Agent": tasks.agent,
    "Task": tasks.agent,
    "AskUserQuestion": dialogue.questions,
    "ExitPlanMode": dialogue.plan,
    "exit_plan_mode": dialogue.plan,
    "Grep": files.grep,
    "Glob": files.found_files,
    "LS": files.found_files,
    "WebFetch": web.fetch,
    "WebSearch": web.search,
    "Read": files.read,
    "NotebookRead": files.read,
    "NotebookEdit": files.notebook_edit,
    **dict.fromkeys(tools.SHELLS - {"write_stdin"}, shell.command),
    "exec": shell.script,
    "js_repl": shell.script,
    "apply_patch": files.patch,
    "update_plan": tasks.plan,
    "spawn_agent": tasks.agent,
    "BashOutput": shell.output,
    "TaskOutput": shell.output,
}
_ANSWERS: dict[str, Renderer] = {
    "Agent": tasks.agent_answer,
    "Task": tasks.agent_answer,
    "Grep": files.grep_answer,
    "WebFetch": web.fetch_answer,
    "WebSearch": web.search_answer,
    "Read": files.read_answer,
}
_BY_KIND: dict[str, Renderer] = {"edit": files.edit, "fetch": web.fetch}


def render_call(body: CallBody, page: Page) -> None:
    for shown in body.notes:
        # What the program itself tells of it: a title, the places it is about.
        values.shown(shown, page)
    if body.notes and not body.input:
        return
    renderer = _BY_NAME.get(body.name) or _BY_KIND.get(tools.kind(body.name)) or values.anything
    renderer(body, page)


def render_answer(body: CallBody, page: Page) -> None:
    """What the call answered. An error is shown as it is, whatever the tool."""
    if body.result is None:
        return
    if body.kind == "execute":
        shell.answer(body.result, page)
    elif body.name in _ANSWERS and not body.result.error:
        _ANSWERS[body.name](body, page)
    else:
        values.result(body.result, page)
    files.diffs(body.result.diffs, page)
