"""`check`: problems only, for scripts and CI.

Many files are read by several processes at once; what they report is printed in the order of the
targets.
"""

import sys
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
    for kind in counted:
        if kind not in _KINDS:
            names = ", ".join(_KINDS)
            raise Failure(f"--fail-on takes some of {names}, not {one_line(kind, 40)}")
    paths, unreadable = _paths(arguments)
    as_json = arguments.form == "json"
    reports: list[Report] = []
    with printing.Counting(len(paths)) as counting:
        for report in checking.check(paths, counted, as_json=as_json):
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

    paths: dict[str, None] = {}
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
        paths.update(dict.fromkeys(found))
    return list(paths), problems
