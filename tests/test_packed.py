"""Transcripts that Codex has compressed open like any other."""

import io
import os
import resource
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from tests.build import Json, lines
from viewer import packed
from viewer.bodies import Source
from viewer.document import document
from viewer.ends import describe
from viewer.library import files_in
from viewer.load import Reading, Transcript, load, load_stream
from viewer.packed import Damaged, Inflow, Packed, beginning, unpack
from viewer.problems import find
from viewer.tail import READ_SIZE, open_regular

STAMP = "2026-03-01T10:00:00.000Z"


def records(count: int = 3) -> list[Json]:
    head: Json = {"id": "t", "cwd": "/home/demo/shop", "cli_version": "0.169.0"}
    found: list[Json] = [{"timestamp": STAMP, "type": "session_meta", "payload": head}]
    for number in range(count):
        # Hardly compressible, as text is.
        text = f"Do {number}: " + " ".join(f"{hash((number, n)):x}" for n in range(40))
        content = [{"type": "input_text", "text": text}]
        item = {"type": "message", "role": "user", "content": content}
        found.append({"timestamp": STAMP, "type": "response_item", "payload": item})
    return found


def plain_bytes(count: int = 3) -> bytes:
    return b"".join(line + b"\n" for line in lines(*records(count)))


def write(folder: Path, data: bytes, name: str = "rollout-a.jsonl.zst") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def zip_(data: bytes) -> bytes:
    return zstandard.compress(data, 3)


def unpacked(path: Path) -> bytes:
    fd = open_regular(path)
    return b"".join(unpack(fd))


def test_a_packed_session_says_what_the_plain_one_says(tmp_path: Path) -> None:
    plain = write(tmp_path, plain_bytes(), "rollout-a.jsonl")
    both = [document(load(str(path))) for path in (plain, write(tmp_path, zip_(plain_bytes())))]
    assert [each.pop("path") for each in both] == [str(plain), f"{plain}.zst"]
    assert both[0] == both[1]
    assert both[0]["title"].startswith("Do 0: ")


def test_its_details_are_read_again(tmp_path: Path) -> None:
    transcript = load(str(write(tmp_path, zip_(plain_bytes()))))
    session = transcript.session
    entry = next(entry for entry in session.rows[2].entries if entry.kind == "prompt")
    text = Source(transcript).text(entry, session)
    assert text.startswith("Do 1: ") and len(text) > 300


def test_several_frames_are_one_file(tmp_path: Path) -> None:
    data = plain_bytes()
    path = write(tmp_path, zip_(data[:100]) + zip_(data[100:]))
    assert unpacked(path) == data


def test_a_large_one_comes_in_pieces(tmp_path: Path) -> None:
    data = plain_bytes(3000)
    path = write(tmp_path, zip_(data))
    pieces = list(unpack(open_regular(path)))
    assert len(pieces) > 2
    assert b"".join(pieces) == data
    assert load(str(path)).session.counts.total == 3001


def test_it_is_read_once_and_again_where_it_was_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, zip_(plain_bytes(1)))
    reading = Reading(str(path))
    assert len(list(reading.steps())) > 0
    assert list(reading.steps()) == []
    path.unlink()
    write(tmp_path, zip_(plain_bytes(5)))
    list(reading.steps())
    assert reading.transcript.session.counts.total == 6


