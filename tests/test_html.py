"""The page of a session: all of it is there, and nothing of it is more than text."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.acceptance.exports import benign
from tests.build import Chain
from tests.test_cli import claude_view, output
from viewer.document import document
from viewer.html import as_html
from viewer.html_ink import CHARACTERS, LINES, Ink
from viewer.html_markdown import inline, markdown
from viewer.load import load
from viewer.masks import Mask
from viewer.model import DEAD
from viewer.render import as_markdown, as_text
from viewer.resources import sample_sessions

SAMPLES = {path.stem[:8]: path for path in sorted(sample_sessions().glob("*/0*.jsonl"))}
# Made up; put together here so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
_VOID = {"meta", "br", "hr"}


class Outline(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pairs: set[tuple[str, str]] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.faults: list[str] = []
        self.deepest = 0
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"{tag} is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pairs |= {(tag, name) for name, _ in attrs} | {(tag, "")}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in _VOID:
            self._open.append(tag)
        self.deepest = max(self.deepest, len(self._open))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"{tag} is closed and was not open")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def page_of(chain: Chain, folder: Path, mask: Mask | None = None) -> str:
    return "".join(as_html(load(str(chain.write(folder / "s.jsonl"))), DEAD, mask))


@pytest.fixture(scope="module")
def allowed(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    page = "".join(as_html(load(str(benign(tmp_path_factory.mktemp("benign"))))))
    return Outline(page).pairs


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_of_every_sample_is_well_formed(name: str, allowed: set[tuple[str, str]]) -> None:
    outline = Outline("".join(as_html(load(str(SAMPLES[name])))))
    assert outline.faults == []
    assert len(outline.ids) == len(set(outline.ids))
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert outline.pairs - allowed == set()


def test_the_page_allows_itself_its_style_and_nothing_else(tmp_path: Path) -> None:
    page = page_of(Chain(), tmp_path)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (style,) = re.findall("<style>(.*?)</style>", page, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "<script" not in page
    assert "url(" not in style


PAYLOADS = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title></style></pre></details><svg/onload=alert(1)>",
    "[x](javascript:alert(1)) ![x](http://example.com/x.png) <http://example.com>",
    "```\"><script>\n</code></pre><script>1</script>\n```",
    "--><!-- ]]> &lt;b&gt; &#60;i&#62;",
    "\x1b]0;title\x07\u202e\x00",
)  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_of_a_transcript_becomes_part_of_the_page(
    payload: str, tmp_path: Path, allowed: set[tuple[str, str]]
) -> None:
    chain = Chain()
    chain.defaults = {"cwd": payload, "gitBranch": payload, "version": payload}
    chain.state("custom-title", customTitle=payload)
    chain.prompt(payload)
    chain.reply(f"{payload}\n- {payload}\n| {payload} |\n|---|\n| {payload} |\n> {payload}")
    chain.said({"type": "thinking", "thinking": payload})
    for number, tool in enumerate(
        ("Bash", "Edit", "Read", "TodoWrite", "WebFetch", "Task", payload, "mcp__" + payload)
    ):
        todos = [{"content": payload, "status": payload}]
        keys = ("command", "file_path", "old_string", "new_string", "url", "prompt", payload)
        chain.call(f"{number}{payload}", tool, todos=todos, **dict.fromkeys(keys, payload))
        structured = {"stdout": payload, "structuredPatch": [{"lines": ["+" + payload]}]}
        chain.result(f"{number}{payload}", payload, error=number % 2 == 0, toolUseResult=structured)
    hook = {"type": "hook_non_blocking_error", "hookEvent": payload, "hookName": payload}
    chain.add("attachment", attachment={**hook, "stderr": payload, "command": payload})
    chain.result(payload, payload)
    chain.state(payload, **{payload: payload})
    outline = Outline(page_of(chain, tmp_path))
    assert outline.pairs - allowed == set()
    assert outline.faults == []
    assert all(re.fullmatch(r"#?(?:[pt]\d+|problems)", each) for each in outline.ids)
    assert all(re.fullmatch(r"#(?:[pt]\d+|problems)", each) for each in outline.links)


def test_the_whole_conversation_is_there(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("first words " + "x " * 200 + "END-OF-PROMPT")
    chain.said({"type": "thinking", "thinking": "t " * 200 + "END-OF-THOUGHT"})
    chain.call("a", command="make\nEND-OF-COMMAND")
    chain.result("a", "Exit code 2\n" + "o " * 300 + "END-OF-RESULT", error=True)
    chain.call(
        "b", "Edit", file_path="/home/demo/a.py", old_string="OLD-LINE", new_string="NEW-LINE"
    )
    chain.result("b")
    chain.reply("r " * 200 + "**END-OF-REPLY**")
    chain.call("c", "Read", file_path="/x")
    chain.reply("on")
    page = page_of(chain, tmp_path)
    text = Outline(page).text
    for words in ("PROMPT", "THOUGHT", "COMMAND", "RESULT", "REPLY"):
        assert f"END-OF-{words}" in text
    assert "<del>-OLD-LINE\n</del><ins>+NEW-LINE\n</ins>" in page
    assert "<strong>END-OF-REPLY</strong>" in page
    assert "The command ended with an exit code other than 0." in text
    assert "1 failed call, 1 missing result" in text
    assert page.count('<a href="#p1">') == 1
    assert re.search(r'<details class="entry error" id="p1" open>', page)
    assert re.search(r'<details class="entry missing" id="p2" open>', page)


def test_sub_agents_are_folded_inside_their_calls() -> None:
    page = "".join(as_html(load(str(SAMPLES["00000010"]))))
    assert page.count("what the sub-agent did") >= 2
    assert Outline(page).faults == []


def test_images_are_named_and_not_included() -> None:
    page = "".join(as_html(load(str(SAMPLES["00000014"]))))
    assert "image image/png · 85 B · not included" in page
    assert "base64" not in page


def test_long_bodies_say_how_much_is_left_out(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("p")
    chain.call("a")
    chain.result("a", "\n".join(str(n) for n in range(LINES + 500)))
    chain.call("b")
    chain.result("b", "x" * (CHARACTERS + 100_000))
    page = page_of(chain, tmp_path)
    assert "… 500 more lines, not included" in page
    assert "… 100 kB more, not included" in page
    assert len(page) < 200_000


def test_depth_does_not_matter(tmp_path: Path) -> None:
    """Agents within agents, further than a browser draws: all are there, not all are inside."""
    main = Chain("main")
    main.prompt("go")
    main.call("t0", "Task", prompt="dig 0", description="level 0")
    main.result("t0", toolUseResult={"agentId": "a0"})
    path = main.write(tmp_path / "main.jsonl")
    for level in range(80):
        inner = Chain("main")
        inner.defaults = {"isSidechain": True, "agentId": f"a{level}"}
        inner.prompt(f"dig {level}")
        inner.call(f"t{level + 1}", "Task", prompt=f"dig {level + 1}", description="deeper")
        inner.result(f"t{level + 1}", toolUseResult={"agentId": f"a{level + 1}"})
        inner.reply(f"LEVEL-{level}-DONE")
        inner.write(tmp_path / "main" / "subagents" / f"agent-a{level}.jsonl")
    outline = Outline("".join(as_html(load(str(path)))))
    assert outline.faults == []
    assert all(f"LEVEL-{level}-DONE" in outline.text for level in range(80))
    assert outline.deepest < 150


def test_a_transcript_that_changed_since_is_still_a_page(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("hello")
    chain.call("a", command="make")
    chain.result("a")
    path = chain.write(tmp_path / "s.jsonl")
    transcript = load(str(path))
    path.write_bytes(b"")
    outline = Outline("".join(as_html(transcript)))
    assert outline.faults == []
    assert "hello" in outline.text
    assert "the file has changed since it was read" in outline.text


def test_what_comes_through_a_pipe_is_shown_whole(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("p")
    chain.call("a", command="make")
    chain.result("a", "x" * 400 + "END")
    data = chain.write(tmp_path / "s.jsonl").read_bytes()
    for stdin in (data, data.rstrip(b"\n")):
        assert "END" in output("show", "-", "--html", stdin=stdin)


def test_the_page_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    chain = Chain()
    chain.prompt("päge ❯")
    path = chain.write(tmp_path / "s.jsonl")
    ran = claude_view("show", path, "--html", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert "päge ❯" in ran.stdout.decode()


# Markdown


@pytest.mark.parametrize(
    "words, made",
    [
        ("a **b** c", "a <strong>b</strong> c"),
        ("*a* and _b_", "<em>a</em> and <em>b</em>"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"),
        ("**open", "**open"),
        ("**a *b* c**", "<strong>a <em>b</em> c</strong>"),
        ("**a *b** c*", "<strong>a *b</strong> c*"),
        ("~~old~~", "<del>old</del>"),
        ("`a*b*c` ``x`y``", "<code>a*b*c</code> <code>x`y</code>"),
        ("`open", "`open"),
        ("**use `x` now**", "<strong>use <code>x</code> now</strong>"),
        ("[t](http://x/?a=1&b=2)", 't <span class="url">http://x/?a=1&amp;b=2</span>'),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
    ],
)
def test_inline_markdown(words: str, made: str) -> None:
    assert inline(words) == made


@pytest.mark.parametrize(
    "words, made",
    [
        ("a\nb\n\nc", "<p>a\nb</p>\n<p>c</p>\n"),
        ("# One\ntext", "<h3>One</h3>\n<p>text</p>\n"),
        ("- a\n- b", "<ul><li>a</li>\n<li>b</li></ul>\n"),
        ("3. a\n4. b", '<ol start="3"><li>a</li>\n<li>b</li></ol>\n'),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul>\n</li>\n<li>c</li></ul>\n"),
        ("- a\n\nb", "<ul><li>a</li></ul>\n<p>b</p>\n"),
        ("```py\na <b>\n```\nc", "<pre><code>a &lt;b&gt;</code></pre>\n<p>c</p>\n"),
        ("````\n```\n````", "<pre><code>```</code></pre>\n"),
        ("```\nopen", "<pre><code>open</code></pre>\n"),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>\n"),
        ("---", "<hr>\n"),
        (
            "|a|b|\n|-|-|\n|1|2|",
            '<div class="wide"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n'
            "<tr><td>1</td><td>2</td></tr>\n</tbody></table></div>\n",
        ),
        ("a | b", "<p>a | b</p>\n"),
    ],
)
def test_blocks_of_markdown(words: str, made: str) -> None:
    assert "".join(markdown(words)) == made


@given(st.text(alphabet="ab1 \n\t*_~`[](){}|-#>+.<&\"'!", max_size=300))
def test_any_markdown_is_well_formed_and_keeps_its_words(words: str) -> None:
    outline = Outline("".join(markdown(words)))
    assert outline.faults == []
    for letter in "ab":
        assert outline.text.count(letter) >= words.count(letter) - words.count("```")


@pytest.mark.parametrize(
    "piece",
    [
        "`",
        "**a",
        "*",
        "_ ",
        "[",
        "[a](",
        "|",
        "- ",
        "> ",
        "#",
        "~~",
        "``a",
        "1. ",
        "| ",
        " -",
        "a ",
    ],
)
def test_markdown_is_linear(piece: str) -> None:
    made = sum(map(len, markdown(piece * (64_000 // len(piece)))))
    made += sum(map(len, markdown((piece * 20 + "\n") * 2000)))
    assert made > 0  # it came to an end


# Secrets


def session_with(secret: str) -> Chain:
    chain = Chain()
    chain.state("custom-title", customTitle=f"use {secret}")
    chain.prompt(f"the key is {secret}")
    chain.call("a", command=f"curl -H {secret}", **{f"x {secret}": "key of an input"})
    chain.result("a", f"Exit code 1\n{secret}", error=True, toolUseResult={"stderr": secret})
    chain.call("b", "Edit", file_path=f"/{secret}", old_string="a", new_string=secret)
    chain.result("b", toolUseResult={"structuredPatch": [{"lines": [f"+{secret}", " a"]}]})
    chain.call("c", "Read", file_path=f"/tmp/{secret}")
    chain.said({"type": "thinking", "thinking": secret})
    chain.reply(f"`{secret}`")
    chain.result("none", secret)
    chain.state("unheard-of", field=secret)
    return chain


def redacted(path: Path) -> dict[str, str]:
    transcript = load(str(path))
    return {
        "html": "".join(as_html(transcript)),
        "markdown": "\n".join(as_markdown(transcript, DEAD, Mask())),
        "text": "\n".join(as_text(transcript, DEAD, None, Mask())),
        "json": json.dumps(Mask().values(document(transcript))),
    }


@pytest.mark.parametrize(
    "written",
    [TOKEN, f"{TOKEN[:20]}\u200b{TOKEN[20:]}", f"\x1b[31m{TOKEN[:9]}\x1b[0m{TOKEN[9:]}"],
)
def test_a_secret_is_in_no_redacted_export(written: str, tmp_path: Path) -> None:
    path = session_with(written).write(tmp_path / "s.jsonl")
    for form, shown in redacted(path).items():
        assert TOKEN[4:] not in shown.replace("\\", ""), form
        assert "ghp_[masked]" in shown.replace("\\", ""), form


def test_the_lines_that_programs_draw_are_shortened_after_masking(tmp_path: Path) -> None:
    body = "A1b2C3d4" * 8
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----"
    path = session_with(key).write(tmp_path / "s.jsonl")
    for form, shown in redacted(path).items():
        assert body[:20] not in shown, form


@pytest.mark.parametrize("before", range(100, 160, 4))
def test_a_secret_that_was_cut_is_masked_too(before: int, tmp_path: Path) -> None:
    """Rows hold the first 160 characters of a text, messages 80 of a call's."""
    chain = Chain()
    words = ("word " * 40)[: before - 1]
    chain.prompt(f"{words} {TOKEN} and on")
    chain.call("a", command=f"{words[: before // 2]} {TOKEN} and on")
    chain.result("a", f"Exit code 1\n{words} {TOKEN}", error=True)
    path = chain.write(tmp_path / "s.jsonl")
    for form, shown in redacted(path).items():
        assert TOKEN[4:14] not in shown.replace("\\", ""), form


