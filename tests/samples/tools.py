"""Sessions in which everything goes well."""

from tests.samples.log import Log, Object

CART = "/home/demo/shop/src/cart.py"
TOTAL = "def total(items):\n    return sum(item.price * item.count for item in items)"


def plain(log: Log) -> None:
    """A plain session: prompts, thinking, replies, a command and a file that is read."""
    log.prompt(
        "The cart shows 29.999999999999996 for three items at 10. Where does that come from?"
    )
    log.title("Why the cart shows 29.999999999999996")
    log.think("Prices are probably floats. I should look at how the total is computed.")
    log.say("I'll look at how the total is computed.", same=True)
    log.read(CART, TOTAL, same=True)
    log.bash(
        "python -c 'print(9.999999999999998 + 20)'",
        "29.999999999999996",
        description="Reproduce the sum",
    )
    log.say(
        "`total()` in `src/cart.py` adds **binary floats**. A price of 10 is stored as\n"
        "9.999999999999998 after the discount, and the sum carries the error along.\n\n"
        "1. Store prices as `Decimal`.\n2. Round once, when the total is shown."
    )
    log.prompt("Good. What would the second option cost us?")
    log.think("")
    log.say("One line in the template, but receipts could still differ by a cent.", same=True)


def every_tool(log: Log) -> None:
    """Every tool once, each with its result as the program notes it."""
    log.prompt("Use Decimal for all prices, and tell me what you did.")
    log.title("Every tool, each with its result")
    _files(log)
    _searches(log)
    _background(log)
    _others(log)
    log.say("All prices are `Decimal` now.")


def _files(log: Log) -> None:
    log.bash("git status --short", " M src/cart.py", description="Show what changed")
    log.read(CART, TOTAL)
    path = "/home/demo/shop/src/money.py"
    content = "from decimal import Decimal\n"
    id = log.call("Write", file_path=path, content=content)
    noted: Object = {"type": "create", "filePath": path, "content": content}
    noted |= {"structuredPatch": [], "originalFile": None}
    log.result(id, f"File created successfully at: {path}", noted)

    old, new = "sum(item.price * item.count", "sum(Decimal(item.price) * item.count"
    id = log.call("Edit", replace_all=False, file_path=CART, old_string=old, new_string=new)
    lines = [" def total(items):", f"-    return {old}", f"+    return {new}"]
    patch = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": lines}
    noted = {"filePath": CART, "oldString": old, "newString": new, "originalFile": None}
    noted |= {"structuredPatch": [patch], "userModified": False, "replaceAll": False}
    log.result(id, f"The file {CART} has been updated.", noted)

    edits = [
        {"old_string": "price: float", "new_string": "price: Decimal"},
        {"old_string": "tax: float", "new_string": "tax: Decimal", "replace_all": True},
    ]
    path = "/home/demo/shop/src/item.py"
    id = log.call("MultiEdit", file_path=path, edits=edits)
    noted = {"filePath": path, "edits": edits, "originalFileContents": None, "structuredPatch": []}
    log.result(id, f"Applied 2 edits to {path}", noted)

    path, source = "/home/demo/shop/sales.ipynb", "sales['total'].sum()"
    id = log.call("NotebookEdit", notebook_path=path, cell_id="c2", new_source=source)
    noted = {"notebook_path": path, "new_source": source, "cell_id": "c2", "cell_type": "code"}
    noted |= {"language": "python", "edit_mode": "replace", "error": ""}
    log.result(id, f"Updated cell c2 with {source}", noted)


def _searches(log: Log) -> None:
    id = log.call("Glob", pattern="src/**/*.py")
    noted: Object = {"filenames": [CART], "durationMs": 14, "numFiles": 1, "truncated": False}
    log.result(id, CART, noted)
    id = log.call("Grep", pattern=r"float\(", path="src", output_mode="content")
    line = "src/tax.py:7:    return float(rate)"
    noted = {"mode": "content", "numFiles": 0, "filenames": [], "content": line, "numLines": 1}
    log.result(id, line, noted)
    url = "https://docs.example.com/decimal"
    id = log.call("WebFetch", url=url, prompt="How does quantize round?")
    answer = "quantize rounds half to even unless told otherwise."
    noted = {"bytes": 20480, "code": 200, "codeText": "OK", "result": answer}
    log.result(id, answer, noted | {"durationMs": 812, "url": url})
    id = log.call("WebSearch", query="python decimal rounding money")
    hits = {"tool_use_id": "srvtoolu_1", "content": [{"title": "Decimal", "url": url}]}
    noted = {"query": "python decimal rounding money", "results": [hits], "durationSeconds": 2.1}
    log.result(id, "Links: [Decimal]", noted)
    id = log.call("ToolSearch", query="select:mcp__shop_db__query", max_results=1)
    names = ["mcp__shop_db__query"]
    noted = {"matches": names, "query": "select:mcp__shop_db__query", "total_deferred_tools": 9}
    log.result(id, [{"type": "tool_reference", "tool_name": names[0]}], noted)


def _background(log: Log) -> None:
    id = log.call("Bash", command="npm run dev", run_in_background=True)
    noted: Object = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b7k2"}
    log.result(id, "Command running in background with ID: b7k2.", noted, error=False)
    id = log.call("BashOutput", bash_id="b7k2")
    noted = {"shellId": "b7k2", "command": "npm run dev", "status": "running", "exitCode": None}
    log.result(id, "<status>running</status>\n<stdout>ready</stdout>", noted | {"stdout": "ready"})
    id = log.call("KillShell", shell_id="b7k2")
    text = "Successfully killed shell: b7k2 (npm run dev)"
    log.result(id, text, {"message": text, "task_id": "b7k2", "task_type": "local_bash"})


def _others(log: Log) -> None:
    todo = {"content": "Convert prices", "status": "completed", "activeForm": "Converting prices"}
    rest = {"content": "Run tests", "status": "in_progress", "activeForm": "Running tests"}
    id = log.call("TodoWrite", todos=[todo, rest])
    noted: Object = {"oldTodos": [], "newTodos": [todo, rest]}
    log.result(id, "Todos have been modified successfully.", noted)
    task = "List every place that formats a price."
    id = log.call("Agent", description="Find formatting", prompt=task, subagent_type="Explore")
    answer = {"type": "text", "text": "Only templates/cart.html formats prices."}
    noted = {"status": "completed", "prompt": task, "agentType": "Explore", "content": [answer]}
    noted |= {"totalDurationMs": 4100, "totalTokens": 5200, "totalToolUseCount": 2}
    log.result(id, [answer], noted)
    id = log.call("Skill", skill="changelog")
    log.result(id, "Launching skill: changelog", {"success": True, "commandName": "changelog"})
    question = "Round half up or half to even?"
    options = [{"label": "Half up", "description": "As on receipts"}]
    asked = [{"question": question, "header": "Rounding", "options": options, "multiSelect": False}]
    id = log.call("AskUserQuestion", questions=asked)
    noted = {"questions": asked, "answers": {question: "Half up"}}
    log.result(id, f'User has answered your questions: "{question}"="Half up".', noted)
    plan = "1. Convert stored prices\n2. Round half up when shown"
    id = log.call("ExitPlanMode", plan=plan)
    log.result(id, "User has approved your plan.", {"plan": plan, "isAgent": False})
    id = log.call("mcp__shop_db__query", sql="select count(*) from orders")
    rows = [{"type": "text", "text": '[{"count": 1204}]'}]
    log.result(id, rows, rows)
