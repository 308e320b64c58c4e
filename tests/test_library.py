"""Which sessions there are, and which one a target names."""

import json
import os
from pathlib import Path

import pytest

from tests.build import Chain
from viewer import ends, library, registry
from viewer.model import Liveness


def session(folder: Path, id: str, prompt: str = "go", modified: float = 1000.0) -> Path:
    chain = Chain(id)
    chain.prompt(prompt)
    path = chain.write(folder / f"{id}.jsonl")
    os.utime(path, (modified, modified))
    return path


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    folder = tmp_path / "claude" / "projects"
    session(folder / "-a", "1111-aaaa", "old", 1000)
    session(folder / "-b", "2222-bbbb", "new", 2000)
    session(folder / "-b", "2222-cccc", "newest", 3000)
    return folder.parent


def found(root: Path) -> list[str]:
    return [file.id for file in ends.describe_all(library.find([str(root)]))]


def test_sessions_are_listed_newest_first(projects: Path) -> None:
    assert found(projects) == ["2222-cccc", "2222-bbbb", "1111-aaaa"]


def test_a_root_may_be_the_projects_folder_or_one_project(projects: Path) -> None:
    assert len(found(projects / "projects")) == 3
    assert len(found(projects / "projects" / "-b")) == 2


def test_sub_agents_and_empty_files_are_no_sessions(projects: Path) -> None:
    folder = projects / "projects" / "-b"
    (folder / "empty.jsonl").touch()
    session(folder, "agent-x")
    chain = Chain("side")
    chain.prompt("task", isSidechain=True)
    chain.write(folder / "side.jsonl")
    assert len(found(projects)) == 3


def test_titles_are_those_of_the_session(projects: Path) -> None:
    path = projects / "projects" / "-b" / "2222-cccc.jsonl"
    [file] = [file for file in library.find([str(projects)]) if file.path == str(path)]
    ends.describe(file)
    assert (file.title, file.cwd) == ("newest", "/home/demo")
    with path.open("a") as stream:
        stream.write('{"type":"ai-title","aiTitle":"a made title","sessionId":"s"}\n')
    [file] = [file for file in library.find([str(projects)]) if file.path == str(path)]
    ends.describe(file)
    assert file.title == "a made title"
    (path.parent / "2222-cccc").mkdir()
    (path.parent / "2222-cccc" / "custom-title.json").write_text('{"customTitle":"mine"}')
    ends.describe(file)
    assert file.title == "mine"


def test_the_title_of_a_long_file_is_found_at_its_end(tmp_path: Path) -> None:
    chain = Chain("long")
    chain.prompt("begin")
    for _ in range(300):
        chain.reply("x" * 1000)
    chain.state("custom-title", customTitle="at the end")
    chain.write(tmp_path / "long.jsonl")
    [file] = ends.describe_all(library.find([str(tmp_path)]))
    assert file.title == "at the end"


def test_a_summary_in_another_file_titles_the_session_it_is_of(tmp_path: Path) -> None:
    chain = Chain("old")
    chain.prompt("the prompt")
    leaf = "12345678-1234-1234-1234-123456789012"
    chain.reply("end", uuid=leaf)
    chain.write(tmp_path / "old.jsonl")
    other = Chain("new")
    other.state("summary", summary="what it was about", leafUuid=leaf)
    other.prompt("something else")
    other.write(tmp_path / "new.jsonl")
    titles = {file.id: file.title for file in ends.describe_all(library.find([str(tmp_path)]))}
    assert titles == {"old": "what it was about", "new": "something else"}


