"""Small JSON files that lie beside a transcript."""

import os
from typing import Any

import orjson

from viewer.formats.fields import mapping, string
from viewer.tail import read_head

_MOST = 1 << 16


def sidecar_title(path: str) -> str | None:
    """The title that /rename gave, which 2.1.326 keeps beside the file."""
    sidecar = read_json(os.path.join(os.path.splitext(path)[0], "custom-title.json"))
    return string(sidecar.get("customTitle"))


def read_json(path: str) -> dict[str, Any]:
    """The object that a file holds; empty where it cannot be read."""
    try:
        return mapping(orjson.loads(read_head(path, _MOST)))
    except orjson.JSONDecodeError:
        return {}
