"""Large made-up files of the other formats, always the same bytes:
python -m tests.acceptance.gen_formats codex|acp OUT BYTES"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_WORDS = "the cart adds a total when rounding fails and tests check each price of an order".split()


def _text(random_: random.Random, words: int) -> str:
    return " ".join(random_.choice(_WORDS) for _ in range(words))


def codex() -> Iterator[Json]:
    """A rollout of the legacy kind: items, each told again by an event."""
    random_, number = random.Random(7), 0

    def line(wrapper: str, **payload: Any) -> Json:
        at = f"2026-11-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        return {"timestamp": at, "type": wrapper, "payload": payload}

    def message(role: str, kind: str, words: str) -> Json:
        content = [{"type": kind, "text": words}]
        return line("response_item", type="message", role=role, content=content)

    yield line("session_meta", id="0c0de000-0000-4000-8000-000000000001", cwd="/home/demo/shop")
    while True:
        number += 1
        asked, said = _text(random_, 20), _text(random_, 60)
        if number % 20 == 1:
            yield message("user", "input_text", asked)
            yield line("event_msg", type="user_message", message=asked)
        yield line("event_msg", type="agent_message", message=said)
        yield message("assistant", "output_text", said)
        calls = [f"call_{number}_{n}" for n in range(3)]
        for id in calls:
            arguments = json.dumps({"cmd": _text(random_, 8), "workdir": "/home/demo/shop"})
            yield line("response_item", type="function_call", name="exec_command",
                       arguments=arguments, call_id=id)  # fmt: skip
        for id in calls:
            code = int(random_.random() < 0.03)
            head = f"Chunk ID: abc123\nWall time: 0.4 seconds\nProcess exited with code {code}\n"
            output = f"{head}Output:\n" + "\n".join(_text(random_, 12) for _ in range(80))
            yield line("response_item", type="function_call_output", call_id=id, output=output)
        total = {"input_tokens": 900 * number, "output_tokens": 40 * number}
        yield line("event_msg", type="token_count", info={"total_token_usage": total})


def acp() -> Iterator[Json]:
    """Raw JSON-RPC: a text in pieces, then calls with updates."""
    random_, number = random.Random(7), 0

    def update(what: str, **more: Any) -> Json:
        params = {"sessionId": "sess_1", "update": {"sessionUpdate": what, **more}}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}

    while True:
        number += 1
        if number % 20 == 1:
            prompt = [{"type": "text", "text": _text(random_, 20)}]
            params = {"sessionId": "sess_1", "prompt": prompt}
            yield {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params}
        for _ in range(12):
            piece = {"type": "text", "text": _text(random_, 5) + " "}
            yield update("agent_message_chunk", content=piece)
        for n in range(3):
            id, path = f"call_{number}_{n}", f"/home/demo/shop/{random_.randrange(400)}.py"
            yield update("tool_call", toolCallId=id, title=f"Read {path}", kind="read",
                         status="pending", locations=[{"path": path, "line": n}])  # fmt: skip
            yield update("tool_call_update", toolCallId=id, status="in_progress")
            text = "\n".join(_text(random_, 12) for _ in range(60))
            content = [{"type": "content", "content": {"type": "text", "text": text}}]
            status = "failed" if random_.random() < 0.03 else "completed"
            yield update("tool_call_update", toolCallId=id, status=status, content=content)


MAKERS = {"codex": codex, "acp": acp}


def write(kind: str, path: Path, size: int) -> Path:
    """A file of about this size."""
    with path.open("wb") as file:
        for record in MAKERS[kind]():
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            if file.tell() >= size:
                return path
    return path


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
