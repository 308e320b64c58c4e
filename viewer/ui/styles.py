"""Names for looks. The looks themselves stand in styles/*.tcss, as component classes."""

from typing import ClassVar

from rich.style import Style
from textual.widget import Widget

NAMES = (
    "text prompt reply thinking name dim guide ok error missing running warning cursor cursor-blur"
    " match heading path pattern advice more media added removed added-line removed-line chip"
    " chip-off key brand live"
).split()


class Styled(Widget):
    """A widget that draws itself with named styles."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"look--{name}" for name in NAMES}

    _styles_by_name: dict[str, Style]

    def look(self, name: str) -> Style:
        known = self.__dict__.setdefault("_styles_by_name", {})
        if name not in known:
            known[name] = self._blended(f"look--{name}")
        style: Style = known[name]
        return style

    def _blended(self, component: str) -> Style:
        """Colours as they appear on this widget; a background only where the look has one."""
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
        self.__dict__.pop("_styles_by_name", None)
        super().notify_style_update()
