"""Logs of the Agent Client Protocol (format.md K): JSON-RPC between an editor and an agent.

Loggers wrap the messages in many ways and some leave out who sent them. Both sides number their
requests from 0, so an answer is matched to a request of the other side. One log may hold several
sessions: the first is the conversation, the others stand behind it.
"""

from typing import Any, NamedTuple

from viewer.formats import acp_calls
from viewer.formats.acp_calls import Known, texts_of
from viewer.formats.contract import Block, Format, Object
from viewer.formats.fields import count, mapping, number, string, whole, word
from viewer.formats.json_rpc import AGENT, CLIENT, METHODS, Message, unwrap, with_direction
from viewer.records import (
    PREVIEW,
    ApiFailed,
    Asked,
    Compacted,
    HookFired,
    Interrupted,
    Learned,
    Level,
    Record,
    Said,
    SaidKind,
    Spent,
    Touch,
    Updated,
)

_FOREIGN = ("sessionId", "uuid", "parentUuid", "session_id")
_OF_AGENT = ("session/update", "session/request_permission", "fs/", "terminal/", "elicitation/")


def _recognises(value: Object) -> bool:
    if any(key in value for key in _FOREIGN) or isinstance(value.get("payload"), list):
        return False
    message = unwrap(value)
    if message is None:
        return False
    method = message.method
    is_wrapped = message.body is not value
    known = method is not None and method.startswith(METHODS)
    return known or "jsonrpc" in message.body or "_direction" in value or is_wrapped


class _Session:
    """What has to be remembered of one session."""

    def __init__(self, id: str | None) -> None:
        self.id = id
        self.calls: dict[str, Known] = {}
        self.run: tuple[str, str | None] | None = None  # the text that chunks are joined to
        self.runs = 0
        self.step = 0
        self.prompt = ""  # sent, and not answered by anything yet: agents may repeat it
        self.prompted = False


class _Request(NamedTuple):
    method: str
    params: Object
    session: _Session


