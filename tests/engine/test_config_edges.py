"""Configuration at its edges: unusual files, paths and names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

BAD = {"skills/b/SKILL.md": "# No front matter\n", "skills/a/SKILL.md": skill("a") + "\n[x](gone.md)\n"}


def found(run: Run, root: Path, *arguments: str) -> list[tuple[str, str]]:
    report = json.loads(run("check", root, "--format=json", *arguments).out)
    return [(finding["rule"], finding["level"]) for finding in report["findings"]]


LINK, MATTER = ("link-broken", "warning"), ("frontmatter-invalid", "error")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", [LINK, MATTER]),
        ("\ufeffignore = ['links']\r\n", [MATTER]),
        ('[paths."skills/a/**"]\nlevels = {link-broken = "off"}', [MATTER]),
        ('[paths."skills/a/**"]\nlevels = {link-broken = "error"}', [("link-broken", "error"), MATTER]),
        ('[paths."skills/**"]\nignore = ["skill.frontmatter"]', [LINK]),
        ('[paths."skills/**"]\nignore = ["skill"]', [LINK]),
        ('[paths."skills/**"]\nignore = ["all"]', []),
        (
            '[paths."skills/**".levels]\nlink-broken = "note"\n[paths."skills/a/*".levels]\nlink-broken = "error"',
            [("link-broken", "error"), MATTER],
        ),
        ('levels.description-when-missing = "note"\nselect = ["description-when-missing"]\nexclude = ["skills/b"]', []),
        ('exclude = ["skills/*", "!skills/a"]', [LINK]),
        ("[options.frontmatter-invalid]", [LINK, MATTER]),
    ],
)
def test_what_it_changes(tree: Tree, run: Run, config: str, expected: list[tuple[str, str]]) -> None:
    assert found(run, tree({**BAD, "skillbag.toml": config})) == expected


def test_a_level_turns_a_rule_on_that_is_off(tree: Tree, run: Run) -> None:
    text = skill("a", "Count the words of a file.")
    root = tree({"skills/a/SKILL.md": text, "skillbag.toml": 'levels = {description-when-missing = "error"}\n'})
    assert found(run, root) == [("description-when-missing", "error")]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ('[paths."x"]\nlevels = {nothing-such = "note"}', "there is no rule 'nothing-such'"),
        ('[paths."x"]\nignore = ["zzzzzz"]', "`skillbag rule` lists them"),
        ("[options.nothing-such]\na = 1", "there is no rule 'nothing-such'"),
        ('levels = {links = "note"}', "there is no rule 'links'"),
        ('[paths."x"]\nselect = []', "paths.x: "),
        ("select = [1]", "select.0: 1 is not of type 'string'"),
    ],
)
def test_a_wrong_one_is_exit_2(tree: Tree, run: Run, config: str, words: str) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": config + "\n"}))
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_one_that_is_no_text(tree: Tree, run: Run) -> None:
    root = tree(BAD)
    (root / "skillbag.toml").write_bytes(b"select = ['\xff']\n")
    outcome = run("check", root)
    assert (outcome.code, outcome.out) == (2, "")
    assert "skillbag.toml: this is not" in outcome.err


def test_one_that_is_too_large(tree: Tree, run: Run) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": "#" * ((1 << 20) + 1)}))
    assert (outcome.code, "skillbag.toml: it can't be read: too-large" in outcome.err) == (2, True)


def test_a_folder_of_its_name_is_passed_over(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml/x": "", "pyproject.toml": '[tool.skillbag]\nignore = ["links"]\n'})
    assert found(run, root) == [MATTER]


def test_our_own_file_comes_before_the_project(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml": "", "pyproject.toml": '[tool.skillbag]\nignore = ["links"]\n'})
    assert found(run, root) == [LINK, MATTER]


def test_a_project_file_by_another_name_is_one_of_ours(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "my.toml": 'ignore = ["links"]\n', "sub/pyproject.toml": "[tool.other]\n"})
    assert found(run, root, "--config", str(root / "my.toml")) == [MATTER]
    assert found(run, root, "--config", str(root / "sub/pyproject.toml")) == [LINK, MATTER]


def test_excluded_skills_of_a_plain_tree_are_not_read(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml": 'exclude = ["skills/b/"]\n'})
    report = json.loads(run("check", root, "--format=json", cwd=root).out)
    assert (report["summary"]["skills"], report["targets"][0]["kind"]) == (1, "skills")


def test_an_excluded_target_leaves_the_others(tree: Tree, run: Run) -> None:
    other = {f"x/{name}": text for name, text in BAD.items()}
    root = tree({**BAD, **other, "skillbag.toml": 'exclude = ["x"]\n'})
    assert found(run, root) == [LINK, MATTER]


def test_an_excluded_file_of_a_workspace_has_no_findings(tree: Tree, run: Run) -> None:
    root = tree(
        {"SKILLBAG.md": "wrong\n", ".skills/a/SKILL.md": "x\n", "skillbag.toml": 'exclude = [".skills/a/**"]\n'}
    )
    assert "frontmatter-invalid" not in dict(found(run, root))
    assert "catalog-missing" in dict(found(run, root))
