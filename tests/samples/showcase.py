"""One working session from its first prompt to its sudden end: what `claude-view --demo` opens."""

from datetime import timedelta
from typing import Any

from tests.samples.agents import _meta
from tests.samples.causes import DENIED
from tests.samples.hooks import _hook, _stop
from tests.samples.log import Log, Object, to_json
from tests.samples.shapes import _queue
from tests.samples.traps import PNG

SHOP = "/home/demo/shop"
CART, MONEY, RECEIPT = (f"{SHOP}/src/checkout/{name}.py" for name in ("cart", "money", "receipt"))
TESTS = f"{SHOP}/tests/checkout/test_rounding.py"
GUARD, LINT = "hooks/guard.sh", "hooks/lint.sh"

TWICE = "    return round_total(sum(round_total(line.net) for line in lines))"
ONCE = """\
    exact = Decimal(0)
    for line in lines:
        exact += line.net  # in full precision: the only rounding of them all is in the next line
    return round_total(exact)"""
CART_CODE = f"""\
class Line(NamedTuple):
    name: str
    net: Decimal


def total(lines: list[Line]) -> Decimal:
{TWICE}
"""
FOOTER = """\
    amounts = [round_total(line.net) for line in lines]
    return f"Total {sum(amounts):>10}\""""
HITS = f"""\
src/checkout/cart.py:7:{TWICE}
src/checkout/money.py:4:def round_total(amount: Decimal) -> Decimal:
src/checkout/receipt.py:2:    amounts = [round_total(line.net) for line in lines]"""
TEST_CODE = """\
@pytest.mark.parametrize("nets, paid", [("3.335 3.335 3.33", "10.00"), ("19.995 4.995", "24.99")])
def test_a_total_is_rounded_once(nets: str, paid: str) -> None:
    lines = [Line("a", Decimal(net)) for net in nets.split()]
    assert total(lines) == Decimal(paid)
"""
PLAN = """\
## Round once

1. `total()` adds exact amounts and rounds **the sum**.
2. `round_total()` rounds half up, as printed receipts do.
3. `footer()` asks `total()` instead of adding for itself.
"""
DONE = """\
## The cart and the receipt agree again

Rounding happened **twice**: each line was rounded, and then their sum once more.

- `total()` adds exact amounts and rounds the sum, *half up*
- `footer()` prints what `total()` says

| Lines | before | now |
|---|---:|---:|
| 3.335 + 3.335 + 3.33 | 10.01 | **10.00** |
| 19.995 + 4.995 | 25.00 | **24.99** |

```python
def footer(lines: list[Line]) -> str:
    return f"Total {total(lines):>10}"
```

The background is in the [notes on rounding](https://docs.example.com/money/rounding).
"""
GUIDE = """\
# Rounding of amounts

1. Keep at least four decimal places while you add.
2. Round *half up*, **once**, when an amount is shown or booked.

> Taxes may be rounded per line or per receipt, but in the same way on every receipt.

The rules for each country are on [the next page](https://docs.example.com/money/tax).
"""
SUMMARY = """\
This session is being continued from a previous conversation that ran out of context. Summary:
1. The checkout rounded twice. `total()` now rounds once, half up; `footer()` asks `total()`.
2. 212 receipts of September were wrong by a cent. The database stays as it is.
3. Still to do: run all tests, push the branch.
"""
STEPS = (
    "Reproduce the wrong sum/Round once, in total()/Print the same sum on the receipt/"
    "Shorten the line that lint.sh complains about/Count the receipts that were wrong/"
    "Run everything, the browser tests too/Push the branch"
).split("/")


def showcase(log: Log) -> None:
    """A bit of everything: a rounding bug is found, fixed and pushed, with much trouble."""
    log.now = log.now.replace(hour=14, minute=1, second=6)
    log.title("Fix the rounding bug in checkout", "ai")
    log.state("permission-mode", permissionMode="plan")
    _find(log)
    _ask_agents(log)
    _plan(log)
    _mend(log)
    _rewind(log)
    _count(log)
    _push(log, _run_everything(log))
    _look_up(log)


