"""Exports of the hostile cases hold nothing active and no secret (all of them: make exports)."""

from pathlib import Path

import pytest

from tests.acceptance import exports
from tests.acceptance.shared import SHARED

CLASSES = ("export", "secrets", "markdown", "markup", "subagents", "codex", "acp")


@pytest.mark.skipif(not SHARED.exists(), reason="the hostile cases are not here")
def test_hostile_exports_hold_nothing_active_and_no_secret(tmp_path: Path) -> None:
    faults = exports.check_hostile(tmp_path, lambda case: case["class"] in CLASSES)
    assert int(faults.pop("")[0]) > 40
    assert faults == {}
