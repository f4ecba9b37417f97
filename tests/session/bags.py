"""Workspaces made of descriptions: what tags, order, conflicts and runs are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from skillbag.kernel.documents.catalog import render
from skillbag.kernel.workspace.model import open_workspace
from skillbag.session.session import Session
from tests.supply.install.worlds import ENTRYPOINT, write

TOKEN = "ghp_" + "x7Kq2mWv9RtZ4bNc8Yp3" + "Lj6Hf5Gd1SaQ0e2T"
"""What looks like a secret."""

FENCE = "# Context\n\n```yaml\n{}\n```\n"


def context(*blocks: str) -> str:
    """The text of a context file with these `yaml` blocks."""
    return "\n".join(FENCE.format(block.strip()) for block in blocks)


def skill_md(name: str, description: str, body: str = "Do it.", more: str = "") -> str:
    """The text of a `SKILL.md`; `more` are further lines of its front matter, each with its line end."""
    return f'---\nname: {name}\ndescription: "{description}"\n{more}---\n\n{body}\n'


def parameters(yaml: str, after: str = "Do it.") -> str:
    """A body with a block of parameters, and its instructions."""
    return f"## Parameters\n\n```yaml\n{yaml.strip()}\n```\n\n## Instructions\n\n{after}"


def head(skill: str) -> str:
    """How a run of a skill begins that declares nothing about risk."""
    asks = "Ask first if this is destructive, security-sensitive, visible outside or hard to undo"
    return f"# Skill: {skill}\n\n{asks}: {skill} declares nothing about risk.\n\n"


def bag(folder: Path, skills: Mapping[str, str] | Iterable[str], files: Mapping[str, str | bytes] = {}) -> Path:
    """A workspace with these skills (name to description, or names alone); `files` come on top, and may replace."""
    described = skills if isinstance(skills, Mapping) else dict.fromkeys(skills, "Does it.")
    made: dict[str, str | bytes] = {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": render(described.items())}
    made |= {f".skills/{name}/SKILL.md": skill_md(name, description) for name, description in described.items()}
    return write(folder, {**made, **files})


def crowded(folder: Path) -> Path:
    """A workspace whose report is longer than a pipe holds."""
    return bag(folder, {f"skill-{number:03}": "Does this and that for you. " * 9 for number in range(400)})


def session(folder: Path, name: str | None = None) -> Session:
    """A session in the workspace, which sees it as it is now."""
    return Session(open_workspace(str(folder)), name)
