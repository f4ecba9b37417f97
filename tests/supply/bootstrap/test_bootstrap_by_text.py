"""An agent that has only what `init` writes: the commands that the texts name work, and so do their steps by hand."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.supply.install.worlds import skill_text, source_files
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")

TEXT = skill_text("tidy", body="Put all in its place.")
TEXTS = ("AGENTS.md", "SKILLBAG.md", ".skills/skillbag-get-skills/SKILL.md")


@pytest.fixture
def workspace(tmp_path: Path, run: Run) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    assert run("init", cwd=folder).code == 0
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "source.git", source_files({"tidy": TEXT}))


def commands(text: str, source: str) -> list[list[str]]:
    """The commands of the program that a text names, for a source with the skill `tidy`."""
    values = {"ADDRESS": source, "SOURCE": source, "NAME": "tidy", "VERSION": "main"}
    lines = re.findall(r"`skillbag ([^`]+)`", text)
    return [[values.get(word, word) for word in line.split()] for line in lines]


def test_what_the_texts_name_works_in_their_order(workspace: Path, source: Repository, run: Run) -> None:
    for name in TEXTS:
        # A table names what to start before what to install.
        named = sorted(commands((workspace / name).read_text(), source.url), key=lambda words: words[0] != "add")
        assert any(words[0] == "add" for words in named), name
        for words in named:
            done = run(*words, cwd=workspace)
            assert done.code == 0, (name, words, done)
    assert "Put all in its place." in run("run", "tidy", cwd=workspace).out
    assert run("check", cwd=workspace).out.splitlines()[-1] == "No findings."


def test_the_steps_by_hand_give_a_workspace_that_conforms(
    workspace: Path, source: Repository, tmp_path: Path, run: Run
) -> None:
    assert run("check", cwd=workspace).out.splitlines()[-1] == "No findings."
    subprocess.run(["git", "clone", "-q", source.url, str(tmp_path / "got")], check=True)
    shutil.copytree(tmp_path / "got/.skills/tidy", workspace / ".skills/tidy")
    catalog = workspace / ".skills/SKILLS.md"
    theirs = (tmp_path / "got/.skills/SKILLS.md").read_text()
    lines = {*catalog.read_text().splitlines(), *theirs.splitlines()}
    catalog.write_text("".join(f"{line}\n" for line in sorted(lines)))
    assert run("check", cwd=workspace).out.splitlines()[-1] == "No findings."
