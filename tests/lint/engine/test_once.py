"""Findings that reports have once for each target: what is counted, and what still judges every place by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import Run, Tree

SELECT = "--select=key-unknown,key-vendor-specific"
UNKNOWN = "`flavour` is not part of the Agent Skills format, and no known program reads it"


def skill_with(name: str, *lines: str) -> str:
    return "\n".join(["---", f"name: {name}", "description: Tidy.", *lines, "---", "", "Sort.", ""])


def found(run: Run, root: Path, *arguments: object, form: str = "json") -> list[Any]:
    return list(json.loads(run("check", root, SELECT, f"--format={form}", *arguments).out)["findings"])


@pytest.fixture
def root(tree: Tree) -> Path:
    skills = {f"skills/{name}/SKILL.md": skill_with(name, "flavour: plain", "origin: us") for name in "abc"}
    return tree(skills)


def test_a_key_is_one_finding_with_the_number_of_files(root: Path, run: Run) -> None:
    for _ in range(2):  # the second from the cache
        first, second = found(run, root)
        assert (Path(first["path"]).parent.name, first["line"]) == ("a", 4)
        assert first["message"] == f"{UNKNOWN} (in 3 files)"
        assert (second["rule"], second["message"].endswith("(in 3 files)")) == ("key-vendor-specific", True)


def test_one_place_is_not_counted_and_targets_are_apart(root: Path, tree: Tree, run: Run) -> None:
    tree({"other/SKILLBAG.md": "SkillBag v0.3.0\n", "other/.skills/d/SKILL.md": skill_with("d", "flavour: plain")})
    assert [finding["message"] for finding in found(run, root, "--ignore=key-vendor-specific")] == [
        UNKNOWN,
        f"{UNKNOWN} (in 3 files)",
    ]


def test_each_skill_has_its_own_suppressions(root: Path, tree: Tree, run: Run) -> None:
    mark = "# skillbag: ignore[key-unknown] reason=ours"
    tree({"skills/a/SKILL.md": skill_with("a", mark, "flavour: plain")})
    assert [(Path(f["path"]).parent.name, f["message"]) for f in found(run, root, "--ignore=key-vendor-specific")] == [
        ("b", f"{UNKNOWN} (in 2 files)")
    ]


def test_the_baseline_knows_every_place(root: Path, tree: Tree, run: Run) -> None:
    outcome = run("check", root, SELECT, f"--output=baseline={root / 'base.json'}")
    assert outcome.err.endswith("6 findings written\n")
    assert found(run, root, "--baseline", root / "base.json") == []
    # A skill that comes first takes nobody's place.
    tree({"skills/A0/SKILL.md": skill_with("A0", "flavour: plain")})
    assert [f["message"] for f in found(run, root, "--baseline", root / "base.json")] == [UNKNOWN]


def test_a_warning_fails_a_strict_run_once(tree: Tree, run: Run) -> None:
    root = tree({f"skills/{name}/SKILL.md": skill_with(name, "tools: Read", "origin: us") for name in "abc"})
    assert run("check", root, SELECT, "--strict").code == 1
    assert "1 warning, 1 note in 1 file." in run("check", root, SELECT).out


FLAT = {
    f"tree/{name}/SKILL.md": skill_with(name) + f"\nSee [x](../../{other}/SKILL.md), [y](gone.md).\n"
    for name, other in (("a", "b"), ("b", "c"), ("c", "a"))
}


def test_links_that_are_broken_for_one_reason_are_one_finding_with_all_places(tree: Tree, run: Run) -> None:
    root, message = (
        tree({"README.md": "Skills\n", **FLAT}),
        "3 links lead to `../../…`, which is at `../…` (in 3 files)",
    )
    for options in ("--config=cache=false", "--config=cache=true", "--config=cache=true"):
        answer = json.loads(run("check", root, "--select=link-broken", "--format=json", options).out)
        moved = [each for each in answer["findings"] if each["places"]]
        assert [(each["message"], each["fixable"], len(each["edits"])) for each in moved] == [(message, True, 3)]
        assert [Path(each["path"]).parent.name for each in moved[0]["places"]] == ["a", "b", "c"]
        assert moved[0]["places"][1]["message"] == "`../../c/SKILL.md` does not exist"
        assert answer["summary"]["warnings"] == 4
    for form in ("text", "concise", "markdown", "github"):
        assert run("check", root, "--select=link-broken", f"--format={form}").out.count("3 links lead to") == 1, form
    sarif = json.loads(run("check", root, "--select=link-broken", "--format=sarif").out)["runs"][0]["results"]
    assert sum(each["message"]["text"].startswith("3 links lead") for each in sarif) == 1
    run("check", "--fix", "--select=link-broken", root)
    assert "(../b/SKILL.md)" in (root / "tree/a/SKILL.md").read_text("utf-8")
    assert "links lead" not in run("check", root, "--select=link-broken").out


def test_links_into_one_missing_folder_are_one_finding(tree: Tree, run: Run) -> None:
    body = "\nSee [a](case/a.md), [b](case/deep/b.md), [c](gone.md). Not [d](far.md).\n"
    root = tree({"README.md": "Skills\n", "skills/one/SKILL.md": skill_with("one") + body})
    tree({"skills/one/x.md": "[e](case/e.md)\n"})
    answer = json.loads(run("check", root, "--select=link-broken", "--format=json").out)["findings"]
    assert [(each["message"], len(each["places"])) for each in answer] == [
        ("`case/a.md` does not exist, and 2 more in `skills/one/case` (in 2 files)", 3),
        ("`gone.md` does not exist", 0),
        ("`far.md` does not exist", 0),
    ]
    text = run("check", root, "--select=link-broken").out
    assert f"also: 8:25, {Path('skills/one/x.md')}:1:5" in text.replace(f"{root}/", "")


def test_links_of_a_folder_that_lead_nowhere_or_out_are_one_finding(tree: Tree, run: Run) -> None:
    root = tree({"README.md": "Skills\n", "skills/one/SKILL.md": skill_with("one")})
    for name in ("a", "b", "c", "d", "e", "f"):
        (root / f".gemini/skills/{name}").mkdir(parents=True)
        (root / f".gemini/skills/{name}/SKILL.md").symlink_to(f"../../../gone/{name}/SKILL.md")
        (root / f"skills/one/{name}.md").symlink_to(f"/nowhere/{name}.md")
    found = json.loads(run("check", root, "--format=json").out)["findings"]
    said = {each["rule"]: (each["message"].partition(", and ")[2], len(each["places"])) for each in found}
    assert said["document-unreadable"] == ("5 more in `.gemini/skills` (in 6 files)", 6)
    assert said["symlink-outside"] == ("5 more in `skills/one` (in 6 files)", 6)
    assert "2 more in 2 files (--format json names all)" in run("check", root).out


def test_links_of_a_folder_that_became_files_are_one_finding(tree: Tree, run: Run) -> None:
    pointers = {f".claude/skills/{name}": "../../skills/one" for name in ("a", "b", "c")}
    root = tree({"README.md": "Skills\n", "skills/one/SKILL.md": skill_with("one"), **pointers})
    (answer,) = json.loads(run("check", root, "--select=skill-pointer-file", "--format=json").out)["findings"]
    assert "and 2 more in `.claude/skills`" in answer["message"]
