"""Waking when something happens, on real files."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from viewer.watch import Watcher


class Woken:
    """Collects what a watcher says."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._changed = threading.Condition()

    def __call__(self, paths: list[str]) -> None:
        with self._changed:
            self.paths += paths or [""]
            self._changed.notify_all()

    def until(self, name: str) -> bool:
        """Until a path ends so; an empty name stands for `something may have happened`."""
        with self._changed:
            return self._changed.wait_for(
                lambda: any(path.endswith(name) if name else not path for path in self.paths), 10
            )

    def forget(self) -> None:
        with self._changed:
            self.paths.clear()


@pytest.fixture
def woken() -> Woken:
    return Woken()


@pytest.fixture
def watcher(woken: Woken) -> Iterator[Watcher]:
    made = Watcher(woken)
    yield made
    made.stop()


def test_it_wakes_at_the_start_and_when_a_file_grows(
    tmp_path: Path, watcher: Watcher, woken: Woken
) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    watcher.watch([str(tmp_path)])
    assert woken.until("")
    for _ in range(3):
        # The watch begins a moment after it was asked for.
        path.write_text(path.read_text() + "x\n")
        if woken.until("a.jsonl"):
            break
    assert woken.until("a.jsonl")


def test_folders_may_come_later_and_be_replaced(
    tmp_path: Path, watcher: Watcher, woken: Woken
) -> None:
    folder = tmp_path / "later"
    watcher.watch([str(folder)])
    folder.mkdir()
    watcher.watch([str(folder)])
    assert woken.until("")
    folder.rename(tmp_path / "away")
    folder.mkdir()
    woken.forget()
    watcher.watch([str(folder)])  # another folder of the same name
    assert woken.until("")
    (folder / "b.jsonl").touch()
    assert woken.until("b.jsonl") or woken.until("")


def test_a_name_that_is_no_text_does_not_end_the_watching(
    tmp_path: Path, watcher: Watcher, woken: Woken
) -> None:
    watcher.watch([str(tmp_path)])
    assert woken.until("")
    woken.forget()
    os.close(os.open(os.fsencode(tmp_path) + b"/bad\xff.jsonl", os.O_CREAT | os.O_WRONLY))
    # watchfiles ends here; it is begun anew, which says that something may have happened.
    assert woken.until("") or woken.paths
    woken.forget()
    watcher.watch([str(tmp_path)])
    (tmp_path / "good.jsonl").touch()
    assert woken.until("good.jsonl") or woken.until("")


def test_without_watching_no_thread_is_started(
    tmp_path: Path, woken: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_VIEW_NO_WATCH", "1")
    before = threading.active_count()
    Watcher(woken).watch([str(tmp_path)])
    assert threading.active_count() == before
    assert woken.paths == []
