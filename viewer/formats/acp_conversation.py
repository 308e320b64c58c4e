"""One session of an ACP log: what is said in it, and what has to be remembered of that."""

from zlib import crc32

from viewer.formats.acp_calls import STATUSES, Known
from viewer.formats.acp_content import call_id, notice_of, permission_call, plan_of, text_of
from viewer.formats.contract import Object
from viewer.formats.fields import count, mapping, number, string, whole, word
from viewer.records import (
    PREVIEW,
    Asked,
    Compacted,
    Denied,
    HookFired,
    Interrupted,
    Learned,
    Level,
    Record,
    Said,
    SaidKind,
    Spent,
    Updated,
)

_SAID: dict[str, tuple[SaidKind, str]] = {
    "user_message": ("prompt", ""),
    "agent_message": ("reply", ""),
    "agent_thought": ("thinking", ""),
    "session_message": ("note", "session"),
    "compaction_summary": ("note", "summary of what came before"),
}
_LEVELS: dict[str, Level] = {"warning": "warning", "error": "error", "critical": "error"}
_SILENT = ("available_commands_update", "config_option_update", "subagent_update")

Run = tuple[str, str | None]  # whose text it is, and the id of its message


def note(
    record: Record, words: str, label: str, level: Level = "info", *, hidden: bool = False
) -> None:
    record.parts.append(Said("note", words[:PREVIEW], label, level, hidden))


