"""Tables of the page about active skills, out of the code: commands, permissions, phases, scores, limits, settings."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tables import table

from skillbag.kernel.manifest.names import RISKS, STARLARK_FUNCTIONS, BackendKind, Permission, Phase
from skillbag.kernel.processes.confinement import ProcessBounds
from skillbag.runtime.backends.backend import CallKind
from skillbag.runtime.backends.child import LIMITS
from skillbag.runtime.backends.children.starlark_prelude import PRELUDE
from skillbag.runtime.backends.launching import PLUGIN_BOUNDS, PROCESS_BOUNDS, STARLARK_BOUNDS
from skillbag.runtime.backends.starlark import StarlarkBackend
from skillbag.runtime.broker.limits import DEFAULTS, MAX_NESTED
from skillbag.runtime.broker.questions import ALLOWS
from skillbag.runtime.host.functions import HostLimits
from skillbag.runtime.phases import PHASES, PhaseRules
from skillbag.runtime.states import TRANSITIONS, SkillState
from skillbag.runtime.triggers.triggers import POINTS, PartKind

_FIRES: Mapping[Phase, str] = {
    Phase.ACTIVATE: "the skill is active",
    Phase.DEACTIVATE: "the skill is about to be deactivated",
    Phase.CONVERSATION_START: "at the first message of a conversation",
    Phase.BEFORE_PROMPT_BUILD: "each time that the system prompt is built",
    Phase.BEFORE_TOOL_CALL: "before a tool is called: of a skill, or of the host where that asks",
    Phase.AFTER_TOOL_RESULT: "after it",
    Phase.AFTER_RESPONSE: "at the final answer of a turn",
    Phase.BEFORE_WIKI_SECTION: "before a section of generated documentation is written",
    Phase.SECURITY_SCAN_COMPLETE: "after a scan",
}
_GIVES: Mapping[PartKind, str] = {
    PartKind.EXPLICIT: "the skill is named with `--skills` or `SKILLBAG_SKILLS`; nothing is added",
    PartKind.CURRENT_PATH: "the file in focus matches a pattern of `files`; 100 for a glob; the best one counts",
    PartKind.FILES: "each pattern of `files` that matches a file of the workspace",
    PartKind.KEYWORDS: "each keyword in the last message; case does not count",
    PartKind.LANGUAGES: "each language of the workspace's files",
    PartKind.MODES: "the mode of the host",
}
_MEANS: Mapping[SkillState, str] = {
    SkillState.INACTIVE: "nothing of it runs",
    SkillState.ACTIVATING: "permissions are checked, its process starts, and tools and hooks are registered",
    SkillState.ACTIVE: "its tools are offered, and its hooks fire",
    SkillState.ERROR: "the activation failed and was undone, or its process died too often; `list` says why",
}
_CALLS = {CallKind.TOOL: "a tool", CallKind.HOOK: "a hook", CallKind.WORKFLOW: "a workflow", CallKind.SCAN: "a scan"}
_BOUNDS: Mapping[BackendKind, tuple[ProcessBounds, Mapping[CallKind, float]]] = {
    BackendKind.STARLARK: (STARLARK_BOUNDS, StarlarkBackend.limits),
    BackendKind.PLUGIN: (PLUGIN_BOUNDS, LIMITS),
    BackendKind.PROCESS: (PROCESS_BOUNDS, LIMITS),
}


def runtime_tables(settings: Path, config: Path) -> dict[str, str]:
    """The tables of `docs/runtime.md`, by name; given the schemas of the user's settings and of the configuration."""
    # Made by the program's commands, which import the index.
    from commands import ROOT, below

    (group,) = (found for found in below(ROOT) if found.command_path == "skillbag runtime")
    return {
        "runtime-commands": table(
            ("Command", "What it does"),
            *(
                (f"`{inner.command_path}`", inner.command.get_short_help_str(limit=200))
                for inner in below(group)
                # What agents call is on the page about them; those of a group are with it.
                if inner.parent is group and inner.info_name not in ("hook", "host")
            ),
        ),
        "runtime-permissions": table(("Permission", "Allows to", "Risk", "Limit"), *map(_permission, Permission)),
        "runtime-phases": table(
            ("Phase", "Fires", "`data`", "May change"), *(_phase(phase, rules) for phase, rules in PHASES.items())
        ),
        "runtime-scores": table(
            ("Part", "Points", "For"), *((part, str(points), _GIVES[part]) for part, points in POINTS.items())
        ),
        "runtime-states": table(
            ("State", "Means", "Followed by"),
            *((f"`{state}`", _MEANS[state], _either(then)) for state, then in TRANSITIONS.items()),
        ),
        "runtime-limits": table(
            ("Backend", "Memory", "Processes", "Open files", *(f"Seconds of {name}" for name in _CALLS.values())),
            *(_limits(kind, *given) for kind, given in _BOUNDS.items()),
        ),
        "runtime-functions": table(("Function", "Permission"), *_functions()),
        "runtime-settings": _settings(settings, config),
    }


