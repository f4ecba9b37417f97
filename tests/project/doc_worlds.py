"""Everything that the pages mention: sources, skills, folders of the user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.supply.install.worlds import (
    make_source,
    make_workspace,
    skill_text,
    source_files,
    write,
)
from tests.supply.sources.repositories import make_repository, use_own_git_settings
from tests.support import PROJECT, skill

SOURCES = "https://example.com/Org/skills.git\n../our-skills\n"


class World(NamedTuple):
    """The folder that commands are typed in, and the user's home.

    The folder is a workspace with a skill, unless a page makes one itself.
    """

    root: Path
    home: Path

    def type(self, line: str) -> tuple[str, int]:
        """What a shell prints for a line, errors included, and the exit code; its standard input is empty."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        return done.stdout.decode(), done.returncode


def make_world(folder: Path, monkeypatch: pytest.MonkeyPatch, holds: str = "workspace") -> World:
    """Make it; `https://example.com/` leads to repositories within, and `skillbag` is this program.

    `holds` is what is in the folder: a `workspace`, this project's `examples`, or `nothing`.
    """
    world = World(folder / "work", folder / "home")
    _home(world.home, monkeypatch)
    _program(folder / "bin", monkeypatch)
    _published(folder / "published", world.home / "gitconfig", monkeypatch)
    make_source(folder / "our-skills", ["mark-words", "sort-lists"])
    make_workspace(folder / "bag")
    world.root.mkdir()
    if holds == "nothing":
        monkeypatch.delenv("SKILLBAG_SESSION")
        return world
    if holds == "examples":
        shutil.copytree(PROJECT / "examples", world.root / "examples")
    else:
        write(world.root, {".skills/tidy-files/SKILL.md": skill("tidy-files")})
        assert world.type("skillbag init")[1] == 0
    with zipfile.ZipFile(world.root / "tools.zip", "w") as archive:
        for name, text in source_files({"mend-tools": skill_text("mend-tools")}).items():
            archive.writestr(name, text)
    for name in ("sources.txt", "repositories.txt"):
        (world.root / name).write_text(SOURCES, "utf-8")
    return world


def _home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, {"work/tidy-files/SKILL.md": skill("tidy-files")})
    monkeypatch.setenv("HOME", str(home))
    for name in ("CACHE", "STATE", "CONFIG", "PERSONAL"):
        monkeypatch.delenv(f"SKILLBAG_{name}_DIR", raising=False)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    # What the pages call `--session ID`, and what an agent would set.
    monkeypatch.setenv("SKILLBAG_SESSION", "ID")


def _program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    for name, module in (("skillbag", "skillbag"), ("pre-commit", "pre_commit")):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n', "utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def _published(folder: Path, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = ("First.", "Second.")
    one = make_repository(folder / "Org/skills.git")
    for version, body in zip(("v1.2", "v1.3"), bodies, strict=True):
        texts = {name: skill_text(name, body=body) for name in ("lint-docs", "name-things")}
        one.commit(source_files(texts))
        one.git("tag", version)
    plain = {"skills/pdf/SKILL.md": skill("pdf"), "README.md": "Skills for everybody.\n"}
    make_repository(folder / "Org/agent-skills.git").commit(plain)
    forms = skill("pdf-forms", "Fill PDF forms. Use when a form is to be filled in.")
    make_repository(folder / "team/skills.git").commit({"skills/pdf-forms/SKILL.md": forms})
    assert use_own_git_settings(monkeypatch, settings.parent) == settings
    settings.write_text(
        "[user]\n\tname = me\n\temail = me@host.example\n"
        f'[url "{folder.as_uri()}/"]\n\tinsteadOf = https://example.com/\n\tinsteadOf = https://github.com/\n',
        "utf-8",
    )
