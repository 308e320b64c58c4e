"""Every hostile case as an export: `make exports`.

Each is written as a page, as Markdown and as data, with secrets masked. The page may hold nothing
that the page of a harmless session does not hold (export_oracle.py), and none of the three a secret
of the case. Then the masks in exports of the corpus are counted: it holds few secrets or none, so
there must be less than one in a megabyte. Where Chromium is installed, it opens a sample and a
session of the corpus, wide and phone-wide: neither may ask for anything or log an error.

usage: python -m tests.acceptance.exports [--pictures FOLDER]
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.acceptance import browser
from tests.acceptance.corpus import transcripts
from tests.acceptance.hostile import case_path
from tests.acceptance.shared import CORPUS, SHARED, module, must_exist
from tests.build import Chain
from viewer.document import document, dump
from viewer.html import as_html
from viewer.load import Transcript, load
from viewer.masks import Mask
from viewer.model import DEAD
from viewer.render import as_markdown
from viewer.resources import sample_sessions

SECONDS = 5.0
_LINKS = 40
Oracle = Callable[[str, str], list[str]]

_MARKDOWN = """# One
## Two
### Three
#### Four
A **bold** and *italic* ~~struck~~ `code` [link](https://example.com) text.

- item
  - inside
1. first

> quoted

---
| a | b |
|---|---|
| 1 | 2 |

```python
print()
```
"""


def benign(folder: Path) -> Path:
    """A harmless session whose page has every element and attribute that a page can have."""
    chain = Chain("benign")
    chain.prompt(_MARKDOWN)
    chain.said({"type": "thinking", "thinking": "so"})
    chain.reply("long\n" * 3000)
    chain.call("a", "Edit", file_path="/home/demo/a.py", old_string="a\nb", new_string="a\nc")
    patch = [{"oldStart": 1, "newStart": 1, "lines": [" a", "-b", "+c"]}]
    chain.result("a", toolUseResult={"structuredPatch": patch})
    chain.call("b", "TodoWrite", todos=[{"content": "x", "status": "completed"}])
    chain.result("b")
    chain.call("c", command="make")
    chain.result("c", "Exit code 2", error=True)
    for id in "de":
        chain.call(id, "Read", file_path="/home/demo/x")
    hook = {"hookEvent": "PreToolUse", "hookName": "PreToolUse:Bash", "toolUseID": "c"}
    chain.add("attachment", attachment={"type": "hook_success", "stdout": "fine\n", **hook})
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    chain.call("f", "Read", file_path="/home/demo/p.png")
    image: dict[str, Any] = {"type": "tool_result", "tool_use_id": "f", "is_error": False}
    image["content"] = [{"type": "image", "source": source}]
    chain.add("user", message={"role": "user", "content": [image]})
    chain.result("nowhere", "an orphan")
    chain.prompt("<command-name>/x</command-name> and so on")
    hook["toolUseID"] = "none"
    failed = {"type": "hook_non_blocking_error", "stderr": "no", "exitCode": 1, "command": "lint"}
    chain.add("attachment", attachment={**failed, **hook})
    chain.state("never-heard-of", field=1)
    path = chain.write(folder / "benign.jsonl")
    with path.open("ab") as file:
        file.write(b"this is no JSON\n")
    return path


def exports(transcript: Transcript) -> Iterator[tuple[str, str]]:
    """A session in every form, with its secrets masked."""
    yield "html", "".join(as_html(transcript))
    yield "markdown", "\n".join(as_markdown(transcript, DEAD, Mask()))
    yield "json", dump(Mask().values(document(transcript)))


def check_case(path: str, expect: dict[str, Any], oracle: Oracle, baseline: str) -> list[str]:
    begun = time.monotonic()
    faults: list[str] = []
    for form, shown in exports(load(path)):
        if form == "html":
            faults += oracle(shown, baseline)
        if odd := re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown):
            faults.append(f"{form}: {odd[0]!r} is not cleaned")
        for secret in expect.get("export_redacted_absent", ()):
            # Whatever the form writes in between: escapes, line ends, tags.
            parts = [part for part in re.split(r"\s+|://|@", secret) if len(part) >= 16]
            if secret in shown or any(part in shown for part in parts if "BEGIN" not in part):
                faults.append(f"{form}: a secret is there")
    if (took := time.monotonic() - begun) > SECONDS:
        faults.append(f"took {took:.1f} s")
    return faults


def cases(folder: Path) -> list[dict[str, Any]]:
    generator = must_exist(SHARED / "hostile" / "gen_hostile.py")
    subprocess.run([sys.executable, generator, folder], check=True, stdout=subprocess.DEVNULL)
    found: list[dict[str, Any]] = json.loads((folder / "MANIFEST.json").read_text())["cases"]
    return found


def check_hostile(folder: Path, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, list[str]]:
    """What is wrong, by case; and under "" how many were looked at."""
    oracle: Oracle = module(SHARED / "hostile" / "export_oracle.py").html
    baseline = "".join(as_html(load(str(benign(folder)))))
    faults: dict[str, list[str]] = {}
    looked = 0
    for case in filter(wanted, cases(folder / "cases")):
        looked += 1
        try:
            found = check_case(case_path(folder / "cases", case), case["expect"], oracle, baseline)
        except Exception:
            found = [traceback.format_exc()]
        if found:
            faults[case["id"]] = found
    faults[""] = [str(looked)]
    return faults


def count_masks(folder: Path) -> tuple[int, float, list[str]]:
    """How many masks the pages of the corpus have, in how many megabytes, and what they hide."""
    masks, size, shown = 0, 0, []
    for path in transcripts(folder):
        size += path.stat().st_size
        mask = Mask()
        page = "".join(as_html(load(str(path)), DEAD, mask))
        masks += mask.count
        if mask.count:
            places = re.findall(r".{0,40}\[masked[^\]]{0,40}\]", page)
            shown += [f"{path.name}: {place}" for place in places]
    return masks, size / 1e6, shown


def look(page: Path, pictures: Path | None) -> list[str]:
    """What a browser has to say of a page."""
    faults: list[str] = []
    with browser.Browser() as chromium:
        for width, height in ((1400, 1000), (390, 900)):
            chromium.open(page, width=width, height=height)
            faults += [f"asked for {url}" for url in chromium.requests()]
            faults += [f"logged {said}" for said in chromium.complaints()]
            across = chromium.value("document.documentElement.scrollWidth")
            if across > width:
                faults.append(f"is {across} wide in a window of {width}")
            if not chromium.value("getComputedStyle(document.body).maxWidth").endswith("px"):
                faults.append("its style was refused")
            if pictures is not None:
                chromium.picture(pictures / f"{page.stem}-{width}.png")
                chromium.picture(pictures / f"{page.stem}-{width}-dark.png", dark=True)
        # Links lead to where they say, through all that is folded.
        for name in chromium.value("[...document.links].map(each => each.hash)")[:_LINKS]:
            chromium.open(page, name)
            visible = f"document.querySelector({json.dumps(name)})?.checkVisibility()"
            if not chromium.value(visible):
                faults.append(f"{name} leads nowhere")
    return faults


def check_browser(folder: Path, pictures: Path | None) -> Iterator[str]:
    sample = next(sample_sessions().glob("*/00000018*.jsonl"))
    sizes = {path: path.stat().st_size for path in transcripts(CORPUS) if path.suffix == ".jsonl"}
    middling = min(sizes, key=lambda path: abs(sizes[path] - 1_000_000))
    for path in (sample, middling):
        page = folder / f"{path.stem[:8]}.html"
        page.write_text("".join(as_html(load(str(path)))), encoding="utf-8")
        yield from (f"{path.name}: {fault}" for fault in look(page, pictures))


def main() -> int:
    pictures = Path(sys.argv[2]) if sys.argv[1:2] == ["--pictures"] else None
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        faults = check_hostile(folder, lambda _: True)
        (looked,) = faults.pop("")
        for id, found in faults.items():
            print(f"{id}:", *found, sep="\n  ")
        print(f"{looked} hostile cases; {len(faults)} wrong")
        wrong += len(faults)
        masks, megabytes, shown = count_masks(must_exist(CORPUS))
        print(*shown, sep="\n")
        print(f"{masks} masks in {megabytes:.0f} MB of real transcripts")
        wrong += masks >= megabytes
        if browser.CHROMIUM is None:
            print("no Chromium here: the pages were not looked at")
        else:
            complaints = list(check_browser(folder, pictures))
            print(*complaints, sep="\n")
            print(f"in Chromium: {len(complaints)} complaints")
            wrong += len(complaints)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
