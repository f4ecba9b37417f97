"""The host of code that `OWNER/REPOSITORY` means: github.com, or the one that the user has configured.

Only the user's variable and settings name it, never a workspace: a clone must not decide where names lead.
"""

from __future__ import annotations

import os
import re

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import config_folder
from skillbag.kernel.documents import settings_file

HOST_VARIABLE = "SKILLBAG_CODE_HOST"
"""The address of the host; overrides the settings, and means the default if it is empty."""

_DEFAULT = "https://github.com"
_ALONE = re.compile(r"[\w.-]+(:\d+)?", re.ASCII)
_HOW = "write https://HOST, https://HOST/PATH or ssh://USER@HOST"


def code_host() -> str:
    """The normalized address, without a slash at its end.

    Raises:
        UserError: the configured one can't be used, or the settings can't be read.
    """
    if given := os.environ.get(HOST_VARIABLE, "").strip():
        return _parsed(given, HOST_VARIABLE)
    values = settings_file.read(os.path.join(config_folder(), "settings.json"))
    host = values.section("sources").get("code_host")
    if host is None:
        return _DEFAULT
    if not isinstance(host, str):
        raise values.bad("code_host", "`sources.code_host` must be an address")
    try:
        return _parsed(host, "`sources.code_host`")
    except UserError as error:
        raise values.bad("code_host", str(error)) from error


def _parsed(text: str, origin: str) -> str:
    from urllib.parse import urlsplit

    from skillbag.supply.sources.registry_address import is_loopback

    try:
        parts = urlsplit(f"https://{text}" if _ALONE.fullmatch(text) else text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    user, at, _ = parts.netloc.rpartition("@") if host else ("", "", "")
    if not re.fullmatch(r"[\w.:-]+", host, re.ASCII) or host.startswith("-"):
        raise UserError(f"{origin}: the address of the host of code has no host, or a malformed one; {_HOW}")
    if parts.scheme not in ("https", "ssh") and not (parts.scheme == "http" and is_loopback(host)):
        raise UserError(f"{origin}: a host of code is reached over https or ssh, over http on loopback only; {_HOW}")
    if ":" in user or (at and (parts.scheme != "ssh" or not re.fullmatch(r"\w[\w.-]*", user, re.ASCII))):
        raise UserError(f"{origin}: credentials belong in git's credential helper or ~/.netrc; {_HOW}")
    path = "/".join(part for part in parts.path.split("/") if part)
    if parts.query or parts.fragment or not re.fullmatch(r"[\w./~-]*", path, re.ASCII) or ".." in path:
        raise UserError(f"{origin}: the path of the host of code holds characters that none has; {_HOW}")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{user}{at}{host}{f':{port}' if port else ''}{f'/{path}' if path else ''}"
