"""The session-start hook of an agent: its entry in the agent's settings, so that each session enters the workspace."""

from __future__ import annotations

import json
from typing import Any

from skillbag.base.json_text import BadJsonError, json_value
from skillbag.bootstrap.actions import Action, create, keep
from skillbag.bootstrap.existing import find, refusal
from skillbag.bootstrap.json_insertion import put_first
from skillbag.documents.nodes import Mapping, parse_yaml
from skillbag.documents.source import Document

SETTINGS = {"claude": ".claude/settings.json"}
"""The agents that can run a command when a session starts, and their settings files."""

COMMAND = "skillbag enter --hook"

_WHY = "enters the workspace when a session starts"
_GROUP = {"hooks": [{"type": "command", "command": COMMAND}]}
_EVENT = "SessionStart"
_FRESH = json.dumps({"hooks": {_EVENT: [_GROUP]}}, indent=2)


def session_hook_action(root: str, agent: str) -> Action:
    """Add the hook to the settings of the agent (a key of `SETTINGS`) in `root`; every existing byte stays.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    path = SETTINGS[agent]
    document = find(root, path)
    if document is None:
        return create(path, f"{_FRESH}\n", _WHY)
    settings = _settings(path, document)
    if any(COMMAND in command for command in _commands(settings)):
        return keep(path, "the hook is there")
    action = _added(document, path, settings)
    if action is None or not _adds_one(settings, action):
        raise refusal(path, "its shape is not the usual one", _FRESH)
    return action


def _settings(path: str, document: Document) -> dict[str, Any]:
    try:
        settings = json_value(document.text)
    except BadJsonError as error:
        raise refusal(path, f"line {error.line}: {error}", _FRESH) from error
    if not isinstance(settings, dict):
        raise refusal(path, "it is not an object", _FRESH)
    return settings


def _commands(settings: dict[str, Any]) -> list[str]:
    """The commands that run when a session starts."""
    hooks = [hook for group in _groups(settings) for hook in _list(_object(group).get("hooks"))]
    return [str(_object(hook).get("command")) for hook in hooks]


def _groups(settings: dict[str, Any]) -> list[Any]:
    return _list(_object(settings.get("hooks")).get(_EVENT))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _added(document: Document, path: str, settings: dict[str, Any]) -> Action | None:
    """The action that puts the entry first in its list; None if there is no exact place for it."""
    # JSON is YAML's flow style, and the YAML reader gives positions.
    top = parse_yaml(document.text)
    if not isinstance(top, Mapping):
        return None
    hooks = settings.get("hooks", {})
    if "hooks" not in settings:
        return put_first(document, path, top, f'"hooks": {_json({_EVENT: [_GROUP]})}', _WHY)
    if not isinstance(hooks, dict) or not isinstance(node := top.get("hooks"), Mapping):
        return None
    if _EVENT not in hooks:
        return put_first(document, path, node, f'"{_EVENT}": {_json([_GROUP])}', _WHY)
    return put_first(document, path, node.get(_EVENT), _json(_GROUP), _WHY)


def _adds_one(settings: dict[str, Any], action: Action) -> bool:
    """Whether the result has the same values as before and the hook, first of its kind."""
    wanted = {**settings, "hooks": {**_object(settings.get("hooks")), _EVENT: [_GROUP, *_groups(settings)]}}
    try:
        return bool(json.loads(action.result.decode("utf-8-sig")) == wanted)
    except ValueError:
        return False


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
