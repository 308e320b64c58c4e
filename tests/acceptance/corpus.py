"""Every real transcript against the plainest count of it: `make corpus`.

For each file: no traceback from `show` in any form nor from `check`, and the document agrees with
corpus/oracle.py. Prints one line for each file that differs, then why calls failed and results are
missing, with the texts that no class fits; exit 1 if a file differs, or more than a tenth of the
failed calls have no class.
"""

import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.acceptance.shared import CORPUS, module, must_exist
from viewer.document import document, dump
from viewer.load import load
from viewer.model import Call, Liveness
from viewer.problems import find
from viewer.render import as_markdown, as_report, as_text
from viewer.summary import summarize
from viewer.text import one_line

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


class Causes:
    """Why calls failed and results are missing, over all files."""

    def __init__(self) -> None:
        self.failed: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()
        self.recovered: Counter[str] = Counter()
        self.endings: Counter[str] = Counter()
        self.unclassed: Counter[str] = Counter()  # the texts of those in no class
        self.unknown: list[str] = []  # where results are missing, and nothing says why
        self._seen: set[tuple[str | None, str | None, int]] = set()

    def take(self, path: str) -> None:
        found = summarize(load(path))
        self.endings[found.ending.kind] += 1
        for failure in found.failures:
            call = failure.place.call
            if self._is_new(path, call):
                self.failed[failure.cause or "none"] += 1
                self.recovered[failure.recovery.pattern if failure.recovery else "never"] += 1
                if failure.cause in ("OTHER", None) and call.answer is not None:
                    self.unclassed[f"{call.name}: {one_line(call.answer.text[:300], 140)}"] += 1
        for missing in found.missing:
            if self._is_new(path, missing.place.call):
                self.missing[missing.cause or "none"] += 1
                if missing.cause == "UNKNOWN":
                    self.unknown.append(f"{path}:{missing.place.call.row.line}")

    def _is_new(self, path: str, call: Call) -> bool:
        """A sub-agent's file is read with its session's and by itself."""
        key = (call.id, call.name, call.row.line) if call.id else (path, call.name, call.row.line)
        known = key in self._seen
        self._seen.add(key)
        return not known

    @property
    def share_of_other(self) -> float:
        return (self.failed["OTHER"] + self.failed["none"]) / max(1, self.failed.total())

    def lines(self) -> Iterator[str]:
        counted = {
            "failed calls": self.failed,
            "made good": self.recovered,
            "missing results": self.missing,
            "endings": self.endings,
        }
        for words, counts in counted.items():
            yield f"{words}: {counts.total()}"
            for name, count in counts.most_common():
                yield f"  {name:20} {count:5}"
        yield f"in no class: {self.share_of_other:.1%} of failed calls (at most 10 %)"
        for text, count in self.unclassed.most_common():
            yield f"  {count:4}  {text}"
        yield from (f"nothing says why: {place}" for place in self.unknown)


def main() -> int:
    folder = must_exist(CORPUS)
    count = module(folder / "oracle.py").count
    formats: dict[str, int] = {}
    causes = Causes()
    differing = 0
    for path in transcripts(folder):
        try:
            form, difference = compare(path, count)
        except Exception:
            form, difference = "traceback", traceback.format_exc()
        else:
            causes.take(str(path))
        formats[str(form)] = formats.get(str(form), 0) + 1
        if difference:
            differing += 1
            print(f"{path.relative_to(folder)}: {difference}")
    said = ", ".join(f"{number} {name}" for name, number in sorted(formats.items()))
    print(f"{sum(formats.values())} files ({said}); {differing} differ")
    for line in causes.lines():
        print(line)
    return 1 if differing or causes.share_of_other > 0.1 else 0


if __name__ == "__main__":
    sys.exit(main())
