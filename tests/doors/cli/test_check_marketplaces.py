"""`check` follows the lists of `.claude-plugin/marketplace.json`, and says where they lead to no skill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.marketplace.markets import add, refs, update
from tests.doors.cli.test_check_every_skill import BROKEN, found, not_judged
from tests.doors.cli.test_check_targets import report
from tests.rows import each_row
from tests.supply.sources.repositories import make_repository, use_own_git_settings
from tests.support import Run, Tree, skill

FOLDERS = [f"scientific-skills/skill-{number}" for number in range(12)]
PLUGIN = {"name": "plugin", "source": "./", "strict": False, "skills": [f"./{folder}" for folder in FOLDERS]}
MARKETPLACE = {
    ".claude-plugin/marketplace.json": json.dumps({"name": "science", "plugins": [PLUGIN]}),
    "README.md": "Skills.\n",
    "docs/guide.md": "A guide.\n",
    **{f"{folder}/SKILL.md": skill(folder.rpartition("/")[2]) for folder in FOLDERS},
}
"""A repository that keeps its skills in a folder of its own name, and lists them."""


def test_a_repository_is_checked_by_the_list_of_its_marketplace(tree: Tree, run: Run) -> None:
    root = tree({**MARKETPLACE, "scientific-skills/skill-3/SKILL.md": BROKEN})
    value = report(run, root)
    assert [(target["kind"], target["root"], target["skills"]) for target in value["targets"]] == [("skills", ".", 12)]
    assert [f["path"] for f in value["findings"] if f["path"].endswith(".md")] == ["scientific-skills/skill-3/SKILL.md"]
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


@each_row(
    ("plugin", "level"),
    [
        ({"source": "./", "skills": ["./gone"]}, "error"),
        ({"source": "./", "skills": ["./skills", "./other"], "strict": False}, "error"),
        ({"source": "./plugins/x", "skills": ["./skills"]}, "error"),
        ({"source": "./", "skills": ["./empty"]}, "error"),
        ({"source": "./", "skills": ["./.skills/gone"]}, "error"),
        ({"source": "./", "skills": ["./out"]}, "error"),
        ({"source": "./", "skills": ["../other"]}, "warning"),
        ({"source": 3}, "warning"),
        ({"source": "./plugins/gone"}, ""),  # marketplace-entry-wrong says it
        ({"source": "./plugins/commands"}, ""),
        ({"source": "./"}, ""),
        ({"source": "./", "skills": "./skills/a/SKILL.md"}, ""),
        ({"source": "./", "skills": ["./.skills/own"]}, ""),
        ({"source": {"source": "npm", "package": "x"}}, ""),
        ({"source": {"source": "github", "repo": "Org/skills"}, "skills": ["./gone"]}, ""),
    ],
)
def test_a_listed_path_without_a_skill(tree: Tree, run: Run, plugin: dict[str, object], level: str) -> None:
    listed = json.dumps({"plugins": [{"name": "p", **plugin}]})
    root = tree(
        {
            "r/.claude-plugin/marketplace.json": listed,
            "r/.skills/own/SKILL.md": skill("own"),
            "r/skills/a/SKILL.md": skill("a"),
            "r/empty/x.md": "x\n",
            "r/plugins/commands/commands/x.md": "x\n",
            "other/x/SKILL.md": BROKEN,
        }
    )
    (root / "r" / "out").symlink_to(root / "other")
    for _ in range(2):
        value = report(run, root / "r", "--select", "marketplace-skill-missing")
        assert [finding["level"] for finding in value["findings"]] == [level] * bool(level)
        assert all(finding["column"] > 1 for finding in value["findings"] if level == "error")
    assert run("check", "--select", "marketplace-skill-missing", cwd=root / "r").code == (level == "error")


@pytest.mark.parametrize("files", [{}, {"skills/a/SKILL.md": skill("a")}, {"x/SKILLBAG.md": "x\n"}])
def test_a_marketplace_that_can_not_be_read_is_an_error(tree: Tree, run: Run, files: dict[str, str]) -> None:
    value = report(run, tree({".claude-plugin/marketplace.json": "{", **files}))
    assert found(value, "marketplace-invalid") == [("marketplace-invalid", ".claude-plugin/marketplace.json")]


def test_one_fault_of_many_plugins_is_one_finding(tree: Tree, run: Run) -> None:
    listed = json.dumps({"name": "x", "plugins": [{"name": f"p{n}", "source": "github:a/b"} for n in range(9)]})
    value = report(run, tree({".claude-plugin/marketplace.json": listed, "skills/a/SKILL.md": skill("a")}))
    assert len(found(value, "marketplace-skill-missing")) == len(found(value, "marketplace-entry-wrong")) == 1


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


def test_the_same_repository_is_listed_by_the_marketplace_and_plainly(
    tree: Tree, run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("git"))
    files = {**MARKETPLACE, "tests/data/broken/SKILL.md": skill("broken")}
    bare = make_repository(tmp_path / "science.git", files)
    add(run, bare.url, "science")
    assert update(run)[0] == 0
    assert len(refs(run)) == 12

    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "SKILLBAG.md").write_text("SkillBag v0.3.0\n", "utf-8")
    for source in (bare.url, tree({f"folder/{name}": text for name, text in files.items()}) / "folder"):
        listed = run("list", "--source", source, "--json", cwd=tmp_path / "w")
        assert listed.code == 0, listed.err
        assert [skill["name"] for skill in json.loads(listed.out)["skills"]] == sorted(f"skill-{n}" for n in range(12))
