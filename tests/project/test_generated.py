"""`tools/generate.py`: no generated file is stale, stale ones are named; and clauses and rules belong together."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.base.package_data import folder
from skillbag.rules.loader import RuleFile, read_folder
from skillbag.rules.model import Clause, load_clauses
from tests.support import PROJECT, Completed, Run

SOURCES = (
    "tools",
    "rules",
    "schemas",
    "docs",
    "examples",
    "benchmarks/results",
    "skillbag/rules/index.py",
    "README.md",
    "action.yml",
    ".pre-commit-hooks.yaml",
)


RULE_FILES = list(read_folder(folder("rules")))
CLAUSES = load_clauses()
CLAUSES_TABLE = PROJECT.parent / "shared" / "spec" / "clauses.md"


def generate(project: Path, *arguments: str) -> Completed:
    command = [sys.executable, f"{project}/tools/generate.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what is generated and of what it is made from."""
    for name in SOURCES:
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(PROJECT / name, tmp_path / name)
    return tmp_path


def test_nothing_is_stale_and_every_lint_clause_has_a_rule() -> None:
    assert generate(PROJECT, "--check") == Completed(0, "", "")


def test_a_stale_file_is_named_and_then_written(project: Path) -> None:
    generate(project)
    page = project / "docs/rules/catalog-unsorted.md"
    right = page.read_bytes()
    page.write_bytes(right + b"More.\n")
    (project / "docs/rules/gone.md").write_text("# gone\n", "utf-8")
    outcome = generate(project, "--check")
    assert outcome.code == 1
    assert [line.split(";")[0] for line in outcome.out.splitlines() if line.startswith("stale")] == [
        "stale: docs/rules/catalog-unsorted.md",
        "stale: docs/rules/gone.md",
    ]
    assert (page.read_bytes(), generate(project).code) == (right + b"More.\n", 0)
    assert page.read_bytes() == right
    assert not (project / "docs/rules/gone.md").exists()


def test_a_clause_that_lost_its_rule_is_named(project: Path) -> None:
    (project / "rules/standard/catalog-unsorted.yaml").unlink()
    generate(project)
    outcome = generate(project, "--check")
    assert outcome.code == 1
    assert "no rule holds the clause root.catalog-sorted" in outcome.out.splitlines()
    row = next(line for line in (project / "docs/clauses.md").read_text().splitlines() if "root.catalog-sorted" in line)
    assert "| **no rule** |" in row


def test_a_rule_that_cannot_be_used_stops_it_before_it_writes(project: Path) -> None:
    rule = project / "rules/standard/catalog-unsorted.yaml"
    rule.write_text(rule.read_text("utf-8").replace("clause: root.catalog-sorted", "clause: root.sordid"), "utf-8")
    (project / "docs/rules.md").unlink()
    outcome = generate(project)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{rule}:2:9: the standard has no clause 'root.sordid'")
    assert not (project / "docs/rules.md").exists()


def test_the_pages_agree_with_the_program(run: Run) -> None:
    page = (PROJECT / "docs/rules/catalog-unsorted.md").read_bytes().decode()
    assert run("rule", "catalog-unsorted").out.rstrip() == page.rstrip()
    listed = (PROJECT / "docs/rules.md").read_text("utf-8")
    families = [line for line in run("rule").out.splitlines() if line and not line.startswith(" ")]
    assert [f"## {family}" for family in families] == [line for line in listed.splitlines() if line.startswith("## ")]


@pytest.mark.parametrize("clause", [c for c in CLAUSES if "lint" in c.proved_by], ids=lambda clause: clause.id)
def test_a_lint_clause_has_a_rule(clause: Clause) -> None:
    assert [rule.data["id"] for rule in RULE_FILES if rule.data.get("clause") == clause.id]


@pytest.mark.parametrize("rule", RULE_FILES, ids=lambda rule: str(rule.data["id"]))
def test_a_rule_names_a_clause_that_lint_proves_or_none(rule: RuleFile) -> None:
    proved = {clause.id for clause in CLAUSES if "lint" in clause.proved_by}
    assert rule.data.get("clause") in {*proved, None}


def test_rules_of_one_clause_with_one_predicate_differ_in_options() -> None:
    seen: dict[str, str] = {}
    for rule in RULE_FILES:
        key = f"{rule.data['check']} {rule.data.get('options')} {sorted(rule.data['targets'])}"
        assert seen.setdefault(key, rule.data["id"]) == rule.data["id"]


def test_the_clauses_are_those_of_the_shared_table() -> None:
    if not CLAUSES_TABLE.is_file():
        pytest.skip("the table of clauses (../shared/spec/clauses.md) is not beside the project")
    rows = re.findall(
        r"^\| ([a-z]+\.[a-z-]+) \| ([A-Z ]+?)(?:,[^|]*)? \| .* \| (.*) \|$", CLAUSES_TABLE.read_text("utf-8"), re.M
    )
    assert [(clause.id, clause.level) for clause in CLAUSES] == [(name, level) for name, level, _ in rows]
    assert [c.id for c in CLAUSES if "lint" in c.proved_by] == [
        name for name, _, by in rows if re.search(r"\blints?\b", by)
    ]
