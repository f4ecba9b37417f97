"""The GitHub workflow: valid, with few rights, and honest where the program is not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillbag import __version__
from skillbag.bootstrap.address import parse_address
from skillbag.bootstrap.plan import Act, CannotInitError
from skillbag.bootstrap.workflow import PATH, workflow, workflow_action

REPOS = ["team/skillbag", "https://git.example.com/team/skillbag.git", "git@example.com:team/skillbag.git"]


def steps(repo: str) -> list[dict[str, Any]]:
    text = workflow(parse_address(repo))
    found: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["check"]["steps"]
    return found


@pytest.mark.parametrize("repo", REPOS)
def test_it_is_a_workflow(tmp_path: Path, repo: str) -> None:
    path = tmp_path / "skillbag.yml"
    path.write_text(workflow(parse_address(repo)))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}


def test_it_checks_with_the_program_that_it_has_installed() -> None:
    found = steps("https://git.example.com/team/skillbag.git")
    assert found[-1]["run"] == "skillbag check --format github"
    assert [step["uses"].split("@")[0] for step in found[:2]] == ["actions/checkout", "actions/setup-python"]


def test_a_workflow_without_a_program_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CannotInitError, match="give --repo"):
        workflow_action(str(tmp_path), None)
    path = tmp_path / PATH
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")
    assert workflow_action(str(tmp_path), None).act is Act.KEEP


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
