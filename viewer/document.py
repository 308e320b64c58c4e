"""`show --json`: one document for every format. The README describes it; it is a contract."""

import json
from collections.abc import Iterator
from typing import Any

from viewer import text, touched
from viewer.agents import agent_of
from viewer.causes import ADVICE
from viewer.evidence import of_missing
from viewer.formats.fields import mapping, number
from viewer.load import Transcript
from viewer.model import DEAD, Agent, Call, Hook, Liveness
from viewer.problems import Problem, find
from viewer.session import Session
from viewer.status import Court, Judge
from viewer.summary import summarize
from viewer.summary_document import recovered_by, summary_document
from viewer.tokens import Tokens
from viewer.tree import reasons

SCHEMA = 1
_ERROR = 2000

Json = dict[str, Any]


def document(transcript: Transcript, liveness: Liveness = DEAD) -> Json:
    session = transcript.session
    ids = _agent_ids(transcript)
    court = Court(transcript, liveness)
    calls = list(_calls(transcript, court, ids))
    counts = session.counts
    tokens = Tokens()
    for each, _ in transcript.sessions():
        tokens.merge(each.tokens)
    total = tokens.total()
    return {
        "schema": SCHEMA,
        "format": session.format,
        "path": transcript.path,
        "session_id": session.session_id,
        "title": session.title,
        "cwd": session.project,
        "git_branch": session.git_branch,
        "versions": session.versions,
        "models": session.models,
        "started": text.iso(session.started),
        "ended": text.iso(session.ended),
        "entries": sum(len(row.entries) for row in session.rows),
        "records": {
            "total": counts.total,
            "unknown": counts.unknown,
            "damaged": counts.damaged,
            "salvaged": counts.salvaged,
            "duplicates": counts.duplicates,
            "by_type": counts.by_type,
        },
        "calls": calls,
        "hooks": [
            {**_hook(hook), "line": hook.row.line, "file": agent.file if agent else None}
            for each, agent in transcript.sessions()
            for hook in each.hooks.all
            if hook.call is None
        ],
        "problems": [problem(each) for each in find(transcript, liveness)],
        "branches": _branches(session),
        "agents": [_agent(agent, court, ids) for agent in transcript.agents],
        "files": [
            {
                "path": use.path,
                "reads": use.reads,
                "changes": use.changes,
                "added": use.added,
                "removed": use.removed,
                "at": use.last.line,
                "line": use.last.row.line,
                "file": use.file,
                "call": use.last.call.id if use.last.call else None,
            }
            for use in touched.of_transcript(transcript)
        ],
        "compactions": [
            {"line": each.row.line, "trigger": each.trigger, "tokens_before": each.tokens_before}
            for each in session.compactions
        ],
        "tokens": {
            "input": total.input,
            "output": total.output,
            "cache_read": total.cache_read,
            "cache_creation": total.cache_creation,
            "messages": total.messages,
        },
        "stated": _stated(session),
        "summary": summary_document(summarize(transcript, liveness)),
    }


def _stated(session: Session) -> Json:
    """What the program itself says of the session as a whole."""
    facts = session.facts
    cost, result = facts.get("cost") or {}, facts.get("result") or {}
    usage = cost.get("modelUsage", result.get("modelUsage"))
    return {
        "cost_usd": number(cost.get("totalCostUSD", result.get("total_cost_usd"))),
        "model_usage": {
            model: {key: value for key, value in mapping(each).items() if number(value) is not None}
            for model, each in mapping(usage).items()
        }
        or None,
        "permission_mode": facts.get("permission_mode"),
        "pr": facts.get("pr"),
        "tag": facts.get("tag") or None,
        "continued_in": facts.get("continued_in"),
    }


def _agent_ids(transcript: Transcript) -> dict[int, str]:
    """A name for every sub-agent; those in the session's own file may have none."""
    ids: dict[int, str] = {}
    for position, agent in enumerate(transcript.agents, 1):
        call = agent.call.id if agent.call else None
        ids[id(agent)] = agent.id or (f"of {call}" if call else f"inline {position}")
    return ids


