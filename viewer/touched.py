"""The files that a session and its sub-agents touch, as a list: read and changed how often, and
where last."""

from dataclasses import dataclass

from viewer.files import Touched
from viewer.load import Transcript
from viewer.session import Session


@dataclass(slots=True)
class Use:
    """A file, by all who touched it."""

    last: Touched
    session: Session  # whose call was the last
    file: str | None  # the name of that session's file, of a sub-agent
    reads: int = 0
    changes: int = 0
    added: int = 0  # lines
    removed: int = 0

    @property
    def path(self) -> str:
        return self.last.path


def of_transcript(transcript: Transcript) -> list[Use]:
    """All files, the one touched last first."""
    found: dict[str, Use] = {}
    for session, agent in transcript.sessions():
        for touched in session.files.all():
            known = found.get(touched.path)
            if known is None:
                file = agent.file if agent else None
                known = found[touched.path] = Use(touched, session, file)
            elif _when(touched) >= _when(known.last):
                known.last, known.session = touched, session
                known.file = agent.file if agent else None
            known.reads += touched.reads
            known.changes += touched.changes
            added, removed = touched.lines
            known.added += added
            known.removed += removed
    return sorted(found.values(), key=lambda use: _when(use.last), reverse=True)


def current(transcript: Transcript) -> Use | None:
    """The file that was touched last. Costs nothing that grows with the session."""
    best: Use | None = None
    for session, agent in transcript.sessions():
        touched = session.files.current
        if touched is not None and (best is None or _when(touched) >= _when(best.last)):
            best = Use(touched, session, agent.file if agent else None)
    return best


def _when(touched: Touched) -> tuple[float, int, int]:
    row = touched.row
    return row.time or 0.0, row.line, row.start
