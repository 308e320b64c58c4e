"""Reading fields of foreign JSON: each function accepts anything and answers with its type."""

from datetime import UTC, datetime
from typing import Any

# Above this, integers came through a float somewhere and are no longer the number written.
_EXACT = 2**53


def string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def word(value: object) -> str:
    """A word, or what stands in its place: never `str` of it, which recurses into deep values."""
    return value if isinstance(value, str) else type(value).__name__


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def count(value: object) -> int:
    """A number of things; 0 where it is none."""
    if value.__class__ is int and 0 <= value < _EXACT:
        return value
    return 0


def whole(value: object) -> int | None:
    """A whole number, also written as 12.0; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value != value or abs(value) >= _EXACT:
        return None
    return int(value)


def number(value: object) -> int | float | None:
    """A number as it was written; None where it is none."""
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else value


def time(value: object) -> float | None:
    """An ISO 8601 time in seconds since the epoch."""
    if value.__class__ is not str:
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def text_of(content: object, limit: int) -> str:
    """The text of a string or of a list of blocks, up to a length."""
    if isinstance(content, str):
        return content[:limit]
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    room = limit
    for block in content:
        text = block.get("text") if isinstance(block, dict) else block
        if isinstance(text, str):
            texts.append(text[:room])
            room -= len(texts[-1]) + 1
            if room <= 0:
                break
    return "\n".join(texts)
