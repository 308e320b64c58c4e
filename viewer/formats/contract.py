"""What a format is: how its files are told apart, read, and looked at again.

A format is one module with a `FORMAT` of its own, and one line in `formats/__init__.py`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from viewer.records import Record

Object = dict[str, Any]
Block = dict[str, Any]

Read = Callable[[Object], Record | None]  # None for what adds nothing to what was there before


def whole(value: Object) -> list[Object]:
    """Where every object is one record."""
    return [value]


def nowhere(_: bytes) -> list[int]:
    return []


class Format(NamedTuple):
    name: str  # as `show --json` calls it, where its records say nothing else
    agent: str  # whose sessions these are
    recognises: Callable[[Object], bool]  # by its content alone
    reader: Callable[[], Read]  # made once for each file: it may remember what it has read
    # What a record says, as the blocks of the Messages API: text, thinking, tool_use, tool_result.
    # None for a record that is a message of that API already.
    content: Callable[[Object], list[Block] | None]
    parts: Callable[[Object], list[Object]] = whole  # the records that one object stands for
    # Where some of these begin in the bytes of an object that fills many lines.
    places: Callable[[bytes], list[int]] = nowhere
    # Where lines may begin with words before the object: the object with what they say in it.
    direction: Callable[[Object, str], Object] | None = None
