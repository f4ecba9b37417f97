"""Paths that a text names and that are not files of the skill: the words of the line say where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import in_skill
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
