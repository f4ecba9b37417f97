"""The environment of the processes that run a skill's code: what programs need of ours, and no secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.base.user_dirs import compiled_folder

PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("LANG", "LANGUAGE", "LC_*", "VIRTUAL_ENV"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""Variables that are passed on to a skill's process; `LC_*` is a prefix. Not proxies: their addresses may hold a
password."""

VARIABLE = "SKILLBAG_SCRIPT_ENV"
"""Lists further variables to pass on, separated by commas."""


def passed_names(ours: Mapping[str, str]) -> frozenset[str]:
    """The names of the variables that are passed on, those of `VARIABLE` among them; without `LC_*`."""
    return frozenset({*PASSED, *split_list([ours.get(VARIABLE, "")])})


def skill_environment(directory: str, workspace: str | None, ours: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process of the skill in the absolute `directory`, made of `ours`.

    It adds `SKILL_DIR` and `PWD`, the skill's folder, and `SKILLBAG_WORKSPACE`, the workspace's folder, if any.
    Relative folders are removed from `PATH`: they would be the skill's own. Python keeps compiled modules in the user's
    cache: those in a skill's folder can't be trusted, and are neither read nor written.
    """
    names = passed_names(ours)
    passed = {name: value for name, value in ours.items() if name in names or name.startswith("LC_")}
    passed["PATH"] = os.pathsep.join(filter(os.path.isabs, ours.get("PATH", os.defpath).split(os.pathsep)))
    passed.setdefault("PYTHONPYCACHEPREFIX", _compiled())
    passed |= {"SKILL_DIR": directory, "PWD": directory}
    return passed | ({"SKILLBAG_WORKSPACE": workspace} if workspace else {})


def _compiled() -> str:
    try:
        return compiled_folder()
    except PermissionError:
        # Another user may have planted modules there: Python compiles each time.
        return os.devnull
