"""Makes the pictures of pages for the docs: `make screenshots`, or `python tools/screenshots.py [FOLDER] [NAME]...`.

The pages are those of a made-up collection of skills with some faults, opened in Chromium (`.ci/debian-packages
chromium`). The pixels depend on the fonts and the browser of the machine, so nothing compares them: the tests only try
that the script works.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import browser  # noqa: E402

IMAGES = ROOT / "docs/images"
MAX = 150_000
"""Bytes of a picture."""

_NEEDS = {
    "review-pull-request": ("read-diff", "run-tests", "house-style"),
    "release-notes": ("read-diff", "house-style", "name-versions"),
    "publish-release": ("release-notes", "run-tests", "sign-archive"),
    "read-diff": (),
    "run-tests": ("start-services",),
    "start-services": ("read-logs",),
    "read-logs": (),
    "triage-issue": ("read-logs", "find-owner"),
    "find-owner": (),
    "answer-ticket": ("triage-issue", "house-style", "translate-page"),
    "house-style": (),
    "name-versions": (),
    "translate-page": ("keep-glossary",),
    "keep-glossary": ("translate-page",),
    "weekly-report": ("query-metrics", "draw-chart", "house-style"),
    "query-metrics": (),
    "draw-chart": (),
    "onboard-colleague": ("find-owner", "answer-ticket"),
}
_BODIES = {
    "read-diff": "1. Run `./scripts/diff.sh` and read [how to read it](references/reading.md).\n",
    "weekly-report": "1. Take the numbers of [last week](reports/last.md).\n2. See [the layout](#layout).\n",
    "answer-ticket": "1. Read [the tone](references/tone.md) and [the limits](references/limits.md) first.\n",
    "translate-page": "1. Keep [terms](../keep-glossary/references/terms.md) as they are.\n",
}
_METADATA = {"run-tests": "metadata:\n  version: 1.10\n", "draw-chart": "version: 2.0\n", "find-owner": "name: owner\n"}


class Picture(NamedTuple):
    """A page's picture: the command that writes the page, and how the page is opened."""

    name: str
    command: tuple[str, ...]
    """Run in the folder that has `skills/` and `examples/`; `{page}` stands for the file of the page."""
    scheme: Literal["dark", "light"] = "light"
    height: int = 860
    page: str = "page.html"


PICTURES = (
    Picture("report", ("check", "skills", "--format", "html", "-o", "{page}")),
    Picture("report-dark", ("check", "skills", "--format", "html", "-o", "{page}"), "dark"),
    Picture("graph", ("tree", "--format", "html", "-o", "{page}")),
    Picture("audit", ("audit", "skills", "examples", "--out", "{page}"), page="summary.html"),
    Picture("matrix", ("conformance", "--html", "{page}")),
)


def write_skills(folder: Path) -> None:
    """The collection: skills that need each other, one of them missing, two in a cycle, a few with faults."""
    for name, needed in _NEEDS.items():
        words = name.replace("-", " ")
        front = _METADATA.get(name, "")
        title = "" if front.startswith("name:") else f"name: {name}\n"
        needs = "dependencies:\n" + "".join(f"  - name: {one}\n" for one in needed) if needed else ""
        head = f"{title}description: {words.capitalize()} as our team does. Use when asked to {words}.\n{front}{needs}"
        body = _BODIES.get(name, f"1. Ask what to {words}.\n2. Do it, and say what was done.\n")
        path = folder / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\n{head}---\n\n# {words.capitalize()}\n\n{body}", "utf-8")


def take(chromium: Browser, picture: Picture, team: Path, work: Path) -> bytes:
    """The picture as a PNG."""
    page = work / picture.name / picture.page
    page.parent.mkdir()
    written = page.parent if picture.page != "page.html" else page
    words = [word.format(page=written) for word in picture.command]
    command = [sys.executable, "-m", "skillbag", *words]
    done = subprocess.run(command, cwd=team, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"skillbag {' '.join(words)} exited with {done.returncode}: {done.stderr}")
    context = chromium.new_context(
        viewport={"width": 1200, "height": picture.height}, color_scheme=picture.scheme, reduced_motion="reduce"
    )
    shown = context.new_page()
    shown.goto(page.as_uri())
    shown.wait_for_load_state("networkidle")
    taken = shown.screenshot(animations="disabled")
    context.close()
    return taken


def pictures(names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Each picture of these names, or all, with its file name."""
    with tempfile.TemporaryDirectory() as temporary, browser() as chromium:
        team = Path(temporary) / "team"
        write_skills(team / "skills")
        shutil.copytree(ROOT / "examples", team / "examples")
        for picture in PICTURES:
            if not names or picture.name in names:
                yield f"{picture.name}.png", take(chromium, picture, team, Path(temporary))


def main(arguments: list[str]) -> int:
    """Write the pictures; returns the exit code."""
    folder = Path(arguments[0]) if arguments else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    large = 0
    for name, taken in pictures(arguments[1:]):
        (folder / name).write_bytes(taken)
        large += len(taken) > MAX
        print(f"{name}: {len(taken):,} bytes{', too large' if len(taken) > MAX else ''}")
    return int(large > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
