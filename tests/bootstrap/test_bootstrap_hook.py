"""The pre-commit hook goes into real-looking configurations; every byte that is there stays."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillbag import __version__
from skillbag.bootstrap.address import parse_address
from skillbag.bootstrap.hook import CONFIG, TRIGGER, hook_action, hook_entry
from skillbag.bootstrap.plan import Act, CannotInitError, SetupPlan, apply

SAMPLE = """\
# See the manual for more hooks
repos:
-   repo: https://github.com/pre-commit/pre-commit-hooks
    rev: v3.2.0
    hooks:
    -   id: trailing-whitespace
    -   id: end-of-file-fixer
"""
WITH_SETTINGS = """\
---
default_language_version: {python: python3.11}   # all of them
exclude: |
  (?x)^(
    vendored/
  )$

repos:
  # first the quick ones
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: "v0.6.9"  # bumped by a bot
    hooks:
      - id: ruff
        args: [--fix, --exit-non-zero-on-fix]
      # - id: ruff-format

# the service reads this
ci:
  autofix_prs: false
"""
FOLDED_END = """\
repos:
    - repo: local
      hooks:
          - id: types
            name: types
            language: system
            entry: >-
                mypy
                --strict

            # the folded text above ends here


"""
CRLF = SAMPLE.replace("\n", "\r\n")
OPEN = "fail_fast: true\nrepos:\n  - repo: meta\n    hooks: [{id: check-hooks-apply}]  # no line end after this"
BYTE_ORDER_MARK = "\ufeff# ümlaut\n" + SAMPLE


def config(root: Path, text: str) -> Path:
    path = root / CONFIG
    path.write_bytes(text.encode())
    return path


def add(root: Path, repo: str | None = None) -> Act:
    action = hook_action(str(root), parse_address(repo) if repo else None)
    apply(SetupPlan(str(root), (action,)))
    return action.act


def validate(path: Path) -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("repo", [None, "team/skillbag"])
@pytest.mark.parametrize("old", [SAMPLE, WITH_SETTINGS, FOLDED_END, CRLF, OPEN, BYTE_ORDER_MARK])
def test_the_hook_is_the_last_repository_and_all_else_stays(tmp_path: Path, old: str, repo: str | None) -> None:
    path = config(tmp_path, old)
    add(tmp_path, repo)
    new = path.read_bytes().decode()
    before, after = yaml.safe_load(old), yaml.safe_load(new)
    assert after["repos"][:-1] == before["repos"]
    assert {**after, "repos": None} == {**before, "repos": None}
    assert [hook["id"] for hook in after["repos"][-1]["hooks"]] == ["skillbag-check"]
    at = next(at for at in range(len(old) + 1) if new[:at] + new[len(new) - len(old) + at :] == old)
    added = new[at : at + len(new) - len(old)]
    assert added.count("\r\n") == (added.count("\n") if "\r" in old else 0)
    validate(path)
    assert add(tmp_path, repo) is Act.KEEP


def test_where_the_entry_goes(tmp_path: Path) -> None:
    path = config(tmp_path, WITH_SETTINGS)
    add(tmp_path, "team/skillbag")
    entry = hook_entry(parse_address("team/skillbag"), "  ")
    assert path.read_text() == WITH_SETTINGS.replace(
        "      # - id: ruff-format\n", f"      # - id: ruff-format\n{entry}"
    )


@pytest.mark.parametrize(
    "old", [None, "", "# nothing yet\n", "fail_fast: true", "repos:\n", "# x\nrepos:  # none yet\n\nci: {}\n"]
)
def test_a_configuration_without_repositories(tmp_path: Path, old: str | None) -> None:
    if old is not None:
        config(tmp_path, old)
    add(tmp_path)
    text = (tmp_path / CONFIG).read_text()
    assert [repo["repo"] for repo in yaml.safe_load(text)["repos"]] == ["local"]
    assert all(line in text for line in (old or "").splitlines())
    validate(tmp_path / CONFIG)


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("repos: []\n", "usual"),
        ("repos: [{repo: meta, hooks: [{id: identity}]}]\n", "usual"),
        ("{repos: []}\n", "usual"),
        ("- repo: meta\n", "usual"),
        ("repos: none\n", "usual"),
        ("repos:\n  a: b\n", "usual"),
        ("fail_fast: true\n...\n", "usual"),
        ("  fail_fast: true\n", "usual"),
        ("repos:\n - repo: meta\n  hooks: []\n", "line 3"),
        ("files: &these x\nrepos:\n- repo: meta\n", "line 1"),
    ],
)
def test_an_unusual_shape_is_refused_with_the_text_to_add(tmp_path: Path, old: str, words: str) -> None:
    path = config(tmp_path, old)
    with pytest.raises(CannotInitError, match=words) as refusal:
        add(tmp_path)
    assert path.read_text() == old
    assert hook_entry(None, "  ") in str(refusal.value)


def test_the_installed_program_is_called(tmp_path: Path) -> None:
    add(tmp_path)
    assert yaml.safe_load((tmp_path / CONFIG).read_text()) == {"repos": [{"repo": "local", "hooks": [LOCAL]}]}


LOCAL: dict[str, Any] = {
    "id": "skillbag-check",
    "name": "skillbag check",
    "entry": "skillbag check",
    "language": "system",
    "pass_filenames": False,
    "files": TRIGGER,
}


def test_a_published_repository_is_named_with_this_version(tmp_path: Path) -> None:
    add(tmp_path, "git@example.com:team/skillbag.git")
    assert yaml.safe_load((tmp_path / CONFIG).read_text())["repos"] == [
        {"repo": "git@example.com:team/skillbag.git", "rev": f"v{__version__}", "hooks": [{"id": "skillbag-check"}]}
    ]


@pytest.mark.parametrize(
    "path",
    [
        "SKILLBAG.md", "docs/AGENTS.md", "CONTEXT.md", "a/USER_CONTEXT.md", "SKILL.md", "deep/er/skill.MD",
        ".skills/SKILLS.md", "a/.skills/x/scripts/run", ".claude/skills/x/data.bin", "skills/x", "skillbag.toml",
        "a/pyproject.toml",
    ],
)  # fmt: skip
def test_paths_that_set_the_hook_off(path: str) -> None:
    assert re.search(TRIGGER, path)


@pytest.mark.parametrize(
    "path", ["README.md", "myskills/x", "skills", "src/a.py", "SKILLBAG.md.bak", "agents.md", "xskillbag.toml"]
)
def test_paths_that_do_not(path: str) -> None:
    assert not re.search(TRIGGER, path)
