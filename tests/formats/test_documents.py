"""Files that are one JSON document: which they are, where their elements stand, what is missing."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.bodies import Source
from viewer.formats import Decoder
from viewer.formats.documents import begins, closed, split
from viewer.formats.documents import elements as places
from viewer.formats.parse import Found
from viewer.load import Reading, Transcript, load, load_stream
from viewer.records import Record
from viewer.tail import Chunk

Object = dict[str, Any]
Write = Callable[[list[Object]], bytes]


def elements(data: bytes) -> tuple[list[Found], str | None]:
    """The objects of a document, and what is wrong with it."""
    found: list[Found] = []
    pieces = split(data)
    while True:
        try:
            found.append(next(pieces))
        except StopIteration as end:
            return found, end.value


def array(indent: int | str | None) -> Write:
    return lambda values: json.dumps(values, indent=indent).encode()


def one_a_line(opening: str = "[\n", between: str = ",\n", closing: str = "\n]\n") -> Write:
    def write(values: list[Object]) -> bytes:
        return (opening + between.join(map(json.dumps, values)) + closing).encode()

    return write


def behind_each_other(indent: int | str | None) -> Write:
    return lambda values: b"\n".join(json.dumps(each, indent=indent).encode() for each in values)


def encoded(write: Write, how: Callable[[bytes], bytes]) -> Write:
    return lambda values: how(write(values))


WRITERS: dict[str, Write] = {
    "two spaces": array(2),
    "four spaces": array(4),
    "tabs": array("\t"),
    "no indentation at all": array(0),
    "one object a line": one_a_line(),
    "one object a line, indented": one_a_line("[\n  ", ",\n  "),
    "one object a line, from the bracket on": one_a_line("[", ",\n", "]"),
    "commas first": one_a_line("[", "\n,", "]\n"),
    "one line": array(None),
    "brackets on one line": encoded(array(2), lambda data: data.replace(b"},\n  {", b"}, {")),
    "jq": behind_each_other(2),
    "jq with tabs": behind_each_other("\t"),
    "CRLF": encoded(array(2), lambda data: data.replace(b"\n", b"\r\n")),
    "a BOM": encoded(array(2), lambda data: b"\xef\xbb\xbf" + data),
    "a BOM before jq": encoded(behind_each_other(2), lambda data: b"\xef\xbb\xbf" + data),
    "blank lines": encoded(array(2), lambda data: b"\n \n" + data + b"\n\n"),
    "two arrays": lambda values: array(2)(values[:1]) + b"\n" + array(2)(values[1:] or values),
}  # fmt: skip
OBJECTS: list[Object] = [
    {"type": "a", "list": [1, {"x": "} ]"}], "text": 'quotes " and {"type": 1}'},
    {"type": "b", "deep": {"er": {"and": [[{"er": 1}]]}}, "empty": {}, "none": []},
    {"type": "c", "text": "two\nlines, ünïcode   "},
]


@pytest.mark.parametrize("name", WRITERS)
def test_the_elements_of_a_document_are_found_with_their_own_bytes(name: str) -> None:
    data = WRITERS[name](OBJECTS)
    found, damage = elements(data)
    assert [each.value for each in found] == OBJECTS
    assert damage is None
    for each in found:
        assert json.loads(data[each.start : each.end]) == each.value


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "one line"])
def test_a_document_is_told_from_a_file_of_lines_by_its_beginning(name: str) -> None:
    assert begins(WRITERS[name](OBJECTS).split(b"\n"))


@pytest.mark.parametrize(
    "first",
    [
        b'{"type":"user"}',
        b'{"type":"user","message":{',  # cut off
        b'{"type":"user","content":[',
        b'{"type":"user",',
        b"{",
        b"[client] {",
        b'[client] {"jsonrpc":"2.0"}',
        b"[12:00:01] <<< {",
        b"[1, 2]",
        b"",
        b"\0\0\0",
        b"not JSON at all",
    ],
)
def test_lines_of_objects_are_no_document(first: bytes) -> None:
    assert not begins([first, b'{"type":"user"}', b'{"type":"assistant"}'])


@given(st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text()), max_size=5))
def test_json_lines_are_never_taken_for_a_document(values: list[Object]) -> None:
    assert not begins([json.dumps(value).encode() for value in values])
    assert not begins([json.dumps(value, ensure_ascii=False).encode() for value in values])


# What is missing

json_texts = st.text(st.sampled_from('{}[]," \n\\ab')) | st.text(max_size=5)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**9) | json_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(json_texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(json_texts, json_values, min_size=1, max_size=4)
# Every one whose end can be told: objects one behind the other may end after any of them.
ENDLESS = ("jq", "jq with tabs", "a BOM before jq", "two arrays", "brackets on one line")
ENDING = [name for name in WRITERS if name not in ENDLESS]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(ENDING), st.lists(objects, min_size=1, max_size=4), st.data())
def test_of_a_document_that_was_cut_off_every_whole_element_is_read(
    name: str, values: list[Object], data: st.DataObject
) -> None:
    whole = WRITERS[name](values)
    found, damage = elements(whole)
    assert [each.value for each in found] == values and damage is None
    cut = data.draw(st.integers(whole.index(b"[") + 1, len(whole)))
    left, damage = elements(whole[:cut])
    assert left == [each for each in found if each.end <= cut]
    is_missing = cut < len(whole.rstrip())
    assert (damage is not None) == is_missing


@settings(max_examples=100, deadline=None)
@given(st.lists(objects, min_size=1, max_size=4), st.data())
def test_of_objects_behind_each_other_only_a_torn_one_is_missing(
    values: list[Object], data: st.DataObject
) -> None:
    whole = behind_each_other(2)(values)
    found, _ = elements(whole)
    cut = data.draw(st.integers(1, len(whole)))
    left, damage = elements(whole[:cut])
    assert left == [each for each in found if each.end <= cut]
    is_torn = any(each.start < cut < each.end for each in found)
    assert (damage is not None) == is_torn


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from('{}[]," \n:1a')).map(str.encode))
def test_no_bytes_raise_and_no_two_elements_overlap(data: bytes) -> None:
    found, _ = elements(data)
    begins(data.split(b"\n"))
    ends = [0, *(each.end for each in found)]
    assert all(end <= each.start for end, each in zip(ends, found, strict=False))


def test_what_is_no_object_is_told_and_costs_its_neighbours_nothing() -> None:
    data = b'[\n  {\n    "a": 1\n  },\n  5,\n  "words",\n  {\n    "b": 2\n  }\n]'
    found, damage = elements(data)
    assert [each.value for each in found] == [{"a": 1}, {"b": 2}]
    assert damage == "2 of its elements are no objects"
    found, damage = elements(b'[\n  1,\n  {\n    "b": 2\n  }\n]')
    assert [each.value for each in found] == [{"b": 2}]
    assert damage == "1 of its elements are no objects"
    assert elements(b"[\n]") == ([], "JSON, but no transcript")


def test_broken_elements_end_the_reading_with_a_word() -> None:
    found, damage = elements(b'[\n  {\n    "a": 1\n  },\n  {\n    "b": oops\n  }\n]')
    assert [each.value for each in found] == [{"a": 1}]
    assert damage == "the JSON document is broken, or ends too early"


def test_what_only_a_tolerant_reader_reads_is_read() -> None:
    data = b'[\n  {\n    "a": "\\ud83d"\n  },\n  {\n    "b": "tab\there"\n  },\n  {"c": 1e999}\n]'
    found, damage = elements(data)
    assert [[*each.value] for each in found] == [["a"], ["b"], ["c"]]
    assert damage is None


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b"[\n" + b"{\n" * 100_000,
        b"[\n" + b'  {"a": {\n' * 50_000,
        b"[\n  {\n" + b'    "a": "}",\n  }\n' * 50_000,
        b"[\n" + b"  {}\n" * 100_000,
        b'[\n  {\n    "a": "' + b'\\"' * 200_000,
        b"[\n" + b'  {"a": 1}},\n' * 50_000,
        b"[\n  {" + b'"a": [' * 100_000,
    ],
)
def test_hostile_documents_are_read_to_an_end(data: bytes) -> None:
    found, damage = elements(data)
    assert damage is not None or len(found) > 1


# Through the whole program

SAID: list[Object] = [
    {"jsonrpc": "2.0", "id": 0, "method": "session/prompt",
     "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "First, [a] {b}"}]}},
    {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Well."}}}},
    {"jsonrpc": "2.0", "id": 0, "result": {"stopReason": "end_turn"}},
]  # fmt: skip


def said(transcript: Transcript) -> list[str]:
    entries = [entry for row in transcript.session.rows for entry in row.entries]
    return [entry.text for entry in entries if not entry.hidden]


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "two arrays"])
def test_documents_are_transcripts_from_files_and_from_pipes(name: str, tmp_path: Path) -> None:
    data = WRITERS[name](SAID)
    path = tmp_path / "log.json"
    path.write_bytes(data)
    transcript = load(str(path))
    assert said(transcript) == said(load_stream(io.BytesIO(data))) == ["First, [a] {b}", "Well."]
    assert transcript.session.counts.damaged == transcript.pending == 0
    source = Source(transcript)
    records = [source.record(row, transcript.session) for row in transcript.session.rows]
    assert records == SAID
    is_document = name != "one line"
    for row in transcript.session.rows:
        if is_document:
            assert data[row.start : row.end].startswith(b"{")
            assert row.line == data.count(b"\n", 0, row.start) + 1


def test_damage_stands_where_the_reading_ended(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    whole = array(2)(SAID)
    path.write_bytes(whole[: whole.index(b"Well")])
    transcript = load(str(path))
    assert said(transcript) == ["First, [a] {b}", "the JSON document is broken, or ends too early"]
    row = transcript.session.rows[-1]
    assert row.line > transcript.session.rows[0].line and row.end == path.stat().st_size


@pytest.mark.parametrize("name", ["two spaces", "one object a line", "jq", "a BOM"])
def test_a_document_that_grows_is_read_anew(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(WRITERS[name](SAID[:1]))
    reading = Reading(str(path))
    for _ in reading.steps():
        pass
    assert said(reading.transcript) == ["First, [a] {b}"]
    for count in (2, 3):
        path.write_bytes(WRITERS[name](SAID[:count]))
        os.utime(path, (count, count))
        for _ in reading.steps():
            pass
        assert said(reading.transcript) == ["First, [a] {b}", "Well."]
        assert len(reading.transcript.session.rows) == count
    reading.close()


@pytest.mark.parametrize("name", ["one object a line", "jq", "two spaces"])
def test_a_document_that_is_appended_to_is_read_anew(name: str, tmp_path: Path) -> None:
    whole = WRITERS[name](SAID)
    path = tmp_path / "log.json"
    path.write_bytes(b"")
    reading = Reading(str(path))
    for start in range(0, len(whole), 150):
        with path.open("ab") as file:
            file.write(whole[start : start + 150])
        for _ in reading.steps():
            pass
    assert said(reading.transcript) == ["First, [a] {b}", "Well."]
    assert reading.transcript.session.counts.damaged == 0
    reading.close()


@given(st.sampled_from(ENDING), st.integers(1, 7))
def test_a_document_may_come_in_any_number_of_chunks(name: str, size: int) -> None:
    data = WRITERS[name](SAID)
    lines, start = data.split(b"\n"), 0
    decoder = Decoder()
    records: list[Record] = []
    for at in range(0, len(lines), size):
        chunk = Chunk(at + 1, start, lines[at : at + size])
        records += decoder.decode(chunk)
        start += sum(map(len, chunk.lines)) + len(chunk.lines)
    records += decoder.finish()
    assert [record.type for record in records] == [
        "session/prompt", "session/update/agent_message_chunk", "session/prompt/answer",
    ]  # fmt: skip


# Of documents that are cut off, and inside of them


@pytest.mark.parametrize("indent", [None, 1])
def test_a_beginning_is_closed_behind_what_is_whole(indent: int | None) -> None:
    value = {"a": {"b": [1, {"c": 'x"}],'}]}, "messages": [{"role": "user", "text": "y" * 20}]}
    data = json.dumps(value, indent=indent).encode()
    assert closed(data) == data
    for end in range(data.index(b",") + 1, len(data)):
        assert isinstance(json.loads(closed(data[:end])), dict)
    cut = json.loads(closed(data[: data.index(b"yyy")]))
    assert cut == {**value, "messages": [{"role": "user"}]}


def test_the_elements_under_a_key_are_found_at_the_top_level() -> None:
    data = b'{"x": {"m": [0]}, "y": "\xc3\xa9", "in": {"m": [9]}, "m": [ {"m": []}, 5 ,[6]]}'
    found = [data[at : at + 1] for at in places(data, "m", ("in",))]
    assert found == [b"{", b"5", b"["]
    assert [data[at : at + 1] for at in places(data, "m", ())] == found
    inside = b'{"no": {"m": [0]}, "in": {"in": {"m": [7, 8]}}}'
    assert [inside[at : at + 1] for at in places(inside, "m", ("in",))] == [b"7", b"8"]
    for broken in (b"", b"[]", b'{"m": 5}', b'{"m"', b'{"m": [1, }'):
        assert places(broken, "m", ()) == []
