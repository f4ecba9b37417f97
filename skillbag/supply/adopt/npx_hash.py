"""The hash of a skill's folder that `npx skills` records: it tells an older version from an edited one."""

from __future__ import annotations

import hashlib

from skillbag.kernel.workspace.tree import FILE
from skillbag.kernel.workspace.tree_hash import line_ends, pieces, tree_files


def npx_hashes(folder: str) -> set[str]:
    """What the `computedHash` of the skill in the absolute `folder` can be.

    The program hashed its own checkout, whose line ends are those of its system.

    Raises:
        OSError: a file or folder can't be read.
    """
    hashes = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    files = [entry for entry in tree_files(folder, others=True) if entry.kind is FILE]
    for entry in sorted(files, key=lambda entry: _as_in_a_language(entry.relative)):
        for found, form in zip(hashes, line_ends(b"".join(pieces(entry.path))), strict=True):
            found.update(entry.relative.encode("utf-8", "surrogatepass") + form)
    return {found.hexdigest() for found in hashes}


def _as_in_a_language(name: str) -> tuple[list[tuple[int, str]], list[bool]]:
    """The order that JavaScript gives names: signs, digits, letters, and case only between equal ones."""
    kinds = [(0 if not sign.isalnum() else 1 if sign.isdigit() else 2, sign.lower()) for sign in name]
    return kinds, [sign.isupper() for sign in name]