def _calls(transcript: Transcript, court: Court, ids: dict[int, str]) -> Iterator[Json]:
    seen: set[str] = set()
    for session, owner in transcript.sessions():
        judge = court.judge(session)
        branches = {id(branch): number for number, branch in enumerate(session.tree.branches)}
        in_message: dict[str, int] = {}
        for call in session.calls.values():
            if call.message_id:
                in_message[call.message_id] = in_message.get(call.message_id, 0) + 1
        for call in (*session.calls.values(), *session.nameless_calls):
            if call.id in seen:
                continue  # a sub-agent's file may begin with a copy of its parent's
            speaker = owner or agent_of(call.row)
            yield {
                **_call(call, judge),
                "file": owner.file if owner else None,
                "agent": ids.get(id(speaker)) if speaker else None,
                "branch": branches.get(id(call.row.branch)),
                "parallel": in_message.get(call.message_id or "", 1) > 1,
            }
        seen.update(session.calls)
    judge = court.judge(transcript.session)
    for agent in transcript.agents:
        for id_, call in agent.calls.items():
            if id_ not in seen:
                yield {
                    **_call(call, judge),
                    "file": "agent_progress",
                    "agent": ids[id(agent)],
                    "branch": None,
                    "parallel": False,
                }


def _call(call: Call, judge: Judge) -> Json:
    return {
        "id": call.id,
        "name": call.name,
        "kind": call.kind,
        "summary": call.summary,
        "status": judge.status(call),
        "cause": judge.cause(call),
        "error": call.answer.text[:_ERROR] if call.answer and call.answer.error else None,
        "exit_code": call.answer.exit_code if call.answer else None,
        "line": call.row.line,
        "result_line": call.result.line if call.result else None,
        "started": text.iso(call.row.time),
        "duration_ms": call.duration_ms,
        "recovered_by": recovered_by(judge.recovery(call)),
        "hooks": [_hook(hook) for hook in call.hooks],
    }


def _hook(hook: Hook) -> Json:
    return {
        "event": hook.event,
        "name": hook.name,
        "command": hook.command,
        "outcome": hook.outcome,
        "exit_code": hook.exit_code,
        "duration_ms": hook.duration_ms,
    }


def problem_document(each: Problem, court: Court) -> Json:
    """A problem with all that is known of it: what helps, what made it good, what tells."""
    found = problem(each)
    if each.cause is not None:
        found["means"], found["helps"] = ADVICE[each.cause]
    if isinstance(each.item, Call):
        judge = court.judge(each.session)
        found["recovered_by"] = recovered_by(judge.recovery(each.item))
        if each.kind == "missing_result":
            found["evidence"] = of_missing(each.item, each.session, judge).words
    return found


def problem(each: Problem) -> Json:
    return {
        "kind": each.kind,
        "cause": each.cause,
        "line": each.line,
        "file": each.file,
        "call": each.call,
        "message": each.message[:_ERROR],
    }


def _branches(session: Session) -> list[Json]:
    active, why = session.active_branches(), reasons(session.tree)
    return [
        {
            "line": branch.rows[0].line,
            "reason": why[id(branch)],
            "active": id(branch) in active,
            "records": branch.size,
        }
        for branch in session.tree.branches
    ]


def _agent(agent: Agent, court: Court, ids: dict[int, str]) -> Json:
    return {
        "id": ids[id(agent)],
        "call": agent.call.id if agent.call else None,
        "type": agent.type,
        "description": agent.description,
        "file": agent.file,
        "calls": agent.steps,
        "status": court.of_agent(agent)[0],
    }


def dump(value: object) -> str:
    """JSON that is safe to print anywhere: ASCII, and not even DEL unescaped."""
    printed = json.dumps(encodable(value), indent=2, ensure_ascii=True, allow_nan=False)
    return printed.replace("\x7f", "\\u007f")


def encodable(value: object) -> Any:
    """Without lone surrogates, which no JSON reader takes, and without NaN."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if _has_surrogates(value) else value
    if isinstance(value, dict):
        return {encodable(str(key)): encodable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [encodable(each) for each in value]
    if isinstance(value, float) and not -1e308 < value < 1e308:
        return None
    return value


def _has_surrogates(value: str) -> bool:
    return not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value)
