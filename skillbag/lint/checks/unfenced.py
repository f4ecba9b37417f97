"""Declarations that are ignored because they are not in a fenced `yaml` block but in a bare fence or plain lines.

In a bare fence they may be malformed as well. Then a key counts if what stands below it looks like its value, and in a
context file also if the fence has no other keys and nothing shows that it is another tool's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import Fence, Markdown, scan
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import KEYS, contexts, items_of, scalars_of, seeming_keys, values_of
from skillbag.kernel.standard.parameters import LISTS
from skillbag.kernel.standard.unread import SETTING_FORMS, ignored_declarations
from skillbag.kernel.workspace.declared_blocks import (
    DEPENDENCIES,
    PARAMETERS,
    DeclarationKind,
    OtherDeclaration,
    declared_sections,
)
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_MAX = 20_000
"""Longest piece that is parsed, in characters: a declaration is short."""


@Predicate("setting-unfenced", Subject.INVENTORY, values=("key",))
def unfenced_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Settings of context files that are not in a `yaml` block."""
    for context in contexts(inventory.workspace):
        for key in unfenced_settings(context.document):
            yield match_at(context.document.path, key, {"key": key.value})


def unfenced_settings(document: Document) -> Iterator[Scalar]:
    """The keys of the settings in a context file that are not in a `yaml` block."""
    text = document.text
    if seeming_keys(text, 0, len(text)):
        markdown = scan(text)
        found = [*_keys(document, markdown, [(0, len(text))], SETTING_FORMS)]
        found += (key for fence in markdown.fences if _is_bare(fence.info) for key in _alone(text, fence))
        yield from {key.start: key for key in sorted(found, key=lambda key: key.start)}.values()


