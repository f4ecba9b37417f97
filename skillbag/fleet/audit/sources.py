"""The sources to audit, from the command line and manifests, and the share of one shard."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.entry import EntryKind, kind_of
from skillbag.supply.sources.fetched import pinned_hash
from skillbag.supply.sources.source import BadSourceError, Source

_VERSIONED = re.compile(r"(.*\S)\s+@\s+(\S.*)")
_EXACT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|(?i:sha256:[0-9a-f]{64})")
_SHARD = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})")


def is_exact(version: str | None) -> bool:
    """Whether a version is immutable: a full commit id or the hash of an archive. A tag can be moved."""
    return version is not None and _EXACT.fullmatch(version) is not None


class AuditTask(NamedTuple):
    """One source to audit, at `version` (None: what it has now).

    `key` is the same for two spellings of one source at one version. A source that can't be used as it is written has
    a `fault` instead of a `source`.
    """

    key: str
    shown: str
    version: str | None
    source: Source | None
    fault: str = ""

    @property
    def pinned(self) -> bool | None:
        """Whether the version is immutable; None for a source without versions."""
        kind = self.source.kind if self.source else SourceKind.FOLDER
        if kind.is_in_place or (kind.is_archive and not kind.row.is_downloaded and self.version is None):
            return None
        return is_exact(self.version)


class Shard(NamedTuple):
    """Part `number` of `total`, from 1 on."""

    number: int
    total: int

    def holds(self, task: AuditTask) -> bool:
        """Whether the task belongs to this part: the same on every machine, whatever else is audited."""
        key = task.key
        if task.source is not None and not task.source.remote:
            # The key of a local source has its real path, which differs from machine to machine.
            key = _key([task.source.declared, task.version or ""])
        return int(key[:15], 16) % self.total == self.number - 1


def read_shard(text: str) -> Shard:
    """The shard `I/N`.

    Raises:
        UserError: it is none.
    """
    match = _SHARD.fullmatch(text)
    if not match or int(match[1]) > int(match[2]):
        raise UserError(f"--shard {text!r}: write I/N, such as 1/4 for the first of four parts")
    return Shard(int(match[1]), int(match[2]))


def read_manifest(lines: Iterable[str]) -> Iterator[str]:
    """The sources of a manifest: one a line; empty lines and those that begin with `#` are passed over."""
    for number, line in enumerate(lines):
        text = (line.removeprefix("\ufeff") if number == 0 else line).strip()
        if text and not text.startswith("#"):
            yield text


def open_manifest(path: str) -> Iterator[str]:
    """The sources of the manifest at `path`; relative ones count from its folder.

    Raises:
        UserError: it can't be read.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        kind = kind_of(os.stat(path).st_mode)
        if kind not in (EntryKind.FILE, EntryKind.FOLDER):
            # Reading a pipe could block for ever.
            raise UserError(f"--manifest {path}: it is a {kind}, not a regular file; give - for standard input")
        with open(path, encoding="utf-8") as file:
            for text in read_manifest(file):
                yield _from(folder, text)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--manifest {path}: {format_error(error) if isinstance(error, OSError) else 'not UTF-8'}"
        ) from error


def _from(folder: str, text: str) -> str:
    """A relative path of a manifest as an absolute one; where nothing is at that path, the text as it is."""
    address, version = _split(text)
    path = os.path.normpath(os.path.join(folder, address))
    if os.path.isabs(address) or "://" in address or address.startswith("~") or not os.path.lexists(path):
        return text
    return path if version is None else f"{path} @ {version}"


def make_tasks(texts: Iterable[str], root: str, shard: Shard | None = None) -> list[AuditTask]:
    """The tasks of sources such as `https://example.com/a.git @ v1`, each once; relative paths count from `root`."""
    tasks: dict[str, AuditTask] = {}
    for text in texts:
        task = make_task(text, root)
        if shard is None or shard.holds(task):
            tasks.setdefault(task.key, task)
    return list(tasks.values())


def make_task(text: str, root: str) -> AuditTask:
    """The task of a source; a malformed source gives a task that fails with the reason."""
    address, version = _split(text)
    try:
        source = parse_source(address, root)
        if source.kind.has_releases:
            raise BadSourceError(f"source {source.declared!r}: an audit takes repositories, archives and folders only")
        if version and not source.kind.has_revisions and pinned_hash(source, version) is None:
            kind = source.kind.lock_kind
            or_hash = "" if source.kind.is_in_place else ", or write `sha256:` and the hash of the archive"
            raise BadSourceError(
                f"source {source.declared!r}: a {kind} has no versions; leave `@ {version}` out{or_hash}"
            )
    except BadSourceError as error:
        shown = without_credentials(address)
        fault = str(error).removeprefix(f"source {shown!r}: ")
        return AuditTask(_key(["?", address, version or ""]), shown, version, None, fault)
    key = _key([source.kind, source.identity, version or ""])
    return AuditTask(key, source.declared, version, source)


def _split(text: str) -> tuple[str, str | None]:
    match = _VERSIONED.fullmatch(text.strip())
    return (match[1], match[2]) if match else (text.strip(), None)


def _key(parts: Sequence[str]) -> str:
    return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
