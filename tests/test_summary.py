"""How sessions end, why results are missing, and where the time went."""

from typing import Any

import pytest

from tests.build import Chain, session_of
from viewer.ending import KINDS, ending
from viewer.load import Transcript
from viewer.model import Liveness
from viewer.status import Court
from viewer.summary import Summary, summarize
from viewer.summary_document import summary_document
from viewer.summary_words import as_text, lines
from viewer.timeline import timeline
from viewer.timeline_words import sparkline

ALIVE = Liveness(alive=True)


def transcript_of(chain: Chain) -> Transcript:
    return Transcript("s.jsonl", session_of(chain))


def summary_of(chain: Chain, liveness: Liveness | None = None) -> Summary:
    return summarize(transcript_of(chain), liveness or Liveness())


def started() -> Chain:
    chain = Chain()
    chain.prompt("go")
    chain.call("ok")
    chain.result("ok")
    return chain


def done(chain: Chain) -> None:
    chain.reply("done")


def stopped(chain: Chain) -> None:
    chain.call("a")
    chain.prompt("[Request interrupted by user for tool use]")


def cut(chain: Chain) -> None:
    chain.call("a")


def refused(chain: Chain) -> None:
    block = {"type": "text", "text": "You've hit your session limit · resets 6pm"}
    chain.said(block, isApiErrorMessage=True)


def broken(chain: Chain) -> None:
    chain.said({"type": "text", "text": "API Error: 500"}, isApiErrorMessage=True)


def nothing_more(_: Chain) -> None:
    """Its last record is the result of a call."""


def asked(chain: Chain) -> None:
    chain.prompt("and?")


@pytest.mark.parametrize(
    ("end", "liveness", "kind"),
    [
        (done, Liveness(), "finished"),
        (stopped, Liveness(), "interrupted"),
        (cut, Liveness(), "killed"),
        (cut, Liveness(killed=True), "killed"),
        (refused, Liveness(), "limit"),
        (broken, Liveness(), "failed"),
        (asked, Liveness(), "unanswered"),
        (nothing_more, Liveness(), "killed"),
        (cut, ALIVE, "running"),
        (cut, Liveness(alive=True, waiting=True, waits_for="Bash"), "waiting"),
        (done, Liveness(alive=True, idle=True), "idle"),
    ],
)
def test_how_a_session_ended(end: Any, liveness: Liveness, kind: str) -> None:
    chain = started()
    end(chain)
    transcript = transcript_of(chain)
    judge = Court(transcript, liveness).judge(transcript.session)
    found = ending(transcript, judge, liveness)
    assert found.kind == kind and kind in KINDS
    if kind in ("killed", "limit", "failed", "interrupted"):
        good = found.good
        assert good is not None


def test_nothing_said_is_no_ending() -> None:
    assert summary_of(Chain()).ending.kind == "empty"


def test_what_failed_first_and_what_was_tried_then() -> None:
    chain = started()
    for id, name in (("bad", "Bash"), ("x", "Read"), ("y", "Grep")):
        chain.call(id, name, command="make", pattern="p", file_path="/f")
        chain.result(id, "Exit code 1" if id == "bad" else "ok", error=id == "bad")
    summary = summary_of(chain)
    assert [failure.place.call.id for failure in summary.failures] == ["bad"]
    assert [place.call.id for place in summary.following] == ["x", "y"]
    assert summary.unrecovered == summary.failures and summary.recovered == []


def test_a_missing_result_comes_with_what_tells_why_and_what_came_next() -> None:
    chain = started()
    chain.call("a")
    chain.prompt("[Request interrupted by user]")
    chain.reply("ok, I stop")
    (missing,) = summary_of(chain).missing
    assert missing.cause == "INTERRUPTED"
    assert missing.evidence.words == "interrupted in line 5"
    assert missing.evidence.next is not None and missing.evidence.next.line == 5


def test_the_end_of_the_session_is_told_in_time() -> None:
    chain = started()
    chain.call("a", timestamp="2026-03-01T10:00:10Z")
    chain.add("system", subtype="informational", content="x", timestamp="2026-03-01T10:00:13Z")
    (missing,) = summary_of(chain).missing
    assert missing.evidence.words == "the session ended 9.0s later"


def test_tools_are_counted_with_their_durations() -> None:
    chain = started()
    for number, seconds in enumerate((1, 2, 3, 40)):
        chain.call(f"r{number}", "Read", file_path="/f")
        chain.result(f"r{number}", toolUseResult={"durationMs": seconds * 1000})
    use = next(use for use in summary_of(chain).tools if use.name == "Read")
    assert (use.calls, use.median, use.p95) == (4, 2500, 40000)


def test_a_servers_health() -> None:
    chain = started()
    for id, error in (("a", "Request timed out"), ("b", "no response"), ("c", "boom"), ("d", "")):
        chain.call(id, "mcp__db__query", sql="s")
        chain.result(id, error or "ok", error=bool(error))
    (server,) = summary_of(chain).servers
    assert (server.calls, server.timeouts, server.silent, server.errors) == (4, 1, 1, 1)


