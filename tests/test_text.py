"""What `clean` guarantees about any text at all, and how numbers are worded."""

import re
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from viewer import text

# Every text that Python can hold, lone surrogates included, with the dangerous ones more often.
_DANGEROUS = [
    *map(chr, [*range(0x20), *range(0x7F, 0xA0)]),
    *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
    *"\u200b\u200c\u2060\ufeff\u00ad\u115f\u3164\ufff9\u034f",
    *"\ud800\udfff\u2028\u2029\u0301\u200d\ufe0f\U000e0041\U000e0100",
    *("\x1b[31m", "\x1b[0m", "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r\n", "👩\u200d🚀", "宽"),
]
any_text = st.lists(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs", "Cc", "Cf", "Mn", "Me", "Zl", "Zp"]),
        st.sampled_from(_DANGEROUS),
    ),
    max_size=40,
).map("".join)
cleaned = any_text.map(text.clean)
plain_text = st.text(st.characters(categories=["L", "Nd", "P", "S", "Zs"]), max_size=60).filter(
    lambda string: not set(string) & set(_DANGEROUS)
)
# Default_Ignorable_Code_Point of Unicode, without the joiner and the variation selectors that
# emoji are made of.
_IGNORABLE = [
    *map(chr, (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200B, 0x200C, 0x200E, 0x200F)),
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2060, 0x2070)),
    *map(chr, (0x180B, 0x180C, 0x180D, 0x180E, 0x180F, 0x3164, 0xFEFF, 0xFFA0)),
    *map(chr, range(0xFFF0, 0xFFF9)),
    *map(chr, range(0x1BCA0, 0x1BCA4)),
    *map(chr, range(0x1D173, 0x1D17B)),
    *map(chr, range(0xE0000, 0xE0100)),
    *map(chr, range(0xE01F0, 0xE1000)),
]


def is_safe(character: str) -> bool:
    code = ord(character)
    if character == "\n":
        return True
    return not (
        code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or 0xE0000 <= code < 0xE0080
        or character in "\u2028\u2029"
        or unicodedata.bidirectional(character)
        in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or character in "\u061c\u200e\u200f\u200b\u200c\u2060\ufeff\u00ad"
    )


@given(any_text)
@settings(max_examples=150)
def test_nothing_that_acts_on_a_terminal_is_left(foreign: str) -> None:
    assert all(map(is_safe, text.clean(foreign)))


@given(any_text)
@settings(max_examples=150)
@example("\x1b\u200b[31m")  # an escape sequence that only appears when something is removed
@example("\r\r\n")
@example("a" + "\u0301\u0301\u00ad" * 5)
def test_cleaning_twice_is_cleaning_once(foreign: str) -> None:
    once = text.clean(foreign)
    assert text.clean(once) == once


@given(any_text)
def test_what_was_cleaned_can_be_written_to_a_terminal(foreign: str) -> None:
    assert text.clean(foreign).encode("utf-8").decode("utf-8") == text.clean(foreign)


@given(plain_text)
def test_plain_text_stays_as_it_is(plain: str) -> None:
    assert text.clean(plain) == plain


@pytest.mark.parametrize(
    "plain",
    [
        "Grüße,\n  Zeile zwei",
        "日本語 宽 한국어",
        "👩\u200d🚀 ❤\ufe0f 👍🏽",
        "été e\u0301te\u0301",
        "שלום مرحبا",
    ],
)
def test_human_languages_and_emoji_stay_as_they_are(plain: str) -> None:
    assert text.clean(plain) == plain


def test_every_code_point_alone_comes_out_safe() -> None:
    unsafe = [
        hex(code)
        for code in [*range(0x30000), *range(0xE0000, 0xE2000), 0x10FFFF]
        if not all(is_safe(character) for character in text.clean(chr(code)))
    ]
    assert unsafe == []


