"""The request of a check."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.target import TargetKind


class CheckRequest(NamedTuple):
    """The absolute `paths` to check, and the settings of the command line.

    `config` is the absolute path of a configuration to use instead of those at or above each target; `root` the topmost
    folder of the search for it, and for targets around a path (None: no limit); `here` the folder that the patterns of
    `exclude` are relative to. `test_data`: files of tests are held to all rules, too. Unless
    `trusted`, what the targets say of themselves counts for nothing: neither configurations nor suppressions.
    `named`: each path has to be, hold or belong to something that is judged.
    """

    paths: tuple[str, ...]
    kind: TargetKind | None = None
    config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    root: str | None = None
    here: str = ""
    today: str = ""
    test_data: bool = False
    trusted: bool = True
    named: bool = False
