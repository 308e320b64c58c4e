"""`show`: one session without a screen: as an outline, as data, as a page for a browser."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from viewer.commands import Failure, liveness_of, load, resolve

if TYPE_CHECKING:
    import argparse

    from viewer.load import Transcript
    from viewer.masks import Mask
    from viewer.model import Liveness


def options(parser: "argparse.ArgumentParser", form: "argparse._MutuallyExclusiveGroup") -> None:
    for name in ("text", "markdown", "html"):
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name)
    masks = parser.add_mutually_exclusive_group()
    masks.add_argument("--redact", action="store_true", default=None)
    masks.add_argument("--no-redact", dest="redact", action="store_false")
    parser.add_argument("-o", "--output", metavar="FILE")
    parser.add_argument("target")


def run(arguments: "argparse.Namespace") -> int:
    from viewer.masks import Mask
    from viewer.text import one_line

    paths = resolve(arguments.target, arguments)
    if len(paths) > 1:
        print(
            f"The newest of {len(paths)} sessions in {one_line(arguments.target)}", file=sys.stderr
        )
    transcript = _load(paths[0], arguments.form)
    liveness = liveness_of(transcript, guess=True)
    redact = arguments.form == "html" if arguments.redact is None else arguments.redact
    lines = _lines(arguments, transcript, liveness, Mask(redact))
    if arguments.output is not None:
        _save(arguments.output, lines, transcript)
    else:
        _print(lines, page=arguments.form == "html")
    return 0


def _load(path: str, form: str | None) -> "Transcript":
    if path != "-" or form != "html":
        return load(path)
    # A page shows whole records, so what comes through the pipe has to be kept.
    import select

    from viewer.load import Reading

    reading = Reading.of_pipe(sys.stdin.fileno())
    spool = reading.transcript.spool
    while spool is not None and not spool.ended:
        for _ in reading.steps():
            pass
        if not spool.ended:
            select.select([spool.fd], [], [])
    for _ in reading.steps():
        pass  # a long last line without an end is looked at twice
    return reading.transcript


def _lines(
    arguments: "argparse.Namespace", transcript: "Transcript", liveness: "Liveness", mask: "Mask"
) -> Iterator[str]:
    """What is asked for, in pieces with their line ends."""
    if arguments.form == "html":
        from viewer.html import as_html

        yield from as_html(transcript, liveness, mask)
        return
    if arguments.form == "json":
        from viewer.document import document, dump
        from viewer.formats.fields import mapping

        shown = document(transcript, liveness)
        if mask.on:
            shown = {**mapping(mask.values(shown)), "masked": mask.count}
        yield dump(shown) + "\n"
        return
    from viewer import printing, render

    if arguments.form == "markdown":
        lines = render.as_markdown(transcript, liveness, mask)
    else:
        columns = printing.columns() if arguments.output is None else None
        lines = render.as_text(transcript, liveness, columns, mask)
    for line in lines:
        yield line + "\n"


def _save(path: str, pieces: Iterable[str], transcript: "Transcript") -> None:
    import os

    from viewer.text import one_line
    from viewer.writing import write_whole

    name = one_line(path, 200)
    own = [transcript.path, *(agent.path for agent in transcript.agents)]
    for each in own:
        try:
            if each is not None and os.path.samefile(each, path):
                raise Failure(f"{name} is the transcript itself; it stays as it is")
        except (OSError, ValueError):
            pass
    try:
        write_whole(path, pieces)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error).partition(":")[0]
        raise Failure(f"{name} was not written: {one_line(reason)}") from None


def _print(pieces: Iterable[str], *, page: bool) -> None:
    """To standard output; a page says of itself that it is UTF-8, whatever the terminal is."""
    from viewer.text import one_line

    try:
        for piece in pieces:
            if page:
                sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
            else:
                sys.stdout.write(piece)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"standard output: {one_line(error.strerror or str(error))}") from None
