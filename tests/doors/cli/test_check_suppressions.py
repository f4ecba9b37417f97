"""`check --select suppressions`, findings that a baseline has in vain, and a diff of nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

USED = '<!-- skillbag: ignore[link-broken] reason="made by the build" -->\n[x](gone.md)\n'
UNUSED = '<!-- skillbag: ignore[secret] reason="an example" -->\nSort.\n'
BARE = "<!-- skillbag: ignore[link-broken] -->\n[x](lost.md)\n"
FREE = "\n[x](free.md)\n"


def found(run: Run, root: Path, *arguments: str) -> list[tuple[str, int]]:
    outcome = run("check", "--format=json", *arguments, cwd=root)
    return [(finding["rule"], finding["line"]) for finding in json.loads(outcome.out)["findings"]]


@pytest.mark.parametrize("cache", ["--config=cache=true", "--config=cache=false"])
def test_suppressions_are_judged_by_all_rules(tree: Tree, run: Run, cache: str) -> None:
    root = tree({"skills/a/SKILL.md": skill("a") + USED + UNUSED + BARE + FREE})
    unused, bare = ("suppression-unused", 11), ("suppression-reason-missing", 13)
    assert found(run, root, "--select=suppressions", cache) == [unused, bare]
    assert found(run, root, "--select=suppression-unused", cache) == [unused]
    assert found(run, root, "--select=suppression-unused,suppression-expired", cache) == [unused]
    assert run("check", "--select=suppression-unused", "--strict", cwd=root).code == 1
    assert run("check", "--select=suppression-expired", "--strict", cwd=root).code == 0


def test_beside_other_rules_only_theirs_are_judged(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a") + UNUSED + FREE})
    assert found(run, root, "--select=suppressions,links") == [("link-broken", 12)]
    assert run("check", "--select=suppression-unusd", cwd=root).code == 2


def test_a_fix_of_suppressions_fixes_nothing_else(tree: Tree, run: Run) -> None:
    text = skill("a").replace("description", "version: 1.10\ndescription") + UNUSED
    root = tree({"skills/a/SKILL.md": text})
    assert run("check", "--fix", "--select=suppressions", cwd=root).code == 0
    assert (root / "skills/a/SKILL.md").read_text("utf-8") == text


def test_a_baseline_says_how_many_of_its_findings_are_gone(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a") + FREE + "[y](lost.md)\n"})
    run("check", "--output=baseline=base.json", cwd=root)
    assert run("check", "--baseline=base.json", cwd=root).err == ""
    tree({"skills/a/SKILL.md": skill("a") + FREE})
    said = run("check", "--baseline=base.json", cwd=root).err
    assert said.startswith("note: base.json has 1 finding that the check does not find now.")
    assert "-o baseline=base.json" in said
    for part in (["skills/a"], ["--select=links"], ["--ignore=links"], ["--quiet"]):
        assert run("check", "--baseline=base.json", *part, cwd=root).err == "", part
    run("check", "--output=baseline=base.json", cwd=root)
    assert run("check", "--baseline=base.json", cwd=root).err == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (skill("a"), "note: --fix would change nothing: there are no findings\n"),
        (skill("a") + FREE, "note: --fix would change nothing; correct what skillbag check reports by hand\n"),
    ],
)
def test_a_diff_of_nothing_says_so(tree: Tree, run: Run, text: str, said: str) -> None:
    root = tree({"skills/a/SKILL.md": text})
    assert (run("check", "--format=diff", cwd=root).out, run("check", "--format=diff", cwd=root).err) == ("", said)
    assert run("check", "--format=diff", "--quiet", cwd=root).err == ""
    assert "the selected rules find nothing" in run("check", "--format=diff", "--select=prose", cwd=root).err


@pytest.mark.parametrize("option", ["--baseline", "--output"])
def test_a_file_without_a_name_is_a_mistake(tree: Tree, run: Run, option: str) -> None:
    outcome = run("check", f"{option}=", cwd=tree({"skills/a/SKILL.md": skill("a") + FREE}))
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{option} names no file; leave it out, or is a variable not set?" in outcome.err
