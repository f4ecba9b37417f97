"""A skill of a plain repository under another name, where the workspace has one of its name from elsewhere."""

from __future__ import annotations

import os
import tempfile
from functools import cache

from skillbag.kernel.documents.edit.lines import scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.changes import copy_folder, write_through
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import SKILL_FILE


@cache
def renamed(folder: str, name: str) -> str:
    """A copy of the skill in the absolute `folder` that declares `name`, and nothing else otherwise.

    It is deleted when the program ends. The same content gives the same copy, so that its tree hash can be compared.
    """
    copy = os.path.join(_scratch().name, str(len(os.listdir(_scratch().name))), name)
    os.mkdir(os.path.dirname(copy))
    copy_folder(folder, copy)
    skill = read_skill(copy, os.path.dirname(copy), copy)
    if isinstance(skill.document, Document) and skill.card.name is not None:
        text, (_, start, end) = skill.document.text, skill.card.name[:3]
        path = os.path.join(copy, SKILL_FILE)
        # A tree of the cache may not be written to.
        os.chmod(path, 0o644 | os.stat(path).st_mode)
        write_through(path, skill.document.encode(f"{text[:start]}{scalar(name)}{text[end:]}"))
    return copy


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="skillbag-renamed-", ignore_cleanup_errors=True)
