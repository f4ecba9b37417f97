"""What the context files set for the reserved skill `skillbag-get-skills`, as an installation has to take it.

Clauses bootstrap.parameters and precedence.order: the best value that no higher level prohibits counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillbag.documents.source import Document
from skillbag.lifecycle.settings import ParameterValue, Settings
from skillbag.lifecycle.settings_reader import read_settings
from skillbag.lifecycle.value import Value, holder
from skillbag.standard.declarations import BadContextError, Level, Place, Wanted
from skillbag.standard.reserved import unmet
from skillbag.workspace.model import ContextFile, Workspace
from skillbag.workspace.target import BOOTSTRAP_SKILL

_SET = re.compile(rf"""(?:{BOOTSTRAP_SKILL}|(?<!\*)\*)["']?[ \t]*:""")


class Listed(NamedTuple):
    """A skill that the parameter `skills` names, and the level of the file that does."""

    wanted: Wanted
    level: Level


class Reserved(NamedTuple):
    """Whether newer versions are looked for (`upgrade_place`: who says so), and the skills that are to be installed."""

    upgrade_place: Place | None = None
    skills: tuple[Listed, ...] = ()


def reserved_parameters(workspace: Workspace) -> Reserved:
    """The parameters of the reserved skill that the context files set.

    Raises:
        BadContextError: one of them can't be met, or can't be read; its file and line are named.
    """
    if not _may_set(workspace):
        return Reserved()
    settings = read_settings(workspace)
    for name in ("destination", "upgrade", "skills"):
        _check(_effective(settings, name))
    upgrade, skills = _effective(settings, "upgrade"), _effective(settings, "skills")
    return Reserved(
        upgrade.place if upgrade and _value(upgrade).value else None,
        tuple(Listed(dependency, skills.level) for dependency in _wanted(skills)) if skills else (),
    )


def _may_set(workspace: Workspace) -> bool:
    """Whether a context file has the key: most have not, and nothing more of them is read for it."""
    entrypoint = workspace.entrypoint
    texts = [
        context.document.text
        for context in (workspace.context, workspace.user_context)
        if isinstance(context, ContextFile)
    ]
    texts += [entrypoint.text] if isinstance(entrypoint, Document) else []
    return any(_SET.search(text) for text in texts)


def _effective(settings: Settings, name: str) -> ParameterValue | None:
    """The value that counts; of a level that has taken its own back, the next one speaks."""
    silent: set[Level] = set()
    for given in settings.values(BOOTSTRAP_SKILL, name):
        if given.level in silent:
            continue
        silent.add(given.level)
        if given.value is None:
            continue
        holding = holder(given.value)
        if not any(
            prohibited.binds(given.level, holding) for prohibited in settings.prohibitions(BOOTSTRAP_SKILL, name)
        ):
            return given
    return None


def _check(given: ParameterValue | None) -> None:
    if given and (fault := unmet(given.name, _value(given).value, _value(given).short)):
        place = f"{given.place}: the parameter of {BOOTSTRAP_SKILL}"
        raise BadContextError(f"{place}: {fault[0]}; {fault[1]}")


def _value(given: ParameterValue) -> Value:
    return given.value or Value(None, "")


def _wanted(given: ParameterValue) -> Iterator[Wanted]:
    items: Any = _value(given).value
    for item in items if isinstance(items, list) else [items]:
        values = {"name": item} if isinstance(item, str) else item
        yield Wanted(values["name"], values.get("source"), values.get("version"), True, given.place)
