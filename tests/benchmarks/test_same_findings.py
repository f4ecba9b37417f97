"""What a commit found and what the working tree finds are compared: a rule that says less does not pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.supply.sources.repositories import git
from tests.support import PROJECT

_FINDINGS = PROJECT / "benchmarks" / "findings"


pytestmark = pytest.mark.nightly


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of the program in a repository of its own, with all of it committed."""
    root = tmp_path / "repository"
    root.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "skillbag", "rules", "schemas"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (PROJECT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((PROJECT / name).read_bytes())
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=One"]):
        git(root, *arguments)
    return root


def findings(repository: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, str(_FINDINGS), "--repository", str(repository), "--against", "HEAD", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="not a checkout: there are no commits to compare with")
def test_a_program_that_finds_less_is_reported_from_one_that_finds_the_same(repository: Path) -> None:
    few = ("--skills", "4", "--damaged", "1", str(PROJECT / "examples"))
    code, out = findings(repository, *few)
    assert (code, out.count("same:"), out.count("DIFFERENT")) == (0, 4, 0)
    assert "0 findings of   0 rules in" in out
    links = repository / "skillbag/lint/checks/links.py"
    text = links.read_text("utf-8")
    (name,) = [line for line in text.splitlines() if line.startswith("def link(")]
    links.write_text(text.replace(name, f"{name}\n    return\n    yield\n", 1), "utf-8")
    code, out = findings(repository, *few)
    assert code == 1
    assert "DIFFERENT" in out
    assert "no more: " in out
    assert " link-broken: `references/glossary.md` does not exist" in out


@pytest.mark.skipif(not (PROJECT / ".git").exists(), reason="not a checkout: there are no commits to compare with")
def test_a_renamed_rule_finds_the_same_in_other_words(repository: Path, tmp_path: Path) -> None:
    rule = repository / "rules/links/link-broken.yaml"
    text = rule.read_text("utf-8").replace("link-broken", "link-gone").replace("` does not exist", "` is gone")
    rule.with_stem("link-gone").write_text(text, "utf-8")
    rule.unlink()
    names = tmp_path / "names.tsv"
    names.write_text("link-broken\tlink-gone\n", "utf-8")
    few = ("--skills", "0", "--damaged", "0", str(PROJECT / "examples"))
    assert findings(repository, *few)[0] == 1
    code, out = findings(repository, *few, "--renamed", str(names))
    assert (code, "DIFFERENT" in out) == (0, False)
