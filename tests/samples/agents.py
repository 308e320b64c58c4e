"""Sub-agents in each of the places where they were written."""

from tests.samples.log import Log, Object

CART = "/home/demo/shop/src/cart.py"


def _done(log: Log, id: str, answer: str, noted: Object) -> None:
    content = [{"type": "text", "text": answer}]
    noted = noted | {"content": content, "totalDurationMs": 5400}
    log.result(id, content, noted | {"totalTokens": 2100, "totalToolUseCount": 1})


def inline_agents(log: Log) -> None:
    """Sub-agents inside the session's own file, as sidechains (up to 2.0.0)."""
    log.prompt("Ask two agents: where is tax computed, and where is it tested?")
    log.title("Sub-agents inside the session's file")
    tasks = ("Find the code that computes tax.", "Find the tests of tax.")
    answers = ("src/tax.py, line 7.", "There are none.")
    patterns = ("def tax", "test_tax")
    first = log.call("Task", description="Find tax", prompt=tasks[0], subagent_type="Explore")
    second = log.call(
        "Task", same=True, description="Find tests", prompt=tasks[1], subagent_type="Explore"
    )
    for id, task, answer, pattern in zip((first, second), tasks, answers, patterns, strict=True):
        with log.aside():
            log.prompt(task)
            log.bash(f"grep -rn '{pattern}' .", answer)
            log.say(answer)
        _done(log, id, answer, {})
    log.say("Tax is computed in `src/tax.py` and tested nowhere.")


def agents_beside(log: Log) -> None:
    """Sub-agents in files beside the session (2.0.30 to 2.1.1), one of them a mere warm-up."""
    log.prompt("Let an agent check the checkout page for hard-coded prices.")
    log.title("A sub-agent in a file beside the session")
    task = "Look for hard-coded prices in templates/checkout.html."
    fields: Object = {"description": "Check templates", "subagent_type": "general-purpose"}
    id = log.call("Task", **fields, prompt=task)
    agent = log.agent("a5a0901", "beside")
    agent.prompt(task)
    agent.say("I'll search the template.")
    agent.bash("grep -n '[0-9]\\.[0-9][0-9]' templates/checkout.html", "18: 4.90 shipping")
    answer = "Line 18 has the shipping cost, 4.90."
    agent.say(answer)
    log.now = agent.now
    _done(log, id, answer, {"status": "completed", "prompt": task, "agentId": "a5a0901"})
    log.say("Only the shipping cost is hard-coded, on line 18.")
    warmup = log.agent("a5a0902", "beside")
    warmup.prompt("Warmup")
    warmup.say("I'm ready to help.")


def nested_agents(log: Log) -> None:
    """Sub-agents in the session's own folder, nested two deep, one known only by its task."""
    log.prompt("Have the checkout reviewed, thoroughly.")
    log.title("Sub-agents that start sub-agents")
    task = "Review the checkout. Use agents for the details."
    fields: Object = {"description": "Review checkout", "subagent_type": "general-purpose"}
    id = log.call("Agent", **fields, prompt=task)
    lead_id = "a1000000000000001"
    lead = log.agent(lead_id, "subagents", _meta("Review checkout", id, 1))
    lead.prompt(task)
    lead.say("I'll have rounding and tax looked at separately.")

    rounding = "Check the rounding in src/cart.py."
    fields = {"description": "Check rounding", "subagent_type": "Explore"}
    first = lead.call("Agent", **fields, prompt=rounding)
    meta = _meta("Check rounding", first, 2) | {"agentType": "Explore", "parentAgentId": lead_id}
    deep = lead.agent("a2000000000000002", "subagents", meta)
    deep.prompt(rounding)
    deep.read(CART, "def total(items):\n    return round(sum(items), 2)")
    deep.fail(deep.call("Bash", command="pytest -k rounding"), "Exit code 5\nno tests ran")
    deep.say("`round` rounds half to even, and no test covers it.")
    lead.now = deep.now
    lead.result(first, [{"type": "text", "text": "No test covers rounding."}])

    tax = "Check the tax rates in src/tax.py."
    second = lead.call("Agent", description="Check tax", prompt=tax, subagent_type="Explore")
    deep = lead.agent("a3000000000000003", "subagents", {"agentType": "Explore"})
    deep.prompt(tax)
    deep.bash("grep -n RATE src/tax.py", "3:RATE = 0.19")
    deep.say("One rate for all goods; books should have 7 %.")
    lead.now = deep.now
    lead.result(second, [{"type": "text", "text": "Books should have 7 %."}])

    answer = "Two findings: rounding is untested, and books are taxed too high."
    lead.say(answer)
    log.now = lead.now
    noted: Object = {"status": "completed", "prompt": task, "agentId": lead_id}
    _done(log, id, answer, noted | {"agentType": "general-purpose"})
    log.say("The review found two things: untested rounding, and the tax on books.")


def _meta(description: str, call: str, depth: int) -> Object:
    meta: Object = {"agentType": "general-purpose", "isBuiltIn": True, "description": description}
    meta |= {"toolUseId": call, "spawnDepth": depth, "requestShape": "foreground"}
    return meta | {"finished": True}
