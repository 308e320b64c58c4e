"""Pictures of the reader on the samples, compared to the letter.

`make pictures` draws them anew; look at what changed before you commit it. The first one is the
picture in the README.
"""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from tests.ui.screens import loaded
from viewer.resources import sample_sessions
from viewer.start import Start
from viewer.ui.app import ViewerApp
from viewer.ui.browser import Browser
from viewer.ui.reader import Reader

FOLDER = Path(__file__).parents[1] / "snapshots"
SAMPLES = {path.stem[:8]: path for path in sorted(sample_sessions().glob("*/0*.jsonl"))}
# The fonts that rich names would be fetched by whoever looks at the picture.
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.S)


@pytest.mark.parametrize(
    ("name", "sample", "size", "keys"),
    [
        ("reader", "00000018", (120, 36), "jjjjj"),
        ("narrow", "00000018", (80, 24), "e"),
        ("small", "00000018", (40, 10), "e"),
        ("errors", "00000003", (120, 36), "e"),
        ("missing", "00000004", (120, 36), "w"),
        ("hooks", "00000006", (120, 36), "ee"),
        ("parallel", "00000007", (120, 36), "jj"),
        ("agents", "00000010", (120, 36), "e"),
        ("damaged", "00000015", (120, 36), "e"),
        ("hostile", "00000016", (120, 36), "j"),
        ("edit", "00000002", (120, 36), "jjjj"),
        ("light", "00000018", (120, 36), "jjjjj"),
        ("problems", "00000018", (100, 30), "!"),
    ],
)
async def test_the_screen_is_as_it_was(
    name: str, sample: str, size: tuple[int, int], keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    app = ViewerApp(
        Start(path=str(SAMPLES[sample]), theme="textual-light" if name == "light" else None)
    )
    async with app.run_test(size=size) as pilot:
        reader = app.screen
        assert isinstance(reader, Reader)
        await loaded(pilot, reader)
        await pilot.press(*keys)
        await pilot.pause()
        reader.detail.draw()
        reader.name_place()
        await pilot.pause()
        compare(name, app)


def compare(name: str, app: ViewerApp) -> None:
    drawn = _FONT.sub("", app.export_screenshot(title="claude-view", simplify=True))
    kept = FOLDER / f"{name}.svg"
    if os.environ.get("UPDATE_PICTURES"):
        kept.write_text(drawn + "\n")
    assert drawn + "\n" == kept.read_text()


@pytest.mark.parametrize(("name", "size"), [("browser", (120, 30)), ("browser-narrow", (80, 24))])
async def test_the_list_is_as_it_was(
    name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The samples as somebody's own sessions, each a while after the other, at a fixed time."""
    now = 1_790_000_000.0
    shutil.copytree(sample_sessions(), tmp_path / ".claude" / "projects")
    paths = sorted((tmp_path / ".claude").rglob("0*.jsonl"), reverse=True)
    for number, path in enumerate(paths):
        os.utime(path, (now, now - 40 * 2 ** min(number, 20)))
    others = sorted(set((tmp_path / ".claude").rglob("*.*")) - set(paths))
    for number, path in enumerate(others):
        os.utime(path, (now, now - 86_400 * (400 + number)))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(time, "time", lambda: now)
    app = ViewerApp(Start(roots=[str(tmp_path / ".claude")]))
    async with app.run_test(size=size) as pilot:
        browser = app.screen
        assert isinstance(browser, Browser)
        catalogue = browser.shelf.catalogue
        while not browser.complete or not all(each.counted for each in catalogue.sessions):
            await pilot.pause(0.01)
        await pilot.press("j")
        while browser.shelf.current is None or browser.shelf.current.last is None:
            await pilot.pause(0.01)
        browser.update()
        await pilot.pause()
        compare(name, app)
