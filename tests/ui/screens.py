"""Helpers for tests of the screens."""

from textual.pilot import Pilot

from viewer.ui.reader import Reader


async def loaded(pilot: Pilot[None], reader: Reader) -> None:
    """Until everything that was there is read."""
    while reader.busy:
        await pilot.pause()
    await pilot.pause()
