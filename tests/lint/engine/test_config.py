"""Configuration: where it is found, what it changes, and how a wrong one is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

NO_FRONT_MATTER = {"skills/b/SKILL.md": "# No front matter\n"}
BAD = {**NO_FRONT_MATTER, "skills/a/SKILL.md": skill("a") + "\n[x](gone.md)\n"}
LINK, MATTER = ("link-broken", "warning"), ("frontmatter-invalid", "error")
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


def levels(run: Run, root: Path, *arguments: str) -> list[tuple[str, str]]:
    report = json.loads(run("check", root, "--format=json", *arguments).out)
    return [(finding["rule"], finding["level"]) for finding in report["findings"]]


@pytest.mark.parametrize(
    ("name", "head"), [("skillbag.toml", ""), ("pyproject.toml", "[project]\nname = 'x'\n[tool.skillbag]\n")]
)
def test_both_files_are_found_upward(tree: Tree, run: Run, name: str, head: str) -> None:
    root = tree({**NO_FRONT_MATTER, name: head + 'ignore = ["frontmatter-invalid"]\n'})
    assert levels(run, root / "skills/b") == []


@each_row(
    "table",
    [
        '[tool]\nskillbag.ignore = ["links"]',
        '[ "tool" ] # ours\r\nskillbag = {ignore = ["links"]}',
        "  [ tool . 'skillbag' ]\nignore = [\"links\"]",
        '\ufeff[tool.skillbag]\nignore = ["links"]',
        'tool = {skillbag = {ignore = ["links"]}}',
        '\t"tool" . skillbag.ignore = ["links"]',
        '["\\u0074ool".skillbag]\nignore = ["links"]',
        'x = """\n[project]"""\n[tool]\n"skillbag".ignore = ["links"]',
    ],
)
def test_every_notation_of_our_table_is_found(tree: Tree, run: Run, table: str) -> None:
    assert levels(run, tree({**BAD, "pyproject.toml": table + "\n"})) == [MATTER]


def test_a_list_of_tables_is_refused(tree: Tree, run: Run) -> None:
    outcome = run("check", tree({**BAD, "pyproject.toml": '[[tool."skillbag"]]\nignore = ["links"]\n'}))
    assert (outcome.code, "pyproject.toml" in outcome.err) == (2, True)


def test_another_table_with_our_name_is_passed_over(tree: Tree, run: Run) -> None:
    text = '[project]\ndependencies = ["skillbag"]\n[tool.other.skillbag]\nignore = ["links"]\n'
    root = tree({"skillbag.toml": 'ignore = ["links"]\n', **{f"sub/{path}": text for path, text in BAD.items()}})
    tree({"sub/pyproject.toml": text})
    assert levels(run, root) == [MATTER]


def test_a_pyproject_without_our_table_is_passed_over(tree: Tree, run: Run) -> None:
    root = tree(
        {**{f"sub/{k}": v for k, v in NO_FRONT_MATTER.items()}, "sub/pyproject.toml": "[project]\nname = 'x'\n"}
    )
    tree({"skillbag.toml": 'levels = {frontmatter-invalid = "note"}\n'})
    assert levels(run, root) == [("frontmatter-invalid", "note")]
    assert levels(run, root, f"--config=root={root / 'sub'}") == [("frontmatter-invalid", "error")]


@pytest.mark.parametrize(("table", "code"), [("[tool.skillbag]", 2), ("[tool]\nskillbag.x = 1", 1)])
def test_a_broken_project_file_is_told_where_it_names_our_table(tree: Tree, run: Run, table: str, code: int) -> None:
    outcome = run("check", tree({**BAD, "pyproject.toml": f"{table}\nignore = [\n"}))
    assert (outcome.code, "this is not TOML" in outcome.err) == (code, code == 2)


@each_row(
    ("config", "expected"),
    [
        ('levels = {frontmatter-invalid = "warning"}', [LINK, ("frontmatter-invalid", "warning")]),
        ('levels = {frontmatter-invalid = "off"}', [LINK]),
        ('select = ["links"]', [LINK]),
        ('select = ["standard"]', [MATTER]),
        ('select = ["skill.frontmatter"]', [MATTER]),
        ('ignore = ["skill"]', [LINK]),
        ('exclude = ["skills/b"]', [LINK]),
        ('exclude = ["b/"]', [LINK]),
        ('exclude = ["other/**"]', [LINK, MATTER]),
        ('[paths."skills/b/**"]\nignore = ["frontmatter-invalid"]', [LINK]),
        ('[paths."skills/b/**"]\nlevels = {frontmatter-invalid = "note"}', [LINK, ("frontmatter-invalid", "note")]),
        ('[paths."skills/c/**"]\nignore = ["all"]', [LINK, MATTER]),
        ('[options.frontmatter-invalid]\nkinds = ["unclosed-frontmatter"]', [LINK]),
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
    assert levels(run, tree({**BAD, "skillbag.toml": config})) == expected


@each_row(
    ("config", "words"),
    [
        ("select = [", "this is not TOML"),
        ('ignore = "prose"', "ignore: 'prose' is not a list, such as ["),
        ('[tool.skillbag]\nignore = ["prose"]', "leave the header [tool.skillbag] out, which is for pyproject.toml"),
        ("[tool]\nx = 1", "there is no key 'tool'"),
        ("selct = []", "there is no key 'selct'; did you mean 'select'?"),
        ('select = ["lnks"]', "there is no rule 'lnks'; did you mean 'links'"),
        (
            'ignore = ["skill-metadata-not-text"]',
            "no rule 'skill-metadata-not-text'; did you mean 'metadata-not-text'?",
        ),
        ('levels = {frontmatter-invalid = "fatal"}', "'fatal' is not one of"),
        ("[options.frontmatter-invalid]\nkind = []", "has no option 'kind'; did you mean 'kinds'"),
        ("[options.frontmatter-invalid]\nkinds = 1", "kinds takes a list of strings"),
        ('rules = ["team"]', "there is no such folder of rules"),
        ('[paths."x"]\nlevels = {nothing-such = "note"}', "there is no rule 'nothing-such'"),
        ('[paths."x"]\nignore = ["zzzzzz"]', "`skillbag explain` lists them"),
        ("[options.nothing-such]\na = 1", "there is no rule 'nothing-such'"),
        ('levels = {links = "note"}', "there is no rule 'links'"),
        ('[paths."x"]\nselect = []', "paths.x: "),
        ("select = [1]", "select.0: 1 is not text in quotes"),
    ],
)
def test_a_wrong_one_is_exit_2(tree: Tree, run: Run, config: str, words: str) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": config + "\n"}))
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert "skillbag.toml" in outcome.err or "team" in outcome.err


@pytest.mark.parametrize("pattern", ["skills", "skills/*", "*.md", "**"])
def test_everything_excluded_is_no_pass(tree: Tree, run: Run, pattern: str) -> None:
    outcome = run("check", tree({**NO_FRONT_MATTER, "skillbag.toml": f'exclude = ["{pattern}"]\n'}))
    assert outcome.code == 2
    assert "everything that was found is excluded" in outcome.err


def test_a_team_rule_runs_beside_ours(tree: Tree, run: Run) -> None:
    root = tree({**NO_FRONT_MATTER, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": RULE})
    assert levels(run, root) == [("frontmatter-invalid", "error"), ("no-tidy", "warning")]
    assert "our own words: the file does not begin" in run("check", root).out
    assert run("rule", "no-tidy", cwd=root).out.startswith("# no-tidy")


@each_row(
    ("change", "place"),
    [
        (("check: skill-problem", "check: skill-problm"), "5:8: there is no predicate 'skill-problm'; did you mean"),
        (("{detail}", "{details}"), "8:10: skill-problem gives no value {details}; it gives {detail}"),
        (("level: warning", "level: fatal"), "3:8: level: 'fatal' is not one of"),
        (("why: ", "plain: {level: note, check: links}\nwhy: "), "9:29: there is no predicate 'links'"),
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
    outcome = run("check", tree({**NO_FRONT_MATTER, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": rule}))
    if place is None:
        assert outcome.code == 1
        return
    assert outcome.code == 2
    assert "team/no-tidy.yaml:" in outcome.err
    assert place in outcome.err


def test_a_level_above_the_clause_is_refused(tree: Tree, run: Run) -> None:
    rule = RULE.replace("summary:", "clause: skill.short-body\nsummary:").replace("level: warning", "level: error")
    outcome = run("check", tree({**NO_FRONT_MATTER, "skillbag.toml": 'rules = ["team"]\n', "team/no-tidy.yaml": rule}))
    assert outcome.code == 2
    assert "too high: the clause gives at most warning" in outcome.err


def test_a_level_turns_a_rule_on_that_is_off(tree: Tree, run: Run) -> None:
    text = skill("a", "Count the words of a file.")
    root = tree({"skills/a/SKILL.md": text, "skillbag.toml": 'levels = {description-when-missing = "error"}\n'})
    assert levels(run, root) == [("description-when-missing", "error")]


@pytest.mark.parametrize(("level", "plain"), [("warning", "warning"), ("off", None), ("", "note")])
def test_a_level_counts_in_plain_skills_too(tree: Tree, run: Run, level: str, plain: str | None) -> None:
    texts = {
        "skillbag.toml": 'select = ["metadata-not-text", "no-tidy"]\nrules = ["team"]\n'
        + (f'levels = {{metadata-not-text = "{level}"}}\n' if level else ""),
        "team/no-tidy.yaml": RULE.replace("level: warning", "level: error\nplain: {level: note}"),
        "skills/a/SKILL.md": skill("a").replace("\n---\n", "\nmetadata: {a: [b]}\n---\n", 1),
        "skills/b/SKILL.md": "None.\n",
    }
    expected = [("metadata-not-text", plain)] if plain else []
    assert levels(run, tree(texts)) == [*expected, ("no-tidy", "note")]


def test_one_that_is_no_text(tree: Tree, run: Run) -> None:
    root = tree(BAD)
    (root / "skillbag.toml").write_bytes(b"select = ['\xff']\n")
    outcome = run("check", root)
    assert (outcome.code, outcome.out) == (2, "")
    assert "skillbag.toml: this is not" in outcome.err


def test_one_that_is_too_large(tree: Tree, run: Run) -> None:
    outcome = run("check", tree({**BAD, "skillbag.toml": "#" * ((1 << 20) + 1)}))
    assert (outcome.code, "skillbag.toml: it can't be read: it is larger than 1 MiB" in outcome.err) == (2, True)


def test_a_folder_of_its_name_is_passed_over(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml/x": "", "pyproject.toml": '[tool.skillbag]\nignore = ["links"]\n'})
    assert levels(run, root) == [MATTER]


def test_our_own_file_comes_before_the_project(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml": "", "pyproject.toml": '[tool.skillbag]\nignore = ["links"]\n'})
    assert levels(run, root) == [LINK, MATTER]


def test_a_project_file_by_another_name_is_one_of_ours(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "my.toml": 'ignore = ["links"]\n', "sub/pyproject.toml": "[tool.other]\n"})
    assert levels(run, root, "--config", str(root / "my.toml")) == [MATTER]
    assert levels(run, root, "--config", str(root / "sub/pyproject.toml")) == [LINK, MATTER]


def test_excluded_skills_of_a_plain_tree_are_not_read(tree: Tree, run: Run) -> None:
    root = tree({**BAD, "skillbag.toml": 'exclude = ["skills/b/"]\n'})
    report = json.loads(run("check", root, "--format=json", cwd=root).out)
    assert (report["summary"]["skills"], report["targets"][0]["kind"]) == (1, "skills")


def test_an_excluded_target_leaves_the_others(tree: Tree, run: Run) -> None:
    other = {f"x/{name}": text for name, text in BAD.items()}
    root = tree({**BAD, **other, "skillbag.toml": 'exclude = ["x"]\n'})
    assert levels(run, root) == [LINK, MATTER]


def test_an_excluded_file_of_a_workspace_has_no_findings(tree: Tree, run: Run) -> None:
    root = tree(
        {"SKILLBAG.md": "wrong\n", ".skills/a/SKILL.md": "x\n", "skillbag.toml": 'exclude = [".skills/a/**"]\n'}
    )
    assert "frontmatter-invalid" not in dict(levels(run, root))
    assert "catalog-missing" in dict(levels(run, root))
