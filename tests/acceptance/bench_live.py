"""Following and the browser on a real terminal, measured (`make bench`)."""

import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import orjson

from tests.terminal import Terminal

PROGRAM = str(Path(sys.executable).parent / "claude-view")
Row = Callable[[str, float, float, str], bool]
UUID = "00000000-0000-4000-8000-{:012}"
_IDLE = 60.0  # seconds


def record(number: int, words: str) -> bytes:
    """One more reply at the end of a generated session."""
    message = {"id": f"live{number}", "role": "assistant",
               "content": [{"type": "text", "text": words}]}  # fmt: skip
    value = {"parentUuid": None, "isSidechain": False, "type": "assistant", "uuid": f"live{number}",
             "timestamp": "2026-11-01T10:00:00.000Z", "message": message}  # fmt: skip
    return orjson.dumps(value) + b"\n"


def append(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, data)
    os.close(fd)


def follow(path: Path, home: Path, **env: str) -> Terminal:
    command = [PROGRAM, "-f", str(path)]
    return Terminal(command, 120, 40, env={"HOME": str(home), **env})


def until_loaded(terminal: Terminal) -> None:
    assert terminal.expect("LIVE following", 60) is not None, terminal.text()
    terminal.settle(0.3)


def append_times(path: Path, home: Path, times: int, **env: str) -> list[float]:
    """How long a record takes from the file to the screen."""
    found: list[float] = []
    with follow(path, home, **env) as terminal:
        append(path, record(10**9, "begin"))
        until_loaded(terminal)
        for number in range(times):
            terminal.settle(0.1 + 0.013 * (number % 7))
            words = f"appended-{number}-{time.monotonic_ns() % 100_000}"
            terminal.send()  # the time starts here
            append(path, record(time.monotonic_ns(), words))
            took = terminal.expect(words, 10)
            assert took is not None, terminal.text()
            found.append(took)
    return sorted(found)


def pour(path: Path, a_second: int, seconds: float) -> tuple[int, float]:
    """Write lines at a steady pace; how many, and when it ended."""
    begun, written = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < seconds:
        due = int(passed * a_second)
        if due > written:
            numbers = range(written, due)
            append(path, b"".join(record(n, f"flood-{n:06} " + "x" * 200) for n in numbers))
            written = due
        time.sleep(0.005)
    append(path, record(-1, "the-flood-is-over"))
    return written, time.perf_counter()


def flood(path: Path, home: Path) -> tuple[list[float], float, int]:
    """Keys while 1,000 lines a second come: their times, how long it took to catch up, and how
    many lines were lost."""
    with follow(path, home) as terminal:
        append(path, record(10**9, "begin"))
        until_loaded(terminal)
        before = rows_of(terminal)
        # In a process of its own: here it would take time from the measuring.
        writer = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        poured = writer.submit(pour, path, 1000, 10.0)
        times: list[float] = []
        terminal.send("k")  # the view stands still, so that only keys move the cursor
        assert terminal.expect("PAUSED", 5) is not None, terminal.text()
        while not poured.done():
            before_key = cursor(terminal)
            terminal.send("k")
            # What comes is stamped as it arrives, and looked at afterwards: emulating a terminal
            # is slower than any terminal, and would hold up the program.
            time.sleep(0.1)
            took = terminal.until(lambda _, known=before_key: cursor(terminal) != known, 5)  # type: ignore[misc]
            assert took is not None, terminal.text()
            times.append(took)
            terminal.settle(0.02, 0.05)
        written, ended = poured.result()
        writer.shutdown()
        begun = time.perf_counter()
        terminal.send("G")
        took = terminal.expect("the-flood-is-over", 30)
        assert took is not None, terminal.text()
        late = begun + took / 1000 - ended
        terminal.settle(0.5)
        return sorted(times), late, before + written + 1 - rows_of(terminal)


def cursor(terminal: Terminal) -> str:
    return next((line[:59] for line in terminal.text().split("\n") if "▌" in line), "")


def rows_of(terminal: Terminal) -> int:
    """How many rows the outline has, as the status bar says."""
    place = terminal.text().split("\n")[-2].split(" · ")[-2]
    return int(place.rpartition("/")[2])


def idle(path: Path, home: Path) -> tuple[float, int, float]:
    """CPU in per cent, more descriptors, more MB, of a followed session that nobody writes."""
    with follow(path, home) as terminal:
        append(path, record(10**9, "begin"))
        until_loaded(terminal)
        terminal.settle(1.0, 5.0)
        cpu, files, memory = usage(terminal.pid)
        time.sleep(_IDLE)
        cpu_after, files_after, memory_after = usage(terminal.pid)
    return 100 * (cpu_after - cpu) / _IDLE, files_after - files, memory_after - memory


