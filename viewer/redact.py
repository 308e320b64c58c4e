"""Known secrets out of a text that is to leave the machine.

Shapes only: a prefix that an issuer chose, its alphabet and its length. No entropy, no keywords:
what is masked is a credential, and what is no credential stays. A mask keeps the kind and nothing
of the secret: `ghp_[masked]`, `[masked RSA PRIVATE KEY]`. Masking what is masked changes nothing.

The text has passed `viewer.text.clean`: no invisible character or colour splits a secret. Every
pattern is linear, whatever the text holds: a match takes the whole run that it looked at, and
what is repeated is possessive or bounded.
"""

import re
from typing import NamedTuple


class Rule(NamedTuple):
    """One shape. A text without any of the cues cannot hold it; a cue ends in a rare literal."""

    cues: tuple[str, ...]
    pattern: re.Pattern[str]  # group 1 is kept; group 2, where it took part, proves the shape
    mask: str = r"\1[masked]"


# What may stand before a prefix though it looks like a letter: the end of an escape.
_ESCAPES = (
    r"\\[nrtbf]",
    r"\\u[0-9A-Fa-f]{4}",
    "%[0-9A-Fa-f]{2}",
    r"\^[A-Z]",
    r"\[[Km]",
    r"[\[;][0-9]m",
    r"[\[;][0-9]{2}m",
)


def _word(prefix: str) -> str:
    """A prefix, of fixed width, that begins a word.

    What stands before is looked at last, so that the search runs for the prefix as a literal."""
    before = (f"(?<![A-Za-z0-9]{prefix})", *(f"(?<={end}{prefix})" for end in _ESCAPES))
    return f"{prefix}(?:{'|'.join(before)})"


def _token(prefix: str, body: str, kind: str = "", cue: str = "") -> Rule:
    """A prefix, perhaps a kind, and a body of at least some length."""
    pattern = re.compile(f"({_word(prefix)}{kind})({body})", re.ASCII)
    return Rule((cue or prefix,), pattern)


_BASE64 = "[A-Za-z0-9+/=]"
_DASHES = "-{4,6}"
# Between the lines of a key: line ends, escaped or not, quotes, indents, line numbers.
_GAP = r"(?:\\[nrt]|[^A-Za-z0-9/=]|[0-9]{1,6}+(?![A-Za-z0-9+/=])){0,120}+"
_HEADERS = rf"(?:{_GAP}[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,200}}+)*+"
_WHOLE_KEY = (  # anything up to the end mark that has a line of a key in it
    rf"(?:[^A-Za-z0-9+/=-]++|-(?!---)|{_BASE64}{{1,31}}+(?!{_BASE64}))*+{_BASE64}{{32,}}+"
    rf"[^-]*+(?:-(?!---)[^-]*+)*+{_DASHES} ?END [A-Z0-9 ]{{0,40}}KEY(?: BLOCK)? ?{_DASHES}"
)
_CUT_KEY = (  # what looks like lines of a key; the last may be short, and so may be an only one
    rf"{_HEADERS}{_GAP}(?:{_BASE64}{{40,}}+(?:{_GAP}{_BASE64}{{16,}}+)*+"
    # ... and is no name of a field that happens to come next.
    rf"(?:{_GAP}{_BASE64}++(?=\s*\Z|[\\\"'\n])(?![\\\"']{{1,8}}\s{{0,4}}[:=]))?"
    rf"|{_BASE64}{{16,}}+(?=[^A-Za-z0-9]{{0,40}}\Z))"
)
_PEM = (
    rf"{_DASHES} ?BEGIN ([A-Z0-9 ]{{0,30}}PRIVATE KEY(?: BLOCK)?) ?{_DASHES}"
    f"({_WHOLE_KEY}|{_CUT_KEY})"
)
# A PEM file in base64, as in a kubeconfig: "-----BEGIN ", a kind, "PRIVATE".
_PEM64 = (
    "(LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFURS|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVEUg"
    f"|BFTkNSWVBURUQgUFJJVkFURS))({_BASE64}{{16,}}+)"
)
# Takes the first part alone as well, so that the next search begins behind it.
_JWT = rf"({_word('eyJ')})[\w-]{{10,}}+(\.[\w-]{{4,}}+\.[\w-]{{8,}}+(?:\.[\w-]{{8,}}+)*+)?"
_PASSWORD = r"""(://[^\s/:?#"'<>`\\]*+:)([^\s/?#"'<>`\\]+)(?=@)"""
_TELEGRAM = rf"((?:{_word('')}|(?<=bot))[0-9]{{8,10}}:AA)([\w-]{{33}})(?![\w-])"
_VALUE = "([A-Za-z0-9._~+/=-]{16,}+)"
# A quoted name has a quoted value; a bare value after a quoted name is an expression.
_IS = r"""(?:\\{0,8}["']\s{0,4}[:=,]\s{0,4}[bfr]?\\{0,8}["'`]|\s{0,4}[:=]\s{0,4}\\{0,8}["'`]?)"""
_BEARER = rf"([Aa](?i:uthorization){_IS}(?i:bearer|basic|token) {{1,4}}){_VALUE}"
_API_KEY = rf"([Xx]-(?i:api-key){_IS}){_VALUE}"
_AWS_SECRET = rf"((?i:secret_?access_?key)[\\\"'\s:=,>]{{1,12}})([A-Za-z0-9/+]{{40}})(?!{_BASE64})"

