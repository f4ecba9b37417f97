"""A folder as a source: what people keep in a working tree is no reason to refuse it (what is: `hostile_sources`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.supply.sources import folder
from skillbag.supply.sources.fetched import InvalidSourceError
from tests.support import Tree, skill
from tests.unprivileged import dropped

SOUND = {"AGENTS.md": "# SKILLBAG\n", ".skills/a/SKILL.md": skill("a"), ".skills/a/b/c.md": "c\n"}
posix = pytest.mark.skipif(os.name != "posix", reason="links as on Unix")


def test_a_sound_folder(tree: Tree) -> None:
    folder.check(str(tree(SOUND)))


def test_missing_parts_are_no_fault(tmp_path: Path) -> None:
    folder.check(str(tmp_path))
    folder.check(str(tmp_path / "none"))


@posix
def test_parts_of_the_source_may_be_links_within_it(tree: Tree) -> None:
    root = tree({"README.md": "x\n", "skills/a/SKILL.md": skill("a"), "more/b/SKILL.md": skill("b")})
    (root / "AGENTS.md").symlink_to("README.md")
    (root / ".skills").symlink_to("skills")
    (root / ".skills/b").symlink_to(root / "more/b")
    folder.check(str(root))
    (root / "more/b/x").symlink_to("../c")
    with pytest.raises(InvalidSourceError, match=r"'\.skills/b/x': the link to '\.\./c' leaves its skill"):
        folder.check(str(root))


@posix
def test_the_folder_itself_may_be_reached_by_a_link(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "link"
    root = tree(SOUND)
    (root / ".skills/a/d.md").symlink_to("b/c.md")
    elsewhere.symlink_to(root)
    folder.check(str(elsewhere))


@posix
def test_broken_links_are_left_to_the_rules(tree: Tree) -> None:
    root = tree(SOUND)
    for name in (".skills/b", ".skills/a/x", ".skills/a/b/y"):
        (root / name).symlink_to("none")
    folder.check(str(root))
    (root / ".skills/c").symlink_to("c")
    with pytest.raises(InvalidSourceError, match="leads in a circle"):
        folder.check(str(root))


@posix
def test_files_that_are_never_installed_are_not_checked(tree: Tree) -> None:
    junk = {".skills/a/.git/config": "x\n", ".skills/a/node_modules/nul": "x\n", ".skills/.DS_Store": "x\n"}
    root = tree({**SOUND, **junk, ".skills/b/.git": "gitdir: elsewhere\n", "docs/aux.c": "x\n"})
    (root / ".skills/a/node_modules/x").symlink_to("/etc/passwd")
    (root / ".skills/a/.venv").symlink_to("/usr")
    (root / "link").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    folder.check(str(root))


@posix
def test_all_faults_of_a_folder_are_reported_at_once(tree: Tree) -> None:
    root = tree({**SOUND, ".skills/b/SKILL.md": skill("b"), ".skills/b/con": "x\n"})
    (root / ".skills/a/x").symlink_to("/etc/passwd")
    os.mkfifo(root / ".skills/b/pipe")
    with pytest.raises(InvalidSourceError) as refused:
        folder.check(str(root))
    assert [fault.partition(":")[0] for fault in refused.value.faults] == [
        "'.skills/a/x'",
        "'.skills/b/con'",
        "'.skills/b/pipe'",
    ]


@posix
def test_a_folder_that_cannot_be_opened_is_an_error(tree: Tree) -> None:
    root = tree(SOUND)
    command = [sys.executable, "-c", f"from skillbag.supply.sources import folder; folder.check({str(root)!r})"]
    for closed in (".skills/a/b", ".skills"):
        (root / closed).chmod(0)
        done = subprocess.run([*dropped(root), *command], capture_output=True, text=True, check=False)
        (root / closed).chmod(0o755)
        assert (
            f"PermissionError: [Errno 13] {'the folder cannot be opened' if closed[-1] == 'b' else ''}" in done.stderr
        )
        assert str(root / closed) in done.stderr