def _after(log: Log, seconds: float) -> None:
    """The next record comes this much later than the last one."""
    log.now += timedelta(seconds=seconds - 1.5)


def _answer(log: Log, id: str, took: float, content: Any, noted: Any = None) -> None:
    _after(log, took)
    log.result(id, content, noted)


def _do(log: Log, took: float, content: Any, tool: str, noted: Any = None, /, **input: Any) -> str:
    """A call and its result."""
    id = log.call(tool, **input)
    _answer(log, id, took, content, noted)
    return id


def _fail(log: Log, took: float, text: str, id: str, **fields: Any) -> None:
    _after(log, took)
    log.fail(id, text, **fields)


def _read(log: Log, took: float, path: str, code: str, *, same: bool = False) -> None:
    lines = code.splitlines()
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
    file: Object = {"filePath": path, "content": code, "startLine": 1, "totalLines": len(lines)}
    _do(log, took, text, "Read", {"type": "text", "file": file}, same=same, file_path=path)


def _run_hook(log: Log, name: str, id: str, command: str, took: int, stderr: str = "") -> None:
    _after(log, took / 1000)
    told = f"Failed with non-blocking status code: {stderr}\n" if stderr else ""
    ran: Object = {"command": command, "durationMs": took, "content": "", "stdout": ""}
    ran |= {"stderr": told, "exitCode": 1 if stderr else 0}
    _hook(log, "non_blocking_error" if stderr else "success", name, id, ran)


def _edit(log: Log, path: str, start: int, old: str, new: str, *, same: bool = False) -> Object:
    """The call of an edit, as what its answer needs."""
    id = log.call("Edit", same=same, file_path=path, old_string=old, new_string=new)
    before, after = old.split("\n"), new.split("\n")
    lines = [f"-{line}" for line in before] + [f"+{line}" for line in after]
    patch: Object = {"oldStart": start, "oldLines": len(before), "lines": lines}
    patch |= {"newStart": start, "newLines": len(after)}
    noted = {"filePath": path, "structuredPatch": [patch], "userModified": False}
    return {"id": id, "content": f"The file {path} has been updated.", "noted": noted}


def _find(log: Log) -> None:
    text = "Fix the rounding bug in checkout: the cart says 10.00, the receipt 10.01 [Image #1]"
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    log.prompt([{"type": "text", "text": text}, image], imagePasteIds=[1])
    _after(log, 4.2)
    log.think("Either the two add in a different order, or one rounds what was rounded before.")
    log.say("I'll look at the cart and run its tests first.", same=True)
    _read(log, 0.008, CART, CART_CODE, same=True)
    command: Object = {"command": "pytest -q tests/checkout", "timeout": 120000}
    id = log.call("Bash", **command, description="Run the checkout tests")
    _run_hook(log, "PreToolUse:Bash", id, GUARD, 41)
    _fail(log, 3.4, f"Exit code 1\n{_pytest()}", id)
    _after(log, 6)
    log.think("")

    grep = log.call("Grep", same=True, pattern="round_total", output_mode="content")
    _after(log, 0.01)
    glob = log.call("Glob", same=True, pattern="tests/checkout/**/*.py")
    _answer(log, grep, 0.012, HITS, {"mode": "content", "content": HITS, "numLines": 3})
    _answer(log, glob, 0.014, "tests/checkout/test_cart.py\ntests/checkout/test_receipt.py")