def usage(pid: int) -> tuple[float, int, float]:
    """Seconds of CPU, open descriptors, MB."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return ticks / os.sysconf("SC_CLK_TCK"), len(os.listdir(f"/proc/{pid}/fd")), memory / 1e6


def home_of_500(folder: Path, source: Path) -> Path:
    """A home with 500 sessions in 25 projects, and one that is followed."""
    home = folder / "home500"
    projects = home / ".claude" / "projects"
    if not projects.exists():
        head = b"".join(source.open("rb").readlines()[:20])
        for number in range(500):
            path = projects / f"-p{number % 25}" / f"{UUID.format(number)}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(head)
    return home


def measure(folder: Path, middle: Path, row: Row) -> list[bool]:
    """Following, on a session of 10 MB."""
    good: list[bool] = []
    home = home_of_500(folder, middle)
    path = home / ".claude" / "projects" / "-p0" / f"{UUID.format(999)}.jsonl"

    def fresh() -> Path:
        shutil.copyfile(middle, path)
        return path

    times = append_times(fresh(), home, 50)
    good.append(row("append to screen, 10 MB, median ms", statistics.median(times), 100, ""))
    good.append(row("append to screen, 10 MB, p95 ms", times[int(len(times) * 0.95)], 200, ""))
    blind = append_times(fresh(), home, 12, CLAUDE_VIEW_NO_WATCH="1")
    good.append(row("append to screen without watching, longest ms", blind[-1], 2000, ""))
    times, late, lost = flood(fresh(), home)
    detail = f"{len(times)} keys"
    good.append(
        row("1,000 lines/s, key to paint, p95 ms", times[int(len(times) * 0.95)], 100, detail)
    )
    good.append(row("1,000 lines/s, s behind at the end", late, 1, ""))
    good.append(row("1,000 lines/s, lines lost", abs(lost), 0, ""))
    cpu, files, memory = idle(fresh(), home)
    good.append(row("idle following for 60 s, CPU in %", cpu, 1, ""))
    good.append(row("idle following for 60 s, more descriptors", files, 0, ""))
    good.append(row("idle following for 60 s, more MB", memory, 1, ""))
    path.unlink()
    return good


# The browser


def first_list(home: Path, words: str, cache: Path) -> float:
    """Milliseconds until the list is there, with the titles of what is on the screen."""
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}
    with Terminal([PROGRAM], 120, 40, env=env, cwd="/") as terminal:
        took = terminal.until(lambda screen: words in screen and "⋯" not in titles(screen), 60)
        assert took is not None, terminal.text()
        return took


def titles(screen: str) -> str:
    """What stands where titles do; three dots until a file was looked at."""
    return "\n".join(line[50:70] for line in screen.split("\n")[3:30])


def described(home: Path, cache: Path) -> float:
    """Milliseconds until the ends of all files were read: then counting begins, or is over."""
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}
    with Terminal([PROGRAM], 120, 40, env=env, cwd="/") as terminal:
        took = terminal.until(lambda screen: "counting" in screen or "2000 sessions " in screen, 60)
        assert took is not None, terminal.text()
        return took


def scroll_times(home: Path, cache: Path) -> list[float]:
    """Key to paint in the list while whole files are counted."""
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}
    with Terminal([PROGRAM], 120, 40, env=env, cwd="/") as terminal:
        assert terminal.expect("sessions", 60) is not None
        times: list[float] = []
        for number in range(100):
            before = terminal.text()
            terminal.send("pagedown" if number % 5 == 4 else "j")
            took = terminal.until(lambda screen, before=before: screen != before, 10)  # type: ignore[misc]
            assert took is not None
            times.append(took)
            terminal.settle(0.01, 0.03)
        return sorted(times)


def measure_browser(
    folder: Path, home: Path, ends: Callable[[], float], empty: list[str], row: Row
) -> list[bool]:
    """The list of the fleet: 2,000 sessions of 2 GB."""
    claude = folder / "browsed"
    if not claude.exists():
        claude.mkdir()
        os.symlink(home / ".claude" if (home / ".claude").is_dir() else home, claude / ".claude")
    cold, warm = folder / "cold", folder / "warm"
    # The time of everything described is told without a bar: the list is usable long before.
    best = {"ends": float("inf"), "empty": float("inf"), "first": float("inf"),
            "all": float("inf"), "second": float("inf")}  # fmt: skip
    for _ in range(5):
        shutil.rmtree(cold, ignore_errors=True)
        best["ends"] = min(best["ends"], ends() * 1000)
        with Terminal(empty, 120, 40, env={"HOME": str(folder)}) as terminal:
            terminal.expect("Outline", 60)
            best["empty"] = min(best["empty"], terminal.first_paint_ms or 0)
        best["first"] = min(best["first"], first_list(claude, "2000 sessions", cold))
        best["all"] = min(best["all"], described(claude, cold))
    detail = f"{best['first']:.0f} ms, empty app {best['empty']:.0f} ms, ends {best['ends']:.0f} ms"
    ratio = (best["first"] - best["empty"]) / best["ends"]
    good = [row("browser, first list beyond an empty app, times both ends", ratio, 5, detail)]
    ratio = (best["all"] - best["empty"]) / best["ends"]
    detail = f"{best['all']:.0f} ms"
    row("browser, all 2,000 titles beyond an empty app, times both ends", ratio, 99, detail)
    times = scroll_times(claude, cold)
    late = times[int(len(times) * 0.95)]
    detail = f"median {statistics.median(times):.0f} ms"
    good.append(row("browser, key to paint while counting, p95 ms", late, 50, detail))
    fill_cache(claude, warm)
    for _ in range(5):
        best["second"] = min(best["second"], first_list(claude, "2000 sessions", warm))
    detail = f"{best['second']:.0f} ms, first start {best['first']:.0f} ms"
    good.append(row("browser, second start, times the first", best["second"] / best["first"], 1.1,
                    detail))  # fmt: skip
    return good


def fill_cache(home: Path, cache: Path) -> None:
    """Leave the browser open until it has counted everything."""
    env = {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}
    with Terminal([PROGRAM], 120, 40, env=env, cwd="/") as terminal:
        terminal.expect("counting", 30)
        counted = terminal.until(
            lambda screen: "2000 sessions" in screen and "counting" not in screen, 300
        )
        assert counted is not None, terminal.text()
        terminal.send("q")
        terminal.wait_exit()
