"""A file is written whole or not at all, whatever happens on the way."""

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.build import Chain
from viewer.writing import write_whole

CHECKOUT = Path(__file__).parents[1]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def failing(after: int) -> Iterator[str]:
    yield from ("piece\n" for _ in range(after))
    raise RuntimeError("stop")


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_whole(str(tmp_path / "new"), ["é", "\n", "\udc80"])
    assert (tmp_path / "new").read_bytes() == b"\xc3\xa9\n?"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_an_old_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("before")
    path.chmod(0o644)
    write_whole(str(path), ["after"])
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("after", 0o644)
    assert names(tmp_path) == ["old"]


@pytest.mark.parametrize("after", [0, 1, 50_000])
def test_after_an_error_the_old_file_is_as_it_was(tmp_path: Path, after: int) -> None:
    path = tmp_path / "old"
    path.write_text("before")
    with pytest.raises(RuntimeError):
        write_whole(str(path), failing(after))
    assert path.read_text() == "before"
    assert names(tmp_path) == ["old"]


@pytest.mark.parametrize("room", [0, 1, 4096, 70_000])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, room: int) -> None:
    path = tmp_path / "old"
    path.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(OSError):
            write_whole(str(path), ("x" * 1000 for _ in range(100)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "before"
    assert names(tmp_path) == ["old"]


@pytest.mark.parametrize("call", ["open", "fsync", "rename"])
def test_whichever_step_fails_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "old"
    path.write_text("before")

    def fail(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(os, call, fail)
        write_whole(str(path), ["after"])
    assert path.read_text() == "before"
    assert names(tmp_path) == ["old"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to("real")
    write_whole(str(tmp_path / "link"), ["after"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_whole(os.devnull, ["gone"])
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    with pytest.raises(OSError, match="No space"):
        write_whole("/dev/full", ["no room"])
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(str(tmp_path), ["x"])
    with pytest.raises(FileNotFoundError):
        write_whole(str(tmp_path / "none" / "x"), ["x"])


# The command


@pytest.fixture
def session(tmp_path: Path) -> Path:
    chain = Chain()
    chain.prompt("make it work")
    chain.call("a", command="make")
    chain.result("a", "ok\n" * 2000)
    folder = tmp_path / "sessions"
    folder.mkdir()
    return chain.write(folder / "s.jsonl")


def show(*arguments: str | Path, room: int | None = None) -> tuple[int, str, str]:
    def limit() -> None:
        assert room is not None
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    ran = subprocess.run(
        [sys.executable, "-m", "viewer", "show", *arguments],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "LC_ALL": "C.UTF-8"},
        preexec_fn=limit if room is not None else None,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.mark.parametrize("form", ["--html", "--markdown", "--json", "--text"])
def test_every_form_is_written_as_it_is_printed(session: Path, tmp_path: Path, form: str) -> None:
    code, printed, _ = show(session, form)
    out = tmp_path / "out"
    assert (code, show(session, form, "-o", out)) == (0, (0, "", ""))
    assert out.read_text() == printed
    assert names(tmp_path) == ["out", "sessions"]


def test_a_full_disk_is_one_sentence(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    out.write_text("before")
    code, printed, said = show(session, "--html", "-o", out, room=4096)
    assert (code, printed) == (2, "")
    assert said.startswith(f"claude-view: {out} was not written: ")
    assert said.count("\n") == 1
    assert out.read_text() == "before"
    assert names(tmp_path) == ["out.html", "sessions"]
    assert show(session, "--html", "-o", "/dev/full") == (
        2, "", "claude-view: /dev/full was not written: No space left on device\n",
    )  # fmt: skip


@pytest.mark.parametrize("form", ["--html", "--text"])
def test_standard_output_may_be_full(session: Path, form: str) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "viewer", "show", form, session],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            timeout=60,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr == b"claude-view: standard output: No space left on device\n"


def test_a_transcript_is_never_written_over(session: Path, tmp_path: Path) -> None:
    before = session.read_bytes()
    (tmp_path / "link").symlink_to(session)
    for out in (session, tmp_path / "link"):
        code, _, said = show(session, "--html", "-o", out)
        assert (code, "is the transcript itself" in said) == (2, True)
    assert session.read_bytes() == before


def test_killed_on_the_way_it_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("before")
    program = (
        "import sys, time\nfrom viewer.writing import write_whole\n"
        "def pieces():\n    yield 'x' * 100_000\n    print(flush=True)\n    time.sleep(60)\n"
        "write_whole(sys.argv[1], pieces())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, out],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert out.read_text() == "before"
