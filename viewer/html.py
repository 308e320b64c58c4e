"""`show --html`: a session as one page that needs nothing else, not even a script.

The page comes in pieces, so that a large session costs no more memory than its outline. Foreign
text passes `Ink` and becomes text; elements, attributes, ids and links are all made here.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from viewer import __version__, problems, text
from viewer.describe import agent_name, describe
from viewer.ending import KINDS as ENDINGS
from viewer.ending import ending
from viewer.html_entries import Entries
from viewer.html_ink import Ink
from viewer.html_style import STYLE, policy
from viewer.load import Transcript
from viewer.masks import Mask
from viewer.model import DEAD, Agent, Liveness
from viewer.nodes import Forest, Node
from viewer.problems import Problem
from viewer.status import Court
from viewer.tokens import Tokens

_DEEP = 24  # entries inside one another; browsers stop drawing somewhere behind a hundred
_MOST_PROBLEMS = 300
_MOST_TURNS = 1000
_MANY = 12
_DRAWN = re.compile(r"([^\w\s]|_)\1{3,}")  # lines that programs draw


def as_html(
    transcript: Transcript, liveness: Liveness = DEAD, mask: Mask | None = None
) -> Iterator[str]:
    return _Page(transcript, liveness, mask or Mask()).run()


@dataclass(slots=True)
class _Open:
    """An element that holds entries, while they are written."""

    node: Node | None
    inside: Iterator[Node]
    end: str
    agent: Agent | None = None  # whose part is still to begin


class _Page:
    def __init__(self, transcript: Transcript, liveness: Liveness, mask: Mask) -> None:
        self._transcript = transcript
        self._ink = Ink(mask)
        self._forest = Forest(transcript, liveness)
        self._found = problems.find(transcript, liveness)
        self._turns = [
            node
            for node in (*(self._forest.root.children or ()), *self._forest.rest)
            if node.is_turn
        ]
        self._anchors = self._name_places()
        self._entries = Entries(transcript, self._ink, self._anchors)

    def _name_places(self) -> dict[int, str]:
        """Names for what is linked to, by thing. Counted, never taken from the transcript."""
        names = {id(node.item): f"t{n}" for n, node in enumerate(self._turns, 1)}
        number = 0
        for problem in self._found:
            item = problem.item
            if item is not None and id(item) not in names:
                if self._forest.find(item, problem.session) is not None:
                    number += 1
                    names[id(item)] = f"p{number}"
        return names

    def run(self) -> Iterator[str]:
        ink, session = self._ink, self._transcript.session
        title = ink.line(session.title or "(no prompt)", 120)
        yield (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        )
        yield f"<header>\n<h1>{title}</h1>\n{ink.pairs(self._facts())}</header>\n"
        yield from self._index()
        yield "<main>\n"
        yield from self._conversation()
        yield f"</main>\n<footer>\n<p>{self._footing()}</p>\n</footer>\n</body>\n</html>\n"

    # Above the conversation

    def _facts(self) -> list[tuple[str, str]]:
        session = self._transcript.session
        tokens = Tokens()
        for each, _ in self._transcript.sessions():
            tokens.merge(each.tokens)
        total = tokens.total()
        spent = total.input + total.cache_read + total.cache_creation
        length = ""
        if session.started is not None and session.ended is not None:
            if session.ended > session.started:
                length = text.duration(round((session.ended - session.started) * 1000))
        said = f"{text.number(spent)} in, {text.number(total.output)} out"
        calls = sum(len(each.calls) for each, _ in self._transcript.sessions())
        return [
            ("project", session.project or ""),
            ("branch", session.git_branch or ""),
            ("session", session.session_id or ""),
            ("began", text.stamp(session.started)),
            ("took", length),
            ("ended", self._ended()),
            ("agent", " ".join([session.format or "", *session.versions[-1:]]).strip()),
            ("model", ", ".join(session.models[:4])),
            ("turns", str(len(self._turns))),
            ("calls", str(calls)),
            ("tokens", said if total.messages else ""),
        ]

    def _ended(self) -> str:
        """How, in a word."""
        liveness = self._forest.liveness
        judge = Court(self._transcript, liveness).judge(self._transcript.session)
        return ENDINGS[ending(self._transcript, judge, liveness).kind]

    def _index(self) -> Iterator[str]:
        """Links to the problems and to the turns."""
        found, opened = self._found, ""
        yield '<nav class="index" id="problems">\n'
        if found:
            opened = " open" if len(found) <= _MANY else ""
            yield f"<details{opened}><summary>{problems.summarize(found)}</summary>\n"
            yield from self._problems()
            yield "</details>\n"
        else:
            yield '<p class="dim">no problems</p>\n'
        if len(self._turns) > 1:
            yield f"<details><summary>{text.plural(len(self._turns), 'turn')}</summary>\n<ol>\n"
            for node in self._turns[:_MOST_TURNS]:
                words = self._ink.line(describe(node).text, 160) or "…"
                yield f'<li><a href="#{self._anchors[id(node.item)]}">{words}</a></li>\n'
            yield "</ol>\n"
            yield self._more(len(self._turns) - _MOST_TURNS)
            yield "</details>\n"
        yield "</nav>\n"

    def _problems(self) -> Iterator[str]:
        for kind, heading in problems.KINDS.items():
            of_kind = [problem for problem in self._found if problem.kind == kind]
            if of_kind:
                yield f"<h2>{heading}: {len(of_kind)}</h2>\n<ul>\n"
                yield from map(self._problem, of_kind[:_MOST_PROBLEMS])
                yield "</ul>\n"
                yield self._more(len(of_kind) - _MOST_PROBLEMS)

    def _problem(self, problem: Problem) -> str:
        words = self._ink.mask.beginning(problem.message[:400])  # before anything is taken out
        cwd = problem.session.cwd
        words = words.replace(f"{cwd}/", "") if cwd else words
        words = self._ink.line(_DRAWN.sub(r"\1\1\1", words), 160) or "…"
        anchor = self._anchors.get(id(problem.item))
        if anchor is not None:
            words = f'<a href="#{anchor}">{words}</a>'
        cause = self._ink.span("cause", problem.cause or "")
        where = f"line {problem.line}"
        if problem.file:
            where += f" of {self._ink.line(problem.file, 60)}"
        look = "missing" if problem.kind == "missing_result" else "failed"
        return f'<li class="{look}">{words} {cause} <span class="dim">{where}</span></li>\n'

    def _more(self, left: int) -> str:
        return f'<p class="more">and {left} more</p>\n' if left > 0 else ""

    def _footing(self) -> str:
        counts = self._transcript.session.counts
        words = [
            text.plural(counts.total, "record"),
            f"{counts.damaged} damaged" if counts.damaged else "",
            f"{counts.unknown} of unknown type" if counts.unknown else "",
            self._ink.line(os.path.basename(self._transcript.path), 120),
            self._ink.mask.told or "secrets are not masked",
            f"made by claude-view {__version__}",
        ]
        return " · ".join(word for word in words if word)

    # The conversation

    def _conversation(self) -> Iterator[str]:
        top = (*(self._forest.root.children or ()), *self._forest.rest)
        open = [_Open(None, iter(top), "")]
        while open:
            place = open[-1]
            node = next(place.inside, None)
            if node is None:
                yield place.end
                open.pop()
                continue
            if place.agent is not None and node.place[0] != 0:
                yield self._begin_agent(place.agent)
                place.end = "</div></details>\n" + place.end
                place.agent = None
            end = ""
            if not node.hidden or id(node.item) in self._anchors:
                end = yield from self._entries.begin(node)
            if not node.can_unfold:
                yield end
                continue
            if len(open) > _DEEP:
                yield end  # what is inside comes behind it
                end = ""
            agent = node.call.agent if node.call is not None and len(open) <= _DEEP else None
            open.append(_Open(node, iter(self._forest.children(node)), end, agent))

    def _begin_agent(self, agent: Agent) -> str:
        name = self._ink.line(agent_name(agent), 100)
        kind = self._ink.line(agent.type or "", 40)
        words = " · ".join(word for word in (name, kind) if word)
        steps = text.plural(agent.steps, "step") if agent.steps else ""
        return (
            '<details class="entry say"><summary><span class="name">what the sub-agent did</span> '
            f'<span class="what">{words}</span> <span class="state">{steps}</span></summary>'
            '<div class="in">\n'
        )
