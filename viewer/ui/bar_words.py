"""What the bars say: the session, the filters, where one is, the keys that matter now."""

import os
from dataclasses import dataclass

from viewer import text, touched
from viewer.describe import relative
from viewer.feed import Feed
from viewer.nodes import CATEGORIES
from viewer.outline import Outline
from viewer.problems import Problem
from viewer.session import Session
from viewer.ui.bars import Piece

Pieces = tuple[list[Piece], list[Piece]]
WIDE = 100  # columns from which there are two panes


@dataclass(frozen=True, slots=True)
class State:
    session: Session
    outline: Outline
    feed: Feed
    following: bool
    has_followed: bool
    found: list[Problem]
    loaded: float | None  # None when all of it was read
    note: str
    seeking: str
    reads: bool  # the detail has the keys
    width: int

    @property
    def narrow(self) -> bool:
        """There is room for one pane."""
        return self.width < WIDE

    @property
    def tiny(self) -> bool:
        return self.width < 60


def title(state: State) -> Pieces:
    session = state.session
    project = text.one_line(session.project or "")
    if state.narrow:
        project = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    id = text.one_line(session.session_id or "", 9)[:8]
    left = [Piece(" " if state.narrow else " claude-view  ", "brand")]
    if project:
        short = project if text.width(project) <= 28 else "…" + project[-27:]
        left += [Piece(short, "path"), Piece(" ▸ ", "dim")]
    if id:
        left.append(Piece(f"{id}  ", "dim"))
    else:
        file = os.path.basename(state.feed.path)
        left.append(Piece(f"{text.one_line(file, 40)}  ", "path"))
    left.append(Piece(text.one_line(session.title or "(no prompt)"), "name", gives=True))
    total = session.tokens.total()
    tokens = total.input + total.output + total.cache_read + total.cache_creation
    length = None
    if session.started is not None and session.ended is not None:
        length = text.duration(round((session.ended - session.started) * 1000))
    facts = [
        text.one_line(session.git_branch or "", 20),
        length or "",
        f"{text.number(tokens)} tok" if tokens else "",
    ]
    right = [Piece("  " + " · ".join(fact for fact in facts if fact) + " ", "dim")]
    return left, [] if state.narrow else right


def _counts(state: State) -> tuple[int, int]:
    missing = sum(problem.kind == "missing_result" for problem in state.found)
    return len(state.found) - missing, missing


def chips(state: State) -> Pieces:
    outline = state.outline
    left = [Piece(" ")]
    for number, name in enumerate(CATEGORIES, 1):
        off = name in outline.off
        hides = f" −{outline.forest.counts[name]}" if off else ""
        look = "chip-off" if off else "chip"
        left += [Piece(f" {number} {name}{hides} ", look, f"chip({number})"), Piece(" ")]
    bulk = outline.forest.counts["bulk"]
    if bulk:
        words = f" 0 bulk {'shown' if outline.everything else f'−{bulk}'} "
        left.append(Piece(words, "chip" if outline.everything else "chip-off", "all"))
    errors, missing = _counts(state)
    right = [
        Piece(f" errors {errors} ", "error" if errors else "dim", "problems"),
        Piece("  "),
        Piece(f" missing {missing} ", "missing" if missing else "dim", "problem(1,'missing')"),
        Piece(" "),
    ]
    return left, right


def status(state: State) -> Pieces:
    outline = state.outline
    rows = len(outline.rows)
    left = [Piece(" ")]
    if state.loaded is not None:
        left.append(Piece(f"reading {state.loaded:4.0%}  ", "running"))
    else:
        left += [*_live(state), Piece("  ")]
    if state.feed.newer is not None:
        words = "a newer session started here: f follows it"
        words = "f: newer" if state.tiny else "newer session: f" if state.narrow else words
        left.append(Piece(f"{words}  ", "warning", "newer"))
    if state.seeking:
        left.append(Piece(f"{state.seeking}  ", "match"))
    if outline.only is not None:
        left.append(Piece("only hits (esc shows all)  ", "warning", "only_hits"))
    if state.narrow:
        if outline.off:
            hidden = ", ".join(
                f"{c} −{outline.forest.counts[c]}" for c in CATEGORIES if c in outline.off
            )
            left.append(Piece(f"hidden: {hidden}  ", "warning", "all"))
        errors, missing = _counts(state)
        left.append(Piece(f"errors {errors} ", "error" if errors else "dim", "problems"))
        left.append(Piece("· ", "dim"))
        left.append(Piece(f"missing {missing} ", "missing" if missing else "dim", "problems"))
    if state.note:
        left.append(Piece(text.one_line(state.note), "warning", gives=True))
    if not rows and state.loaded is None:
        left.append(Piece("nothing to show: " + _why_empty(state), "dim", gives=True))
    facts = [] if state.narrow else _belongings(state)
    where = f"{min(outline.cursor + 1, rows)}/{rows}"
    share = f"{round(100 * min(outline.cursor + 1, rows) / rows)}%" if rows else "0%"
    right = [Piece(" · ".join([*facts, where, share]) + " ", "dim")]
    return left, right


