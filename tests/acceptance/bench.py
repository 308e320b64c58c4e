"""Speed and memory against the bars of the design, as ratios within one run: `make bench`.

usage: python -m tests.acceptance.bench [FOLDER] [--sizes 100,1000]   (FOLDER keeps the made files)
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orjson

from tests.acceptance import bench_live, bench_many, bench_reader
from tests.acceptance.shared import CHECKOUT, SHARED, must_exist

PYTHON = sys.executable


def timed(*command: str, home: Path) -> tuple[float, float]:
    """Seconds, and the peak memory in MB."""
    env = {**os.environ, "HOME": str(home), "PYTHONPATH": str(CHECKOUT)}
    for name in ("CLAUDE_CONFIG_DIR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
        env.pop(name, None)
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, cwd="/")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), command
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def best_of(times: int, *works: Callable[[], float]) -> list[float]:
    """The best time of each, taken in turns: what disturbs one run disturbs all of them."""
    best = [float("inf")] * len(works)
    for _ in range(times):
        best = [min(known, work()) for known, work in zip(best, works, strict=True)]
    return best


def orjson_over(path: Path) -> float:
    """The yardstick: every line parsed, the result thrown away."""
    begun = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    return time.perf_counter() - begun


def both_ends(root: Path) -> float:
    """The yardstick for `list`: stat every file, read 64 kB of both its ends."""
    begun = time.perf_counter()
    for folder, _, names in os.walk(root):
        for name in names:
            fd = os.open(os.path.join(folder, name), os.O_RDONLY)
            size = os.fstat(fd).st_size
            os.pread(fd, 65536, 0)
            os.pread(fd, 65536, max(0, size - 65536))
            os.close(fd)
    return time.perf_counter() - begun


def row(name: str, measured: float, bar: float, detail: str) -> bool:
    good = measured <= bar
    print(f"| {name} | {measured:.2f} | {bar:g} | {'yes' if good else '**no**'} | {detail} |")
    return good


def generate(generator: Path, kind: str, target: Path, *options: str) -> Path:
    if not target.exists():
        subprocess.run(
            [PYTHON, str(generator), kind, str(target), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return target


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--sizes", default="100,1000", help="of the sessions, in MB")
    arguments = parser.parse_args()
    generator = must_exist(SHARED / "bench" / "gen.py")
    with tempfile.TemporaryDirectory() as made:
        folder: Path = (arguments.folder or Path(made)).absolute()
        sizes = [int(size) for size in arguments.sizes.split(",")]
        return 0 if all(measure(generator, folder, sizes)) else 1


def measure(generator: Path, folder: Path, sizes: list[int]) -> list[bool]:
    viewer = (PYTHON, "-m", "viewer")
    folder.mkdir(parents=True, exist_ok=True)
    print("| what | measured | bar | met | detail |")
    print("|---|--:|--:|---|---|")
    good = []
    for size in sizes:
        path = generate(generator, "single", folder / f"{size}000000.jsonl", f"{size}000000")
        orjson_over(path)  # into the page cache
        _, peak = timed(*viewer, "check", str(path), home=folder)
        plain, seconds = best_of(
            5,
            partial(orjson_over, path),
            lambda path=path: timed(*viewer, "check", str(path), home=folder)[0],  # type: ignore[misc]
        )
        detail = f"{seconds:.2f} s, orjson {plain:.2f} s"
        good.append(row(f"check {size} MB, times orjson", seconds / plain, 3, detail))
        limit = 60 + 0.2 * path.stat().st_size / 1e6
        good.append(row(f"check {size} MB, peak RSS in MB", peak, limit, "60 + 0.2 × size"))
    program = str(Path(PYTHON).parent / "claude-view")
    empty, version = best_of(
        9,
        lambda: timed(PYTHON, "-c", "pass", home=folder)[0],
        lambda: timed(program, "--version", home=folder)[0],
    )
    detail = f"{version * 1000:.0f} ms, python -c pass {empty * 1000:.0f} ms"
    good.append(row("--version, times python -c pass", version / empty, 4, detail))
    home = generate(generator, "fleet", folder / "fleet")
    home = home / "home" if (home / "home").is_dir() else home
    both_ends(home)
    ends, listed = best_of(5, lambda: both_ends(home), lambda: timed(*viewer, "list", home=home)[0])
    detail = f"{listed:.2f} s, both ends {ends:.2f} s"
    good.append(row("list of the fleet, times reading both ends", listed / ends, 5, detail))
    good += bench_many.search(home, timed, best_of, row)
    good += bench_many.whole_corpus(folder, timed, best_of, row)
    generate(generator, "single", folder / "100000000.jsonl", "100000000")
    good += bench_many.other_formats(folder, timed, best_of, row)
    middle = generate(generator, "single", folder / "10000000.jsonl", "10000000")
    good += bench_live.measure(folder, middle, row)
    empty_app = bench_reader.empty_app(folder)
    good += bench_live.measure_browser(folder, home, lambda: both_ends(home), empty_app, row)
    small = generate(generator, "single", folder / "1000000.jsonl", "1000000")
    large = generate(generator, "single", folder / "100000000.jsonl", "100000000")
    # As many as 100,000 entries in the outline.
    many = generate(generator, "single", folder / "730000000.jsonl", "730000000")
    return good + bench_reader.measure(folder, small, large, many, row)


if __name__ == "__main__":
    sys.exit(main())
