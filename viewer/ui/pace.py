"""Work in the background that lets keys come first."""

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

SLICE = 0.006  # seconds of work before keys are looked at
_YIELD = 0.04  # seconds after a key in which the screen has precedence
_AT_MOST = 0.25  # whoever holds a key down does not stop the work


async def breathe(app: "App[None]") -> None:
    """Whoever works with the screen does not wait for files."""
    await asyncio.sleep(0)
    limit = time.perf_counter() + _AT_MOST
    while True:
        now = time.perf_counter()
        if now > limit or now - getattr(app, "last_input", 0.0) > _YIELD:
            return
        await asyncio.sleep(0.005)
