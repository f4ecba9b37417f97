"""What no reader reads: unknown and misspelled keys of declarations, and settings where they have no effect.

The rules report it, and a session says it at entry and before a run, so that nothing is ignored in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import closest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, core_value
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard import parameter_keys
from skillbag.kernel.standard.blocks import (
    KEYS,
    PLAIN,
    BlockFault,
    declared_dependencies,
    entries_of,
    fault_at,
    items_of,
    mappings,
)
from skillbag.kernel.standard.context_blocks import ANY_SKILL, is_ours, parameter_entries
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.standard.parameters import LISTS, declared_parameters
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.kernel.workspace.declared_blocks import (
    DEPENDENCIES,
    PARAMETERS,
    DeclarationKind,
    OtherDeclaration,
    is_shown,
)
from skillbag.kernel.workspace.model import ContextFile, Workspace, context_file
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import AGENTS, BOOTSTRAP_SKILL, CONTEXT, ENTRYPOINT, USER_CONTEXT

_MANY = 20
"""Keys of a declaration that are looked at: it has a few, and a block with very many is data."""


def _has_items(node: Node, *keys: str) -> bool:
    """Whether it is a list of mappings that all have the first key, and one of the others, where some are given."""
    items = items_of(node)
    return bool(items) and all(_has(item, keys[:1]) and (not keys[1:] or _has(item, keys[1:])) for item in items)


def _has(node: Node, keys: tuple[str, ...]) -> bool:
    return isinstance(node, Mapping) and any(node.get(key) is not None for key in keys)


def _is_for_skills(node: Node, *keys: str) -> bool:
    """Whether it is a mapping from names of skills to mappings, each with one of the keys, where some are given."""
    entries = entries_of(node)
    named = all(entry.key.value == ANY_SKILL or is_name(entry.key.value) for entry in entries)
    mapped = all(_has(entry.value, keys) if keys else isinstance(entry.value, Mapping) for entry in entries)
    return bool(entries) and named and mapped


SETTING_FORMS: dict[str, Callable[[Node], bool]] = {
    "dependencies": lambda node: _has_items(node, "name", "source", "version"),
    "conflict-resolution": lambda node: _has_items(node, "skills", "winner"),
    # With a type or a default for each, they are declared by some other tool.
    "parameters": lambda node: _is_for_skills(node) and not _is_for_skills(node, "type", "default", "description"),
    "tags": lambda node: _is_for_skills(node, "add", "remove"),
    "overrides": lambda node: _is_for_skills(node, "source", "version"),
    "prohibit": lambda node: _has(node, ("skills", "parameters")),
}
"""The keys of context files, with the form of their values by which those of other tools are told from ours."""


def misspelt_keys(mapping: Mapping) -> Iterator[tuple[Scalar, str]]:
    """The keys of a block that are nearly one of a context file's, with a value of its form; and the key meant."""
    for key, value in mapping.entries[:_MANY]:
        if (meant := _meant_key(key.value)) and SETTING_FORMS[meant](value):
            yield key, meant


def _meant_key(key: str) -> str:
    """The key that is meant by another; one that begins otherwise (`devDependencies`) is a key of its own."""
    if key in KEYS or len(key) > 30 or key.lower().startswith("dev"):
        return ""
    close = closest(key.lower().replace("_", "-"), sorted(SETTING_FORMS), 0.75)
    return close if close[:1] == key[:1].lower() else ""


_PARAMETER = (*parameter_keys.KEYS, "name", "required", "default", "values", "type", "description")
_MEANT = (*parameter_keys.KEYS, "default", "values")


def misspelt_lists(skill: Skill) -> Iterator[tuple[Scalar, str]]:
    """The keys of a block of parameters that are nearly `required` or `optional`; and the key meant."""
    for block in skill.parameter_blocks:
        for key, _ in entries_of(block.value)[:_MANY]:
            if key.value not in LISTS and (meant := closest(key.value[:20].lower(), LISTS, 0.75)):
                yield key, meant


def misspelt_in_parameters(skill: Skill) -> Iterator[tuple[Scalar, str]]:
    """The keys of parameters that are nearly one of those that count; and the key meant."""
    for parameter in declared_parameters(skill):
        for key, _ in parameter.item.entries[:_MANY]:
            if key.value not in _PARAMETER and len(key.value) <= 20:
                meant = closest(key.value.lower(), _PARAMETER, 0.8)
                if meant in _MEANT:
                    yield key, meant


