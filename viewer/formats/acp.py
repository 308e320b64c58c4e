"""Logs of the Agent Client Protocol (format.md K): JSON-RPC between an editor and an agent.

One log may hold several sessions: the first is the conversation, the others stand behind it.

The worked example of a format: this module says how its files are told apart (`_recognises`), what
a message means (`Log.read`, in the vocabulary of records.py) and what it holds (`content`). The
protocol has much to say, so that three modules help: acp_conversation what is remembered of a
session, acp_calls of a call, acp_content what is read again. A line in `formats/__init__.py` does
the rest.
"""

from viewer.formats.acp_content import command_of, content, error_text
from viewer.formats.acp_conversation import Conversation, note
from viewer.formats.contract import Format, Object
from viewer.formats.fields import mapping, string, whole
from viewer.formats.json_rpc import METHODS, Message, Requests, unwrap, with_direction
from viewer.records import PREVIEW, ApiFailed, Learned, Record, Touch

_FOREIGN = ("sessionId", "uuid", "parentUuid", "session_id")


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


_BEGINNING = ("session/new", "session/load", "session/resume", "session/fork")
_OF_THE_AGENT = ("session/prompt", "initialize", "authenticate", *_BEGINNING)  # the model's side
_ABOUT = ("session/list", "session/delete", "session/close")  # sessions that need not be here


class Log:
    """Reads one log."""

    def __init__(self) -> None:
        self._main: Conversation | None = None
        self._conversations: dict[str, Conversation] = {}
        self._requests = Requests()

    def read(self, value: Object) -> Record:
        message = unwrap(value)
        if message is None:
            record = Record("(no message)")
            record.unknown = True
        elif message.is_answer:
            record = self._read_answer(message)
            record.time = message.time
        else:
            record = self._read_call(message)
            record.time = message.time
        record.format = "acp"
        record.linked = bool(record.parts)
        return record

    def _conversation(self, id: str | None) -> Conversation:
        """The one of an id; the first one where there is none."""
        if self._main is None:
            self._main = Conversation(id, is_main=True)
        if id is None:
            return self._main
        self._main.id = self._main.id or id
        known = self._conversations.get(id)
        if known is None:
            is_main = self._main.id == id
            known = self._main if is_main else Conversation(id, is_main=False)
            self._conversations[id] = known
        return known

    def _place(self, record: Record, conversation: Conversation) -> None:
        if conversation.is_main:
            record.session_id = conversation.id
        else:
            record.thread = conversation.id

    # Requests and notifications

    def _read_call(self, message: Message) -> Record:
        self._requests.note(message)
        method = message.method or "(no method)"
        params = mapping(message.body.get("params"))
        update = mapping(params.get("update"))
        kind = string(update.get("sessionUpdate")) if method == "session/update" else None
        record = Record(f"{method[:60]}/{kind[:40]}" if kind else method[:60])
        id = string(params.get("sessionId"))
        known = method not in _ABOUT or id in self._conversations
        conversation = self._conversation(id if known else None)
        self._place(record, conversation)
        match method:
            case "session/update":
                conversation.read_update(record, update, kind or "(no kind)")
            case "session/prompt":
                conversation.read_prompt(record, params)
            case "session/request_permission":
                conversation.read_permission(record, params, message.id or "")
            case _ if method in _BEGINNING:
                record.cwd = string(params.get("cwd"))
                note(record, record.cwd or "", method.replace("/", " "), hidden=True)
            case "session/cancel":
                note(record, "the client asked the agent to stop", "cancel", "warning")
            case "session/set_mode" | "session/set_config_option" | "session/set_model":
                values = (string(params.get(key)) for key in ("modeId", "value", "modelId"))
                note(record, next(filter(None, values), ""), method.rpartition("_")[2])
            case "fs/read_text_file" | "fs/write_text_file":
                _read_file(record, params, writes=method == "fs/write_text_file")
            case "terminal/create":
                note(record, command_of(params), "terminal", hidden=True)
            case "elicitation/create":
                note(record, string(params.get("message")) or "", "question")
            case _ if method.startswith((*METHODS, "_")):
                note(record, "", method[:40], hidden=True)
            case _:
                record.unknown = True
        return record

    # Answers

    def _read_answer(self, message: Message) -> Record:
        request = self._requests.answered(message)
        method = request.method if request else message.method or ""
        record = Record(f"{method[:60] or 'unknown'}/answer")
        result = message.result
        id = string(request.params.get("sessionId")) if request else None
        if method in _BEGINNING:
            id = string(result.get("sessionId")) or id
        conversation = self._conversation(id)
        self._place(record, conversation)
        if (error := message.body.get("error")) is not None:
            text = error_text(mapping(error), method or "JSON-RPC")
            if method in _OF_THE_AGENT:
                record.parts.append(ApiFailed(text[:PREVIEW]))
            else:
                note(record, text, "refused", "error")
            if method == "session/prompt":
                conversation.leave_calls(record, "API_ERROR")
            return record
        asked = request.params if request else {}
        match method:
            case "session/prompt":
                conversation.read_stop(record, result)
            case "session/request_permission" if request is not None:
                conversation.read_outcome(record, result, asked, message.id or "")
            case "initialize":
                info = mapping(result.get("agentInfo"))
                words = (string(info.get("name")), string(info.get("version")))
                record.version = " ".join(word for word in words if word) or None
                note(record, record.version or "", "agent", hidden=True)
            case "terminal/output" | "terminal/wait_for_exit":
                conversation.read_terminal(record, string(asked.get("terminalId")), result)
            case _ if request is None:
                note(record, "", "answer to no request", "warning", hidden=True)
        if not record.parts:
            note(record, "", f"{method} answered"[:40], hidden=True)
        return record


def _read_file(record: Record, params: Object, *, writes: bool) -> None:
    path = string(params.get("path"))
    if path is not None:
        note(record, path, "fs write" if writes else "fs read", hidden=True)
        touch = Touch(path, writes, whole(params.get("line")))
        record.parts.append(Learned("touched", (touch,)))


FORMAT = Format("acp", "acp", _recognises, lambda: Log().read, content, direction=with_direction)
