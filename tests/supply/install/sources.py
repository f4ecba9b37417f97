"""Sources for tests: as files, and as what fetching them would give."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.source import Source
from tests.support import skill

AGENTS = """This repository is a `SKILLBAG` source.
The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.
No additional installation steps required.
"""


def source_files(*names: str, agents: str = AGENTS) -> dict[str, str]:
    """The files of a sound source that offers skills of these names."""
    catalog = "".join(f"{name}: Tidy {name}. Use when files lie about.\n" for name in sorted(names))
    skills = {f".skills/{name}/SKILL.md": skill(name, f"Tidy {name}. Use when files lie about.") for name in names}
    return {"AGENTS.md": agents, ".skills/SKILLS.md": catalog, **skills}


def as_fetched(folder: Path, declared: str = "../source") -> Fetched:
    """The folder as a source that has been fetched."""
    source = Source(SourceKind.FOLDER, str(folder), declared, str(folder), remote=False)
    return Fetched(source, None, None, str(folder))
