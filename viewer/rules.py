"""The rules that Anthropic's Messages API holds a request to, as far as tools are concerned.

Worded as the API words its refusals (400 invalid_request_error, 2025-2026), with two liberties:
where the API names only `messages`, the path goes on to the message or block that is meant; and
one mistake is one breach, where the API may complain of two fields. The body is foreign: any JSON
value may stand anywhere, so values are looked at, never walked down into or printed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Object = dict[str, Any]
Types = Mapping[str, type | tuple[type, ...]]  # of fields


class Breach(NamedTuple):
    where: str  # the path as the API names it: "tools.0.bash_20250124.parameters", "messages.2"
    rule: str  # the complaint that the API writes after the path
    fix: str  # what helps, one short sentence
    message: int | None = None  # index of the message it is about; None for tools and the body

    @property
    def words(self) -> str:
        return f"{self.where}: {self.rule}"


_MISSING = "Field required"
_WANTED: dict[object, str] = {  # since mid-2026 "an object" and "a valid array"
    str: "Input should be a valid string",
    int: "Input should be a valid integer",
    bool: "Input should be a valid boolean",
    dict: "Input should be a valid dictionary",
    list: "Input should be a valid list",
    (str, list): "Input should be a valid list",
}

# A tool of Anthropic's own: its name (a set of tools has none), what it needs, what it may have.
Standard = tuple[str, Types, Types]


def _any(fields: str) -> Types:
    return dict.fromkeys(fields.split(), object)


def _standard(family: str, dates: str, name: str, may: str, needs: str = "") -> dict[str, Standard]:
    standard = (name, _any(f"name {needs}" if name else needs), _any(f"type {may}"))
    return {f"{family}_{date}".rstrip("_"): standard for date in dates.split(",")}


_ANY = "cache_control allowed_callers defer_loading strict"
_CLIENT = f"{_ANY} input_examples"
_SCREEN, _SIZE = f"{_CLIENT} display_number", "display_width_px display_height_px"
_SITES = f"{_ANY} max_uses allowed_domains blocked_domains"
_SEARCH = f"{_SITES} user_location"
_FETCH = f"{_SITES} citations max_content_tokens url_sources"
_OLD_EDITOR, _EDITOR = "str_replace_editor", "str_replace_based_edit_tool"
_MCP = "cache_control configs default_config tools"
_BM25, _REGEX = "tool_search_tool_bm25", "tool_search_tool_regex"

# Those of anthropic-sdk-python in October 2026, beta ones included; some go without a date, too.
STANDARD: dict[str, Standard] = {
    **_standard("bash", "20241022,20250124", "bash", _CLIENT),
    **_standard("text_editor", "20241022,20250124", _OLD_EDITOR, _CLIENT),
    **_standard("text_editor", "20250429", _EDITOR, _CLIENT),
    **_standard("text_editor", "20250728", _EDITOR, f"{_CLIENT} max_characters"),
    **_standard("computer", "20241022,20250124", "computer", _SCREEN, _SIZE),
    **_standard("computer", "20251124", "computer", f"{_SCREEN} enable_zoom", _SIZE),
    **_standard("computer_toolset", "20260801", "", "cache_control configs"),
    **_standard("browser_toolset", "20260801", "", "cache_control configs allowed_callers"),
    **_standard("memory", "20250818", "memory", _CLIENT),
    **_standard("web_search", "20250305,20260209", "web_search", _SEARCH),
    **_standard("web_search", "20260318", "web_search", f"{_SEARCH} response_inclusion"),
    **_standard("web_fetch", "20250910,20260209", "web_fetch", _FETCH),
    **_standard("web_fetch", "20260309", "web_fetch", f"{_FETCH} use_cache"),
    **_standard("web_fetch", "20260318", "web_fetch", f"{_FETCH} use_cache response_inclusion"),
    **_standard("code_execution", "20250522,20250825,20260120,20260521", "code_execution", _ANY),
    **_standard(_BM25, ",20251119", _BM25, _ANY),
    **_standard(_REGEX, ",20251119", _REGEX, _ANY),
    **_standard("advisor", "20260301", "advisor", f"{_ANY} max_uses max_tokens caching", "model"),
    **_standard("mcp_toolset", "", "", _MCP, "mcp_server_name"),
}
_TAGS = ", ".join(f"'{type}'" for type in sorted([*STANDARD, "custom"]))
_DATED = re.compile(r"([a-z0-9_]{1,60})_(20[0-9]{6})")
_CUSTOM = _any(f"type description eager_input_streaming {_CLIENT}")
_CALL: Types = {"id": str, "name": str, "input": dict}
_CALL_MAY = _any("type cache_control caller toolset_name")
_RESULT_MAY: Types = {"content": (str, list), "is_error": bool, **_any("type cache_control")}
_WORD = re.compile(r"[a-zA-Z0-9_-]+")
_NO_WORD = f"String should match pattern '^{_WORD.pattern}$'"


def _split(type: str) -> tuple[str, str]:
    """A dated type in its family and its date."""
    match = _DATED.fullmatch(type)
    return (match[1], match[2]) if match else (type, "")


_NEWEST = max(_split(type)[1] for type in STANDARD)
_VERSIONS: dict[str, list[str]] = {}  # the types of a family, and those that go by a name
for _type, (_name, _, _) in STANDARD.items():
    for _key in {_split(_type)[0], _name or _type}:
        _VERSIONS.setdefault(_key, []).append(_type)


def of_body(body: Object) -> list[Breach]:
    """What the API would refuse of a whole request."""
    needs = {"model": str, "max_tokens": int, "messages": list}
    if "anthropic_version" in body:
        del needs["model"]  # Bedrock and Vertex have it in the address
    breaches = [*_of_fields(body, "", needs)]
    if body.get("system") is not None:
        breaches += _of_system(body["system"])
    if "tools" in body:
        breaches += of_tools(body["tools"])
    messages = body.get("messages")
    if messages == []:
        breaches += [Breach("messages", "at least one message is required", "Add a user message")]
    elif isinstance(messages, list):
        around = [None, *messages, None]
        for index, message in enumerate(messages):
            before, after, last = around[index], around[index + 2], index + 1 == len(messages)
            breaches += of_message(message, index, before, after, last=last)
        breaches += _of_repeated_ids(messages)
    return breaches


def _of_system(system: object) -> Iterator[Breach]:
    if not isinstance(system, (str, list)):
        yield Breach("system", _WANTED[list], "Give the prompt as a string or a list of blocks")
    for place, block in enumerate(system if isinstance(system, list) else ()):
        if not isinstance(block, dict):
            fix = 'Give text as {"type": "text", "text": ...}'
            yield Breach(f"system.{place}", _WANTED[dict], fix)


def of_block(block: Object) -> list[Breach]:
    """What the API would refuse of a call or a result whose place in a request is not known."""
    kind = block.get("type")
    of_kind = _of_call if kind == "tool_use" else _of_result if kind == "tool_result" else None
    return [*of_kind(block, str(kind))] if of_kind else []


def of_tools(tools: object) -> list[Breach]:
    if not isinstance(tools, list):
        return [Breach("tools", _WANTED[list], "Give the tools as a list of definitions")]
    breaches = [b for index, tool in enumerate(tools) for b in _of_tool(tool, f"tools.{index}")]
    names = (_object(tool).get("name") for tool in tools)
    times = Counter(name for name in names if isinstance(name, str))
    if len(times) < times.total():
        fix = f"Keep one tool of each name: {_few([name for name in times if times[name] > 1])}"
        breaches.append(Breach("tools", "Tool names must be unique.", fix))
    return breaches


def _of_tool(tool: object, where: str) -> Iterator[Breach]:
    if not isinstance(tool, dict):
        yield Breach(where, _WANTED[dict], "Give the tool as an object")
        return
    type = tool.get("type")
    if type is None or type == "custom":
        yield from _of_custom_tool(tool, f"{where}.custom")
    elif not isinstance(type, str):
        yield Breach(f"{where}.type", _WANTED[str], 'Write "custom" for a tool of your own')
    elif type in STANDARD:
        yield from _of_standard_tool(tool, type, f"{where}.{type}")
    else:
        family, date = _split(type)
        known = _VERSIONS.get(family, [])
        if date > max((_split(version)[1] for version in known), default=_NEWEST):
            return  # newer than this program, and perhaps right
        rule = f"Input tag '{_clip(type)}' found using 'type' does not match any of the expected"
        fix = f"Write {' or '.join(known)}" if known else 'Write "custom" for a tool of your own'
        if type == "function":
            fix = "Flatten OpenAI's form: name, description, and its parameters as input_schema"
        yield Breach(where, f"{rule} tags: {_TAGS}", fix)


def _of_standard_tool(tool: Object, type: str, where: str) -> Iterator[Breach]:
    name, needs, may = STANDARD[type]
    fix = f"Name it {name}" if name else "Remove name: a set of tools goes by none"
    yield from _of_fields(tool, where, needs, may, name=fix)
    if name and tool.get("name", name) != name:
        yield Breach(f"{where}.name", f"Input should be '{name}'", fix)


def _of_custom_tool(tool: Object, where: str) -> Iterator[Breach]:
    needs = {"name": str} if "parameters" in tool else {"name": str, "input_schema": dict}
    fix = "Call the schema input_schema, not parameters"
    yield from _of_fields(tool, where, needs, {**_CUSTOM, "input_schema": dict}, parameters=fix)
    name, schema = tool.get("name"), tool.get("input_schema")
    if isinstance(name, str) and not (_WORD.fullmatch(name) and len(name) <= 128):
        rule = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
        yield Breach(f"{where}.name", rule, "Use at most 128 letters, digits, _ and - in the name")
    if isinstance(schema, dict) and schema.get("type") != "object":
        rule = "Input should be 'object'" if "type" in schema else _MISSING
        yield Breach(f"{where}.input_schema.type", rule, 'Write "type": "object" in the schema')


def _of_repeated_ids(messages: list[object]) -> Iterator[Breach]:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for place, id in _ids(message, "tool_use"):
            if id in seen:
                where = f"messages.{index}.content.{place}"
                fix = "Give each call an id of its own, and its result the same"
                yield Breach(where, "`tool_use` ids must be unique", fix, index)
            seen.add(id)


def of_message(
    message: object, index: int, before: object | None, after: object | None, *, last: bool
) -> list[Breach]:
    """What the API would refuse of one message between its neighbours."""
    where = f"messages.{index}"
    if not isinstance(message, dict):
        return [Breach(where, _WANTED[dict], "Give the message as an object", index)]
    fix = "Give the content as a string or a list of blocks"
    breaches = [*_of_fields(message, where, _MESSAGE, role=_ROLE, content=fix)]
    breaches += _of_content(message, where, last)
    if message.get("role") != "assistant":
        breaches += _of_results(message, where, before)
    elif not last:
        answered = {id for _, id in _ids(after, "tool_result")}
        ids = [id for _, id in _ids(message, "tool_use") if id not in answered]
        fix = "Answer each call with a tool_result in the user message that follows it"
        # The API points at the message that should have brought the results.
        breaches += _unanswered(ids, f"messages.{index + 1}", fix)
    return [breach._replace(message=index) for breach in breaches]


_MESSAGE: Types = {"role": str, "content": (str, list)}
_ROLE = 'Write "user" or "assistant"'


def _of_content(message: Object, where: str, last: bool) -> Iterator[Breach]:
    role, content = message.get("role"), message.get("content")
    if role == "system" and where == "messages.0":
        # Further on, it is right since Opus 4.8 (May 2026); Claude Code makes use of that.
        rule = "use the top-level 'system' parameter for the initial system prompt"
        yield Breach(where, rule, "Use the top-level system field")
    elif isinstance(role, str) and role not in ("user", "assistant", "system"):
        rule = f'Unexpected role "{_clip(role)}". Allowed roles are "user" or "assistant"'
        fix = "Send the result as a tool_result block of a user message"
        yield Breach(where, rule, fix if role == "tool" else _ROLE)
    elif content in ("", []) and role != "system" and not (last and role == "assistant"):
        # Since 2026 the API lets empty messages of the assistant pass.
        rule = "all messages must have non-empty content except for the optional final assistant"
        yield Breach(where, f"{rule} message", "Leave the message out, or give it content")
    kinds = [block.get("type") for block in _blocks(message)]
    for kind, home in (("tool_use", "assistant"), ("tool_result", "user")):
        if kind in kinds and role != home and role in ("user", "assistant", "system"):
            rule = f"`{kind}` blocks can only be in `{home}` messages"
            yield Breach(where, rule, f"Move the {kind} block to the {home}'s message")
    for place, block in enumerate(content if isinstance(content, list) else ()):
        here = f"{where}.content.{place}"
        if not isinstance(block, dict):
            yield Breach(here, _WANTED[dict], 'Give text as {"type": "text", "text": ...}')
        elif block.get("type") == "tool_use":
            yield from _of_call(block, f"{here}.tool_use")
        elif block.get("type") == "tool_result":
            yield from _of_result(block, f"{here}.tool_result")
        elif block.get("type") == "text" and block.get("text") == "":
            yield Breach(here, "text content blocks must be non-empty", "Leave the block out")


def _of_call(call: Object, where: str) -> Iterator[Breach]:
    missing = [field for field in _CALL if field not in call]
    if missing and isinstance(call.get("tool_use"), dict):
        fix = "Move id, name and input to the top level (the body is nested in `tool_use`)"
        yield Breach(f"{where}.{missing[0]}", _MISSING, fix)
        return
    yield from _of_fields(call, where, _CALL, _CALL_MAY)
    id = call.get("id")
    if isinstance(id, str) and not _WORD.fullmatch(id):
        yield Breach(f"{where}.id", _NO_WORD, "Use only letters, digits, _ and - in the id")


def _of_result(result: Object, where: str) -> Iterator[Breach]:
    may, fix = _RESULT_MAY, "Name the call in tool_use_id"
    if "tool_use_id" not in result and isinstance(result.get("tool_result"), dict):
        may = {**may, "tool_result": dict}
        fix = "Use a flat block with tool_use_id (the body is nested in `tool_result`)"
    elif "tool_use_id" not in result and "id" in result:
        may, fix = {**may, "id": object}, f"{fix} (it is called `id` here)"
    right = "Give the result as a string or a list of blocks"
    yield from _of_fields(result, where, {"tool_use_id": str}, may, tool_use_id=fix, content=right)
    if result.get("tool_use_id") == "":
        yield Breach(f"{where}.tool_use_id", _NO_WORD, fix)
    content = result.get("content")
    for place, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict):
            yield Breach(f"{where}.content.{place}", _WANTED[dict], right)


def _of_fields(
    value: Object, where: str, needs: Types, may: Types | None = None, **fixes: str
) -> Iterator[Breach]:
    """Fields that are missing, of a wrong type, or (where `may` is given) not provided for."""
    what, path = where.rpartition(".")[2], f"{where}." if where else ""
    for field, wanted in {**needs, **(may or {})}.items():
        if field not in value:
            if field in needs:
                yield Breach(f"{path}{field}", _MISSING, fixes.get(field, f"Add {field}"))
        elif not isinstance(value[field], wanted):
            fix = f"Make {field} {_WANTED[wanted].removeprefix('Input should be ')}"
            yield Breach(f"{path}{field}", _WANTED[wanted], fixes.get(field, fix))
    for field in () if may is None else value:
        if field not in needs and field not in (may or {}):
            fix = fixes.get(field, f"Remove {_clip(field)}: {what} does not take it")
            yield Breach(f"{path}{_clip(field)}", "Extra inputs are not permitted", fix)


def _of_results(message: Object, where: str, before: object) -> Iterator[Breach]:
    """Results must answer the calls of the message before, each once, and come first."""
    asked = {id for _, id in _ids(before, "tool_use")}
    results = [block.get("type") == "tool_result" for block in _blocks(message)]
    first_other = [*results, False].index(False)
    answered: dict[str, int] = {}
    for place, id in _ids(message, "tool_result"):
        if id not in asked:
            rule = f"unexpected `tool_use_id` found in `tool_result` blocks: {_clip(id)}. Each"
            rule += " `tool_result` block must have a corresponding `tool_use` block in the"
            fix = "Put the result right behind the message with its call, or remove it"
            yield Breach(f"{where}.content.{place}", f"{rule} previous message.", fix)
        elif id in answered:
            rule = "each tool_use must have a single result. Found multiple `tool_result` blocks"
            rule += f" with id: {_clip(id)}"
            yield Breach(f"{where}.content.{place}", rule, "Keep one result for each call")
        else:
            answered[id] = place
    late = [id for id, place in answered.items() if place > first_other]
    yield from _unanswered(late, where, "Put the tool_result blocks before all other blocks")


def _unanswered(ids: list[str], where: str, fix: str) -> Iterator[Breach]:
    if ids:
        rule = "`tool_use` ids were found without `tool_result` blocks immediately after:"
        each = "Each `tool_use` block must have a corresponding `tool_result` block in the next"
        yield Breach(where, f"{rule} {_few([*dict.fromkeys(ids)])}. {each} message.", fix)


def _ids(message: object, type: str) -> Iterator[tuple[int, str]]:
    """The places and ids of a message's calls or results, also of badly written ones."""
    field = "id" if type == "tool_use" else "tool_use_id"
    for place, block in enumerate(_blocks(message)):
        if block.get("type") == type:
            if field not in block:
                block = _object(block.get(type)) or block
            id = block.get(field, block.get("id"))
            if isinstance(id, str):
                yield place, id


def _blocks(message: object) -> list[Object]:
    content = _object(message).get("content")
    return [_object(block) for block in content] if isinstance(content, list) else []


def _object(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def _clip(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:59]}…"


def _few(words: list[str]) -> str:
    more = f" and {len(words) - 10} more" if len(words) > 10 else ""
    return ", ".join(map(_clip, words[:10])) + more
