"""Declarations and commits, and what a lock says of them."""

from __future__ import annotations

from pathlib import Path

from tests.install.worlds import call, lock_of, make_workspace, source_files, statuses
from tests.sources.repositories import Repository
from tests.support import Run


def declare(workspace: Path, *dependencies: dict[str, str]) -> None:
    """Write `CONTEXT.md` anew."""
    template = make_workspace(workspace.parent / "template", dependencies)
    (workspace / "CONTEXT.md").write_bytes((template / "CONTEXT.md").read_bytes() if dependencies else b"# Context\n")


def asked_by(workspace: Path) -> dict[str, list[str]]:
    """Who asked for each skill of the lock."""
    return {name: locked["asked_by"] for name, locked in lock_of(workspace).items()}


def works(run: Run, workspace: Path, *arguments: object) -> dict[str, str]:
    """Run a command that must succeed; the status of each skill. A dry run before it must have said the same."""
    dry = call(run, workspace, *arguments, "--dry-run") if "remove" in arguments or "install" in arguments else None
    code, values = call(run, workspace, *arguments)
    assert code == 0, values["problems"]
    assert dry is None or dry[1]["changed"] == values["changed"]
    return statuses(values)


def commit(repository: Repository, skills: dict[str, str]) -> str:
    """A commit of a source with these skills on `main`."""
    return repository.commit(source_files(skills))
