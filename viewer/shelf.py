"""What of the list of sessions is seen: the chosen project, the filter, the order, the cursor."""

import os

from viewer.catalogue import Catalogue, Listed, Project, by_project
from viewer.projects import containing

SORTS = ("newest first", "most problems first", "largest first", "by title")


class Shelf:
    def __init__(self, catalogue: Catalogue, folder: str | None = None) -> None:
        self.catalogue = catalogue
        self.projects: list[Project] = []  # those with sessions that pass the filter
        self.sessions: list[Listed] = []  # of the chosen project, in order
        self.project: str | None = None  # None for all of them
        self.words = ""  # what is filtered by
        self.sort = SORTS[0]
        self.current: Listed | None = None
        self._here = containing(folder) if folder is not None else []
        self._chosen = False  # the user has chosen a project

    def update(self) -> None:
        """Bring everything up to date with the catalogue. The cursor stays on its session."""
        passing = [each for each in self.catalogue.sessions if self._passes(each)]
        self.projects = by_project(passing)
        if not self._chosen:
            self.project = self._own_project()
        paths = {project.path for project in self.projects}
        shown = self.project if self.project in paths else None
        sessions = [each for each in passing if shown is None or each.project == shown]
        self.sessions = self._sorted(sessions)
        if self.current is None or not any(each is self.current for each in self.sessions):
            self.current = self.sessions[0] if self.sessions else None

    def _passes(self, listed: Listed) -> bool:
        if not self.words:
            return True
        file = listed.file
        texts = (file.title, file.branch, file.id, listed.project, listed.state, file.agent)
        whole = " ".join(text for text in texts if text).casefold()
        return all(word in whole for word in self.words.casefold().split())

    def _sorted(self, sessions: list[Listed]) -> list[Listed]:
        match self.sort:
            case "most problems first":
                return sorted(sessions, key=lambda each: -sum(each.problems or (0, 0)))
            case "largest first":
                return sorted(sessions, key=lambda each: -each.file.size)
            case "by title":
                return sorted(sessions, key=lambda each: (each.file.title or "~").casefold())
        return sessions

    def _own_project(self) -> str | None:
        """The project that the user stands in."""
        known = {os.path.normpath(project.path): project.path for project in self.projects}
        return next((known[folder] for folder in self._here if folder in known), None)

    # Choosing

    def choose_project(self, index: int) -> None:
        """The first line stands for all projects."""
        self._chosen = True
        self.project = self.projects[index - 1].path if 0 < index <= len(self.projects) else None
        self.current = None
        self.update()

    @property
    def project_index(self) -> int:
        paths = [project.path for project in self.projects]
        return paths.index(self.project) + 1 if self.project in paths else 0

    @property
    def index(self) -> int:
        found = (n for n, each in enumerate(self.sessions) if each is self.current)
        return next(found, 0)

    def move(self, index: int) -> None:
        if self.sessions:
            self.current = self.sessions[max(0, min(index, len(self.sessions) - 1))]

    def next_sort(self) -> None:
        self.sort = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
        self.update()

    def filter(self, words: str) -> None:
        self.words = words
        self.update()
