"""The texts that `init` writes, in this project's own words.

None of them has the name of the file that it becomes: a check of this project would take it for one.
"""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def templates(folder: str) -> str:
    """The absolute path of a folder in this one."""
    return os.path.join(_HERE, folder)


def template(name: str) -> str:
    """The text of a file in this folder, with line feeds."""
    with open(os.path.join(_HERE, name), encoding="utf-8") as handle:
        return handle.read()
