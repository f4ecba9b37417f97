"""`read_skill_file`: a text file within a skill's folder, and nothing outside of it."""

from __future__ import annotations


def read_skill_file(directory: str, path: str) -> str:
    """The text of the file at `path` (relative, with `/`) of the skill in the absolute `directory`.

    Links that stay within the skill are followed; what is opened is what was checked.

    Raises:
        UserError: the path leaves the skill, names no readable text file, or is larger than `files.LIMIT`.
    """
    raise NotImplementedError


def list_skill_files(directory: str) -> tuple[str, ...]:
    """The files of the skill that can be read, relative, with `/`, sorted: no hidden ones, no links that lead out."""
    raise NotImplementedError
