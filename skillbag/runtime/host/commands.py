"""`exec`: a program that a skill runs, without a shell, bounded in time and output (skill runtime, section 5)."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.processes.bounded import CommandLimits, awaiting, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError, TimeLimitError
from skillbag.runtime.host.files import HostFolders, candidates
from skillbag.supply.sources.entry import quoted

MAX_KEPT = 256 << 10
"""Bytes kept of each stream (256 KiB): half from its beginning, half from its end."""

_GRACE = 0.3
"""Seconds in which other processes of the group may still write after the program's end."""


class Finished(NamedTuple):
    """The result of a program; `exit_code` is negative where a signal ended it."""

    stdout: str
    stderr: str
    exit_code: int


def run_command(
    places: HostFolders, command: str, arguments: Sequence[str], environment: Mapping[str, str], seconds: float
) -> Finished:
    """Run a program in the workspace (in the skill's folder, without one); its process group ends with it.

    `command` is a name on the `PATH` of `environment`, or a path with `/`: of the skill, or else of the workspace.

    Raises:
        NotFoundError: there is no such program. TimeLimitError: it took longer than `seconds`.
        RuntimeFaultError: it can't be started.
    """
    if not is_posix():
        raise RuntimeFaultError(not_here("running programs for skills"))
    words = [_program(places, command, environment), *arguments]
    kept = OutputLimit(MAX_KEPT // 2, MAX_KEPT // 2)
    try:
        awaited = awaiting(words, environment, None, places.workspace or places.skill)
        ended = run_bounded(awaited, CommandLimits(seconds, kept, kept, _GRACE))
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise BadParametersError("the arguments are too long for the system; write them into a file") from error
        raise RuntimeFaultError(f"{quoted(command)} can't be started: {error.strerror}") from error
    if ended.excess:
        raise TimeLimitError(f"{quoted(command)} took longer than {seconds:g} s and was ended")
    return Finished(ended.output.text(), ended.errors.text(), ended.code)


def _program(places: HostFolders, command: str, environment: Mapping[str, str]) -> str:
    """The absolute path of the program."""
    if os.path.isabs(command):
        found = shutil.which(command)
    elif "/" in command:
        paths = (place.path for place in candidates(places, command))
        found = next(filter(None, map(shutil.which, paths)), None)
    else:
        found = shutil.which(command, path=environment["PATH"])
    if found is None:
        where = "is no program of the skill or the workspace" if "/" in command else "is not on the PATH"
        raise NotFoundError(f"{quoted(command)} {where}, or may not be run")
    return found
