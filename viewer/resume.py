"""The command that goes on with a session. It is only ever shown or copied, never run."""

import re

# Ids come from the file: one that is no plain word could be an option or a path.
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


_COMMANDS = {"claude": ["claude", "--resume"], "codex": ["codex", "resume"]}


def resume_argv(session_id: str | None, agent: str = "claude") -> list[str] | None:
    """The arguments, or None where the id cannot be trusted, or the program cannot go on."""
    if session_id is None or not _ID.fullmatch(session_id) or agent not in _COMMANDS:
        return None
    return [*_COMMANDS[agent], session_id]
