"""The summary as data, for `show --json` and `check --json`. The README describes it."""

from typing import Any

from viewer import text
from viewer.model import Call, Entry
from viewer.recovery import Recovery
from viewer.summary import Failure, Missing, Place, Summary
from viewer.tokens import Total

Json = dict[str, Any]


def summary_document(summary: Summary) -> Json:
    end = summary.ending
    return {
        "ending": {
            "kind": end.kind,
            "words": end.words,
            "time": text.iso(end.time),
            "line": end.item.row.line if end.item is not None else None,
            "last_good": _thing(end.good),
        },
        "turns": summary.turns,
        "calls": summary.calls,
        "failures": [_failure(each) for each in summary.failures],
        "streaks": [
            {
                "about": streak.subject[1],
                "kind": streak.subject[0],
                "calls": [call.id for call in streak.calls],
                "lines": [call.row.line for call in streak.calls],
            }
            for streak, _ in summary.streaks
        ],
        "missing": [_missing(each) for each in summary.missing],
        "slowest": [
            {**_place(each), "duration_ms": each.call.duration_ms} for each in summary.slowest
        ],
        "silences": [
            {
                "seconds": round(each.seconds, 3),
                "line": each.since.line,
                "until_line": each.until.line,
                "before": each.what,
            }
            for each in summary.silences
        ],
        "tools": [
            {
                "name": use.name,
                "calls": use.calls,
                "failed": use.failed,
                "missing": use.missing,
                "median_ms": use.median,
                "p95_ms": use.p95,
                "causes": use.causes,
            }
            for use in summary.tools
        ],
        "hooks": [
            {
                "name": use.name,
                "fired": use.fired,
                "blocked": use.blocked,
                "failed": use.failed,
                "duration_ms": use.milliseconds,
            }
            for use in summary.hooks
        ],
        "servers": [
            {
                "name": use.name,
                "calls": use.calls,
                "timeouts": use.timeouts,
                "no_response": use.silent,
                "errors": use.errors,
            }
            for use in summary.servers
        ],
        "tokens_by_model": {model or "": _total(each) for model, each in summary.by_model.items()},
        "context": [{"line": row.line, "tokens": size} for row, size in summary.contexts],
    }


def _place(place: Place) -> Json:
    return {
        "call": place.call.id,
        "name": place.call.name,
        "summary": place.call.summary,
        "line": place.call.row.line,
        "file": place.agent.file if place.agent is not None else None,
    }


def _failure(failure: Failure) -> Json:
    return {
        **_place(failure.place),
        "cause": failure.cause,
        "recovered_by": recovered_by(failure.recovery),
    }


def recovered_by(recovery: Recovery | None) -> Json | None:
    if recovery is None:
        return None
    return {
        "call": recovery.by.id,
        "line": recovery.by.row.line,
        "pattern": recovery.pattern,
        "tries": recovery.tries,
    }


def _missing(missing: Missing) -> Json:
    following = missing.evidence.next
    return {
        **_place(missing.place),
        "cause": missing.cause,
        "evidence": missing.evidence.words,
        "next_line": following.line if following is not None else None,
        "next_type": following.type if following is not None else None,
    }


def _thing(thing: Call | Entry | None) -> Json | None:
    if thing is None:
        return None
    words = f"{thing.name} {thing.summary}" if isinstance(thing, Call) else thing.text
    return {"line": thing.row.line, "time": text.iso(thing.row.time), "words": words.strip()}


def _total(total: Total) -> Json:
    return {
        "input": total.input,
        "output": total.output,
        "cache_read": total.cache_read,
        "cache_creation": total.cache_creation,
        "messages": total.messages,
    }