def test_one_that_was_cut_off_gives_what_is_there_and_says_so(tmp_path: Path) -> None:
    data = plain_bytes(3000)
    whole = zip_(data)
    path = write(tmp_path, whole[: len(whole) // 2])
    tail = Packed(str(path))
    found = b"".join(line + b"\n" for chunk in tail.read() for line in chunk.lines)
    assert len(found) > 1000 and data.startswith(found)
    assert tail.take_problem() == "it cannot be unpacked: it ends too early"
    assert tail.take_problem() is None
    assert load(str(path)).session.counts.total > 100


def test_one_that_is_broken_in_the_middle_gives_what_stands_before(tmp_path: Path) -> None:
    whole = bytearray(zip_(plain_bytes(3000)))
    middle = len(whole) // 2
    whole[middle : middle + 2000] = bytes(2000)
    path = write(tmp_path, bytes(whole))
    tail = Packed(str(path))
    assert sum(len(chunk.lines) for chunk in tail.read()) > 100
    assert tail.problem is not None and tail.problem.startswith("it cannot be unpacked: ")


@pytest.mark.parametrize("data", [b"", b"{}\n", b"\x28\xb5\x2f\xfd", bytes(5000)])
def test_one_that_holds_nothing_cannot_be_read(data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    with pytest.raises(OSError, match="cannot be unpacked"):
        load(str(path))


def test_the_list_says_why_one_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, b"no zstd")
    [file] = files_in(str(tmp_path), str(tmp_path), set())
    assert describe(file)
    assert file.problem is not None and file.problem.startswith("it cannot be unpacked: ")


def test_the_list_describes_one_that_is_broken_further_down(tmp_path: Path) -> None:
    whole = zip_(plain_bytes(3000))
    write(tmp_path, whole[: len(whole) // 2])
    [file] = files_in(str(tmp_path), str(tmp_path), set())
    assert describe(file)
    assert (file.cwd, file.agent, file.problem) == ("/home/demo/shop", "codex", None)
    assert file.title is not None and file.title.startswith("Do 0: ")


def test_the_beginning_is_read_without_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path, zip_(plain_bytes(3000)))
    assert beginning(open_regular(path), 50) == plain_bytes()[:50]
    with pytest.raises(Damaged):
        beginning(open_regular(write(tmp_path, b"no zstd")), 50)


# A small file can hold endless ones


def test_a_bomb_is_unpacked_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "rollout-b.jsonl.zst"
    with path.open("wb") as file, zstandard.ZstdCompressor(3).stream_writer(file) as bomb:
        for _ in range(400):
            bomb.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 17
    tracemalloc.start()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fd = open_regular(path)
    assert max(map(len, unpack(fd))) <= READ_SIZE
    assert tracemalloc.get_traced_memory()[1] < 150 << 20
    tracemalloc.stop()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10  # in kB


def test_of_a_bomb_only_the_beginning_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_AT_LEAST", 1 << 20)
    path = write(tmp_path, zip_(plain_bytes() + b"{}\n" * 2_000_000))
    tail = Packed(str(path))
    assert sum(len(chunk.lines) for chunk in tail.read()) < 500_000
    assert tail.problem == "it holds too much: only the first 1 MB were read"


def test_of_an_endless_line_only_the_beginning_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_LONGEST", 1 << 20)
    path = write(tmp_path, zip_(plain_bytes() + b"x" * (20 << 20)))
    tail = Packed(str(path))
    assert sum(len(chunk.lines) for chunk in tail.read()) == 4
    assert tail.problem is not None and "it holds too much" in tail.problem
    assert tail.offset < 3 << 20


def test_what_is_cut_off_in_the_middle_is_a_problem_of_the_session(tmp_path: Path) -> None:
    whole = zip_(plain_bytes(3000))
    path = write(tmp_path, whole[: len(whole) // 2])
    assert [problem.kind for problem in find(load(str(path)))] == ["damaged"]


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"\x28\xb5\x2f\xfd"])
def test_a_reader_shows_why_nothing_can_be_read(data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    reading = Reading(str(path))
    list(reading.steps())
    [problem] = find(reading.transcript)
    assert (problem.kind, problem.line) == ("damaged", 1)
    assert problem.message.startswith("it cannot be unpacked: ")
    assert list(reading.steps()) == []
    path.unlink()
    write(tmp_path, zip_(plain_bytes(2)))
    list(reading.steps())
    assert find(reading.transcript) == []
    assert reading.transcript.session.counts.total == 3


# Through a pipe


def through_a_pipe(data: bytes, piece: int) -> Transcript:
    read_end, write_end = os.pipe()
    reading = Reading.of_pipe(read_end)
    for at in range(0, len(data), piece):
        os.write(write_end, data[at : at + piece])
        list(reading.steps())
    os.close(write_end)
    list(reading.steps())
    os.close(read_end)
    return reading.transcript


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_what_is_packed_is_unpacked_from_a_pipe(piece: int) -> None:
    transcript = through_a_pipe(zip_(plain_bytes()), piece)
    assert transcript.session.counts.total == 4
    assert find(transcript) == []
    row = transcript.session.rows[1]
    entry = next(entry for entry in row.entries if entry.kind == "prompt")
    assert Source(transcript).text(entry, transcript.session).startswith("Do 0: ")
    stream = load_stream(io.BytesIO(zip_(plain_bytes())))
    assert stream.session.counts.total == 4 and find(stream) == []


def test_what_is_cut_off_in_a_pipe_says_so_once() -> None:
    data = zip_(plain_bytes(300))[:-2000]
    for transcript in (through_a_pipe(data, 5000), load_stream(io.BytesIO(data))):
        [problem] = find(transcript)
        assert problem.message == "it cannot be unpacked: it ends too early"


def test_of_a_bomb_in_a_pipe_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_AT_LEAST", 1 << 20)
    transcript = load_stream(io.BytesIO(zip_(plain_bytes() + b"{}\n" * 2_000_000)))
    [problem] = find(transcript)
    assert problem.message == "it holds too much: only the first 1 MB were read"
    assert transcript.session.counts.total < 500_000


def test_what_only_begins_a_little_like_a_packed_file_is_read_as_it_is() -> None:
    assert b"".join(Inflow().feed(b"")) == b""
    inflow = Inflow()
    pieces = (b"\x28", b"\xb5", b"x", b"", b"")
    assert b"".join(each for data in pieces for each in inflow.feed(data)) == b"\x28\xb5x"
