"""Passwords in addresses are findings, random or not, and no report shows them; what stands for one is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

PLACES = {
    "CONTEXT.md": "context-secret",
    "USER_CONTEXT.md": "context-secret",
    "SKILLBAG.md": "secret",
    ".skills/tidy/SKILL.md": "secret",
    ".skills/tidy/references/a.md": "secret",
}


def workspace(tree: Tree, place: str, line: str) -> Path:
    files = {
        "SKILLBAG.md": "SkillBag v0.3.0\n",
        ".skills/SKILLS.md": "tidy: Tidy a folder. Use when files lie about.\n",
        ".skills/tidy/SKILL.md": skill("tidy"),
    }
    return tree({**files, place: f"{files.get(place, '')}\n{line}\n"})


def report(run: Run, root: Path, form: str = "json") -> str:
    return run("check", "--select", "secret,context-secret", "--format", form, cwd=root).out


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("address", ["https://bob:hunter2@host/x.git", "ssh://bob:correct-horse@git.example.com/x.git"])
def test_a_password_in_an_address_is_a_finding_and_not_shown(tree: Tree, run: Run, place: str, address: str) -> None:
    root = workspace(tree, place, f"  source: {address}")
    (finding,) = json.loads(report(run, root))["findings"]
    assert (finding["rule"], finding["path"], finding["level"]) == (PLACES[place], place, "warning")
    password = address.split("@")[0].rpartition(":")[2]
    for form in ("json", "text", "sarif", "github", "gitlab", "junit", "markdown"):
        assert password not in report(run, root, form)


@pytest.mark.parametrize(
    "address",
    [
        "https://user:password@example.com/x.git",
        "https://user:pass@host/x",
        "https://bob:${TOKEN}@example.com/x.git",
        "https://bob:$TOKEN@example.com/x.git",
        "https://bob:<token>@example.com/x.git",
        "https://bob:{token}@example.com/x.git",
        "https://bob:YOUR_TOKEN@example.com/x.git",
        "https://x-access-token:xxxx@example.com/x.git",
        "https://bob:***@example.com/x.git",
        "postgres://postgres:postgres@db/app",
        "postgres://app:devpw@localhost:5432/app",
        "ssh://git@example.com:22/x.git",
        "https://example.com/a:b@c",
    ],
)
def test_what_stands_for_a_password_is_none(tree: Tree, run: Run, address: str) -> None:
    assert json.loads(report(run, workspace(tree, "CONTEXT.md", address)))["findings"] == []


@pytest.mark.parametrize("name", ["awesome-skills", "agent-skills-superpowers", "signed-skills", "skillbag-utils"])
def test_published_skills_have_none(corpus: Callable[[str], Path], run: Run, name: str) -> None:
    found = json.loads(run("check", "--select", "secret", "--format", "json", corpus(name)).out)["findings"]
    assert not [one for one in found if "Basic Auth" in one["message"]]
