"""Every key of the reader, pressed in a real terminal."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.build import Chain
from tests.terminal import Terminal
from tests.ui.story import write_story
from viewer.ui.keys import KEYS

PROGRAM = str(Path(sys.executable).parent / "claude-view")
Open = Callable[..., Terminal]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the story; the terminal is closed when the test is over."""
    terminals: list[Terminal] = []
    path = write_story(tmp_path)

    def open_(*arguments: str, columns: int = 120, rows: int = 34, **env: str) -> Terminal:
        command = [PROGRAM, str(path), *arguments]
        terminal = Terminal(command, columns, rows, env={"HOME": str(tmp_path), **env})
        terminals.append(terminal)
        terminal.__enter__()
        assert terminal.expect("fix the rounding bug", 30) is not None, terminal.text()
        assert terminal.until(lambda screen: "missing 1" in screen, 10) is not None
        terminal.settle(0.05)  # the lines below may still be on their way
        return terminal

    yield open_
    for terminal in terminals:
        terminal.close()


def cursor(terminal: Terminal) -> str:
    """The row under the cursor."""
    found = [line for line in terminal.text().split("\n") if "▌" in line]
    return found[0].partition("▌")[2].partition("┃")[0].strip() if found else ""


def press(terminal: Terminal, keys: str, wanted: str) -> None:
    """Press keys until the row under the cursor says something."""
    for key in keys.split():
        terminal.send(key)
    reached = terminal.until(lambda _: wanted in cursor(terminal), 10)
    assert reached is not None, f"{keys!r} led to {cursor(terminal)!r}, not {wanted!r}"


def sees(terminal: Terminal, keys: str, wanted: str) -> None:
    for key in keys.split():
        terminal.send(key)
    assert terminal.expect(wanted, 10) is not None, f"{keys!r}: no {wanted!r} in\n{terminal.text()}"


def lacks(terminal: Terminal, keys: str, unwanted: str) -> None:
    for key in keys.split():
        terminal.send(key)
    gone = terminal.until(lambda screen: unwanted not in screen, 10)
    assert gone is not None, f"{keys!r}: still {unwanted!r} in\n{terminal.text()}"


def test_the_files_that_it_touched(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "t", "1 file")
    sees(terminal, "", "cart.py")
    press(terminal, "enter", "cart.py")


def test_the_summary_leads_to_what_its_lines_are_about(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "S", "killed or cut off")
    sees(terminal, "l }", "✗1")
    press(terminal, "enter", "pytest -q")
    sees(terminal, "S", "missing ∅")
    lacks(terminal, "S", "missing ∅")


