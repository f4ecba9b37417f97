"""Folders of skills whose reports are opened in the browser, and these reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support import Run, skill

MakePage = Callable[[Mapping[str, str]], Path]
PAYLOAD = "window.executed = 1"
MARKUP = f'"><img src=x onerror="{PAYLOAD}"><script>{PAYLOAD}</script>'
INVISIBLE = "\x1b]0;x\x07\u202e\u2066\u200b"

FAULTY = {
    "skills/paint/SKILL.md": (
        "---\nname: painting\ndescription: Paint a wall.\nversion: 1.10\n---\n\n[Colors](colors.md)\n"
    ),
    "skills/tidy/SKILL.md": skill("tidy") + "\nSee [one](one.md),\n[two](two.md),\n[Bäume](bäume.md).\n",
    "skills/sound/SKILL.md": skill("sound"),
}
"""Three skills: one with an error, one with broken links, one without findings."""


def page_of(run: Run, folder: Path, *options: str) -> Path:
    """The report of a check of `folder`, as a file beside it."""
    shown = run("check", folder, "--format", "html", *options)
    assert shown.code in (0, 1), shown.err
    page = folder.parent / "report.html"
    page.write_text(shown.out, "utf-8")
    return page


def hostile() -> dict[str, str]:
    """Names, keys, links and lines that a page which does not escape them would execute."""
    name = MARKUP.replace("/", "_")
    text = (
        f"---\nname: '{MARKUP}'\ndescription: '</script><!-- {{{{ 7 * 7 }}}} ]]> {MARKUP}'\n"
        f"{MARKUP}: x\nonclick: javascript:{PAYLOAD}\n---\n\n"
        f"[a](javascript:{PAYLOAD.replace(' ', '')})\n[b](gone.md?{MARKUP.replace(' ', '')})\n"
        f"[c](<data:text/html,{MARKUP.replace('>', '')}>)\n"
        f"[d](gone-`x`-{INVISIBLE[-2:]}.md) {INVISIBLE}\n"
    )
    return {f"skills/{name}/SKILL.md": text, "skills/__proto__/SKILL.md": text, "skills/constructor/SKILL.md": text}
