"""Completion in YAML: front matter, the blocks of skills and of context files, and manifests."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lsprotocol.types import CompletionItemKind

from skillbag.doors.language_server import choices
from skillbag.doors.language_server.choices import CompletionChoice
from skillbag.doors.language_server.yaml_place import ITEM, YamlPlace
from skillbag.kernel.hosts.tools import CLAUDE_TOOLS
from skillbag.kernel.standard.parameters import LISTS, TYPES
from skillbag.kernel.standard.reserved import TOOLS
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.lint.checks.manifest_fields import LICENSES
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.values import SymbolKind, skill_symbol

_DECLARED = re.compile(r"^[ \t]*-[ \t]+name:[ \t]*[\"']?([\w-]+)", re.MULTILINE)

FRONT_MATTER = "front matter"
PARAMETERS = "parameters"
DEPENDENCIES = "dependencies"
CONTEXT = "context"
MANIFEST = "manifest"
"""The kinds of YAML, by what they are for."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question for completion: in the file at `path`, at a place in YAML, whose text is `source`."""

    index: SymbolIndex
    path: str
    place: YamlPlace
    source: str = ""

    @property
    def skill(self) -> str:
        """The name of the skill that the file is in, or empty."""
        unit = self.index.skill_at(self.path)
        return unit.name if unit else ""


def skill_choices(asking: Asking) -> Iterator[CompletionChoice]:
    """The skills but the one that is edited."""
    own = asking.index.skill_at(asking.path)
    for unit in asking.index.skills:
        if unit is not own:
            yield CompletionChoice(unit.name, CompletionItemKind.Class, "skill", unit.description)


def _key(choice: CompletionChoice, end: str) -> CompletionChoice:
    """A name as a key, with what follows it."""
    return choice._replace(snippet=choice.label.replace("$", "\\$") + end)


def _skill_keys(asking: Asking) -> Iterator[CompletionChoice]:
    return (_key(choice, ":\n  $0") for choice in skill_choices(asking))


def _skills_and_any(asking: Asking) -> Iterator[CompletionChoice]:
    yield from _skill_keys(asking)
    yield CompletionChoice("*", CompletionItemKind.Keyword, "every skill", "", '"*":\n  $0')


def parameter_choices(index: SymbolIndex, skill: str) -> Iterator[CompletionChoice]:
    """The parameters of a skill; of every skill for `*`."""
    wanted = None if skill == "*" else {name.name for name in index.names(skill_symbol(skill))}
    names: dict[str, str] = {}
    for symbol in index.symbols(SymbolKind.PARAMETER):
        if symbol.skill != "*" and (wanted is None or symbol.skill in wanted):
            names.setdefault(symbol.name, symbol.skill)
    return (
        CompletionChoice(name, CompletionItemKind.Property, f"parameter of {owner}")
        for name, owner in sorted(names.items())
    )


def _parameters_of_key(asking: Asking) -> Iterator[CompletionChoice]:
    found = parameter_choices(asking.index, asking.place.path[-1])
    return (_key(choice, ": $0") for choice in found)


def _own_parameters(asking: Asking) -> Iterator[CompletionChoice]:
    known = {choice.label: choice for choice in parameter_choices(asking.index, asking.skill)}
    # Half a line can keep the whole block from being read.
    for match in _DECLARED.finditer(asking.source):
        known.setdefault(match[1], CompletionChoice(match[1], CompletionItemKind.Property))
    found = known.values()
    return (_key(choice, ": $0") for choice in found)


def tag_choices(asking: Asking) -> Iterator[CompletionChoice]:
    """The tags: the standard's, those in use, and one for each skill as a companion."""
    found = {choice.label: choice for choice in choices.standard_tags()}
    for symbol in asking.index.symbols(SymbolKind.TAG):
        if symbol.name.startswith("#"):
            found.setdefault(symbol.name, CompletionChoice(symbol.name, CompletionItemKind.Event, "tag"))
    yield from found.values()
    for choice in skill_choices(asking):
        yield choice._replace(label=f"#use/{choice.label}", detail=choices.gist("tags.use"))


def _description_tags(asking: Asking) -> Iterator[CompletionChoice]:
    return tag_choices(asking) if re.search(r"(?:^|\s)#\S*\Z", asking.place.prefix) else iter(())


def _tools(asking: Asking) -> Iterator[CompletionChoice]:
    kind = CompletionItemKind.Function
    if asking.skill == BOOTSTRAP_SKILL:
        return choices.words(TOOLS, kind)
    return choices.words(sorted(CLAUDE_TOOLS), kind)


def _own_name(asking: Asking) -> Iterator[CompletionChoice]:
    unit = asking.index.skill_at(asking.path)
    folder = unit.folder.name if unit else os.path.basename(os.path.dirname(asking.path))
    yield CompletionChoice(folder, CompletionItemKind.Class, "the folder's name", choices.gist("naming.canonical"))


