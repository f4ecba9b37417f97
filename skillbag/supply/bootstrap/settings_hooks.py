"""Entries of hooks in the settings of Claude Code, put in and taken out; every other byte of the file stays."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.documents.nodes import Mapping, Node, Sequence, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.supply.bootstrap.actions import Action
from skillbag.supply.bootstrap.existing import refusal
from skillbag.supply.bootstrap.json_insertion import put_first


class HookEntry(NamedTuple):
    """A command that runs at an event; `mark` is the part of it by which it is known."""

    event: str
    mark: str
    hook: dict[str, Any]
    why: str

    @property
    def group(self) -> dict[str, Any]:
        """The entry in the list of its event."""
        return {"hooks": [self.hook]}


def fresh(entries: Iterable[HookEntry]) -> str:
    """The settings with these entries alone."""
    hooks: dict[str, list[Any]] = {}
    for entry in reversed(tuple(entries)):
        hooks.setdefault(entry.event, []).append(entry.group)
    return json.dumps({"hooks": hooks}, indent=2)


def settings_of(path: str, document: Document, entries: Iterable[HookEntry]) -> dict[str, Any]:
    """The settings in the file. Raises `CannotInitError` with the entries, for a file of another shape."""
    try:
        settings = json_value(document.text)
    except BadJsonError as error:
        raise refusal(path, f"line {error.line}: {error}", fresh(entries)) from error
    if not isinstance(settings, dict):
        raise refusal(path, "it is not an object", fresh(entries))
    return settings


def has(settings: dict[str, Any], entry: HookEntry) -> bool:
    """Whether a command with the entry's mark runs at its event."""
    return any(_runs(group, entry) for group in _groups(settings, entry.event))


def added(document: Document, path: str, settings: dict[str, Any], entry: HookEntry) -> Action | None:
    """The action that puts the entry first in its list; None if there is no exact place for it."""
    action = _inserted(document, path, settings, entry)
    if action is None:
        return None
    groups = [entry.group, *_groups(settings, entry.event)]
    wanted = {**settings, "hooks": {**_object(settings.get("hooks")), entry.event: groups}}
    return action if _says(action.result, wanted) else None


def removed(document: Document, settings: dict[str, Any], entry: HookEntry) -> str | None:
    """The text without the entry, and without what it leaves empty; None if it can't be taken out exactly.

    It must be a group of its own, as `added` writes it: one that somebody changed is theirs.
    """
    groups = _groups(settings, entry.event)
    at = next(index for index, group in enumerate(groups) if _runs(group, entry))
    hooks = {**_object(settings.get("hooks")), entry.event: groups[:at] + groups[at + 1 :]}
    hooks = {event: kept for event, kept in hooks.items() if kept or event != entry.event}
    wanted = {**settings, "hooks": hooks} if hooks else {key: settings[key] for key in settings if key != "hooks"}
    text = _without(document.text, _nodes(document.text, entry.event), ("hooks", entry.event, at))
    is_alone = len(_list(_object(groups[at]).get("hooks"))) == 1
    return text if text is not None and is_alone and _says(text.encode(), wanted) else None


def _nodes(text: str, event: str) -> list[Node | None]:
    """The settings, their hooks, and those of the event, with their places."""
    top = parse_yaml(text)
    hooks = top.get("hooks") if isinstance(top, Mapping) else None
    return [top, hooks, hooks.get(event) if isinstance(hooks, Mapping) else None] if isinstance(top, Mapping) else []


def _without(text: str, nodes: list[Node | None], keys: tuple[str | int, ...]) -> str | None:
    """The text without the innermost child; without its parents, where they have no other."""
    for node, key in reversed(list(zip(nodes, keys, strict=False))):
        spans = _spans(node)
        at = _place(node, key) if isinstance(key, str) else key
        if node is None or at is None or at >= len(spans):
            return None
        if len(spans) > 1 or key == "hooks":
            start, end = _cut(text, node, spans, at)
            return text[:start] + text[end:]
    return None


def _spans(node: Node | None) -> list[tuple[int, int]]:
    if isinstance(node, Mapping):
        return [(entry.key.start, entry.value.end) for entry in node.entries]
    return [(item.start, item.end) for item in node.items] if isinstance(node, Sequence) else []


def _place(node: Node | None, key: str) -> int | None:
    keys = [getattr(entry.key, "value", None) for entry in node.entries] if isinstance(node, Mapping) else []
    return keys.index(key) if key in keys else None


def _cut(text: str, node: Node, spans: list[tuple[int, int]], at: int) -> tuple[int, int]:
    """What goes with a child: the blanks before it, and a comma."""
    if len(spans) == 1:
        return node.start + 1, node.end - 1
    if at == 0:
        return node.start + 1, text.index(",", spans[0][1]) + 1
    return spans[at - 1][1], spans[at][1]


def _inserted(document: Document, path: str, settings: dict[str, Any], entry: HookEntry) -> Action | None:
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


def _runs(group: object, entry: HookEntry) -> bool:
    return any(entry.mark in str(_object(hook).get("command")) for hook in _list(_object(group).get("hooks")))


def _groups(settings: dict[str, Any], event: str) -> list[Any]:
    return _list(_object(settings.get("hooks")).get(event))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _says(data: bytes, wanted: dict[str, Any]) -> bool:
    try:
        return bool(json.loads(data.decode("utf-8-sig")) == wanted)
    except ValueError:
        return False


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
