"""What the context files set for the reserved skill `skillbag-get-skills`, as an installation has to take it.

Clauses bootstrap.parameters and precedence.order: the best value that no higher level prohibits counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.checks.names import is_name
from skillbag.declarations import BadContextError, Level, Place, Wanted
from skillbag.documents.source import Document
from skillbag.lifecycle.settings import Given, Settings, read_settings
from skillbag.lifecycle.value import Value, holder
from skillbag.workspace.model import ContextFile, Workspace
from skillbag.workspace.target import BOOTSTRAP_SKILL, SKILL_ROOT

_SET = re.compile(rf"""(?:{BOOTSTRAP_SKILL}|(?<!\*)\*)["']?[ \t]*:""")
_ITEM = "write `- {name: a-skill, source: https://example.com/org/repo.git, version: v1.0.0}`"


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
    _check_destination(_effective(settings, "destination"))
    upgrade, skills = _effective(settings, "upgrade"), _effective(settings, "skills")
    return Reserved(
        upgrade.place if upgrade and _flag(upgrade) else None,
        tuple(Listed(one, skills.level) for one in _wanted(skills)) if skills else (),
    )


def _may_set(workspace: Workspace) -> bool:
    """Whether a context file has the key: most have not, and nothing more of them is read for it."""
    entrypoint = workspace.entrypoint
    texts = [one.document.text for one in (workspace.context, workspace.user_context) if isinstance(one, ContextFile)]
    texts += [entrypoint.text] if isinstance(entrypoint, Document) else []
    return any(_SET.search(text) for text in texts)


def _effective(settings: Settings, name: str) -> Given | None:
    """The value that counts; of a level that has taken its own back, the next one speaks."""
    silent: set[Level] = set()
    for given in settings.values(BOOTSTRAP_SKILL, name):
        if given.level in silent:
            continue
        silent.add(given.level)
        if given.value is None:
            continue
        holding = holder(given.value)
        if not any(one.binds(given.level, holding) for one in settings.prohibitions(BOOTSTRAP_SKILL, name)):
            return given
    return None


def _value(given: Given) -> Value:
    return given.value or Value(None, "")


def _flag(given: Given) -> bool:
    value = _value(given).value
    if isinstance(value, bool):
        return value
    raise _bad(given, f"`upgrade` is {_value(given).short}; write `true` or `false`")


def _check_destination(given: Given | None) -> None:
    if given is None:
        return
    value = _value(given).value
    if not isinstance(value, str) or os.path.normpath(value.strip()) != SKILL_ROOT:
        told = f"`destination` is {_value(given).short}, but skills are installed in {SKILL_ROOT}/ alone"
        raise _bad(given, f"{told}; take it out, or write `{SKILL_ROOT}/`")


def _wanted(given: Given) -> Iterator[Wanted]:
    items = _value(given).value
    for item in items if isinstance(items, list) else [items]:
        values = {"name": item} if isinstance(item, str) else item
        if not isinstance(values, dict) or not values.keys() <= {"name", "source", "version"}:
            raise _bad(given, f"an item of `skills` is no `{{name, source?, version?}}`; {_ITEM}")
        name, source, version = (values.get(key) for key in ("name", "source", "version"))
        if not isinstance(name, str) or not is_name(name):
            raise _bad(given, f"an item of `skills` has no name of a skill; {_ITEM}")
        for key, value in (("source", source), ("version", version)):
            if not (value is None or (isinstance(value, str) and value.strip() and value.isprintable())):
                raise _bad(given, f"the `{key}` of `{name}` in `skills` is no text; quote it, or leave it out")
        yield Wanted(name, source, version, True, given.place)


def _bad(given: Given, reason: str) -> BadContextError:
    return BadContextError(f"{given.place}: the parameter of {BOOTSTRAP_SKILL}: {reason}")
