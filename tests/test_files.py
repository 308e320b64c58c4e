"""The files that a session touches, counted once for each call."""

from tests.build import Chain, session_of
from viewer.load import Transcript
from viewer.records import Record, Touch, Updated
from viewer.session import Session
from viewer.touched import current, of_transcript


def uses(session: Session) -> dict[str, tuple[int, int, int, int]]:
    found = of_transcript(Transcript("s.jsonl", session))
    return {use.path: (use.reads, use.changes, use.added, use.removed) for use in found}


def told(session: Session, call: str, *touches: Touch) -> None:
    record = Record("event")
    record.parts.append(Updated(call, touches=touches))
    session.apply([record])


def test_reads_and_changes_of_each_file_are_counted_the_last_one_first() -> None:
    chain = Chain()
    chain.prompt("go")
    for id, name, path in (("a", "Read", "/x"), ("b", "Edit", "/x"), ("c", "Read", "/y")):
        chain.call(id, name, file_path=path, old_string="1", new_string="2\n3")
        chain.result(id)
    session = session_of(chain)
    assert uses(session) == {"/y": (1, 0, 0, 0), "/x": (1, 1, 2, 1)}
    assert list(uses(session)) == ["/y", "/x"]
    use = current(Transcript("s.jsonl", session))
    assert use is not None and use.path == "/y"


def test_several_records_of_a_call_count_once() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", "Edit", file_path="/x")
    chain.call("b", "Read", file_path="/x")
    session = session_of(chain)
    for call in ("a", "b", "a", "b"):
        told(session, call, Touch("/x", call == "a"), Touch("/y", True))
    assert uses(session) == {"/x": (1, 1, 0, 0), "/y": (0, 2, 0, 0)}


def test_a_look_that_was_more_than_a_look_is_a_change() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", "Read", file_path="/x")
    session = session_of(chain)
    told(session, "a", Touch("/x", True))
    told(session, "a", Touch("/x", True))
    assert uses(session) == {"/x": (0, 1, 0, 0)}


def test_what_is_told_after_the_result_is_known_already() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", "Edit", file_path="/x")
    chain.result("a")
    session = session_of(chain)
    told(session, "a", Touch("/x", True))
    assert uses(session) == {"/x": (0, 1, 0, 0)}


def test_the_line_that_was_looked_at_last_is_kept() -> None:
    chain = Chain()
    chain.prompt("go")
    chain.call("a", "Read", file_path="/x", offset=40)
    (use,) = of_transcript(Transcript("s.jsonl", session_of(chain)))
    assert (use.last.line, use.last.row.line) == (40, 2)
