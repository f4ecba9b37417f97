"""`add` and `remove` in `CONTEXT.md`: edits of the declared dependencies that keep every other byte."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents import nodes
from skillbag.kernel.documents.edit.lines import FileChange, HandEditError, NotEditableError
from skillbag.kernel.documents.edit.lists import item_lines, with_item, with_value, without_item
from skillbag.kernel.documents.nodes import MappingEntry, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.fs.read import overlay
from skillbag.kernel.standard.blocks import PLAIN, declared_lists
from skillbag.kernel.standard.declarations import Level, Place, read_declarations
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.model import ContextFile, Workspace, context_file
from skillbag.kernel.workspace.target import CONTEXT, TargetKind, installed
from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.install.problems import fetch_or_stop, quoted
from skillbag.supply.install.request import SkillRequest
from skillbag.supply.install.requirements import UNVERSIONED
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError, FetchSpec, PlainSkills
from skillbag.supply.sources.source import Source, source_key

_STANDARD = "dependencies"
_TITLE = "# Context of this project"
_HEADINGS = {_STANDARD: "## Dependencies", PLAIN: "## Plain Agent Skills"}


def declare(
    root: str, name: str, source: str, version: str, *, plain: bool = False, folder: str | None = None
) -> FileChange:
    """Declare a dependency in the `CONTEXT.md` of the workspace at `root`, or update its declaration.

    A new one goes to the end of the last block with `dependencies` (clause context.shape), that of a `plain` source
    with `plain-dependencies` and its `folder`, or into a new block at the end of the file. The file is read through
    `overlay`, so that changes can be combined.

    Raises:
        BadContextError: the present declarations are malformed.
        BadSourceError: the source is not an address.
        HandEditError: the text can't be edited safely.
        UserError: the name or the version is invalid, or the source holds credentials.
    """
    if not is_name(name):
        raise UserError(f"{name}: not a skill's name; use a-z, 0-9 and single hyphens between them, 64 at most")
    if not version.strip() or not version.isprintable():
        raise UserError(f"{name}: {CONTEXT} declares a version with each dependency; give a tag, branch or commit")
    parsed = parse_source(source, root)
    if parsed.credentials or parsed.query:
        raise UserError(f"{name}: the source holds credentials, which are not written down; leave them out of it")
    before, key = _context(root), PLAIN if plain else _STANDARD
    item = {"name": name, "version": version, "source": source} | ({"folder": folder} if folder else {})
    by_hand = "\n".join(["write this yourself:", "```yaml", f"{key}:", *item_lines(item, "  "), "```"])
    try:
        # A source may have become a SkillBag source, or have ceased to be one.
        context = _without(before, (name,), _STANDARD if plain else PLAIN)
        known = any(_named(context, (name,)))
        text, expected = _updated(context, item) if known else _added(context, item, key)
    except NotEditableError as error:
        raise HandEditError(f"{_place(before)}: `{key}` {error}; {by_hand}") from error
    return _change(before, text, expected, by_hand)


def undeclare(root: str, names: Collection[str]) -> FileChange | None:
    """Remove all declarations of these skills from `CONTEXT.md`; None if there are none.

    Raises:
        BadContextError, HandEditError: as `declare`.
    """
    context = _context(root)
    by_hand = f"remove these dependencies yourself: {quoted(sorted(names))}"
    try:
        left = _without(context, names, _STANDARD, PLAIN)
    except NotEditableError as error:
        raise HandEditError(f"{_place(context)}: `{_STANDARD}` {error}; {by_hand}") from error
    if left is context:
        return None
    expected = _values(context)
    for number, entry in _lists(context):
        kept = [item for item in expected[number][entry.key.value] if item["name"] not in names]
        expected[number][entry.key.value] = kept
    return _change(context, left.document.text, expected, by_hand)


def _without(context: ContextFile, names: Collection[str], *keys: str) -> ContextFile:
    """The file without the declarations of these skills under the keys; raises `NotEditableError`."""
    while found := next(_named(context, names, *keys), None):
        context = _parsed(context.document, without_item(context.document.text, *found))
    return context


def _context(root: str) -> ContextFile:
    """`CONTEXT.md` with valid declarations; empty if there is no file."""
    workspace = Workspace(installed(TargetKind.WORKSPACE, root))
    read_declarations(workspace)
    found = workspace.context
    return found if isinstance(found, ContextFile) else ContextFile(Document(workspace.path(CONTEXT), b"", ""), ())


def _lists(context: ContextFile, *keys: str) -> Iterator[tuple[int, MappingEntry]]:
    """The numbers of the blocks that declare dependencies, with the entries of these keys; without keys, of both."""
    for number, block in enumerate(context.blocks):
        if isinstance(block.value, nodes.Mapping):
            declared = declared_lists(block.value)
            for entry in block.value.entries:
                if entry.value in declared and entry.key.value in (keys or (_STANDARD, PLAIN)):
                    yield number, entry


def _named(context: ContextFile, names: Collection[str], *keys: str) -> Iterator[tuple[Sequence, int]]:
    """The declarations of these skills: the list of each, and its index there."""
    for _, entry in _lists(context, *keys):
        items = entry.value.items if isinstance(entry.value, Sequence) else ()
        for number, item in enumerate(items):
            declared = item.get("name") if isinstance(item, nodes.Mapping) else None
            if isinstance(entry.value, Sequence) and isinstance(declared, Scalar) and declared.value in names:
                yield entry.value, number


def _place(context: ContextFile) -> Place:
    """The place of the last `dependencies`."""
    starts = [entry.key.start for _, entry in _lists(context)]
    return Place(CONTEXT, context.document.position(starts[-1] if starts else 0).line)


def _updated(context: ContextFile, item: Mapping[str, str]) -> tuple[str, list[Any]]:
    """The text with new values in every declaration of the skill, and the values that its blocks must have then."""
    text, expected = context.document.text, _values(context)
    found = [sequence.items[number] for sequence, number in _named(context, (item["name"],))]
    entries = [entry for node in found if isinstance(node, nodes.Mapping) for entry in node.entries]
    # From the end, so that positions stay valid.
    for entry in sorted(entries, key=lambda entry: entry.key.start, reverse=True):
        if entry.key.value in item and isinstance(entry.value, Scalar):
            text = with_value(text, entry.value, item[entry.key.value])
    for number, entry in _lists(context):
        for old in expected[number][entry.key.value]:
            old.update(item if old["name"] == item["name"] else {})
    return text, expected


def _added(context: ContextFile, item: Mapping[str, str], key: str) -> tuple[str, list[Any]]:
    """The text with one more declaration under the key, and the values that its blocks must have then."""
    expected = _values(context)
    lists = list(_lists(context, key))
    if not lists:
        return _with_block(context.document, item, key), [*expected, {key: [dict(item)]}]
    number, entry = lists[-1]
    expected[number][key].append(dict(item))
    return with_item(context.document.text, entry, item, context.document.newline), expected


def _with_block(document: Document, item: Mapping[str, str], key: str) -> str:
    """The text with a section at its end that declares the dependency."""
    text, newline = document.text, document.newline
    lines = [_HEADINGS[key], "", "```yaml", f"{key}:", *item_lines(item, "  "), "```", ""]
    if not text.strip():
        return text + newline.join([_TITLE, "", *lines])
    ended, spaced = text.endswith("\n"), not text.splitlines()[-1].strip()
    return text + newline.join([*([] if ended else [""]), *([] if spaced else [""]), *lines])


def _values(context: ContextFile) -> list[Any]:
    """The blocks as plain values, or why a block can't be read; a missing list counts as empty."""
    return [block.problem.kind if block.problem else _value(block.value) for block in context.blocks]