def test_links_lead_only_to_transcripts(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text('{"type":"user"}')
    folder = tmp_path / "projects"
    real = session(tmp_path / "real", "r")
    folder.mkdir()
    (folder / "astray.jsonl").symlink_to(secret)
    (folder / "dangling.jsonl").symlink_to(tmp_path / "nothing.jsonl")
    (folder / "good.jsonl").symlink_to(real)
    (folder / "loop").symlink_to(folder)
    assert [file.id for file in library.find([str(folder)])] == ["good"]


def test_a_target_is_a_file_a_folder_an_id_or_its_beginning(projects: Path) -> None:
    newest = str(projects / "projects" / "-b" / "2222-cccc.jsonl")
    roots = [str(projects)]
    assert library.resolve(newest, roots) == [newest]
    assert library.resolve("2222-cccc", roots) == [newest]
    assert library.resolve("2222-c", roots) == [newest]
    assert library.resolve(str(projects / "projects" / "-b"), roots)[0] == newest


def test_an_ambiguous_beginning_names_the_candidates(projects: Path) -> None:
    with pytest.raises(library.NotFound, match="2222-cccc, 2222-bbbb"):
        library.resolve("2222", [str(projects)])
    with pytest.raises(library.NotFound, match="no such file"):
        library.resolve("9999", [str(projects)])


def test_a_working_folder_stands_for_the_sessions_that_worked_there(
    projects: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    chain = Chain("w")
    chain.prompt("go", cwd=str(work))
    path = chain.write(projects / "projects" / "-w" / "w.jsonl")
    assert library.resolve(str(work), [str(projects)]) == [str(path)]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(library.NotFound):
        library.resolve(str(empty), [str(projects)])


def test_the_registry_says_which_sessions_run(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    stat = Path(f"/proc/{os.getpid()}/stat").read_text()
    started = stat.rpartition(")")[2].split()[19]
    entries = {
        os.getpid(): {"sessionId": "mine", "procStart": started, "status": "waiting"},
        1: {"sessionId": "reused", "procStart": "1"},
        999_999_999: {"sessionId": "gone"},
    }
    for pid, entry in entries.items():
        (folder / f"{pid}.json").write_text(json.dumps({"pid": pid, **entry}))
    found = registry.registry([str(tmp_path)])
    assert [id for id, each in found.items() if each.alive] == ["mine"]
    assert sorted(id for id, each in found.items() if each.killed) == ["gone", "reused"]
    assert found["mine"].waiting


def test_without_a_registry_a_recent_write_means_alive(tmp_path: Path) -> None:
    path = session(tmp_path, "s", modified=5000.0)
    assert registry.liveness("s", str(path), [], 5010.0).alive
    assert not registry.liveness("s", str(path), [], 9000.0).alive
    assert not registry.liveness("s", str(tmp_path / "nothing"), [], 9000.0).alive


def test_a_killed_session_is_dead_however_fresh_its_file() -> None:
    entry = Liveness(killed=True, registered=True, updated=4990.0)
    assert not registry.judge(entry, written=5000.0, now=5010.0).alive
    assert registry.judge(entry, written=5200.0, now=5210.0).alive  # somebody resumed it


def test_a_session_is_working_waiting_or_idle() -> None:
    assert Liveness(alive=True).state == "working"
    assert Liveness(alive=True, waiting=True).state == "waiting"
    assert Liveness(alive=True, idle=True).state == "idle"
    assert (Liveness().state, Liveness(killed=True).state) == ("", "killed")


def test_codex_sessions_are_found_by_day_and_in_the_archive(tmp_path: Path) -> None:
    meta = {"id": "t1", "cwd": "/home/demo/api", "git": {"branch": "dev"}}
    said = [("user", "<environment_context>x"), ("user", "add a test"), ("assistant", "Done.")]
    lines = [{"type": "session_meta", "payload": meta}]
    lines += [
        {"type": "response_item",
         "payload": {"type": "message", "role": role, "content": [{"text": words}]}}
        for role, words in said
    ]  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    names = ["sessions/2026/11/18/rollout-2026-11-18T05-55-23-aaa.jsonl"]
    names += ["archived_sessions/rollout-2026-11-17T05-55-23-bbb.jsonl"]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    files = ends.describe_all(library.find([str(tmp_path)]))
    assert sorted(file.id for file in files) == ["aaa", "bbb"]
    file = files[0]
    assert (file.title, file.cwd, file.branch, file.agent) == (
        "add a test", "/home/demo/api", "dev", "codex"
    )  # fmt: skip
    assert ends.preview(file) == ends.Preview("add a test", "Done.", busy=False)


def test_the_preview_tells_what_was_said_last_and_whether_it_works(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("first")
    chain.reply("an answer")
    chain.prompt("second")
    path = chain.write(tmp_path / "s.jsonl")
    [file] = library.find([str(tmp_path)])
    assert ends.preview(file) == ends.Preview("second", "", busy=True)
    chain.reply("I look")
    chain.call("a")
    chain.write(path)
    [file] = library.find([str(tmp_path)])
    assert ends.preview(file) == ends.Preview("second", "I look", busy=True)
    chain.result("a")
    chain.reply("done")
    chain.write(path)
    [file] = library.find([str(tmp_path)])
    assert ends.preview(file) == ends.Preview("second", "done", busy=False)


def test_the_branch_is_the_last_one_named(tmp_path: Path) -> None:
    chain = Chain("s")
    chain.prompt("go", gitBranch="main")
    chain.reply("gone", gitBranch='feature/"quoted"')
    chain.write(tmp_path / "s.jsonl")
    [file] = ends.describe_all(library.find([str(tmp_path)]))
    assert file.branch is None  # cut at the quote: rather none than a wrong one
    chain.reply("and on", gitBranch="feature/x")
    chain.write(tmp_path / "s.jsonl")
    [file] = ends.describe_all(library.find([str(tmp_path)]))
    assert file.branch == "feature/x"


# JSON that is no transcript


def test_other_json_in_a_folder_hides_no_sessions(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    project.mkdir()
    (project / "package.json").write_text('{"name": "shop", "version": "1.0"}')
    (project / "tsconfig.json").write_text(
        '{\n  "compilerOptions": {\n    "strict": true\n  }\n}\n'
    )
    root = tmp_path / "claude"
    chain = Chain("here")
    chain.prompt("go", cwd=str(project))
    path = chain.write(root / "projects" / "-p" / "here.jsonl")
    assert library.below(str(project)) == []
    assert library.find([str(project)]) == []
    assert library.resolve(str(project), [str(root)]) == [str(path)]


def test_a_request_that_is_longer_than_what_is_read_of_it_is_found(tmp_path: Path) -> None:
    tools = [{"name": f"t{n}", "description": "d" * 300} for n in range(400)]
    messages = [{"role": "user", "content": "Add a test"}, {"role": "user", "content": "x" * 10**6}]
    request = {"model": "m", "max_tokens": 1, "tools": tools, "messages": messages}
    for name, indent in (("a.json", None), ("b.json", 2)):
        (tmp_path / name).write_text(json.dumps(request, indent=indent))
    files = ends.describe_all(library.find([str(tmp_path)]))
    assert {(file.id, file.agent, file.title) for file in files} == {
        ("a", "api", "Add a test"),
        ("b", "api", "Add a test"),
    }


# Whose they are


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0", b"hello\n", b'{"a": 1}\n'])
def test_what_nobody_recognises_is_nobodys(data: bytes, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.zst"):
        (tmp_path / name).write_bytes(data)
    files = ends.describe_all(library.find([str(tmp_path)]))
    assert [file.agent for file in files] == ["?", "?"]


def test_a_file_is_claudes_once_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"par')
    [file] = library.find([str(tmp_path)])
    assert ends.describe(file) and file.agent == "?"
    chain = Chain("s")
    chain.prompt("go")
    chain.write(path)
    file.size = path.stat().st_size
    assert ends.describe(file) and file.agent == "claude"
