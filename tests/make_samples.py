"""Writes the sample sessions: python -m tests.make_samples [FOLDER]

The same bytes every time. What each one shows is the first line of its function's docstring.
"""

import os
import sys
from collections.abc import Callable, Iterator

from tests.samples import (
    acp,
    agents,
    causes,
    codex,
    hooks,
    messages,
    mortem,
    shapes,
    showcase,
    spec,
    tools,
    traps,
)
from tests.samples.log import Log
from viewer.resources import SAMPLES_WRITTEN

SAMPLES: tuple[tuple[str, str, Callable[[Log], None]], ...] = (
    ("shop", "2.1.326", tools.plain),
    ("shop", "2.1.326", tools.every_tool),
    ("shop", "2.1.326", causes.every_error),
    ("shop", "2.1.37", causes.every_missing_result),
    ("shop", "2.1.37", hooks.old_hooks),
    ("shop", "2.1.326", hooks.new_hooks),
    ("shop", "2.1.326", shapes.parallel_calls),
    ("shop", "2.0.0", agents.inline_agents),
    ("shop", "2.0.76", agents.agents_beside),
    ("shop", "2.1.326", agents.nested_agents),
    ("notes", "2.1.326", shapes.rewind),
    ("notes", "2.1.326", shapes.compaction),
    ("notes", "2.1.326", shapes.queued_prompts),
    ("notes", "2.1.326", traps.images),
    ("notes", "2.1.326", traps.damaged_lines),
    ("notes", "2.1.326", traps.hostile_text),
    ("notes", "2.1.326", traps.stream_capture),
    ("shop", "2.1.326", showcase.showcase),
    ("till", "2.1.259", mortem.finished),
    ("till", "2.1.326", mortem.interrupted),
    ("till", "2.1.326", mortem.killed),
    ("till", "2.1.326", mortem.out_of_limits),
    ("till", "2.1.326", mortem.failed),
    ("till", "2.1.326", mortem.unanswered),
    ("till", "2.1.326", mortem.too_many_turns),
    ("till", "1.0.67", mortem.recoveries),
)
HEAD = """\
# Samples

Made-up sessions, one for each thing that the viewer has to cope with. `claude-view --demo` opens
them. `python -m tests.make_samples` writes them; edit `tests/samples/`, not the files.

| File | What it shows |
|---|---|
"""


def files() -> Iterator[tuple[str, bytes]]:
    """Every file by its path below the folder."""
    readme = HEAD
    for number, (project, version, fill) in enumerate(SAMPLES, 1):
        log = Log(number, project, version)
        fill(log)
        yield from log.files()
        about = (fill.__doc__ or "").partition("\n")[0]
        readme += f"| `{log.path}` | {about} |\n"
    for others in (codex.files, acp.files, messages.files, spec.files):
        for path, data, about in others():
            yield path, data
            readme += f"| `{path}` | {about} |\n"
    yield "README.md", readme.encode()


def main(argv: list[str]) -> None:
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = argv[0] if argv else os.path.join(here, "sample_sessions")
    for name, data in files():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        # A file that was just written would be taken for a session that still runs.
        os.utime(path, (SAMPLES_WRITTEN, SAMPLES_WRITTEN))


if __name__ == "__main__":
    main(sys.argv[1:])
