"""Lines to objects and records: total for any bytes, and no line costs its neighbours."""

import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viewer.formats import Decoder, decode
from viewer.formats.parse import parse
from viewer.records import Record
from viewer.tail import Chunk

USER = b'{"parentUuid":null,"type":"user","uuid":"u1","sessionId":"S","message":{"content":"hi"}}'
REPLY = (
    b'{"parentUuid":"u1","type":"assistant","uuid":"a1","sessionId":"S","message":{"content":[]}}'
)
TORN = USER[:60]


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=8,
    )


standard_values = _nested(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
json_values = _nested(standard_values | st.integers() | st.floats())
# Lines that are nearly JSON reach further into the code than noise does.
any_line = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [
                USER,
                REPLY,
                TORN,
                b"\0" * 9,
                b'{"type":',
                b'"\\ud83d"',
                b"NaN",
                b"{",
                b"}",
                b"[",
                b'"',
            ]
        ),
        json_values.map(lambda value: json.dumps(value).encode()),
    ),
    max_size=5,
).map(lambda pieces: b"".join(pieces).replace(b"\n", b""))


def values(line: bytes) -> list[dict[str, Any]]:
    return [found.value for found in parse(line).objects]


def decoded(*lines: bytes) -> list[Record]:
    return decode(Chunk(1, 0, list(lines)))


def types(*lines: bytes) -> list[str]:
    return [record.type for record in decoded(*lines)]


@given(any_line)
@settings(max_examples=150)
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"{" * 5_000)
@example(b'{"type":' * 2_000)
@example(b'{"a":' + b"9" * 10_000 + b"}")
def test_any_bytes_are_read_without_an_exception(line: bytes) -> None:
    parsed = parse(line)
    for found in parsed.objects:
        assert 0 <= found.start <= found.end <= len(line)
    if line.strip(b" \t\r\n"):
        assert parsed.objects or parsed.damage


@given(any_line)
@settings(max_examples=80)
def test_a_damaged_line_costs_its_neighbours_nothing(line: bytes) -> None:
    data = b"\n".join([USER, line, REPLY])
    records = decoded(USER, line, REPLY)
    first, last = records[0], records[-1]
    assert (first.type, first.uuid, first.line) == ("user", "u1", 1)
    assert (last.type, last.uuid, last.line) == ("assistant", "a1", 3)
    assert data[first.start : first.end] == USER
    assert data[last.start : last.end] == REPLY
    assert all(record.line == 2 for record in records[1:-1])


@given(any_line)
def test_nothing_on_a_line_is_dropped_silently(line: bytes) -> None:
    assert decoded(line) or not line.strip(b" \t\r\n")


@given(st.dictionaries(st.text(max_size=8), standard_values, max_size=4))
def test_what_python_writes_is_read_as_it_was(value: dict[str, Any]) -> None:
    assert values(json.dumps(value).encode()) == [value]


@pytest.mark.parametrize("line", [b"", b"   ", b"\t\r", b"\r"])
def test_blank_lines_are_nothing_and_no_damage(line: bytes) -> None:
    assert parse(line) == ([], None, False)
    assert decoded(line) == []


def test_a_whole_object_is_no_damage() -> None:
    parsed = parse(USER)
    assert parsed.whole and parsed.damage is None
    [found] = parsed.objects
    assert (found.start, found.end) == (0, len(USER))


@pytest.mark.parametrize("between", [b"", b" ", b"\0\0\0"])
def test_two_records_on_one_line_are_both_read(between: bytes) -> None:
    line = USER + between + REPLY
    parsed = parse(line)
    assert [found.value["uuid"] for found in parsed.objects] == ["u1", "a1"]
    assert [line[found.start : found.end] for found in parsed.objects] == [USER, REPLY]
    assert parsed.damage == "2 records on one line"


@pytest.mark.parametrize("cut", [1, 20, 60, len(USER) - 1])
def test_a_record_behind_a_torn_one_is_saved(cut: int) -> None:
    line = USER[:cut] + REPLY
    parsed = parse(line)
    assert [found.value["uuid"] for found in parsed.objects] == ["a1"]
    assert line[parsed.objects[0].start :] == REPLY
    assert parsed.damage == "a torn record beside a whole one"


@pytest.mark.parametrize("line", [b"\0" * 4096 + USER, b"\0 \0" + USER + b"\0\0"])
def test_a_record_among_nul_bytes_is_saved(line: bytes) -> None:
    parsed = parse(line)
    assert [found.value["uuid"] for found in parsed.objects] == ["u1"]
    assert parsed.damage == "NUL bytes beside a record"


def test_nul_bytes_alone_are_damage() -> None:
    [record] = decoded(b"\0" * 100)
    assert (record.type, record.damage) == ("damaged", "NUL bytes instead of a record")


def test_a_saved_record_is_marked_and_its_damage_is_a_record_too() -> None:
    user, damage = decoded(TORN + USER)
    assert (user.type, user.salvaged, user.damage) == ("user", True, None)
    assert (user.start, user.end) == (len(TORN), len(TORN + USER))
    assert (damage.type, damage.start, damage.end) == ("damaged", 0, len(TORN + USER))


def test_a_block_inside_a_torn_record_is_not_taken_for_a_record() -> None:
    line = b'{"parentUuid":null,"message":{"content":[{"type":"text","text":"hi"},{"type":"te'
    assert values(line) == []


def test_a_record_quoted_in_a_torn_text_is_not_taken_for_a_record() -> None:
    quoted = json.dumps({"message": USER.decode()}).encode()
    assert values(quoted[:-1]) == []