def test_silences_tell_who_was_waited_for() -> None:
    chain = Chain()
    chain.prompt("go", timestamp="2026-03-01T10:00:00Z")
    chain.call("a")
    chain.records[-1]["timestamp"] = "2026-03-01T10:01:00Z"
    chain.result("a", timestamp="2026-03-01T10:03:00Z")
    chain.prompt("and now?", timestamp="2026-03-01T10:10:00Z")
    found = [(round(each.seconds), each.what) for each in summary_of(chain).silences]
    assert found == [(420, "you"), (120, "a call"), (60, "the model")]


def test_every_line_of_the_summary_that_names_something_leads_there() -> None:
    chain = started()
    stopped(chain)
    transcript = transcript_of(chain)
    summary = summarize(transcript)
    labels = {line.label: line for line in lines(summary, transcript) if line.label}
    assert labels["ended"].item is not None
    assert labels["missing ∅"].item is transcript.session.calls["a"]
    assert any(line.startswith("turns") for line in as_text(summary, transcript, 60))


def test_the_document_has_the_same_facts() -> None:
    chain = started()
    chain.call("bad", command="make")
    chain.result("bad", "Exit code 1", error=True)
    chain.call("good", command="make")
    chain.result("good")
    found = summary_document(summary_of(chain))
    (failure,) = found["failures"]
    assert failure["recovered_by"] == {"call": "good", "line": 6, "pattern": "retry", "tries": 1}
    assert found["ending"]["kind"] == "killed" and found["calls"] == 3


# Over time


def test_the_timeline_has_every_call_in_its_column() -> None:
    chain = started()
    for number in range(50):
        chain.call(f"c{number}", "Read", file_path="/f")
        chain.result(f"c{number}")
    made = timeline(session_of(chain), 20)
    columns = [column for column in made.columns if column]
    assert len(made.columns) == 20
    assert sum(column.calls.total() for column in columns) == 51
    assert sum(column.prompts for column in columns) == 1


def test_a_pause_is_cut_short() -> None:
    chain = Chain()
    chain.prompt("go", timestamp="2026-03-01T10:00:00Z")
    chain.prompt("go on", timestamp="2026-03-02T10:00:00Z")
    chain.prompt("more", timestamp="2026-03-02T10:01:00Z")
    made = timeline(session_of(chain), 4)
    assert made.pauses == 1
    assert [bool(column) for column in made.columns] == [True, False, True, True]


def test_a_session_without_times_has_no_timeline() -> None:
    chain = Chain()
    chain.prompt("go", timestamp=None)
    assert timeline(session_of(chain), 10).columns == []


def test_bars_are_as_wide_as_there_is_room() -> None:
    assert sparkline([1, 2, 3, 4, 5, 6, 7, 8], 8) == "▁▂▃▄▅▆▇█"
    assert len(sparkline(list(range(1000)), 40)) == 40
    assert sparkline([], 10) == ""


def test_an_inline_sub_agents_task_is_no_turn() -> None:
    chain = started()
    chain.call("t", "Task", description="d", prompt="look")
    chain.prompt("look", parent=None, isSidechain=True)
    chain.reply("found", isSidechain=True)
    summary = summary_of(chain)
    assert summary.turns == 1


def test_a_hook_that_let_a_call_run_is_not_the_one_that_said_no() -> None:
    chain = started()
    chain.call("a")
    for command, kind in (("good.sh", "hook_success"), ("guard.sh", "hook_blocking_error")):
        fields = {"hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "toolUseID": "a"}
        chain.add("attachment", attachment={"type": kind, "command": command, **fields})
    chain.reply("I see")
    (missing,) = summary_of(chain).missing
    assert (missing.cause, missing.evidence.words) == ("HOOK_BLOCKED", "the hook said no: guard.sh")


def test_an_interruption_far_away_is_not_laid_at_a_call() -> None:
    chain = started()
    chain.call("a")
    chain.prompt("[Request interrupted by user]")
    transcript = transcript_of(chain)
    call = transcript.session.calls["a"]
    chain.records[-1:-1] = [{**chain.records[0], "uuid": f"x{n}"} for n in range(3)]
    late = transcript_of(chain)
    late.session.calls["a"].fate = call.fate
    (missing,) = summarize(late).missing
    assert missing.evidence.words == "its turn was cancelled"


@pytest.mark.parametrize("cost", [float("inf"), float("nan"), -5, True, "much"])
def test_a_cost_that_is_none_is_not_stated(cost: object) -> None:
    chain = started()
    chain.reply("done", usage=None)
    chain.records[-1]["message"]["usage"] = {"input_tokens": 5, "output_tokens": 1}
    transcript = transcript_of(chain)
    transcript.session.facts.learn("cost", {"totalCostUSD": cost})
    words = "\n".join(as_text(summarize(transcript), transcript))
    assert "cost not stated" in words