def _pytest() -> str:
    """What pytest writes about three failing tests, in its colours."""
    red, bold, off, plain = "\x1b[31m", "\x1b[1m\x1b[31m", "\x1b[0m", "\x1b[39;49;00m"
    file, last = "tests/checkout/test_cart.py", []
    lines = [f"\x1b[32m{'.' * 38}{off}{red}FFF{off}   [100%]", f"{' FAILURES ':=^50}"]
    for case in ("thirds 10.01 10.00", "halves 0.96 1.00", "discount 25.00 24.99"):
        name, wrong, right = case.split()
        failed = f"assert Decimal('{wrong}') == Decimal('{right}')"
        lines += [
            f"{bold}{f' test_total[{name}] ':_^50}{off}\n",
            f"name = '{name}', paid = Decimal('{right}')\n",
            f'    \x1b[37m@pytest{plain}.mark.parametrize(\x1b[33m"name, paid"{plain}, CASES)',
            f"    \x1b[94mdef{plain} \x1b[92mtest_total{plain}(name, paid):",
            "        cart = load_cart(name)",
            f">       \x1b[94massert{plain} total(cart.lines) == paid",
            f"{bold}E       {failed}{off}",
            f"{bold}E        +  where Decimal('{wrong}') = total([…]){off}\n",
            f"{bold}{file}{off}:23: AssertionError",
        ]
        last.append(f"{red}FAILED{off} {file}::\x1b[1mtest_total[{name}]{off} - {failed}")
    lines += [f"\x1b[36m\x1b[1m{' short test summary info ':=^50}{off}", *last]
    lines.append(f"{bold}3 failed{off}, \x1b[32m38 passed{off}{red} in 3.12s{off}")
    return "\n".join(lines)


def _ask_agents(log: Log) -> None:
    task = "Find every place outside src/checkout/cart.py that rounds or adds prices."
    fields: Object = {"description": "Find other callers", "subagent_type": "general-purpose"}
    id = log.call("Agent", **fields, prompt=task)
    name, began = "a18000000000000c1", log.now
    agent = log.agent(name, "subagents", _meta("Find other callers", id, 1))
    agent.prompt(task)
    agent.say("I'll search for callers of `round_total()`.")
    _do(agent, 0.011, HITS, "Grep", same=True, pattern="round_total", output_mode="content")
    _read(agent, 0.007, RECEIPT, f"def footer(lines: list[Line]) -> str:\n{FOOTER}")
    failed = agent.call("Bash", command="rg -n 'quantize|round' templates")
    _fail(agent, 0.02, "Exit code 127\nbash: rg: command not found", failed)
    _do(agent, 0.009, "templates/mail/receipt.html", "Glob", pattern="templates/**/*.html")
    _ask_one_more(agent)
    command = "git log --oneline -1 -- src/checkout/receipt.py"
    _do(agent, 0.032, "4b1d0c7 Print the total below the lines", "Bash", command=command)
    _after(agent, 32)
    answer = "One more place: `footer()` in `src/checkout/receipt.py` rounds each line and adds."
    agent.say(answer)
    log.now = agent.now
    content = [{"type": "text", "text": answer}]
    noted: Object = {"status": "completed", "prompt": task, "agentId": name, "content": content}
    noted["totalDurationMs"] = round((agent.now - began).total_seconds() * 1000) + 200
    _answer(log, id, 0.2, content, noted | {"totalTokens": 31200, "totalToolUseCount": 6})


def _ask_one_more(agent: Log) -> None:
    """A sub-agent's own sub-agent."""
    task = "Do the mail templates add or round prices themselves?"
    fields: Object = {"description": "Check the mails", "subagent_type": "Explore"}
    id = agent.call("Agent", **fields, prompt=task)
    meta = _meta("Check the mails", id, 2) | {"agentType": "Explore"}
    meta["parentAgentId"] = agent.agent_id
    inner = agent.agent("a18000000000000c2", "subagents", meta)
    inner.prompt(task)
    _do(inner, 0.01, "receipt.html:31: {{ footer }}", "Grep", pattern="total|price")
    _after(inner, 17)
    inner.say("No: line 31 prints `footer` as it is.")
    agent.now = inner.now
    _answer(agent, id, 0.3, "No: line 31 prints `footer` as it is.")


def _plan(log: Log) -> None:
    question = "How shall a half cent be rounded?"
    options = [
        {"label": "Half up", "description": "As on printed receipts"},
        {"label": "Half to even", "description": "As now, the default of Decimal"},
    ]
    asked = [{"question": question, "header": "Rounding", "options": options, "multiSelect": False}]
    _after(log, 3.1)
    log.say("Rounding happens twice, and half a cent goes to the even side.")
    text = f'User has answered your questions: "{question}"="Half up".'
    noted: Object = {"questions": asked, "answers": {question: "Half up"}}
    _do(log, 38, text, "AskUserQuestion", noted, same=True, questions=asked)
    _after(log, 5)
    _do(log, 52, "User has approved your plan.", "ExitPlanMode", {"plan": PLAN}, plan=PLAN)
    log.state("permission-mode", permissionMode="acceptEdits")


