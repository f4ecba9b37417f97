"""Where a source is: any spelling that the standard allows, read once into a typed value.

No network and no git: of a local path alone it is looked what stands there. Credentials are taken out here, once, so
that nothing that is shown, written down or given to another program as an argument holds any.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn

from skillbag.base.errors import UserError
from skillbag.secrets.address_secrets import is_secret_name

if TYPE_CHECKING:
    from urllib.parse import SplitResult


class BadSourceError(UserError):
    """A source that can't be used as it is written; the message says what to write instead."""


class SourceKind(StrEnum):
    """What stands at the address."""

    GIT = "git"
    HTTP_ZIP = "http-zip"
    ZIP = "zip"
    FOLDER = "folder"

    @property
    def lock_kind(self) -> str:
        """The kind as the lock file has it: `git`, `zip` or `folder`."""
        return "zip" if self is SourceKind.HTTP_ZIP else self.value


@dataclass(frozen=True, slots=True)
class Credentials:
    """What stood before the `@` of an address, decoded; the password is empty where there was none."""

    user: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Source:
    """One source. `address` is what git, HTTP or the file system is given (absolute where it is local), without
    credentials; `declared` what may be shown and written down; `identity` the same for two spellings of one source.
    With `plain` it may also be a plain repository of Agent Skills; with `whole` besides, all that a check could look at
    is taken of it.
    """

    kind: SourceKind
    address: str
    declared: str
    identity: str
    remote: bool
    credentials: Credentials | None = field(default=None, repr=False, compare=False)
    query: str = field(default="", repr=False, compare=False)
    """The secret part of the query string of an HTTP zip (without `?`), needed for the fetch only."""
    plain: bool = False
    whole: bool = False

    @property
    def full_address(self) -> str:
        """The address with the secret part of its query string: for the request alone, never for a message."""
        return f"{self.address}{'&' if '?' in self.address else '?'}{self.query}" if self.query else self.address


_TRANSPORT = re.compile(r"[A-Za-z0-9][\w.+-]*::", re.ASCII)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BARE_SCHEME = re.compile(r"(data|file|ftp|git|https?|javascript|ssh):", re.IGNORECASE)
_PASSWORD = re.compile(r"[^/:@]+:[^/@]*@")
"""What stands before a host in ssh's short form, or in an address without its scheme, and is a password there."""
_BURIED = re.compile(r"\w\w:/{1,2}[^/@]*@|//[^/:@]*:[^/@]*@")
"""An address with credentials within what looks like a path."""
_SCP = re.compile(r"(?:[^/:@\s-][^/:@\s]*@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][\w.-]+):(?![-\s])(.+)", re.ASCII)
_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def parse_source(text: str, root: str) -> Source:
    """Read a declared source; relative paths count from the workspace's `root` (absolute).

    Raises:
        BadSourceError: it names no source that this program takes, or would not mean the same to every reader.
    """
    _refuse_tricks(text)
    if text.startswith("//"):
        _refuse(text, "it has no scheme; write https:// in front of a host, and a path with one slash")
    if scheme := _SCHEME.match(text):
        return _url(text, scheme[1].lower())
    if _BARE_SCHEME.match(text):
        _refuse(text, "it is an address without `//`; write scheme://host/path, or ./ in front of a path")
    if _PASSWORD.match(text):
        _refuse(
            text,
            "it has a password and no scheme; write https:// in front, or, since ssh takes no password from an address,"
            " ssh://user@host/path, and set up an ssh key",
        )
    if scp := _SCP.fullmatch(text):
        identity = f"{scp[1].lower()}/{_plain_path(scp[2])}"
        return Source(SourceKind.GIT, text, text, identity, remote=True)
    return _local(text, root)


def _refuse_tricks(text: str) -> None:
    if not text.strip():
        raise BadSourceError("a source is empty; write the address of a git repository or zip, or the path of a folder")
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in text):
        _refuse(text, "it holds control characters; write it without them")
    if text.startswith("-"):
        _refuse(text, "it looks like an option; write ./ in front of a path that begins with a dash")
    if transport := _TRANSPORT.match(text):
        _refuse(text, f"transports such as {transport[0]} are not used; write https://, ssh:// or a path")


def _refuse(text: str, why: str) -> NoReturn:
    raise BadSourceError(f"source {hidden(text)!r}: {why}")


def without_credentials(text: str) -> str:
    """A written address without user, password and secret parameters, so that it can be shown and stored.

    Nothing of what is no address is kept that could be a secret: no more than host and path.
    """
    if "@" not in text and "?" not in text:
        return text
    try:
        source = parse_source(text, os.sep)
    except BadSourceError:
        return hidden(text)
    # A path has no query string; what looks like one is an address that something is missing of.
    return source.declared if source.remote else source.declared.partition("?")[0]


