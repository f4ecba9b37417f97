"""Unpacking the tar.gz of one skill from a registry (skill runtime, section 9): it is judged as a whole, and its
manifests are compared with what was asked for, before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

from skillbag.kernel.documents import nodes
from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.nodes import Scalar, YamlError, parse_yaml
from skillbag.kernel.documents.source import DocumentProblem, decode
from skillbag.kernel.manifest.versions import is_version
from skillbag.kernel.workspace.target import MANIFEST_FILE, SKILL_FILE
from skillbag.supply.sources import limits
from skillbag.supply.sources.agent_skills_layout import plain_parts
from skillbag.supply.sources.entries import faults
from skillbag.supply.sources.entry import EntryKind, PackedEntry, SourceEntry, quoted
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.tar_entries import GzipStream, TarLimits, tar_entries
from skillbag.supply.sources.tree_writer import Judged, write_tree

MAX_MANIFEST = 1 << 20
"""Largest manifest that is read, in bytes."""

_MANIFESTS = (MANIFEST_FILE, SKILL_FILE)
_TAKEN = (EntryKind.FILE, EntryKind.FOLDER)
_OVERHEAD = 64 << 20
"""The most bytes of headers and padding in an archive, beside its files."""


class _Listed(NamedTuple):
    """What was read of an archive: its entries, and its manifests by the path in the archive."""

    entries: list[SourceEntry]
    manifests: dict[str, bytes]


def unpack_skill(path: str, to: str, *, name: str, version: str) -> str:
    """Unpack the skill `name` at `version` from the archive at `path` into the new or empty folder `to`; return its
    tree hash.

    A single top folder is looked through. Of the permissions only the owner's right to run a file is kept. Nothing is
    written unless the whole archive is sound.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile, or it holds another skill.
    """
    with open(path, "rb") as handle:
        judged = _judged(_read(_entries(handle)), name, version)
        handle.seek(0)
        return write_tree(to, judged, _entries(handle))


def _entries(handle: BinaryIO) -> Iterator[PackedEntry]:
    most = TarLimits(limits.MAX_REGISTRY_ENTRIES, limits.MAX_REGISTRY_FILE)
    return tar_entries(GzipStream(handle, limits.MAX_REGISTRY_TOTAL + _OVERHEAD), most)


def _read(entries: Iterable[PackedEntry]) -> _Listed:
    """The entries, as far as their real size is allowed."""
    listed = _Listed([], {})
    left = limits.MAX_REGISTRY_TOTAL
    for entry, content in entries:
        path, size = entry.path, entry.size
        left -= size
        if left < 0:
            most = limits.MAX_REGISTRY_TOTAL >> 20
            raise InvalidSourceError([f"the archive holds more than {most} MiB of files; no more are taken"])
        listed.entries.append(entry)
        if entry.kind is EntryKind.FILE and path.rpartition("/")[2] in _MANIFESTS and path.count("/") <= 1:
            if size > MAX_MANIFEST:
                most = MAX_MANIFEST >> 20
                raise InvalidSourceError([f"{quoted(path)}: a manifest of {size:,} bytes; at most {most} MiB are read"])
            listed.manifests[path] = b"".join(content)
    return listed


def _judged(listed: _Listed, name: str, version: str) -> Judged:
    found = [
        f"{quoted(entry.path)}: a {entry.kind}; an archive of a skill holds files and folders only"
        for entry in listed.entries
        if entry.kind not in _TAKEN
    ]
    top = _top(listed)
    inner = [entry for entry in listed.entries if f"{entry.path}/" != top]
    kept = [entry._replace(path=entry.path[len(top) :]) for entry in inner if entry.kind in _TAKEN]
    found += faults(kept, plain_parts((entry.path, entry.kind) for entry in kept))
    if not found:
        manifests = {path[len(top) :]: raw for path, raw in listed.manifests.items() if path.startswith(top)}
        found = list(_manifest_faults(manifests, name, version))
    if found:
        raise InvalidSourceError(dict.fromkeys(found))
    return Judged(dict(zip((entry.path for entry in inner), kept, strict=True)), (), {})


def _top(listed: _Listed) -> str:
    """The single folder that holds everything, with `/`; empty where the skill is at the root."""
    if any("/" not in path for path in listed.manifests):
        return ""
    tops = {entry.path.partition("/")[0] for entry in listed.entries}
    if len(tops) != 1 or any(entry.path in tops and entry.kind is not EntryKind.FOLDER for entry in listed.entries):
        return ""
    return f"{tops.pop()}/"


def _manifest_faults(files: Mapping[str, bytes], name: str, version: str) -> Iterator[str]:
    """Why the manifests of a skill (by file name) are not those of `name` at `version`; a sentence each.

    A `SKILL.md` need not state a version.
    """
    if not any(file in files for file in _MANIFESTS):
        yield f"the archive holds no `{MANIFEST_FILE}` and no `{SKILL_FILE}`, at its root or in a single folder"
    for file in _MANIFESTS:
        if file in files:
            yield from _faults_of(file, files[file], name, version)


def _faults_of(file: str, raw: bytes, name: str, version: str) -> Iterator[str]:
    found = _mapping(file, raw)
    if isinstance(found, str):
        yield f"`{file}` can't be read: {found}"
        return
    stated_name, stated_version = _text(found, "name"), _text(found, "version")
    if stated_name != name:
        yield f"`{file}` is of the skill {quoted(stated_name)}, and {name} was asked for"
    if stated_version != version and (file == MANIFEST_FILE or is_version(stated_version)):
        yield f"`{file}` is of the version {quoted(stated_version)}, and {version} was asked for"


def _mapping(file: str, raw: bytes) -> nodes.Mapping | str:
    """The values of a manifest, or why it has none."""
    document = decode(file, raw)
    if isinstance(document, DocumentProblem):
        return document.detail
    if file == SKILL_FILE:
        matter = front_matter(document)
        return matter.detail if isinstance(matter, DocumentProblem) else matter.mapping
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        return node.detail
    return node if isinstance(node, nodes.Mapping) else "it is not a list of `key: value`"


def _text(mapping: nodes.Mapping, key: str) -> str:
    node = mapping.get(key)
    return collapse(node.value) if isinstance(node, Scalar) else ""