RULES = (
    Rule(("PRIVATE K",), re.compile(_PEM), r"[masked \1]"),
    Rule(("LS0tLS1CRUdJ",), re.compile(_PEM64)),
    _token("sk-", r"[\w-]{20,}", "(?:ant-(?:[a-z]{3,5}[0-9]{2}-)?|(?:proj|svcacct|admin|or-v1)-)"),
    _token("sk-", "[A-Za-z0-9]{32,}"),
    _token("gsk_", "[A-Za-z0-9]{48,}"),
    _token("xai-", "[A-Za-z0-9]{64,}"),
    _token("gh[pousr]_", "[A-Za-z0-9]{36,}"),
    _token("github_pat_", r"\w{36,}"),
    _token("glpat-", r"[\w-]{20,}(?:\.\w{2}\.\w+)?"),
    _token("A[KS]IA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule(("ecret_", "ECRET_", "ecretA"), re.compile(_AWS_SECRET)),
    _token("AIza", r"[\w-]{35,}", cue="AIz"),
    _token("GOCSPX-", r"[\w-]{28,}"),
    _token(r"ya29\.", r"[\w-]{20,}"),
    _token("1//0", r"[\w-]{40,}"),
    _token("xox[a-z]-", r"[A-Za-z0-9-]{20,}"),
    _token("xapp-", "[A-Za-z0-9-]{20,}"),
    _token(r"hooks\.slack\.com/", r"[\w/+-]{20,}", "[a-z]+/", cue=r"slack\."),
    _token("npm_", "[A-Za-z0-9]{36,}"),
    _token("pypi-", r"[\w-]{50,}", "AgE"),
    _token("hf_", "[A-Za-z0-9]{34,}"),
    _token("[sr]k_(?:live|test)_", "[A-Za-z0-9]{16,}"),
    _token("whsec_", "[A-Za-z0-9+/=]{32,}"),
    _token("sbp_", "[A-Za-z0-9]{40,}"),
    _token(r"SG\.", r"[\w-]{16,32}\.[\w-]{32,}"),
    _token("do[opr]_v1_", "[A-Za-z0-9]{64,}"),
    Rule((":AA",), re.compile(_TELEGRAM, re.ASCII)),
    Rule(("eyJ",), re.compile(_JWT, re.ASCII)),
    Rule(("@",), re.compile(_PASSWORD)),
    Rule(("uthoriz", "UTHORIZ"), re.compile(_BEARER)),
    Rule(("x-api-", "X-Api-", "X-API-"), re.compile(_API_KEY)),
)


def _cues() -> tuple[re.Pattern[str], list[str]]:
    """One pattern that finds the cues of all rules, and the cue of each of its groups.

    It stops only at the rare last characters and looks back from there: that is what makes text
    without secrets cheap."""
    endings: dict[str, list[str]] = {}
    for cue in dict.fromkeys(cue for rule in RULES for cue in rule.cues):
        endings.setdefault(cue[-1], []).append(cue)
    pattern = "|".join(
        re.escape(last) + "(?:" + "|".join(f"(?<=({cue}))" for cue in cues) + ")"
        for last, cues in endings.items()
    )
    return re.compile(pattern), ["", *(cue for cues in endings.values() for cue in cues)]


_ANY_CUE, _CUE_OF_GROUP = _cues()

_PLACEHOLDER = re.compile(
    r"(?:[a-z]++[-_.]++)+[a-z]++|(?:[A-Z]++[-_.]++)+[A-Z]++"  # your-key-here, YOUR_KEY, env.key
    r"|.*EXAMPLE(?:KEY)?|.*\[masked\]"
    r"|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%s|%\w+%|[*.•…]+"
    r"|[$%]?(?:\{.*\}|\(.*\)s?|\[.*\])"  # ${NAME}, {name}, %(name)s, [NAME]
)


def _placeholder(secret: str) -> bool:
    different = len(set(secret) - set("-_./+="))
    return different <= max(1, min(4, len(secret) // 4)) or bool(_PLACEHOLDER.fullmatch(secret))


def redact(text: str) -> tuple[str, int]:
    """A cleaned text with every secret masked, and how many were."""
    if _ANY_CUE.search(text) is None:
        return text, 0
    found = {_CUE_OF_GROUP[match.lastindex or 0] for match in _ANY_CUE.finditer(text)}
    count = 0
    for rule in RULES:
        if found.isdisjoint(rule.cues):
            continue

        def masked(match: re.Match[str], mask: str = rule.mask) -> str:
            nonlocal count
            if not match[2] or _placeholder(match[2]):
                return match[0]
            count += 1
            return match.expand(mask)

        text = rule.pattern.sub(masked, text)
    return text, count


class Redactor:
    """Masks the secrets of many texts and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, text: str) -> str:
        text, count = redact(text)
        self.count += count
        return text