class Conversation:
    def __init__(self, id: str | None, *, is_main: bool) -> None:
        self.id = id
        self.is_main = is_main
        self._calls: dict[str, Known] = {}
        self._open: dict[str, Known] = {}  # asked for since the prompt
        self._terminals: dict[str, str] = {}  # the calls they are shown in
        self._run: Run | None = None  # the text that was said last
        self._texts: dict[Run, int] = {}  # those that may still grow, by number
        self._sums: dict[Run, int] = {}  # of the texts of messages with an id
        self._number = 0
        self._step = 0
        self._prompt: str | None = None  # not answered by anything yet: agents may repeat it

    def _scoped(self, id: str) -> str:
        """Ids are of a session: another one of the same log may use them again."""
        return id if self.is_main else f"{self.id}/{id}"

    def _end_texts(self) -> None:
        """What is said from now on is another text."""
        self._run = None
        self._texts.clear()

    # Texts

    def read_prompt(self, record: Record, params: Object) -> None:
        self._begin_turn(record)
        self._prompt = text_of(params.get("prompt"))
        record.parts.append(Said("prompt", self._prompt[:PREVIEW]))

    def _begin_turn(self, record: Record) -> None:
        self.leave_calls(record, "UNKNOWN")
        self._step += 1
        record.opens_turn = record.spoken = True

    def _read_text(self, record: Record, update: Object, kind: str) -> None:
        """A text or a piece of one. Pieces join until the kind or the message id changes."""
        of = kind.removesuffix("_chunk")
        run = (of, string(update.get("messageId")))
        text = text_of(update.get("content"))
        if of == kind and run in self._sums:
            self._read_again(record, update, run, text)
        elif of == "user_message" and self._repeats_prompt(text):
            record.parts.append(Said("context", text[:PREVIEW], "prompt again", hidden=True))
        else:
            self._say(record, run, text)

    def _say(self, record: Record, run: Run, text: str, label: str = "") -> None:
        kind, name = _SAID[run[0]]
        if run != self._run and (run[1] is None or run not in self._texts):
            if kind == "prompt":
                self._begin_turn(record)
            elif self._calls and not self._open:
                self._step += 1
            self._number += 1
            self._texts[run] = self._number
        self._run = run
        record.spoken = True
        if kind == "prompt":
            record.opens_turn = True
        else:
            self._prompt = None
            record.message_id = self._key
        if run[1] is not None:
            self._sums[run] = crc32(text.encode("utf-8", "replace"), self._sums.get(run, 0))
        joins = f"{self.id} {self._texts[run]}"
        record.parts.append(Said(kind, text[:PREVIEW], label or name, joins=joins))

    def _read_again(self, record: Record, update: Object, run: Run, text: str) -> None:
        """The draft of version 2 tells messages as a whole too: what was said before is void."""
        if "content" not in update:
            return
        if not text:
            note(record, "a message was taken back", _SAID[run[0]][0], "warning")
        elif crc32(text.encode("utf-8", "replace")) == self._sums[run]:
            record.parts.append(Said("context", text[:PREVIEW], "message again", hidden=True))
        else:
            self._sums[run] = 0
            self._end_texts()
            self._say(record, run, text, "in other words")

    def _repeats_prompt(self, text: str) -> bool:
        if self._prompt is None or not self._prompt.startswith(text.strip()):
            return False
        self._prompt = self._prompt[len(text.strip()) :].lstrip()
        return True

    @property
    def _key(self) -> str:
        """Of what is said or done at the same time."""
        return f"{self.id} {self._step}"

    # Updates

    def read_update(self, record: Record, update: Object, kind: str) -> None:
        if kind.removesuffix("_chunk") in _SAID:
            self._read_text(record, update, kind)
            return
        match kind:
            case "tool_call" | "tool_call_update":
                self._read_call(record, update)
            case "tool_call_content_chunk":
                if (id := call_id(update)) in self._calls:
                    record.parts.append(Updated(self._scoped(id)))
            case "plan" | "plan_update":
                done, entries = plan_of(update)
                now = next((e for e, status in entries if status == "in_progress"), "")
                note(record, f"{done}/{len(entries)} done" + (f": {now}" if now else ""), "plan")
            case "plan_removed":
                note(record, "removed", "plan")
            case "current_mode_update":
                note(record, string(update.get("currentModeId")) or "", "mode")
            case "session_info_update":
                if title := string(update.get("title")):
                    self._learn(record, "ai_title", title[:500])
            case "usage_update":
                self._read_usage(record, update)
            case "notice":
                level = _LEVELS.get(word(update.get("severity")), "info")
                note(record, notice_of(update), "notice", level)
            case "compaction_update":
                if update.get("status") == "completed":
                    record.parts.append(Compacted("auto", None))
                elif problem := string(update.get("error")):
                    note(record, problem, "compaction", "error")
            case "state_update":
                state = update.get("state")
                if state == "idle" or mapping(state).get("type") == "idle":
                    reason = update.get("stopReason", mapping(state).get("stopReason"))
                    self.end_turn(record, string(reason) or "end_turn")
            case "terminal_output_chunk" | "terminal_update":
                self.read_terminal(record, string(update.get("terminalId")), update)
            case _ if kind in _SILENT:
                note(record, "", kind.replace("_", " "), hidden=True)
            case _:
                record.unknown = True

    def _learn(self, record: Record, key: str, value: object) -> None:
        """A fact about the session; of other sessions in the log nothing is asked."""
        if self.is_main:
            record.parts.append(Learned(key, value))
        elif isinstance(value, str):
            note(record, value, "title")

    def _read_usage(self, record: Record, update: Object) -> None:
        used, size = whole(update.get("used")), whole(update.get("size"))
        cost = mapping(update.get("cost"))
        self._learn(record, "context", (used, size))
        if cost.get("currency") == "USD" and (amount := number(cost.get("amount"))) is not None:
            self._learn(record, "cost", {"totalCostUSD": amount})

    # Calls

    def _read_call(self, record: Record, update: Object) -> None:
        """A call, or more about one."""
        id = call_id(update)
        known = self._calls.get(id) if id is not None else None
        is_new = known is None
        if known is None:
            known = Known()
            if not self._open:
                self._step += 1
            self._end_texts()
            self._prompt = None
        before = known.status
        known.take(update)
        record.message_id = self._key
        record.spoken = True
        if is_new:
            asked = Asked(self._scoped(id) if id is not None else None, known.name, known.summary)
            asked.kind, asked.status, asked.touches = known.kind, known.status, known.touches
            asked.added, asked.removed = known.added, known.removed
            record.parts.append(asked)
        elif id is not None:
            told = Updated(self._scoped(id), known.name, known.summary, known.kind, known.status)
            told.added, told.removed, told.touches = known.added, known.removed, known.touches
            told.failed = known.failed if known.is_done else None
            if known.fate in ("UNKNOWN", "API_ERROR") and known.status != before:
                known.fate, told.fate = None, ""  # it moves on after all
            record.parts.append(told)
        if known.status != before and known.status not in STATUSES:
            note(record, f"{known.status}: {known.summary}", "status")
        if id is not None:
            self._keep(record, id, known)

    def _keep(self, record: Record, id: str, known: Known) -> None:
        self._calls[id] = known
        self._terminals.update(dict.fromkeys(known.terminals, id))
        if known.is_done:
            self._open.pop(id, None)
            if not known.answered:
                record.parts.append(known.answer(self._scoped(id)))
            known.answered = True
        elif not known.answered:
            self._open[id] = known

    def read_terminal(self, record: Record, terminal: str | None, result: Object) -> None:
        """What a terminal shows that a call has embedded."""
        id = self._terminals.get(terminal or "")
        if id is not None:
            known = self._calls[id]
            known.take_terminal(result)
            record.parts.append(Updated(self._scoped(id), exit_code=known.exit_code))

    # Permissions

    def read_permission(self, record: Record, params: Object, id: str) -> None:
        self._end_texts()
        call = permission_call(params)
        asked_for = call_id(call)
        if asked_for is not None:
            known = self._calls.get(asked_for)
            is_done = known is not None and known.is_done
            self._read_call(record, call if is_done else {**call, "status": "pending"})
        words = [string(params.get("title")), string(params.get("description"))]
        for option in _options(params):
            words.append(string(option.get("name")) or string(option.get("optionId")) or "?")
        text = " · ".join(word for word in words if word)
        scoped = self._scoped(asked_for) if asked_for is not None else None
        key = f"permission {self.id} {id}"
        record.parts.append(
            HookFired("Permission", "asked", scoped, key=key, outcome="asked", text=text[:PREVIEW])
        )

    def read_outcome(self, record: Record, result: Object, asked: Object, id: str) -> None:
        """What the user said to a permission request."""
        answer = mapping(result.get("outcome"))
        chosen = string(answer.get("optionId"))
        option = next((o for o in _options(asked) if o.get("optionId") == chosen), {})
        says = string(option.get("kind")) or chosen or ""
        outcome = "allowed"
        if answer.get("outcome") == "cancelled":
            outcome = "cancelled"
        elif says.startswith(("reject", "deny")):
            outcome = "rejected"
        call = call_id(permission_call(asked))
        scoped = self._scoped(call) if call is not None else None
        decision = string(option.get("name")) or chosen
        key = f"permission {self.id} {id}"
        record.parts.append(
            HookFired("Permission", "asked", scoped, key=key, outcome=outcome, decision=decision)
        )
        known = self._calls.get(call or "")
        if known is None or scoped is None or known.is_done:
            return
        match outcome:
            case "allowed":
                known.status, known.fate = "in_progress", None
                record.parts.append(Updated(scoped, status="in_progress", fate=""))
            case "rejected":
                known.fate = "PERMISSION_DENIED"
                record.parts.append(Denied(scoped))
            case _:
                known.fate = "INTERRUPTED"
                record.parts.append(Updated(scoped, fate=known.fate))

    # The end of a turn

    def read_stop(self, record: Record, result: Object) -> None:
        """The answer to a prompt. In the draft of version 2 it only says that it was taken."""
        usage = mapping(result.get("usage"))
        if usage:
            record.parts.append(
                Spent(
                    None,
                    None,
                    count(usage.get("inputTokens", usage.get("input_tokens"))),
                    count(usage.get("outputTokens", usage.get("output_tokens"))),
                    count(usage.get("cachedReadTokens", usage.get("cached_read_tokens"))),
                    count(usage.get("cachedWriteTokens", usage.get("cached_write_tokens"))),
                )
            )
        if (reason := result.get("stopReason")) is not None:
            self.end_turn(record, word(reason))

    def end_turn(self, record: Record, reason: str) -> None:
        """What is open now will not move on."""
        cancelled = reason == "cancelled"
        self.leave_calls(record, "INTERRUPTED" if cancelled else "UNKNOWN")
        if cancelled:
            record.parts.append(Interrupted("the prompt was cancelled"))
        elif reason == "end_turn":
            note(record, "", "turn ended", hidden=True)
        else:
            note(record, reason.replace("_", " ")[:60], "stopped", "warning")

    def leave_calls(self, record: Record, fate: str) -> None:
        """Nothing more will be told of the calls that are open."""
        for id, known in self._open.items():
            if known.fate is None:
                known.fate = fate
                record.parts.append(Updated(self._scoped(id), fate=fate))
        self._open.clear()
        self._end_texts()
        self._prompt = None


def _options(params: Object) -> list[Object]:
    options = params.get("options")
    return [mapping(each) for each in options] if isinstance(options, list) else []
