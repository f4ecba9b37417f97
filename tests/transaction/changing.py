"""Make the change of `workspaces` in this process: `python -m tests.transaction.changing ROOT SOURCE [ACT [NUMBER]]`.

`ACT` is one of `faults.ACTS`, `trace` for a list of the calls (on Linux), or `close`, which takes away the permission
to write to `.skills`; it happens at the call with this number. The exit code tells how it ended, standard error why.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from skillbag.transaction import durable
from skillbag.transaction.errors import CleanUpError, RecoveryError
from tests.transaction.faults import ACTS, at_calls
from tests.transaction.workspaces import change

MANY = 10_000
"""A number of a call that never comes; with it, files are synced as many are."""

DONE, CRASHED, FAILED, UNCLEAN, STUCK = 0, 1, 3, 4, 5


def main(root: str, source: str, act: str = "", number: str = "0") -> int:
    chmod = os.chmod

    def close(_name: str, _args: tuple[Any, ...]) -> None:
        chmod(os.path.join(root, ".skills"), 0o555)

    trace: list[str] = []
    if act:
        at_calls({int(number): {**ACTS, "close": close}.get(act, close)}, trace if act == "trace" else None)
    if int(number) > MANY:
        durable._FEW = 0
    code = ending(Path(root), Path(source))
    if act == "trace":
        sys.stdout.write("".join(f"{line}\n" for line in trace))
    return code


def ending(root: Path, source: Path) -> int:
    """Make the change; how it ended."""
    try:
        change(root, source)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        if isinstance(error, CleanUpError):
            return UNCLEAN
        return STUCK if isinstance(error, RecoveryError) else FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
