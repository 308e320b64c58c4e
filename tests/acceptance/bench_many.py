"""Speed over many files and over the files of other formats (see bench.py)."""

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orjson

from tests.acceptance import gen_formats
from tests.acceptance.shared import CORPUS

Row = Callable[[str, float, float, str], bool]
Timed = Callable[..., tuple[float, float]]
BestOf = Callable[..., list[float]]
_VIEWER = (sys.executable, "-m", "viewer")
_RARE = "quetzalcoatl_needle"  # what the generated fleet holds a few times


def _orjson_over(paths: list[Path]) -> float:
    begun = time.perf_counter()
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                try:
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    pass
    return time.perf_counter() - begun


def other_formats(folder: Path, timed: Timed, best_of: BestOf, row: Row) -> list[bool]:
    """The bar is that of Claude Code's files for each record: of 50 MB, by their own number."""
    claude = folder / "100000000.jsonl"
    good = []
    records = _count(claude)
    for kind in gen_formats.MAKERS:
        path = folder / f"{kind}.jsonl"
        if not path.exists():
            gen_formats.write(kind, path, 50_000_000)
        own = _count(path)
        plain, mine, theirs = best_of(
            3,
            partial(_orjson_over, [path]),
            lambda path=path: timed(*_VIEWER, "check", str(path), home=folder)[0],
            lambda: timed(*_VIEWER, "check", str(claude), home=folder)[0],
        )
        detail = f"{mine / own * 1e6:.1f} µs a record; {mine / plain:.1f} times orjson"
        ratio = mine / own / (theirs / records)
        good.append(row(f"check {kind} 50 MB, a record, times a Claude record", ratio, 1.2, detail))
        _, peak = timed(*_VIEWER, "check", str(path), home=folder)
        good.append(row(f"check {kind} 50 MB, peak RSS in MB", peak, 70, "60 + 0.2 × size"))
    return good


def _count(path: Path) -> int:
    with path.open("rb") as file:  # not read whole: a child begins with the memory of its parent
        return sum(1 for _ in file)


def whole_corpus(folder: Path, timed: Timed, best_of: BestOf, row: Row) -> list[bool]:
    if not CORPUS.exists():
        return []
    paths = [path for path in CORPUS.rglob("*") if path.suffix in (".jsonl", ".json")]
    plain, mine = best_of(
        5,
        lambda: _orjson_over(paths),
        lambda: timed(*_VIEWER, "check", str(CORPUS), home=folder)[0],
    )
    detail = f"{mine:.2f} s, orjson {plain:.2f} s"
    return [row("check of the corpus, times orjson", mine / plain, 3, detail)]


def search(home: Path, timed: Timed, best_of: BestOf, row: Row) -> list[bool]:
    def grep() -> float:
        begun = time.perf_counter()
        projects = home / ".claude" / "projects"
        subprocess.run(["grep", "-rl", _RARE, str(projects)], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begun

    plain, mine = best_of(5, grep, lambda: timed(*_VIEWER, "search", _RARE, home=home)[0])
    detail = f"{mine:.2f} s, grep {plain:.2f} s"
    return [row("search 2 GB for a rare word, times grep -rl", mine / plain, 3, detail)]
