"""The values of parameters in `USER_CONTEXT.md`, written and removed as edits that keep every other byte.

Removing undoes writing to the byte: nothing is ever written into an empty mapping, so one that becomes empty was made
for the value and is removed with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from skillbag.kernel.documents.edit.lines import HandEditError, NotEditableError, with_section, without_block
from skillbag.kernel.documents.edit.mappings import entry_lines, has_comment, with_entry, with_value, without_entry
from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.markdown_values import Fence
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.standard.context_blocks import is_ours
from skillbag.kernel.standard.declarations import Place
from skillbag.kernel.workspace.model import ContextFile, context_file
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.session.settings.value import Value, given_value

_KEY = "parameters"
_HEADING = "## Parameters"

_Edit = tuple[str, list[Any]]
"""A new text, and the values that its blocks should have."""


class Definition(NamedTuple):
    """A value in the file: the number of its block, and the mappings that contain it with their keys, outermost first:
    `parameters`, the skill, the parameter."""

    block: int
    path: tuple[tuple[Mapping, str], ...]
    entry: MappingEntry

    @property
    def value(self) -> Value | None:
        """None if it unsets an earlier value (`null`)."""
        return given_value(self.entry.value)


def definitions(context: ContextFile, skill: str, name: str) -> tuple[Definition, ...]:
    """The definitions of a parameter of a skill (or of `*`), in order; at most one in a block."""
    return tuple(
        Definition(number, ((root, _KEY), (skills, skill), (parameters, name)), entry)
        for number, root, skills in _blocks(context)
        if isinstance(parameters := skills.get(skill), Mapping) and (entry := parameters.entry(name))
    )


def place_of(context: ContextFile, definition: Definition) -> Place:
    """The line of a definition."""
    return Place(USER_CONTEXT, context.document.position(definition.entry.key.start).line)


def with_parameter(context: ContextFile, skill: str, name: str, value: str) -> ContextFile:
    """The file with a value, given as YAML, for a parameter of a skill (or of `*`).

    It replaces the last definition; without one, it joins the last mapping that fits, or a section is added.

    Raises:
        HandEditError: the text can't be edited safely.
    """
    found = definitions(context, skill, name)
    edits = [partial(edit, context, skill, name, value) for edit in ([_replaced] if found else [_joined, _added])]
    lines = entry_lines((_KEY, skill, name), value)
    place = place_of(context, found[-1]) if found else USER_CONTEXT
    return _edited(context, edits, f"{place}: ", "\n".join(["write this yourself:", "```yaml", *lines, "```"]))


def without_parameter(context: ContextFile, skill: str, name: str) -> ContextFile:
    """The file without the values of a parameter, and without mappings, blocks and sections that become empty.

    Raises:
        HandEditError: the text can't be edited safely.
    """
    found = definitions(context, skill, name)
    edits = [partial(_removed, context, found, outermost) for outermost in (True, False)]
    return _edited(context, edits, f"{place_of(context, found[-1])}: ", f"remove {name} of {skill} yourself")


def _blocks(context: ContextFile) -> Iterator[tuple[int, Mapping, Mapping]]:
    """The blocks with values, each with its number and its mapping of skills."""
    for number, block in enumerate(context.blocks):
        root = block.value
        if isinstance(root, Mapping) and is_ours(root, _KEY) and isinstance(skills := root.get(_KEY), Mapping):
            yield number, root, skills


def _edited(context: ContextFile, edits: Iterable[Callable[[], _Edit]], where: str, advice: str) -> ContextFile:
    """The result of the first edit that is possible and changes the intended values only."""
    for edit in edits:
        try:
            text, expected = edit()
        except NotEditableError:
            continue
        document = decode(context.document.path, context.document.encode(text))
        if isinstance(document, Document) and _pruned(_values(after := context_file(document))) == _pruned(expected):
            return after
    raise HandEditError(f"{where}this form of YAML can't be edited safely; {advice}")


def _replaced(context: ContextFile, skill: str, name: str, value: str) -> _Edit:
    last = definitions(context, skill, name)[-1]
    expected = _values(context)
    expected[last.block][_KEY][skill][name] = _meant(value)
    return with_value(context.document.text, last.entry, value), expected


def _joined(context: ContextFile, skill: str, name: str, value: str) -> _Edit:
    number, mapping, keys = _room(context, skill, name)
    expected = _values(context)
    expected[number][_KEY].setdefault(skill, {})[name] = _meant(value)
    return with_entry(context.document.text, mapping, keys, value, context.document.newline), expected


def _room(context: ContextFile, skill: str, name: str) -> tuple[int, Mapping, tuple[str, ...]]:
    """The number of the block and its mapping that a new value joins, and the keys to write there."""
    blocks = [(number, skills) for number, _, skills in _blocks(context) if skills.entries][::-1]
    for number, skills in blocks:
        node = skills.get(skill)
        if isinstance(node, Mapping) and node.entries:
            return number, node, (name,)
    for number, skills in blocks:
        if skills.get(skill) is None:
            return number, skills, (skill, name)
    raise NotEditableError("has no mapping that fits")


def _added(context: ContextFile, skill: str, name: str, value: str) -> _Edit:
    lines, document = entry_lines((_KEY, skill, name), value), context.document
    expected = [*_values(context), {_KEY: {skill: {name: _meant(value)}}}]
    return with_section(document.text, _HEADING, lines, document.newline), expected


def _removed(context: ContextFile, found: tuple[Definition, ...], outermost: bool) -> _Edit:
    text, expected = context.document.text, _values(context)
    fences = {fence.body_start: fence for fence in scan(text).fences}
    # From the end, so that earlier positions stay valid.
    for definition in reversed(found):
        text = _without(text, definition, fences[context.blocks[definition.block].start], outermost)
        _, (_, skill), (_, name) = definition.path
        del expected[definition.block][_KEY][skill][name]
    return text, expected


def _without(text: str, definition: Definition, fence: Fence, outermost: bool) -> str:
    """The text without a definition and, with `outermost`, without what it alone fills, except for comments."""
    levels: list[Callable[[], str]] = []
    for mapping, key in reversed(definition.path):
        levels.append(partial(without_entry, text, mapping, key))
        if len(mapping.entries) > 1:
            break
    else:
        levels.append(partial(_without_block, text, definition.path[0][0], fence))
    for level in reversed(levels if outermost else levels[:1]):
        with suppress(NotEditableError):
            return level()
    raise NotEditableError("has comments beside the value")


def _without_block(text: str, root: Mapping, fence: Fence) -> str:
    around = text[fence.body_start : root.start] + text[root.end : fence.body_end]
    if around.strip() or has_comment(text, root.start, root):
        raise NotEditableError("has a comment in it")
    return without_block(text, fence, _HEADING)


def _values(context: ContextFile) -> list[Any]:
    """The values of the blocks; for one that can't be read, its text."""
    text = context.document.text
    return [text[block.start : block.end] if block.problem else _value(block.value) for block in context.blocks]


def _value(node: Node | None) -> Any:
    """Mappings and lists as they are; a text with whether it is plain, which decides its type."""
    if isinstance(node, Mapping):
        return {entry.key.value: _value(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [_value(item) for item in node.items]
    return node and ((node.value, node.plain) if node.value or not node.plain else None)


def _meant(value: str) -> Any:
    node = parse_yaml(value)
    return None if isinstance(node, YamlError) else _value(node)


def _pruned(values: list[Any]) -> list[Any]:
    """The same without empty skills, empty `parameters` and empty blocks."""
    return [value for value in map(_pruned_block, values) if value]


def _pruned_block(value: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(skills := value.get(_KEY), dict | None):
        return value
    kept = {skill: parameters for skill, parameters in (skills or {}).items() if parameters}
    others = {key: item for key, item in value.items() if key != _KEY}
    return {**others, _KEY: kept} if kept else others
