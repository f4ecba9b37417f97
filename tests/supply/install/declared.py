"""What context files and skills declare, the sources of it, and what is installed and locked of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.supply.install.outcomes import lock_of, statuses
from tests.supply.install.worlds import call, make_workspace, source_files
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run


def need(name: str, source: str | None = None, version: str | None = None, **more: str) -> dict[str, str]:
    """A dependency as it is declared."""
    given = {"name": name, "source": source, "version": version, **more}
    return {key: value for key, value in given.items() if value is not None}


def body_of(workspace: Path, name: str) -> str:
    """The last words of an installed skill."""
    return (workspace / ".skills" / name / "SKILL.md").read_text().splitlines()[-1]


def overrides(text: str) -> str:
    """A context file with this override."""
    return f"```yaml\noverrides:\n  {text}\n```\n"


def declare(workspace: Path, *dependencies: dict[str, str]) -> None:
    """Replace `CONTEXT.md`."""
    template = make_workspace(workspace.parent / "template", dependencies)
    (workspace / "CONTEXT.md").write_bytes((template / "CONTEXT.md").read_bytes() if dependencies else b"# Context\n")


def asked_by(workspace: Path) -> dict[str, list[str]]:
    """Who asked for each skill of the lock."""
    return {name: locked["asked_by"] for name, locked in lock_of(workspace).items()}


def works(run: Run, workspace: Path, *arguments: object) -> dict[str, str]:
    """Run a command that must succeed; the status of each skill. A dry run before it must report the same."""
    dry = call(run, workspace, *arguments, "--dry-run") if "remove" in arguments or "install" in arguments else None
    code, values = call(run, workspace, *arguments)
    assert code == 0, values["problems"]
    assert dry is None or dry[1]["changed"] == values["changed"]
    return statuses(values)


def commit(repository: Repository, skills: dict[str, str]) -> str:
    """A commit of a source with these skills on `main`."""
    return repository.commit(source_files(skills))


def repository(folder: Path, *versions: Mapping[str, str]) -> Repository:
    """A git source with a tag v1, v2 … for each state of its skills."""
    made = make_repository(folder)
    for number, skills in enumerate(versions, 1):
        made.git("tag", f"v{number}", made.commit(source_files(skills)))
    return made


def fresh(tmp_path: Path, number: int, dependencies: Iterable[Mapping[str, str]], user_context: str = "") -> Path:
    """A workspace of its own beside the others, so that sources are at `../`."""
    return make_workspace(tmp_path / f"work{number}", dependencies, user_context)
