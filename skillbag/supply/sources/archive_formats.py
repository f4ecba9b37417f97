"""The formats of archives: one table of their names and kinds."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.workspace.source_kind import SourceKind


class ArchiveFormat(NamedTuple):
    """A format: its kind on the disk and over HTTP, the ends of its files' names, and the folders by which some hosts
    name it in addresses.
    """

    local: SourceKind
    downloaded: SourceKind
    ends: tuple[str, ...]
    folders: frozenset[str]


FORMATS = (
    ArchiveFormat(SourceKind.ZIP, SourceKind.HTTP_ZIP, (".zip",), frozenset({"zipball"})),
    # An extension: clause source.kinds knows zips only.
    ArchiveFormat(
        SourceKind.TAR,
        SourceKind.HTTP_TAR,
        (".tar.gz", ".tgz", ".tar"),
        frozenset({"tarball", "tar.gz", "legacy.tar.gz"}),
    ),
)
ENDS = tuple(end for known in FORMATS for end in known.ends)
"""The ends of names of archives."""


def format_of(path: str) -> ArchiveFormat | None:
    """The format that a file's name says, in any case."""
    return next((known for known in FORMATS if path.lower().endswith(known.ends)), None)


def format_at(path: str) -> ArchiveFormat | None:
    """The format that the path of an address says, by the file's name or by one of the folders."""
    folders = path.lower().split("/")[:-1]
    return format_of(path) or next((known for known in FORMATS if not known.folders.isdisjoint(folders)), None)


def without_end(name: str) -> str:
    """A file's name without the end of its format."""
    end = next((end for end in ENDS if name.lower().endswith(end)), "")
    return name[: len(name) - len(end)]
