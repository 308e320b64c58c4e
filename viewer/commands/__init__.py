"""What the program can be asked to do, a module for each command; here what they share.

Imports stand inside the functions that need them: `--version` and `--help` answer at once.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from viewer.load import Transcript
    from viewer.model import Liveness


COMMANDS = ("list", "search", "show", "check")


class Failure(Exception):
    """Something to tell the user in one sentence; exit code 2."""


def roots_of(arguments: "argparse.Namespace") -> list[str]:
    import os

    from viewer import library, resources

    if arguments.demo:
        return [str(resources.sample_sessions())]
    return [*library.standard_roots(os.environ), *arguments.root]


def resolve(target: str, arguments: "argparse.Namespace") -> list[str]:
    from viewer import library
    from viewer.text import one_line

    if target == "-":
        if sys.stdin is None:
            raise Failure("standard input is closed")
        return ["-"]
    if "\0" in target:
        raise Failure("a target cannot hold a NUL character")
    try:
        paths = library.resolve(target, roots_of(arguments))
    except library.NotFound as problem:
        raise Failure(f"{one_line(target, 120)}: {one_line(str(problem))}") from None
    if not paths:
        raise Failure(f"{one_line(target, 120)}: no sessions in that folder")
    return paths


def missing_roots(arguments: "argparse.Namespace") -> list[str]:
    """Why some of the folders that were named cannot be searched."""
    import os

    from viewer.text import one_line

    problems: list[str] = []
    for root in arguments.root:
        try:
            os.scandir(root).close()
        except OSError as error:
            problems.append(f"{one_line(root, 200)}: {one_line(error.strerror or str(error))}")
    return problems


def load(path: str, *, progress: bool = True) -> "Transcript":
    from viewer import load as loading
    from viewer import printing
    from viewer.text import one_line

    if path == "-":
        return loading.load_stream(sys.stdin.buffer)
    try:
        if not progress:
            return loading.load(path)
        with printing.Progress(path) as shown:
            return loading.load(path, shown.report)
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(path, 200)}: {one_line(reason)}") from None


def liveness_of(transcript: "Transcript", *, guess: bool) -> "Liveness":
    """From the registry; with `guess`, also from how fresh the file is."""
    import os
    import time

    from viewer import library, registry
    from viewer.model import DEAD
    from viewer.names import id_of
    from viewer.start import is_sample

    path = transcript.path
    if path == "-" or is_sample(path):
        return DEAD  # however fresh the checkout
    homes = library.homes(os.environ)
    if not guess:
        return registry.registry(homes).get(id_of(path), DEAD)
    found = registry.liveness(id_of(path), path, homes, time.time())
    is_guess = found.alive and not found.registered
    return DEAD if is_guess and registry.is_over(transcript.session) else found