def _permission(permission: Permission) -> tuple[str, ...]:
    limits = []
    if permission in DEFAULTS:
        limits.append(f"{DEFAULTS[permission]} a turn")
    seconds = {Permission.SHELL_EXEC: HostLimits().exec_seconds, Permission.NET_FETCH: HostLimits().fetch_seconds}
    if permission in seconds:
        limits.append(f"{seconds[permission]:g} s each")
    if permission is Permission.SKILL_INVOKE:
        limits.append(f"{MAX_NESTED} deep")
    return f"`{permission}`", ALLOWS[permission], RISKS[permission], ", ".join(limits) or "–"


def _phase(phase: Phase, rules: PhaseRules) -> tuple[str, ...]:
    all_may = [key for key in (*rules.may_set, *rules.may_add) if key not in rules.trusted_only]
    changes = [_listed(all_may)] if all_may else []
    if rules.trusted_only:
        changes.append(f"only built-in skills and your own: {_listed(rules.trusted_only)}")
    if rules.cancels:
        changes.append("**may cancel**")
    return f"`{phase}`", _FIRES[phase], _listed(rules.data), "; ".join(changes) or "–"


def _limits(kind: BackendKind, bounds: ProcessBounds, seconds: Mapping[CallKind, float]) -> tuple[str, ...]:
    times = (f"{seconds[call]:g}" for call in _CALLS)
    return f"`{kind}`", f"{bounds.memory_mb} MiB", str(bounds.processes), str(bounds.files), *times


def _functions() -> Iterator[tuple[str, str]]:
    """The functions of Starlark skills, as the prelude has them, which is Python as well."""
    for function in ast.parse(PRELUDE).body:
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("skillbag_"):
            permission = STARLARK_FUNCTIONS.get(function.name)
            yield f"`{function.name}({ast.unparse(function.args)})`", f"`{permission}`" if permission else "–"


_PROJECT_ONLY = ("denied_skills", "activation_threshold")
"""What a workspace sets for the project's skills alone."""


def _settings(settings: Path, config: Path) -> str:
    user = _keys(json.loads(settings.read_text("utf-8"))["properties"]["runtime"])
    workspace = {key for key, _ in _keys(json.loads(config.read_text("utf-8"))["properties"]["runtime"])}
    whose = {**dict.fromkeys(workspace, "yes"), **dict.fromkeys(_PROJECT_ONLY, "for its own skills")}
    rows = ((f"`{key}`", text, whose.get(key, "no")) for key, text in user)
    return table(("Key", "Meaning", "In a workspace"), *rows)


def _keys(section: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys of a section with their descriptions; those of a table in it as `budget.total`."""
    for key, value in section["properties"].items():
        inner = value.get("properties")
        rows = ((f"{key}.{name}", part.get("description", "")) for name, part in inner.items()) if inner else ()
        yield from rows or ((key, value["description"]),)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _either(states: Iterable[SkillState]) -> str:
    return " or ".join(f"`{state}`" for state in SkillState if state in states)
