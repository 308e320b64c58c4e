"""Words in all sessions: the same texts are found as in each session by itself, wherever they
stand, however the files are cut into pieces and whoever reads them."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from tests.build import Chain, Json, lines
from tests.formats.test_acp import Talk
from tests.samples import messages
from tests.test_rollouts import head, output, prompt, spawn, spawned
from tests.test_search import CANARY, PLACES, write
from viewer import everywhere, sieve, tail
from viewer.everywhere import Found, Search
from viewer.load import load
from viewer.outline import thing_of
from viewer.search import Query, search


def look(folder: Path, words: str = CANARY, **more: object) -> list[Found]:
    return [found for found in Search([str(folder)], words, **more).run() if found]  # type: ignore[arg-type]


def told(folder: Path, words: str = CANARY, **more: object) -> list[tuple[int, str]]:
    """The lines with hits, and what they are."""
    return [
        (place.line, place.kind) for found in look(folder, words, **more) for place in found.places
    ]


def long_session(folder: Path, count: int = 60) -> list[int]:
    """A session of lines of all lengths, and which of them hold the words."""
    chain = Chain()
    for number in range(count):
        chain.prompt("x" * (number * 137 % 900) + (f" {CANARY}" if number % 7 == 3 else ""))
    chain.write(folder / "long.jsonl")
    return [number + 1 for number in range(count) if number % 7 == 3]


def said(text: str, folder: Path, id: str = "s", age: float = 0, **fields: str) -> Path:
    """A session in which one thing is said."""
    chain = Chain(id)
    chain.defaults = dict(fields)
    chain.prompt(text)
    path = chain.write(folder / f"{id}.jsonl")
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


# What is found


@pytest.mark.parametrize("place", PLACES)
def test_what_is_found_in_a_session_is_found_among_all(tmp_path: Path, place: str) -> None:
    path = write(tmp_path, place, CANARY)
    transcript = load(str(path))
    [hit] = [hit for piece in search(transcript, Query(CANARY)) for hit in piece]
    finder = Search([str(tmp_path)], CANARY)
    sessions = [found for found in finder.run() if found]
    if hit.bulk:
        assert (sessions, finder.bulk) == ([], 1)
        return
    [found] = sessions
    assert found.file.path == str(path) and found.count == 1 and finder.bulk == 0
    [at] = found.places
    assert CANARY in at.text
    assert found.is_inside(at) == (hit.session is not transcript.session)
    [row] = [row for row in hit.session.rows if row.line == at.line]
    assert thing_of(row) is hit.thing or row is getattr(hit.thing, "result", None)


@pytest.mark.parametrize(
    "words", ["u1", "parentUuid", "2026-03-01", "sessionId", "/home/demo", "tool_use", "assistant"]
)
def test_what_only_the_program_reads_is_not_found(tmp_path: Path, words: str) -> None:
    write(tmp_path, "prompt", CANARY)
    assert told(tmp_path, words) == []


def test_a_hit_says_what_it_is(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt(f"look for {CANARY}")
    chain.said({"type": "thinking", "thinking": f"a {CANARY} it is", "signature": "s"})
    chain.call("a", "Grep", pattern=CANARY)
    chain.result("a", f"x.py: {CANARY}")
    chain.call("b", "Write", file_path="/home/demo/y.py", content=f"# {CANARY}")
    chain.reply(f"There is one {CANARY}.")
    chain.write(tmp_path / "s.jsonl")
    [found] = look(tmp_path, most=9)
    assert [(at.line, at.kind, at.name, at.text) for at in found.places] == [
        (1, "prompt", "", f"look for {CANARY}"),
        (2, "thinking", "", f"a {CANARY} it is"),
        (3, "call", "Grep", CANARY),
        (4, "result", f"Grep {CANARY}", f"x.py: {CANARY}"),
        (5, "call", "Write /home/demo/y.py", f"# {CANARY}"),
        (6, "reply", "", f"There is one {CANARY}."),
    ]
    assert (found.file.title, found.file.cwd) == (f"look for {CANARY}", "/home/demo")


def test_only_the_first_hits_are_told_and_all_are_counted(tmp_path: Path) -> None:
    wanted = long_session(tmp_path)
    [found] = look(tmp_path, most=3)
    assert found.count == len(wanted)
    assert [place.line for place in found.places] == wanted[:3]


def test_an_excerpt_is_clean_and_short_and_holds_the_words(tmp_path: Path) -> None:
    said("a\x1b[2Jb\n" * 500 + CANARY + "\x07\u202e" * 500, tmp_path)
    [[place]] = [found.places for found in look(tmp_path)]
    assert CANARY in place.text and len(place.text) < 1000
    assert place.text.isprintable()
    assert place.text.startswith("…") and place.text.endswith("…")


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize(
    ("written", "sought", "found"),
    [
        ("Fehler", "fehler", True),
        ("fehler", "Fehler", False),
        ("FEHLER", "fehler", True),
        ("Über", "über", True),
        ("ÜBER", "ü", True),
        ("über", "Über", False),
        ("[a.*]", "[a.*]", True),
        ("[aab]", "[a.*]", False),
        ('say "yes"', 'say "yes"', True),
        ('"', '"', True),
        ("back\\slash", "back\\slash", True),
        ("two\nlines", "two\nlines", True),
        ("a/b", "a/b", True),
        ("日本語", "本", True),
        ("日本語", "木", False),
        ("😀 x", "😀", True),
        ("привет", "ПРИВЕТ", False),
        ("ПРИВЕТ", "привет", True),
        ("café", "FÉ", False),
        ("CAFÉ", "fé", True),
    ],
)
def test_words_are_meant_literally_and_small_letters_mean_both(
    tmp_path: Path, written: str, sought: str, found: bool, ascii: bool
) -> None:
    path = said(f"x {written} y", tmp_path)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    for each in records:
        each.pop("cwd")
    raw = [json.dumps(each, ensure_ascii=ascii) + "\n" for each in records]
    path.write_text("".join(raw), "utf-8")
    assert told(tmp_path, sought) == [(1, "prompt")] * found


@pytest.mark.parametrize("words", ["", "   "])
def test_nothing_is_nowhere(tmp_path: Path, words: str) -> None:
    said("anything", tmp_path)
    assert look(tmp_path, words) == []


# Files


def test_a_damaged_line_is_searched_as_it_is(tmp_path: Path) -> None:
    path = said("nothing", tmp_path)
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"torn Canary\n')
    assert told(tmp_path) == [(2, "damaged")]


def test_the_second_record_of_a_line_and_a_line_without_end_are_searched(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("one")
    chain.prompt(f"two {CANARY}")
    chain.reply(f"three {CANARY}")
    path = chain.write(tmp_path / "s.jsonl")
    path.write_bytes(path.read_bytes().replace(b"\n", b"", 1).rstrip(b"\n"))
    assert told(tmp_path) == [(1, "prompt"), (2, "reply")]


@pytest.mark.parametrize("block", [1, 7, 64, 500])
def test_borders_between_blocks_hide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    wanted = long_session(tmp_path, 30 if block > 7 else 12)
    monkeypatch.setattr(sieve, "_BLOCK", block)
    assert [line for line, _ in told(tmp_path, most=99)] == wanted


@pytest.mark.parametrize("piece", [300, 1000, 4000])
def test_pieces_of_a_file_say_what_the_whole_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    wanted = long_session(tmp_path)
    monkeypatch.setattr(everywhere, "_AT_ONCE", piece)
    assert [line for line, _ in told(tmp_path, most=99)] == wanted


def test_a_line_that_is_longer_than_its_piece_is_one_hit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain()
    chain.prompt("before")
    chain.prompt(f"{CANARY} {'x' * 700} " * 5)
    chain.prompt(f"after {CANARY}")
    chain.write(tmp_path / "s.jsonl")
    monkeypatch.setattr(everywhere, "_AT_ONCE", 500)
    monkeypatch.setattr(sieve, "_BLOCK", 100)
    [found] = look(tmp_path)
    assert found.count == 2
    assert [place.line for place in found.places] == [2, 3]


def test_the_newest_session_comes_first(tmp_path: Path) -> None:
    for age, id in ((30, "old"), (10, "new"), (20, "middle")):
        said(CANARY, tmp_path, id, age)
    said("nothing", tmp_path, "newest", 0)
    assert [found.file.id for found in look(tmp_path)] == ["new", "middle", "old"]


def test_a_session_stands_for_its_sub_agents(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-home-demo"
    said("nothing", folder)

    def agent(path: Path, prompt: str, session: str = "s") -> None:
        chain = Chain(session)
        chain.defaults = {"isSidechain": True}
        chain.prompt(prompt)
        chain.reply(f"inside: {CANARY}")
        chain.write(path)

    agent(folder / "s" / "subagents" / "agent-a1.jsonl", "look")
    agent(folder / "s" / "subagents" / "deep" / "agent-a2.jsonl", "look deeper")
    agent(folder / "agent-b1.jsonl", "look beside")
    # The program's own errands are not shown by the reader, and so not found.
    agent(folder / "s" / "subagents" / "agent-acompact-1.jsonl", "copy")
    agent(folder / "agent-b2.jsonl", "Warmup")
    agent(folder / "agent-b3.jsonl", "of nobody", session="other")
    [found] = look(tmp_path)
    assert found.file.id == "s" and found.count == 3
    names = [os.path.basename(place.file) for place in found.places]
    assert names == ["agent-a1.jsonl", "agent-a2.jsonl", "agent-b1.jsonl"]
    assert all(found.is_inside(place) and place.line == 2 for place in found.places)


def rollout(folder: Path, id: str, *records: Json, packed: bool = False) -> Path:
    day = folder / "sessions" / "2026" / "03" / "01"
    day.mkdir(parents=True, exist_ok=True)
    data = b"".join(line + b"\n" for line in lines(*records))
    name = f"rollout-2026-03-01T10-00-0{len(list(day.iterdir()))}-{id}.jsonl"
    if packed:
        name, data = name + ".zst", zstandard.compress(data)
    (day / name).write_bytes(data)
    return day / name


@pytest.mark.parametrize("packed", [False, True])
def test_a_sub_agent_of_codex_belongs_to_the_session_that_started_it(
    tmp_path: Path, packed: bool
) -> None:
    parent = rollout(tmp_path, "aaaa", head("aaaa"), prompt("go"), spawn("c", "look"))
    records = [spawned("bbbb", "aaaa"), prompt("look"), prompt(f"found {CANARY}")]
    child = rollout(tmp_path, "bbbb", *records, packed=packed)
    for age in (0, 100):  # whichever was written last
        os.utime(parent, (1e9 - age, 1e9 - age))
        os.utime(child, (1e9 - 50, 1e9 - 50))
        [found] = look(tmp_path)
        [place] = found.places
        assert found.file.path == str(parent)
        assert (place.file, place.line, place.kind) == (str(child), 3, "prompt")


def test_codex_is_searched_by_what_it_says_packed_or_not(tmp_path: Path) -> None:
    call = spawn("c", "x")
    call["payload"].update(name="shell", arguments=json.dumps({"cmd": f"rg {CANARY}"}))
    records = [head("aaaa"), prompt("go"), call, output("c", f"3: {CANARY}")]
    rollout(tmp_path, "aaaa", *records)
    rollout(tmp_path, "bbbb", *records, packed=True)
    for found in look(tmp_path):
        assert [(at.line, at.kind) for at in found.places] == [(3, "call"), (4, "result")]
        assert found.file.agent == "codex"
    assert len(look(tmp_path)) == 2


def test_texts_that_came_in_pieces_are_searched_as_one(tmp_path: Path) -> None:
    talk = Talk().begin().prompt("go")
    talk.say("The can", "ary si", "ngs, and the CANARY listens")
    talk.call("c", "Look", rawInput={"query": "a canary"}).stop()
    records = [body for _, body in talk.sent]
    (tmp_path / "log.jsonl").write_bytes(b"".join(line + b"\n" for line in lines(*records)))
    number = next(n for n, each in enumerate(records, 1) if "The can" in json.dumps(each))
    [found] = look(tmp_path, "canary sings")
    [place] = found.places
    assert (place.line, place.kind, found.file.agent) == (number, "reply", "acp")
    assert "The canary sings, and" in place.text
    assert told(tmp_path, "canary") == [(number, "reply"), (number + 3, "call")]


def test_a_document_is_searched(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("Find it")
    chain.reply(f"A {CANARY}")
    (tmp_path / "array.json").write_text(json.dumps(chain.records, indent=2))
    request = messages.body(messages.user(messages.text(f"Find the {CANARY}")))
    (tmp_path / "request.json").write_text(json.dumps(request, indent=2))
    (tmp_path / "other.json").write_text('{\n  "name": "Canary"\n}\n')
    hits = {found.file.id: found.places for found in look(tmp_path)}
    assert {id: [place.kind for place in places] for id, places in hits.items()} == {
        "array": ["reply"],
        "request": ["prompt"],
    }
    # An element's line is the one that it begins in.
    [place] = hits["array"]
    assert (tmp_path / "array.json").read_text().split("\n")[place.line - 1] == "  {"


# Trouble


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(CANARY, tmp_path, "good")
    locked = said(CANARY, tmp_path, "locked")
    real = tail.open_regular

    def refuse(path: str) -> int:
        if path == str(locked):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(sieve, "open_regular", refuse)
    finder = Search([str(tmp_path)], CANARY)
    assert [found.file.id for found in finder.run() if found] == ["good"]
    assert finder.unreadable == [(str(locked), "Permission denied")]


def test_a_broken_packed_file_tells_what_was_found_before(tmp_path: Path) -> None:
    filler = [prompt(f"{number} {os.urandom(3000).hex()}") for number in range(200)]
    path = rollout(tmp_path, "aaaa", head("aaaa"), prompt(CANARY), *filler, packed=True)
    path.write_bytes(path.read_bytes()[:-5000])
    finder = Search([str(tmp_path)], CANARY)
    assert [found.count for found in finder.run() if found] == [1]
    assert [where for where, _ in finder.unreadable] == [str(path)]


def test_a_file_that_goes_away_meanwhile_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everywhere, "_AT_ONCE", 200)
    said(CANARY, tmp_path, "first", 0)
    gone = said(CANARY, tmp_path, "second", 10)
    said(CANARY, tmp_path, "third", 20)
    finder = Search([str(tmp_path)], CANARY)
    found: list[str] = []
    for each in finder.run():
        if each is not None:
            found.append(each.file.id)
            gone.unlink(missing_ok=True)
    assert found == ["first", "third"]
    assert finder.unreadable == []


def test_a_file_that_was_cut_off_ends_where_it_ends(tmp_path: Path) -> None:
    path = said(CANARY, tmp_path)
    fd = os.open(path, os.O_RDONLY)
    try:
        sought = sieve.Sought(CANARY, (b"Canary",), True, 5)
        size = path.stat().st_size
        piece = sieve.Piece(str(path), 0, size * 10)
        assert len(list(sieve.candidates(fd, piece, sought))) == 1
        piece = sieve.Piece(str(path), size * 2, size * 3)
        assert list(sieve.candidates(fd, piece, sought)) == []
    finally:
        os.close(fd)


# Processes


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Sessions that are read by processes, however small they are."""
    for number in range(40):
        said(f"{number} {CANARY if number % 3 == 0 else 'nothing'}", tmp_path, f"s{number}", number)
    monkeypatch.setattr(everywhere, "_SMALL", 0)
    monkeypatch.setattr(everywhere, "_AT_ONCE", 700)
    yield tmp_path


