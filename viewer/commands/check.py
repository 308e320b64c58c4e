"""`check`: problems only, for scripts and CI.

Many files are read by several processes at once; what they report is printed in the order of the
targets.
"""

import sys
from contextlib import closing
from typing import TYPE_CHECKING

from viewer.commands import Failure, resolve

if TYPE_CHECKING:
    import argparse

    from viewer.checking import Report

_KINDS = ("error", "missing", "hook", "invalid", "damaged")


def options(parser: "argparse.ArgumentParser", _: "argparse._MutuallyExclusiveGroup") -> None:
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--fail-on", default=",".join(_KINDS))


def run(arguments: "argparse.Namespace") -> int:
    from viewer import checking, printing
    from viewer.text import one_line

    counted = [kind.strip() for kind in arguments.fail_on.split(",") if kind.strip()]
    odd = [kind for kind in counted if kind not in _KINDS]
    if odd or not counted:
        given = one_line(odd[0], 40) if odd else "none of them"
        raise Failure(f"--fail-on takes some of {', '.join(_KINDS)}, not {given}")
    paths, unreadable = _paths(arguments)
    as_json = arguments.form == "json"
    reports: list[Report] = []
    with (
        printing.Counting(len(paths)) as counting,
        closing(checking.check(paths, counted, as_json=as_json)) as checked,
    ):
        for report in checked:
            counting.report()
            if report.problem is not None:
                unreadable.append(report.problem)
                continue
            if not as_json:
                counting.clear()
                for line in report.lines:
                    print(line)
                report.lines = []
            reports.append(report)
    for reason in unreadable:
        print(f"claude-view: {reason}", file=sys.stderr)
    if as_json:
        print(checking.as_json(reports, unreadable))
    elif len(paths) > 1:
        print(checking.in_words(reports, len(unreadable)))
    elif unreadable:
        print("1 target could not be read", file=sys.stderr)
    return 2 if unreadable else 1 if any(report.counted for report in reports) else 0


def _paths(arguments: "argparse.Namespace") -> tuple[list[str], list[str]]:
    """The files of all targets, each once, and why some targets have none."""
    import os

    from viewer import library

    paths: dict[object, str] = {}  # by what they are, whatever names and links lead there
    problems: list[str] = []
    for target in arguments.targets:
        try:
            if os.path.isdir(target) and (below := library.below(target)):
                found = below
            else:
                found = resolve(target, arguments)
        except Failure as failure:
            problems.append(str(failure))
            continue
        for path in found:
            paths.setdefault(_identity(path), path)
    return list(paths.values()), problems


def _identity(path: str) -> object:
    import os

    try:
        status = os.stat(path)
    except OSError:
        return path  # standard input, or what will be told that it cannot be read
    return status.st_dev, status.st_ino