class Log:
    """Reads one log."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._main: _Session | None = None
        self._requests: dict[tuple[str, str], _Request] = {}
        self._terminals: dict[str, tuple[_Session, str]] = {}  # whose calls they are shown in

    def read(self, value: Object) -> Record:
        message = unwrap(value)
        if message is None:
            record = Record("(no message)")
            record.format, record.unknown = "acp", True
            return record
        if message.is_answer:
            record = self._read_answer(message)
        else:
            record = self._read_call(message)
        record.format = "acp"
        record.time = message.time
        record.linked = bool(record.parts)
        return record

    def _session(self, id: str | None) -> _Session:
        if id is None:
            self._main = self._main or _Session(None)
            return self._main
        if self._main is not None and self._main.id is None:
            self._main.id = id
            self._sessions[id] = self._main
        session = self._sessions.get(id)
        if session is None:
            session = self._sessions[id] = _Session(id)
            self._main = self._main or session
        return session

    def _place(self, record: Record, session: _Session) -> None:
        record.session_id = session.id
        if session is not self._main:
            record.thread = session.id
            record.session_id = None

    # Requests and notifications

    def _read_call(self, message: Message) -> Record:
        method = message.method or "(no method)"
        params = mapping(message.body.get("params"))
        update = mapping(params.get("update"))
        kind = string(update.get("sessionUpdate")) if method == "session/update" else None
        record = Record(f"{method[:60]}/{kind[:40]}" if kind else method[:60])
        session = self._session(string(params.get("sessionId")))
        sender = message.sender or (AGENT if method.startswith(_OF_AGENT) else CLIENT)
        if (id := _id(message.body)) is not None:
            self._requests[sender, id] = _Request(method, params, session)
        self._place(record, session)
        match method:
            case "session/update":
                self._read_update(record, session, update, kind or "(no kind)")
            case "session/prompt":
                self._read_prompt(record, session, params)
            case "session/request_permission":
                self._read_permission(record, session, params, id or "")
            case "session/new" | "session/load" | "session/resume":
                record.cwd = string(params.get("cwd"))
                self._note(record, record.cwd or "", method.replace("/", " "), hidden=True)
            case "session/cancel":
                self._note(record, "the client asked the agent to stop", "cancel", "warning")
            case "session/set_mode" | "session/set_config_option" | "session/set_model":
                words = string(params.get("modeId")) or string(params.get("value"))
                words = words or string(params.get("modelId")) or ""
                self._note(record, words, method.rpartition("_")[2])
            case "fs/read_text_file" | "fs/write_text_file":
                self._read_file(record, params, writes=method == "fs/write_text_file")
            case "terminal/create":
                words = " ".join(_strings([params.get("command"), *_list(params.get("args"))]))
                self._note(record, words, "terminal", hidden=True)
            case "elicitation/create":
                self._note(record, string(params.get("message")) or "", "question")
            case _ if method.startswith((*METHODS, "_")):
                self._note(record, "", method[:40], hidden=True)
            case _:
                record.unknown = True
        return record

    def _note(
        self, record: Record, words: str, label: str, level: Level = "info", *, hidden: bool = False
    ) -> None:
        record.parts.append(Said("note", words[:PREVIEW], label, level, hidden))

    def _read_prompt(self, record: Record, session: _Session, params: Object) -> None:
        texts = texts_of(params.get("prompt"))
        session.run = None
        session.prompt, session.prompted = "\n".join(texts), True
        session.step += 1
        record.opens_turn = record.spoken = True
        record.parts.append(Said("prompt", session.prompt[:PREVIEW]))

    def _read_file(self, record: Record, params: Object, *, writes: bool) -> None:
        path = string(params.get("path"))
        if path is None:
            return
        self._note(record, path, "fs write" if writes else "fs read", hidden=True)
        touch = Touch(path, writes, whole(params.get("line")))
        record.parts.append(Learned("touched", (touch,)))

    def _read_permission(self, record: Record, session: _Session, params: Object, id: str) -> None:
        session.run = None
        call = mapping(params.get("toolCall"))
        call_id = string(call.get("toolCallId")) or string(params.get("toolCallId"))
        if call_id is not None:
            self._upsert(record, session, {**call, "toolCallId": call_id, "status": "pending"})
        options = params.get("options")
        names = [string(mapping(each).get("name")) or string(mapping(each).get("optionId")) or "?"
                 for each in _list(options)]  # fmt: skip
        title = string(params.get("title")) or string(params.get("description")) or ""
        words = " · ".join([*([title] if title else []), *names])
        record.parts.append(
            HookFired(
                "Permission",
                "asked",
                self._scoped(session, call_id),
                key=f"permission {session.id} {id}",
                outcome="asked",
                text=words[:PREVIEW],
            )
        )

    # Updates

    def _read_update(self, record: Record, session: _Session, update: Object, kind: str) -> None:
        chunk = kind.removesuffix("_chunk")
        if chunk in _SAID:
            self._read_text(record, session, update, chunk)
            return
        match kind:
            case "tool_call" | "tool_call_update":
                self._upsert(record, session, update, is_new=kind == "tool_call")
            case "tool_call_content_chunk":
                if (id := self._known(session, update)) is not None:
                    record.parts.append(Updated(id))
            case "plan" | "plan_update":
                done, entries = _plan(update)
                now = next((e for e, status in entries if status == "in_progress"), "")
                words = f"{done}/{len(entries)} done" + (f": {now}" if now else "")
                self._note(record, words, "plan")
            case "current_mode_update":
                self._note(record, string(update.get("currentModeId")) or "", "mode")
            case "session_info_update":
                if title := string(update.get("title")):
                    record.parts.append(Learned("ai_title", title[:500]))
            case "usage_update":
                self._read_usage(record, update)
            case "notice":
                words = ": ".join(
                    w for k in ("title", "description") if (w := string(update.get(k)))
                )
                level = _LEVELS.get(word(update.get("severity")), "info")
                self._note(record, words, "notice", level)
            case "compaction_update":
                if update.get("status") == "completed":
                    record.parts.append(Compacted("auto", None))
                elif problem := string(update.get("error")):
                    self._note(record, problem, "compaction", "error")
            case "state_update":
                state = update.get("state")
                if state == "idle" or mapping(state).get("type") == "idle":
                    reason = update.get("stopReason", mapping(state).get("stopReason"))
                    self._end_turn(record, session, word(reason) if reason else "end_turn")
            case "terminal_output_chunk" | "terminal_update":
                self._of_terminal(record, string(update.get("terminalId")))
            case "available_commands_update" | "config_option_update" | "subagent_update":
                self._note(record, "", kind.replace("_", " "), hidden=True)
            case "plan_removed":
                self._note(record, "removed", "plan")
            case _:
                record.unknown = True

    def _read_text(self, record: Record, session: _Session, update: Object, chunk: str) -> None:
        """A text or a piece of one. Pieces join until the kind or the message id changes."""
        kind, label = _SAID[chunk]
        id = string(update.get("messageId"))
        run = (chunk, id)
        if session.run != run:
            session.run = run
            session.runs += 1
            if session.calls and kind != "prompt":
                session.step += 1
        text = "\n".join(texts_of(update.get("content")))
        key = f"{session.id} {session.runs}"
        if kind == "prompt" and session.prompted and session.prompt.startswith(text.strip()):
            record.parts.append(Said("context", text[:PREVIEW], "prompt again", hidden=True))
            session.prompt = session.prompt[len(text.strip()) :].lstrip()
            return
        session.prompted = session.prompted and kind == "prompt"
        record.spoken = True
        if kind == "prompt":
            record.opens_turn = True
        else:
            record.message_id = f"{session.id} {session.step}"
        record.parts.append(Said(kind, text[:PREVIEW], label, joins=key))

    def _read_usage(self, record: Record, update: Object) -> None:
        used, size = whole(update.get("used")), whole(update.get("size"))
        cost = mapping(update.get("cost"))
        record.parts.append(Learned("context", (used, size)))
        if cost.get("currency") == "USD" and (amount := number(cost.get("amount"))) is not None:
            record.parts.append(Learned("cost", {"totalCostUSD": amount}))

    # Calls

    def _scoped(self, session: _Session, id: str | None) -> str | None:
        """Ids are of a session: another one of the same log may use them again."""
        if id is None or session is self._main:
            return id
        return f"{session.id}/{id}"

    def _known(self, session: _Session, update: Object) -> str | None:
        id = string(update.get("toolCallId"))
        return self._scoped(session, id) if id in session.calls else None

    def _upsert(
        self, record: Record, session: _Session, update: Object, *, is_new: bool = False
    ) -> None:
        """A call, or more about one: fields that are given replace what was there."""
        id = string(update.get("toolCallId"))
        known = session.calls.get(id) if id else None
        scoped = self._scoped(session, id)
        if known is None:
            if is_new or session.run is not None:
                if not any(call.is_open for call in session.calls.values()):
                    session.step += 1
            session.run, session.prompted = None, False
            known = Known()
            if id:
                session.calls[id] = known
            known.take(update)
            asked = Asked(scoped, known.name, known.summary, kind=known.kind)
            asked.touches, asked.status = known.touches, known.status
            asked.added, asked.removed = known.added, known.removed
            record.parts.append(asked)
        else:
            known.take(update)
            assert scoped is not None
            told = Updated(scoped, known.name, known.summary, known.kind, known.status)
            told.added, told.removed, told.touches = known.added, known.removed, known.touches
            told.failed = known.status == "failed" if not known.is_open else None
            record.parts.append(told)
        record.message_id = f"{session.id} {session.step}"
        record.spoken = True
        for terminal in known.terminals:
            if id:
                self._terminals[terminal] = (session, id)
        if not known.is_open and not known.answered:
            known.answered = True
            record.parts.append(known.answer(scoped))

    def _of_terminal(self, record: Record, terminal: str | None) -> None:
        if (owner := self._terminals.get(terminal or "")) is not None:
            id = self._scoped(*owner)
            if id is not None:
                record.parts.append(Updated(id))

    def _end_turn(self, record: Record, session: _Session, reason: str) -> None:
        """The agent has answered the prompt: what is open now will not move on."""
        cancelled = reason == "cancelled"
        for id, call in session.calls.items():
            if call.is_open:
                call.status = "missing"
                fate = "INTERRUPTED" if cancelled else call.fate or "UNKNOWN"
                scoped = self._scoped(session, id)
                assert scoped is not None
                record.parts.append(Updated(scoped, fate=fate))
        session.run, session.prompted = None, False
        if cancelled:
            record.parts.append(Interrupted("the prompt was cancelled"))
        elif reason in ("end_turn", "null"):
            self._note(record, "", "turn ended", hidden=True)
        else:
            self._note(record, reason.replace("_", " ")[:60], "stopped", "warning")

    # Answers

    def _read_answer(self, message: Message) -> Record:
        body = message.body
        id = _id(body) or ""
        request = self._request_of(id, message.sender)
        method = request.method if request else message.method or ""
        record = Record(f"{method[:60] or 'unknown'}/answer")
        session = request.session if request else self._session(None)
        result = body.get("result", body.get("params") if "_type" in body else None)
        if method in ("session/new", "session/load", "session/resume"):
            session = self._begun(session, mapping(result), request)
        self._place(record, session)
        error = mapping(body.get("error")) or ({} if "error" not in body else {"message": "error"})
        if error:
            self._read_error(record, error, method)
            if method == "session/prompt":
                self._end_turn(record, session, "error")
                record.parts.pop()
            return record
        match method:
            case "session/prompt":
                self._read_stop(record, session, mapping(result))
            case "session/request_permission":
                assert request is not None
                self._read_outcome(record, session, mapping(result), request, id)
            case "initialize":
                info = mapping(mapping(result).get("agentInfo"))
                name, version = string(info.get("name")), string(info.get("version"))
                record.version = " ".join(each for each in (name, version) if each) or None
                self._note(record, record.version or "", "agent", hidden=True)
            case "terminal/create":
                pass
            case "terminal/output" | "terminal/wait_for_exit":
                params = request.params if request else {}
                self._of_terminal(record, string(params.get("terminalId")))
            case _ if request is None:
                self._note(record, "", "answer to no request", "warning", hidden=True)
        if not record.parts:
            self._note(record, "", f"{method} answered"[:40], hidden=True)
        return record

    def _request_of(self, id: str, sender: str | None) -> _Request | None:
        """The request that an answer is to: one of the other side, of the same id."""
        if sender is not None:
            other = AGENT if sender == CLIENT else CLIENT
            return self._requests.pop((other, id), None)
        # The log does not tell who answers: the request that was made last.
        found = [key for key in self._requests if key[1] == id]
        return self._requests.pop(found[-1]) if found else None

    def _begun(self, session: _Session, result: Object, request: _Request | None) -> _Session:
        id = string(result.get("sessionId"))
        if id is None:
            return session
        return self._session(id)

    def _read_error(self, record: Record, error: Object, method: str) -> None:
        code = whole(error.get("code"))
        words = string(error.get("message")) or "error"
        detail = string(mapping(error.get("data")).get("details")) or string(error.get("data"))
        text = f"{method or 'JSON-RPC'}: {words}" + (f" ({code})" if code is not None else "")
        record.parts.append(ApiFailed((f"{text}: {detail}" if detail else text)[:PREVIEW]))

    def _read_stop(self, record: Record, session: _Session, result: Object) -> None:
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
        self._end_turn(record, session, string(result.get("stopReason")) or "end_turn")

    def _read_outcome(
        self, record: Record, session: _Session, result: Object, request: _Request, id: str
    ) -> None:
        """What the user said to a permission request."""
        answer = mapping(result.get("outcome"))
        chosen = string(answer.get("optionId"))
        options = request.params.get("options")
        option = next((mapping(each) for each in _list(options)
                       if mapping(each).get("optionId") == chosen), {})  # fmt: skip
        says = word(option.get("kind")) if "kind" in option else chosen or ""
        outcome, fate = "allowed", None
        if answer.get("outcome") == "cancelled":
            outcome, fate = "cancelled", "INTERRUPTED"
        elif says.startswith(("reject", "deny")):
            outcome, fate = "rejected", "PERMISSION_DENIED"
        call = mapping(request.params.get("toolCall"))
        call_id = string(call.get("toolCallId")) or string(request.params.get("toolCallId"))
        scoped = self._scoped(session, call_id)
        decision = string(option.get("name")) or chosen
        key = f"permission {session.id} {id}"
        record.parts.append(
            HookFired("Permission", "asked", scoped, key=key, outcome=outcome, decision=decision)
        )
        known = session.calls.get(call_id or "")
        if known is not None and scoped is not None:
            known.fate = fate
            status = "in_progress" if fate is None and known.is_open else None
            record.parts.append(Updated(scoped, status=status, fate=fate))


_SAID: dict[str, tuple[SaidKind, str]] = {
    "user_message": ("prompt", ""),
    "agent_message": ("reply", ""),
    "agent_thought": ("thinking", ""),
    "session_message": ("note", "session"),
    "compaction_summary": ("note", "summary of what came before"),
}
_LEVELS: dict[str, Level] = {"warning": "warning", "error": "error", "critical": "error"}


def _id(body: Object) -> str | None:
    id = body.get("id")
    return str(id) if isinstance(id, (int, str)) and not isinstance(id, bool) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _strings(values: list[Any]) -> list[str]:
    return [each for each in values if isinstance(each, str)]


def _plan(update: Object) -> tuple[int, list[tuple[str, str]]]:
    """How many entries are done, and all of them with their states."""
    entries = update.get("entries", mapping(update.get("plan")).get("entries"))
    found = [mapping(each) for each in entries] if isinstance(entries, list) else []
    pairs = [(string(each.get("content")) or "", word(each.get("status"))) for each in found]
    return sum(status == "completed" for _, status in pairs), pairs


def _content(value: Object) -> list[Block]:
    """What a message says, as blocks of the Messages API."""
    message = unwrap(value)
    if message is None:
        return []
    params = mapping(message.body.get("params"))
    update = mapping(params.get("update"))
    kind = word(update.get("sessionUpdate"))
    if message.is_answer:
        result = message.body.get("result", message.body.get("params"))
        return acp_calls.content_of_answer(mapping(result), message.body.get("error"))
    if kind in ("tool_call", "tool_call_update", "tool_call_content_chunk"):
        return acp_calls.content(update)
    if message.method == "session/request_permission":
        return acp_calls.content(mapping(params.get("toolCall")))
    if kind in ("plan", "plan_update"):
        marks = {"completed": "✓", "in_progress": "▸"}
        lines = [f"{marks.get(status, '·')} {words}" for words, status in _plan(update)[1]]
        return [{"type": "text", "text": "\n".join(lines)}]
    if kind in ("terminal_output_chunk", "terminal_update"):
        return acp_calls.content_of_answer({"output": update.get("data")}, None)
    said: Any = update.get("content", params.get("prompt"))
    type = "thinking" if kind.startswith("agent_thought") else "text"
    texts = texts_of(said)
    return [{"type": type, type: text} for text in texts] if texts else []


FORMAT = Format("acp", "acp", _recognises, lambda: Log().read, _content, direction=with_direction)