def test_no_invisible_character_is_left() -> None:
    left = [hex(ord(each)) for each in _IGNORABLE if each in text.clean(f"a{each}b")]
    assert left == []


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3m\x1b[4:3mcurly\x1b[m", "curly"),
        ("a\tb", "a    b"),
        ("one\r\ntwo", "one\ntwo"),
        ("50%\r100%", "50%^M100%"),
        ("bell\x07", "bell^G"),
        ("nul\0", "nul^@"),
        ("del\x7f", "del^?"),
        ("\x1b]0;owned\x07", "^[]0;owned^G"),
        ("\x1b[2J", "^[[2J"),
        ("\x9b2J", "\ufffd2J"),
        ("one\x85two\u2028three", "one↵two↵three"),
        ("user\u202etxt.exe", "user\ufffdtxt.exe"),
        ("half \ud83d", "half \ufffd"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tag\U000e0041s", "tags"),
    ],
)
def test_what_was_there_remains_visible(foreign: str, shown: str) -> None:
    assert text.clean(foreign) == shown


def test_a_tower_of_combining_marks_is_cut_to_four() -> None:
    assert text.clean("z" + "\u0301" * 500 + "!") == "z" + "\u0301" * 4 + "!"


@given(any_text)
def test_one_line_is_one_line_without_blanks_at_its_ends(foreign: str) -> None:
    line = text.one_line(foreign)
    assert "\n" not in line
    assert line == line.strip()


@given(any_text, st.integers(0, 20))
def test_one_line_keeps_to_its_width(foreign: str, cells: int) -> None:
    assert text.width(text.one_line(foreign, cells)) <= cells


@given(cleaned, st.integers(-2, 30))
def test_a_clipped_text_is_never_wider_than_asked(line: str, cells: int) -> None:
    assert text.width(text.clip(line, cells)) <= max(0, cells)


@given(cleaned)
def test_a_text_that_fits_is_not_clipped(line: str) -> None:
    assert text.clip(line, text.width(line)) == line


@given(cleaned, st.integers(1, 30))
def test_a_clipped_text_is_a_beginning_and_says_that_it_was_cut(line: str, cells: int) -> None:
    short = text.clip(line, cells)
    if short != line:
        assert short.endswith("…")
        assert line.startswith(short[:-1])


@given(cleaned, st.integers(0, 30))
def test_a_padded_text_has_exactly_the_width(line: str, cells: int) -> None:
    assert text.width(text.pad(line, cells)) == cells


@given(cleaned, cleaned)
def test_the_width_of_two_texts_is_the_sum_of_their_widths(one: str, other: str) -> None:
    assert text.width(one + other) == text.width(one) + text.width(other)


@pytest.mark.parametrize(
    ("line", "cells"), [("", 0), ("abc", 3), ("宽", 2), ("e\u0301", 1), ("Ａ", 2), ("日本語", 6)]
)
def test_width_counts_cells(line: str, cells: int) -> None:
    assert text.width(line) == cells


def test_a_wide_character_that_does_not_fit_is_left_out_whole() -> None:
    assert text.clip("宽宽宽", 4) == "宽…"
    assert text.pad("宽宽宽", 4) == "宽… "


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (None, ""),
        (0, "0ms"),
        (8, "8ms"),
        (999, "999ms"),
        (3_400, "3.4s"),
        (59_999, "59s"),
        (64_000, "1m04s"),
        (3_599_999, "59m59s"),
        (4_320_000, "1h12m"),
        (10 * 86_400_000, "10d"),
    ],
)
def test_durations_in_words(milliseconds: int | None, words: str) -> None:
    assert text.duration(milliseconds) == words


@pytest.mark.parametrize(
    ("bytes", "words"),
    [
        (0, "0 B"),
        (12, "12 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (340_000, "340 kB"),
        (2_400_000_000, "2.4 GB"),
        (9_400_000_000_000, "9400 GB"),
    ],
)
def test_sizes_in_words(bytes: int, words: str) -> None:
    assert text.size(bytes) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (950, "950"),
        (1_200, "1.2k"),
        (18_400, "18k"),
        (999_999, "1.0M"),
        (3_100_000, "3.1M"),
    ],
)
def test_numbers_in_words(value: int, words: str) -> None:
    assert text.number(value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5.0, "0s"),
        (2.7, "2s"),
        (119.0, "119s"),
        (300.0, "5min"),
        (3 * 3600.0, "3h"),
        (2 * 86_400.0, "2d"),
        (120 * 86_400.0, "4mo"),
        (3 * 365 * 86_400.0, "3y"),
    ],
)
def test_ages_in_words(seconds: float, words: str) -> None:
    assert text.age(seconds) == words


