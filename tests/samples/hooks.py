"""Hooks, as they were told of up to 2.1.8x and as they are now."""

from typing import Any

from tests.samples.log import Log, Object


def old_hooks(log: Log) -> None:
    """Hooks as progress records (up to 2.1.8x), some with a status and a decision; Stop hooks."""
    start = log.name("h")
    session: Object = {"hookEvent": "SessionStart", "hookName": "SessionStart:startup"}
    log.progress(start, "hook_progress", **session, command="hooks/branch.sh")
    log.prompt("Run the tests of the cart.")
    log.title("Hooks as progress records")

    id = log.call("Bash", command="pytest tests/test_cart.py", description="Test the cart")
    pre: Object = {"hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash"}
    post: Object = {"hookEvent": "PostToolUse", "hookName": "PostToolUse:Bash"}
    log.progress(id, "hook_progress", **pre, command="hooks/guard.sh")
    noted = {"stdout": "12 passed", "stderr": "", "interrupted": False}
    log.progress(id, "hook_progress", **post, command="hooks/log.sh", statusMessage="Logging")
    log.result(id, "12 passed", noted, error=False)

    id = log.call("Bash", command="git push --force")
    stated: Object = {"command": "hooks/guard.sh", "status": "blocked", "decision": "deny"}
    log.progress(id, "hook_progress", **pre, **stated, statusMessage="No force pushes")
    log.fail(id, "PreToolUse:Bash hook error: [hooks/guard.sh]: No force pushes\n")

    id = log.call("Bash", command="git push")
    stated = {"command": "hooks/guard.sh", "status": "completed", "decision": "allow"}
    log.progress(id, "hook_progress", **pre, **stated)
    noted = noted | {"stdout": "main -> main"}
    log.result(id, "main -> main", noted, error=False)
    log.say("The tests pass, and the branch is pushed.")

    run = log.name("h")
    log.progress(run, "hook_progress", hookEvent="Stop", hookName="Stop", command="hooks/lint.sh")
    _stop(log, run, ["[hooks/lint.sh]: src/cart.py:3: line too long\n"])
    feedback = "Stop hook feedback:\n[hooks/lint.sh]: src/cart.py:3: line too long\n"
    log.prompt(feedback, isMeta=True)
    log.say("The line is shorter now.")
    run = log.name("h")
    log.progress(run, "hook_progress", hookEvent="Stop", hookName="Stop", command="hooks/lint.sh")
    _stop(log, run, [])


def _stop(log: Log, run: str, errors: list[str]) -> None:
    fields: Object = {"hookErrors": errors, "hookAdditionalContext": []}
    fields |= {"preventedContinuation": False, "stopReason": "", "hasOutput": bool(errors)}
    infos = [{"command": "hooks/lint.sh", "durationMs": 240}]
    fields |= {"level": "suggestion", "toolUseID": run}
    log.system("stop_hook_summary", hookCount=1, hookInfos=infos, **fields)


def new_hooks(log: Log) -> None:
    """Hooks as attachments (from 2.1.97 on): success, errors, a block, context, a message."""
    _hook(log, "success", "SessionStart:startup", log.name("h"), _ran("hooks/branch.sh", "on main"))
    log.prompt("Put the shipping cost into the total.")
    log.title("Hooks as attachments")
    _hook(log, "success", "UserPromptSubmit", log.name("h"), _ran("hooks/ticket.sh", "SHOP-12"))

    id = log.call("Bash", command="pytest -q", description="Test everything")
    _hook(log, "success", "PreToolUse:Bash", id, _ran("hooks/guard.sh", "ok"))
    _hook(log, "success", "PostToolUse:Bash", id, _ran("hooks/cover.sh", "coverage 91%"))
    _hook(log, "system_message", "PostToolUse:Bash", id, {"content": "Coverage fell by 1%"})
    context = ["Coverage of src/cart.py is 80%."]
    _hook(log, "additional_context", "PostToolUse:Bash", id, {"content": context})
    noted = {"stdout": "31 passed", "stderr": "", "interrupted": False}
    log.result(id, "31 passed", noted, error=False)

    path = "/home/demo/shop/src/shipping.py"
    id = log.call("Read", file_path=path)
    stderr = "Failed with non-blocking status code: hooks/index.sh: no index yet\n"
    failed = _ran("hooks/index.sh", "") | {"stderr": stderr, "exitCode": 1}
    _hook(log, "non_blocking_error", "PreToolUse:Read", id, failed)
    file: Object = {"filePath": path, "content": "COST = 4.90", "numLines": 1}
    file |= {"startLine": 1, "totalLines": 1}
    log.result(id, "1\tCOST = 4.90", {"type": "text", "file": file})

    id = log.call("Write", file_path="/home/demo/shop/.env", content="COST=4.90")
    reason = "[hooks/guard.sh]: .env must not be written\n"
    error = {"blockingError": {"blockingError": reason, "command": "hooks/guard.sh"}}
    _hook(log, "blocking_error", "PreToolUse:Write", id, error)
    decision = {"decision": "reject", "source": "hook", "reasonType": "hook"}
    text = f"PreToolUse:Write hook error: {reason}"
    log.fail(id, text, toolDenialKind="permission-rule", permissionDecision=decision)

    log.say("The total contains shipping; I left `.env` alone.")
    _stop(log, log.name("h"), [])


def _ran(command: str, output: str) -> Object:
    ran: Object = {"content": output, "stdout": f"{output}\n", "stderr": ""}
    return ran | {"exitCode": 0, "command": command, "durationMs": 15}


def _hook(log: Log, kind: str, name: str, id: str, fields: dict[str, Any]) -> None:
    event = name.partition(":")[0]
    log.attach(f"hook_{kind}", hookName=name, toolUseID=id, hookEvent=event, **fields)
