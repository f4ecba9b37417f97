"""The store of a registry: each published version is a folder that appears at once and never changes.

`DIR/.registry/NAME/VERSION/` holds `skill.tar.gz`, `SKILL.yaml` and `record.json` with their digests. A version is
written beside the others under a hidden name, made durable, and renamed. What was changed afterwards is not served.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from hashlib import file_digest, sha256
from io import BufferedReader
from typing import BinaryIO, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.atomic import move
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.fs.durable import sync, sync_tree
from skillbag.kernel.fs.locking import acquire
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.manifest.versions import in_order, latest
from skillbag.kernel.transaction.locations import BusyError
from skillbag.supply.sources.cache import sha256_of
from skillbag.supply.sources.registry_versions import LATEST

STORE = ".registry"
ARCHIVE_FILE = "skill.tar.gz"
_RECORD_FILE = "record.json"
_STAGED = ".new-"
_WAIT = 60.0
_LARGEST_RECORD = 16_384


class DamagedVersionError(OSError):
    """A published file is missing, or is not what was published; the message names it."""


class VersionRecord(NamedTuple):
    """What is known of a version without opening its files: their SHA-256, in hexadecimal, that of the archive before
    its compression (`content`), and the description."""

    archive: str
    manifest: str
    content: str
    description: str


class NewVersion(NamedTuple):
    """A version to publish; `content` is the SHA-256 of its archive before the compression."""

    name: str
    version: str
    description: str
    content: str


class RegistryStore:
    """The store in the folder `folder`; what is asked for is read anew each time."""

    def __init__(self, folder: str) -> None:
        self.root = os.path.join(os.path.realpath(folder), STORE)

    def names(self) -> list[str]:
        """The names of the skills of which a version is published, sorted."""
        return [name for name in _visible(self.root) if self.versions(name)]

    def versions(self, name: str) -> list[str]:
        """The published versions of a skill, the highest last; none of an unknown one."""
        # A file system that ignores case would find other names, too.
        if name not in _visible(self.root):
            return []
        return in_order(_visible(os.path.join(self.root, name)))

    def find(self, name: str, version: str) -> str | None:
        """The published version that is asked for, where `latest` is the highest; None if there is none."""
        versions = self.versions(name)
        if version == LATEST:
            return latest(versions)
        return version if version in versions else None

    def record(self, name: str, version: str) -> VersionRecord:
        """The digests of a published version.

        Raises:
            DamagedVersionError: it can't be read.
        """
        path = self._path(name, version, _RECORD_FILE)
        with _damage(path), _opened(path) as file:
            found = json.loads(file.read(_LARGEST_RECORD))
            record = VersionRecord(*(found[field] for field in VersionRecord._fields))
            if all(isinstance(value, str) for value in record):
                return record
        raise DamagedVersionError(f"{path}: it is not the record of a published version")

    def manifest(self, name: str, version: str) -> bytes:
        """The manifest of a published version, as it was published.

        Raises:
            DamagedVersionError: it has changed, or can't be read.
        """
        path = self._path(name, version, MANIFEST_FILE)
        with _damage(path), _opened(path) as file:
            data = file.read()
        _compare(path, sha256(data).hexdigest(), self.record(name, version).manifest)
        return data

    def archive(self, name: str, version: str) -> BinaryIO:
        """The archive of a published version, open for reading; the caller closes it. Raises as `manifest`."""
        path = self._path(name, version, ARCHIVE_FILE)
        with contextlib.ExitStack() as stack:
            with _damage(path):
                file = stack.enter_context(_opened(path))
                found = file_digest(file, "sha256").hexdigest()
                file.seek(0)
            _compare(path, found, self.record(name, version).archive)
            stack.pop_all()
            return file

    @contextlib.contextmanager
    def staging(self) -> Iterator[str]:
        """An empty folder in the store to write a version in, while nobody else publishes here. It is removed unless
        `publish` moves it; so are those of killed processes.

        Raises:
            UserError: the registry is a file. BusyError: another process has been publishing for a minute.
            OSError: the folder can't be made.
        """
        try:
            os.makedirs(self.root, exist_ok=True)
        except (NotADirectoryError, FileExistsError):
            raise UserError(f"{os.path.dirname(self.root)} is no folder: a file is in its place") from None
        try:
            lock = acquire(os.path.join(self.root, ".lock"), _WAIT)
        except TimeoutError as error:
            raise BusyError(f"{self.root}: another process has been publishing here for {_WAIT:.0f} s") from error
        with lock:
            for name in os.listdir(self.root):
                if name.startswith(_STAGED):
                    shutil.rmtree(os.path.join(self.root, name))
            folder = os.path.join(self.root, f"{_STAGED}{os.getpid()}")
            os.mkdir(folder)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def publish(self, staged: str, new: NewVersion) -> bool:
        """Publish the archive and the manifest in the folder `staged`; whether the version is new.

        Raises:
            UserError: this version was published with another content. DamagedVersionError: its record can't be read.
        """
        if self.find(new.name, new.version) == new.version:
            if self.record(new.name, new.version).content == new.content:
                return False
            raise UserError(
                f"{new.name} {new.version} is published already, with other content, and a published version never "
                f"changes: raise the version in {MANIFEST_FILE}"
            )
        archive, manifest = (sha256_of(os.path.join(staged, file)) for file in (ARCHIVE_FILE, MANIFEST_FILE))
        record = VersionRecord(archive, manifest, new.content, new.description)
        write_new(os.path.join(staged, _RECORD_FILE), json.dumps(record._asdict(), indent=2).encode())
        sync_tree(staged)
        folder = os.path.join(self.root, new.name)
        os.makedirs(folder, exist_ok=True)
        move(staged, os.path.join(folder, new.version))
        sync(folder)
        sync(self.root)
        return True

    def _path(self, name: str, version: str, file: str) -> str:
        return os.path.join(self.root, name, version, file)


def _visible(folder: str) -> list[str]:
    """The names in a folder that don't begin with a dot, sorted; none if there is no such folder."""
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _opened(path: str) -> BufferedReader:
    return open(os.open(path, FLAGS | NO_FOLLOW), "rb")


@contextlib.contextmanager
def _damage(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DamagedVersionError(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedVersionError(f"{path}: it is not the record of a published version") from error


def _compare(path: str, found: str, expected: str) -> None:
    if found != expected:
        raise DamagedVersionError(f"{path}: it has changed since it was published")
