"""Sources of a marketplace for tests: plain repositories, SkillBag sources, lists of plugins."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.supply.install.worlds import write
from tests.support import Run

Files = dict[str, str | bytes]


def skill(name: str, description: str = "Tidy a folder. Use when files lie about.", body: str = "Read it.") -> str:
    """A `SKILL.md`."""
    return f"---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n{body}\n"


def plain(*names: str, at: str = "skills") -> Files:
    """The files of a plain repository with skills of these names."""
    return {f"{at}/{name}/SKILL.md": skill(name) for name in names}


def plugins(*items: object, **more: object) -> Files:
    """The list of plugins of a repository."""
    return {".claude-plugin/marketplace.json": marketplace(*items, **more)}


def marketplace(*items: object, **more: object) -> str:
    """A `marketplace.json` with these plugins."""
    return json.dumps({"name": "team", "owner": {"name": "Team"}, "plugins": list(items), **more})


def plugin(name: str, source: object, **more: object) -> dict[str, object]:
    """A plugin of a list."""
    return {"name": name, "source": source, **more}


def add(run: Run, address: object, name: str, *more: object) -> None:
    """Add a source."""
    outcome = run("marketplace", "add", address, "--name", name, *more)
    assert outcome.code == 0, outcome.err


def update(run: Run, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Update the index; the exit code, and what became of each source by its name."""
    outcome = run("marketplace", "update", "--json", *arguments)
    values = json.loads(outcome.out)
    return outcome.code, {item["name"]: item for item in values["sources"]}


def sources(run: Run) -> list[dict[str, Any]]:
    """The configured sources, and how each was indexed."""
    values: list[dict[str, Any]] = json.loads(run("marketplace", "--json").out)["sources"]
    return values


def refs(run: Run, *arguments: object) -> list[str]:
    """The references of all skills of the index."""
    outcome = run("marketplace", "list", "--json", *arguments)
    assert outcome.code == 0, outcome.out
    return [item["ref"] for item in json.loads(outcome.out)["skills"]]


def found(run: Run, *words: object) -> list[str]:
    """The references that a search finds, the best first."""
    outcome = run("search", "--json", *words)
    assert outcome.code == 0, outcome.out
    return [item["ref"] for item in json.loads(outcome.out)["skills"]]


def indexed(run: Run, folder: Path, files: Mapping[str, str | bytes] | Iterable[str], name: str = "team") -> Path:
    """A folder with these files (or plain skills of these names) as an indexed source."""
    made = write(folder, files if isinstance(files, Mapping) else plain(*files))
    add(run, made, name)
    assert update(run, name)[0] == 0
    return made
