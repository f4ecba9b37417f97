"""Names of files as flows compare them, and which of them are secret."""

from __future__ import annotations

import posixpath

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.values import OriginKind
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths

_HOME = late(r"(?:\$HOME|\$\{HOME\}|\$env:(?:USERPROFILE|HOME)|%USERPROFILE%)(?=[/\\]|\Z)")
_DOTENV = late(r"(?:\A|[/\\])\.env(?:\.(?:local|production|prod))?\Z")
_PROCESS_ENVIRONMENT = late(r"/proc/(?:self|\d+|\$\w+|\$\$|\$\{\w+\}|\*)/environ\Z")
_SPACED = late(r"(?:Login Data|Local State|Web Data|Application Support|User Data)")
_NAME = late(r"[^\n\"'<>|]{1,200}\Z")
_LOGINS = late(
    r"\.(?:env|netrc|npmrc|kube/config|docker/config\.json|pypirc)|\.env(?:\.\w+)?\Z|credentials\.json|auth\.json|oauth_creds\.json|hosts\.yml"
)
"""Files of which a program of the user reads its own login."""


def file_name(path: str) -> str:
    """A path as a name: the home folder is `~`, `./` and doubled slashes are gone."""
    path = _HOME().sub("~", path.strip().strip("\"'")).replace("\\", "/")
    return posixpath.normpath(path) if path else path


def secret_of(path: str) -> str | None:
    """What a file with this name holds if that is secret: the kind of `signals.secret_paths`; None for other files."""
    if "$(" in path or "`" in path or not _NAME().match(path) or (" " in path and not _SPACED().search(path)):
        return None
    names = (name for literal in LITERALS if (name := literal.decode()) in path)
    offsets = sorted({at for name in names for at in (path.find(name), path.rfind(name))})
    for found in secret_paths(path, offsets):
        return found.kind
    if _DOTENV().search(path):
        return "a project's .env"
    return None


def secret_kind(path: str) -> OriginKind | None:
    """The kind of source that a file with this name is; None where it is no secret file."""
    if secret_of(path) is None:
        return OriginKind.ENVIRONMENT if _PROCESS_ENVIRONMENT().match(path) else None
    return OriginKind.LOGIN_FILE if _LOGINS().search(path) else OriginKind.SECRET_FILE