@pytest.mark.parametrize("in_words", [text.duration, text.size, text.number])
def test_a_decimal_is_only_given_below_ten(in_words: Callable[[int], str]) -> None:
    assert not in_words(9_999).startswith("10.")


@given(st.integers(0, 10**12))
def test_words_for_numbers_stay_short(value: int) -> None:
    assert len(text.duration(value)) <= 7
    assert len(text.size(value)) <= 7


def test_counted_words_have_their_plural() -> None:
    assert [text.plural(count, "call") for count in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


def test_times_are_words_where_they_can_be() -> None:
    assert text.iso(0.0) == "1970-01-01T00:00:00.000Z"
    assert text.iso(1_762_000_000.1234) == "2025-11-01T12:26:40.123Z"
    assert re.fullmatch(r"\d\d:\d\d:\d\d", text.clock(1_762_000_000.0))


@pytest.mark.parametrize("time", [None, 1e30, -1e30, float("nan"), float("inf")])
def test_impossible_times_have_no_words(time: float | None) -> None:
    assert text.clock(time) == ""
    assert text.iso(time) is None


# Colours

coloured = st.lists(
    any_text | st.from_regex(r"\x1b\[[0-9;:]{0,12}m", fullmatch=True), max_size=12
).map("".join)


@given(plain_text)
def test_ordinary_text_is_one_plain_piece(string: str) -> None:
    assert text.styled(string) == [(text.clean(string), text.Look())]


@given(coloured)
@settings(max_examples=60)
def test_coloured_text_is_as_safe_as_any(string: str) -> None:
    assert all(is_safe(character) for piece, _ in text.styled(string) for character in piece)


@given(st.lists(st.tuples(plain_text, st.sampled_from(["", "\x1b[1m", "\x1b[38;5;9m", "\x1b[m"]))))
def test_the_pieces_together_are_the_cleaned_text(pieces: list[tuple[str, str]]) -> None:
    string = "".join(f"{words}{colour}" for words, colour in pieces)
    assert "".join(piece for piece, _ in text.styled(string)) == text.clean(string)


@pytest.mark.parametrize(
    ("codes", "look"),
    [
        *[("1", {"bold": True}), ("1;31", {"bold": True, "color": 1}), ("38:5:7", {"color": 7})],
        *[("97;104", {"color": 15, "background": 12}), ("38;5;200", {"color": 200})],
        *[("38;5;999", {"color": 255}), ("38", {}), ("38;5", {}), ("1;", {}), ("5;8", {})],
        ("48;2;1;2;3;4", {"background": (1, 2, 3), "underline": True}),
        *[("1;0;3", {"italic": True}), ("1;2;22;9", {"strike": True})],
        *[("31;39;7", {"reverse": True}), ("99999999999;4", {"underline": True})],
    ],
)
def test_colours_are_taken_over(codes: str, look: dict[str, object]) -> None:
    [(piece, found)] = text.styled(f"\x1b[{codes}mwords")
    assert (piece, found) == ("words", text.Look()._replace(**look))  # type: ignore[arg-type]


def test_a_look_lasts_until_it_is_taken_back() -> None:
    looks = [look for _, look in text.styled("a\x1b[31mb\x1b[1mc\x1b[39md\x1b[0me")]
    red, bold = text.Look(color=1), text.Look(bold=True)
    assert looks == [text.Look(), red, red._replace(bold=True), bold, text.Look()]


@pytest.mark.parametrize("piece", ["\x1b[", "\x1b[1", "\x1b[31mx", "\x1b[1;", "\x1b[m", "\u0301"])
def test_ten_times_the_colours_cost_about_ten_times_as_much(piece: str) -> None:
    def cost(count: int) -> float:
        string = piece * count
        begun = time.process_time()
        text.styled(string)
        return time.process_time() - begun

    small, large = (min(cost(count) for _ in range(3)) for count in (3_000, 30_000))
    assert large < 40 * small + 0.01