def _live(state: State) -> list[Piece]:
    """Whether more is to be expected, and whether it is followed."""
    liveness = state.feed.liveness
    new = f" +{state.outline.arrived}" if state.outline.arrived else ""
    if not liveness.alive:
        ended = state.feed.ended
        if state.narrow:
            ended = "" if state.tiny else text.clip(ended, 20)
        return [Piece("ENDED ", "dim"), Piece(ended, "dim"), Piece(new, "running", "follow")]
    doing = liveness.state
    if liveness.waiting:
        waits_for = text.one_line(liveness.waits_for, 30)
        doing = "waiting for approval" + (f": {waits_for}" if waits_for else "")
    if state.narrow:
        doing = {"waiting": "waits", "working": ""}.get(liveness.state, liveness.state)
        doing = "" if state.tiny else doing
    look = "missing" if liveness.waiting else "ok"
    if state.following:
        how = "" if state.narrow else "following · "
        return [Piece("▪ LIVE ", look), Piece(f"{how}{doing}", look)]
    if state.has_followed:
        return [Piece("PAUSED", "warning", "follow"), Piece(new, "warning", "follow")]
    counted = f"{new} new" if new else ""
    return [Piece("▪ LIVE ", look), Piece(f"{doing}", look), Piece(counted, "running", "follow")]


def _belongings(state: State) -> list[str]:
    transcript = state.feed.reading.transcript
    facts = []
    if state.feed.liveness.alive and (use := touched.current(transcript)) is not None:
        path = text.one_line(relative(use.path, state.session.project))
        at = f":{use.last.line}" if use.last.line is not None else ""
        facts.append((path if text.width(path) <= 36 else "…" + path[-35:]) + at)
    if agents := len(transcript.agents):
        facts.append(text.plural(agents, "sub-agent"))
        if running := state.outline.forest.running_agents():
            facts.append(f"{running} running")
    if tasks := len(state.session.tasks) if state.feed.liveness.alive else 0:
        facts.append(f"{text.plural(tasks, 'task')} in background")
    if damaged := state.session.counts.damaged:
        facts.append(f"{damaged} damaged")
    return facts


def _why_empty(state: State) -> str:
    if state.outline.off:
        return "everything is filtered out; 0 shows all"
    if state.session.counts.total:
        return "only records without text; 0 shows more"
    return "the file has no records"


def keys(state: State) -> Pieces:
    """The keys that matter for what is selected."""
    node = state.outline.current
    hints: list[tuple[str, str, str]] = []
    if state.reads:
        hints += [("esc", "back", "back"), ("[ ]", "tab", "tab(1)"), ("j k", "scroll", "move(1)")]
    else:
        hints += [("/", "find", "find"), ("?", "help", "help"), ("S", "summary", "summary")]
        if state.feed.liveness.alive and not state.following:
            hints.append(("F", "follow", "follow"))
        if state.seeking:
            hints += [("n", "next hit", "hit(1)"), ("&", "only hits", "only_hits")]
        if state.found:
            hints.append(("e", "error", "problem(1,'any')"))
        if any(problem.kind == "missing_result" for problem in state.found):
            hints.append(("w", "missing", "problem(1,'missing')"))
        if node is not None and node.can_unfold:
            hints.append(("␣", "fold" if node.open else "unfold", "fold"))
        if node is not None and node.call is not None and node.call.agent is not None:
            hints.append(("s", "sub-agent", "agent"))
        if node is not None and node.call is not None:
            recoveries = node.scope.session.recoveries
            if recoveries.of(node.call) is not None or recoveries.by(node.call):
                hints.append(("R", "recovery", "recovery"))
        hints.append(("⏎", "read", "open"))
        if not state.narrow:
            hints.append(("⇥", "pane", "other_pane"))
    hints += [("y", "copy", "copy_text"), ("o", "pager", "pager"), ("q", "quit", "quit")]
    left = [Piece(" ")]
    for key, word, action in hints:
        left += [Piece(key, "key", action), Piece(f" {word}  ", "dim", action)]
    return left, [Piece(": commands ", "dim", "palette")]
