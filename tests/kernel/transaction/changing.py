"""Make the change of `workspaces` in this process: `python -m tests.kernel.transaction.changing ROOT SOURCE [NUMBER]`.

Before the call with this number, the permission to write to `.skills` is taken away. The exit code says how the change
ended, standard error why.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from skillbag.kernel.transaction.locations import CleanUpError, RecoveryError
from tests.kernel.transaction.faults import at_calls
from tests.kernel.transaction.workspaces import change

DONE, CRASHED, FAILED, UNCLEAN, STUCK = 0, 1, 3, 4, 5


def main(root: str, source: str, number: str = "0") -> int:
    def close(_name: str, _args: tuple[Any, ...]) -> None:
        chmod(os.path.join(root, ".skills"), 0o555)

    chmod = os.chmod
    at_calls({int(number): close})
    return ending(Path(root), Path(source))


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
