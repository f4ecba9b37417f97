"""Where a source is: any spelling that the standard allows, parsed into a typed value.

Neither the network nor git is used; only a local path is looked up. Credentials are taken out here, so that no address
that is shown, stored or passed to another program as an argument holds any.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NoReturn

from skillbag.kernel.secrets.address_secrets import is_secret_name
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.archive_formats import format_at, format_of
from skillbag.supply.sources.source import BadSourceError, Credentials, Source, module_of

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_TRANSPORT = re.compile(r"[A-Za-z0-9][\w.+-]*::", re.ASCII)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BARE_SCHEME = re.compile(r"(data|file|ftp|git|https?|javascript|ssh):", re.IGNORECASE)
_PASSWORD = re.compile(r"[^/:@]+:[^/@]*@")
"""A user and password, in ssh's short form or in an address without its scheme."""
_BURIED = re.compile(r"\w\w:/{1,2}[^/@]*@|//[^/:@]*:[^/@]*@")
"""An address with credentials within an apparent path."""
_SCP = re.compile(r"(?:[^/:@\s-][^/:@\s]*@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][\w.-]+):(?![-\s])(.+)", re.ASCII)
_VERSIONED = re.compile(r"(\w+://(?:[^/@]*@)?[^/@:]*\.[^/@:]+(?::\d+)?/[^?]*\.git)(@[^@:?]+)")
"""A repository over a network with a version behind it, as the command line takes it."""
_VERSION_APART = "a `#` or `@` follows the repository; name the tag, branch or commit as the version, apart from it"
_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def parse_source(text: str, root: str) -> Source:
    """Parse a declared source; relative paths count from the workspace's `root` (absolute).

    Raises:
        BadSourceError: it is no supported source, or programs could read it differently.
    """
    _refuse_unsafe(text)
    if text.startswith("//"):
        refuse(text, "it has no scheme; write https:// in front of a host, and a path with one slash")
    for kind in SourceKind:
        if (prefix := kind.row.prefix) and text.lower().startswith((f"{prefix}+", f"{prefix}:")):
            found: Source | None = module_of(kind).source_at(text)
            if found is not None:
                return found
    if scheme := _SCHEME.match(text):
        return _url(text, scheme[1].lower())
    if _BARE_SCHEME.match(text):
        refuse(text, "it is an address without `//`; write scheme://host/path, or ./ in front of a path")
    if _PASSWORD.match(text):
        refuse(
            text,
            "it has a password and no scheme; write https:// in front, or, since ssh takes no password from an address,"
            " ssh://user@host/path, and set up an ssh key",
        )
    if scp := _SCP.fullmatch(text):
        if "#" in scp[2] or ".git@" in scp[2]:
            refuse(text, _VERSION_APART)
        identity = f"{scp[1].lower()}/{_plain_path(scp[2])}"
        return Source(SourceKind.GIT, text, text, identity, remote=True)
    return _local(text, root)


def _refuse_unsafe(text: str) -> None:
    if not text.strip():
        raise BadSourceError("a source is empty; write the address of a git repository or zip, or the path of a folder")
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in text):
        refuse(text, "it holds control characters; write it without them")
    if text.startswith("-"):
        refuse(text, "it looks like an option; write ./ in front of a path that begins with a dash")
    if transport := _TRANSPORT.match(text):
        refuse(text, f"transports such as {transport[0]} are not used; write https://, ssh:// or a path")


def refuse(text: str, why: str) -> NoReturn:
    """Refuse an address as it is written, without its secrets."""
    raise BadSourceError(f"source {hidden(text)!r}: {why}")


def without_credentials(text: str) -> str:
    """A written address without user, password and secret parameters, so that it can be shown and stored.

    Of a malformed address no more than host and path are kept, since the rest could be secret.
    """
    if "@" not in text and "?" not in text:
        return text
    if versioned := _VERSIONED.fullmatch(text):
        return without_credentials(versioned[1]) + versioned[2]
    try:
        source = parse_source(text, os.sep)
    except BadSourceError:
        return hidden(text)
    # A path has no query string; with one it is an incomplete address.
    return source.declared if source.remote else source.declared.partition("?")[0]


