"""Our own glyphs for terminals that have none."""

_ASCII = str.maketrans(
    "❯◦▪⋯‣↳·┄├┊■✗✓∅…▾▸▌│╭╰→−“”┃●—–×",
    '>o*.>\\-~|:#x+0.v>|||`>-""|*--x',
)


def ascii_only(words: str) -> str:
    """Words with other glyphs."""
    return words.translate(_ASCII)
