"""How sessions end, and how failures are made good."""

from tests.samples.log import Log, Object

SHOP = "/home/demo/till"


def finished(log: Log) -> None:
    """A session that finished: what failed once was read first, then written."""
    log.prompt("Round once in total().")
    path = f"{SHOP}/cart.py"
    edit: Object = {"file_path": path, "old_string": "float(", "new_string": "Decimal("}
    text = "File has not been read yet. Read it first before writing to it."
    log.fail(log.call("Edit", **edit), text, tagged=True)
    log.read(path, "total = float(price)")
    log.result(log.call("Edit", **edit), "The file has been updated.", _patch(path))
    log.say("Done: `total()` rounds once now.")


def interrupted(log: Log) -> None:
    """A session that the user interrupted while a command ran."""
    log.prompt("Run the browser tests.")
    log.bash("npm ci", "added 812 packages")
    id = log.call("Bash", command="npm run e2e")
    log.time(40)
    text = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    log.fail(id, text, noted="User rejected tool use", toolDenialKind="user-rejected")
    log.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])


def killed(log: Log) -> None:
    """A session whose program was killed: two calls of one message are unanswered."""
    log.prompt("Update the prices.")
    log.bash("git status --short", " M prices.json")
    log.say("I write both files now.")
    log.call("Write", file_path=f"{SHOP}/prices.json", content="{}")
    log.call("Bash", same=True, command="python import_prices.py")


def out_of_limits(log: Log) -> None:
    """A session that ended because the user's limit was reached."""
    log.prompt("Summarize all orders of this year.")
    log.bash("wc -l orders.csv", "812345 orders.csv")
    _api_error(log, "You've hit your session limit · resets 6pm")


def failed(log: Log) -> None:
    """A session that an error of the API has ended, after its retries."""
    log.prompt("Translate the receipts.")
    for attempt in (1, 2, 3):
        error: Object = {"status": 529, "message": "Overloaded"}
        log.system("api_error", error=error, retryAttempt=attempt, maxRetries=3, level="error")
    _api_error(log, "API Error: Repeated 529 Overloaded errors")


def unanswered(log: Log) -> None:
    """A session that ended before the last prompt was answered."""
    log.prompt("What is left to do?")
    log.say("Only the receipts.")
    log.prompt("Then do the receipts too.")


def too_many_turns(log: Log) -> None:
    """A session that stopped at the number of turns it was allowed."""
    log.prompt("Fix every warning.")
    log.bash("ruff check .", "Found 40 errors.")
    log.attach("max_turns_reached", maxTurns=2, turnCount=3)


def recoveries(log: Log) -> None:
    """Every way in which failures are made good, and one that never was, again and again."""
    log.prompt("Move the prices to the database and tell me the exchange rate.")
    log.title("Failures made good, and one that was not")
    path, new = f"{SHOP}/prices.py", f"{SHOP}/rates.py"
    # A simpler tool: MultiEdit, then Edit, then Write.
    timeout = (
        "Error calling tool ({}): MCP error -32603: failed to evaluate permission: "
        "request timed out after 2m0s"
    )
    edits = [{"old_string": "a", "new_string": "b"}]
    id = log.call("MultiEdit", file_path=path, edits=edits)
    log.fail(id, timeout.format("MultiEdit"), tagged=True)
    id = log.call("Edit", file_path=path, old_string="a", new_string="b")
    log.fail(id, timeout.format("Edit"), tagged=True)
    id = log.call("Write", file_path=path, content="prices = {}\n")
    log.result(id, "File created successfully.", _patch(path))
    # Read before write.
    id = log.call("Write", file_path=new, content="rates = {}\n")
    text = "File has not been read yet. Read it first before writing to it."
    log.fail(id, text, tagged=True)
    log.read(new, "rates = None")
    id = log.call("Write", file_path=new, content="rates = {}\n")
    log.result(id, "The file has been updated.", _patch(new))
    # The same again: a command, an MCP tool.
    log.fail(log.call("Bash", command="cd shop && pytest -q 2>&1 | tail -5"), "Exit code 1\nF")
    log.bash("pytest -q", "3 passed")
    query: Object = {"sql": "select count(*) from prices"}
    log.fail(log.call("mcp__shop_db__query", **query), "no response from server shop_db")
    log.result(log.call("mcp__shop_db__query", **query), "3")
    # Another tool.
    url = "https://rates.example.com/today"
    log.fail(log.call("WebFetch", url=url, prompt="The rate?"), "fetch failed")
    log.bash(f"curl -s {url}", '{"eur": 1.08}')
    # Again and again.
    for _ in range(4):
        log.fail(log.call("mcp__shop_mail__send", to="ops"), "Request timed out after 2m0s")
    log.say("All but the mail is done: its server does not answer in time.")


def _patch(path: str) -> Object:
    hunk = {"oldStart": 1, "newStart": 1, "lines": ["-old", "+new"]}
    return {"filePath": path, "structuredPatch": [hunk]}


def _api_error(log: Log, text: str) -> None:
    message: Object = {"id": log.name("m"), "role": "assistant", "model": "<synthetic>"}
    message |= {"content": [{"type": "text", "text": text}]}
    log.add("assistant", message=message, isApiErrorMessage=True)