def _value(node: Node | None) -> Any:
    if isinstance(node, nodes.Mapping):
        values = {entry.key.value: _value(entry.value) for entry in node.entries}
        return values | {key: values[key] or [] for key in (_STANDARD, PLAIN) if key in values}
    if isinstance(node, Sequence):
        return [_value(item) for item in node.items]
    return node and node.value


def _parsed(document: Document, text: str) -> ContextFile:
    """The file with another text."""
    changed = decode(document.path, document.encode(text))
    if not isinstance(changed, Document):
        raise NotEditableError("would no longer be text")
    return context_file(changed)


def _change(context: ContextFile, text: str, expected: list[Any], by_hand: str) -> FileChange:
    """The change, after checking that the new text has exactly the expected values."""
    before = context.document
    if _values(_parsed(before, text)) != expected:
        raise HandEditError(f"{_place(context)}: this text can't be edited safely; {by_hand}")
    exists = before.raw or os.path.lexists(before.path)
    return FileChange(CONTEXT, before.raw if exists else None, before.encode(text))


def declared_file(
    state: InstalledState, requests: Iterable[SkillRequest], fetcher: Fetcher
) -> tuple[FileChange, InstalledState, frozenset[str]]:
    """`CONTEXT.md` with a declaration of each skill: as requested, else as declared already, else as locked.

    Returns the change, the workspace as if it were made, and the skills whose version is the default branch, as none
    was given.

    Raises:
        UserError: it can't be edited safely, a skill has no known source, or is prohibited.
        StoppedError: the name of a default branch can't be fetched.
    """
    path = os.path.join(state.root, CONTEXT)
    changes: list[FileChange] = []
    sources, assumed = [], set()
    for request in requests:
        source, version = _origin(state, request)
        # That of a registry is no repository.
        spec = FetchSpec(replace(source, plain=True), version)
        fetched = None if source.kind.has_releases else fetch_or_stop(fetcher, spec).plain
        folder = request.folder if fetched and not _tells(fetched, request) else None
        if version is None:
            version = _default_version(source, fetcher)
            assumed.add(request.name)
        with overlay({path: changes[-1].after} if changes else {}):
            changes.append(
                declare(state.root, request.name, source.declared, version, plain=fetched is not None, folder=folder)
            )
        sources.append(source)
    change = changes[-1]._replace(before=changes[0].before)
    after = InstalledState(state.root)
    with overlay({path: change.after}):
        _ = after.declarations
    # The fetch needs the credentials of the command line, which are not written down.
    after.sources.update({source.declared: source for source in sources})
    return change, after, frozenset(assumed)