WANTED = [f"s{number}" for number in range(0, 40, 3)]


def test_processes_find_the_same_in_the_same_order(many: Path) -> None:
    assert [found.file.id for found in look(many)] == WANTED


@pytest.mark.parametrize("instead", ["/nonexistent", "/bin/false", "/bin/cat"])
def test_where_no_process_can_be_had_the_work_is_done_here(
    many: Path, monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    monkeypatch.setattr(sys, "executable", instead)
    assert [found.file.id for found in look(many)] == WANTED


def test_a_search_can_be_stopped(many: Path) -> None:
    finder = Search([str(many)], CANARY)
    steps = finder.run()
    while next(steps) is None:
        pass
    finder.stop()
    rest = [found for found in steps if found]
    assert len(rest) < len(WANTED) - 1
    assert all(process._process is None for process in finder._processes)
    assert finder.done < finder.total or not rest


def test_whoever_stops_listening_ends_it(many: Path) -> None:
    finder = Search([str(many)], CANARY)
    steps = finder.run()
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert all(process._process is None for process in finder._processes)
    before = threading.active_count()
    assert before < 10


# Projects


def test_a_project_is_named_by_words_of_its_path(tmp_path: Path) -> None:
    said(CANARY, tmp_path, "shop", 0, cwd="/home/demo/Shop")
    said(CANARY, tmp_path, "tree", 10, cwd="/home/demo/Shop/.claude/worktrees/canary")
    said(CANARY, tmp_path, "api", 20, cwd="/home/demo/api")
    assert [found.file.id for found in look(tmp_path, project="shop demo")] == ["shop", "tree"]
    assert [found.file.id for found in look(tmp_path, project="api")] == ["api"]
    assert look(tmp_path, project="nowhere") == []
