"""What completion offers: values with what an editor shows of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from lsprotocol.types import CompletionItemKind

from skillbag.kernel.base.package_data import schema
from skillbag.lint.checks.key_readers import VENDOR_KEYS, readers
from skillbag.lint.rules.builtin import load_clauses


class CompletionChoice(NamedTuple):
    """One offer. `snippet` or `insert` is what is written, if that is not the label; those with a low `rank` are first.

    An editor without snippets writes one without its marks (`$0`, `${1:MIT}`).
    """

    label: str
    kind: CompletionItemKind
    detail: str = ""
    documentation: str = ""
    snippet: str = ""
    rank: int = 1
    insert: str = ""


_FRONT_MATTER = {
    "name": ("Required: the name of the skill's folder.", "skill.required-keys", "name: $0"),
    "description": ("Required: what the skill does and when to use it.", "skill.required-keys", "description: $0"),
    "license": (
        "The licence: an SPDX identifier, or the name of a file.",
        "skill.optional-keys",
        "license: ${1:MIT}",
    ),
    "compatibility": ("What the skill needs around it.", "skill.optional-keys", "compatibility: $0"),
    "metadata": ("Further keys with texts.", "skill.optional-keys", 'metadata:\n  ${1:version}: "${2:1.0}"'),
    "allowed-tools": ("Tools that may be used, separated by spaces.", "skill.optional-keys", "allowed-tools: $0"),
    "dependencies": ("Skills that this one needs.", "dependencies.shape", "dependencies:\n  - name: $0"),
}
_PARAMETER = {
    "name": "The parameter's name, unique within the skill.",
    "type": "What kind of value it takes: string, number, boolean or list.",
    "default": "The value where none is given; only of optional parameters.",
    "values": "The values that are allowed.",
    "description": "What the value is for.",
    "discover": "Patterns of files in the workspace, of which one may fill in the value.",
    "required-if": "Other parameters with the values for which this one is required.",
    "confirm": 'Values that the user is asked about before the run; `"*"` for any.',
    "persist": "Whether the value is worth keeping in `USER_CONTEXT.md`.",
}
_DEPENDENCY = {
    "name": "The name of the skill that is needed.",
    "source": "Where it is installed from; without one only a skill of that name here is meant.",
    "version": "A tag, a branch or a commit.",
    "required": "`false` for one that is not needed; default `true`.",
}
_CONTEXT = {
    "dependencies": ("Skills that the project needs.", "context.shape"),
    "parameters": ("Values of parameters, by skill.", "precedence.order"),
    "overrides": ("Another source or version for a dependency.", None),
    "conflict-resolution": ("Which of several skills wins.", None),
    "prohibit": ("Skills, and values of parameters, that nothing below may use.", "precedence.prohibition"),
    "tags": ("Tags that a skill gets or loses, in `USER_CONTEXT.md`.", "tags.user-override"),
}
_TAGS = {
    "#run/always": "tags.run-always",
    "#run/last": "tags.run-last",
}


@cache
def gist(clause: str | None) -> str:
    """What a clause of the standard says, as `skillbag explain` shows it; empty for none."""
    return next((f"{each.id} ({each.level}): {each.gist}" for each in load_clauses() if each.id == clause), "")


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def front_matter_keys() -> Iterator[CompletionChoice]:
    """The keys of front matter: the format's, then those of programs."""
    kind = CompletionItemKind.Property
    for rank, (key, (text, clause, snippet)) in enumerate(_FRONT_MATTER.items()):
        yield CompletionChoice(key, kind, "", _paragraphs(text, gist(clause)), snippet, rank)
    for key in sorted({*VENDOR_KEYS} - _FRONT_MATTER.keys()):
        yield CompletionChoice(key, kind, "not of the format", f"{readers(key) or ''}.".capitalize(), f"{key}: $0", 99)


def _keys(texts: dict[str, str], *clauses: str) -> Iterator[CompletionChoice]:
    for rank, (key, text) in enumerate(texts.items()):
        documentation = _paragraphs(text, *map(gist, clauses))
        yield CompletionChoice(key, CompletionItemKind.Property, "", documentation, f"{key}: $0", rank)


def parameter_keys() -> Iterator[CompletionChoice]:
    """The keys of a parameter."""
    return _keys(_PARAMETER, "parameters.shape")


def dependency_keys() -> Iterator[CompletionChoice]:
    """The keys of a dependency."""
    return _keys(_DEPENDENCY, "dependencies.shape")


def context_keys() -> Iterator[CompletionChoice]:
    """The keys of a block of a context file."""
    for key, (text, clause) in _CONTEXT.items():
        yield CompletionChoice(key, CompletionItemKind.Property, "", _paragraphs(text, gist(clause)), f"{key}:\n  $0")


def standard_tags() -> Iterator[CompletionChoice]:
    """The tags that the standard defines, and the beginning of the one that names a companion."""
    for tag, clause in _TAGS.items():
        yield CompletionChoice(tag, CompletionItemKind.Event, "", gist(clause))


def words(values: Iterable[str], kind: CompletionItemKind = CompletionItemKind.Value) -> Iterator[CompletionChoice]:
    """Plain words."""
    return (CompletionChoice(value, kind) for value in values)


def plain_keys(*names: str) -> Iterator[CompletionChoice]:
    """Keys that need no explanation."""
    return (CompletionChoice(name, CompletionItemKind.Property, snippet=f"{name}: $0") for name in names)


@cache
def rules() -> tuple[CompletionChoice, ...]:
    """The rules, by their ids."""
    from skillbag.lint.rules.index import RULES
    from skillbag.lint.rules.late_index import RULES as MANIFEST

    kind = CompletionItemKind.EnumMember
    return tuple(
        CompletionChoice(rule[0], kind, rule[3], _paragraphs(rule[10], rule[9])) for rule in (*RULES, *MANIFEST)
    )


def manifest_choices(path: tuple[str, ...], is_value: bool) -> Iterator[CompletionChoice]:
    """The keys, or the values, that the schema of manifests has at a place."""
    node = _manifest()
    for name in path:
        node = node.below.get(name, _SchemaNode())
    if is_value or path[-1:] == ("-",):
        yield from words(node.words, CompletionItemKind.EnumMember)
        if node.type == "boolean":
            yield from words(("true", "false"))
    if not is_value:
        for key, value in node.below.items():
            if key != "-":
                end = {"array": ":\n  - $0", "object": ":\n  $0"}.get(value.type, ": $0")
                yield CompletionChoice(key, CompletionItemKind.Property, "", value.text, key + end)


class _SchemaNode(NamedTuple):
    """A place of a schema: its type, words that it takes, description, and places below; `-` is an item of an array."""

    type: str = ""
    words: tuple[str, ...] = ()
    text: str = ""
    below: Mapping[str, _SchemaNode] = {}


@cache
def _manifest() -> _SchemaNode:
    whole = json.loads(schema("skill-manifest"))

    def read(value: dict[str, Any]) -> _SchemaNode:
        own = whole["$defs"].get(value.get("$ref", "").removeprefix("#/$defs/"), {}) | value
        below = own.get("properties", {}) | ({"-": own["items"]} if "items" in own else {})
        return _SchemaNode(
            str(own.get("type", "")),
            tuple(map(str, own.get("enum", ()))),
            own.get("description", ""),
            {key: read(inner) for key, inner in below.items()},
        )

    return read(whole)