def _mend(log: Log) -> None:
    edit = _edit(log, CART, 7, TWICE, ONCE)
    _run_hook(log, "PreToolUse:Edit", edit["id"], GUARD, 38)
    stderr = "src/checkout/cart.py:9:89: E501 Line too long (97 > 88)"
    _run_hook(log, "PostToolUse:Edit", edit["id"], LINT, 612, stderr)
    _answer(log, took=0.02, **edit)

    edits = [{"old_string": "import D", "new_string": "import ROUND_HALF_UP, D"}]
    edits.append({"old_string": '("0.01"))', "new_string": '("0.01"), ROUND_HALF_UP)'})
    multi = log.call("MultiEdit", file_path=MONEY, edits=edits)
    _after(log, 0.01)
    edit = _edit(log, RECEIPT, 2, FOOTER, '    return f"Total {total(lines):>10}"', same=True)
    _answer(log, multi, 0.031, f"Applied 2 edits to {MONEY}", {"filePath": MONEY, "edits": edits})
    _answer(log, took=0.026, **edit)
    text = f"File created successfully at: {TESTS}"
    noted = {"type": "create", "filePath": TESTS, "content": TEST_CODE, "structuredPatch": []}
    _do(log, 0.019, text, "Write", noted, file_path=TESTS, content=TEST_CODE)
    _after(log, 7)
    passed = f"\x1b[32m{'.' * 43}\x1b[0m   [100%]\n\x1b[32m\x1b[1m43 passed\x1b[0m in 2.87s"
    _do(log, 3.1, passed, "Bash", command="pytest -q tests/checkout", description="Test again")

    states = ["completed"] * 3 + ["in_progress"] + ["pending"] * 3
    pairs = zip(STEPS, states, strict=True)
    todos = [{"content": step, "status": state, "activeForm": step} for step, state in pairs]
    _do(log, 0.004, "Todos have been modified successfully.", "TodoWrite", todos=todos)
    _after(log, 11)
    log.say(DONE)
    _stop(log, log.name("h"), [])


def _query(log: Log, took: float, sql: str, rows: str) -> None:
    content = [{"type": "text", "text": rows}]
    _do(log, took, content, "mcp__shop_db__query", content, sql=sql)


def _rewind(log: Log) -> None:
    fork = log.last
    _after(log, 140)
    log.prompt("Good. Now correct the sums in the database as well.")
    log.think("That changes what was booked. I should look before I write anything.")
    _query(log, 0.21, "select count(*) from receipts", '[{"count": 48211}]')
    log.say("There are 48211 receipts. Shall I rewrite those that are wrong?")
    log.last = fork


