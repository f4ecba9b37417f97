"""The reserved skill `skillbag-get-skills`: its tools, its parameters, and their values in context files.

Clauses bootstrap.tools and bootstrap.parameters. Installations and rules check a value with the same function.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Scalar, core_value
from skillbag.kernel.standard.blocks import BlockFault, fault_at, kind_of
from skillbag.kernel.standard.context_blocks import is_nothing, parameter_entries
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_ROOT

TOOLS = ("git", "curl", "wget", "tar", "unzip", "cp", "rsync", "ln")
"""The acquisition tools that the standard names (clause bootstrap.tools)."""

PERSISTENCE = "persist-nonsecret-parameters"
"""Whether values are remembered; user context may set it for any skill, even one without the parameter."""

DEFAULTS = {"skills": "[]", "destination": ".skills/", "upgrade": "false", PERSISTENCE: "true"}
"""The parameters, all optional, with their defaults as YAML (clause bootstrap.parameters)."""

_NAMES = ("destination", "upgrade", "skills")
_ITEM = "write `- {name: a-skill, source: https://example.com/org/repo.git, version: v1.0.0}`"


def reserved_faults(mappings: Iterable[Mapping]) -> Iterator[BlockFault]:
    """What is malformed in the values that count in one context file, given its blocks: of each parameter the last.

    What is given for the skill by its name counts more than what is given for `*`; null takes a value back.
    """
    counting: dict[str, tuple[bool, MappingEntry]] = {}
    for mapping in mappings:
        for skill, entry in parameter_entries(mapping):
            named, name = skill.key.value == BOOTSTRAP_SKILL, entry.key.value
            if name in _NAMES and (named or (skill.key.value == "*" and not counting.get(name, (False,))[0])):
                counting[name] = named, entry
    for name, (_, (key, value)) in counting.items():
        shown = " ".join(value.value.split())[:80] if isinstance(value, Scalar) else kind_of(value)
        if not is_nothing(value) and (fault := unmet(name, core_value(value), shown or '""')):
            yield fault_at(key, f"the parameter of {BOOTSTRAP_SKILL}: {fault[0]}", fault[1])


def unmet(name: str, value: object, shown: str) -> tuple[str, str] | None:
    """Why a plain value is not supported, and what to do; None if it is. `shown` is the value for a sentence."""
    if name == "upgrade" and not isinstance(value, bool):
        return f"`upgrade` is {shown}", "write `true` or `false`"
    if name == "destination" and not (isinstance(value, str) and os.path.normpath(value.strip()) == SKILL_ROOT):
        reason = f"`destination` is {shown}, but skills are installed in {SKILL_ROOT}/ alone"
        return reason, f"take it out, or write `{SKILL_ROOT}/`"
    if name == "skills":
        return next(filter(None, map(_item_fault, value if isinstance(value, list) else [value])), None)
    return None


def _item_fault(item: object) -> tuple[str, str] | None:
    values = {"name": item} if isinstance(item, str) else item
    if not isinstance(values, dict) or not values.keys() <= {"name", "source", "version"}:
        return "an item of `skills` is not `{name, source?, version?}`", _ITEM
    name = values.get("name")
    if not isinstance(name, str) or not is_name(name):
        return "the `name` of an item of `skills` is not a skill's name", _ITEM
    for key in ("source", "version"):
        value = values.get(key)
        if not (value is None or (isinstance(value, str) and value.strip() and value.isprintable())):
            return f"the `{key}` of `{name}` in `skills` is not text", "quote it, or leave it out"
    return None
