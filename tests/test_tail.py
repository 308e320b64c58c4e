"""Lines out of bytes: however they are cut, and whatever the writer does to the file."""

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.acceptance.shared import SHARED, module
from viewer.tail import READ_SIZE, Chunk, NotRegular, Splitter, Tail, open_regular, read_head

_MODEL = SHARED / "hostile" / "tail_model.py"

Line = tuple[int, int, bytes]  # its number, where it begins, its bytes

any_bytes = st.lists(
    st.one_of(
        st.binary(max_size=6), st.sampled_from([b"\n", b"\r\n", b"\0", b"\n\n", "宽".encode()])
    )
).map(b"".join)


def plain_split(data: bytes) -> list[Line]:
    lines, start = [], 0
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        lines.append((number, start, line))
        start += len(line) + 1
    return lines


def lines_of(chunks: list[Chunk]) -> list[Line]:
    lines = []
    for chunk in chunks:
        start = chunk.start
        for number, line in enumerate(chunk.lines, chunk.number):
            lines.append((number, start, line))
            start += len(line) + 1
    return lines


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def feed(splitter: Splitter, pieces: list[bytes]) -> list[Chunk]:
    return [chunk for piece in pieces if (chunk := splitter.feed(piece))]


# Splitter


@given(any_bytes, st.lists(st.integers(0, 10**6), max_size=8))
@settings(max_examples=150)
def test_any_cut_of_any_bytes_gives_the_same_lines(data: bytes, cuts: list[int]) -> None:
    splitter = Splitter()
    found = lines_of(feed(splitter, pieces_of(data, cuts)))
    assert found == plain_split(data)
    assert splitter.rest == data.rpartition(b"\n")[2]
    assert splitter.offset == len(data)


@given(any_bytes, any_bytes, st.lists(st.integers(0, 10**6), max_size=4))
def test_a_rest_taken_early_loses_and_moves_nothing(
    before: bytes, after: bytes, cuts: list[int]
) -> None:
    splitter = Splitter()
    chunks = feed(splitter, pieces_of(before, cuts))
    rest = splitter.take_rest()
    chunks += [rest] if rest else []
    chunks += feed(splitter, pieces_of(after, cuts))
    data = before + after
    for _, start, line in lines_of(chunks):
        assert data[start : start + len(line)] == line
    complete = {line for line in plain_split(data) if line[1] + len(line[2]) < len(before)}
    later = {line for line in plain_split(data) if line[1] > len(before)}
    assert complete | later <= set(lines_of(chunks))


def test_only_newlines_end_lines() -> None:
    data = "a\u2028b\x85c\x0bd\x0ce\rf\n".encode()
    chunk = Splitter().feed(data)
    assert chunk and chunk.lines == [data[:-1]]


def test_the_newline_of_a_line_that_was_taken_adds_nothing() -> None:
    splitter = Splitter()
    splitter.feed(b"one\ntwo")
    taken = splitter.take_rest()
    assert taken and (taken.number, taken.start, taken.lines) == (2, 4, [b"two"])
    chunk = splitter.feed(b"\nthree\n")
    assert chunk and (chunk.number, chunk.start, chunk.lines) == (3, 8, [b"three"])


def test_there_is_no_rest_after_a_complete_line() -> None:
    splitter = Splitter()
    splitter.feed(b"one\n")
    assert splitter.take_rest() is None


def test_lines_behind_a_hole_keep_their_offsets() -> None:
    hole = bytes(10_000)
    data = hole + b'{"a":1}\n{"b":2}\n'
    found = lines_of(feed(Splitter(), [hole, data[len(hole) :]]))
    assert (2, data.index(b'{"b"'), b'{"b":2}') in found


def test_a_hole_is_held_in_little_memory() -> None:
    splitter = Splitter()
    for _ in range(100):
        splitter.feed(bytes(100_000))
    assert len(splitter.rest) < 1_000
    assert splitter.offset == 10_000_000


# Tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def read(tail: Tail) -> list[bytes]:
    return [line for chunk in tail.read() for line in chunk.lines]


