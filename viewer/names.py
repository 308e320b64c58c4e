"""The id of a session from the name of its file."""

import os
import re

_ROLLOUT = re.compile(r"rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(?=.)")


def id_of(path: str) -> str:
    name = os.path.splitext(os.path.basename(path).removesuffix(".zst"))[0]
    return _ROLLOUT.sub("", name, count=1)
