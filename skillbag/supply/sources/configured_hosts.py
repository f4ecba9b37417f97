"""The registry (skill runtime, sections 9 and 11) and the host of code that the user has configured.

Only the user's variables and settings name them, never a workspace: a clone must not decide where names lead.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import config_folder
from skillbag.kernel.documents import settings_file

REGISTRY_VARIABLE = "SKILLBAG_REGISTRY"
"""The address of the registry; overrides the settings, and means none if it is empty."""

TOKEN_VARIABLE = "SKILLBAG_REGISTRY_TOKEN"  # noqa: S105
"""The token for the configured registry."""

MAX_NAME = 128
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_TOKEN = re.compile(r"[\x21-\x7e]{1,4096}")
HOW_TO_CONFIGURE = f"set {REGISTRY_VARIABLE}, or `registry_url` in the section `runtime` of the user's settings"


class RegistryName(NamedTuple):
    """A skill as people name it, `NAME@RANGE`; `version` is None without a range."""

    name: str
    version: str | None = None


def is_registry_name(name: str) -> bool:
    """Whether a registry may have a skill of this name. To be asked before a URL or a path is made of it."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def parse_registry_name(text: str) -> RegistryName:
    """Split `NAME@RANGE`, or a name alone.

    Raises:
        UserError: it is no name of a skill, or the range is empty.
    """
    name, at, version = text.partition("@")
    if not is_registry_name(name):
        raise UserError(f"{name[:MAX_NAME]!r} is no name in a registry: use A-Z, a-z, 0-9, - and _, at most {MAX_NAME}")
    if at and not version.strip():
        raise UserError(f"{name}@: no version follows; write NAME@VERSION, NAME@RANGE or the name alone")
    return RegistryName(name, version.strip() if at else None)


def parse_registry(text: str, origin: str) -> str:
    """The normalized address of a registry, without a slash at its end; `origin` begins the message of an error.

    Raises:
        UserError: it is no address of a registry. The message repeats no secret.
    """
    from urllib.parse import urlsplit

    def refused(why: str) -> UserError:
        return UserError(f"{origin}: {why}; write https://HOST or https://HOST/PATH")

    if re.search(r"[\s\\\x00-\x1f\x7f-\U0010ffff]", text):
        raise refused("the address of the registry holds white space or characters that are not ASCII")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not re.match(r"[\w:]", host):
        raise refused("the address of the registry has no host, or a malformed one")
    if "@" in parts.netloc:
        raise refused(f"the address of the registry holds credentials, which belong in {TOKEN_VARIABLE}")
    if "?" in text or "#" in text or any(part in (".", "..") for part in parts.path.split("/")):
        raise refused("the address of the registry holds `?`, `#` or `..`")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise refused("a registry is asked over https only, except on loopback")
    host = f"[{host}]" if ":" in host else host
    default = port in (None, 443 if parts.scheme == "https" else 80)
    path = "/".join(part for part in parts.path.split("/") if part)
    return f"{parts.scheme}://{host}{'' if default else f':{port}'}{f'/{path}' if path else ''}"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def configured_registry() -> str | None:
    """The normalized address of the user's registry: the variable, else the settings; None without one.

    Raises:
        UserError: it can't be used, or the settings can't be read.
    """
    if (given := os.environ.get(REGISTRY_VARIABLE)) is not None:
        return parse_registry(given, REGISTRY_VARIABLE) if given else None
    return _in_settings("runtime", "registry_url", parse_registry)


def _in_settings(section: str, key: str, parse: Callable[[str, str], str]) -> str | None:
    """The normalized address in the user's settings, if they have it; `parse` begins an error with where it stands."""
    values = settings_file.read(os.path.join(config_folder(), "settings.json"))
    url, origin = values.section(section).get(key), f"`{section}.{key}`"
    if url is None:
        return None
    if not isinstance(url, str):
        raise values.bad(key, f"{origin} must be an address")
    try:
        return parse(url, origin)
    except UserError as error:
        raise values.bad(key, str(error)) from error


def token_for(address: str) -> str | None:
    """The user's token if the registry at the normalized `address` is the configured one: no other one may see it.

    Raises:
        UserError: the token can't be sent; the message does not repeat it.
    """
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token or address != configured_registry():
        return None
    if not _TOKEN.fullmatch(token):
        raise UserError(f"{TOKEN_VARIABLE}: it holds spaces, or characters that are not ASCII; set the token alone")
    return token


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
        return _parsed_host(given, HOST_VARIABLE)
    return _in_settings("sources", "code_host", _parsed_host) or _DEFAULT


def _parsed_host(text: str, origin: str) -> str:
    from urllib.parse import urlsplit

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