def _count(log: Log) -> None:
    _after(log, 65)
    log.prompt("Leave the database as it is, just count the receipts that were wrong.")
    sql = "select count(*) from receipts where total <> sum_of_lines"
    error = "Request timed out after 120000ms: shop_db query"
    _fail(log, 120, error, log.call("mcp__shop_db__query", sql=sql))
    text = "Only those of September will do."
    _queue(log, "enqueue", content=text)
    _query(log, 0.38, f"explain {sql}", '[{"plan": "seq scan on receipts"}]')
    _queue(log, "remove", content=text, reason="absorbed_mid_turn")
    queued: Object = {"prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}}
    log.add("attachment", attachment={"type": "queued_command", **queued, "humanTurn": True})
    _query(log, 2.1, f"{sql} and month = 9", '[{"count": 212}]')
    _after(log, 4)
    log.say("In September **212** receipts were wrong, each by a cent.")

    _after(log, 95)
    name = "<command-name>/cost</command-name>\n<command-message>cost</command-message>"
    log.system("local_command", content=f"{name}\n<command-args></command-args>", level="info")
    _after(log, 0.1)
    said = "Total cost:  \x1b[1m$1.84\x1b[22m\nTotal time:  10m 44s (API 4m 2s)"
    output = f"<local-command-stdout>{said}</local-command-stdout>"
    log.system("local_command", content=output, level="info")


def _run_everything(log: Log) -> str:
    """Leaves a command in the background, whose id it returns."""
    _after(log, 410)
    before = log.prompt("Run everything, the browser tests too, then push the branch.")
    sizes: Object = {"trigger": "auto", "preTokens": 155917, "postTokens": 11820}
    fields: Object = {"logicalParentUuid": before, "content": "Conversation compacted"}
    log.last = None
    _after(log, 41)
    log.system("compact_boundary", **fields, level="info", compactMetadata=sizes)
    log.prompt(SUMMARY, isVisibleInTranscriptOnly=True, isCompactSummary=True)
    error = {"message": "529 overloaded_error", "status": 529, "formatted": "529 Overloaded"}
    for attempt in (1, 2, 3):
        retry: Object = {"retryInMs": 600 * 2**attempt, "retryAttempt": attempt, "maxRetries": 10}
        _after(log, 0.6 * 2**attempt)
        log.system("api_error", level="error", error=error, **retry, source="request_retry")

    _after(log, 8)
    command: Object = {"command": "pytest -q --slow", "description": "Run the whole suite"}
    text = "Command running in background with ID: b18k2."
    noted: Object = {"stdout": "", "stderr": "", "backgroundTaskId": "b18k2"}
    suite = _do(log, 0.055, text, "Bash", noted, **command, run_in_background=True)
    id = log.call("Bash", command="npm run e2e", description="Run the browser tests")
    _fail(log, 167, DENIED, id, noted="User rejected tool use", toolDenialKind="user-rejected")
    _after(log, 0.02)
    log.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    return suite


def _push(log: Log, suite: str) -> None:
    _after(log, 24)
    log.prompt("That takes too long. Leave the browser tests out and push.")
    id = log.call("Bash", command="git push --force origin rounding", description="Push")
    reason = f"[{GUARD}]: force pushes are not allowed here\n"
    _after(log, 0.044)
    error = {"blockingError": {"blockingError": reason, "command": GUARD}}
    _hook(log, "blocking_error", "PreToolUse:Bash", id, error)
    decision = {"decision": "reject", "source": "hook", "reasonType": "hook"}
    denied: Object = {"toolDenialKind": "permission-rule", "permissionDecision": decision}
    _fail(log, 0.01, f"PreToolUse:Bash hook error: {reason}", id, **denied)

    torn = log.make("system", log.last, subtype="informational", content="The disk is full.")
    log.raw(to_json(torn).encode()[:150])
    output = "To git.example.com:shop.git\n   4b1d0c7..c03e5d8  rounding -> rounding"
    _do(log, 1.9, output, "Bash", command="git push origin rounding", description="Push")
    log.state("weather", sky="clear", note="a record of a type that does not exist yet")
    _after(log, 3)
    log.say("The branch `rounding` is pushed, without force: the guard does not allow that.")
    _after(log, 96)
    told = {"task-id": "b18k2", "tool-use-id": suite, "status": "completed"}
    told["summary"] = 'Background command "Run the whole suite" completed (exit code 0)'
    inside = "\n".join(f"<{name}>{text}</{name}>" for name, text in told.items())
    log.prompt(f"<task-notification>\n{inside}\n</task-notification>")
    _after(log, 2.4)
    log.say("The whole suite has passed: 412 tests in 4 min 51 s.")


def _look_up(log: Log) -> None:
    _after(log, 330)
    log.prompt("One more thing: may tax be rounded per line?")
    url, prompt = "https://docs.example.com/money/rounding", "May tax be rounded per line?"
    noted: Object = {"bytes": 18240, "code": 200, "codeText": "OK", "result": GUIDE, "url": url}
    _do(log, 1.28, GUIDE, "WebFetch", noted, url=url, prompt=prompt)
    log.think("Either way is allowed. The rules for each country are on the next page.")
    log.say("Per line or per receipt, but always in the same way. I'll check ours.", same=True)
    log.call("WebFetch", same=True, url="https://docs.example.com/money/tax", prompt=prompt)
