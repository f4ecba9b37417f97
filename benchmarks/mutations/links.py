"""Faults of links and of paths in prose."""

from __future__ import annotations

import re
from random import Random

from mutations.edits import adds, says
from mutations.kinds import MAIN, Broken, Kind, Place, Skill, Way

_LINKED = re.compile(r"\]\(([\w./-]+\.(?:md|py|sh))\)")
_GUIDE = {"references/guide.md": "# Guide\n\n## First steps\n\nRead the report, then write the summary.\n"}


def _renamed(skill: Skill, random: Random) -> Broken | None:
    """A file that the instructions link gets another name."""
    linked = sorted({path for path in _LINKED.findall(skill.text) if path in skill.files and path != MAIN})
    if not linked:
        return None
    path = random.choice(linked)
    lines = skill.text.split("\n")
    at = next(number for number, line in enumerate(lines, 1) if f"]({path})" in line)
    stem, _, suffix = path.rpartition(".")
    return Broken(skill.without(path).but({f"{stem}-new.{suffix}": skill.files[path]}), (Place(MAIN, at, at),))


def _symbolic(path: str, target: str) -> Way:
    def way(skill: Skill, random: Random) -> Broken | None:
        broken = says(f"Read [the guide]({path}) first.")(skill, random)
        return broken and Broken(broken.skill._replace(links={path: target}), (Place(""),))

    return way


def _links(name: str, *ways: str | Way) -> Kind:
    return Kind(name, "links", tuple(says(way, _GUIDE) if isinstance(way, str) else way for way in ways))


def _paths(name: str, *texts: str, files: dict[str, str] | None = None) -> Kind:
    there = files or {"references/set-up.md": "# Setting up\n", "scripts/check.py": "print('checked')\n"}
    return Kind(name, "paths", tuple(says(text, dict(there)) for text in texts))


KINDS = (
    _links(
        "link-broken",
        "Read [the guide](references/gude.md) before you start.",
        "Read [the guide](guide.md) before you start.",
        "The [checklist](./references/check-list.md) says what to look at.",
        "- [ ] Go through the [questions](assets/questions.txt)",
        "| part | where |\n| --- | --- |\n| guide | [guide](reference/guide.md) |",
        "> See [the guide](references/guide.markdown).",
        _renamed,
        _renamed,
    ),
    _links(
        "link-broken-in-reference",
        adds(
            "references/more.md",
            "# More\n\nSee [the guide](references/gone.md).\n",
            "See [more](references/more.md).",
            3,
        ),
        adds("references/more.md", "# More\n\nSee [the rest](rest.md).\n", "See [more](references/more.md).", 3),
    ),
    _links(
        "link-broken-definition",
        "Read [the guide][guide] first.\n\n[guide]: references/gone.md",
        "Read [guide] first.\n\n[guide]: ./guides/gone.md",
    ),
    _links("image-broken", "![The flow](assets/flow.png)", "![Flow](images/flow.svg 'The flow')"),
    _links(
        "html-link-broken",
        '<img src="assets/flow.png" alt="The flow">',
        'See <a href="references/gone.md">the guide</a>.',
    ),
    _links(
        "link-wrong-case",
        "Read [the guide](references/Guide.md) first.",
        "Read [the guide](References/guide.md) first.",
        "Read [the guide](references/guide.MD) first.",
        "Read [the guide](references/GUIDE.md#first-steps) first.",
    ),
    _links(
        "anchor-broken",
        "See [the last steps](#the-very-last-steps-of-all).",
        "See [the last steps](references/guide.md#last-steps).",
        "See [the first steps](references/guide.md#First_Steps).",
        "See [above](#see-above-at-the-start).",
    ),
    _links(
        "reference-undefined",
        "Read [the guide][guide] first.",
        "Read [the guide][] and [the list][list-of-steps].",
        "The steps are in [the guide][the-guide], which is short.",
        "![The flow][flow-picture]",
    ),
    _links(
        "link-empty",
        "Read [the guide]() first.",
        "Read [the guide](<>) first.",
        "![The flow]()",
        "Read [the guide](#) first.",
    ),
    _links(
        "link-climbs-out",
        "Read [the guide](../../../docs/guide.md) first.",
        "Run [the script](../../../../tools/run.sh).",
        "Read [the other](../../../../../notes/other.md).",
        "Look at [the picture](../../../../shared/flow.png).",
    ),
    _links(
        "link-backslash",
        "Read [the guide](references\\guide.md) first.",
        "Read `references\\guide.md` first.",
        "Read [the guide](.\\references\\guide.md) first.",
        "Run `python scripts\\check.py` first.",
    ),
    _links(
        "link-file-url",
        "Read [the guide](file:///srv/docs/guide.md) first.",
        "Read [the guide](file://references/guide.md) first.",
        "Read [the guide](file:references/guide.md) first.",
        "Read <file:///srv/docs/guide.md> first.",
    ),
    _links(
        "machine-path",
        "Read [the guide](/home/anna/notes/guide.md) first.",
        "Read `/Users/anna/notes/guide.md` first.",
        "Run `python3 /home/anna/skills/run.py` first.",
        "Read [the guide](C:\\Users\\anna\\guide.md) first.",
        "```bash\ncd /Users/anna/work/report && make\n```",
        "Templates are in /home/anna/templates/report.",
    ),
    _links(
        "symlink-dangling",
        _symbolic("references/manual.md", "../gone.md"),
        _symbolic("references/manual.md", "manual-v2.md"),
        _symbolic("references/manual.md", "/srv/nowhere/manual.md"),
        _symbolic("references/manual.md", "../../../../../gone/manual.md"),
    ),
    _paths(
        "path-missing",
        "Read `references/setup.md` before you start.",
        "See `resources/setup.md` for the details.",
        "Read `reference/setup.md` first.",
        "Open `rules/naming.md` and follow it.",
        "- `guides/first-run.md`: read it before the first run",
        "For tables, see `templates/table.md`.",
        "See references/setup.md for the details.",
        "Read `docs/setup.md` before you start.",
        "**Details**: `references/advanced.md`",
        "Copy `assets/report-template.docx` and fill it in.",
        "Fill in `templates/report.html`.",
        "The rules are in `rules/layout.md`.",
    ),
    _paths(
        "script-missing",
        "Run `python scripts/chek.py report.csv`.",
        "Run `scripts/build.sh` first.",
        "```bash\npython3 scripts/validate.py --strict\n```",
        "Use scripts/convert.py to convert the report.",
        "```bash\nbash scripts/deploy.sh staging\n```",
        "Run `node scripts/render.js` to see it.",
        "Then execute `./scripts/finish.sh`.",
        "The script `scripts/summarise.py` writes the summary.",
    ),
)
