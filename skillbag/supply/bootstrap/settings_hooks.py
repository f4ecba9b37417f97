"""Entries of hooks in the settings of Claude Code, put in and taken out; every other byte of the file stays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent, to_json
from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.documents import nodes
from skillbag.kernel.documents.nodes import Node, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.supply.bootstrap.existing import refusal, text_of
from skillbag.supply.bootstrap.plan import Action, insert


class HookCommand(NamedTuple):
    """A command as the settings have it; a field is a key of its object."""

    type: str
    command: str
    timeout: int | Absent = ABSENT
    onFailure: str | Absent = ABSENT  # noqa: N815 -- the key of Claude Code


class HookEntry(NamedTuple):
    """A command that runs at an event; `mark` is the part of it by which it is known."""

    event: str
    mark: str
    hook: HookCommand
    why: str

    @property
    def group(self) -> object:
        """The entry in the list of its event, as JSON."""
        return {"hooks": [to_json(self.hook)]}


class HookSettings(NamedTuple):
    """The settings in a file, as JSON."""

    values: Mapping[str, object]

    def groups(self, event: str) -> list[object]:
        """The entries of an event."""
        return _list(_member(self.values.get("hooks"), event))

    def has(self, entry: HookEntry) -> bool:
        """Whether a command with the entry's mark runs at its event."""
        return any(_runs(group, entry) for group in self.groups(entry.event))

    def with_groups(self, event: str, groups: list[object]) -> HookSettings:
        """The settings with these entries of an event; without it, and without hooks, if there are none."""
        known = self.values.get("hooks")
        hooks = {**(known if isinstance(known, dict) else {}), event: groups}
        if not groups:
            del hooks[event]
        others = {key: value for key, value in self.values.items() if key != "hooks"}
        return HookSettings({**others, "hooks": hooks} if hooks else others)


def fresh(entries: Iterable[HookEntry]) -> str:
    """The settings with these entries alone."""
    settings = HookSettings({})
    for entry in reversed(tuple(entries)):
        settings = settings.with_groups(entry.event, [*settings.groups(entry.event), entry.group])
    return _json(settings.values)


def settings_of(path: str, document: Document, entries: Iterable[HookEntry]) -> HookSettings:
    """The settings in the file. Raises `CannotInitError` with the entries, for a file of another shape."""
    try:
        settings = json_value(document.text)
    except BadJsonError as error:
        raise refusal(path, f"line {error.line}: {error}", fresh(entries)) from error
    if not isinstance(settings, dict):
        raise refusal(path, "it is not an object", fresh(entries))
    return HookSettings(settings)


