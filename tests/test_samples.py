"""Every bundled sample, as an outline: the golden text in tests/golden/.

UPDATE_GOLDEN=1 make test writes the texts anew; read the difference before you commit it.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import make_samples
from viewer import causes, summary_words
from viewer.document import document
from viewer.load import load
from viewer.model import DEAD, Call, Compaction, Entry
from viewer.names import id_of
from viewer.nodes import Forest
from viewer.problems import find
from viewer.render import as_markdown, as_report, as_text
from viewer.resources import sample_sessions
from viewer.summary import summarize

GOLDEN = Path(__file__).parent / "golden"
_ENDINGS = (".jsonl", ".json", ".zst")


def _samples() -> Iterator[tuple[str, Path]]:
    """Every session by a short name; the files of sub-agents are read with theirs."""
    for path in sorted(sample_sessions().rglob("*")):
        inside = path.relative_to(sample_sessions())
        is_part = "subagents" in inside.parts or path.name.startswith("agent-")
        if path.is_file() and path.name.endswith(_ENDINGS) and not is_part:
            known = path.stem[8:9] == "-" and path.stem[:8].isdigit()
            yield (
                (path.stem[:8] if known else f"{inside.parts[0].rpartition('-')[2]}-{path.name}"),
                path,
            )


SAMPLES = dict(_samples())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_outline_the_report_and_the_summary_are_as_they_should_be(name: str) -> None:
    transcript = load(str(SAMPLES[name]))
    summary = summary_words.as_text(summarize(transcript), transcript)
    lines = [*as_text(transcript, DEAD, None), "", *as_report(transcript, find(transcript), name)]
    lines += ["", *summary]
    text = "\n".join(lines) + "\n"
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", SAMPLES)
def test_every_entry_is_one_row(name: str) -> None:
    transcript = load(str(SAMPLES[name]))
    things = (node.item for node in Forest(transcript).walk())
    shown = [id(thing) for thing in things if isinstance(thing, (Entry, Call, Compaction))]
    assert len(shown) == len(set(shown))
    sessions = [session for session, _ in transcript.sessions()]
    entries = [entry for session in sessions for row in session.rows for entry in row.entries]
    hooks = [entry for entry in entries if entry.kind == "hook"]  # these rows know their hook only
    assert len(shown) == len(entries) - len(hooks)


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_is_wider_than_the_terminal(name: str, columns: int) -> None:
    from viewer.text import width

    transcript = load(str(SAMPLES[name]))
    outline = list(as_text(transcript, DEAD, columns))
    assert [line for line in outline if width(line) > columns] == []


def test_the_samples_are_what_their_maker_makes(tmp_path: Path) -> None:
    make_samples.main([str(tmp_path)])
    for path in sorted(tmp_path.rglob("*.json*")):
        kept = sample_sessions() / path.relative_to(tmp_path)
        assert kept.read_bytes() == path.read_bytes(), path.name


def test_the_samples_show_every_class_of_error_and_every_reason_for_a_missing_result() -> None:
    failed = {call["cause"] for call in document(load(str(SAMPLES["00000003"])))["calls"]}
    missing = {call["cause"] for call in document(load(str(SAMPLES["00000004"])))["calls"]}
    assert failed | missing == set(causes.ADVICE)


def test_markdown_of_every_sample_is_printed() -> None:
    for path in SAMPLES.values():
        lines = list(as_markdown(load(str(path)), DEAD))
        assert lines[0].startswith("# ")


def test_each_session_can_be_named_by_eight_characters() -> None:
    ids = [id_of(str(path)) for path in SAMPLES.values() if "-other-spec" not in str(path)]
    assert len({id[:8] for id in ids}) == len(ids)
