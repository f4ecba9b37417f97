"""The hooks of an agent: their entries in the agent's settings, so that each session enters the workspace, and active
skills take part in it."""

from __future__ import annotations

from skillbag.supply.bootstrap.actions import Action, create, keep
from skillbag.supply.bootstrap.existing import find, refusal, text_of
from skillbag.supply.bootstrap.settings_hooks import Entry, added, fresh, has, settings_of

SETTINGS = {"claude": ".claude/settings.json"}
"""The agents that can run commands at the steps of a session, and their settings files."""

COMMAND = "skillbag enter --hook"

RUNTIME = "skillbag runtime hook --host claude"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
"""The steps of a session in which active skills take part; nothing happens where there are none."""

_SECONDS = 60
"""Limit of one step; Claude Code's own is 1.5 s for the last one and ten minutes for others."""


_ENTRIES = (
    *(
        Entry(
            event,
            "skillbag runtime hook",
            {"type": "command", "command": RUNTIME, "timeout": _SECONDS},
            f"asks active skills at {event}",
        )
        for event in reversed(EVENTS)
    ),
    # Each is put first, so the last one runs first.
    Entry(EVENTS[0], COMMAND, {"type": "command", "command": COMMAND}, "enters the workspace when a session starts"),
)


def session_hook_actions(root: str, agent: str) -> tuple[Action, ...]:
    """Add the hooks to the settings of the agent (a key of `SETTINGS`) in `root`; every existing byte stays. Each
    action works on the result of the one before.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    path = SETTINGS[agent]
    document = find(root, path)
    if document is None:
        return (create(path, f"{fresh(_ENTRIES)}\n", "enters the workspace, and asks active skills"),)
    settings = settings_of(path, document, _ENTRIES)
    missing = [entry for entry in _ENTRIES if not has(settings, entry)]
    actions: list[Action] = []
    for entry in missing:
        action = added(document, path, settings, entry)
        if action is None:
            raise refusal(path, "its shape is not the usual one", fresh(missing))
        actions.append(action)
        document = text_of(path, action.result)
        settings = settings_of(path, document, _ENTRIES)
    return tuple(actions) or (keep(path, "the hooks are there"),)
