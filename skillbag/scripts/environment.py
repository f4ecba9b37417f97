"""The environment of a script: what programs need to work, and none of the secrets around them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillbag.base.user_dirs import compiled_folder

PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("LANG", "LANGUAGE", "LC_*", "VIRTUAL_ENV"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""The variables of ours that a script is given; `LC_*` are all that begin so.

Proxies are not among them: their addresses may hold a password. `PATH` comes without relative folders, which would be
the skill's own.
"""

VARIABLE = "SKILLBAG_SCRIPT_ENV"
"""Names of further variables that scripts are given, separated by commas."""


def script_environment(directory: str, workspace: str | None, ours: Mapping[str, str]) -> dict[str, str]:
    """The environment of a script of the skill in the absolute `directory`, made from `ours`.

    Added are `SKILL_DIR` and `PWD`, the skill's folder, and `SKILLBAG_WORKSPACE`, the workspace's, if there is one.
    Python keeps compiled modules in the user's cache: those that lie in a skill's folder may be anybody's, and are
    neither read nor written.
    """
    names = {*PASSED, *(name.strip() for name in ours.get(VARIABLE, "").split(","))}
    passed = {name: value for name, value in ours.items() if name in names or name.startswith("LC_")}
    passed["PATH"] = os.pathsep.join(filter(os.path.isabs, ours.get("PATH", os.defpath).split(os.pathsep)))
    passed.setdefault("PYTHONPYCACHEPREFIX", compiled_folder())
    passed |= {"SKILL_DIR": directory, "PWD": directory}
    return passed | ({"SKILLBAG_WORKSPACE": workspace} if workspace else {})
