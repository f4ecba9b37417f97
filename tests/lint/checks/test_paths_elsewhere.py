"""Paths that a text names and that are not files of the skill: the words of the line say where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import findings, in_skill
from tests.rows import each_row
from tests.support import skill

ELSEWHERE = [
    "Follow `references/deploying.md` of the `ship` skill.",
    "Read `references/deploying.md` in the ship skill first.",
    "The `ship` skill explains it: read `references/deploying.md`.",
    "The ship skill's own notes: see `references/deploying.md`.",
    "In the upstream checkout, run `scripts/build.sh`.",
    "Run `scripts/build.sh` from the upstream repository.",
    "Clone the repository and run `scripts/build.sh` there.",
    "In the cloned repo, run `scripts/build.sh`.",
    "The skill no longer ships `scripts/build.sh`.",
    "Run `scripts/build.sh` no more: it was removed in 2.0.",
    "The file `scripts/build.sh` has been replaced by `make`.",
    "Read `references/a.md` and `references/b.md`, all under `../shared/`.",
    "Run `scripts/build.sh` (in `../tools/`).",
    "Then `npm install && node scripts/build.mjs && npm run build`.",
    "Run `scripts/build.sh` from the root of the plugin.",
    "Run `scripts/build.sh` from the\nproject root.",
    "Every migration project must include\n`scripts/build.sh`.",
    "Each repository should contain `scripts/build.sh`. Run `scripts/build.sh`.",
    "Drop `scripts/build.sh` into your repo.",
    "Read `references/memory.md` (create this file).",
    "- `references/memory.md` - All hints (TBD)",
    "- **Deleted** `references/a.md` and `references/b.md`",
    "1. Delete `references/token.json`.",
    "| `references/a.md` | Removed | It was too long. |",
    "This is borrowed from `ship-patterns`'s\n`references/deploying.md`.",
    "It is in `ship-it` and its\n`references/deploying.md`.",
    "Generated from the sources. Do not edit, run `python scripts/build.py`.",
    "The step fails with `can't open file 'references/a.md'`: no such file.",
    'Write `import logo from \'./assets/logo.png\'`, and use `"lint": "bun run scripts/lint.ts"`.',
    "Is there a script (`scripts/build.sh`)?",
    "Read `references/plan-YYYY-MM-DD.md` and `references/xxx.md`.",
    "- **Examples**: `references/a.md` for schemas,\n  `references/b.md` for templates",
    "Examples that leak nothing:\n\n- `references/a.md` (relative)",
    "Every project must include:\n\n- `references/a.md`: notes",
    "Removed:\n- `references/a.md`: too long",
    "1. Generate files:\n   - `references/a.md`: notes\n   - `references/b.md`: notes",
    "If asked for it, also output:\n\n- `references/a.md` (adapted)",
    "What runs today lives in `ship-patterns`:\n\n| File | Use |\n| --- | --- |\n| `references/a.md` | Notes |",
    "1. `gh repo create x --clone`\n2. `cd` into it\n3. Run `scripts/build.sh`",
    "```bash\n# From the project root:\npython scripts/build.py\n```",
    "```bash\ncp assets/sample.json references/config.json\n```\nRead `references/config.json`.",
    "```\nreferences/a.md\n  line 2: a word is missing\n```",
    "See `/core:ship`'s `references/a.md`, and `/core:ship` `references/b.md`.",
    "It goes with `swift-skill` (views in `references/a.md`, scenes in `references/b.md`).",
    "## Related skills\n\n- `swift-pro` (community): `references/a.md`",
    "See `references/a.md` in the ship-patterns package.",
    "Prefer project-local scripts (`./scripts/gate.sh`).",
    "Use project-local validators for the rest:\n\n```bash\npython scripts/validate.py\n```",
    "If `scripts/build.sh` exists, run `scripts/build.sh`.",
    "`scripts/sync.py` (roadmap of 0.2) reads it.",
    "Split it into `references/a.md` and `references/b.md`.",
    "Use relative paths (`references/a.md`), and forward slashes (`scripts/a.py`).",
    "```ts\n// scripts/make.ts\nmake()\n```\nThen:\n```bash\nnpx ts-node scripts/make.ts\n```",
    "```bash\ncat scripts/.cache.json\n```",
    "```bash\nbash -lc 'cd backend && python scripts/show.py'\n```",
    "```bash\npytest tests/ --cov=src/\npython scripts/train.py --config prod.yaml\n```",
    "- `swift-pro` (community) `references/a.md` - Views",
    "### `site/references/`, bundled\n\n- `references/a.md`: notes\n- `references/b.md`: more",
    "```bash\n#!/bin/bash\n# .husky/pre-commit\nnode scripts/scan.js\n```",
    "Append the answer to `references/a.md`.",
    "**File:** `references/add.py`\n```python\nprint(1)\n```",
]
"""Lines that say of a file that it is another skill's, upstream's, gone, or in another folder."""
OURS = [
    "Run `scripts/build.sh`.",
    "This skill explains it: read `references/deploying.md`.",
    "Before you clone anything, run `scripts/build.sh`.",
    "Run `scripts/build.sh` to remove old files.",
    "Read `references/upstream.md` about upstream changes.",
    "Run `scripts/build.sh`, then look at `../other/`.",
    "Use the tidy skill: run `scripts/build.sh`.",
    "To use the `tidy` skill, run `scripts/build.sh`.",
    "Run `scripts/build.sh` from the root of the skill.",
    "Every skill must be checked. Run `scripts/build.sh`.",
    "Examples:\n\n- `examples/small.md` - A small one",
    "Working examples with all steps:\n\n- `references/small.md` - A small one",
    "To create a report:\n\n1. Run `scripts/build.sh`",
    "Create a report with these:\n\n- `references/layout.md` - Layout",
    "- **Delete** what is old, then read `references/layout.md`.",
    "The files are created in `out`.\nRead `references/layout.md`.",
    "It is optional.\nRead `references/layout.md`.",
    "1. `cd` into it\n\nThen:\n\n1. Run `scripts/build.sh`",
    "```bash\npython scripts/check.py src/\npytest scripts/\n```",
    "| `ship-one` | Ships | `references/one.md` |",
    "- `ship-one`: read `references/one.md`",
    "Use `python scripts/build.py`:\n```python\nprint(1)\n```",
]


@each_row("line", ELSEWHERE)
def test_a_file_that_a_line_places_elsewhere_is_not_missing(line: str, tmp_path: Path) -> None:
    assert not in_skill(tmp_path, skill("tidy") + f"\n{line}\n", "path-broken")


@each_row("line", OURS)
def test_a_file_of_the_skill_is_missing(line: str, tmp_path: Path) -> None:
    assert in_skill(tmp_path, skill("tidy") + f"\n{line}\n", "path-broken")


@pytest.mark.parametrize("named", ["ship", "shop"])
def test_a_file_of_another_skill_that_the_list_names_is_not_missing(named: str, tmp_path: Path) -> None:
    text = f"Built from `{named}`, not bundled:\n\n- Run `scripts/gate.py`.\n"
    (ship := tmp_path / "skills/ship/scripts").mkdir(parents=True)
    (ship / "gate.py").write_text("")
    found = in_skill(tmp_path, skill("tidy") + f"\n{text}", "path-broken")
    assert bool(found) == (named == "shop")


@pytest.mark.parametrize("place", ["skills/ship", "skills/shop"])
def test_a_file_of_a_skill_that_the_sentence_above_names_is_not_missing(place: str, tmp_path: Path) -> None:
    (tmp_path / place / "references").mkdir(parents=True)
    (tmp_path / place / "references/deploying.md").write_text("")
    text = "Deploying is explained by the ship skill.\nRead `references/deploying.md` first.\n"
    assert bool(in_skill(tmp_path, skill("tidy") + f"\n{text}", "path-broken")) == (place == "skills/shop")


def test_a_plugin_names_files_of_its_one_skill(tmp_path: Path) -> None:
    """A README over a folder of skills is no part of any."""
    own = tmp_path / "skills/tidy/skills/inner"
    (own / "references").mkdir(parents=True)
    (own / "references/deploying.md").write_text("")
    (own / "SKILL.md").write_text(skill("inner"))
    (tmp_path / "skills/other").mkdir()
    text = "See `references/deploying.md` and `references/gone.md`.\n"
    found = in_skill(tmp_path, text, "path-broken", name="README.md")
    assert [each.message.split("`")[1] for each in found] == ["references/deploying.md", "references/gone.md"]
    (tmp_path / "skills/tidy/SKILL.md").rename(tmp_path / "skills/other/SKILL.md")
    assert [f.message.split("`")[1] for f in findings(tmp_path, "path-broken")] == ["references/gone.md"]


SOURCE = '---\nsource: "https://example.com/docs/a.md"\n---\n'


@each_row(
    ("name", "head", "is_found"),
    [
        ("references/a.md", "", True),
        ("references/a.md", SOURCE, False),
        ("references/evolution-log.md", "", False),
        ("docs/2026-01-26-summary.md", "", False),
        ("evals/outputs/response.md", "", False),
        ("skill-creator/SKILL.md", "", False),
    ],
)
def test_a_text_of_another_place_or_time_names_no_files_of_the_skill(
    name: str, head: str, is_found: bool, tmp_path: Path
) -> None:
    text = f"{head}\nRead `references/deploying.md`.\n"
    assert bool(in_skill(tmp_path, text, "path-broken", name=name)) == is_found
