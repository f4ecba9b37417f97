"""The hook that holds the skill in use to its `allowed-tools`: its entries in the settings of Claude Code."""

from __future__ import annotations

import os
from typing import NamedTuple

from skillbag.kernel.workspace.agents import AGENTS
from skillbag.supply.bootstrap.existing import CannotInitError, find, text_of
from skillbag.supply.bootstrap.settings_hooks import HookCommand, HookEntry, additions, fresh, removed, settings_of

_CLAUDE = AGENTS["claude"]
SETTINGS = {"project": _CLAUDE.settings, "local": _CLAUDE.own_settings, "user": _CLAUDE.settings}
"""The files of Claude Code's settings: those of everybody in the project, one's own in it, and the user's."""

COMMAND = "skillbag agent hook run --host claude-code"
_SECONDS = 10


class HookChange(NamedTuple):
    """The absolute `path` of the settings; what they contain `before` (None: there is no file) and `after`.

    `status`: `installed`, `unchanged`, `removed` or `absent`.
    """

    path: str
    status: str
    before: bytes | None
    after: bytes | None


def plan_install(root: str, path: str, *, required: bool = False) -> HookChange:
    """The change that adds the hook to the settings at `path` in `root`. `required`: a call is also blocked where the
    hook can't run.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    entries, document = _entries(required=required), find(root, path)
    full = os.path.join(root, *path.split("/"))
    if document is None:
        return HookChange(full, "installed", None, f"{fresh(entries)}\n".encode())
    if actions := additions(path, document, entries):
        return HookChange(full, "installed", document.raw, actions[-1].result)
    return HookChange(full, "unchanged", document.raw, document.raw)


def plan_uninstall(root: str, path: str) -> HookChange:
    """The change that removes the hook from the settings at `path` in `root`, and nothing else.

    Raises:
        CannotInitError: the file has an unknown shape, or somebody changed the entries; the message says what to do.
    """
    entries, document = _entries(required=False), find(root, path)
    full = os.path.join(root, *path.split("/"))
    if document is None:
        return HookChange(full, "absent", None, None)
    before = document.raw
    settings = settings_of(path, document, entries)
    for entry in entries:
        while settings.has(entry):
            text = removed(document, settings, entry)
            if text is None:
                what = f"the entry with `{COMMAND}` at {entry.event} was changed"
                raise CannotInitError(f"{path}: {what}; nothing was written. Remove it yourself")
            document = text_of(path, document.encode(text))
            settings = settings_of(path, document, entries)
    return HookChange(full, "absent" if document.raw == before else "removed", before, document.raw)


def apply(change: HookChange, root: str) -> None:
    """Write the settings, atomically.

    Raises:
        CannotInitError: they have changed since they were read.
        OSError: they can't be written; they are as before.
    """
    from skillbag.kernel.fs.atomic import sweep, write_atomic
    from skillbag.kernel.fs.read import Unreadable, read

    sweep(os.path.dirname(change.path))
    if change.after is None or change.after == change.before:
        return
    now = read(change.path, root)
    if (None if isinstance(now, Unreadable) else now) != change.before:
        raise CannotInitError(f"{change.path}: it has changed since it was read; run the command again")
    write_atomic(change.path, change.after, root=root, overwrite=change.before is not None)


def _entries(*, required: bool) -> tuple[HookEntry, ...]:
    hook = HookCommand("command", COMMAND, _SECONDS)
    before_call = hook._replace(onFailure="block") if required else hook
    return (
        HookEntry("UserPromptSubmit", COMMAND, hook, "a message ends the limits of the skill before"),
        HookEntry("PreToolUse", COMMAND, before_call, "denies calls that the skill in use does not allow"),
    )
