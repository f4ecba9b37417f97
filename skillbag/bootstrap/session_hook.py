"""The hooks of an agent: their entries in the agent's settings, so that each session enters the workspace, and active
skills take part in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from skillbag.base.json_text import BadJsonError, json_value
from skillbag.bootstrap.actions import Action, create, keep
from skillbag.bootstrap.existing import find, refusal, text_of
from skillbag.bootstrap.json_insertion import put_first
from skillbag.documents.nodes import Mapping, parse_yaml
from skillbag.documents.source import Document

SETTINGS = {"claude": ".claude/settings.json"}
"""The agents that can run commands at the steps of a session, and their settings files."""

COMMAND = "skillbag enter --hook"

RUNTIME = "skillbag runtime hook --host claude"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
"""The steps of a session in which active skills take part; nothing happens where there are none."""

_SECONDS = 60
"""Limit of one step; Claude Code's own is 1.5 s for the last one and ten minutes for others."""


class _Entry(NamedTuple):
    """A command that runs at an event; `mark` is the part of it by which it is known."""

    event: str
    mark: str
    hook: dict[str, Any]
    why: str

    @property
    def group(self) -> dict[str, Any]:
        return {"hooks": [self.hook]}


_ENTRIES = (
    *(
        _Entry(
            event,
            "skillbag runtime hook",
            {"type": "command", "command": RUNTIME, "timeout": _SECONDS},
            f"asks active skills at {event}",
        )
        for event in reversed(EVENTS)
    ),
    # Each is put first, so the last one runs first.
    _Entry(EVENTS[0], COMMAND, {"type": "command", "command": COMMAND}, "enters the workspace when a session starts"),
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
        return (create(path, f"{_fresh(_ENTRIES)}\n", "enters the workspace, and asks active skills"),)
    settings = _settings(path, document)
    missing = [entry for entry in _ENTRIES if not any(entry.mark in each for each in _commands(settings, entry.event))]
    actions: list[Action] = []
    for entry in missing:
        action = _added(document, path, settings, entry)
        if action is None or not _adds_one(settings, action, entry):
            raise refusal(path, "its shape is not the usual one", _fresh(missing))
        actions.append(action)
        document = text_of(path, action.result)
        settings = _settings(path, document)
    return tuple(actions) or (keep(path, "the hooks are there"),)


def _fresh(entries: Iterable[_Entry]) -> str:
    """The settings with these entries alone."""
    hooks: dict[str, list[Any]] = {}
    for entry in reversed(tuple(entries)):
        hooks.setdefault(entry.event, []).append(entry.group)
    return json.dumps({"hooks": hooks}, indent=2)


def _settings(path: str, document: Document) -> dict[str, Any]:
    try:
        settings = json_value(document.text)
    except BadJsonError as error:
        raise refusal(path, f"line {error.line}: {error}", _fresh(_ENTRIES)) from error
    if not isinstance(settings, dict):
        raise refusal(path, "it is not an object", _fresh(_ENTRIES))
    return settings


def _commands(settings: dict[str, Any], event: str) -> list[str]:
    """The commands that run at an event."""
    hooks = [hook for group in _groups(settings, event) for hook in _list(_object(group).get("hooks"))]
    return [str(_object(hook).get("command")) for hook in hooks]


def _groups(settings: dict[str, Any], event: str) -> list[Any]:
    return _list(_object(settings.get("hooks")).get(event))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _added(document: Document, path: str, settings: dict[str, Any], entry: _Entry) -> Action | None:
    """The action that puts the entry first in its list; None if there is no exact place for it."""
    # JSON is YAML's flow style, and the YAML reader gives positions.
    top = parse_yaml(document.text)
    if not isinstance(top, Mapping):
        return None
    hooks = settings.get("hooks", {})
    if "hooks" not in settings:
        return put_first(document, path, top, f'"hooks": {_json({entry.event: [entry.group]})}', entry.why)
    if not isinstance(hooks, dict) or not isinstance(node := top.get("hooks"), Mapping):
        return None
    if entry.event not in hooks:
        return put_first(document, path, node, f'"{entry.event}": {_json([entry.group])}', entry.why)
    return put_first(document, path, node.get(entry.event), _json(entry.group), entry.why)


def _adds_one(settings: dict[str, Any], action: Action, entry: _Entry) -> bool:
    """Whether the result has the same values as before and the entry, first of its event."""
    groups = [entry.group, *_groups(settings, entry.event)]
    wanted = {**settings, "hooks": {**_object(settings.get("hooks")), entry.event: groups}}
    try:
        return bool(json.loads(action.result.decode("utf-8-sig")) == wanted)
    except ValueError:
        return False


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
