"""Any JSON value as text for people."""

import json

_DEPTH = 40


def pretty(value: object) -> str:
    """Indented. Values nest as deep as they like; this does not."""
    try:
        return json.dumps(_pruned(value), indent=2, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply to be shown)"


def _pruned(value: object, depth: int = 0) -> object:
    if depth > _DEPTH and isinstance(value, (dict, list)):
        return "…"
    if isinstance(value, dict):
        return {str(key): _pruned(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_pruned(each, depth + 1) for each in value]
    return value


def as_json(words: str) -> object:
    """What a text means if it is a JSON object or array."""
    if words.lstrip()[:1] not in ("{", "[") or len(words) > 1 << 20:
        return None
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) and value else None
