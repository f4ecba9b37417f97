"""Declarations that are ignored because they are not in a fenced `yaml` block but in a bare fence or plain lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from skillbag.base.lazy_regex import late
from skillbag.checks.context import SETTING_FORMS
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.documents.markdown import Markdown, scan
from skillbag.documents.nodes import Entry, Mapping, Node, YamlError, parse_yaml
from skillbag.documents.source import Document
from skillbag.standard.blocks import contexts, items_of, seeming_keys
from skillbag.standard.parameters import LISTS
from skillbag.workspace.model import Inventory
from skillbag.workspace.skill import Skill

_MOST = 20_000
"""Longest piece that is parsed, in characters: a declaration is short."""


@Predicate("setting-unfenced", Subject.INVENTORY, values=("key",))
def unfenced_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Settings of context files that are not in a `yaml` block."""
    for context in contexts(inventory.workspace):
        document = context.document
        if seeming_keys(document.text, 0, len(document.text)):
            yield from _matches(document, scan(document.text), [(0, len(document.text))], SETTING_FORMS)


@Predicate("declaration-unfenced", Subject.SKILL, values=("key",), needs="declarations")
def unfenced_declaration(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Parameters and dependencies of a skill, under their heading, that are not in a `yaml` block."""
    document = skill.document
    if not isinstance(document, Document):
        return
    for title, forms in _TITLES.items():
        if title[1:] in document.text.lower() and any(f"{key}:" in document.text for key in forms):
            spans = [(section.start, section.end) for section in skill.markdown.section(title)]
            yield from _matches(document, skill.markdown, spans, forms)


def _is_named(node: Node) -> bool:
    items = items_of(node)
    return bool(items) and all(isinstance(item, Mapping) and item.get("name") is not None for item in items)


_TITLES: dict[str, dict[str, Callable[[Node], bool]]] = {
    "parameters": dict.fromkeys(LISTS, _is_named),
    "dependencies": {"dependencies": _is_named},
}


def _matches(
    document: Document, markdown: Markdown, spans: Iterable[tuple[int, int]], forms: dict[str, Callable[[Node], bool]]
) -> Iterator[Match]:
    seen: set[int] = set()
    for start, end in spans:
        for entry in _entries(document.text, markdown, start, end, forms):
            form = forms.get(entry.key.value)
            if form and form(entry.value) and entry.key.start not in seen:
                seen.add(entry.key.start)
                yield match_at(document.path, entry.key, {"key": entry.key.value})


def _entries(text: str, markdown: Markdown, start: int, end: int, keys: Iterable[str]) -> Iterator[Entry]:
    """The entries of mappings in bare fences, and of the plain lines that begin with one of the keys."""
    at = start
    for fence in markdown.fences:
        if start <= fence.start < end:
            yield from _plain_entries(text, markdown, at, fence.start, keys)
            if not fence.info:
                yield from _parsed(text, fence.body_start, fence.body_end)
            at = fence.end
    yield from _plain_entries(text, markdown, at, end, keys)


def _plain_entries(text: str, markdown: Markdown, start: int, end: int, keys: Iterable[str]) -> Iterator[Entry]:
    pattern = re.compile(rf"^[ \t]*(?:{'|'.join(map(re.escape, keys))})[ \t]*:", re.MULTILINE)
    at = start
    while match := pattern.search(text, at, end):
        at = _piece_end(text, match.start(), end)
        if not markdown.in_comment(match.start()):
            yield from _parsed(text, match.start(), at)


def _piece_end(text: str, start: int, end: int) -> int:
    """The end of the lines that belong to the key at `start`: a blank line, or a line with less indentation."""
    indent = len(text[start:end]) - len(text[start:end].lstrip(" \t"))
    at = start
    while at < end:
        line = text[at : min(end, text.find("\n", at) + 1 or end)]
        body = line.lstrip(" \t")
        if not body.strip() or len(line) - len(body) < indent:
            break
        if at > start and len(line) - len(body) == indent and not _GOES_ON().match(body):
            break
        at += len(line)
    return at


_GOES_ON = late(r"-[ \t]|[\w-]+[ \t]*:(?:[ \t]|$)|[\]}]", re.MULTILINE)


def _parsed(text: str, start: int, end: int) -> tuple[Entry, ...]:
    value = parse_yaml(text[start:end], start) if end - start <= _MOST else None
    return value.entries if isinstance(value, Mapping) and not isinstance(value, YamlError) else ()
