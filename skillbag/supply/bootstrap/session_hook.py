"""The hooks of an agent: their entries in the agent's settings, so that each session enters the workspace, and active
skills take part in it."""

from __future__ import annotations

from skillbag.kernel.workspace.agents import SETTINGS
from skillbag.supply.bootstrap.existing import find
from skillbag.supply.bootstrap.plan import Action, create, keep
from skillbag.supply.bootstrap.settings_hooks import HookCommand, HookEntry, additions, fresh

COMMAND = "skillbag enter --hook"

PROMPT = "skillbag turn --hook"
"""It asks active skills, too."""

RUNTIME = "skillbag runtime hook"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
"""The steps of a session in which active skills take part; nothing happens where there are none."""

_SECONDS = 60
"""Limit of one step; Claude Code's own is 1.5 s for the last one and ten minutes for others."""


def _entries(agent: str) -> tuple[HookEntry, ...]:
    """Each is put first, so the last one runs first."""
    hook = HookCommand("command", f"{RUNTIME} --host {agent}", _SECONDS)
    enter = HookCommand("command", COMMAND)
    turn = HookCommand("command", PROMPT, _SECONDS)
    prompt = HookEntry(EVENTS[1], PROMPT, turn, "says what changed, and asks active skills, before each response")
    others = (HookEntry(event, RUNTIME, hook, f"asks active skills at {event}") for event in reversed(EVENTS))
    return (
        *(prompt if entry.event == prompt.event else entry for entry in others),
        HookEntry(EVENTS[0], COMMAND, enter, "enters the workspace when a session starts"),
    )


def session_hook_actions(root: str, agent: str) -> tuple[Action, ...]:
    """Add the hooks to the settings of the agent (a key of `SETTINGS`) in `root`; every existing byte stays. Each
    action works on the result of the one before.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    path, entries = SETTINGS[agent], _entries(agent)
    document = find(root, path)
    if document is None:
        return (create(path, f"{fresh(entries)}\n", "enters the workspace, and asks active skills"),)
    return tuple(additions(path, document, entries)) or (keep(path, "the hooks are there"),)