def hidden(text: str) -> str:
    """The text without parts that may be secret: no more than host and path."""
    text = re.sub(r"(^\w[\w.+-]*::?(?://)?|^).*@", r"\1…@", text, flags=re.DOTALL)
    return re.sub(r"[?#].*", "", text, flags=re.DOTALL)


def _url(text: str, scheme: str) -> Source:
    if scheme not in (*_PORTS, "file"):
        plain = scheme.removeprefix("git+").removesuffix("+git")
        if plain in (*_PORTS, "file"):
            refuse(text, f"write it as {plain}://, without git+, and the version apart from it")
        refuse(text, f"{scheme}:// is not used; write https://, ssh://, git@host:path, file:// or a path")
    if re.search(r"\s|\\", text):
        refuse(text, "it holds white space or a backslash; write %20 for a space and / between folders")
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
        refuse(text, "its host or port is missing or malformed; write scheme://host/path")
    if parts.fragment:
        refuse(text, _VERSION_APART)
    return parts


def _file(text: str) -> Source:
    from urllib.parse import unquote

    path = unquote(text.partition("://")[2])
    if not path.startswith("/"):
        refuse(text, "file:// names a folder of this machine; write file:///absolute/path")
    # On Windows a drive comes after the third slash.
    path = path[1:] if os.name == "nt" else path
    return Source(SourceKind.GIT, text, text, os.path.realpath(path), remote=False)


def _git_url(text: str, parts: SplitResult, credentials: Credentials | None) -> Source:
    if ".git@" in parts.path:
        refuse(text, _VERSION_APART)
    if parts.query:
        refuse(text, "a git repository's address has no `?`; write it without the query string")
    if parts.password is not None and credentials is None:
        refuse(text, f"{parts.scheme}:// takes no password; leave it out and set up a key")
    identity = f"{_host(parts)}/{_plain_path(parts.path)}"
    return Source(SourceKind.GIT, text, text, identity, remote=True, credentials=credentials)


def _web(parts: SplitResult) -> Source:
    from urllib.parse import unquote

    credentials = None
    if "@" in parts.netloc:
        credentials = Credentials(unquote(parts.username or ""), unquote(parts.password or ""))
        if not (credentials.user + credentials.password).isprintable():
            refuse(parts.geturl(), "its user name or password holds control characters")
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    archive = format_at(parts.path)
    if archive is None:
        return _git_url(parts.geturl(), parts, credentials)
    parameters = parts.query.split("&") if parts.query else []
    secrets = [parameter for parameter in parameters if _is_secret(parameter)]
    query = "&".join(parameter for parameter in parameters if parameter not in secrets)
    secret = "&".join(secrets)
    address = parts._replace(query=query).geturl()
    identity = parts._replace(scheme=parts.scheme.lower(), netloc=_host(parts), query=query).geturl()
    return Source(archive, address, address, identity, remote=True, credentials=credentials, query=secret)


def _is_secret(parameter: str) -> bool:
    from urllib.parse import unquote_plus

    from skillbag.kernel.secrets.detection import looks_secret

    name, _, value = map(unquote_plus, parameter.partition("="))
    return is_secret_name(name) or looks_secret(name.lower().replace("-", "_"), value)


def _host(parts: SplitResult) -> str:
    """Host and port, normalized."""
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _PORTS[parts.scheme]) else f"{host}:{parts.port}"


def _plain_path(path: str) -> str:
    from urllib.parse import unquote

    plain = "/".join(part for part in unquote(path).split("/") if part)
    return plain.removesuffix(".git").rstrip("/")


def _local(text: str, root: str) -> Source:
    if _BURIED.search(text):
        refuse(text, "it is neither an address nor a path; write the address alone, from its scheme on")
    expanded = os.path.expanduser(text) if text.startswith("~") else text
    path = os.path.normpath(os.path.join(root, expanded))
    kind = SourceKind.GIT if _is_bare_repository(path) else SourceKind.FOLDER
    archive = format_of(path)
    if os.path.isfile(path) or (archive and not os.path.isdir(path)):
        kind = archive or SourceKind.ZIP
    return Source(kind, path, text, os.path.realpath(path), remote=False)


def _is_bare_repository(path: str) -> bool:
    folders = all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs"))
    return folders and os.path.isfile(os.path.join(path, "HEAD")) and not os.path.lexists(os.path.join(path, ".skills"))
