"""Every test has a HOME and a time zone of its own: none sees the sessions of whoever runs it."""

import os
import time

import pytest
from hypothesis import settings


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)


# A change must not be refused for what another change did: CI tries the same cases every time,
# people's machines try new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