def additions(path: str, document: Document, entries: Iterable[HookEntry]) -> list[Action]:
    """The actions that put each missing entry first in its list; each works on the result of the one before.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    settings = settings_of(path, document, entries)
    missing = [entry for entry in entries if not settings.has(entry)]
    actions: list[Action] = []
    for entry in missing:
        action = _inserted(document, path, settings, entry)
        wanted = settings.with_groups(entry.event, [entry.group, *settings.groups(entry.event)])
        if action is None or not _says(action.result, wanted):
            raise refusal(path, "its shape is not the usual one", fresh(missing))
        actions.append(action)
        document, settings = text_of(path, action.result), wanted
    return actions


def removed(document: Document, settings: HookSettings, entry: HookEntry) -> str | None:
    """The text without the entry, and without what it leaves empty; None if it can't be taken out exactly.

    It must be a group of its own, as `additions` writes it: one that somebody changed is theirs.
    """
    groups = settings.groups(entry.event)
    at = next(index for index, group in enumerate(groups) if _runs(group, entry))
    wanted = settings.with_groups(entry.event, groups[:at] + groups[at + 1 :])
    text = _without(document.text, _nodes(document.text, entry.event), ("hooks", entry.event, at))
    is_alone = len(_list(_member(groups[at], "hooks"))) == 1
    return text if text is not None and is_alone and _says(text.encode(), wanted) else None


def _nodes(text: str, event: str) -> list[Node | None]:
    """The settings, their hooks, and those of the event, with their places."""
    top = parse_yaml(text)
    hooks = top.get("hooks") if isinstance(top, nodes.Mapping) else None
    return (
        [top, hooks, hooks.get(event) if isinstance(hooks, nodes.Mapping) else None]
        if isinstance(top, nodes.Mapping)
        else []
    )


def _without(text: str, parents: list[Node | None], keys: tuple[str | int, ...]) -> str | None:
    """The text without the innermost child; without its parents, where they have no other."""
    for node, key in reversed(list(zip(parents, keys, strict=False))):
        spans = _spans(node)
        at = _place(node, key) if isinstance(key, str) else key
        if node is None or at is None or at >= len(spans):
            return None
        if len(spans) > 1 or key == "hooks":
            start, end = _cut(text, node, spans, at)
            return text[:start] + text[end:]
    return None


def _spans(node: Node | None) -> list[tuple[int, int]]:
    if isinstance(node, nodes.Mapping):
        return [(entry.key.start, entry.value.end) for entry in node.entries]
    return [(item.start, item.end) for item in node.items] if isinstance(node, nodes.Sequence) else []


def _place(node: Node | None, key: str) -> int | None:
    keys = [getattr(entry.key, "value", None) for entry in node.entries] if isinstance(node, nodes.Mapping) else []
    return keys.index(key) if key in keys else None


def _cut(text: str, node: Node, spans: list[tuple[int, int]], at: int) -> tuple[int, int]:
    """What goes with a child: the blanks before it, and a comma."""
    if len(spans) == 1:
        return node.start + 1, node.end - 1
    if at == 0:
        return node.start + 1, text.index(",", spans[0][1]) + 1
    return spans[at - 1][1], spans[at][1]


def _inserted(document: Document, path: str, settings: HookSettings, entry: HookEntry) -> Action | None:
    # JSON is YAML's flow style, and the YAML reader gives positions.
    top = parse_yaml(document.text)
    if not isinstance(top, nodes.Mapping):
        return None
    if "hooks" not in settings.values:
        return _put_first(document, path, top, f'"hooks": {_json({entry.event: [entry.group]})}', entry.why)
    node = top.get("hooks")
    if not isinstance(node, nodes.Mapping):
        return None
    if node.get(entry.event) is None:
        return _put_first(document, path, node, f'"{entry.event}": {_json([entry.group])}', entry.why)
    return _put_first(document, path, node.get(entry.event), _json(entry.group), entry.why)


def _runs(group: object, entry: HookEntry) -> bool:
    return any(entry.mark in str(_member(hook, "command")) for hook in _list(_member(group, "hooks")))


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _says(data: bytes, wanted: HookSettings) -> bool:
    try:
        return bool(json.loads(data.decode("utf-8-sig")) == wanted.values)
    except ValueError:
        return False


def _json(value: object) -> str:
    return json.dumps(value, indent=2)


def _put_first(document: Document, path: str, node: Node | None, text: str, why: str) -> Action | None:
    """Put `text` at the beginning of an object or array, on lines of its own, indented as the file."""
    if not isinstance(node, nodes.Mapping | nodes.Sequence):
        return None
    line = document.text.rfind("\n", 0, node.start) + 1
    before = document.text[line : node.start]
    outer = before[: len(before) - len(before.lstrip())]
    inner = outer + _indentation(document.text)
    is_empty = not (node.entries if isinstance(node, nodes.Mapping) else node.items)
    lines = text.replace("  ", _indentation(document.text)).replace("\n", f"\n{inner}")
    return insert(document, path, node.start + 1, f"{inner}{lines}" + (f"\n{outer}" if is_empty else ","), why)


def _indentation(text: str) -> str:
    """The indentation of the first indented line."""
    for line in text.splitlines():
        if indent := line[: len(line) - len(line.lstrip())]:
            return indent
    return "  "
