"""`tools/generate.py`: no generated file is stale, stale ones are named; and clauses and rules belong together."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from picture import pictures

from tests.fleet.conformance.suite import SUITE
from tests.lint.checks.rule_files import CLAUSES, RULE_FILES
from tests.support import PROJECT, Completed

SOURCES = (
    "tools",
    "rules",
    "hosts",
    "conformance",
    "schemas",
    "docs",
    "examples",
    "benchmarks/results",
    "skillbag/lint/rules/index.py",
    "skillbag/fleet/conformance/kit.py",
    "skillbag/kernel/hosts",
    "skillbag/skill_sdk.py",
    "README.md",
    "pyproject.toml",
    *(path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("skillbag/*/README.md")),
    "action.yml",
    ".pre-commit-hooks.yaml",
)


CLAUSES_TABLE = PROJECT.parent / "shared" / "spec" / "clauses.md"
THE_TEXT = CLAUSES_TABLE.with_name("SKILLBAG-v0.3.0.md")


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


@pytest.mark.slow
def test_nothing_is_stale_and_every_lint_clause_has_a_rule() -> None:
    assert generate(PROJECT, "--check") == Completed(0, "", "")


@pytest.mark.nightly
def test_stale_files_and_a_clause_without_a_rule_are_named_and_the_files_written(project: Path) -> None:
    (project / "rules/standard/catalog-unsorted.yaml").unlink()
    page = project / "docs/rules/catalog-missing.md"
    right = page.read_bytes()
    page.write_bytes(right + b"More.\n")
    outcome = generate(project, "--check")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    stale = {line.split(";")[0].removeprefix("stale: docs/") for line in lines if line.startswith("stale: docs")}
    assert stale >= {"clauses.md", "rules/catalog-missing.md", "rules/catalog-unsorted.md"}
    assert "no rule holds the clause root.catalog-sorted" in lines
    assert page.read_bytes() == right + b"More.\n"
    assert generate(project).code == 0
    assert page.read_bytes() == right
    assert not (project / "docs/rules/catalog-unsorted.md").exists()
    row = next(line for line in (project / "docs/clauses.md").read_text().splitlines() if "root.catalog-sorted" in line)
    assert "| **no rule** |" in row


@pytest.mark.nightly
def test_an_agent_of_the_hosts_is_on_the_page_about_folders_after_one_run(project: Path) -> None:
    shutil.copytree(PROJECT / "skillbag", project / "skillbag", dirs_exist_ok=True)
    for path in PROJECT.iterdir():
        if not (project / path.name).exists():
            (project / path.name).symlink_to(path)
    hosts = project / "hosts/others.yaml"
    hosts.write_text(hosts.read_text("utf-8").replace("title: Zencoder", "title: Zentest"), "utf-8")
    command = [sys.executable, f"{project}/tools/generate.py"]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| Zentest |" in (project / "docs/agent-folders.md").read_text("utf-8")


def test_a_rule_that_cannot_be_used_stops_it_before_it_writes(project: Path) -> None:
    rule = project / "rules/standard/catalog-unsorted.yaml"
    rule.write_text(rule.read_text("utf-8").replace("clause: root.catalog-sorted", "clause: root.sordid"), "utf-8")
    (project / "docs/rules.md").unlink()
    outcome = generate(project)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"{rule}:2:9: the standard has no clause 'root.sordid'")
    assert not (project / "docs/rules.md").exists()


def test_rules_name_clauses_that_lint_proves() -> None:
    proved = {clause.id for clause in CLAUSES.values() if "lint" in clause.proved_by}
    assert {rule.written.clause for rule in RULE_FILES} <= {*proved, None}


def test_rules_of_one_clause_with_one_predicate_differ_in_options() -> None:
    seen: dict[str, str] = {}
    for rule in RULE_FILES:
        key = f"{rule.written.check} {rule.written.options} {rule.written.when} {sorted(rule.written.targets)}"
        assert seen.setdefault(key, rule.written.id) == rule.written.id


def test_the_clauses_are_those_of_the_shared_table() -> None:
    if not CLAUSES_TABLE.is_file():
        pytest.skip("the table of clauses (../shared/spec/clauses.md) is not beside the project")
    rows = re.findall(
        r"^\| ([a-z]+\.[a-z-]+) \| ([A-Z ]+?)(?:,[^|]*)? \| .* \| (.*) \|$", CLAUSES_TABLE.read_text("utf-8"), re.M
    )
    assert [(clause.id, clause.level) for clause in CLAUSES.values()] == [(name, level) for name, level, _ in rows]
    # Beyond the table, a check finds within one file what an installation would stop at.
    held = {clause.id for clause in CLAUSES.values() if "lint" in clause.proved_by}
    assert held == {*(name for name, _, by in rows if re.search(r"\blints?\b", by)), "resolution.dependency-conflict"}


def test_each_clause_has_its_section_and_words_of_the_standard() -> None:
    if not THE_TEXT.is_file():
        pytest.skip("the text of the standard (../shared/spec/SKILLBAG-v0.3.0.md) is not beside the project")
    text = THE_TEXT.read_text("utf-8")
    for clause in SUITE.clauses:
        _, heading, section = text.partition(f"# {clause.section}\n")
        assert heading, clause.id
        assert clause.sentence in " ".join(section.split()), clause.id
        assert set(clause.profiles) & {"agent", "source", "workspace"}, clause.id


def test_the_pictures_follow_the_import_contracts(tmp_path: Path) -> None:
    text = (PROJECT / "pyproject.toml").read_text("utf-8")
    swapped = tmp_path / "pyproject.toml"
    swapped.write_text(text.replace('  "agents",\n  "report",\n', '  "report",\n  "agents",\n'), "utf-8")
    for pyproject, order in ((PROJECT / "pyproject.toml", ("agents", "report")), (swapped, ("report", "agents"))):
        generated = pictures(pyproject)
        assert re.findall("^(agents|report) ", generated["skillbag"], re.MULTILINE) == [*order]
        assert re.search(r"^fs  .*\nhosts  .*\n(.*\n)* +\|\nbase  ", generated["skillbag.kernel"], re.MULTILINE)
