"""Skills that are registered in Python: a manifest and files, written to the cache when they are activated (skill
runtime, section 2)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.changes import put_folder
from skillbag.kernel.fs.read import read
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.workspace.target import is_skill_name
from skillbag.kernel.workspace.tree import FILE, FOLDER, list_tree
from skillbag.runtime.skill import FoundSkill, SkillSource

_FOLDER = "registered"


class RegisteredSkill(NamedTuple):
    """A skill without a folder of its own: `files` are contents by relative paths, with `/`. `source` is `builtin` or
    `bundled`."""

    manifest: Manifest
    files: Mapping[str, bytes] = {}
    instructions: str = ""
    source: SkillSource = SkillSource.BUNDLED


def folder_of(skill: RegisteredSkill) -> str:
    """The absolute folder that `write` fills: it has a hash of the content in its name.

    Raises:
        UserError: the name or a path of a file can't be one, or the cache folder is not an absolute path.
    """
    digest = sha256()
    for path, content in sorted(skill.files.items()):
        parts = path.split("/")
        if not path.isprintable() or "\\" in path or ":" in path or not {"", ".", ".."}.isdisjoint(parts):
            raise UserError(f'registered skill "{skill.manifest.name}": {path!r} is no path within the skill')
        digest.update(f"{len(path)}:{path}{len(content)}:".encode() + content)
    name = skill.manifest.name
    if not is_skill_name(name):
        raise UserError(f"registered skill {name!r}: this is no name of a skill")
    return os.path.join(os.path.realpath(cache_folder()), _FOLDER, f"{name}-{digest.hexdigest()[:32]}")


def found(skill: RegisteredSkill) -> FoundSkill:
    """The skill as discovery gives it. Raises as `folder_of`."""
    folder = folder_of(skill)
    file = os.path.join(folder, MANIFEST_FILE)
    return FoundSkill(
        skill.manifest, skill.source, folder, file, f"{skill.source}:registered", instructions=skill.instructions
    )


def write(skill: RegisteredSkill) -> str:
    """Write the files to the skill's folder, unless they are all there and nothing else is; returns the folder.

    Raises:
        UserError: as `folder_of`. OSError: the system's error.
    """
    folder = folder_of(skill)
    if _content(folder) == skill.files:
        return folder
    parent = os.path.dirname(folder)
    os.makedirs(parent, mode=0o700, exist_ok=True)
    # It imports much, and most programs write nothing here.
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=parent, prefix=".", ignore_cleanup_errors=True) as temporary:
        staged = os.path.join(temporary, "new")
        os.mkdir(staged)
        for path, content in skill.files.items():
            write_atomic(os.path.join(staged, *path.split("/")), content, root=staged, durable=False)
        try:
            # What is there has been changed by somebody.
            put_folder(staged, folder)
        except OSError:
            # Another process may have written it meanwhile.
            if _content(folder) != skill.files:
                raise
    return folder


def _content(folder: str) -> dict[str, bytes] | None:
    """The files below a folder by their relative paths; None if it is none, or holds something else."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return None
    found: dict[str, bytes] = {}
    for entry in list_tree(folder).entries:
        if entry.kind is FOLDER:
            continue
        data = read(entry.path, folder) if entry.kind is FILE else None
        if not isinstance(data, bytes):
            return None
        found[entry.relative] = data
    return found
