"""Names for looks. The looks themselves stand in styles/app.tcss, as component classes.

One set for each screen, not one for each widget: every component class of every widget costs time
when the program starts.
"""

from typing import ClassVar

from rich.style import Style
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

NAMES = (
    "text prompt reply thinking name dim guide ok error missing running warning cursor cursor-blur"
    " match heading path pattern advice more media added removed added-line removed-line chip"
    " chip-off key brand"
).split()


class PlainScrollBar(ScrollBarRender):
    """A scrollbar of blanks, for terminals without block characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


class Looks(Widget):
    """A screen that knows the looks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"look--{name}" for name in NAMES}

    def look(self, name: str) -> Style:
        known: dict[str, Style] = self.__dict__.setdefault("_looks", {})
        if name not in known:
            known[name] = self._blended(f"look--{name}")
        return known[name]

    def _blended(self, component: str) -> Style:
        """Colours as they appear on the screen; a background only where the look has one."""
        whole = self.get_component_rich_style(component)
        has_background = self.get_component_styles(component).has_rule("background")
        return Style(
            color=whole.color,
            bgcolor=whole.bgcolor if has_background else None,
            bold=whole.bold,
            italic=whole.italic,
            underline=whole.underline,
        )

    def notify_style_update(self) -> None:
        self.__dict__.pop("_looks", None)
        super().notify_style_update()


class Styled(Widget):
    """A widget that draws itself with the looks of its screen."""

    def look(self, name: str) -> Style:
        screen = self.screen
        return screen.look(name) if isinstance(screen, Looks) else Style()
