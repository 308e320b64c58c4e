"""`check`: problems only, for scripts and CI."""

import sys
from typing import TYPE_CHECKING, Any

from viewer.commands import Failure, load, resolve

if TYPE_CHECKING:
    import argparse


def options(parser: "argparse.ArgumentParser", _: "argparse._MutuallyExclusiveGroup") -> None:
    parser.add_argument("targets", nargs="+")


def run(arguments: "argparse.Namespace") -> int:
    from viewer import problems, render
    from viewer.text import plural

    as_json = arguments.form == "json"
    if as_json:
        from viewer.document import dump, problem

    reports: list[dict[str, Any]] = []
    unreadable: list[str] = []
    total = 0
    for target in arguments.targets:
        try:
            paths = resolve(target, arguments)
        except Failure as failure:
            unreadable.append(str(failure))
            continue
        for path in paths:
            try:
                transcript, liveness = load(path)
            except Failure as failure:
                unreadable.append(str(failure))
                continue
            found = problems.find(transcript, liveness)
            total += len(found)
            if as_json:
                session = transcript.session
                reports.append(
                    {
                        "path": path,
                        "session_id": session.session_id,
                        "title": session.title,
                        "records": session.counts.total,
                        "problems": [problem(each) for each in found],
                    }
                )
            else:
                for line in render.as_report(transcript, found, path):
                    print(line)
    for reason in unreadable:
        print(f"claude-view: {reason}", file=sys.stderr)
    if as_json:
        print(dump({"schema": 1, "sessions": reports, "unreadable": unreadable}))
    elif unreadable:
        print(f"{plural(len(unreadable), 'target')} could not be read", file=sys.stderr)
    return 2 if unreadable else 1 if total else 0
