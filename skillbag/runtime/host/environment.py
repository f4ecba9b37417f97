"""Variables that a skill reads, and sets for the programs that it runs (skill runtime, section 7.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skillbag.kernel.processes.environment import VARIABLE, passed_names, skill_environment
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.errors import BadParametersError, NotPermittedError
from skillbag.supply.sources.entry import quoted

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
