"""Failed calls that later succeeded, and what they are called."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Chain, apply, session_of
from viewer.records import Record, Updated
from viewer.recovery import OTHER_TOOL, READ_FIRST, RETRY, SIMPLER, command_of
from viewer.session import Session

NOT_READ = "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"


def story(*steps: tuple[str, dict[str, Any], str | None]) -> Session:
    """Calls one after the other: tool, input, and the error where it failed."""
    chain = Chain()
    chain.prompt("go")
    for number, (name, input, error) in enumerate(steps):
        chain.call(f"c{number}", name, **input)
        chain.result(f"c{number}", error or "ok", error=error is not None)
    return session_of(chain)


def recovered(session: Session) -> dict[str, tuple[str, str, int]]:
    """The failed calls that were made good: by which, how, after how many tries."""
    found = {}
    for id, call in session.calls.items():
        if (recovery := session.recoveries.of(call)) is not None:
            found[id] = (recovery.by.id or "", recovery.pattern, recovery.tries)
    return found


FILE = {"file_path": "/a.py"}


def test_the_same_command_is_a_retry() -> None:
    session = story(
        ("Bash", {"command": "make"}, "Exit code 2"), ("Bash", {"command": "make"}, None)
    )
    assert recovered(session) == {"c0": ("c1", RETRY, 1)}
    assert [call.id for call in session.recoveries.by(session.calls["c1"])] == ["c0"]


def test_another_command_makes_nothing_good() -> None:
    session = story(("Bash", {"command": "make"}, "Exit code 2"), ("Bash", {"command": "ls"}, None))
    assert recovered(session) == {}


@pytest.mark.parametrize(
    "words",
    ["pytest -q", "cd /a && pytest -q", "cd /a; pytest -q 2>&1 | tail -5", "pytest  -q | head -3"],
)
def test_where_a_command_runs_and_what_cuts_its_output_do_not_matter(words: str) -> None:
    assert command_of(words) == "pytest -q"


def test_a_file_that_was_read_first_is_written_then() -> None:
    session = story(("Edit", FILE, NOT_READ), ("Read", FILE, None), ("Edit", FILE, None))
    assert recovered(session) == {"c0": ("c2", READ_FIRST, 1)}


def test_reading_alone_makes_no_write_good() -> None:
    assert recovered(story(("Edit", FILE, NOT_READ), ("Read", FILE, None))) == {}


def test_tools_that_ask_for_less_and_less_are_a_chain() -> None:
    timeout = "request timed out after 2m0s"
    session = story(("MultiEdit", FILE, timeout), ("Edit", FILE, timeout), ("Write", FILE, None))
    assert recovered(session) == {"c0": ("c2", SIMPLER, 2), "c1": ("c2", SIMPLER, 1)}


def test_an_mcp_tool_is_known_by_its_server_and_name_whatever_it_is_asked() -> None:
    name = "mcp__db__query"
    session = story((name, {"sql": "a"}, "no response"), (name, {"sql": "b"}, None))
    assert recovered(session) == {"c0": ("c1", RETRY, 1)}


@pytest.mark.parametrize(
    ("failed", "command", "good"),
    [
        (("WebFetch", {"url": "https://e.example/x"}), "curl -s https://e.example/x", True),
        (("Read", {"file_path": "/srv/a.py"}), "cat /srv/a.py", True),
        (("Edit", {"file_path": "/srv/a.py"}), "cat /srv/a.py", False),
        (("Edit", {"file_path": "/srv/a.py"}), "sed -i s/a/b/ /srv/a.py", True),
        (("Read", {"file_path": "/srv/a.py"}), "cat /srv/b.py", False),
    ],
)
def test_a_command_about_the_same_thing_is_another_tool(
    failed: tuple[str, dict[str, Any]], command: str, good: bool
) -> None:
    session = story((*failed, "ENOENT"), ("Bash", {"command": command}, None))
    assert recovered(session) == ({"c0": ("c1", OTHER_TOOL, 1)} if good else {})


def test_a_call_that_was_asked_for_before_is_no_recovery() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("early", "Edit", file_path="/a.py", message="m")
    chain.call("late", "Edit", file_path="/a.py", message="m")
    chain.result("late", NOT_READ, error=True)
    chain.result("early")
    assert recovered(session_of(chain)) == {}


def test_failing_again_and_again_is_a_streak_until_it_works() -> None:
    failing = ("Bash", {"command": "make"}, "Exit code 2")
    session = story(failing, failing, failing)
    (streak,) = session.recoveries.streaks
    assert [call.id for call in streak.calls] == ["c0", "c1", "c2"]
    session = story(failing, ("Bash", {"command": "make"}, None), failing)
    assert session.recoveries.streaks == []


@given(st.lists(st.tuples(st.sampled_from(["Edit", "Read", "Write"]), st.booleans()), max_size=8))
def test_in_batches_it_is_the_same_as_at_once(steps: list[tuple[str, bool]]) -> None:
    chain = Chain()
    chain.prompt("go")
    for number, (name, fails) in enumerate(steps):
        chain.call(f"c{number}", name, **FILE)
        chain.result(f"c{number}", NOT_READ if fails else "ok", error=fails)
    session = Session()
    for number, record in enumerate(chain.records, 1):
        apply(session, [record], number)
    assert recovered(session) == recovered(session_of(chain))


@pytest.mark.parametrize(
    "command", ["grep x /srv/a.py 2>/dev/null", 'rg "x->y" /srv/a.py', "cat /srv/a.pyi", "ls /srv"]
)
def test_a_command_that_does_not_write_a_file_makes_no_edit_good(command: str) -> None:
    session = story(
        ("Edit", {"file_path": "/srv/a.py"}, NOT_READ), ("Bash", {"command": command}, None)
    )
    assert recovered(session) == {}


def test_calls_whose_beginning_alone_is_known_are_about_nothing_certain() -> None:
    long = "make " + "x" * 200
    session = story(("Bash", {"command": long}, "Exit code 2"), ("Bash", {"command": long}, None))
    assert recovered(session) == {}


# A later record may know better


def corrected(*failed: bool) -> Session:
    """Three calls at one file, the second of which is told of again and again."""
    session = story(("Edit", FILE, NOT_READ), ("Edit", FILE, None), ("Edit", FILE, NOT_READ))
    for each in failed:
        record = Record("event")
        record.parts.append(Updated("c1", failed=each))
        session.apply([record])
    return session


def test_a_success_that_was_a_failure_after_all_made_nothing_good() -> None:
    assert recovered(corrected()) == {"c0": ("c1", RETRY, 1)}
    session = corrected(True)
    assert recovered(session) == {}
    assert [call.id for call in session.failures.values()] == ["c0", "c2", "c1"]


def test_a_failure_that_was_none_makes_good_what_failed_before() -> None:
    session = corrected(True, False)
    assert recovered(session) == {"c0": ("c1", RETRY, 1)}
    assert [call.id for call in session.failures.values()] == ["c0", "c2"]
    assert [call.id for call in session.recoveries.by(session.calls["c1"])] == ["c0"]


def test_what_is_told_twice_is_a_problem_once() -> None:
    assert [call.id for call in corrected(True, True, False, True).failures.values()] == [
        *("c0", "c2", "c1")
    ]
