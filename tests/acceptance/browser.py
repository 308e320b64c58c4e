"""A headless Chromium that looks at a page: what it asked for, what it complained of, a picture.

It is spoken to through two pipes (the DevTools protocol, an object and a NUL each).
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_PATIENCE = 30.0  # seconds
_ARGUMENTS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run".split()


class Browser:
    def __init__(self) -> None:
        assert CHROMIUM is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reading, self._to = os.pipe()
        self._from, writing = os.pipe()
        # It reads from 3 and writes to 4, whatever stands there here.
        asked, said = (fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in (reading, writing))
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{asked} 4>&{said}', "bash", CHROMIUM, *_ARGUMENTS,
             "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}"],
            pass_fds=(asked, said), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for each in (reading, writing, asked, said):
            os.close(each)
        self._number = 0
        self._rest = b""
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self._number:
                assert "error" not in said, said
                return dict(said["result"])
            self._events.append(said)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], _PATIENCE)
            data = os.read(self._from, 1 << 16) if ready else b""
            assert data, "the browser is gone, or says nothing"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def open(self, page: Path, fragment: str = "", width: int = 1400, height: int = 1000) -> None:
        """Show a page, until all of it has come."""
        self._go("about:blank")
        self._events.clear()
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self._go(page.as_uri() + fragment)

    def _go(self, url: str) -> None:
        self._events = [e for e in self._events if e["method"] != "Page.loadEventFired"]
        self.ask("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._events.append(self._next())

    def requests(self) -> list[str]:
        """What the page asked for, itself not counted."""
        sent = [e for e in self._events if e["method"] == "Network.requestWillBeSent"]
        urls = [str(event["params"]["request"]["url"]) for event in sent]
        return urls[1:]

    def complaints(self) -> list[str]:
        """What it wrote to the console: errors, refusals of the content security policy."""
        said = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [json.dumps(event["params"]) for event in self._events if event["method"] in said]

    def value(self, expression: str) -> Any:
        asked = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return asked["result"].get("value")

    def picture(self, path: Path, *, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
