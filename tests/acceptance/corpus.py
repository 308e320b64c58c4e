"""Every real transcript against the plainest count of it: `make corpus`.

For each file: no traceback from `show` in any form nor from `check`, and the document agrees with
corpus/oracle.py. Prints one line for each file that differs; exit 1 if one does.
"""

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.acceptance.shared import CORPUS, module, must_exist
from viewer.document import document, dump
from viewer.load import load
from viewer.model import Liveness
from viewer.problems import find
from viewer.render import as_markdown, as_report, as_text

OPEN = ("missing", "in_progress", "pending")
SUFFIXES = (".jsonl", ".ndjson", ".json", ".log", ".txt")


def transcripts(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES and not path.name.endswith(".meta.json"):
            yield path


def counts(shown: dict[str, Any]) -> dict[str, int]:
    """The oracle's counts, taken from our document."""
    records = shown["records"]
    own = [call for call in shown["calls"] if call["file"] is None and call["id"] is not None]
    orphans = [p for p in shown["problems"] if p["kind"] == "orphan_result" and p["file"] is None]
    return {
        "records": records["total"] - records["salvaged"],
        "calls": len(own),
        "failed": sum(call["status"] == "failed" for call in own),
        "unanswered": sum(call["status"] in OPEN for call in own),
        "orphans": sum(p["call"] is not None for p in orphans),
    }


def compare(path: Path, count: Any) -> tuple[str | None, str]:
    """The format of a file, and how our reading differs from the oracle's."""
    transcript = load(str(path))
    shown = document(transcript)
    dump(shown)
    for _ in as_text(transcript, Liveness(), 100):
        pass
    for _ in as_markdown(transcript, Liveness()):
        pass
    for _ in as_report(transcript, find(transcript), str(path)):
        pass
    form = shown["format"]
    if form not in ("claude", "stream-json"):
        return form, ""
    ours, theirs = counts(shown), count(str(path))
    differ = [f"{key} {ours[key]} not {theirs[key]}" for key in ours if ours[key] != theirs[key]]
    return form, ", ".join(differ)


def main() -> int:
    folder = must_exist(CORPUS)
    count = module(folder / "oracle.py").count
    formats: dict[str, int] = {}
    differing = 0
    for path in transcripts(folder):
        try:
            form, difference = compare(path, count)
        except Exception:
            form, difference = "traceback", traceback.format_exc()
        formats[str(form)] = formats.get(str(form), 0) + 1
        if difference:
            differing += 1
            print(f"{path.relative_to(folder)}: {difference}")
    said = ", ".join(f"{number} {name}" for name, number in sorted(formats.items()))
    print(f"{sum(formats.values())} files ({said}); {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
