"""Calls that failed, and calls without a result, for every cause there is."""

from tests.samples.log import Log, Object

SHOP = "/home/demo/shop"
DENIED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
    "was a file edit, the new_string was NOT written to the file)."
)


def every_error(log: Log) -> None:
    """One failed call for each class of error, and an API error with its retries."""
    log.prompt("Deploy the rounding fix.")
    log.title("A failed call for every class of error")
    _files(log)
    _network(log)
    _refusals(log)
    _api_error(log)


def _files(log: Log) -> None:
    path = f"{SHOP}/src/cart.py"
    edit: Object = {"file_path": path, "old_string": "float(", "new_string": "Decimal("}
    text = "File has not been read yet. Read it first before writing to it."
    log.fail(log.call("Edit", **edit), text, tagged=True)
    text = "File has been modified since read, either by the user or by a linter."
    log.fail(log.call("Edit", **edit), text, tagged=True)
    text = "String to replace not found in file.\nString: float("
    log.fail(log.call("Edit", **edit), text, tagged=True)
    log.fail(log.call("Read", file_path=f"{SHOP}/src/tax.py"), "File does not exist.", tagged=True)
    text = "File content (31877 tokens) exceeds maximum allowed tokens (25000)."
    log.fail(log.call("Read", file_path=f"{SHOP}/orders.json"), text)

    test = log.call("Bash", command="npm test")
    lint = log.call("Bash", command="npm run lint", same=True)
    log.fail(test, "Exit code 1\n1 failing: total() rounds half up")
    log.fail(lint, "Cancelled: parallel tool call Bash(npm test) errored", tagged=True)
    text = "Command timed out after 2m 0s"
    log.fail(log.call("Bash", command="npm run e2e", timeout=120000), text)


def _network(log: Log) -> None:
    text = "getaddrinfo ENOTFOUND rates.example.com"
    log.fail(log.call("WebFetch", url="https://rates.example.com", prompt="The rate?"), text)
    text = "no response from server shop_db"
    log.fail(log.call("mcp__shop_db__query", sql="select 1"), text)
    text = "MCP error -32603: relation carts is unknown"
    log.fail(log.call("mcp__shop_db__query", sql="select * from carts"), text)
    id = log.call("Agent", description="Check receipts", prompt="Check ten receipts.")
    log.fail(id, "API Error: 500 Internal server error")
    log.fail(log.call("Skill", skill="deploy"), "The deploy skill gave up: the moon is full")


def _refusals(log: Log) -> None:
    id = log.call("Write", file_path="/etc/hosts", content="127.0.0.1 shop")
    text = "Claude requested permissions to write to /etc/hosts, but you haven't granted it yet."
    decision: Object = {"decision": "reject", "source": "config", "reasonType": "rule"}
    log.fail(id, text, toolDenialKind="permission-rule", permissionDecision=decision)
    id = log.call("Bash", command="rm -rf dist")
    text = "PreToolUse:Bash hook error: [hooks/guard.sh]: deleting is not allowed\n"
    decision = {"decision": "reject", "source": "hook", "reasonType": "hook"}
    log.fail(id, text, toolDenialKind="permission-rule", permissionDecision=decision)
    id = log.call("Bash", command="npm run deploy")
    log.fail(id, DENIED, noted="User rejected tool use", toolDenialKind="user-rejected")
    log.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])


def _api_error(log: Log) -> None:
    log.prompt("Try once more.")
    error = {"message": "529 overloaded_error", "status": 529, "formatted": "529 Overloaded"}
    for attempt in (1, 2):
        retry: Object = {"retryInMs": 600 * attempt, "retryAttempt": attempt, "maxRetries": 2}
        log.system("api_error", level="error", error=error, **retry, source="request_retry")
    text = "API Error: Repeated 529 Overloaded errors"
    message: Object = {"id": log.name("m"), "role": "assistant"}
    message |= {"model": "<synthetic>", "stop_reason": "stop_sequence"}
    message |= {"content": [{"type": "text", "text": text}]}
    message["usage"] = {"input_tokens": 0, "output_tokens": 0}
    fields: Object = {"error": "overloaded", "apiErrorStatus": 529}
    log.add("assistant", message=message, isApiErrorMessage=True, **fields)


def every_missing_result(log: Log) -> None:
    """One call without a result for each reason; the last one is where the session ended.

    It was begun with 2.1.37, which tells of the progress of a command, and went on with 2.1.326.
    """
    log.prompt("Publish the new price list.")
    log.title("A missing result for every reason")
    fork = log.say("Shall I publish to the live shop or to the test shop?")
    log.prompt("To the live shop.")
    log.call("Bash", command="./publish.sh live")
    log.last = fork
    log.prompt("No, to the test shop.")

    id = log.call("Bash", command="./publish.sh test", timeout=5000)
    tail: Object = {"output": "uploading", "fullOutput": "uploading", "totalLines": 1}
    log.progress(
        id, "bash_progress", "bash-progress-0", **tail, elapsedTimeSeconds=5, timeoutMs=5000
    )

    log.version = "2.1.326"
    log.prompt("It hangs. Look at the log instead.")
    id = log.call("Bash", command="rm publish.log")
    error = {"blockingError": "[hooks/guard.sh]: keep the log\n", "command": "hooks/guard.sh"}
    fields: Object = {"hookName": "PreToolUse:Bash", "toolUseID": id, "hookEvent": "PreToolUse"}
    log.attach("hook_blocking_error", **fields, blockingError=error)

    log.prompt("Do not delete it, read it.")
    id = log.call("Read", file_path="/home/demo/secrets/publish.log")
    text = "Claude requested permissions to read the file, but you haven't granted it yet."
    log.system("permission_denied", tool_name="Read", tool_use_id=id, message=text)

    log.prompt("Then watch it.")
    log.call("Bash", command="tail -f publish.log")
    log.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])

    log.prompt("How many lines does it have?")
    log.call("Bash", command="wc -l publish.log")
    log.say("I could not tell. I will publish again, with more output.")
    log.call("Bash", command="./publish.sh test --verbose")
