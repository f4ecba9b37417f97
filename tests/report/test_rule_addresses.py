"""The addresses of rules: pages that exist, below the project's own address."""

from __future__ import annotations

import json
import tomllib

import pytest

from skillbag import DOCUMENTATION, REPOSITORY
from skillbag.lint.rules.builtin import load_rules
from tests.support import PROJECT, Run, Tree, skill

OWN = (PROJECT / "tests/doors/cli/own_rule.yaml").read_text("utf-8")


def test_the_pages_are_where_the_project_says() -> None:
    urls = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls["Repository"] == REPOSITORY
    assert urls["Documentation"] == f"{DOCUMENTATION}/guide.md"
    for rule in load_rules():
        assert rule.url is not None
        assert (PROJECT / rule.url.replace(DOCUMENTATION, "docs")).is_file()


@pytest.mark.parametrize(
    ("more", "url"), [("", None), ("url: https://wiki.example/skills#own\n", "https://wiki.example/skills#own")]
)
def test_a_rule_of_a_team_has_the_address_that_it_names(tree: Tree, run: Run, more: str, url: str | None) -> None:
    rule = OWN.format(id="own", more=more)
    files = {"skillbag.toml": 'rules = ["team"]\n', "team/own.yaml": rule, "skills/a/SKILL.md": "No front matter.\n"}
    root = tree(files)
    for _ in range(2):  # The second time from the cache.
        found = json.loads(run("check", "--format=json", cwd=root).out)["findings"]
        urls = {finding["rule"]: finding["url"] for finding in found}
        assert urls == {"frontmatter-invalid": f"{DOCUMENTATION}/rules/frontmatter-invalid.md", "own": url}


@pytest.mark.parametrize("url", ["wiki.example/own", "javascript:alert()", "https://wiki.example/a b", "https://x/\\e"])
def test_what_is_no_address_is_refused(tree: Tree, run: Run, url: str) -> None:
    rule = OWN.format(id="own", more=f'url: "{url}"\n')
    root = tree({"skillbag.toml": 'rules = ["team"]\n', "team/own.yaml": rule, "skills/a/SKILL.md": skill("a")})
    outcome = run("check", cwd=root)
    assert (outcome.code, ": url: " in outcome.err) == (2, True)
