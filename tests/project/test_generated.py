"""`tools/generate.py`: nothing that it makes is stale, and it tells when something is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_the_pages_say_what_the_program_says(run: Run) -> None:
    page = (PROJECT / "docs/rules/catalog-unsorted.md").read_bytes().decode()
    assert run("rule", "catalog-unsorted").out.rstrip() == page.rstrip()
    listed = (PROJECT / "docs/rules.md").read_text("utf-8")
    families = [line for line in run("rule").out.splitlines() if line and not line.startswith(" ")]
    assert [f"## {family}" for family in families] == [line for line in listed.splitlines() if line.startswith("## ")]