def _tells(plain: PlainSkills, request: SkillRequest) -> bool:
    """Whether the name of the skill alone tells its folder in a plain repository."""
    return request.name in plain.folders and request.folder not in plain.copies.get(request.name, ())


def _origin(state: InstalledState, request: SkillRequest) -> tuple[Source, str | None]:
    """The source to declare, and the version if one is known."""
    if prohibition := state.declarations.prohibits(request.name, Level.CONTEXT):
        raise UserError(
            f"{request.name}: {prohibition.place} prohibits what {CONTEXT} would declare; change that first"
        )
    known = _known(state, request.name)
    if known is None and request.source is None:
        raise UserError(f"{request.name}: no source is known; skillbag add ADDRESS {request.name} names one")
    if known is None or (request.source and source_key(known[0]) != source_key(state.source(request.source))):
        return state.source(request.source or ""), request.version
    return state.source(request.source) if request.source else known[0], request.version or known[1]


def _known(state: InstalledState, name: str) -> tuple[Source, str | None] | None:
    """The declared source and version of a skill, else the locked ones."""
    for wanted in reversed(state.declarations.dependencies):
        if wanted.name == name and wanted.source is not None:
            return state.source(wanted.source), wanted.version
    locked = state.locked(name)
    return None if locked is None else (state.source_of(name), locked.requested)


def _default_version(source: Source, fetcher: Fetcher) -> str:
    if not source.kind.has_revisions:
        return UNVERSIONED
    try:
        return fetcher.default_branch(source)
    except FetchError as error:
        raise StoppedError(Problem(ProblemKind.FETCH, error.reason, source=source.declared)) from error
