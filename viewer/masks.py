"""Secrets kept out of what leaves the machine: in whole texts, and in beginnings of texts.

The model keeps only the first characters of a text, and a row shows fewer still. A secret that was
cut there has lost the length that tells it from other words, so in beginnings its prefix and some
characters that look random are enough.
"""

import re

from viewer import text

_PREFIXES = (
    "sk-(?:ant-(?:[a-z]{3,5}[0-9]{2}-)?|(?:proj|svcacct|admin|or-v1)-)?",
    *("gh[pousr]_", "github_pat_", "glpat-", "gsk_", "xai-", "AIza", "GOCSPX-", r"ya29\.", "1//0"),
    *("xox[a-z]-", "xapp-", "npm_", "pypi-AgE", "hf_", "[sr]k_(?:live|test)_", "whsec_", "sbp_"),
    *(r"SG\.", "do[opr]_v1_", "eyJ", "A[KS]IA", "[0-9]{8,10}:AA"),
)
_CUT = re.compile(rf"((?<![A-Za-z0-9])(?:{'|'.join(_PREFIXES)}))([A-Za-z0-9_.+/=-]{{6,}}+)")
_CUT_VALUE = re.compile(
    r"((?i:authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"'`]?(?i:bearer|basic|token) {1,4}"
    r"|(?i:secret_?access_?key)[\"'\s:=,>]{1,12}|://[^\s/:?#\"'<>@]{0,60}:(?![0-9]{1,5}\b))"
    r"([^\s/?#\"'<>`\\@\[]{4,}+)(?=\Z|…|: )"
)
_CLASSES = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


class Mask:
    """Cleans foreign text, masks the secrets in it where that is asked for, and counts them."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self.count = 0

    def whole(self, words: str) -> str:
        """A text of which nothing is missing, or only a good deal after what is shown."""
        words = text.clean(words)
        if not self.on:
            return words
        from viewer.redact import redact  # its many patterns are for those who mask

        words, count = redact(words)
        self.count += count
        return words

    def beginning(self, words: str) -> str:
        """A text that may have been cut, at its end or where words were put together."""
        words = self.whole(words)
        if not self.on:
            return words
        return _CUT_VALUE.sub(self._cut, _CUT.sub(self._cut, words))

    def _cut(self, match: re.Match[str]) -> str:
        if sum(bool(each.search(match[2])) for each in _CLASSES) < 2:
            return match[0]
        self.count += 1
        return f"{match[1]}[masked]"

    def values(self, value: object) -> object:
        """Any JSON value with the secrets in its strings masked; other strings stay as they are."""
        if isinstance(value, str):
            masked = self.beginning(value)
            return value if masked == text.clean(value) else masked
        if isinstance(value, dict):
            return {self.values(key): self.values(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.values(each) for each in value]
        return value

    @property
    def told(self) -> str:
        """What a reader should know of it."""
        if not self.on:
            return ""
        if not self.count:
            return "no known secrets to mask"
        return f"secrets masked in {text.plural(self.count, 'place')}"
