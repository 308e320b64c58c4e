"""The status of a call: a pure function of the call, what came after it, and whether the session
is alive. The clock and the look at processes are the caller's."""

from viewer import causes
from viewer.agents import agent_of
from viewer.load import Transcript
from viewer.model import DEAD, Agent, Call, Liveness
from viewer.recovery import Recovery
from viewer.session import Session

# What the programs call the end of a sub-agent in the background.
_ENDED = {"completed": "completed", "failed": "failed", "killed": "failed", "stopped": "failed"}


class Judge:
    """Tells status and cause of the calls of one session, as it is now."""

    def __init__(
        self, session: Session, liveness: Liveness = DEAD, stopped: str | None = None
    ) -> None:
        self.liveness = liveness
        self.active = session.active_branches()
        self._session = session
        self._stopped = stopped  # why the whole session was cut short

    def status(self, call: Call) -> str:
        """ACP's pending, in_progress, completed, failed; and missing."""
        if call.result is not None:
            return "failed" if call.failed else "completed"
        if not self.liveness.alive or not self._is_last(call) or call.fate:
            return "missing"
        if call.stated is not None:
            return "pending" if call.stated == "pending" else "in_progress"
        return "pending" if self.liveness.waiting else "in_progress"

    def cause(self, call: Call) -> str | None:
        """Why it failed, was cut short, or has no result."""
        if call.answer is not None and call.result is not None:
            if call.answer.error:
                return causes.of_failure(call.name, call.answer)
            return "INTERRUPTED" if call.answer.interrupted else None
        if call.result is not None or self.status(call) != "missing":
            return None
        return self._why_missing(call)

    def recovery(self, call: Call) -> Recovery | None:
        """What made a failed call good."""
        return self._session.recoveries.of(call)

    def _why_missing(self, call: Call) -> str:
        if any(hook.said_no for hook in call.hooks):
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
        if self._is_last(call):
            return self._stopped or "SESSION_ENDED"
        return "UNKNOWN"

    def is_active(self, call: Call) -> bool:
        """Whether a call of the main conversation stands on the branch in use."""
        branch = call.row.branch
        return branch is None or agent_of(call.row) is not None or id(branch) in self.active

    def _is_last(self, call: Call) -> bool:
        """Whether its message is the last thing that was said where it was said."""
        if call.source is not None:
            return True
        if call.stated is not None and agent_of(call.row) is None:
            # Its program says itself how it stands, as long as its turn goes on.
            turn = self._session.turn
            return turn is None or turn.is_before(call.row)
        agent = agent_of(call.row)
        last = agent.last_key if agent else self._session.last_key
        return call.message_id == last and (agent is not None or self.is_active(call))


class Court:
    """The judges of all sessions of a transcript. A sub-agent is alive while its call waits."""

    def __init__(self, transcript: Transcript, liveness: Liveness = DEAD) -> None:
        self._transcript = transcript
        self._liveness = liveness
        self._judges: dict[int, Judge] = {}
        self._owners = {id(s): agent for s, agent in transcript.sessions() if agent is not None}

    def judge(self, session: Session) -> Judge:
        known = self._judges.get(id(session))
        if known is not None:
            return known
        # Until it is known better; also ends the search where agents claim to start each other.
        self._judges[id(session)] = Judge(session)
        agent = self._owners.get(id(session))
        if agent is None:
            made = Judge(session, self._liveness)
        else:
            status, cause = self.of_agent(agent)
            alive = status in ("in_progress", "pending")
            stopped = "INTERRUPTED" if cause == "INTERRUPTED" else None
            made = Judge(session, self._liveness if alive else DEAD, stopped)
        self._judges[id(session)] = made
        return made

    def of_agent(self, agent: Agent) -> tuple[str, str | None]:
        """A sub-agent in the foreground is as its call; one in the background is as it says."""
        call = agent.call
        home = self._transcript.home_of(agent)
        if call is not None and home is not None:
            answer = call.answer
            launched = agent.status in ("async_launched", "remote_launched", *_ENDED)
            if not launched and not (answer is not None and answer.background):
                judge = self.judge(home)
                return judge.status(call), judge.cause(call)
        if agent.status in _ENDED:
            return _ENDED[agent.status], None
        if agent.finished:
            return "completed", None
        waits = agent.session is not None and bool(agent.session.unanswered)
        if self._liveness.alive and (waits or agent.session is None):
            return "in_progress", None
        return ("completed" if agent.session is not None and not waits else "missing"), None
