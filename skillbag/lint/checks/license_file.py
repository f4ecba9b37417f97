"""The file with the license's terms that the front matter names.

Source: the Agent Skills format: `license` is the name of a license, or of a license file that comes with the skill.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at

_NAMES = ("LICENSE", "LICENCE")
_ENDINGS = (".txt", ".md", ".rst")


@Predicate("license-file-missing", Subject.SKILL, values=("name",), needs="license-file")
def missing_license_file(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A license file that is neither in the skill nor in a folder around it."""
    value = skill.field("license")
    if not isinstance(value, Scalar):
        return
    words = [word.strip(".,;:()[]`'\"") for word in value.value.split()]
    name = next((word for word in words if word.startswith(_NAMES) and word.endswith(_ENDINGS)), "")
    if not name or "/" in name or name in skill.paths:
        return
    if not any(tracked.exists(os.path.join(folder, name)) for folder in _around(skill)):
        yield match_at(skill.path, value, {"name": name})


def _around(skill: Skill) -> Iterator[str]:
    """The folders that hold the skill, up to the checked one."""
    folder = skill.directory
    while folder != skill.root and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        yield folder
