"""What the files of other programs say: where each skill came from, and at which version.

Their text is read as values and never followed: no path in it leads out of the project.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.documents.nodes import YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.workspace.target import is_skill_name
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.sources.address import hidden, without_credentials

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOCAL = re.compile(r"[./~\\]|file:|[A-Za-z]:[/\\]")
_HOSTILE = re.compile(r"[/\\]|^\.")
_DEPLOYED = re.compile(r"(?:^|/)skills/([^/]+)(?:/|$)")
_MAX_DOTS = 300
"""Dots in a line of TOML; for a key of very many parts its reader takes quadratic time."""


class Claim(NamedTuple):
    """What `file` says: the skill `name` (empty: some skills) came from `address`, at `version` or exactly `commit`.

    `folder` is its place in the source (relative, with `/`), `content` the `npx_hash` of it as installed. Without an
    address, `why` says what is known instead.
    """

    name: str
    file: str
    address: str = ""
    version: str | None = None
    commit: str | None = None
    folder: str | None = None
    content: str | None = None
    why: str = ""

    @property
    def shown(self) -> str:
        """The address without its secrets."""
        return without_credentials(self.address)

    @property
    def newest(self) -> Claim:
        """The same without its commit."""
        return self._replace(commit=None, version=None if self.version == self.commit else self.version)


class BadFileError(Exception):
    """A file is not what its program writes; the message says where."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A mapping of a file, whose values are checked as they are read; `place` is the way to it."""

    values: Mapping[str, Any]
    place: str = ""

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}"[:120].lstrip(".")

    def text(self, *keys: str) -> str | None:
        """The text of the first of the keys that there is."""
        for key in keys:
            value = self.values.get(key)
            if value is not None and not (isinstance(value, str) and len(value) <= 1000 and value.isprintable()):
                raise BadFileError(f"`{self._at(key)}` must be a line of text")
            if value:
                return str(value)
        return None

    def inside(self, *keys: str) -> str | None:
        """A path that stays below its root; None for the root itself."""
        path = self.text(*keys)
        if path and (path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/")):
            raise BadFileError(f"`{self._at(keys[0])}` leads out of the source: {path[:80]}")
        return None if path is None or posixpath.normpath(path) == "." else posixpath.normpath(path)

    def tables(self, key: str) -> Iterator[tuple[str, _Table]]:
        """The tables in a list or a mapping, with the name that each has there."""
        value = self.values.get(key) or {}
        if not isinstance(value, dict | list):
            raise BadFileError(f"`{self._at(key)}` must hold tables")
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(item, dict):
                raise BadFileError(f"`{self._at(key)}.{str(name)[:80]}` must be a table")
            yield str(name), _Table(item, f"{self._at(key)}.{name}")

    def claim(self, file: str, name: str, address: str | None, **known: str | None) -> Claim:
        """The claim of this table on the skill `name`; an address out of the project is none."""
        address = (address or "").removeprefix("git:").removeprefix("path:")
        why = "" if address else f"{file} names no source that can be fetched"
        if _LOCAL.match(address) and (not address.startswith("./") or ".." in address.split("/")):
            address, why = "", f"{file} names {hidden(address)[:80]}, which is outside of this folder"
        if name and not is_skill_name(name):
            if _HOSTILE.search(name) or not name.isprintable():
                raise BadFileError(f"`{self.place[:120]}`: {name[:80]!r} is not a skill's name")
            address, why = "", "rename it to lower case letters, digits and hyphens first"
        commit = known.get("commit")
        if commit is not None and not _COMMIT.fullmatch(commit):
            raise BadFileError(f"`{self.place[:120]}`: {commit[:80]!r} is not a commit")
        return Claim(name, file, address, **known, why=why)


def _npx(table: _Table, file: str) -> Iterator[Claim]:
    """`skills-lock.json` and `.skill-lock.json` of `npx skills`: no commits, and names that are no folder's."""
    for key, item in table.tables("skills"):
        name = re.sub(r"[^a-z0-9._/\\]+", "-", key.rpartition("::")[2].lower())
        kind, source, path = item.text("sourceType"), item.text("source"), item.inside("skillPath")
        url = item.text("sourceUrl")
        if kind == "gitlab" and source and not url:
            url = f"https://gitlab.com/{source}"
        if kind == "local" and source and not _LOCAL.match(source):
            source = f"./{source}"
        address = url or source if kind in (None, "github", "gitlab", "git", "local") else None
        folder = None if path is None else posixpath.dirname(path) or None
        content = item.text("computedHash")
        yield item.claim(file, name, address, version=item.text("ref"), folder=folder, content=content)


def _apm_lock(table: _Table, file: str) -> Iterator[Claim]:
    """`apm.lock.yaml`: a commit for each package, and the files that it brought."""
    for _, item in table.tables("dependencies"):
        files, part = item.values.get("deployed_files") or [], item.inside("virtual_path")
        if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
            raise BadFileError(f"`{item.place}.deployed_files` must be a list of paths")
        url = item.text("repo_url")
        if url and "://" not in url and not url.startswith("git@"):
            url = f"https://{item.text('host') or 'github.com'}/{url}"
        if item.text("source") == "local":
            url = item.text("local_path")
        version, commit = item.text("resolved_ref"), item.text("resolved_commit")
        for name in sorted({found[1] for path in files if (found := _DEPLOYED.search(path))}):
            folder = part if part and posixpath.basename(part) == name else None
            yield item.claim(file, name, url, version=version, commit=commit, folder=folder)


def _apm(table: _Table, file: str) -> Iterator[Claim]:
    wanted = table.values.get("dependencies") or {}
    for item in (wanted.get("apm") or [] if isinstance(wanted, dict) else []) or []:
        entry = _Table(item if isinstance(item, dict) else {"git": item}, "dependencies.apm")
        address, _, version = (entry.text("git", "path") or "").partition("#")
        yield entry.claim(file, "", address, version=entry.text("ref") or version or None)


def _dotagents(table: _Table, file: str) -> Iterator[Claim]:
    """`agents.lock`, and `agents.toml`, whose names may be `*`."""
    for name, item in table.tables("skills"):
        commit = item.text("resolved_commit", "commit")
        address = item.text("resolved_url", "source")
        name = item.text("name") or name
        version, folder = item.text("resolved_ref", "ref"), item.inside("resolved_path", "path")
        yield item.claim(file, "" if name == "*" else name, address, version=version, commit=commit, folder=folder)


def _agr(table: _Table, file: str) -> Iterator[Claim]:
    """`agr.lock` (`skill`) and `agr.toml` (`dependencies`): OWNER/REPOSITORY/SKILL, or OWNER/SKILL in its usual one."""
    owner, usual = table.text("default_owner") or "computerlovetech", table.text("default_repo") or "skills"
    hosts = {item.text("name"): item.text("url") for _, item in table.tables("source")}
    for key in ("skill", "dependencies"):
        for _, item in table.tables(key):
            parts = (item.text("handle") or "").split("/")
            name = item.text("installed-name") or parts[-1]
            commit, path = item.text("commit"), item.text("path")
            if path:
                yield item.claim(file, name or posixpath.basename(path), f"./{path.removeprefix('./')}")
            elif parts[-1] and item.text("type") in (None, "skill"):
                host = hosts.get(item.text("source") or table.text("default_source")) or "{owner}/{repo}"
                host = host.replace("{owner}", parts[0] if len(parts) > 1 else owner)
                for repository in [parts[1]] if len(parts) > 2 else dict.fromkeys((usual, "agent-resources")):
                    yield item.claim(file, name, host.replace("{repo}", repository), commit=commit)


def _claude(table: _Table, file: str) -> Iterator[Claim]:
    """The marketplaces of Claude's settings: sources that are known; Claude keeps their plugins elsewhere."""
    for _, item in table.tables("extraKnownMarketplaces"):
        for _, source in _Table({"source": [item.values.get("source") or {}]}, item.place).tables("source"):
            yield source.claim(file, "", source.text("repo", "url", "path"), version=source.text("ref"))


_FILES: Mapping[str, Callable[[_Table, str], Iterator[Claim]]] = {
    "apm.lock.yaml": _apm_lock,
    "apm.lock": _apm_lock,
    "agents.lock": _dotagents,
    "agr.lock": _agr,
    "skills-lock.json": _npx,
    ".agents/.skill-lock.json": _npx,
    "apm.yml": _apm,
    "agents.toml": _dotagents,
    "agr.toml": _agr,
    ".claude/settings.json": _claude,
    ".claude/settings.local.json": _claude,
}
"""By path: those with commits first."""


def read_claims(root: str, ignored: Collection[str] = ()) -> tuple[list[Claim], list[Problem]]:
    """What the files at the absolute `root` say, and what is wrong with them."""
    claims: list[Claim] = []
    problems = []
    for file, parse in _FILES.items():
        if file in ignored or not os.path.lexists(os.path.join(root, file)):
            continue
        try:
            claims += parse(_Table(_content(root, file)), file)
        except (BadFileError, BadJsonError, tomllib.TOMLDecodeError, RecursionError) as error:
            fix = f"Correct it with its own program, or leave it out: --ignore {file}"
            problems.append(Problem(ProblemKind.INVALID_SOURCE, f"{file}: {error}", path=file, fix=fix))
    return claims, problems


def _content(root: str, file: str) -> dict[str, Any]:
    document = read_document(os.path.join(root, *file.split("/")), root)
    if isinstance(document, DocumentProblem):
        raise BadFileError(document.detail)
    text = document.text
    if not text.strip():
        return {}
    if file.endswith(".json"):
        value = json_value(text)
    elif file.endswith((".yaml", ".yml", "apm.lock")):
        node = parse_yaml(text)
        if isinstance(node, YamlError):
            raise BadFileError(node.detail)
        value = None if node is None else core_value(node)
    elif any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        raise BadFileError("it has a key of too many parts")
    else:
        value = tomllib.loads(text.replace("\r\n", "\n"))
    if not isinstance(value, dict):
        raise BadFileError("it must hold a table")
    return value
