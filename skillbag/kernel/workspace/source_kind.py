"""The kinds of source: one table, from which the addresses, the lock and the fetcher take what they know of a kind.

Beside its row a kind has the module that fetches it. Only that one and what tells addresses apart by their form name a
kind; others ask the table.
"""

from __future__ import annotations

from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False

_COMMIT = r"[0-9a-f]{40}|[0-9a-f]{64}"
_HASH = r"sha256:[0-9a-f]{64}"
_RELEASE = r"[0-9][0-9A-Za-z.+-]{0,255}@sha256:[0-9a-f]{64}"

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    # What a version of a source is. `none`: it has none, a folder is taken as it is. `revision`: a tag, a branch or a
    # commit. `content`: the hash of an archive; any other version is only written down. `range`: a range of the
    # releases that a registry has.
    Versions: TypeAlias = Literal["none", "revision", "content", "range"]


class KindRow(NamedTuple):
    """What is known of a kind: its name in the lock, the expression that its `resolved` matches there (empty: null),
    what its versions are, and the module of `supply/sources/` that fetches it. `is_in_place`: it is read where it is,
    and neither unpacked nor resolved.

    Of an archive: the `ends` of its file's name, the folders (`words`) by which some hosts name it in addresses,
    whether it comes over HTTP, and whether a server may compress it once more.

    An address that begins with the `prefix` and `+` or `:` is of this kind, and read by its module; without one the
    form of the address tells the kind.

    The module has `fetch(task)`; `source_at(text)` if there is a prefix; and if the versions are revisions
    `latest`, `known_ref`, `default_branch`, `tags` and `split_reference`.
    """

    lock_kind: str
    resolved: str
    versions: Versions
    module: str
    prefix: str = ""
    ends: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    is_downloaded: bool = False
    is_gzip: bool = False
    is_in_place: bool = False


_ZIP = KindRow("zip", _HASH, "content", "archive_fetch", ends=(".zip",), words=("zipball",))
# An extension: clause source.kinds knows zips only.
_TAR = _ZIP._replace(
    lock_kind="tar", ends=(".tar.gz", ".tgz", ".tar"), words=("tarball", "tar.gz", "legacy.tar.gz"), is_gzip=True
)


class SourceKind(StrEnum):
    """What is at an address, each with its row of the table."""

    row: KindRow

    def __new__(cls, value: str, row: KindRow) -> SourceKind:
        """A kind can't be added without its row."""
        kind = str.__new__(cls, value)
        kind._value_, kind.row = value, row
        return kind

    GIT = "git", KindRow("git", _COMMIT, "revision", "git")
    HTTP_ZIP = "http-zip", _ZIP._replace(is_downloaded=True)
    ZIP = "zip", _ZIP
    HTTP_TAR = "http-tar", _TAR._replace(is_downloaded=True)
    TAR = "tar", _TAR
    FOLDER = "folder", KindRow("folder", "", "none", "folder", is_in_place=True)
    REGISTRY = "registry", KindRow("registry", _RELEASE, "range", "registry_fetch", prefix="registry")

    @property
    def lock_kind(self) -> str:
        """The kind as the lock has it."""
        return self.row.lock_kind

    @property
    def versions(self) -> Versions:
        """What its versions are."""
        return self.row.versions

    @property
    def is_archive(self) -> bool:
        """Whether it is an archive, on the disk or over HTTP."""
        return bool(self.row.ends)

    @property
    def is_in_place(self) -> bool:
        """Whether it is read where it is, and neither unpacked nor resolved."""
        return self.row.is_in_place

    @property
    def has_revisions(self) -> bool:
        """Whether its versions are tags, branches and commits."""
        return self.versions == "revision"

    @property
    def has_releases(self) -> bool:
        """Whether its versions are releases, of which a range may be requested."""
        return self.versions == "range"


LOCK_KINDS = {kind.row.lock_kind: kind.row.resolved for kind in SourceKind}
"""For each kind of the lock the expression that its `resolved` matches."""