def test_a_secret_across_the_cut_of_a_body_is_masked() -> None:
    ink = Ink(Mask())
    shown, left = ink.cut("x " * (CHARACTERS // 2 - 8) + TOKEN + " y" * 40_000)
    assert TOKEN[4:8] not in shown
    assert left


@pytest.mark.parametrize(
    "words",
    ["hf_hub_download", "npm_config_registry", "sk-learn-toggleable", "task-abc1DEF2", "eyJ",
     "AKIA", "see https://localhost:8080", "pypi-publish"],
)  # fmt: skip
def test_words_that_only_begin_like_secrets_stay(words: str) -> None:
    assert Mask().beginning(words) == words


def test_masking_is_on_for_pages_and_off_for_the_rest(tmp_path: Path) -> None:
    path = session_with(TOKEN).write(tmp_path / "s.jsonl")
    for form, flag, masked in (
        ("--html", None, True), ("--html", "--no-redact", False), ("--html", "--redact", True),
        ("--json", None, False), ("--json", "--redact", True),
        ("--markdown", None, False), ("--markdown", "--redact", True),
        ("--text", None, False), ("--text", "--redact", True),
    ):  # fmt: skip
        shown = output("show", path, form, *([flag] if flag else [])).replace("\\", "")
        assert (TOKEN not in shown) == masked, (form, flag)
        assert ("secrets masked in" in shown or '"masked": ' in shown) == masked, (form, flag)


def test_json_without_secrets_is_the_same_but_for_the_count() -> None:
    path = SAMPLES["00000018"]
    shown: Any = document(load(str(path)))
    mask = Mask()
    assert mask.values(shown) == shown
    assert mask.count == 0
    assert mask.told == "no known secrets to mask"
