"""The files and settings that git's answers depend on, so that the answers can be cached."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import Unread, read
from skillbag.kernel.fs.trace import RECORDED, mark_uncacheable
from skillbag.kernel.workspace import programs

_ELSEWHERE = (b"include", b"excludesfile", b"worktree", b"attributesfile")
"""Words of a configuration that make git read files which are not tracked here."""

_INDEX = ".git/index"

_HARMLESS_NAMES = (
    "ASKPASS AUTHOR_ COMMITTER_ EDITOR EXEC_PATH HTTP_ PAGER PREFIX PROXY_ PS1_ REFLOG_ACTION SEQUENCE_EDITOR SSH SSL_"
    " TERMINAL_PROMPT TRACE"
)
_HARMLESS = tuple([f"GIT_{name}" for name in _HARMLESS_NAMES.split()])
"""Prefixes of variables that do not affect what git tracks and ignores."""


def settings() -> list[tuple[str, str]]:
    """The variables of the environment that may change git's answers."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    if variables.get("GIT_INDEX_FILE") == _INDEX:
        # git sets it for the hooks of an ordinary commit.
        del variables["GIT_INDEX_FILE"]
    return sorted((name, value) for name, value in variables.items() if not name.startswith(_HARMLESS))


def note_state(top: str, paths: Iterable[str]) -> None:
    """Track what decides whether git tracks or ignores `paths` in the repository at `top`.

    Where that is unknown (settings in the environment or in further files, a separate work tree), the answer is marked
    as not cacheable.
    """
    if RECORDED.get() is None:
        return
    if settings() or not _is_plain(top):
        mark_uncacheable()
        return
    _read(f"{top}/.git/HEAD")
    tracked.version(f"{top}/{_INDEX}")
    for path in {*ignore_files(top, paths), f"{top}/.git/info/exclude", *_of_user("ignore")}:
        # git does not follow links to these files.
        tracked.exists(path)
        _read(path)
    for path in (f"{top}/.git/config", os.path.expanduser("~/.gitconfig"), *_of_user("config"), *_of_system()):
        config = _read(path).lower()
        if any(word in config for word in _ELSEWHERE):
            mark_uncacheable()


def index_may_have(top: str, name: bytes) -> bool:
    """Whether the index of the repository at `top` may have a path with `name` in it: quicker than to ask git for all.

    True where its form is another one than a plain list of whole paths (gitformat-index).
    """
    if settings() or not _is_plain(top):
        return True
    index = read(f"{top}/{_INDEX}", os.sep)
    if not isinstance(index, bytes):
        return index.reason is not Unread.MISSING
    return name in index or index[4:8] not in _WHOLE_PATHS or any(mark in index for mark in _FURTHER)


_WHOLE_PATHS = (b"\0\0\0\2", b"\0\0\0\3")
"""The versions of an index whose entries have whole paths."""

_FURTHER = (b"link\0\0", b"sdir\0\0")
"""How the extensions of an index begin that is split, or has folders for their files."""


def _read(path: str) -> bytes:
    """The content of a file, empty if there is none."""
    data = read(path, os.sep)
    if isinstance(data, bytes):
        return data
    if data.reason is not Unread.MISSING:
        mark_uncacheable()
    return b""


def _is_plain(top: str) -> bool:
    """Whether the whole repository lies in `.git`."""
    # git answers the owner only.
    for path in (top, f"{top}/.git"):
        tracked.mode(path)
    parts = (tracked.is_folder(f"{top}/.git/{name}") for name in ("objects", "refs"))
    return all(parts) and tracked.exists(f"{top}/.git/HEAD") and not tracked.exists(f"{top}/.git/commondir")


def ignore_files(top: str, paths: Iterable[str]) -> Iterator[str]:
    """The ignore files of the folders around each path, in the repository at `top`."""
    for path in paths:
        folder = path
        while folder != top and len(folder) > len(top):
            folder = os.path.dirname(folder)
            yield os.path.join(folder, ".gitignore")


def _of_user(name: str) -> Iterator[str]:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    yield os.path.join(home, "git", name)


def _of_system() -> Iterator[str]:
    """The configuration of the machine; tracks the program as well, since another one may answer differently."""
    yield "/etc/gitconfig"
    program = programs.find("git")
    if program is not None:
        yield os.path.join(os.path.dirname(os.path.dirname(program)), "etc", "gitconfig")
