"""What the command line wants to see on the screen."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewer import resources

if TYPE_CHECKING:
    from viewer.feed import Feed


@dataclass(frozen=True, slots=True)
class Start:
    """One of a session, a pipe, the newest session of a folder; or else the list of all."""

    roots: Sequence[str] = ()
    homes: Sequence[str] = ()  # those of the roots that keep a registry of what runs
    path: str | None = None
    pipe: int | None = None
    here: str | None = None  # the working folder whose newest session is wanted
    follow: bool = False
    switch: bool = False  # to a newer session at once
    cache: str | None = None  # the folder to remember counts in
    ascii: bool = False
    theme: str | None = None

    def open(self, path: str) -> "Feed":
        """A session as it grows. Raises OSError where it cannot be read."""
        from viewer.feed import Feed
        from viewer.load import Reading

        path = os.path.abspath(path)
        return Feed(Reading(path), self.roots, self.homes, still=is_sample(path))


def is_sample(path: str) -> bool:
    """Whether it is one of the bundled samples: nobody works on these, however fresh they are."""
    samples = os.path.realpath(resources.sample_sessions())
    return (os.path.realpath(path) + os.sep).startswith(samples + os.sep)
