"""The reader on a real terminal, measured: first screen, keys, memory, search (`make bench`)."""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from tests.terminal import Terminal
from viewer.load import load
from viewer.search import Query, search

PROGRAM = str(Path(sys.executable).parent / "claude-view")
EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("Outline")

Empty().run()
"""
Row = Callable[[str, float, float, str], bool]


def empty_app(folder: Path) -> list[str]:
    """The command that starts a Textual app with one word in it."""
    path = folder / "empty.py"
    path.write_text(EMPTY)
    return [sys.executable, str(path)]


def first_paint(command: list[str], home: Path) -> float:
    with Terminal(command, 120, 40, env={"HOME": str(home)}) as terminal:
        assert terminal.expect("Outline", 60) is not None
        assert terminal.first_paint_ms is not None
        return terminal.first_paint_ms


def key_times(path: Path, home: Path, *, loaded: bool) -> tuple[list[float], int]:
    """How long a key takes until something has changed on the screen, and the peak memory."""
    with Terminal([PROGRAM, str(path)], 120, 40, env={"HOME": str(home)}) as terminal:
        assert terminal.expect("Outline", 60) is not None
        if loaded:
            terminal.until(lambda screen: "reading" not in screen, 60)
        times: list[float] = []
        for number in range(100):
            before = terminal.text()
            terminal.send("pagedown" if number % 10 == 9 else "j")
            took = terminal.until(lambda screen, before=before: screen != before, 10)  # type: ignore[misc]
            assert took is not None
            times.append(took)
        terminal.until(lambda screen: "reading" not in screen, 60)
        terminal.send("G")
        assert terminal.until(lambda screen: "100%" in screen, 20) is not None
        terminal.send("q")
        terminal.wait_exit()
        return sorted(times), terminal.peak_rss_kb // 1024


def measure(folder: Path, small: Path, large: Path, many: Path, row: Row) -> list[bool]:
    good: list[bool] = []
    commands = {
        "empty": empty_app(folder),
        "1 MB": [PROGRAM, str(small)],
        "100 MB": [PROGRAM, str(large)],
        "100k entries": [PROGRAM, str(many)],
    }
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(7):
        for name, command in commands.items():
            best[name] = min(best[name], first_paint(command, folder))
    for name in ("100 MB", "100k entries"):
        detail = f"{best[name]:.0f} ms, 1 MB {best['1 MB']:.0f} ms"
        ratio = best[name] / best["1 MB"]
        good.append(row(f"reader, first screen of {name}, times that of 1 MB", ratio, 1.2, detail))
    detail = f"{best['1 MB']:.0f} ms, empty {best['empty']:.0f} ms"
    ratio = best["1 MB"] / best["empty"]
    good.append(row("reader, first screen, times an empty Textual app", ratio, 1.5, detail))
    for name, path in (("100 MB", large), ("100k entries", many)):
        for loaded in (False, True):
            times, peak = key_times(path, folder, loaded=loaded)
            what = f"reader, {name}, {'loaded' if loaded else 'while it loads'}"
            median, late = statistics.median(times), times[int(len(times) * 0.95)]
            good.append(row(f"{what}, key to paint, median ms", median, 30, ""))
            good.append(row(f"{what}, key to paint, p95 ms", late, 80, ""))
        limit = 120 + 0.2 * path.stat().st_size / 1e6
        good.append(row(f"reader, {name}, peak RSS in MB", peak, limit, "120 + 0.2 × size"))
    good.append(search_row(large, row))
    return good


def search_row(path: Path, row: Row) -> bool:
    transcript = load(str(path))
    plain = found = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)
        plain = min(plain, time.perf_counter() - begun)
        begun = time.perf_counter()
        hits = sum(len(each) for each in search(transcript, Query("the")))
        found = min(found, time.perf_counter() - begun)
    detail = f"{found:.2f} s for {hits} hits, orjson {plain:.2f} s"
    return row("search for a common word in 100 MB, times orjson", found / plain, 3, detail)