@pytest.mark.parametrize(
    ("number", "read"),
    [
        (b"NaN", math.nan),
        (b"Infinity", math.inf),
        (b"-Infinity", -math.inf),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1" + b"0" * 5_000, math.inf),
        (b"-0.0", 0.0),
        (b"1e400", math.inf),
    ],
)
def test_numbers_that_no_standard_allows_are_read(number: bytes, read: float) -> None:
    [value] = values(b'{"type":"user","n":%s}' % number)
    assert value["n"] == pytest.approx(read, nan_ok=True)


def test_the_last_of_two_equal_keys_counts() -> None:
    assert values(b'{"type":"user","type":"assistant"}') == [{"type": "assistant"}]


@pytest.mark.parametrize("escaped", [b"\\ud83d", b"\\udc00\\ud800", b"a\\ud83d b"])
def test_lone_surrogates_are_no_damage(escaped: bytes) -> None:
    parsed = parse(b'{"type":"user","text":"%s"}' % escaped)
    assert parsed.whole and parsed.damage is None
    assert parsed.objects[0].value["text"] == json.loads(b'"%s"' % escaped)


def test_raw_control_characters_inside_a_string_are_read() -> None:
    assert values(b'{"type":"user","text":"a\tb\x01"}') == [{"type": "user", "text": "a\tb\x01"}]


def test_broken_utf8_is_replaced_and_said() -> None:
    [record] = decoded(USER.replace(b"hi", b"h\xff"))
    assert record.type == "user" and not record.salvaged
    assert record.damage == "invalid UTF-8, replaced by U+FFFD"


def test_a_replacement_character_that_was_written_is_no_damage() -> None:
    line = '{"type":"user","n":NaN,"text":"\ufffd"}'.encode()
    assert parse(line).damage is None


def test_a_byte_order_mark_is_no_damage() -> None:
    [record] = decoded(b"\xef\xbb\xbf" + USER)
    assert (record.type, record.damage, record.salvaged) == ("user", None, False)


@pytest.mark.parametrize("depth", [2_000, 100_000])
@pytest.mark.parametrize("brackets", [b"[]", b'{"type":}'])
def test_what_is_nested_too_deeply_is_damage(depth: int, brackets: bytes) -> None:
    opening, closing = brackets[:-1] * depth, brackets[-1:] * depth
    assert types(b'{"type":"user","deep":%snull%s}' % (opening, closing)) == ["damaged"]


@pytest.mark.parametrize(
    ("line", "damage"),
    [
        (b"plain words", "not JSON"),
        (b'{"type":"user"', "broken JSON: Expecting ',' delimiter at character 15"),
        (b"[1,2]", "JSON, but not an object: an array"),
        (b"[]", "JSON, but not an object: an array"),
        (b'"text"', "JSON, but not an object: a string"),
        (b"12", "JSON, but not an object: a number"),
        (b"true", "JSON, but not an object: true or false"),
        (b"null", "JSON, but not an object: null"),
    ],
)
def test_what_is_no_record_says_what_it_is(line: bytes, damage: str) -> None:
    [record] = decoded(line)
    assert (record.type, record.damage) == ("damaged", damage)


def test_an_array_of_records_is_its_records() -> None:
    line = orjson.dumps([{"type": "system", "subtype": "init"}, {"type": "result", "subtype": "x"}])
    assert types(line) == ["system/init", "result"]
    assert not any(record.salvaged or record.damage for record in decoded(line))


def test_records_know_their_line_and_their_bytes() -> None:
    lines = [USER, b"", '{"type":"tag","tag":"宽"}'.encode(), REPLY]
    data = b"x" * 50 + b"\n".join(lines)
    records = decode(Chunk(7, 50, lines))
    assert [record.line for record in records] == [7, 9, 10]
    assert [data[record.start : record.end] for record in records] == [USER, lines[2], REPLY]


def test_a_long_hostile_line_is_read_in_bounded_steps() -> None:
    # Quadratic reading of these would take minutes.
    assert types(b'{"type":' * 100_000) == ["damaged"]
    assert types(b'{"type":"' + b"\\" * 500_000) == ["damaged"]
    assert types((b'{"type":"a"}' + b"x") * 20_000 + b"{") == ["damaged"]


# The unfinished last line of a file at rest


def rest(line: bytes) -> list[str] | None:
    decoder = Decoder()
    if not decoder.is_whole(line):
        return None
    return [record.type for record in decoder.decode(Chunk(1, 0, [line]))]


def test_a_whole_record_without_newline_counts() -> None:
    assert rest(USER) == ["user"]


@pytest.mark.parametrize("line", [TORN, b"{", b'  {"type":"us', b'\r{"a'])
def test_a_record_that_is_being_written_waits(line: bytes) -> None:
    assert rest(line) is None


@given(st.integers(1, len(USER) - 1))
def test_every_beginning_of_a_record_waits(cut: int) -> None:
    assert rest(USER[:cut]) is None


@pytest.mark.parametrize("line", [b"", b"  "])
def test_a_blank_rest_waits(line: bytes) -> None:
    assert rest(line) is None


@pytest.mark.parametrize("line", [b"words", b"\0\0\0", b"]"])
def test_a_rest_that_cannot_become_a_record_is_damage(line: bytes) -> None:
    assert rest(line) == ["damaged"]


def test_a_whole_record_behind_a_torn_one_counts_in_a_rest_too() -> None:
    assert rest(TORN + USER) == ["user", "damaged"]