def unread_in_front_matter(skill: Skill) -> Iterator[BlockFault]:
    """The keys of front matter that plainly declare parameters or dependencies, and are not read; the rule about
    unknown keys reports them."""
    matter = skill.front_matter
    for key, value in matter.mapping.entries if isinstance(matter, FrontMatter) else ():
        lists = [entry.value for entry in entries_of(value) if entry.key.value in LISTS]
        if any(_has_items(node, "name") for node in (value, *lists)) and key.value != "dependencies":
            near = closest(key.value.lower(), ["dependencies"], 0.7)
            under = f"put parameters in a `yaml` block under a heading `{PARAMETERS.title}`"
            yield fault_at(
                key, f"`{key.value[:80]}` is no key of the front matter", f"write `{near}`" if near else under
            )


_DEPENDENCY = ("name", "source", "version", "required")
_SYNONYMS = {
    **dict.fromkeys(("branch", "tag", "ref", "rev", "revision", "commit", "sha", "pin"), "version"),
    **dict.fromkeys(("url", "uri", "repo", "repository", "git", "path", "from"), "source"),
    "skill": "name",
    "optional": "required",
}


def _unread_keys(mapping: Mapping, known: tuple[str, ...], what: str) -> Iterator[BlockFault]:
    """The keys of one declaration that nothing reads; the fix names the key that is meant, if one is near."""
    for key, _ in mapping.entries[:_MANY]:
        name = key.value
        if name not in known:
            meant = _SYNONYMS.get(name.lower()) or closest(name[:40].lower().replace("_", "-"), known, 0.7)
            yield fault_at(key, f"`{name[:80]}` is no key of {what}", f"write `{meant}`" if meant in known else "")


def _unread_in_list(node: Node | None, *more: str) -> Iterator[BlockFault]:
    """The keys that nothing reads in the items of a list of dependencies; `more` are read as well."""
    for item in items_of(node):
        if isinstance(item, Mapping):
            yield from _unread_keys(item, (*_DEPENDENCY, *more), "a dependency")


def unread_in_skill(skill: Skill) -> Iterator[BlockFault]:
    """The keys that nothing reads in the dependencies of a skill, and what contradicts the list of its parameter."""
    for name, required, _, item in declared_parameters(skill):
        entry = item.entry("required")
        stated = core_value(entry.value) if entry else required
        if entry and isinstance(stated, bool) and stated is not required:
            here, there = ("required", "optional") if required else ("optional", "required")
            reason = f"`required: {str(stated).lower()}` of `{name.value[:80]}` contradicts the list `{here}`"
            yield fault_at(entry.key, reason, f"move the parameter to `{there}`")
    yield from _unread_in_list(skill.field("dependencies"))
    for block in skill.dependency_blocks:
        node = block.value
        yield from _unread_in_list(declared_dependencies(node) if isinstance(node, Mapping) else node)
        for key, value in entries_of(node)[:_MANY]:
            if key.value != "dependencies" and _has_items(value, "name"):
                fix = "write `dependencies`" if closest(key.value.lower(), ["dependencies"], 0.7) else ""
                yield fault_at(key, f"`{key.value[:80]}` is no key of a block of dependencies", fix)


def ignored_declarations(skill: Skill) -> Iterator[tuple[DeclarationKind, OtherDeclaration]]:
    """The blocks of the form of a declaration that do not count because of their heading.

    Beside a declaration that counts, and under a heading such as `Example`, a block shows something.
    """
    for kind, declared in ((PARAMETERS, skill.declared_parameters), (DEPENDENCIES, skill.declared_dependencies)):
        for other in declared.others if not declared.blocks else ():
            if not is_shown(other.heading):
                yield kind, other


