"""The detail: what is cut is counted, and the pager has all of it."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.style import Style

from tests.build import Chain
from viewer.bodies import Source
from viewer.load import load
from viewer.outline import Outline
from viewer.ui.entry_page import whole_text, write_page
from viewer.ui.paint import strips_of
from viewer.ui.renderers.page import Page

MANY = "\n".join(f"line {number} of many" for number in range(1, 1001))


def drawn(chain: Chain, tmp_path: Path, tab: str = "Rendered", row: int = 1) -> tuple[str, str]:
    """What is drawn of a row, and what the pager gets."""
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    node = Outline(transcript).rows[row]
    source = Source(transcript)
    page = Page(lambda _: Style())
    write_page(node, tab, source, page)
    strips = strips_of(page.parts, Console(width=80), 78)
    return "\n".join(strip.text for strip in strips), whole_text(node, source, tab)


def asked(name: str, answer: str = "ok", noted: object = None, **input: Any) -> Chain:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", name, **input)
    more: dict[str, Any] = {"toolUseResult": noted} if noted is not None else {}
    chain.result("a", answer, **more)
    return chain


_PATCH = [{"oldStart": 1, "newStart": 1, "lines": [f"+{line}" for line in MANY.split("\n")]}]


@pytest.mark.parametrize(
    "chain",
    [
        asked("Bash", command=MANY),
        asked("Bash", MANY, command="make"),
        asked("Edit", noted={"structuredPatch": _PATCH}, file_path="/a.py"),
        asked("Edit", file_path="/a.py", old_string="x", new_string=MANY),
        asked("Write", file_path="/a.py", content=MANY),
        asked("Read", noted={"file": {"content": MANY}}, file_path="/a.py"),
        asked("Grep", MANY.replace("line ", "src/a.py:").replace(" of", ": of"), pattern="x"),
        asked("WebFetch", MANY, url="https://docs.example"),
        asked("TodoWrite", todos=[{"content": f"task {n} of many"} for n in range(1000)]),
        asked("mcp__db__query", MANY, query="select"),
        asked("Agent", MANY, description="d", prompt=MANY),
        asked("Unheard", MANY, how=MANY),
    ],
)
def test_what_is_cut_is_counted_and_the_pager_has_it(chain: Chain, tmp_path: Path) -> None:
    shown, whole = drawn(chain, tmp_path)
    assert "more lines — o opens all of it" in shown
    assert len(shown.split("\n")) < 1200
    assert "999" in whole


@pytest.mark.parametrize("tab", ["Input", "Output", "Raw"])
def test_the_pager_has_what_the_tab_shows(tmp_path: Path, tab: str) -> None:
    shown, whole = drawn(asked("Bash", "the answer", command="make it"), tmp_path, tab)
    wanted = {"Input": '"command": "make it"', "Output": "the answer", "Raw": '"tool_use_id": "a"'}
    assert wanted[tab] in shown
    assert wanted[tab] in whole


def test_a_search_shows_what_the_engine_said_beside_its_links(tmp_path: Path) -> None:
    links = {"tool_use_id": "x", "content": [{"title": "T", "url": "https://docs.example"}]}
    chain = asked("WebSearch", noted={"results": [links, "A summary."]}, query="decimal")
    shown, _ = drawn(chain, tmp_path)
    assert "https://docs.example" in shown
    assert "A summary." in shown


def test_a_command_keeps_its_own_colours_and_hides_nothing(tmp_path: Path) -> None:
    chain = asked("Bash", "\x1b[31mred\x1b[0m \x1b[8mhidden\x1b[28m \x1b]0;title\x07", command="x")
    shown, _ = drawn(chain, tmp_path)
    assert "red hidden ^[]0;title^G" in shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<command-name>/cost</command-name>", "command  /cost"),
        ("<bash-input>ls</bash-input>", "shell command  ! ls"),
        ("<bash-stdout>a.py</bash-stdout>", "output"),
        ("<system-reminder>Be brief</system-reminder>", "reminder to the model"),
        ("<task-notification><status>done</status></task-notification>", "reports"),
        ("a <b>tag</b> in a prompt", "a <b>tag</b> in a prompt"),
    ],
)
def test_tags_are_shown_as_what_they_mean(text: str, words: str, tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt(text)
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    outline = Outline(transcript)
    outline.show_all()
    page = Page(lambda _: Style())
    write_page(outline.rows[0], "Rendered", Source(transcript), page)
    shown = "\n".join(s.text for s in strips_of(page.parts, Console(width=80), 78))
    assert words in shown


def test_a_file_that_changed_since_it_was_read_is_told(tmp_path: Path) -> None:
    chain = asked("Bash", command="make")
    transcript = load(str(chain.write(tmp_path / "s.jsonl")))
    node = Outline(transcript).rows[1]
    (tmp_path / "s.jsonl").write_text("")
    page = Page(lambda _: Style())
    write_page(node, "Rendered", Source(transcript), page)
    shown = "\n".join(s.text for s in strips_of(page.parts, Console(width=80), 78))
    assert "changed since it was read" in shown


@pytest.mark.parametrize(
    "chain",
    [
        asked("Bash", command="echo " + "word " * 60 + "end-of-it"),
        asked(
            "Edit", file_path="/a.py", old_string="x", new_string="y = " + "1 + " * 60 + "end-of-it"
        ),
        asked("Bash", "word " * 60 + "end-of-it", command="x"),
        asked("Unheard", how="word " * 30 + "end-of-it"),
    ],
)
def test_a_long_line_goes_on_below_itself(chain: Chain, tmp_path: Path) -> None:
    shown, _ = drawn(chain, tmp_path)
    assert "end-of-it" in shown
