"""`check --changed-since` against its meaning the long way: the earlier state is checked out and checked as well.

`--staged` finds the same once everything is staged, whatever changes after that.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from skillbag.kernel.workspace.kinds import skill_file
from skillbag.lint.rules.builtin import load_core_rules
from tests.sampling import sample
from tests.supply.sources.repositories import committed, git
from tests.support import Run, Tree, skill

NAMES = ("one", "two", "three", "four")
TEXTS = (
    "no front matter\n",
    skill("one"),
    skill("two") + "\nSee [one](../one/references/a.md) and [b](references/b.md).\n",
    skill("three") + "\nSee [it](../two/SKILL.md#x).\n",
    skill("four").replace("---\n\n", "depends:\n  - one\n  - gone\n---\n\n", 1),
)
FILES = (".skills/SKILLS.md", "SKILLBAG.md", "CONTEXT.md", "README.md")
OTHERS = (
    "one: Do one.\n",
    "two: Does it.\none: Does it.\n",
    "SkillBag v0.3.0\n",
    "# Read\n\n[x](.skills/one/SKILL.md)\n",
)


def changed(root: Path, random: Random) -> None:
    """Make one change in a workspace."""
    place = root / ".skills" / random.choice(NAMES)
    match random.randrange(6):
        case 0:
            write(place / "SKILL.md", random.choice(TEXTS))
        case 1:
            write(place / "references" / random.choice(("a.md", "b.md")), "# A\n")
        case 2:
            shutil.rmtree(place, ignore_errors=True)
        case 3:
            write(root / random.choice(FILES), random.choice(OTHERS))
        case 4:
            other = root / ".skills" / random.choice(NAMES)
            if place.is_dir() and not other.exists():
                place.rename(other)
        case _:
            write(root / "skillbag.toml", random.choice(('ignore = ["link-broken"]\n', "", 'select = ["links"]\n')))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(run: Run, root: Path, *arguments: str) -> list[dict[str, Any]]:
    """The findings, or none where the state can't be checked; without those that stand for others.

    Links into one missing folder are one finding, of as many as are reported: here they are one for each place.
    """
    outcome = run("check", "--format", "json", "--config=cache=false", *arguments, cwd=root)
    findings: list[dict[str, Any]] = json.loads(outcome.out)["findings"] if outcome.out else []
    once = {rule.id for rule in load_core_rules() if rule.once}
    apart = [
        {**each, **place}
        for each in findings
        if each["rule"] not in once
        for place in each["places"] or [dict[str, Any]()]
    ]
    return sorted(map(compared, apart), key=json.dumps)


def compared(finding: dict[str, Any]) -> dict[str, Any]:
    counted = ("message", "places") if finding["rule"] == "link-broken" else ()
    return {name: value for name, value in finding.items() if name not in ("fix", "edits", "fixable", *counted)}


def is_changed(root: Path, path: str, names: set[str]) -> bool:
    """Whether a path is one of these names, or in the same skill as one of them."""

    def part(name: str) -> str:
        parts = name.split("/")
        tops = ("/".join(parts[: end + 1]) for end in range(len(parts)))
        return next((top for top in tops if skill_file(str(root / top))), name)

    return part(path) in {part(name) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample("changes of a workspace", range(200), 12))
def test_it_reports_what_changed_and_what_a_checkout_of_before_does_not_have(run: Run, tree: Tree, seed: int) -> None:
    random = Random(seed)
    root = tree(
        {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/one/SKILL.md": TEXTS[1], ".skills/two/SKILL.md": TEXTS[2]}
    )
    for _ in range(random.randrange(8)):
        changed(root, random)
    committed(root)
    for _ in range(random.randrange(1, 6)):
        changed(root, random)
    listed = git(root, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames").split("\0")[:-1]
    names = {entry[3:] for entry in listed}
    now, since = found(run, root), found(run, root, "--changed-since", "HEAD")
    git(root, "add", ".")
    assert found(run, root, "--staged") == since
    copy = shutil.copytree(root, root / "../copy", symlinks=True)
    changed(copy, random)
    assert found(run, copy, "--staged") == since
    mine = [is_changed(root, each["path"], names) for each in now]
    git(root, "stash", "-q")
    before = found(run, root)
    assert since == [each for each, is_mine in zip(now, mine, strict=True) if is_mine or each not in before]
