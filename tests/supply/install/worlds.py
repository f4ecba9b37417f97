"""Sources and workspaces as files, made by a few words each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skillbag.kernel.documents.catalog import render
from tests.support import Run

AGENTS = """This repository is a `SKILLBAG` source.
The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.
There are no extra installation steps.
"""
STEPS = AGENTS.replace("There are no extra installation steps.", "## Installation steps\n\n1. Run `make ready`.")
ENTRYPOINT = "SkillBag v0.3.0\n\nRead `.skills/SKILLS.md` first.\n"
DESCRIPTION = "Tidy a folder. Use when files lie about."


def skill_text(name: str, needs: Iterable[str | Mapping[str, str]] = (), body: str = "Read the file.") -> str:
    """A sound `SKILL.md` whose dependencies are names, or mappings of `name`, `source`, `version`, `required`."""
    lines = ["---", f"name: {name}", f"description: {DESCRIPTION}"]
    items = [{"name": need} if isinstance(need, str) else need for need in needs]
    if items:
        lines.append("dependencies:")
    for item in items:
        pairs = [f"{key}: {value}" for key, value in item.items()]
        lines += [f"  - {pairs[0]}", *(f"    {pair}" for pair in pairs[1:])]
    return "\n".join([*lines, "---", "", f"# {name}", "", body, ""])


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files (path to text or bytes) below the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return folder


def source_files(skills: Mapping[str, str], agents: str = AGENTS, more: Mapping[str, str] = {}) -> dict[str, str]:
    """The files of a source: name to text of each `SKILL.md`; `more` are further files, relative to `.skills/`."""
    files = {"AGENTS.md": agents, ".skills/SKILLS.md": render((name, DESCRIPTION) for name in skills)}
    files |= {f".skills/{name}/SKILL.md": text for name, text in skills.items()}
    return files | {f".skills/{name}": text for name, text in more.items()}


def make_source(
    folder: Path, skills: Mapping[str, str] | Iterable[str], agents: str = AGENTS, more: Mapping[str, str] = {}
) -> Path:
    """A source with these skills, by name or with their texts."""
    texts = skills if isinstance(skills, Mapping) else {name: skill_text(name) for name in skills}
    return write(folder, source_files(texts, agents, more))


def make_workspace(folder: Path, dependencies: Iterable[Mapping[str, str]] = (), user_context: str = "") -> Path:
    """A fresh workspace; the dependencies are those of its `CONTEXT.md`."""
    files: dict[str, str | bytes] = {"SKILLBAG.md": ENTRYPOINT}
    items = list(dependencies)
    if items:
        lines = ["# Context", "", "```yaml", "dependencies:"]
        for item in items:
            pairs = [f"{key}: {value}" for key, value in item.items()]
            lines += [f"  - {pairs[0]}", *(f"    {pair}" for pair in pairs[1:])]
        files["CONTEXT.md"] = "\n".join([*lines, "```", ""])
    if user_context:
        files["USER_CONTEXT.md"] = user_context
    return write(folder, files)


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below the folder: kind, mode, time of modification in nanoseconds, content."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content: object = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    """Within the block nothing below the folder changes."""
    before = snapshot(folder)
    yield
    assert snapshot(folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    """Path and bytes of every file below the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def call(run: Run, workspace: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Run a command with `--json` in the workspace; its exit code and what it printed."""
    outcome = run(*arguments, "--json", cwd=workspace)
    values: dict[str, Any] = json.loads(outcome.out)
    assert values["exit"] == outcome.code
    return outcome.code, values
