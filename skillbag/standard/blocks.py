"""Dependencies, overrides and resolutions in blocks: which blocks declare them, and which names they use."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.workspace.model import ContextFile, Workspace

KEYS = frozenset({"dependencies", "conflict-resolution", "parameters", "tags", "overrides", "prohibit"})
"""The keys of a block of a context file (decisions.md, Context files)."""


_CONTROL = late(r"[\x00-\x1f\x7f-\x9f]")
_DECLARES = late(rf"""(?<![\w-])["']?({"|".join(sorted(KEYS))})["']?[ \t]*:""")
OF_SKILLS = frozenset({"dependencies", "overrides", "prohibit"})
"""Those of the keys by which skills are installed, or kept out."""


def seeming_keys(text: str, start: int, end: int) -> frozenset[str]:
    """The keys of a context file that a block which can't be read as YAML seems to have."""
    return frozenset(match[1] for match in _DECLARES().finditer(text, start, end))


def has_control(text: str) -> bool:
    """Whether a source or a version holds a control character, which no address and no tag has."""
    return _CONTROL().search(text) is not None


def kind_of(node: Node) -> str:
    """What a value is, in words."""
    return "a list" if isinstance(node, Sequence) else "a mapping" if isinstance(node, Mapping) else "text"


def is_empty(node: Node | None) -> bool:
    """Whether a key has nothing for its value, or an empty string."""
    return node is None or (isinstance(node, Scalar) and not node.value.strip())


def contexts(workspace: Workspace) -> Iterator[ContextFile]:
    """The context files that can be read: the project's, then the user's."""
    for context in (workspace.context, workspace.user_context):
        if isinstance(context, ContextFile):
            yield context


def mappings(context: ContextFile) -> Iterator[Mapping]:
    """The values of the blocks of a context file that are mappings, as every declaration is."""
    for block in context.blocks:
        if isinstance(block.value, Mapping):
            yield block.value


def declared_dependencies(mapping: Mapping) -> Node | None:
    """The value of `dependencies` where it declares skills.

    Package files of other tools have a key of this name too (`environment.yml`, `pubspec.yaml`): where keys that are
    not a context file's stand beside it and nothing in it has a `name`, it is taken for one of theirs.
    """
    node = mapping.get("dependencies")
    keys = set(mapping.keys())
    foreign = not keys <= KEYS and not {"conflict-resolution", "overrides"} & keys
    if node is None or not foreign:
        return node
    items = node.items if isinstance(node, Sequence) else ()
    return node if any(isinstance(item, Mapping) and item.get("name") is not None for item in items) else None


def context_names(workspace: Workspace) -> Iterator[tuple[str, Scalar]]:
    """The names of skills in dependencies, overrides and conflict resolutions of the context files, with the path."""
    for context in contexts(workspace):
        for mapping in mappings(context):
            for scalar in _names(mapping):
                yield context.document.path, scalar


def _names(mapping: Mapping) -> Iterator[Scalar]:
    for item in _mappings(declared_dependencies(mapping)):
        yield from _scalars(item.get("name"))
    overrides = mapping.get("overrides")
    if isinstance(overrides, Mapping):
        yield from (entry.key for entry in overrides.entries)
    for item in _mappings(mapping.get("conflict-resolution")):
        yield from _scalars(item.get("skills"))
        yield from _scalars(item.get("winner"))


def _mappings(node: Node | None) -> Iterator[Mapping]:
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            yield item


def _scalars(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar):
            yield item
