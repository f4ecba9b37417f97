"""`Bash(git:*)`: where git may put files, and that hooks do not come from there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skillbag.agents.permissions.allowed_tools import refusal
from tests.agents.permissions.path_worlds import is_allowed
from tests.agents.permissions.shells import lines_of

GIT = "Bash(git:*)"
HOOKED, UNSAFE, _LINES = map(lines_of, ("git_hooked", "places_unsafe", "places_git"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a workspace, and a folder for temporary files beside it."""
    home = tmp_path / "home"
    for folder in ("projects/app/src", "projects/other", "Library/LaunchAgents", "bin"):
        (home / folder).mkdir(parents=True)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    app = home / "projects/app"
    subprocess.run(["git", "init", "-q", "-b", "main", str(app)], check=True)
    (app / "link").symlink_to(home / "Library/LaunchAgents")
    (app / "up").symlink_to("..")
    return home


def _passes(line: str, home: Path) -> bool:
    return is_allowed(GIT, "Bash", {"command": line}, str(home / "projects/app"))


@pytest.mark.slow
@pytest.mark.parametrize("place", UNSAFE)
def test_git_puts_no_files_outside_of_the_workspace_but_in_safe_places(place: str, home: Path) -> None:
    path = place.format(home=home, scratch=home.parent / "scratch")
    for line in _LINES:
        if (line.startswith(("git -C", "cd")) and not path.startswith("/")) or (path == "/tmp" and "mv" in line):
            continue
        assert not _passes(line.format(path), home), line


@pytest.mark.parametrize(
    "place",
    [
        "new",
        "src/new",
        ".worktrees/x",
        ".github/x",
        "{home}/projects/app/new",
        "../app-fix",
        "{home}/projects/app-fix",
        "{home}/projects/app-fix/deep",
        "/tmp/x",
        "/var/tmp/x/y",
        "{scratch}/x",
    ],
)
@pytest.mark.parametrize("line", [line for line in _LINES if "src" not in line])
def test_it_may_put_them_into_the_workspace_beside_it_under_its_name_and_into_temporary_folders(
    place: str, line: str, home: Path
) -> None:
    assert _passes(line.format(place.format(home=home, scratch=home.parent / "scratch")), home)


def test_a_refusal_names_the_safe_places(home: Path) -> None:
    why = refusal(GIT, "Bash", {"command": "git worktree add ../new main"}, str(home / "projects/app"))

    safe = "take one in the workspace, app-NAME beside it, or a temporary folder"
    assert why == f"`../new` is no safe place for files: {safe}"


@pytest.mark.parametrize("name", ["Library/LaunchAgents", "AppData/x", "Documents/PowerShell", ".config/git", "bin"])
def test_a_home_that_is_the_workspace_has_unsafe_places_too(name: str, home: Path) -> None:
    assert not is_allowed(GIT, "Bash", {"command": f"git clone https://example.com/x {name}"}, str(home))
    assert is_allowed(GIT, "Bash", {"command": "git clone https://example.com/x notes/x"}, str(home))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("line", HOOKED)
@pytest.mark.parametrize("where", ["", "--global"])
def test_git_puts_nothing_into_the_folder_that_core_hookspath_names(line: str, where: str, home: Path) -> None:
    app = home / "projects/app"
    (app / ".husky").mkdir()
    (app / "hidden").symlink_to(".husky")
    assert _passes("git checkout evil -- src", home)
    assert all(_passes(hooked, home) for hooked in HOOKED)

    subprocess.run(["git", "config", *where.split(), "core.hooksPath", ".husky"], cwd=app, check=True)
    assert not _passes(line, home)
    assert _passes("git checkout evil -- src", home)
    assert _passes("git mv a src/b", home)
    assert _passes("git worktree add .worktrees/x", home)


def test_no_folder_above_that_of_the_hooks_is_made_either(home: Path) -> None:
    app = home / "projects/app"
    assert _passes("git clone https://example.com/x tools", home)
    subprocess.run(["git", "config", "core.hooksPath", "tools/hooks"], cwd=app, check=True)

    assert not _passes("git clone https://example.com/x tools", home)
    assert not _passes("git clone https://example.com/tools", home)
    assert _passes("git clone https://example.com/x other", home)


@pytest.mark.parametrize(
    "line",
    [
        "git mv x .husky/pre-commit",
        "git checkout -q n -- .husky/pre-commit",
        "git restore --source=n .husky/pre-commit",
        "git worktree add -q .husky h",
        "git clone -q -b h . .husky",
    ],
)
def test_the_real_git_runs_what_it_puts_there(line: str, home: Path) -> None:
    app, log = home / "projects/app", home / "log"
    someone = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**someone, "PATH": os.environ["PATH"], "HOME": str(home)}
    script = f"printf '#!/bin/sh\\necho hit >>{log}\\n'"
    setup = (
        f"{script} >x; chmod +x x; git add x; git commit -qm a;"
        " git checkout -qb n; mkdir .husky; cp x .husky/pre-commit;"
        " git add .; git commit -qm n; git checkout -qb h; git mv .husky/pre-commit pre-commit; git commit -qm h;"
        " git checkout -q main; git config core.hooksPath .husky"
    )
    if "mv" in line:
        setup += "; mkdir .husky"

    def run(command: str) -> None:
        subprocess.run(
            ["/bin/bash", "-c", command], cwd=app, env=environment, capture_output=True, check=False, timeout=300
        )

    run(setup)
    log.unlink(missing_ok=True)
    assert not _passes(line, home)
    run(f"{line}; git commit -q --allow-empty -m c")
    assert log.exists()
