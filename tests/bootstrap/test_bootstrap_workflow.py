"""The GitHub workflow: valid, with few rights, and honest where the program is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillbag import __version__
from skillbag.bootstrap.address import parse_address
from skillbag.bootstrap.plan import CannotInitError
from skillbag.bootstrap.workflow import workflow

REPOS = [None, "team/skillbag", "https://git.example.com/team/skillbag.git", "git@example.com:team/skillbag.git"]


def steps(repo: str | None) -> list[dict[str, Any]]:
    text = workflow(parse_address(repo) if repo else None)
    found: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["check"]["steps"]
    return found


@pytest.mark.parametrize("repo", REPOS)
def test_it_is_a_workflow(tmp_path: Path, repo: str | None) -> None:
    path = tmp_path / "skillbag.yml"
    path.write_text(workflow(parse_address(repo) if repo else None))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}


def test_it_checks_with_the_installed_program() -> None:
    assert steps(None)[-1]["run"] == "skillbag check --format github"
    assert [step["uses"].split("@")[0] for step in steps(None)[:2]] == ["actions/checkout", "actions/setup-python"]


@pytest.mark.parametrize("installed", [False, True])
def test_it_says_when_there_is_no_program(tmp_path: Path, installed: bool) -> None:
    if installed:
        (tmp_path / "skillbag").write_text("#!/bin/sh\n")
        (tmp_path / "skillbag").chmod(0o755)
    look = next(step["run"] for step in steps(None) if step.get("name") == "Look for skillbag")
    shell = ["/bin/bash", "-e", "-c", look]
    done = subprocess.run(shell, env={"PATH": os.fspath(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if installed else 1)
    assert ("::error::skillbag is not installed" in done.stdout) is not installed


@pytest.mark.parametrize(
    "address",
    ["team/skillbag", "https://github.com/team/skillbag", "https://github.com/team/skillbag.git",
     "git@github.com:team/skillbag.git", "ssh://git@github.com/team/skillbag", "team/skillbag.git"],
)  # fmt: skip
def test_on_github_it_uses_the_action(address: str) -> None:
    assert [step.get("uses") for step in steps(address)][-1] == f"team/skillbag@v{__version__}"


@pytest.mark.parametrize(
    ("address", "requirement"),
    [
        ("https://git.example.com/team/skillbag.git", "git+https://git.example.com/team/skillbag.git"),
        ("git@example.com:team/skillbag.git", "git+ssh://git@example.com/team/skillbag.git"),
        ("file:///srv/skillbag", "git+file:///srv/skillbag"),
    ],
)
def test_elsewhere_it_installs_from_the_repository(address: str, requirement: str) -> None:
    assert steps(address)[-2]["run"] == f"python -m pip install {requirement}@v{__version__}"
    assert steps(address)[-1]["run"] == "skillbag check --format github"


@pytest.mark.parametrize(
    "address",
    ["", "team", "team/skill bag", "../skillbag", "-x/y", "http://example.com/x", "https://example.com/x;rm",
     "https://example.com/$(id)", "ext::sh -c id", "https://example.com/x\nrun: id", "a/b/c", "--upload-pack=x"],
)  # fmt: skip
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(CannotInitError, match="owner/name"):
        parse_address(address)


def test_a_password_is_not_written_and_not_repeated() -> None:
    with pytest.raises(CannotInitError, match="password") as refusal:
        parse_address("https://me:hunter2@example.com/x.git")
    assert "hunter2" not in str(refusal.value)
