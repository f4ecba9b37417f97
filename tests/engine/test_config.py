"""Configuration: where it is found, what it changes, and how a wrong one is refused."""

from __future__ import annotations

import json

import pytest

from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

BAD = {"skills/b/SKILL.md": "# No front matter\n"}
RULE = """\
id: no-tidy
summary: Nothing is called tidy here.
level: warning
targets: [skills]
check: skill-problem
options:
  kinds: [no-frontmatter]
message: "our own words: {detail}"
why: The team has agreed that this is how it wants its skills to be.
examples:
  pass:
    - files: {a: b}
  fail:
    - files: {a: b}
      expect: ["a:1"]
"""


def levels(run: Run, root: object, *arguments: str) -> list[tuple[str, str]]:
    report = json.loads(run("check", root, "--format=json", *arguments).out)
    return [(finding["rule"], finding["level"]) for finding in report["findings"]]


@pytest.mark.parametrize(
    ("name", "head"), [("skillbag.toml", ""), ("pyproject.toml", "[project]\nname = 'x'\n[tool.skillbag]\n")]
)
def test_both_files_are_found_upward(tree: Tree, run: Run, name: str, head: str) -> None:
    root = tree({**BAD, name: head + 'ignore = ["frontmatter-invalid"]\n'})
    assert levels(run, root / "skills/b") == []


def test_a_pyproject_without_our_table_is_passed_over(tree: Tree, run: Run) -> None:
    root = tree({**{f"sub/{k}": v for k, v in BAD.items()}, "sub/pyproject.toml": "[project]\nname = 'x'\n"})
    tree({"skillbag.toml": 'levels = {frontmatter-invalid = "note"}\n'})
    assert levels(run, root) == [("frontmatter-invalid", "note")]
    assert levels(run, root, "--root", str(root / "sub")) == [("frontmatter-invalid", "error")]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('levels = {frontmatter-invalid = "warning"}', [("frontmatter-invalid", "warning")]),
        ('levels = {frontmatter-invalid = "off"}', []),
        ('select = ["links"]', []),
        ('select = ["standard"]', [("frontmatter-invalid", "error")]),
        ('select = ["skill.frontmatter"]', [("frontmatter-invalid", "error")]),
        ('ignore = ["skill"]', []),
        ('exclude = ["skills/b"]', []),
        ('exclude = ["b/"]', []),
        ('exclude = ["other/**"]', [("frontmatter-invalid", "error")]),
        ('[paths."skills/b/**"]\nignore = ["frontmatter-invalid"]', []),
        ('[paths."skills/b/**"]\nlevels = {frontmatter-invalid = "note"}', [("frontmatter-invalid", "note")]),
        ('[paths."skills/c/**"]\nignore = ["all"]', [("frontmatter-invalid", "error")]),
        ('[options.frontmatter-invalid]\nkinds = ["unclosed-frontmatter"]', []),
    ],
)
def test_what_it_changes(tree: Tree, run: Run, config: str, expected: list[tuple[str, str]]) -> None:
    root = tree({**BAD, "skills/a/SKILL.md": skill("a"), "skillbag.toml": config + "\n"})
    assert levels(run, root) == expected


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("select = [", "this is not TOML"),
        ("selct = []", "there is no key 'selct'; did you mean 'select'?"),
        ('select = ["lnks"]', "there is no rule 'lnks'; did you mean 'links'"),
        ('levels = {frontmatter-invalid = "fatal"}', "'fatal' is not one of"),
        ("[options.frontmatter-invalid]\nkind = []", "has no option 'kind'; did you mean 'kinds'"),
        ("[options.frontmatter-invalid]\nkinds = 1", "kinds takes a list of strings"),
        ('rules = ["team"]', "there is no such folder of rules"),
    ],
)
def test_a_wrong_one_is_exit_2(tree: Tree, run: Run, config: str, words: str) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": config + "\n"}))
    assert outcome.code == 2
    assert words in outcome.err
    assert "skillbag.toml" in outcome.err or "team" in outcome.err


@pytest.mark.parametrize("pattern", ["skills", "skills/*", "*.md", "**"])
def test_everything_excluded_is_no_pass(tree: Tree, run: Run, pattern: str) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": f'exclude = ["{pattern}"]\n'}))
    assert outcome.code == 2
    assert "everything that was found is excluded" in outcome.err


def test_a_team_rule_runs_beside_ours(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": RULE})
    assert levels(run, root) == [("frontmatter-invalid", "error"), ("no-tidy", "warning")]
    assert "our own words: the file does not begin" in run("check", root).out
    assert run("rule", "no-tidy", cwd=root).out.startswith("# no-tidy")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("check: skill-problem", "check: skill-problm"), "5:8: there is no predicate 'skill-problm'; did you mean"),
        (("{detail}", "{details}"), "8:10: skill-problem gives no value {details}; it gives {detail}"),
        (("level: warning", "level: fatal"), "3:8: level: 'fatal' is not one of"),
        (("level: warning\n", ""), "a rule without a clause says its level"),
        (("[no-frontmatter]", "1"), "7:10: kinds takes a list of strings"),
        (("id: no-tidy", "id: other"), "1:5: the id 'other' is not the file's name 'no-tidy'"),
        (("targets: [skills]", "targets: &x [skills]"), "4:10: "),
        (("why: ", "why: 1\nwhy: "), "10:1: the key 'why' is given twice"),
        (("summary:", "clause: root.nothing\nsummary:"), "2:9: the standard has no clause 'root.nothing'"),
        (("summary:", "clause: skill.short-body\nsummary:"), None),
    ],
)
def test_a_bad_rule_names_file_and_line(tree: Tree, run: Run, change: tuple[str, str], place: str | None) -> None:
    rule = RULE.replace(*change)
    outcome = run("check", tree({**BAD, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": rule}))
    if place is None:
        assert outcome.code == 1
        return
    assert outcome.code == 2
    assert "team/no-tidy.yaml:" in outcome.err
    assert place in outcome.err


def test_a_level_above_the_clause_is_refused(tree: Tree, run: Run) -> None:
    rule = RULE.replace("summary:", "clause: skill.short-body\nsummary:").replace("level: warning", "level: error")
    outcome = run("check", tree({**BAD, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": rule}))
    assert outcome.code == 2
    assert "too high: the clause gives at most warning" in outcome.err
