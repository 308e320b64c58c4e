"""Conversations that are no straight line."""

from tests.samples.log import Log, Object

NOTES = "/home/demo/notes"


def parallel_calls(log: Log) -> None:
    """Parallel calls: results out of order, a cancelled sibling, several on one line."""
    log.prompt("Check the three services, then the two linters.")
    log.title("Parallel calls and their results")
    log.say("All three at once.")
    names = ("cart", "checkout", "search")
    ids = [log.call("Bash", same=True, command=f"curl -s localhost/{name}") for name in names]
    for index in (2, 0, 1):
        output = f"{names[index]}: ok"
        noted: Object = {"stdout": output, "stderr": "", "interrupted": False}
        log.result(ids[index], output, noted, error=False)

    first = log.call("Bash", command="ruff check .", description="Lint Python")
    second = log.call("Bash", same=True, command="npm run lint", description="Lint scripts")
    log.fail(first, "Exit code 1\nsrc/cart.py:3:101: E501 Line too long")
    log.fail(second, "Cancelled: parallel tool call Bash(ruff check .) errored", tagged=True)

    # As up to 1.0.0: one line holds the whole message.
    last = log.calls(
        {"type": "text", "text": "I'll read both files again."},
        log.new_call("Read", {"file_path": "/home/demo/shop/src/cart.py"}),
        log.new_call("Read", {"file_path": "/home/demo/shop/src/tax.py"}),
    )
    for id in last:
        log.result(id, "1\tfrom decimal import Decimal")
    log.say("The services answer; line 3 of `src/cart.py` is too long.")


def rewind(log: Log) -> None:
    """A rewind: two branches from one reply, the first of them abandoned."""
    log.prompt("I want my notes sorted. What are the options?")
    log.title("A conversation that was rewound")
    fork = log.say("By date, or by topic.")
    log.prompt("By date, please.")
    log.say("Sorting by date.")
    log.bash("ls -t > index.txt", "", same=True)
    log.say("`index.txt` lists the notes by date.")
    log.last = fork
    log.prompt("By topic, please.")
    log.say("Sorting by topic.")
    log.bash("grep -l '#garden' *.md", "beans.md\nroses.md", same=True)
    leaf = log.say("There are two notes about the garden.")
    log.state("last-prompt", lastPrompt="By topic, please.", leafUuid=leaf)


def compaction(log: Log) -> None:
    """A compaction: the boundary, the summary of what came before, and what followed."""
    log.prompt("Turn the garden notes into one page.")
    log.title("A session that was compacted")
    log.read(f"{NOTES}/roses.md", "# Roses\nCut in March.")
    before = log.say("I have read the notes on roses; beans are next.")
    log.last = None
    log.system(
        "compact_boundary",
        logicalParentUuid=before,
        content="Conversation compacted",
        isMeta=False,
        level="info",
        compactMetadata={"trigger": "auto", "preTokens": 155917, "postTokens": 11820},
    )
    log.prompt(
        "This session is being continued from a previous conversation that ran out of context. "
        "Summary: the user wants one page about the garden. Roses are read, beans are next.",
        isVisibleInTranscriptOnly=True,
        isCompactSummary=True,
    )
    log.read(f"{NOTES}/beans.md", "# Beans\nSow in May.")
    log.say("The page is ready: roses in March, beans in May.")


def queued_prompts(log: Log) -> None:
    """Prompts typed while the agent worked: one was taken up, one still waits."""
    _queue(log, "enqueue", content="Count the words in my notes.")
    _queue(log, "dequeue")
    log.prompt("Count the words in my notes.", promptSource="queued")
    log.title("Prompts typed while the agent worked", "ai")
    id = log.call("Bash", command="wc -w *.md", description="Count words")
    text = "Leave out the drafts, please."
    _queue(log, "enqueue", content=text)
    output = "812 beans.md\n97 draft-1.md\n1204 roses.md"
    noted: Object = {"stdout": output, "stderr": "", "interrupted": False}
    log.result(id, output, noted, error=False)
    _queue(log, "remove", content=text, reason="absorbed_mid_turn")
    queued: Object = {"prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}}
    log.add("attachment", attachment={"type": "queued_command", **queued, "humanTurn": True})
    log.say("2016 words without the drafts.")
    _queue(log, "enqueue", content="Now make a chart of it.")


def _queue(log: Log, operation: str, **fields: str) -> None:
    log.state("queue-operation", operation=operation, timestamp=log.time(0.2), **fields)
