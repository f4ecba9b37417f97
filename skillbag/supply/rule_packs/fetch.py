"""Fetching a rule pack from git, at exactly the pinned commit, to where a check looks for it.

Nothing of it runs here. The repository is judged as any other source is: names, links, sizes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from skillbag.kernel.fs.atomic import move
from skillbag.kernel.fs.changes import copy_folder, delete
from skillbag.lint.rules.pack_code import code_of
from skillbag.lint.rules.packs import RULES, BadPackError, PackReference, pack_files, parse_pack
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.location import read_location
from skillbag.supply.sources.source import Source


class FetchedPack(NamedTuple):
    """A pack as it came: its reference, a tree that may be removed, and the Python files in it that would run."""

    reference: PackReference
    root: str
    code: tuple[str, ...]


Confirm = Callable[[FetchedPack], bool]
"""Asks the user whether the code of a pack may run from now on."""


def pin(text: str, fetcher: Fetcher, root: str) -> PackReference:
    """A pinned reference for what a user writes: `ADDRESS[@VERSION][#subdirectory=PATH]`, or what is pinned already.

    `root` (absolute) is where relative paths begin.

    Raises:
        BadPackError: it is neither a git source nor a pinned distribution.
        BadSourceError, FetchError: the address can't be used or reached, or has no such version.
    """
    address, _, fragment = text.removeprefix("git+").partition("#subdirectory=")
    if "==" in text or not (text.startswith("git+") or any(mark in text for mark in "/:\\")):
        return _distribution(text)
    # A version stands behind the last `@` that is not in the part with a host.
    head, mark, version = address.rpartition("@")
    if not mark or ("/" not in head.partition("://")[2] and "://" in head) or ":" in version:
        head, version = address, ""
    location = read_location(head, root)
    source = _git_source(location.address, root)
    named, folder = location.version, location.folder
    if location.rest:
        named, folder = fetcher.split_reference(source, location.rest)
    commit = fetcher.latest(source, version or named)
    inside = fragment or folder
    return parse_pack(f"git+{source.declared}@{commit}{f'#subdirectory={inside}' if inside else ''}")


def _distribution(text: str) -> PackReference:
    from importlib.metadata import PackageNotFoundError, version

    if "==" not in text:
        try:
            found = version(text)
        except (PackageNotFoundError, ValueError):
            found = ""
        what = (
            f"write {text}=={found}, which is installed" if found else "no distribution of this name is installed here"
        )
        raise BadPackError(f"pack {text!r}: {what}; a pack from git is named by the address of its repository")
    return parse_pack(text)


def fetch_pack(reference: PackReference, fetcher: Fetcher, confirm: Confirm, root: str) -> bool:
    """Bring a pack from git to where checks look for it, if the user allows its code; whether it is there afterwards.

    Raises:
        BadPackError: it holds no rules.
        BadSourceError, FetchError, InvalidSourceError: it can't be fetched, or what it holds is hostile.
    """
    if os.path.isdir(reference.folder):
        return True
    source = replace(_git_source(reference.address, root), plain=True, entire=True)
    fetched = fetcher.fetch(source, commit=reference.pin)
    top = os.path.join(fetched.root, *reference.inside.split("/")) if reference.inside else fetched.root
    if os.path.islink(top) or not os.path.isdir(os.path.join(top, RULES)):
        where = reference.inside or "its root"
        raise BadPackError(
            f"pack {reference.text}: there is no folder {RULES!r} in {where}; #subdirectory=PATH names it"
        )
    code = tuple(os.path.relpath(path, top) for path in pack_files(top) if path.endswith(".py"))
    if code_of(top) is not None and not confirm(FetchedPack(reference, top, code)):
        return False
    _place(top, reference.folder)
    return True


def _git_source(address: str, root: str) -> Source:
    source = parse_source(address, root)
    if source.kind.is_in_place and os.path.exists(os.path.join(source.address, ".git")):
        raise BadPackError(f"{source.declared}: name the repository by its address, file://{source.address}")
    if not source.kind.has_revisions:
        raise BadPackError(f"{source.declared}: a rule pack is a git repository or an installed distribution")
    if source.credentials is not None:
        raise BadPackError(
            f"{source.declared}: a configuration holds no password; let git find it (a credential helper)"
        )
    return source


def _place(top: str, folder: str) -> None:
    """Copy a tree to `folder`, which appears whole, by one rename. Links are copied as links, and never followed."""
    parent = os.path.dirname(folder)
    os.makedirs(parent, mode=0o700, exist_ok=True)
    new = os.path.join(parent, f".{os.path.basename(folder)}-{os.urandom(4).hex()}")
    try:
        copy_folder(top, new)
        # Trees of the cache are read-only; a pack can be deleted.
        for current, _, _ in os.walk(new):
            os.chmod(current, 0o700)
        with contextlib.suppress(FileExistsError):
            move(new, folder)
    finally:
        delete(new)