def test_from_a_failure_to_what_made_it_good_and_back(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("build it")
    chain.call("bad", command="make all")
    chain.result("bad", "Exit code 2", error=True)
    chain.reply("Once more.")
    chain.call("good", command="make all")
    chain.result("good")
    path = chain.write(tmp_path / "s.jsonl")
    os.utime(path, (1_790_000_000, 1_790_000_000))
    with Terminal([PROGRAM, str(path)], 120, 30, env={"HOME": str(tmp_path)}) as terminal:
        assert terminal.expect("fixed", 30) is not None
        press(terminal, "e", "exit 2")
        assert terminal.expect("recovered by Bash", 10) is not None
        press(terminal, "R", "make all")
        assert terminal.expect("made good", 10) is not None
        press(terminal, "R", "exit 2")


def test_moving(opened: Open) -> None:
    terminal = opened()
    press(terminal, "j", "I look at")
    press(terminal, "down", "pytest -q")
    press(terminal, "k", "I look at")
    press(terminal, "up", "fix the rounding")
    press(terminal, "G", "WebFetch")
    press(terminal, "g", "fix the rounding")
    press(terminal, "end", "WebFetch")
    press(terminal, "home", "fix the rounding")
    press(terminal, "pagedown", "WebFetch")
    press(terminal, "pageup", "fix the rounding")
    press(terminal, "ctrl+d", "WebFetch")
    press(terminal, "ctrl+u", "fix the rounding")


def test_following_is_left_and_taken_up_again(opened: Open) -> None:
    terminal = opened()
    press(terminal, "F", "WebFetch")
    press(terminal, "k", "needle in the reply")
    sees(terminal, "f", "no newer session has started here")


def test_folding(opened: Open) -> None:
    terminal = opened()
    press(terminal, "j j", "▾ ‣ Bash")
    press(terminal, "h", "▸ ‣ Bash")
    press(terminal, "l", "▾ ‣ Bash")
    press(terminal, "l", "guard.sh")
    press(terminal, "left", "▾ ‣ Bash")
    press(terminal, "space", "▸ ‣ Bash")
    press(terminal, "right", "▾ ‣ Bash")
    press(terminal, "h h", "fix the rounding")
    lacks(terminal, "space", "pytest -q")


def test_jumping(opened: Open) -> None:
    terminal = opened()
    press(terminal, "}", "now the sub-agent")
    press(terminal, "{", "fix the rounding")
    press(terminal, "e", "Bash")
    press(terminal, "e", "lint.sh")
    press(terminal, "e", "WebFetch")
    press(terminal, "E", "lint.sh")
    press(terminal, "w", "WebFetch")
    press(terminal, "g W", "WebFetch")
    press(terminal, "g b", "rewound here")
    press(terminal, "} j", "Agent")
    press(terminal, "s", "look for callers")
    press(terminal, "j", "Grep")
    press(terminal, "p", "look for callers")


def test_a_line_by_its_number(opened: Open) -> None:
    terminal = opened()
    sees(terminal, ":", "Search for commands")
    terminal.send("7")
    assert terminal.expect("Go to line 7", 10) is not None
    press(terminal, "enter", "Edit")


def test_what_is_typed_at_once_is_sought(opened: Open) -> None:
    terminal = opened()
    terminal.send("g", "j", "/", *"[bold]x[/]", "enter")
    sought = "“[bold]x[/]” 1 of 1"
    assert terminal.until(lambda screen: sought in screen and ": commands" in screen, 10)
    assert terminal.until(lambda _: "needle in the reply" in cursor(terminal), 10)


def test_finding_unfolds_what_hides_a_hit_and_escape_leaves_all_as_it_was(opened: Open) -> None:
    terminal = opened()
    press(terminal, "j", "I look at")
    before = terminal.text().split("\n")[3:20]
    terminal.send("/")
    assert terminal.until(lambda screen: ": commands" not in screen, 10) is not None
    sees(terminal, "needle", "1 of 2")
    sees(terminal, "enter", ": commands")
    press(terminal, "n", "needle in the reply")
    press(terminal, "n", "Grep")
    press(terminal, "N", "needle in the reply")
    lacks(terminal, "&", "pytest -q")
    sees(terminal, "escape", "pytest -q")
    terminal.send("g", "j", "/")
    assert terminal.until(lambda screen: ": commands" not in screen, 10) is not None
    sees(terminal, "[bold]x[/]", "1 of 1")
    terminal.send("escape")
    assert terminal.until(lambda _: "I look at" in cursor(terminal), 10) is not None
    terminal.settle()
    after = terminal.text().split("\n")[3:20]
    assert [line[1:40] for line in before[:3]] == [line[1:40] for line in after[:3]]


def outline(screen: str) -> str:
    """The left pane."""
    return "\n".join(line[:58] for line in screen.split("\n")[3:])


@pytest.mark.parametrize(
    ("key", "hidden"),
    [("1", "fix the rounding"), ("2", "I look at"), ("4", "pytest -q"), ("5", "guard.sh"),
     ("6", "rewound here")],
)  # fmt: skip
def test_a_chip_hides_its_category_and_shows_it_again(opened: Open, key: str, hidden: str) -> None:
    terminal = opened()
    terminal.send(key)
    assert terminal.until(lambda screen: hidden not in outline(screen), 10) is not None
    terminal.send(key)
    assert terminal.until(lambda screen: hidden in outline(screen), 10) is not None


def test_a_chip_counts_what_it_hides(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "4", "4 tools −")
    lacks(terminal, "0", "4 tools −")
    sees(terminal, "3", "3 thinking −")


def test_panes_tabs_and_zoom(opened: Open) -> None:
    terminal = opened()
    press(terminal, "j j", "Bash")
    sees(terminal, "", "COMMAND_FAILED")
    sees(terminal, "tab", "esc back")
    sees(terminal, "]", '"command": "pytest')
    sees(terminal, "] ]", "line 3 · assistant")
    sees(terminal, "[ [ [", "what helps")
    lacks(terminal, "z", "Outline")
    sees(terminal, "z", "Outline")
    sees(terminal, "escape", "/ find")
    sees(terminal, "enter", "esc back")


def test_times(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "T", "times: clock")
    sees(terminal, "T", "times: elapsed")
    sees(terminal, "T", "times: delta")


def test_copying_says_what_was_copied(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "y", "copied the text, 20 B")
    assert b"\x1b]52;c;Zml4IHRoZSByb3VuZGluZyBidWc=\x07" in terminal.raw
    sees(terminal, "Y", "copied line 1")
    sees(terminal, "r", "copied: claude --resume 5e551011-0000-4000-8000-000000000001")


def test_the_pager_gets_all_of_it_and_the_editor_the_file(opened: Open, tmp_path: Path) -> None:
    pager, editor = tmp_path / "pager.sh", tmp_path / "editor.sh"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/paged\n")
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/edited\n')
    for script in (pager, editor):
        script.chmod(0o755)
    terminal = opened(PAGER=str(pager), EDITOR=str(editor))
    press(terminal, "j j", "Bash")
    terminal.send("o")
    paged, edited = tmp_path / "paged", tmp_path / "edited"
    assert terminal.until(lambda _: paged.exists() and "line 399" in paged.read_text(), 10)
    assert terminal.expect("fix the rounding bug", 10) is not None
    terminal.send("O")
    assert terminal.until(lambda _: edited.exists() and "+3 " in edited.read_text(), 10)


def test_problems_help_and_palette(opened: Open) -> None:
    terminal = opened()
    sees(terminal, "!", "3 problems: 1 failed call")
    press(terminal, "j enter", "lint.sh")
    sees(terminal, "?", "Half a page up")
    lacks(terminal, "escape", "Half a page up")
    sees(terminal, "ctrl+p", "Search for commands")
    terminal.send("next branch")
    assert terminal.expect("key b", 10) is not None
    press(terminal, "enter", "rewound here")


def test_every_key_of_the_table_is_pressed_above() -> None:
    source = Path(__file__).read_text()
    named = {"slash": "/", "ampersand": "&", "left_curly_bracket": "{", "question_mark": "?",
             "right_curly_bracket": "}", "exclamation_mark": "!", "colon": ":",
             "left_square_bracket": "[", "right_square_bracket": "]"}  # fmt: skip
    pressed = set(re.findall(r'"([^"\s]{1,9})"', source))
    for words in re.findall(r'terminal, "([^"]*)"', source):
        pressed |= set(words.split())
    missing = [
        binding.description
        for binding in KEYS
        if not {named.get(key, key) for key in binding.key.split(",")} & pressed
    ]
    assert missing == []


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (80, 24), (99, 30), (200, 60)])
def test_any_size_shows_rows_and_a_detail(opened: Open, columns: int, rows: int) -> None:
    terminal = opened(columns=columns, rows=rows)
    press(terminal, "j", "I look at")
    sees(terminal, "j enter", "result  ✗")
    sees(terminal, "G", "result in line 6")
    # An escape and a key right behind it would be one key.
    terminal.send("escape")
    terminal.settle(0.3)
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_resizing_keeps_the_row(opened: Open) -> None:
    terminal = opened()
    press(terminal, "j j j", "guard.sh")
    for size in ((80, 24), (40, 10), (160, 50), (120, 34)):
        terminal.resize(*size)
        assert terminal.until(lambda _: "guard.sh" in cursor(terminal), 10) is not None, size


