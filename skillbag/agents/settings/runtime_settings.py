"""The settings of active skills: the user's, in the section `runtime` of their settings, as a workspace limits them
(skill runtime, section 11), and how commands change the folders in it."""

from __future__ import annotations

import os
from collections.abc import Callable

from skillbag.agents.settings.user_settings import settings_path
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.package_data import schema_fault
from skillbag.kernel.documents import settings_file
from skillbag.kernel.manifest.names import Permission
from skillbag.lint.engine.config import find_config, read_table
from skillbag.runtime.triggers.budget import Budget
from skillbag.runtime.triggers.settings import McpServer, RuntimeSettings, Sandbox, WorkspaceLimits, limited

Dirs = tuple[str, ...]

_LIMITS = {
    "max_llm_calls_per_turn": Permission.LLM_CALL,
    "max_shell_exec_per_turn": Permission.SHELL_EXEC,
    "max_net_fetch_per_turn": Permission.NET_FETCH,
}


def runtime_settings(workspace: str | None) -> RuntimeSettings:
    """The settings in the workspace at the absolute root `workspace`, or outside of any.

    Raises:
        UserError: the user's settings or the workspace's configuration can't be used.
    """
    settings = _user_settings()
    path = find_config(workspace) if workspace else None
    return limited(settings, _limits(path)) if path else settings


def _user_settings() -> RuntimeSettings:
    values = settings_file.read(settings_path())
    section = values.section("runtime")
    if not section:
        return RuntimeSettings()
    if error := schema_fault("settings", {"runtime": section}):
        where = [str(part) for part in error.absolute_path]
        raise values.bad(where[-1], f"`{'.'.join(where)}`: {error.message}")
    defaults = RuntimeSettings()
    most = {permission: section[key] for key, permission in _LIMITS.items() if key in section}
    servers = section.get("mcp_servers", {}).items()
    return RuntimeSettings(
        approved_skills=frozenset(section.get("approved_skills", ())),
        denied_skills=frozenset(section.get("denied_skills", ())),
        dirs=tuple(os.path.normpath(os.path.expanduser(folder)) for folder in section.get("dirs", ())),
        activation_threshold=section.get("activation_threshold", defaults.activation_threshold),
        per_turn={**defaults.per_turn, **most},
        budget=defaults.budget._replace(**section.get("budget", {})),
        llm_command=tuple(section.get("llm", {}).get("command", ())),
        sandbox=Sandbox(section.get("sandbox", defaults.sandbox)),
        mcp_servers=tuple(
            McpServer(name, **each | {"command": tuple(each.get("command", ()))}) for name, each in servers
        ),
    )


def _limits(configuration: str) -> WorkspaceLimits:
    table = read_table(configuration).get("runtime", {})
    budget = table.get("budget")
    most = Budget(*[2**31] * len(Budget._fields))
    return WorkspaceLimits(
        frozenset(table.get("denied_skills", ())),
        table.get("activation_threshold", 0),
        {permission: table[key] for key, permission in _LIMITS.items() if key in table},
        most._replace(**budget) if budget else None,
        Sandbox(table.get("sandbox", Sandbox.BEST_EFFORT)),
    )


def listed_dirs() -> Dirs:
    """The folders, absolute, in the order in which they are searched.

    Raises:
        UserError: the settings can't be used.
    """
    return runtime_settings(None).dirs


def add_dir(folder: str) -> Dirs:
    """Add the absolute `folder`, if it is not there; all folders afterwards.

    Raises:
        UserError: there is no such folder, or the settings can't be used. OSError: they can't be written.
    """
    folder = os.path.normpath(folder)
    if not os.path.isdir(folder) or not folder.isprintable():
        raise UserError(f"{folder}: there is no such folder")
    return _changed(lambda dirs: dirs if folder in dirs else (*dirs, folder))


def remove_dir(folder: str) -> Dirs:
    """Remove the absolute `folder`, which need not exist; the folders that are left. Raises as `add_dir`."""
    folder = os.path.normpath(folder)

    def without(dirs: Dirs) -> Dirs:
        if folder not in dirs:
            raise UserError(f"{folder}: it is none of the folders in `dirs`; skillbag runtime dirs list shows them")
        return tuple(each for each in dirs if each != folder)

    return _changed(without)


def _changed(change: Callable[[Dirs], Dirs]) -> Dirs:
    from skillbag.kernel.transaction.writer import locked

    path = settings_path()
    with locked(os.path.dirname(path), wait=60.0):
        before = listed_dirs()
        after = change(before)
        if after != before:
            settings_file.write(settings_file.read(path).put("runtime", "dirs", after))
    return after