def _truths(_: Asking) -> Iterator[CompletionChoice]:
    return choices.words(("true", "false"))


def _tag_items(asking: Asking) -> Iterator[CompletionChoice]:
    """Tags as items of a list, where `#` must be in quotes."""
    quote = "" if asking.place.opened else '"'
    return (choice._replace(insert=f"{quote}{choice.label}{quote}") for choice in tag_choices(asking))


_Source = Callable[[Asking], Iterator[CompletionChoice]]
_ANY = "*"
_DEPENDENCY_ITEMS: dict[tuple[str, ...], _Source] = {
    ("dependencies", ITEM): lambda _: choices.dependency_keys(),
    ("dependencies", ITEM, "name"): skill_choices,
    ("dependencies", ITEM, "required"): _truths,
}
_PARAMETER_ITEMS: dict[tuple[str, ...], _Source] = {
    source: offer
    for name in LISTS
    for source, offer in {
        (name, ITEM): lambda _: choices.parameter_keys(),
        (name, ITEM, "type"): lambda _: choices.words(TYPES, CompletionItemKind.EnumMember),
        (name, ITEM, "persist"): _truths,
        (name, ITEM, "required-if"): _own_parameters,
    }.items()
}
_OFFERS: dict[str, dict[tuple[str, ...], _Source]] = {
    FRONT_MATTER: {
        (): lambda _: choices.front_matter_keys(),
        ("name",): _own_name,
        ("description",): _description_tags,
        ("license",): lambda _: choices.words(sorted(LICENSES)),
        ("allowed-tools",): _tools,
        ("allowed-tools", ITEM): _tools,
        ("user-invocable",): _truths,
        ("disable-model-invocation",): _truths,
        **_DEPENDENCY_ITEMS,
    },
    PARAMETERS: {(): lambda _: choices.plain_keys(*LISTS, "confirm"), **_PARAMETER_ITEMS},
    DEPENDENCIES: {(): lambda _: choices.plain_keys("dependencies"), **_DEPENDENCY_ITEMS},
    CONTEXT: {
        (): lambda _: choices.context_keys(),
        **_DEPENDENCY_ITEMS,
        ("overrides",): _skill_keys,
        ("overrides", _ANY): lambda _: choices.plain_keys("source", "version"),
        ("conflict-resolution", ITEM): lambda _: choices.plain_keys("skills", "winner"),
        ("conflict-resolution", ITEM, "skills", ITEM): skill_choices,
        ("conflict-resolution", ITEM, "winner"): skill_choices,
        ("parameters",): _skills_and_any,
        ("parameters", _ANY): _parameters_of_key,
        ("prohibit",): lambda _: choices.plain_keys("skills", "parameters"),
        ("prohibit", "skills", ITEM): skill_choices,
        ("prohibit", "parameters"): _skills_and_any,
        ("prohibit", "parameters", _ANY): _parameters_of_key,
        ("tags",): _skill_keys,
        ("tags", _ANY): lambda _: choices.plain_keys("add", "remove"),
        ("tags", _ANY, _ANY, ITEM): _tag_items,
    },
    MANIFEST: {
        ("name",): _own_name,
        ("dependencies", ITEM, "name"): skill_choices,
        ("agents", ITEM, "extra_skills", ITEM): skill_choices,
        ("agents", ITEM, "disable_skills", ITEM): skill_choices,
        ("license",): lambda _: choices.words(sorted(LICENSES)),
    },
}
_VALUES = frozenset({"name", "description", "license", "allowed-tools", "type", "persist", "required", "winner"})


def offered(kind: str, asking: Asking) -> Iterator[CompletionChoice]:
    """What may be written at a place of YAML of a kind; keys that are there already are left out."""
    place = asking.place
    for pattern, source in _OFFERS[kind].items():
        if _fits(pattern, place):
            yield from _without(source(asking), place)
    if kind == MANIFEST:
        yield from _without(choices.manifest_choices(place.path, place.is_value), place)


def _without(found: Iterator[CompletionChoice], place: YamlPlace) -> Iterator[CompletionChoice]:
    return (choice for choice in found if place.is_value or choice.label not in place.siblings)


def _fits(pattern: tuple[str, ...], place: YamlPlace) -> bool:
    if len(pattern) != len(place.path):
        return False
    if not all(wanted in (_ANY, name) for wanted, name in zip(pattern, place.path, strict=True)):
        return False
    # After `key:` on its own line comes its value; keys below it are on the next one.
    is_of_value = pattern[-1:] != () and (pattern[-1] in _VALUES or pattern[-1].startswith(("user-", "disable-")))
    return place.is_value == is_of_value
