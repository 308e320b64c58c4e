"""The command that goes on with a session: only ids that are plain words get into it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.resume import resume_argv


def test_a_session_is_resumed_by_its_id() -> None:
    id = "0a1b2c3d-1111-4222-8333-444455556666"
    assert resume_argv(id) == ["claude", "--resume", id]


@pytest.mark.parametrize(
    "id",
    [
        *(None, "", "-p", "--dangerously-skip-permissions", ".hidden", "../other", "a/b", "a b"),
        *("a;b", "$(b)", "`b`", "a\n", "\x1b[31m", "é", "a\u202eb", "a" * 129),
    ],
)
def test_an_id_that_is_no_plain_word_is_not_trusted(id: str | None) -> None:
    assert resume_argv(id) is None


@given(st.text() | st.from_regex(r"[-.\w/ ;$]{1,12}"))
def test_whatever_a_file_says_no_id_is_an_option_a_path_or_a_script(id: str) -> None:
    match resume_argv(id):
        case None:
            pass
        case [*_, last]:
            assert last == id
            assert re.fullmatch(r"(?a:\w)[\w.-]*", last, re.ASCII)
