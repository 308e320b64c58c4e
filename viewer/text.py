"""The one door for foreign text, and words for numbers.

Everything that came from a file or a file name passes `clean` before it reaches a terminal. After
it no escape sequence, control character, bidi override or invisible character is left, and what
was there remains visible where it matters: less's caret notation for controls, U+FFFD for what has
no picture.
"""

import os
import re
import unicodedata
from datetime import UTC, datetime
from typing import NamedTuple

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u200d\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U000e0100-\U000e01ef"
)
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u2060-\u2065\u206a-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff"
)
_ODD = re.compile(
    f"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufff0-\ufff8{_BIDI}{_INVISIBLE}]"
    f"|[{_MARKS}]{{5}}"
)
# Colours are the one thing that may be dropped whole: they carry no text.
_SGR = re.compile(r"\x1b\[[0-9;:]*m")
_TOO_MANY_MARKS = re.compile(f"([{_MARKS}]{{4}})[{_MARKS}]+")
_REMOVED = re.compile(f"[{_INVISIBLE}]")
_SHOWN = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufff0-\ufff8{_BIDI}]")


def clean(text: str) -> str:
    """The text with nothing in it that could act on a terminal. Keeps newlines."""
    if _ODD.search(text) is None:
        return text
    text = _SGR.sub("", text.replace("\r\n", "\n"))
    text = _REMOVED.sub("", text)
    text = _TOO_MANY_MARKS.sub(r"\1", text)
    return _SHOWN.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 9:
        return "    "
    if code < 0x20:
        return "^" + chr(code + 0x40)
    if code == 0x7F:
        return "^?"
    if code in (0x85, 0x2028, 0x2029):
        return "↵"
    return "\ufffd"


class Look(NamedTuple):
    """How a program asked for a piece of its output to look. Colours are 0-255 or (r, g, b).

    Blinking and concealed text are not taken over: hidden text must be seen."""

    color: "Colour | None" = None
    background: "Colour | None" = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False


Colour = int | tuple[int, int, int]
_PLAIN = Look()
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


def styled(text: str) -> list[tuple[str, Look]]:
    """A text cleaned, in pieces that look the same. Linear, whatever the text holds."""
    pieces: list[tuple[str, Look]] = []
    look, position = _PLAIN, 0
    for match in _SGR.finditer(text):
        if match.start() > position:
            pieces.append((clean(text[position : match.start()]), look))
        look = _restyled(look, match.group()[2:-1])
        position = match.end()
    pieces.append((clean(text[position:]), look))
    return pieces


def _restyled(look: Look, codes: str) -> Look:
    numbers = [
        int(code) if code.isdigit() and len(code) < 4 else 0 for code in re.split("[;:]", codes)
    ]
    changes: dict[str, object] = {}
    index = 0
    while index < len(numbers):
        code = numbers[index]
        index += 1
        if code == 0:
            look, changes = _PLAIN, {}
        elif code in _ON:
            changes[_ON[code]] = True
        elif code in _OFF:
            changes.update(dict.fromkeys(_OFF[code], False))
        elif code in (38, 48):
            colour, used = _extended(numbers[index : index + 4])
            changes["color" if code == 38 else "background"] = colour
            index += used
        elif code in (39, 49):
            changes["color" if code == 39 else "background"] = None
        else:
            for first, field, base in ((30, "color", 0), (40, "background", 0),
                                       (90, "color", 8), (100, "background", 8)):  # fmt: skip
                if first <= code < first + 8:
                    changes[field] = code - first + base
    return look._replace(**changes)  # type: ignore[arg-type]


def _extended(numbers: list[int]) -> tuple[Colour | None, int]:
    match numbers:
        case [5, number, *_]:
            return min(number, 255), 2
        case [2, red, green, blue, *_]:
            return (min(red, 255), min(green, 255), min(blue, 255)), 4
    return None, len(numbers)


_SPACES = re.compile(r"\s+")


def one_line(text: str, cells: int | None = None) -> str:
    """Cleaned, on one line, and cut to a width where one is given."""
    line = _SPACES.sub(" ", clean(text)).strip()
    return line if cells is None else clip(line, cells)


def width(text: str) -> int:
    """The cells that a cleaned text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.combining(character) or character in "\u200d\ufe0f":
        return 0
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, cells: int) -> str:
    """The beginning of a cleaned line; an ellipsis tells that something was cut."""
    if width(text) <= cells:
        return text
    kept: list[str] = []
    room = cells - 1
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…" if cells > 0 else ""


def pad(text: str, cells: int) -> str:
    """Clipped or filled to exactly this width."""
    text = clip(text, cells)
    return text + " " * (cells - width(text))


def duration(milliseconds: int | None) -> str:
    """8ms, 3.4s, 1m04s, 1h12m."""
    if milliseconds is None:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    seconds = milliseconds / 1000
    if milliseconds < 9950:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{int(seconds)}s"
    minutes, seconds = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes}m{seconds:02}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours < 48 else f"{hours // 24}d"


def size(bytes: int) -> str:
    """12 B, 340 kB, 2.4 GB."""
    number = float(bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{int(number)} {unit}" if number >= 9.95 or unit == "B" else f"{number:.1f} {unit}"


def number(value: int) -> str:
    """950, 18k, 3.1M."""
    if value < 1000:
        return str(value)
    if value < 999_500:
        return f"{value / 1000:.1f}k" if value < 9_950 else f"{round(value / 1000)}k"
    return f"{value / 1_000_000:.1f}M"


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def clock(time: float | None) -> str:
    """The time of day, here."""
    moment = _moment(time)
    return moment.strftime("%H:%M:%S") if moment else ""


def stamp(time: float | None) -> str:
    """Day and time, here."""
    moment = _moment(time)
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else ""


def iso(time: float | None) -> str | None:
    """A time for machines, in UTC."""
    moment = _moment(time, utc=True)
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(time: float | None, *, utc: bool = False) -> datetime | None:
    if time is None:
        return None
    try:
        return datetime.fromtimestamp(time, UTC if utc else None)
    except (ValueError, OverflowError, OSError):
        return None


def age(seconds: float) -> str:
    """2s, 5min, 3h, yesterday's as 1d, 4mo."""
    seconds = max(0, seconds)
    for limit, unit, name in (
        (120, 1, "s"),
        (7200, 60, "min"),
        (172_800, 3600, "h"),
        (5_184_000, 86_400, "d"),
        (63_072_000, 2_592_000, "mo"),
    ):
        if seconds < limit:
            return f"{int(seconds / unit)}{name}"
    return f"{int(seconds / 31_536_000)}y"


def shorten_home(path: str) -> str:
    """A path as people write it, with a tilde for the home folder."""
    home = os.environ.get("HOME", "").rstrip("/")
    return "~" + path[len(home) :] if home and (path + "/").startswith(home + "/") else path