@Predicate("declaration-unfenced", Subject.SKILL, values=("key",), needs="declarations")
def unfenced_declaration(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Parameters and dependencies of a skill, under their heading, that are not in a `yaml` block."""
    for key in unfenced_keys(skill):
        yield match_at(skill.path, key, {"key": key.value})


def unfenced_keys(skill: Skill) -> Iterator[Scalar]:
    """The keys of a skill's declarations that are not in a `yaml` block."""
    document = skill.document
    if not isinstance(document, Document):
        return
    for kind, forms in _KINDS.items():
        if any(f"{key}:" in document.text for key in forms):
            spans = [(section.start, section.end) for section in declared_sections(skill.markdown, kind)]
            yield from _keys(document, skill.markdown, spans, forms)


@Predicate("declaration-heading", Subject.SKILL, values=("what", "heading", "effect"), needs="other-headings")
def other_heading(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Blocks of the form of a declaration under other headings than the standard's: those read, and those ignored."""
    for kind, other in ignored_declarations(skill):
        yield _under(skill, kind, other, "ignored")
    for kind, declared in ((PARAMETERS, skill.declared_parameters), (DEPENDENCIES, skill.declared_dependencies)):
        for other in declared.others:
            if other.is_read:
                yield _under(skill, kind, other, f"read as if under `{kind.title}`")


def _under(skill: Skill, kind: DeclarationKind, other: OtherDeclaration, effect: str) -> Match:
    under = f"under `{short(other.heading)}`" if other.heading else "under no heading"
    return Match(skill.path, other.start, other.end, {"what": kind.title, "heading": under, "effect": effect})


def _is_named(node: Node) -> bool:
    items = items_of(node)
    return bool(items) and all(isinstance(item, Mapping) and item.get("name") is not None for item in items)


_KINDS: dict[DeclarationKind, dict[str, Callable[[Node], bool]]] = {
    PARAMETERS: dict.fromkeys(LISTS, _is_named),
    DEPENDENCIES: {"dependencies": _is_named},
}


def _keys(
    document: Document, markdown: Markdown, spans: Iterable[tuple[int, int]], forms: dict[str, Callable[[Node], bool]]
) -> Iterator[Scalar]:
    found = [key for span in spans for key in _settings(document.text, markdown, *span, forms)]
    yield from {key.start: key for key in found}.values()


def _settings(
    text: str, markdown: Markdown, start: int, end: int, forms: dict[str, Callable[[Node], bool]]
) -> Iterator[Scalar]:
    """The keys that have the form of a setting in bare fences, and of the plain lines that begin with one of them."""
    at = start
    for fence in markdown.fences:
        if start <= fence.start < end:
            yield from _fitting(_plain_entries(text, markdown, at, fence.start, forms), forms)
            if _is_bare(fence.info):
                yield from _in_fence(text, fence.body_start, fence.body_end, forms)
            at = fence.end
    yield from _fitting(_plain_entries(text, markdown, at, end, forms), forms)


def _fitting(entries: Iterable[MappingEntry], forms: dict[str, Callable[[Node], bool]]) -> Iterator[Scalar]:
    return (entry.key for entry in entries if entry.key.value in forms and forms[entry.key.value](entry.value))


def _in_fence(text: str, start: int, end: int, forms: dict[str, Callable[[Node], bool]]) -> Iterator[Scalar]:
    if end - start > _MAX:
        return
    if entries := _parsed(text, start, end):
        yield from _fitting(entries, forms)
        return
    # It is no YAML as a whole, so each key is looked at alone.
    pattern, at = _key_pattern(forms), start
    while match := pattern.search(text, at, end):
        at = _piece_end(text, match.start(), end)
        if entries := _parsed(text, match.start(), at):
            yield from _fitting(entries, forms)
        elif _SIGNS[match[1]]().search(text, match.end(), at):
            yield Scalar(match[1], *match.span(1), plain=True)


_TOP = late(r"""^([ \t]*)["']?([\w-]+)["']?[ \t]*:(?=\s|\Z)""", re.MULTILINE)
_LISTED = ("dependencies", "tags")
_OTHERS = {
    **dict.fromkeys(_LISTED, late(r"[ \t]+\w")),
    "parameters": late(r"[ \t]+\w|(?s:.*)\b(?:type|default|description)[ \t]*:"),
}
"""By key: the values that sentences and other tools have."""


def _alone(text: str, fence: Fence) -> Iterator[Scalar]:
    """The keys of a fence that begins with one and has no others but those of a context file, each with a value."""
    start, end = fence.body_start, fence.body_end
    tops = [*_TOP().finditer(text, start, end)] if end - start <= _MAX else []
    tops = [top for top in tops if top[1] == tops[0][1]]
    if not tops or text[start : tops[0].start()].strip() or not KEYS.issuperset(top[2] for top in tops):
        return
    for top, until in zip(tops, (*(top.start() for top in tops[1:]), end), strict=True):
        parsed = _parsed(text, top.start(), until)
        if parsed and (not core_value(parsed[0].value) or (top[2] in _LISTED and _are_words(parsed[0].value))):
            continue
        if top[2] not in _OTHERS or not _OTHERS[top[2]]().match(text[top.end() : until]):
            yield Scalar(top[2], *top.span(2), plain=True)


def _are_words(node: Node) -> bool:
    """Whether a list begins with a word, as those of packages and of articles' tags do, and names no tag of ours."""
    return isinstance(values_of(node)[0], Scalar) and not any("#" in item.value for item in scalars_of(node))


_NAMED = late(r"\bname[ \t]*:")
_SIGNS = {
    **dict.fromkeys(("dependencies", *LISTS), _NAMED),
    "conflict-resolution": late(r"\b(?:skills|winner)[ \t]*:"),
    "parameters": late(
        r"\n?[ \t{]+(?:\*|[a-z0-9-]+)[ \t]*:[ \t]*(?:\{|\n)(?!.*\b(?:type|default|description)[ \t]*:)", re.DOTALL
    ),
    "tags": late(r"\b(?:add|remove)[ \t]*:"),
    "overrides": late(r"\b(?:source|version)[ \t]*:"),
    "prohibit": late(r"\b(?:skills|parameters)[ \t]*:"),
}
"""By key: what the value has, as far as one that is no YAML shows it."""


def _is_bare(info: str) -> bool:
    """Whether a fence has no language, or `yaml` in a form that is not read, such as `{.yaml}`."""
    word = info.partition(" ")[0].lower()
    return not word or (word not in ("yaml", "yml") and word.lstrip("{.").startswith(("yaml", "yml")))


def _key_pattern(keys: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*({'|'.join(map(re.escape, keys))})[ \t]*:", re.MULTILINE)


def _plain_entries(text: str, markdown: Markdown, start: int, end: int, keys: Iterable[str]) -> Iterator[MappingEntry]:
    pattern, at = _key_pattern(keys), start
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


def _parsed(text: str, start: int, end: int) -> tuple[MappingEntry, ...]:
    value = parse_yaml(text[start:end], start) if end - start <= _MAX else None
    return value.entries if isinstance(value, Mapping) and not isinstance(value, YamlError) else ()
