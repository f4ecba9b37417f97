"""The command that installs a skill from a source, as a message suggests it: it runs as it stands."""

from __future__ import annotations

import shlex

from skillbag.supply.sources.source import Source


def install_command(name: str, source: Source, version: str | None, command: str = "install") -> str:
    """`skillbag install NAME` with the source and its options, quoted for a shell."""
    words = ["skillbag", command]
    if source.kind.has_releases:
        return shlex.join([*words, f"{source.declared}@{version}" if version else source.declared])
    words += [name, *(["--plain"] if source.plain else []), "--source", source.declared]
    return shlex.join([*words, *(["--version", version] if version else [])])
