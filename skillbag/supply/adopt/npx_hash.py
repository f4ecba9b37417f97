"""The hash of a skill's folder that `npx skills` records: it tells an older version from an edited one."""

from __future__ import annotations

import hashlib
import os

from skillbag.kernel.fs.read import read
from skillbag.kernel.workspace.tree_hash import line_ends

_SKIPPED = (".git", "node_modules")


def npx_hashes(folder: str) -> set[str]:
    """What the `computedHash` of the skill in the absolute `folder` can be; none where a file can't be read.

    The program hashed its own checkout, whose line ends are those of its system.
    """
    names = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        names += [os.path.relpath(os.path.join(at, name), folder).replace(os.sep, "/") for name in files]
    hashes = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    for name in sorted(names, key=_as_in_a_language):
        content = read(os.path.join(folder, name), folder)
        if not isinstance(content, bytes):
            return set()
        for found, form in zip(hashes, line_ends(content), strict=True):
            found.update(name.encode("utf-8", "surrogatepass") + form)
    return {found.hexdigest() for found in hashes}


def _as_in_a_language(name: str) -> tuple[list[tuple[int, str]], list[bool]]:
    """The order that JavaScript gives names: signs, digits, letters, and case only between equal ones."""
    kinds = [(0 if not sign.isalnum() else 1 if sign.isdigit() else 2, sign.lower()) for sign in name]
    return kinds, [sign.isupper() for sign in name]
