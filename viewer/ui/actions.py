"""The command palette."""

from collections.abc import Awaitable, Callable

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider


class Actions(Provider):
    """Every action of the reader in the command palette; a number goes to that line."""

    def _bindings(self) -> list[Binding]:
        reader = self.screen
        return [b for b in getattr(type(reader), "BINDINGS", ()) if isinstance(b, Binding)]

    async def discover(self) -> Hits:
        for binding in self._bindings():
            yield DiscoveryHit(binding.description, self._run(binding), help=_keys(binding))

    async def search(self, query: str) -> Hits:
        if query.strip(": ").isdigit():
            line = int(query.strip(": ")[:12])
            action = f"go_to_line({line})"
            yield Hit(1000, f"Go to line {line}", lambda: self.screen.run_action(action))
        matcher = self.matcher(query)
        for binding in self._bindings():
            score = matcher.match(binding.description)
            if score > 0:
                shown = matcher.highlight(binding.description)
                yield Hit(score, shown, self._run(binding), help=_keys(binding))

    def _run(self, binding: Binding) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            await self.screen.run_action(binding.action)

        return run


def _keys(binding: Binding) -> str:
    return f"key {binding.key_display or binding.key}"
