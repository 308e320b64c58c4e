"""`list`: all sessions as a table."""

import sys
from typing import TYPE_CHECKING, Any

from viewer.commands import missing_roots, roots_of

if TYPE_CHECKING:
    import argparse


def options(parser: "argparse.ArgumentParser", _: "argparse._MutuallyExclusiveGroup") -> None:
    """Nothing but the form."""


def run(arguments: "argparse.Namespace") -> int:
    import os
    import time

    from viewer import ends, library, printing, registry, resources
    from viewer.text import one_line

    roots = roots_of(arguments)
    files = ends.describe_all(library.find(roots))
    missing = missing_roots(arguments)
    for problem in missing:
        print(f"claude-view: {problem}", file=sys.stderr)
    code = 2 if missing and not files else 0
    if code:
        if arguments.form != "json":
            return code
    elif not files and arguments.form != "json":
        where = ", ".join(one_line(root) for root in roots) or "no folder: HOME is not set"
        print(f"No sessions found in {where}. These are the bundled samples:", file=sys.stderr)
        files = ends.describe_all(library.find([str(resources.sample_sessions())]))
    now = time.time()
    if arguments.form == "json":
        from viewer.document import dump
        from viewer.text import iso

        live = registry.registry(library.homes(os.environ))
        rows: list[dict[str, Any]] = [
            {
                "id": file.id,
                "path": file.path,
                "agent": file.agent,
                "title": file.title,
                "cwd": file.cwd,
                "size": file.size,
                "modified": iso(file.modified),
                "alive": registry.judge(live.get(file.id), file.modified, now).alive,
                "problem": file.problem,
            }
            for file in files
        ]
        print(dump({"schema": 1, "sessions": rows}))
        return code
    printing.print_table(files, now, printing.columns())
    return 0
