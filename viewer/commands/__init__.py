"""What the program can be asked to do, a module for each command; here what they share.

Imports stand inside the functions that need them: `--version` and `--help` answer at once.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from viewer.load import Transcript
    from viewer.model import Liveness


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


def load(path: str, *, progress: bool = True) -> "tuple[Transcript, Liveness]":
    from viewer import load as loading
    from viewer import printing
    from viewer.model import Liveness
    from viewer.text import one_line

    if path == "-":
        return loading.load_stream(sys.stdin.buffer), Liveness()
    try:
        if not progress:
            transcript = loading.load(path)
        else:
            with printing.Progress(path) as shown:
                transcript = loading.load(path, shown.report)
    except OSError as error:
        reason = error.strerror or str(error).partition(":")[0]
        raise Failure(f"{one_line(path, 200)}: {one_line(reason)}") from None
    return transcript, liveness_of(path)


def liveness_of(path: str) -> "Liveness":
    import os
    import time

    from viewer import library, registry
    from viewer.model import Liveness
    from viewer.names import id_of
    from viewer.start import is_sample

    if is_sample(path):
        return Liveness()  # however fresh the checkout
    return registry.liveness(id_of(path), path, library.homes(os.environ), time.time())