def unread_in_context(mapping: Mapping) -> Iterator[BlockFault]:
    """The keys that nothing reads in a block of a context file: in its declarations, and beside them."""
    yield from _unread_in_list(declared_dependencies(mapping))
    yield from _unread_in_list(mapping.get(PLAIN), "folder")
    for item in items_of(mapping.get("conflict-resolution")):
        if isinstance(item, Mapping) and _has(item, ("skills", "winner")):
            yield from _unread_keys(item, ("skills", "winner"), "a conflict resolution")
    if any(key.value in SETTING_FORMS and SETTING_FORMS[key.value](value) for key, value in mapping.entries):
        misspelt = [key for key, _ in misspelt_keys(mapping)]
        for fault in _unread_keys(mapping, (*sorted(KEYS), PERSISTENCE), "a context file"):
            if fault.start not in (key.start for key in misspelt):
                yield fault
    if entry := mapping.entry(PERSISTENCE):
        yield fault_at(entry.key, f"`{PERSISTENCE}` is no key of a context file, but a parameter", _PERSIST)


_PERSIST = f'write `parameters: {{"*": {{{PERSISTENCE}: false}}}}` in `{USER_CONTEXT}`'


class Misplaced(NamedTuple):
    """A setting that has no effect in its file, and the files in which it has one, as words of a sentence."""

    context: ContextFile
    key: Scalar
    better: str


_NONE: frozenset[str] = frozenset()
_EFFECTIVE = {
    ENTRYPOINT: frozenset(("parameters", "prohibit")),
    CONTEXT: KEYS - {"tags"},
    USER_CONTEXT: KEYS - {"dependencies", PLAIN},
    AGENTS: _NONE,
}
"""The keys that have an effect, by the file that they are in."""

_BETTER = {
    **dict.fromkeys(KEYS, f"`{CONTEXT}` or `{USER_CONTEXT}`"),
    **dict.fromkeys(("dependencies", PLAIN), f"`{CONTEXT}`"),
    **dict.fromkeys(("tags", PERSISTENCE), f"`{USER_CONTEXT}`"),
}

_BEGUN = late(rf"""(?m:^)[ \t]*["']?(?:{"|".join(sorted(KEYS))})["']?[ \t]*:""")
_SAMPLE = late(r"other-skill|\bskill-[ab]\b|:Org/|example\.com/team/skills")
"""In the blocks with which the text of the standard shows how a declaration is written."""


def misplaced(workspace: Workspace, *, agents: bool = False) -> Iterator[Misplaced]:
    """The settings that have no effect in the file where they are; with `agents` those in `AGENTS.md`, too."""
    for file, document in ((ENTRYPOINT, workspace.entrypoint), (AGENTS, workspace.agents if agents else None)):
        # Few have such a block, and the others need no parser.
        if isinstance(document, Document) and _may_misplace(document.text):
            yield from _misplaced(file, context_file(document))
    for file, context in ((CONTEXT, workspace.context), (USER_CONTEXT, workspace.user_context)):
        if isinstance(context, ContextFile):
            yield from _misplaced(file, context)


def _may_misplace(text: str) -> bool:
    if not any(f"{key}:" in text for key in KEYS):
        return False
    return any(not _SAMPLE().search(text, at.end(), at.end() + 200) for at in _BEGUN().finditer(text))


def _misplaced(file: str, context: ContextFile) -> Iterator[Misplaced]:
    text = context.document.text
    for mapping in mappings(context):
        for key, value in mapping.entries:
            is_sample = _SAMPLE().search(text, value.start, value.end)
            if key.value in KEYS - _EFFECTIVE[file] and not is_sample and _is_meant(mapping, key.value, value):
                yield Misplaced(context, key, _BETTER[key.value])
        if file == USER_CONTEXT:
            continue
        prohibit = mapping.get("prohibit")
        if file == ENTRYPOINT and isinstance(prohibit, Mapping) and (entry := prohibit.entry("skills")):
            yield Misplaced(context, entry.key, _BETTER["prohibit"])
        for skill, (key, _) in parameter_entries(mapping):
            if key.value == PERSISTENCE and skill.key.value in (ANY_SKILL, BOOTSTRAP_SKILL):
                yield Misplaced(context, key, _BETTER[PERSISTENCE])


def _is_meant(mapping: Mapping, key: str, value: Node) -> bool:
    """Whether a key of this name is a context file's: other tools have some of them as well."""
    if key == "tags":
        return is_ours(mapping, key)
    return _has_items(value, "name") if key == PLAIN else SETTING_FORMS[key](value)
