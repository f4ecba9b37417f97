"""`exec`: a program that a skill runs, without a shell, bounded in time and output; and the variables that it reads,
and sets for these programs (skill runtime, sections 5 and 7.2)."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.processes.bounded import CommandLimits, awaiting, run_bounded
from skillbag.kernel.processes.environment import VARIABLE, passed_names, skill_environment
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.errors import (
    BadParametersError,
    NotFoundError,
    NotPermittedError,
    RuntimeFaultError,
    TimeLimitError,
)
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


MAX_SET = 100
"""Most variables that a skill sets."""

LONGEST = 32 << 10
"""Longest value of a variable that a skill sets, in characters."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_OURS = "SKILLBAG_"
_GIVEN = frozenset({"SKILL_DIR", "PWD"})
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|COOKIE|(?:^|_)(?:AUTH|PAT|PASS|PWD|KEY)(?:_|$)|APIKEY",
    re.IGNORECASE,
)
"""Names of variables that hold credentials."""


def read_variable(name: str, ours: Mapping[str, str], own: Mapping[str, str]) -> str:
    """The value of a variable, "" if it is unset; `own` are those that the skill set, `ours` is our environment.

    The permission is for settings such as `KUBECONFIG`. A variable that holds a credential, by its name or its value,
    is given only if the user lists it in `SKILLBAG_SCRIPT_ENV`, as for scripts.

    Raises:
        NotPermittedError: it holds a credential, or is one of this program's.
    """
    if name in own:
        return own[name]
    if name.upper().startswith(_OURS):
        raise NotPermittedError(f"{quoted(name)} is a variable of skillbag, and no skill reads those")
    value = ours.get(name, "")
    if value and name not in passed_names(ours) and (_SECRET.search(name) or mask(value) != value):
        raise NotPermittedError(
            f"{quoted(name)} seems to hold a credential; to give it to skills, the user lists it in {VARIABLE}"
        )
    return value


def check_variable(name: str, value: str, own: Mapping[str, str]) -> None:
    """Check a variable that the skill sets for the programs that it runs from then on.

    Raises:
        BadParametersError: its name or value is not valid, or there are too many.
    """
    if not _NAME.fullmatch(name):
        raise BadParametersError(f"{quoted(name)} is no name of a variable; use letters, digits and underscores")
    if name.upper().startswith(_OURS) or name in _GIVEN:
        raise BadParametersError(f"{quoted(name)} is set by skillbag, and by no skill")
    if len(value) > LONGEST:
        raise BadParametersError(f"the value of {quoted(name)} is longer than {LONGEST:,} characters")
    if name not in own and len(own) >= MAX_SET:
        raise BadParametersError(f"a skill sets {MAX_SET} variables at most")


def command_environment(
    directory: str, workspace: str | None, ours: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, str]:
    """The environment of a program that a skill runs: that of scripts, with the variables that the skill set."""
    return skill_environment(directory, workspace, ours) | {"PWD": workspace or directory} | dict(own)
