"""The status of a call: a pure function of the call, what came after it, and whether the session
is alive. The clock and the look at processes are the caller's."""

from viewer import causes
from viewer.agents import agent_of
from viewer.model import DEAD, Call, Liveness
from viewer.session import Session


class Judge:
    """Tells status and cause of the calls of one session, as it is now."""

    def __init__(self, session: Session, liveness: Liveness = DEAD) -> None:
        self._session = session
        self._liveness = liveness
        self.active = session.active_branches()

    def status(self, call: Call) -> str:
        """ACP's pending, in_progress, completed, failed; and missing."""
        if call.result is not None:
            return "failed" if call.failed else "completed"
        if not self._liveness.alive or not self._is_last(call) or call.fate:
            return "missing"
        return "pending" if self._liveness.waiting else "in_progress"

    def cause(self, call: Call) -> str | None:
        """Why it failed, was cut short, or has no result."""
        if call.answer is not None and call.result is not None:
            if call.answer.error:
                return causes.of_failure(call.name, call.answer)
            return "INTERRUPTED" if call.answer.interrupted else None
        if call.result is not None or self.status(call) != "missing":
            return None
        return self._why_missing(call)

    def _why_missing(self, call: Call) -> str:
        if any(hook.outcome == "blocked" for hook in call.hooks):
            return "HOOK_BLOCKED"
        if any(hook.decision in ("deny", "block") for hook in call.hooks):
            return "HOOK_BLOCKED"
        if call.fate is not None:
            return call.fate
        progress = call.progress
        if progress is not None:
            elapsed, limit = progress.elapsed_ms, progress.timeout_ms
            if elapsed is not None and limit and elapsed >= limit:
                return "TIMEOUT"
        if not self.is_active(call):
            return "ABANDONED_BRANCH"
        return "SESSION_ENDED" if self._is_last(call) else "UNKNOWN"

    def is_active(self, call: Call) -> bool:
        """Whether a call of the main conversation stands on the branch in use."""
        branch = call.row.branch
        return branch is None or agent_of(call.row) is not None or id(branch) in self.active

    def _is_last(self, call: Call) -> bool:
        """Whether its message is the last thing that was said where it was said."""
        if call.source is not None:
            return True
        agent = agent_of(call.row)
        last = agent.last_key if agent else self._session.last_key
        return call.message_id == last and (agent is not None or self.is_active(call))