def resets(tail: Tail) -> list[bool]:
    return [chunk.reset for chunk in tail.read()]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def rewrite(path: Path, data: bytes) -> None:
    """Change a file in place, at a later time: the clock of a file system may stand still."""
    before = path.stat().st_mtime_ns
    with path.open("r+b") as file:
        file.truncate()
        file.write(data)
        file.truncate()
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_appended_lines_come_once(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    assert read(tail) == [b"one"]
    assert read(tail) == []
    append(path, b"two\nthree\n")
    assert read(tail) == [b"two", b"three"]
    assert read(tail) == []


def test_only_the_first_chunk_starts_afresh(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    assert resets(tail) == [True]
    append(path, b"two\n")
    assert resets(tail) == [False]


def test_line_numbers_and_offsets_go_on_across_reads(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    first = list(tail.read())
    append(path, b"two\n\nfour\n")
    assert lines_of(first + list(tail.read())) == plain_split(path.read_bytes())


def test_an_unfinished_line_waits(path: Path) -> None:
    path.write_bytes(b'one\n{"half":')
    tail = Tail(path)
    assert read(tail) == [b"one"]
    assert tail.rest == b'{"half":'
    append(path, b"1")
    assert read(tail) == []
    append(path, b"}\n")
    assert read(tail) == [b'{"half":1}']
    assert tail.rest == b""


def test_a_rest_that_was_taken_does_not_come_again(path: Path) -> None:
    path.write_bytes(b"one\ntwo")
    tail = Tail(path)
    assert read(tail) == [b"one"]
    rest = tail.take_rest()
    assert rest and rest.lines == [b"two"] and rest.number == 2
    append(path, b"\n")
    assert read(tail) == []
    append(path, b"three\n")
    assert lines_of(list(tail.read())) == [(3, 8, b"three")]


def test_the_rest_of_a_file_without_newline_starts_it_afresh(path: Path) -> None:
    path.write_bytes(b"only")
    tail = Tail(path)
    assert read(tail) == []
    rest = tail.take_rest()
    assert rest and rest.reset


def test_a_file_larger_than_one_read_comes_whole(path: Path) -> None:
    data = b"".join(b"%d %s\n" % (number, b"x" * 700) for number in range(1_000))
    assert len(data) > 2 * READ_SIZE
    path.write_bytes(data)
    assert lines_of(list(Tail(path).read())) == plain_split(data)


def test_a_hole_in_a_file_moves_no_line(path: Path) -> None:
    data = b"one\n" + bytes(READ_SIZE + 10_000) + b"two\nthree\n"
    path.write_bytes(data)
    for _, start, line in lines_of(list(Tail(path).read())):
        if line in (b"one", b"three"):
            assert data[start : start + len(line)] == line


def test_a_truncated_file_starts_afresh(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    read(tail)
    rewrite(path, b"new\n")
    chunks = list(tail.read())
    assert [(chunk.reset, chunk.number, chunk.start) for chunk in chunks] == [(True, 1, 0)]
    assert chunks[0].lines == [b"new"]


def test_an_emptied_file_forgets_its_unfinished_line(path: Path) -> None:
    path.write_bytes(b"one\nha")
    tail = Tail(path)
    read(tail)
    rewrite(path, b"")
    assert read(tail) == []
    append(path, b"new\n")
    assert read(tail) == [b"new"]


@pytest.mark.parametrize(
    "data",
    [b"ONE\ntwo\n", b"one\nTWO\n", b"ONE\ntwo\nthree\n", b"one\nTWO\nthree\n"],
    ids=["its head", "its end", "its head and longer", "its end and longer"],
)
def test_a_file_rewritten_in_place_starts_afresh(path: Path, data: bytes) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    read(tail)
    rewrite(path, data)
    chunks = list(tail.read())
    assert chunks[0].reset
    assert [line for chunk in chunks for line in chunk.lines] == data.splitlines()


def test_a_touched_file_says_nothing_new(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    read(tail)
    rewrite(path, b"one\ntwo\n")
    assert read(tail) == []


def test_a_file_replaced_by_rename_gives_its_last_lines_first(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    read(tail)
    append(path, b"last of the old\n")
    new = path.with_name("new")
    new.write_bytes(b"first of the new\n")
    os.replace(new, path)
    chunks = list(tail.read())
    assert [(chunk.reset, chunk.lines) for chunk in chunks] == [
        (False, [b"last of the old"]),
        (True, [b"first of the new"]),
    ]
    assert (chunks[1].number, chunks[1].start) == (1, 0)


def test_a_deleted_file_is_gone_until_it_returns(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    read(tail)
    path.unlink()
    assert read(tail) == []
    assert tail.gone
    assert read(tail) == []
    path.write_bytes(b"back\n")
    chunks = list(tail.read())
    assert [(chunk.reset, chunk.lines) for chunk in chunks] == [(True, [b"back"])]
    assert not tail.gone


def test_a_file_that_is_not_there_yet_is_waited_for(path: Path) -> None:
    tail = Tail(path)
    assert read(tail) == []
    assert tail.gone
    path.write_bytes(b"one\n")
    assert read(tail) == [b"one"]


def test_a_closed_tail_goes_on_where_it_was(path: Path) -> None:
    tail = Tail(path)
    path.write_bytes(b"a\nb")
    assert [chunk.lines for chunk in tail.read()] == [[b"a"]]
    tail.close()
    assert list(tail.read()) == []
    assert tail.fd is None  # nothing to open it for
    with path.open("ab") as stream:
        stream.write(b"b\nc\n")
    [chunk] = tail.read()
    assert (chunk.lines, chunk.reset) == ([b"bb", b"c"], False)


def test_a_closed_tail_sees_that_its_file_was_replaced_or_cut(path: Path) -> None:
    tail = Tail(path)
    path.write_bytes(b"aaaa\nbbbb\n")
    list(tail.read())
    tail.close()
    path.write_bytes(b"cccc\n")
    [chunk] = tail.read()
    assert (chunk.lines, chunk.reset) == ([b"cccc"], True)
    tail.close()
    path.unlink()
    assert list(tail.read()) == [] and tail.gone
    path.write_bytes(b"dddd\n")
    [chunk] = tail.read()
    assert (chunk.lines, chunk.reset) == ([b"dddd"], True)


def test_a_file_that_moves_is_followed_under_its_new_name(path: Path) -> None:
    tail = Tail(path)
    path.write_bytes(b"a\n")
    list(tail.read())
    moved = path.with_name("moved")
    path.rename(moved)
    assert list(tail.read()) == [] and tail.gone
    tail.path = str(moved)
    with moved.open("ab") as stream:
        stream.write(b"b\n")
    [chunk] = tail.read()
    assert (chunk.lines, chunk.reset, tail.gone) == ([b"b"], False, False)


def test_a_closed_tail_can_be_closed_again(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    read(tail)
    tail.close()
    tail.close()
    assert tail.fd is None


# What is no regular file


def make_directory(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_directory, make_pipe, link_to_device])
def test_what_is_no_regular_file_is_refused_at_once(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(path)
    with pytest.raises(NotRegular):
        read(Tail(path))
    with pytest.raises(NotRegular):
        open_regular(path)
    assert read_head(str(path)) == b""


def test_a_file_replaced_by_a_pipe_is_refused(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    read(tail)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(NotRegular):
        read(tail)
    assert tail.fd is None


def test_the_head_of_a_file_is_its_first_bytes(path: Path) -> None:
    assert read_head(str(path)) == b""
    path.write_bytes(b"0123456789")
    assert read_head(str(path), 4) == b"0123"


# The model: random writers against a tail that is known to be right


class Ours:
    """Our Tail, as the model wants to drive it."""

    def __init__(self) -> None:
        self._tail: Tail | None = None

    @property
    def fd(self) -> int | None:
        return self._tail.fd if self._tail else None

    def poll(self, path: str) -> list[bytes]:
        self._tail = self._tail or Tail(path)
        return read(self._tail)


@pytest.mark.skipif(not _MODEL.exists(), reason="needs the shared material beside the checkout")
def test_random_writers_lose_and_double_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAILDIR", str(tmp_path))
    model = module(_MODEL)
    assert [seed for seed in range(200) if not model.run(Ours, seed)[0]] == []
