"""What a check is asked to do."""

from __future__ import annotations

from skillbag.base.records import NamedTuple
from skillbag.workspace.target import Kind


class CheckRequest(NamedTuple):
    """What a check is asked to do: absolute `paths`, and what the command line adds to the configuration.

    `config` is the absolute path of a configuration to use instead of those found upward of each target; `root` the
    folder that the search for it, and for targets around a path, does not go beyond (None: the file system's root);
    `here` the folder that the patterns of `exclude` are relative to.
    """

    paths: tuple[str, ...]
    kind: Kind | None = None
    config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    root: str | None = None
    here: str = ""
    today: str = ""