def test_ascii_writes_no_glyphs(opened: Open) -> None:
    terminal = opened("--ascii")
    terminal.send("j", "j")
    assert terminal.expect("COMMAND_FAILED", 10) is not None
    terminal.settle()
    assert [character for character in terminal.text() if ord(character) > 126] == []


def test_clicks_choose_rows_fold_switch_tabs_and_chips(opened: Open) -> None:
    terminal = opened()
    lines = terminal.text().split("\n")
    row = next(number for number, line in enumerate(lines) if "pytest -q" in line)
    terminal.click(20, row)
    assert terminal.until(lambda _: "Bash" in cursor(terminal), 10) is not None
    terminal.click(3, row)
    assert terminal.until(lambda _: "▸ ‣ Bash" in cursor(terminal), 10) is not None
    tabs = next(number for number, line in enumerate(lines) if "Rendered   Input" in line)
    terminal.click(lines[tabs].index("Input") + 1, tabs)
    assert terminal.expect('"command": "pytest', 10) is not None
    terminal.click(lines[1].index("4 tools") + 2, 1)
    assert terminal.expect("4 tools −", 10) is not None


@pytest.mark.parametrize(("number", "code"), [(15, 143), (1, 129), (3, 131)])
def test_the_terminal_is_given_back_on_signals(opened: Open, number: int, code: int) -> None:
    terminal = opened()
    os.kill(terminal.pid, number)
    assert terminal.wait_exit() == code
    assert terminal.raw.rstrip().rfind(b"\x1b[?1049l") > terminal.raw.rfind(b"\x1b[?1049h")


def test_it_ends_when_its_terminal_is_closed(opened: Open) -> None:
    terminal = opened()
    # The terminal is closed once nobody reads from it: what is drawn ends the reading of it.
    terminal.send("j")
    os.close(terminal.fd)
    assert terminal.wait_exit(10) in (129, -1)


def test_ctrl_c_and_q_end_with_0(opened: Open) -> None:
    for key in ("q", "ctrl+c"):
        terminal = opened()
        terminal.send(key)
        assert terminal.wait_exit() == 0, key


@pytest.mark.parametrize("theme", ["textual-light", "nord"])
def test_themes_can_be_named(opened: Open, theme: str) -> None:
    terminal = opened("--theme", theme)
    terminal.send("q")
    assert terminal.wait_exit() == 0


def test_without_colour_it_can_be_read(opened: Open) -> None:
    terminal = opened(NO_COLOR="1")
    sees(terminal, "j j", "✗ exit 1")
