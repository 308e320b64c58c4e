"""What is installed: the styles and samples are found from every kind of install."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from viewer import resources

CHECKOUT = Path(__file__).parents[1]
SAMPLE = "sample_sessions/-home-demo-shop/00000001-5a00-4000-8000-000000000001.jsonl"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from the sdist, so that both are complete."""
    folder = tmp_path_factory.mktemp("dist")
    for hook, source in (("build_sdist", CHECKOUT), ("build_wheel", folder / "unpacked")):
        if hook == "build_wheel":
            with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
                archive.extractall(folder, filter="data")
            next(folder.glob("claude_view-*/")).rename(source)
        program = f"from hatchling.build import {hook}; {hook}({str(folder)!r})"
        subprocess.run([sys.executable, "-c", program], cwd=source, check=True, timeout=120)
    return folder


def test_a_checkout_finds_its_own() -> None:
    assert (resources.sample_sessions() / "README.md").is_file()
    assert (resources.folder("styles") / "app.tcss").is_file()


def test_the_wheel_carries_styles_and_samples(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert {"viewer/cli.py", "viewer/styles/app.tcss", f"viewer/{SAMPLE}"} <= names


def test_an_unpacked_wheel_finds_them(built: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-m", "viewer", "list", "--demo"],
        cwd=tmp_path, env={"PYTHONPATH": str(tmp_path), "LC_ALL": "C.UTF-8", "HOME": "/nowhere"},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ran.stdout.count("00000001-5a00") == 1


def test_the_sdist_carries_what_it_takes_to_build_and_test(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "tests/test_cli.py", SAMPLE, "styles/app.tcss", "LICENSE"} <= names
