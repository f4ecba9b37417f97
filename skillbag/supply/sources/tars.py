"""Unpacking the tar.gz of one skill from a registry (skill runtime, section 9): it is read twice, and judged as a whole
before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from skillbag.supply.sources import limits
from skillbag.supply.sources.agent_skills_layout import plain_parts
from skillbag.supply.sources.entries import faults
from skillbag.supply.sources.entry import EntryKind, SourceEntry
from skillbag.supply.sources.entry_names import quoted
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.packed_manifest import MANIFESTS, MAX_MANIFEST, manifest_faults
from skillbag.supply.sources.tar_entries import TarEntry, TarLimits, tar_entries
from skillbag.supply.sources.tar_stream import GzipStream
from skillbag.supply.sources.tree_writer import TreeWriter

_TAKEN = (EntryKind.FILE, EntryKind.FOLDER)


class _Judged(NamedTuple):
    """What was read of an archive: its entries, and its manifests by the path in the archive."""

    entries: list[SourceEntry]
    manifests: dict[str, bytes]


def unpack_tar(path: str, to: str, *, name: str, version: str) -> str:
    """Unpack the skill `name` at `version` from the archive at `path` into the new or empty folder `to`; return its
    tree hash.

    A single top folder is looked through. Of the permissions only the owner's right to run a file is kept. Nothing is
    written unless the whole archive is sound.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile, or it holds another skill.
    """
    with open(path, "rb") as handle:
        top = _check(_read(_entries_of(_listed(handle))), name, version)
        handle.seek(0)
        tree = TreeWriter(to)
        for entry in _listed(handle):
            if entry.kind is EntryKind.FILE:
                tree.write_file(entry.path[len(top) :], entry.content, executable=entry.executable)
    return tree.tree_hash()


def _listed(handle: BinaryIO) -> Iterator[TarEntry]:
    most = TarLimits(limits.MAX_REGISTRY_ENTRIES, limits.MAX_REGISTRY_FILE)
    return tar_entries(GzipStream(handle, _most()), most)


def _most() -> int:
    """The most bytes of an archive, unpacked: its files, and for each entry headers and padding."""
    return limits.MAX_REGISTRY_TOTAL + (64 << 20)


def _entries_of(entries: Iterable[TarEntry]) -> Iterator[TarEntry]:
    """The entries, as far as their number and real size are allowed."""
    left = limits.MAX_REGISTRY_TOTAL
    for number, entry in enumerate(entries, 1):
        left -= entry.size
        if number > limits.MAX_REGISTRY_ENTRIES:
            most = limits.MAX_REGISTRY_ENTRIES
            raise InvalidSourceError([f"the archive holds more than {most:,} entries; no more are taken"])
        if left < 0:
            most = limits.MAX_REGISTRY_TOTAL >> 20
            raise InvalidSourceError([f"the archive holds more than {most} MiB of files; no more are taken"])
        yield entry


def _read(entries: Iterable[TarEntry]) -> _Judged:
    judged = _Judged([], {})
    for path, kind, size, executable, content, _ in entries:
        judged.entries.append(SourceEntry(path, kind, size, executable))
        if kind is EntryKind.FILE and path.rpartition("/")[2] in MANIFESTS and path.count("/") <= 1:
            if size > MAX_MANIFEST:
                most = MAX_MANIFEST >> 20
                raise InvalidSourceError([f"{quoted(path)}: a manifest of {size:,} bytes; at most {most} MiB are read"])
            judged.manifests[path] = b"".join(content)
    return judged


def _check(judged: _Judged, name: str, version: str) -> str:
    """Judge the archive; return what is before each path, empty or a folder with `/`."""
    found = [
        f"{quoted(entry.path)}: a {entry.kind}; an archive of a skill holds files and folders only"
        for entry in judged.entries
        if entry.kind not in _TAKEN
    ]
    top = _top(judged)
    inner = [entry._replace(path=entry.path[len(top) :]) for entry in judged.entries if f"{entry.path}/" != top]
    kept = [entry for entry in inner if entry.kind in _TAKEN]
    found += faults(kept, plain_parts((entry.path, entry.kind) for entry in kept))
    if not found:
        manifests = {path[len(top) :]: raw for path, raw in judged.manifests.items() if path.startswith(top)}
        found = list(manifest_faults(manifests, name, version))
    if found:
        raise InvalidSourceError(dict.fromkeys(found))
    return top


def _top(judged: _Judged) -> str:
    """The single folder that holds everything, with `/`; empty where the skill is at the root."""
    if any("/" not in path for path in judged.manifests):
        return ""
    tops = {entry.path.partition("/")[0] for entry in judged.entries}
    if len(tops) != 1 or any(entry.path in tops and entry.kind is not EntryKind.FOLDER for entry in judged.entries):
        return ""
    return f"{tops.pop()}/"
