"""Commands: what was run, what it said in its own colours, how it ended."""

from rich.text import Text

from viewer import tools
from viewer.bodies import CallBody, Result
from viewer.formats.fields import mapping, string, whole
from viewer.ui.renderers import values
from viewer.ui.renderers.page import CHARACTERS, Beside, Page


def command(body: CallBody, page: Page) -> None:
    input = mapping(body.input)
    words = tools.command_words(input)
    shown = "\n".join(page.cut_lines(words.split("\n")))
    left = page.left
    first, more = Text("$ ", page.style("prompt")), Text("  ")
    lines = page.highlight(shown[:CHARACTERS], "bash")
    page.add(Beside([(more if n else first, line, None) for n, line in enumerate(lines)]))
    page.left = left
    page.tell_rest()
    milliseconds = whole(input.get("timeout"))
    page.fields(
        [
            ("description", string(input.get("description")) or ""),
            ("timeout", f"{milliseconds:,} ms".replace(",", " ") if milliseconds else ""),
            ("in background", "yes" if input.get("run_in_background") is True else ""),
        ]
    )
    values.fields(input, page, ("command", "cmd", "description", "timeout", "run_in_background"))


def script(body: CallBody, page: Page) -> None:
    """Code that the model wrote to call tools by."""
    page.code(string(mapping(body.input).get("input")) or "", "javascript")
    values.fields(body.input, page, ("input",))


def output(body: CallBody, page: Page) -> None:
    values.fields(body.input, page)


def answer(answer: Result, page: Page) -> None:
    """What a command put out: stderr by itself where the program kept it apart."""
    noted = mapping(answer.structured)
    stdout, stderr = string(noted.get("stdout")), string(noted.get("stderr"))
    if stdout or stderr:
        if stdout:
            page.bar(stdout.rstrip("\n"), "error" if answer.error else "dim")
        if stderr:
            page.line(("  stderr", "warning"))
            page.bar(stderr.rstrip("\n"), "warning")
    elif answer.text.strip():
        page.bar(values.untagged(answer.text).rstrip("\n"), "error" if answer.error else "dim")
    else:
        page.line(("  (no output)", "dim"))
    for key, words in (("backgroundTaskId", "runs on in the background as"),
                       ("returnCodeInterpretation", "which means"),
                       ("persistedOutputPath", "all of it was kept in")):  # fmt: skip
        if value := string(noted.get(key)):
            page.line((f"  {words} ", "dim"), value)
    values.media(answer.media, page)
