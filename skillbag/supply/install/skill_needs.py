"""Which dependencies of a skill an installation follows.

A manifest names skills and ranges, and no source. So an installation follows it where the skill comes from a registry,
which has versions by name; else it says what is missing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Container, Iterable, Iterator

from skillbag.kernel.standard.declarations import Declaration
from skillbag.kernel.workspace.target import MANIFEST_FILE
from skillbag.supply.sources.fetched import FetchSpec


def followed(wants: Iterable[Declaration], home: FetchSpec | None) -> tuple[Declaration, ...]:
    """Those that an installation can follow for a skill from `home`; None if that is not known."""
    has_versions = home is not None and home.source.kind.has_releases
    return tuple(wanted for wanted in wants if has_versions or not _is_of_manifest(wanted))


def missing_notes(name: str, wants: Iterable[Declaration], present: Container[str]) -> Iterator[str]:
    """Which dependencies of a manifest nothing installs, and what to do."""
    for wanted in wants:
        if _is_of_manifest(wanted) and wanted.name not in present:
            needs = "needs" if wanted.required else "can use"
            version = f"@{wanted.version}" if wanted.version else ""
            command = shlex.join(["skillbag", "install", f"registry:{wanted.name}{version}"])
            yield (
                f"{name} {needs} {wanted.name}{version} ({wanted.place}), which is not in this workspace: "
                f"{command}, or name another source of it."
            )


def _is_of_manifest(wanted: Declaration) -> bool:
    return os.path.basename(wanted.place.file) == MANIFEST_FILE
