"""What the agent asked the user: questions with their options and answers, plans to approve."""

from viewer.bodies import CallBody
from viewer.formats.fields import mapping, string
from viewer.ui.renderers import values
from viewer.ui.renderers.page import Page


def questions(body: CallBody, page: Page) -> None:
    asked = mapping(body.input).get("questions")
    if not isinstance(asked, list):
        values.fields(body.input, page)
        return
    noted = mapping(body.result.structured) if body.result else {}
    answers = mapping(noted.get("answers"))
    for number, each in enumerate(asked[:20]):
        question = mapping(each)
        words = string(question.get("question")) or ""
        if number:
            page.gap()
        page.line((words, "name"))
        answer = string(answers.get(words)) or ""
        options = question.get("options")
        chosen = False
        for option in options if isinstance(options, list) else ():
            label = string(mapping(option).get("label")) or ""
            is_answer = bool(label) and label in [part.strip() for part in answer.split(",")]
            chosen = chosen or is_answer
            mark = ("  ✓ ", "ok") if is_answer else ("  · ", "dim")
            page.line(mark, (label, "ok" if is_answer else "text"))
            if about := string(mapping(option).get("description")):
                page.line(("    ", "dim"), (about, "dim"))
        if answer and not chosen:
            page.line(("  answer  ", "ok"), answer)


def plan(body: CallBody, page: Page) -> None:
    noted = mapping(body.result.structured) if body.result else {}
    words = string(mapping(body.input).get("plan")) or string(noted.get("plan"))
    if words:
        page.markdown(words)
    values.fields(body.input, page, ("plan",))
