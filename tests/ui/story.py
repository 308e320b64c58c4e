"""A short session with a bit of everything, for tests of the screen."""

import os
from pathlib import Path
from typing import Any

from tests.build import Chain


def hook(chain: Chain, call: str, event: str, command: str, code: int) -> None:
    kind = "hook_success" if code == 0 else "hook_non_blocking_error"
    chain.add(
        "attachment",
        attachment={
            "type": kind, "hookEvent": event, "hookName": f"{event}:Bash", "toolUseID": call,
            "command": command, "exitCode": code, "stdout": "", "stderr": "E501" if code else "",
            "durationMs": 41,
        },
    )  # fmt: skip


def write_story(folder: Path) -> Path:
    chain = Chain("5e551011-0000-4000-8000-000000000001")
    chain.prompt("fix the rounding bug")
    chain.reply("I look at the **failing** test first.")
    chain.call("bash", "Bash", command="pytest -q tests/checkout")
    hook(chain, "bash", "PreToolUse", "guard.sh", 0)
    hook(chain, "bash", "PostToolUse", "lint.sh", 2)
    output = "\n".join(f"line {number} of the output" for number in range(1, 400))
    chain.result("bash", f"Exit code 1\n{output}", error=True)
    patch = [
        {"oldStart": 8, "newStart": 8, "oldLines": 2, "newLines": 2,
         "lines": [" def total():", "-    return 1", "+    return 2"]}
    ]  # fmt: skip
    chain.call("edit", "Edit", file_path="/home/demo/src/cart.py", old_string="1", new_string="2")
    chain.result("edit", "updated", toolUseResult={"structuredPatch": patch})
    branch = chain.last
    chain.prompt("a question that was taken back")
    chain.reply("an answer that was left")
    chain.prompt("now the sub-agent", parent=branch)
    chain.call("task", "Agent", description="find callers", prompt="look for callers")
    chain.result("task", "done", toolUseResult={"agentId": "a1", "status": "completed"})
    chain.reply("needle in the reply [bold]x[/]")
    chain.call("last", "WebFetch", url="https://docs.example/3/")
    path = chain.write(folder / "5e551011-0000-4000-8000-000000000001.jsonl")
    agent = Chain(chain.session)
    side: dict[str, Any] = {"isSidechain": True, "agentId": "a1"}
    agent.prompt("look for callers", **side)
    block = {"type": "tool_use", "id": "grep", "name": "Grep", "input": {"pattern": "round_total"}}
    agent.said(block, **side)
    agent.result("grep", "src/a.py:3: the haystack needle", **side)
    agent.write(path.with_suffix("") / "subagents" / "agent-a1.jsonl")
    os.utime(path, (1_790_000_000, 1_790_000_000))  # long ago: the session is over
    return path
