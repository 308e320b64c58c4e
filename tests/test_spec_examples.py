"""The examples of the documents on tool calls: all in the samples, and each readable by itself."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.shared import SHARED
from tests.samples import acp, spec
from viewer.document import document, dump
from viewer.load import load
from viewer.model import DEAD
from viewer.render import as_text

Json = dict[str, Any]

SPEC = SHARED / "spec"
_BLOCK = re.compile(r"```json\s+(.*?)\s*```", re.S)
_COMMENT = re.compile(r'(?m)(?:^|\s)//[^"\n]*$')
_CHOICE = re.compile(r'("\w+")(?: \| "\w+")+')

pytestmark = pytest.mark.skipif(not SPEC.is_dir(), reason="the documents are not beside the tree")


def blocks() -> Iterator[tuple[str, str]]:
    """The JSON blocks of the documents as they stand there, each with its document."""
    for path in sorted(SPEC.glob("*.md")):
        for match in _BLOCK.finditer(path.read_text()):
            yield path.stem, match[1]


def values(block: str) -> Iterator[Json]:
    """The objects of a block, without comments, and with the first of each choice."""
    block = _CHOICE.sub(r"\1", _COMMENT.sub("", block)).replace("{...}", "{}").strip()
    if not block.startswith("{"):
        block = f"{{{block}}}"  # a field by itself
    decoder, at = json.JSONDecoder(), 0
    while at < len(block):
        value, end = decoder.raw_decode(block, at)
        yield value
        at = end + len(block[end:]) - len(block[end:].lstrip())


def has(whole: object, part: object) -> bool:
    """Whether a value holds a part: objects may have more fields, all else is equal."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and has(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(has, whole, part))
    return whole == part


def inside(value: object) -> Iterator[object]:
    """A value and all that it holds."""
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from inside(each)


def named(document: str) -> list[Json]:
    """The records of the samples that are made of a document."""
    files = [data for path, data, _ in (*spec.files(), *acp.files()) if document in path]
    return [json.loads(line) for data in files for line in data.splitlines()]


def test_the_documents_hold_examples() -> None:
    found = [name for name, _ in blocks()]
    assert {name: found.count(name) for name in sorted(set(found))} == {
        "acp-tool-calls": 9,
        "tool-call-lifecycle": 15,
        "tool-call-reference": 17,
        "tool-input-schemas": 15,
    }


@pytest.mark.parametrize(
    "name",
    ["tool-call-lifecycle", "tool-call-reference", "tool-input-schemas", "acp-tool-calls"],
)
def test_every_example_stands_in_the_samples_with_its_values(name: str) -> None:
    pieces = [piece for record in named(name) for piece in inside(record)]
    examples = [value for each, block in blocks() if each == name for value in values(block)]
    missing = [each for each in examples if not any(has(piece, each) for piece in pieces)]
    assert examples and missing == []


def test_the_lessons_are_told_in_the_words_of_their_document(tmp_path: Path) -> None:
    said = " ".join(words for _, words in problems_of(tmp_path, "api-format-lessons"))
    lessons = (SPEC / "api-format-lessons.md").read_text()
    complaints = re.findall(r"^\d\. `([^`]+: [^`]+)`", lessons, re.M)
    assert len(complaints) == 4
    for complaint in complaints:
        # The document counts the tools from 0 again for each complaint.
        pattern = re.escape(complaint).replace("messages\\.X", r"messages\.\d")
        assert re.search(pattern.replace("tools\\.0", r"tools\.\d"), said), complaint


def problems_of(folder: Path, name: str) -> list[tuple[str, str]]:
    data = next(data for path, data, _ in spec.files() if Path(path).stem == name)
    path = folder / f"{name}.jsonl"
    path.write_bytes(data)
    return [(each["kind"], each["message"]) for each in document(load(str(path)))["problems"]]


@pytest.mark.parametrize("name", [Path(path).stem for path, _, _ in spec.files()])
def test_the_samples_read_as_sessions(name: str, tmp_path: Path) -> None:
    found = problems_of(tmp_path, name)
    kinds = sorted({kind for kind, _ in found})
    wanted = {"tool-call-reference": ["failed_call"], "api-format-lessons": ["invalid"]}
    assert kinds == wanted.get(name, [])
    shown = document(load(str(tmp_path / f"{name}.jsonl")))
    assert shown["records"]["unknown"] == shown["records"]["damaged"] == 0
    assert all(call["status"] != "missing" for call in shown["calls"])


def test_every_cause_that_the_reference_names_is_found(tmp_path: Path) -> None:
    problems_of(tmp_path, "tool-call-reference")
    calls = document(load(str(tmp_path / "tool-call-reference.jsonl")))["calls"]
    assert {call["cause"] for call in calls if call["status"] == "failed"} == {
        "READ_REQUIRED",
        "TIMEOUT",
        "MCP_NO_RESPONSE",
        "NETWORK_ERROR",
        "VALIDATION_ERROR",
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_every_example_opens_as_a_file_of_its_own(indent: int | None, tmp_path: Path) -> None:
    for number, (name, block) in enumerate(blocks()):
        for place, value in enumerate(values(block)):
            path = tmp_path / f"{name}-{number}-{place}.json"
            path.write_text(json.dumps(value, indent=indent))
            reads_right(path, value)


def test_every_block_that_is_json_opens_as_it_stands_in_its_document(tmp_path: Path) -> None:
    opened = 0
    for number, (name, block) in enumerate(blocks()):
        try:
            value = json.loads(block)
        except json.JSONDecodeError:
            continue
        opened += 1
        path = tmp_path / f"{name}-{number}.json"
        path.write_text(block)
        reads_right(path, value)
    assert opened >= 40


def reads_right(path: Path, value: Json) -> None:
    transcript = load(str(path))
    shown = document(transcript)
    dump(shown)
    assert list(as_text(transcript, DEAD, 100))
    assert shown["records"]["damaged"] == shown["records"]["salvaged"] == 0, value
    assert shown["records"]["total"] == 1, value
    assert transcript.pending == 0
    if not is_foreign(value):
        assert shown["records"]["unknown"] == 0, value


def is_foreign(value: Json) -> bool:
    """Pieces that say nothing of what they are: the input of a tool, a location of ACP."""
    telling = ("role", "message", "payload", "jsonrpc", "hook_event_name", "decision", "is_error")
    block = value.get("type") in ("tool_use", "tool_result", "progress")
    call = isinstance(value.get("input"), dict)
    return not (block or call or any(key in value for key in telling))
