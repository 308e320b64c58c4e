"""`show`: one session as an outline, without a screen."""

import sys
from typing import TYPE_CHECKING

from viewer.commands import load, resolve

if TYPE_CHECKING:
    import argparse


def options(parser: "argparse.ArgumentParser", form: "argparse._MutuallyExclusiveGroup") -> None:
    form.add_argument("--text", dest="form", action="store_const", const="text")
    form.add_argument("--markdown", dest="form", action="store_const", const="markdown")
    parser.add_argument("target")


def run(arguments: "argparse.Namespace") -> int:
    from viewer.text import one_line

    paths = resolve(arguments.target, arguments)
    if len(paths) > 1:
        print(
            f"The newest of {len(paths)} sessions in {one_line(arguments.target)}", file=sys.stderr
        )
    transcript, liveness = load(paths[0])
    if arguments.form == "json":
        from viewer.document import document, dump

        print(dump(document(transcript, liveness)))
        return 0
    from viewer import printing, render

    if arguments.form == "markdown":
        lines = render.as_markdown(transcript, liveness)
    else:
        lines = render.as_text(transcript, liveness, printing.columns())
    for line in lines:
        print(line)
    return 0
