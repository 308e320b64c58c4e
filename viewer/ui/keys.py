"""The keys of the reader: the one table that help, palette and README speak of."""

from textual.binding import Binding

from viewer.nodes import CATEGORIES

KEYS: list[Binding] = [
    Binding("j,down", "move(1)", "Move down", id="down"),
    Binding("k,up", "move(-1)", "Move up", id="up"),
    Binding("g,home", "first", "Go to the first row", id="first"),
    Binding("G,end", "last", "Go to the last row and follow what comes", id="last"),
    Binding("F", "follow", "Follow: stay at the end", id="follow"),
    Binding("f", "newer", "Follow the newer session that started here", id="newer"),
    Binding("pagedown,ctrl+f", "page(1.0)", "Page down", id="page_down"),
    Binding("pageup,ctrl+b", "page(-1.0)", "Page up", id="page_up"),
    Binding("ctrl+d", "page(0.5)", "Half a page down", id="half_down"),
    Binding("ctrl+u", "page(-0.5)", "Half a page up", id="half_up"),
    Binding("h,left", "leave", "Fold, or go to what holds it", id="leave"),
    Binding("l,right", "enter", "Unfold, or go into it", id="enter"),
    Binding("space", "fold", "Fold or unfold", id="toggle"),
    Binding("enter", "open", "Read the detail", id="open"),
    Binding("left_curly_bracket", "turn(-1)", "Previous prompt", id="turn_before",
            key_display="{"),
    Binding("right_curly_bracket", "turn(1)", "Next prompt", id="turn", key_display="}"),
    Binding("e", "problem(1,'any')", "Next problem", id="error"),
    Binding("E", "problem(-1,'any')", "Previous problem", id="error_before"),
    Binding("w", "problem(1,'missing')", "Next missing result", id="missing"),
    Binding("W", "problem(-1,'missing')", "Previous missing result", id="missing_before"),
    Binding("b", "branch", "Next branch", id="branch"),
    Binding("p", "parent", "Go to the record before it, its parent", id="parent"),
    Binding("s", "agent", "Go into its sub-agent", id="agent"),
    Binding("slash", "find", "Find text", id="find", key_display="/"),
    Binding("n", "hit(1)", "Next hit", id="hit"),
    Binding("N", "hit(-1)", "Previous hit", id="hit_before"),
    Binding("ampersand", "only_hits", "Show only hits", id="only", key_display="&"),
    *(Binding(str(number), f"chip({number})", f"Show or hide {name}", id=f"chip_{number}")
      for number, name in enumerate(CATEGORIES, 1)),
    Binding("0", "all", "Show everything; again: the bulk too", id="all"),
    Binding("tab", "other_pane", "Other pane", id="pane", priority=True),
    Binding("z", "zoom", "Zoom the pane", id="zoom"),
    Binding("left_square_bracket", "tab(-1)", "Previous tab", id="tab_before", key_display="["),
    Binding("right_square_bracket", "tab(1)", "Next tab", id="tab", key_display="]"),
    Binding("y", "copy_text", "Copy the text", id="copy"),
    Binding("Y", "copy_json", "Copy the JSON line", id="copy_json"),
    Binding("o", "pager", "Open in $PAGER", id="pager"),
    Binding("O", "editor", "Open the file in $EDITOR", id="editor"),
    Binding("r", "copy_resume", "Copy the resume command", id="resume"),
    Binding("T", "times", "Clock, elapsed or delta times", id="times"),
    Binding("t", "files", "Files that it touched", id="files"),
    Binding("S", "summary", "Summary: what happened", id="summary"),
    Binding("R", "recovery", "Go to what made it good, or to what it made good", id="recovery"),
    Binding("exclamation_mark", "problems", "All problems", id="problems", key_display="!"),
    Binding("question_mark", "help", "Help", id="help", key_display="?"),
    Binding("colon,ctrl+p", "palette", "Commands; a number goes to that line", id="palette",
            key_display=":"),
    Binding("escape", "back", "Back; from the outline to the list of sessions", id="back"),
    Binding("q", "quit", "Quit", id="quit"),
]  # fmt: skip


def key_words(binding: Binding) -> str:
    """A binding's keys as they stand on a keyboard."""
    return binding.key_display or binding.key.replace(",", " ")
