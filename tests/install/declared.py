"""What context files and skills declare, and what is installed of it, in a few words each."""

from __future__ import annotations

from pathlib import Path


def need(name: str, source: str | None = None, version: str | None = None, **more: str) -> dict[str, str]:
    """A dependency as it is declared."""
    given = {"name": name, "source": source, "version": version, **more}
    return {key: value for key, value in given.items() if value is not None}


def body_of(workspace: Path, name: str) -> str:
    """The last words of an installed skill."""
    return (workspace / ".skills" / name / "SKILL.md").read_text().splitlines()[-1]


def overrides(text: str) -> str:
    """A context file that overrides as it is said."""
    return f"```yaml\noverrides:\n  {text}\n```\n"
