"""The `yaml` blocks of context files and of `SKILLBAG.md`: what they declare, which skills they name, their faults."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.workspace.model import ContextFile, Workspace, context_file

PLAIN = "plain-dependencies"
"""The key for skills of plain repositories: an extension, as `dependencies` means SkillBag sources (context.shape)."""

KEYS = frozenset({"dependencies", PLAIN, "conflict-resolution", "parameters", "tags", "overrides", "prohibit"})
"""The keys of a block of a context file (decisions.md, Context files)."""

OF_SKILLS = frozenset({"dependencies", PLAIN, "overrides", "prohibit"})
"""Those of the keys by which skills are installed, or kept out."""

_OF_ENTRYPOINT = ("parameters", "prohibit")
"""The keys that count in `SKILLBAG.md`."""

_CONTROL = late(r"[\x00-\x1f\x7f-\x9f]")
_DECLARES = late(rf"""(?<![\w-])["']?({"|".join(sorted(KEYS))})["']?[ \t]*:""")
_SETS = late(rf"""(?<![\w-])["']?(?:{"|".join(_OF_ENTRYPOINT)})["']?[ \t]*:""")


class BlockFault(NamedTuple):
    """Something malformed: where (offsets, or `at` where nothing was parsed), the reason, and how to write it."""

    start: int
    end: int
    reason: str
    fix: str = ""
    at: Position | None = None


def fault_at(node: Node, reason: str, fix: str = "") -> BlockFault:
    """A fault of a whole node."""
    return BlockFault(node.start, node.end, reason, fix)


def items_of(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none of any other node."""
    return node.items if isinstance(node, Sequence) else ()


def entries_of(node: Node | None) -> tuple[MappingEntry, ...]:
    """The entries of a mapping; none of any other node."""
    return node.entries if isinstance(node, Mapping) else ()


def values_of(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; any other node counts as a list of one."""
    return () if node is None else node.items if isinstance(node, Sequence) else (node,)


def scalars_of(node: Node | None) -> tuple[Scalar, ...]:
    """The scalars among `values_of` a node."""
    return tuple(item for item in values_of(node) if isinstance(item, Scalar))


def kind_of(node: Node) -> str:
    """What a value is, in words."""
    return "a list" if isinstance(node, Sequence) else "a mapping" if isinstance(node, Mapping) else "text"


def is_empty(node: Node | None) -> bool:
    """Whether a key has no value, or an empty string."""
    return node is None or (isinstance(node, Scalar) and not node.value.strip())


def seeming_keys(text: str, start: int, end: int) -> frozenset[str]:
    """The keys of a context file that a block which can't be read as YAML seems to have."""
    return frozenset(match[1] for match in _DECLARES().finditer(text, start, end))


def has_control(text: str) -> bool:
    """Whether a source or a version has a control character, which no address and no tag has."""
    return _CONTROL().search(text) is not None


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


def context_mappings(workspace: Workspace) -> Iterator[tuple[ContextFile, Mapping]]:
    """The `mappings` of all context files, each with its file."""
    return ((context, mapping) for context in contexts(workspace) for mapping in mappings(context))


def entrypoint_settings(document: Document) -> ContextFile | None:
    """`SKILLBAG.md` as a context file whose blocks have the settings that count; None where it sets nothing.

    The other keys of context files are left out: here they show how things are written.
    """
    if not may_set(document.text):
        return None
    context = context_file(document)
    return context._replace(blocks=tuple(block._replace(value=_settings(block.value)) for block in context.blocks))


def may_set(text: str) -> bool:
    """Whether a text of `SKILLBAG.md` seems to have a setting, be it YAML that can be read or not."""
    return _SETS().search(text) is not None


def _settings(node: Node | None) -> Node | None:
    if not isinstance(node, Mapping):
        return None
    ignored = KEYS.difference(_OF_ENTRYPOINT)
    return node._replace(entries=tuple(entry for entry in node.entries if entry.key.value not in ignored))


def declared_dependencies(mapping: Mapping) -> Node | None:
    """The value of `dependencies` where it declares skills.

    Package files of other tools have a key of this name too (`environment.yml`, `pubspec.yaml`): where keys that are
    not a context file's are beside it and nothing in it has a `name`, it is treated as one of theirs.
    """
    node = mapping.get("dependencies")
    keys = set(mapping.keys())
    foreign = not keys <= KEYS and not {"conflict-resolution", "overrides"} & keys
    if node is None or not foreign:
        return node
    named = any(isinstance(item, Mapping) and item.get("name") is not None for item in items_of(node))
    return node if named else None


def declared_lists(mapping: Mapping) -> tuple[Node, ...]:
    """The values of both keys that declare skills, whatever their sources."""
    nodes = (declared_dependencies(mapping), mapping.get(PLAIN))
    return tuple(node for node in nodes if node is not None)


def declared_items(mapping: Mapping) -> Iterator[Node]:
    """The items of `declared_lists`."""
    return (item for node in declared_lists(mapping) for item in items_of(node))


def context_names(workspace: Workspace) -> Iterator[tuple[str, Scalar]]:
    """The names of skills in dependencies, overrides and conflict resolutions of the context files, with the path."""
    for context, mapping in context_mappings(workspace):
        for scalar in _names(mapping):
            yield context.document.path, scalar


def _names(mapping: Mapping) -> Iterator[Scalar]:
    for item in declared_items(mapping):
        if isinstance(item, Mapping):
            yield from scalars_of(item.get("name"))
    yield from (entry.key for entry in entries_of(mapping.get("overrides")))
    for item in items_of(mapping.get("conflict-resolution")):
        if isinstance(item, Mapping):
            yield from (*scalars_of(item.get("skills")), *scalars_of(item.get("winner")))
