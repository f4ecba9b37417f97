"""What the context files set for the reserved skill `skillbag-get-skills` (clause bootstrap.parameters)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.declarations import BadContextError, Declaration, Level, Place
from skillbag.kernel.standard.reserved import unmet
from skillbag.kernel.workspace.model import ContextFile, Workspace
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.session.settings.settings import ParameterValue
from skillbag.session.settings.settings_reader import read_settings

_SET = re.compile(rf"""(?:{BOOTSTRAP_SKILL}|(?<!\*)\*)["']?[ \t]*:""")


class ListedSkill(NamedTuple):
    """A skill that the parameter `skills` names, and the level of that file."""

    wanted: Declaration
    level: Level


class Reserved(NamedTuple):
    """Where `upgrade` is set to true, if it is, and the skills to install."""

    upgrade_place: Place | None = None
    skills: tuple[ListedSkill, ...] = ()


def reserved_parameters(workspace: Workspace) -> Reserved:
    """The parameters of the reserved skill that the context files set.

    Raises:
        BadContextError: one of them is invalid or unreadable; the message names file and line.
    """
    if not _may_set(workspace):
        return Reserved()
    settings = read_settings(workspace)
    names = ("destination", "upgrade", "skills")
    destination, upgrade, skills = (settings.effective(BOOTSTRAP_SKILL, name) for name in names)
    for given in (destination, upgrade, skills):
        if given and given.value and (fault := unmet(given.name, given.value.value, given.value.short)):
            raise BadContextError(f"{given.place}: the parameter of {BOOTSTRAP_SKILL}: {fault[0]}; {fault[1]}")
    return Reserved(
        upgrade.place if upgrade and upgrade.value and upgrade.value.value else None,
        tuple(ListedSkill(dependency, skills.level) for dependency in _wanted(skills)) if skills else (),
    )


def _may_set(workspace: Workspace) -> bool:
    """Whether a context file has such a key: most have none and need no further reading."""
    entrypoint = workspace.entrypoint
    texts = [
        context.document.text
        for context in (workspace.context, workspace.user_context)
        if isinstance(context, ContextFile)
    ]
    texts += [entrypoint.text] if isinstance(entrypoint, Document) else []
    return any(_SET.search(text) for text in texts)


def _wanted(given: ParameterValue) -> Iterator[Declaration]:
    items: Any = given.value and given.value.value
    for item in items if isinstance(items, list) else [items]:
        values = {"name": item} if isinstance(item, str) else item
        yield Declaration(values["name"], values.get("source"), values.get("version"), True, given.place)
