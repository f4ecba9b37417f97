"""`skillbag explain`: the list, a page, and both as data; a team's own rules beside ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from skillbag.lint.rules.builtin import load_rules
from tests.rows import each_row
from tests.support import PROJECT, Run, Tree

pytestmark = pytest.mark.boundary

OWN = (Path(__file__).parent / "own_rule.yaml").read_text("utf-8")
"""A rule of a team; `str.format` fills in its id and more lines."""


def own(name: str, more: str = "") -> str:
    return OWN.format(id=name, more=more)


def test_the_list_has_every_rule_under_its_family(run: Run, tmp_path: Path) -> None:
    out = run("explain", cwd=tmp_path).out
    family, listed = "", []
    for line in out.splitlines():
        if line and not line.startswith(" "):
            family = line
        elif line:
            listed.append((family, *line.split(maxsplit=2)[:2]))
    assert listed == [(r.family, r.id, r.level.value if r.default else "off") for r in load_rules()]


def test_the_list_as_json(run: Run, tmp_path: Path) -> None:
    listed = json.loads(run("explain", "--json", cwd=tmp_path).out)["rules"]
    assert [rule["id"] for rule in listed] == [rule.id for rule in load_rules()]
    keys = "id family clause level raised roles default heuristic owasp once summary message fix why targets plain"
    assert {tuple(rule) for rule in listed} == {tuple(keys.split())}


def test_the_rules_of_an_owasp_category(run: Run, tmp_path: Path) -> None:
    listed = json.loads(run("explain", "AST05", "--json", cwd=tmp_path).out)["rules"]
    assert [rule["id"] for rule in listed] == [rule.id for rule in load_rules() if "AST05" in rule.owasp]


@pytest.mark.parametrize("rule", ["catalog-unsorted", "secret", "description-when-missing"])
def test_a_page_is_the_one_of_the_guide(run: Run, rule: str, tmp_path: Path) -> None:
    page = run("explain", rule, cwd=tmp_path).out
    assert page.startswith(f"# {rule}\n")
    kept = list((PROJECT / "docs").rglob(f"{rule}.md"))
    assert [path.read_bytes().decode().strip() for path in kept] == [page.strip()]


def test_one_rule_as_json(run: Run, tmp_path: Path) -> None:
    (rule,) = json.loads(run("explain", "frontmatter-invalid", "--json", cwd=tmp_path).out)["rules"]
    assert (rule["clause"], rule["level"], rule["family"]) == ("skill.frontmatter", "error", "standard")


def test_a_rule_of_the_team(tree: Tree, run: Run) -> None:
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/deep/ours.yaml": own("ours", "default: false\n")})
    page = run("explain", "ours", cwd=root).out
    assert page.startswith("# ours\n")
    for words in ("- Level: note", "- Family: deep", "- On by default: no", "- `kinds`: nothing", "Ask the team."):
        assert words in page
    assert "\n### A sound skill\n" in page
    # The fence around the example is longer than any in it.
    assert "`````markdown\n````\n```\n````\n`````\n" in page
    assert "\ndeep\n  ours                               off      A rule of the team.\n" in run("explain", cwd=root).out


def test_a_configuration_by_name(tree: Tree, run: Run) -> None:
    root = tree({"a/one.toml": 'rules = ["team"]\n', "a/team/ours.yaml": own("ours")})
    assert run("explain", "ours", cwd=root).code == 2
    assert run("explain", "ours", "--config", "a/one.toml", cwd=root).code == 0


def test_a_team_rule_does_not_take_the_place_of_ours(tree: Tree, run: Run) -> None:
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/secret.yaml": own("secret"), "skills/a/SKILL.md": "x\n"})
    for arguments in (("explain",), ("check",)):
        outcome = run(*arguments, cwd=root)
        assert outcome.code == 2
        assert "team/secret.yaml:1:5: there is a rule 'secret' already" in outcome.err


def test_two_folders_with_one_id(tree: Tree, run: Run) -> None:
    root = tree({"skillbag.toml": 'rules = ["x", "y"]\n', "x/ours.yaml": own("ours"), "y/ours.yml": own("ours")})
    outcome = run("explain", cwd=root)
    assert "y/ours.yml:1:5: there is a rule 'ours' already" in outcome.err


@each_row(
    ("text", "place"),
    [
        ("- a\n", "ours.yaml:1: a rule is a list of `key: value`"),
        ("id: ours\n\tx\n", "ours.yaml:2:1: "),
        ("id: ours\nid: x\n", "ours.yaml:2:1: the key 'id' is given twice"),
        ("id: ours\n", "ours.yaml:1:1: the key 'summary' is missing"),
        (own("Ours"), "ours.yaml:1:5: id: 'Ours' has another form than is wanted: The file's name without its ending"),
        (
            own("ours").replace("level: note", "level: eror"),
            "level: 'eror' is not one of error, warning, note; did you",
        ),
        (own("ours").replace("level: note", "level: {}"), "level: at least one is needed; known are told, taught"),
        ("", "ours.yaml:1: a rule is a list of `key: value`"),
        (own("ours", "defaut: 1\n"), "ours.yaml:4:9: there is no key 'defaut'"),
        (own("ours").replace('expect: ["a:1"]', "expect: [1]"), "ours.yaml:20:16: examples.fail.0.expect.0: "),
        (own("ours").replace("{{", "{").replace("{detail}", "{detail"), "ours.yaml:6:10: the template can't be read"),
        (own("ours").replace("level: note\n", ""), "ours.yaml:1:1: a rule without a clause says its level"),
        (own("ours", "heuristic: true\n").replace("level: note", "level: error"), ": the level error is too high"),
        (
            own("ours", "raised: {level: warning, when: it is loud}\n").replace("level: note", "level: error"),
            "not above error",
        ),
        (own("ours", "options: {kinds: [1]}\n"), "kinds takes a list of strings"),
        (own("ours", "options: {x: 1}\n"), "skill-problem has no option 'x'"),
    ],
)
def test_a_bad_rule_file_names_its_line(tree: Tree, run: Run, text: str, place: str) -> None:
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/ours.yaml": text})
    outcome = run("explain", cwd=root)
    assert outcome.code == 2
    assert place in outcome.err


def test_folders_of_rules_with_other_names(tree: Tree, run: Run) -> None:
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/ours.YAML": own("ours"), "team/more.Yml": own("more")})
    assert run("explain", "ours", cwd=root).code == run("explain", "more", cwd=root).code == 0
    (root / "skillbag.toml").write_text('rules = ["team/ours.YAML"]\n')
    assert "ours.YAML:1: this is a file; name its folder" in run("explain", cwd=root).err


def test_a_rule_file_that_is_no_text(tree: Tree, run: Run) -> None:
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/clauses.yaml": "not a rule\n", "team/x.txt": "x"})
    assert run("explain", cwd=root).code == 0
    (root / "team/ours.yaml").write_bytes(b"id: ours\nsummary: \xff\n")
    assert "ours.yaml:2:10: byte 0xff is not UTF-8" in run("explain", cwd=root).err
    (root / "team/ours.yaml").write_bytes(own("ours").encode("utf-16"))
    assert "ours.yaml:1:1: byte 0xff is not UTF-8; it is UTF-16, which `iconv -f UTF-16" in run("explain", cwd=root).err


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "skillbag", "explain"], cwd=tmp_path, stdout=writer, stderr=PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_wrong_name_without_a_near_one(run: Run, tmp_path: Path) -> None:
    outcome = run("explain", "zzzzzz", cwd=tmp_path)
    assert outcome.code == 2
    assert "`skillbag explain` lists them all" in outcome.err


def test_a_clause_is_explained(run: Run, tmp_path: Path) -> None:
    text = run("explain", "skill.short-body", cwd=tmp_path).out
    assert text.startswith("skill.short-body (SHOULD; lint): the body stays short")
    assert "body-too-long" in text
    # No rule can hold a clause of behaviour.
    done = run("explain", "precedence.order", cwd=tmp_path)
    assert (done.code, "precedence.order (MUST; inputs): conversation >" in done.out) == (0, True)
    assert "precedence.last-wins (" in run("explain", "precedence", cwd=tmp_path).out
    assert "SHOULD" not in run("explain", "links", cwd=tmp_path).out


@pytest.mark.parametrize(("wrong", "near"), [("link", "links"), ("skill.frontmater", "skill.frontmatter")])
def test_a_wrong_name_near_a_family_or_a_clause(run: Run, wrong: str, near: str, tmp_path: Path) -> None:
    err = run("explain", wrong, cwd=tmp_path).err
    assert f"there is no rule, family or clause '{wrong}'; did you mean '{near}'?" in err


@pytest.mark.parametrize("command", ["explain"])
def test_the_examples_of_the_help_work(run: Run, command: str, tmp_path: Path) -> None:
    lines = run(command, "--help", cwd=tmp_path).out.partition("Examples:")[2].splitlines()
    examples = [line.strip().split("  ")[0].split() for line in lines if line.strip().startswith("skillbag ")]
    assert len(examples) == 4
    assert [run(*words[1:], cwd=tmp_path).code for words in examples] == [0] * 4


def test_what_to_do_reads_without_a_finding(run: Run, tmp_path: Path) -> None:
    rules = json.loads(run("explain", "--json", cwd=tmp_path).out)["rules"]
    fixes = {rule["id"]: rule["fix"] or "" for rule in rules}
    assert [fix for fix in fixes.values() if re.search(r"\{[a-z_]+\}", fix)] == []
    assert [name for name, fix in fixes.items() if not fix] == []
    assert fixes["value-unquoted"] == "Put the value in quotes."
    assert fixes["setting-invalid"] == "Correct it. The finding says how."
    assert fixes["path-broken"].startswith("Correct the path, ")
    assert "## What to do\n\nCorrect the fence." in run("explain", "fence-unclosed", cwd=tmp_path).out
    assert "Rename the folder to `NAME`" in "".join(fixes.values())
    assert "The finding says what NAME and DEFAULT are." in "".join(fixes.values())
