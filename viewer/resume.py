"""The command that goes on with a session. It is only ever shown or copied, never run."""

import re

# Ids come from the file: one that is no plain word could be an option or a path.
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


def resume_argv(session_id: str | None) -> list[str] | None:
    """The arguments, or None where the id cannot be trusted."""
    if session_id is None or not _ID.fullmatch(session_id):
        return None
    return ["claude", "--resume", session_id]
