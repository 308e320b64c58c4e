"""The core knows no terminal."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
CORE = sorted(
    ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
    for folder in ("viewer", "viewer/formats")
    for path in (CHECKOUT / folder).glob("*.py")
    if path.stem != "__main__"
)


def modules_after(statements: str) -> set[str]:
    program = f"import sys\n{statements}\nprint(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=CHECKOUT, check=True
    )
    return {name.partition(".")[0] for name in ran.stdout.splitlines()[-1].split()}


def test_no_module_of_the_core_imports_textual_or_rich() -> None:
    imports = "\n".join(f"import {name}" for name in CORE)
    assert not modules_after(imports) & {"textual", "rich"}


@pytest.mark.parametrize(
    "command", ["--version", "--help", "list", "show -", "check -", "search x"]
)
def test_no_command_without_a_screen_imports_textual_or_rich(command: str) -> None:
    run = f"sys.stdin = open('/dev/null')\nfrom viewer.cli import run\nrun({command.split()!r})"
    loaded = modules_after(run)
    assert not loaded & {"textual", "rich"}
    if command == "--version":
        assert not loaded & {"argparse", "orjson", "dataclasses"}