def hidden(text: str) -> str:
    """The text without what may be secret in it, rather too little than too much: no more than host and path."""
    text = re.sub(r"(^\w[\w.+-]*::?(?://)?|^).*@", r"\1…@", text, flags=re.DOTALL)
    return re.sub(r"[?#].*", "", text, flags=re.DOTALL)


def _url(text: str, scheme: str) -> Source:
    if scheme not in (*_PORTS, "file"):
        _refuse(text, _instead(scheme))
    if re.search(r"\s|\\", text):
        _refuse(text, "it holds white space or a backslash; write %20 for a space and / between folders")
    text = scheme + text[len(scheme) :]
    if scheme == "file":
        return _file(text)
    parts = _split(text)
    return _web(parts) if scheme in ("https", "http") else _git_url(text, parts, None)


def _split(text: str) -> SplitResult:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or not re.match(r"[\w:]", host) or parts.netloc.count("@") > 1:
        _refuse(text, "its host or port is missing or malformed; write scheme://host/path")
    if parts.fragment:
        _refuse(text, "it holds a `#`; name a tag, branch or commit as the version")
    return parts


def _instead(scheme: str) -> str:
    inner = scheme.removeprefix("git+").removesuffix("+git")
    if inner != scheme and inner in (*_PORTS, "file"):
        return f"write it as {inner}://, without git+, and the version apart from it"
    return f"{scheme}:// is not used; write https://, ssh://, git@host:path, file:// or a path"


def _file(text: str) -> Source:
    from urllib.parse import unquote

    path = unquote(text.partition("://")[2])
    if not path.startswith("/"):
        _refuse(text, "file:// names a folder of this machine; write file:///absolute/path")
    # On Windows a drive comes after the third slash.
    path = path[1:] if os.name == "nt" else path
    return Source(SourceKind.GIT, text, text, os.path.realpath(path), remote=False)


def _git_url(text: str, parts: SplitResult, credentials: Credentials | None) -> Source:
    if parts.query:
        _refuse(text, "a git repository's address has no `?`; write it without the query string")
    if parts.password is not None and credentials is None:
        _refuse(text, f"{parts.scheme}:// takes no password; leave it out and set up a key")
    identity = f"{_host(parts)}/{_plain_path(parts.path)}"
    return Source(SourceKind.GIT, text, text, identity, remote=True, credentials=credentials)


def _web(parts: SplitResult) -> Source:
    from urllib.parse import unquote

    credentials = None
    if "@" in parts.netloc:
        credentials = Credentials(unquote(parts.username or ""), unquote(parts.password or ""))
        if not (credentials.user + credentials.password).isprintable():
            _refuse(parts.geturl(), "its user name or password holds control characters")
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    if not (parts.path.lower().endswith(".zip") or "/zipball/" in parts.path.lower()):
        return _git_url(parts.geturl(), parts, credentials)
    query, secret = _split_query(parts.query)
    address = parts._replace(query=query).geturl()
    identity = parts._replace(scheme=parts.scheme.lower(), netloc=_host(parts), query=query).geturl()
    return Source(SourceKind.HTTP_ZIP, address, address, identity, remote=True, credentials=credentials, query=secret)


def _split_query(query: str) -> tuple[str, str]:
    """The query string that may be shown, and the secret rest; each parameter as it was written."""
    public: list[str] = []
    secret: list[str] = []
    for parameter in query.split("&") if query else ():
        (secret if _is_secret(parameter) else public).append(parameter)
    return "&".join(public), "&".join(secret)


def _is_secret(parameter: str) -> bool:
    from urllib.parse import unquote_plus

    name, _, value = parameter.partition("=")
    name = unquote_plus(name)
    if is_secret_name(name):
        return True
    from skillbag.secrets.detection import looks_secret

    return looks_secret(name.lower().replace("-", "_"), unquote_plus(value))


def _host(parts: SplitResult) -> str:
    """Host and port, as far as two spellings of one place agree on them."""
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _plain_path(path: str) -> str:
    from urllib.parse import unquote

    plain = "/".join(part for part in unquote(path).split("/") if part)
    return plain.removesuffix(".git").rstrip("/")


def _local(text: str, root: str) -> Source:
    if _BURIED.search(text):
        _refuse(text, "it is neither an address nor a path; write the address alone, from its scheme on")
    expanded = os.path.expanduser(text) if text.startswith("~") else text
    path = os.path.normpath(os.path.join(root, expanded))
    return Source(_local_kind(path), path, text, os.path.realpath(path), remote=False)


def _local_kind(path: str) -> SourceKind:
    if os.path.isfile(path) or (path.lower().endswith(".zip") and not os.path.isdir(path)):
        return SourceKind.ZIP
    return SourceKind.GIT if _is_bare_repository(path) else SourceKind.FOLDER


def _is_bare_repository(path: str) -> bool:
    folders = all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs"))
    return folders and os.path.isfile(os.path.join(path, "HEAD")) and not os.path.lexists(os.path.join(path, ".skills"))
