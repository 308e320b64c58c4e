"""Nothing in a transcript acts: no markup, no link, no file, wherever one clicks."""

from pathlib import Path

import pytest
from textual.app import App

from tests.build import Chain
from tests.ui.screens import loaded
from viewer.start import Start
from viewer.ui.app import ViewerApp
from viewer.ui.reader import Reader

_TRAPS = (
    "[@click=app.quit]Q[/] [@click=app.screenshot('x.svg','.')]S[/] [link=file:///etc/passwd]L[/link]"
    " [t](file:///etc/passwd) [t](javascript:alert(1)) [t](vscode://x) [t](https://evil.example)"
    " <https://evil.example> https://evil.example ![i](http://evil.example/i.png) [/] [/foo] [b"
    " &#27;[2J &#x202e;x <b>tag</b> \x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\"
)


@pytest.fixture
def traps(tmp_path: Path) -> Path:
    chain = Chain("[@click=app.quit]id")
    for _ in range(4):
        chain.prompt(_TRAPS)
        chain.reply(_TRAPS)
        chain.call(f"a{len(chain.records)}", "[@click=app.quit]Tool", command=_TRAPS)
        chain.result(f"a{len(chain.records) - 1}", _TRAPS, error=True)
    chain.state("custom-title", customTitle=_TRAPS)
    return chain.write(tmp_path / "s.jsonl")


@pytest.mark.parametrize("row", [1, 2])
async def test_clicking_everywhere_does_nothing_but_move(
    traps: Path, row: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(App, "open_url", lambda *args: opened.append(str(args)))
    monkeypatch.setattr("webbrowser.open", lambda *args: opened.append(str(args)))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    app = ViewerApp(Start(path=str(traps)))
    async with app.run_test(size=(110, 24)) as pilot:
        reader = app.screen
        assert isinstance(reader, Reader)
        await loaded(pilot, reader)
        await pilot.press(*"j" * row)
        for y in range(3, 21, 2):
            for x in range(1 + y % 5, 109, 9):
                await pilot.click(offset=(x, y))
        assert app.is_running
        assert app.screen is reader
    assert opened == []
    assert sorted(tmp_path.iterdir()) == before


async def test_tags_and_markup_are_shown_as_they_stand(traps: Path) -> None:
    app = ViewerApp(Start(path=str(traps)))
    async with app.run_test(size=(160, 40)) as pilot:
        reader = app.screen
        assert isinstance(reader, Reader)
        await pilot.press("j")
        reader.detail.draw()
        await pilot.pause()
        shown = " ".join(strip.text for strip in reader.detail.lines.strips)
    for words in ("[@click=app.quit]Q[/]", "<b>tag</b>", "file:///etc/passwd", "[/foo] [b"):
        assert words in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
