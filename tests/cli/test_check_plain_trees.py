"""Plain trees as they are published: skills in folders of any name, and lists of a marketplace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_check_every_skill import BROKEN, found, not_judged
from tests.cli.test_check_targets import report
from tests.marketplace.markets import add, refs, update
from tests.sources.repositories import make_repository, use_own_git_settings
from tests.support import Run, Tree, skill

LISTED = {
    "name": "science",
    "plugins": [
        {
            "name": "scientific-skills",
            "source": "./",
            "strict": False,
            "skills": [f"./scientific-skills/skill-{number}" for number in range(12)],
        }
    ],
}
MARKETPLACE = {
    ".claude-plugin/marketplace.json": json.dumps(LISTED),
    "README.md": "Skills.\n",
    "docs/guide.md": "A guide.\n",
    **{f"scientific-skills/skill-{number}/SKILL.md": skill(f"skill-{number}") for number in range(12)},
}
"""A repository that keeps its skills in a folder of its own name, and lists them."""


@pytest.fixture
def git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("git"))


def test_skills_one_level_down_are_checked_where_plain_skills_are_asked_for(tree: Tree, run: Run) -> None:
    files = {f"collection/{group}/s{n}/SKILL.md": skill(f"s{n}") for group in ("a", "b") for n in range(3)}
    root = tree({**files, "collection/a/s1/SKILL.md": BROKEN, "collection/docs/x.md": "x\n", "src/main.py": "1\n"})
    for path in ("collection", ".", "collection/a"):
        value = report(run, root, "--target", "skills", path)
        (target,) = value["targets"]
        assert target["skills"] == (3 if path.endswith("a") else 6)
        assert found(value, "frontmatter-yaml-invalid") == [("frontmatter-yaml-invalid", "collection/a/s1/SKILL.md")]
        assert not found(value, "skill-file-missing")
        assert not_judged(value) == {}


def test_several_layouts_in_one_folder(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "one/skills/a/SKILL.md": skill("a"),
            "two/.claude/skills/b/SKILL.md": skill("b"),
            "three/c/SKILL.md": skill("c"),
            "three/c/inner/SKILL.md": BROKEN,
            "four/skills/by/topic/d/SKILL.md": skill("d"),
            "five/.skills/e/SKILL.md": skill("e"),
            "six/plugins/p/skills/f/SKILL.md": skill("f"),
            "three/tests/data/g/SKILL.md": BROKEN,
            "one/testdata/skills/h/SKILL.md": BROKEN,
            "node_modules/i/SKILL.md": BROKEN,
        }
    )
    value = report(run, root, "--target", "skills")
    assert sum(target["skills"] for target in value["targets"]) == 6
    assert found(value, "frontmatter-yaml-invalid") == [("frontmatter-yaml-invalid", "three/c/inner/SKILL.md")]
    assert set(not_judged(value)) == {"three/tests/data/g/SKILL.md", "one/testdata/skills/h/SKILL.md"}


def test_skills_deep_in_a_folder_of_skills_are_found_unasked(tree: Tree, run: Run) -> None:
    root = tree({"skills/by/topic/d/SKILL.md": BROKEN, "skills/a/SKILL.md": skill("a")})
    value = report(run, root)
    assert found(value, "frontmatter-yaml-invalid") == [("frontmatter-yaml-invalid", "skills/by/topic/d/SKILL.md")]


def test_test_data_is_checked_when_it_is_named(tree: Tree, run: Run) -> None:
    root = tree({"tests/skills/x/SKILL.md": BROKEN, "skills/a/SKILL.md": skill("a")})
    assert not found(report(run, root), "frontmatter-yaml-invalid")
    assert found(report(run, root, "tests"), "frontmatter-yaml-invalid")
    assert found(report(run, root, "tests/skills/x"), "frontmatter-yaml-invalid")


def test_a_group_of_skills_may_be_called_tests(tree: Tree, run: Run) -> None:
    root = tree({"skills/test/x/SKILL.md": BROKEN, "skills/a/SKILL.md": skill("a")})
    assert found(report(run, root), "frontmatter-yaml-invalid") == [
        ("frontmatter-yaml-invalid", "skills/test/x/SKILL.md")
    ]


def test_a_repository_is_checked_by_the_list_of_its_marketplace(tree: Tree, run: Run) -> None:
    root = tree({**MARKETPLACE, "scientific-skills/skill-3/SKILL.md": BROKEN})
    value = report(run, root)
    assert [(target["kind"], target["root"], target["skills"]) for target in value["targets"]] == [("skills", ".", 12)]
    assert [f["path"] for f in value["findings"]] == ["scientific-skills/skill-3/SKILL.md"]
    assert not_judged(value) == {}


@pytest.mark.parametrize(
    ("plugin", "files"),
    [
        ({"source": "./", "skills": ["./algorithmic-art"]}, {"algorithmic-art/SKILL.md": BROKEN}),
        ({"source": "./", "strict": False, "skills": "./"}, {"algorithmic-art/SKILL.md": BROKEN}),
        ({"source": "./", "skills": ["./document-skills"]}, {"document-skills/pdf/SKILL.md": BROKEN}),
        ({"source": "./packs/one", "skills": ["./own"]}, {"packs/one/own/pdf/SKILL.md": BROKEN}),
        ({"source": "./packs/one"}, {"packs/one/skills/pdf/SKILL.md": BROKEN}),
    ],
)
def test_layouts_that_lists_lead_to(tree: Tree, run: Run, plugin: dict[str, object], files: dict[str, str]) -> None:
    listed = json.dumps({"name": "x", "plugins": [{"name": "p", **plugin}]})
    beside = {"src/main.py": "1\n", "packs/other.txt": "x\n", "notes/a.md": "x\n"}
    value = report(run, tree({".claude-plugin/marketplace.json": listed, **files, **beside}))
    assert found(value, "frontmatter-yaml-invalid") == [("frontmatter-yaml-invalid", next(iter(files)))]
    assert not found(value, "skill-file-missing")
    assert not_judged(value) == {}


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("{", "no skill is known that it lists: marketplace.json:1: it is not JSON"),
        (
            json.dumps({"plugins": [{"name": "p", "source": "./", "skills": ["./gone"]}]}),
            ".claude-plugin/marketplace.json lists it, and no skill is there",
        ),
    ],
)
def test_a_list_that_leads_nowhere_is_told(tree: Tree, run: Run, listed: str, said: str) -> None:
    root = tree({".claude-plugin/marketplace.json": listed, "skills/a/SKILL.md": skill("a")})
    (reason,) = not_judged(report(run, root)).values()
    assert reason.startswith(said)


def test_a_list_may_not_lead_out_of_its_repository(tree: Tree, run: Run) -> None:
    plugins = [{"name": path, "source": "./", "skills": [path]} for path in ("./out", "../other", "/etc")]
    listed = json.dumps({"plugins": plugins})
    root = tree(
        {"other/x/SKILL.md": BROKEN, "r/.claude-plugin/marketplace.json": listed, "r/skills/a/SKILL.md": skill("a")}
    )
    (root / "r" / "out").symlink_to(root / "other")
    value = report(run, root / "r")
    assert [target["skills"] for target in value["targets"]] == [1]
    assert not found(value, "frontmatter-yaml-invalid")


@pytest.mark.usefixtures("git_settings")
def test_the_same_repository_is_listed_by_the_marketplace_and_plainly(tree: Tree, run: Run, tmp_path: Path) -> None:
    files = {**MARKETPLACE, "tests/data/broken/SKILL.md": skill("broken")}
    bare = make_repository(tmp_path / "science.git", files)
    add(run, bare.url, "science")
    assert update(run)[0] == 0
    assert len(refs(run)) == 12

    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "SKILLBAG.md").write_text("SkillBag v0.3.0\n", "utf-8")
    for source in (bare.url, tree({f"folder/{name}": text for name, text in files.items()}) / "folder"):
        listed = run("list", "--plain", "--source", source, "--json", cwd=tmp_path / "w")
        assert listed.code == 0, listed.err
        assert [skill["name"] for skill in json.loads(listed.out)["skills"]] == sorted(f"skill-{n}" for n in range(12))
