"""Folders of skills for tests."""

from __future__ import annotations

from pathlib import Path


def active(folder: Path, name: str, description: str = "A.", **fields: str) -> Path:
    """A folder with a `SKILL.yaml` of a prompt skill, and these fields as YAML; gives the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {"name": name, "version": "1.0.0", "description": description, "types": "[prompt]"} | fields
    (folder / "SKILL.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items() if value))
    return folder


def plain(folder: Path, name: str, body: str = "Do it.\n", file: str = "SKILL.md") -> Path:
    """A folder with a `SKILL.md` alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(f"---\nname: {name}\ndescription: B.\n---\n{body}")
    return folder
