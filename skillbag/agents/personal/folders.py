"""The folders in the personal root, each with the skill that it declares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import because
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import SKILL_FILE

LOWER_CASE = SKILL_FILE.lower()
"""Another name of a personal skill's `SKILL.md`, which is preferred if both exist."""

_LONGEST = 200
"""Characters of a name or path in a message."""


class Folder(NamedTuple):
    """A folder in the personal root, or a link to one. `path` is absolute.

    `declared` is the name that its `file` declares, None if it declares none or can't be read. `fault` is why it holds
    no valid skill, None if it does.
    """

    path: str
    file: str
    declared: str | None
    description: str
    fault: str | None


def folders_in(root: str) -> Iterator[Folder]:
    """The folders in the personal root, in order of their names; none if it does not exist.

    Names with a leading dot are skipped: agents, file managers and skillbag keep their own data there.

    Raises:
        UserError: the root is no folder.
        OSError: it can't be opened.
    """
    try:
        with os.scandir(root) as children:
            names = sorted(child.name for child in children if not child.name.startswith("."))
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise not_a_folder(root) from error
    for path in (os.path.join(root, name) for name in names):
        if os.path.isdir(path):
            yield read_folder(path)


def not_a_folder(root: str) -> UserError:
    """The error for a personal root that is no folder."""
    return UserError(
        f"{root}: this is not a folder, so it can't hold personal skills; move it away, or name another folder: "
        f"skillbag agent personal root DIR"
    )


def read_folder(path: str) -> Folder:
    """Read what the folder at the absolute `path` declares."""
    skill = read_personal_skill(path)
    card = skill.card
    declared = card.name.value if card.name and not card.problem else None
    description = card.description.value if card.description else ""
    return Folder(path, skill.file, declared, description, _fault(skill, declared, description))


def read_personal_skill(folder: str) -> Skill:
    """Read the personal skill in the absolute `folder`; its faults are in the value."""
    with because("personal skills"):
        try:
            names = os.listdir(folder)
        except OSError:
            names = []
        file = LOWER_CASE if LOWER_CASE in names and SKILL_FILE not in names else SKILL_FILE
        return read_skill(folder, os.path.dirname(folder), folder, file)


def _fault(skill: Skill, declared: str | None, description: str) -> str | None:
    from skillbag.kernel.standard.names import fixable, is_name

    if problem := skill.problem:
        if problem.kind == "missing":
            return f"there is no {SKILL_FILE} in it"
        return f"{skill.file}:{problem.line}: {problem.detail}"
    if declared is None:
        return f"its {skill.file} declares no `name`"
    if not is_name(declared):
        better = fixable(declared[:200])
        hint = f"; is {better} meant?" if better else ""
        return f"its {skill.file} declares the name {named(declared)}, and a name is a-z, 0-9 and single hyphens{hint}"
    return None if description else f"its {skill.file} declares no `description`"


def named(text: str) -> str:
    """A path or a name for a message: shortened, without credentials, escaped if it is not printable."""
    if "@" in text or "?" in text:
        # It may be an address with a password.
        from skillbag.supply.sources.address import without_credentials

        text = without_credentials(text)
    if len(text) > _LONGEST:
        # Mask first: part of a secret would not be detected any more.
        from skillbag.kernel.secrets.detection import mask

        text = f"{mask(text)[:_LONGEST]}…"
    return text if text and text.isprintable() else ascii(text)
