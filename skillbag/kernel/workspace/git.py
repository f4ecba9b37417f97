"""Queries to the user's git. They have an answer without git or a repository, too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping

from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.kernel.workspace.git_state import ignore_files, index_may_have, note_state

_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_LOCAL = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_REPLACE_OBJECTS": "1"}
"""Variables that keep git from fetching what a partial clone lacks, with programs that its configuration names."""


def repository(folder: str) -> str | None:
    """The nearest folder at or above `folder` that holds a `.git`, or None."""
    while True:
        if tracked.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def is_tracked(path: str) -> bool:
    """Whether git tracks the file `path`."""
    past = other_disk.looked_back()
    if past and past.differs(path):
        return past.mode(path) != 0
    folder, name = os.path.split(path)
    top = repository(folder)
    if top is None:
        return False
    note_state(top, [path])
    return _git(folder, ["ls-files", "--error-unmatch", "--", name], b"") is not None


def may_track(folder: str, name: str) -> bool:
    """Whether git may track a path with `name` in it, in the repository around `folder`; git is not asked."""
    top = repository(folder)
    return top is not None and index_may_have(top, os.fsencode(name))


def tracked_below(folder: str, name: str, patterns: Iterable[str]) -> tuple[str, ...]:
    """The files that git tracks below `folder`, and that match a pattern of it (glob); relative, with `/`.

    `name` is in each such path: without it in git's index, git is not asked. Files that are deleted count as well.
    """
    top = repository(folder)
    if top is None or not may_track(folder, name):
        return ()
    note_state(top, [folder])
    found = _git(folder, ["ls-files", "-z", "--", *(f":(glob){pattern}" for pattern in patterns)], b"") or b""
    paths = [os.fsdecode(path) for path in found.split(b"\0")[:-1]]
    past = other_disk.looked_back()
    if past is None:
        return tuple(paths)
    return tuple([path for path in paths if not past.differs(at := os.path.join(folder, path)) or past.mode(at)])


def ignored(paths: Iterable[str]) -> frozenset[str]:
    """The absolute `paths` that git ignores, each in the repository that holds it.

    In the past, where an ignore file that may decide it has changed, a path counts as ignored unless the index has it:
    git reads the ignore files of today.
    """
    by_repository: dict[str, list[str]] = {}
    for path in paths:
        if top := repository(os.path.dirname(path)):
            by_repository.setdefault(top, []).append(path)
    found: set[str] = set()
    if past := other_disk.looked_back():
        for top, members in by_repository.items():
            unsure = {path for path in members if any(map(past.differs, ignore_files(top, [path])))}
            found.update(unsure - _in_index(top) if unsure else ())
            by_repository[top] = [path for path in members if path not in unsure]
    for top, members in by_repository.items():
        note_state(top, members)
        relative = [os.path.relpath(path, top) for path in members]
        output = _git(top, ["check-ignore", "-z", "--stdin"], b"\0".join(map(os.fsencode, relative)))
        answered = set((output or b"").split(b"\0"))
        found.update(path for path, name in zip(members, relative, strict=True) if os.fsencode(name) in answered)
    return frozenset(found)


def _in_index(top: str) -> set[str]:
    """The files that the index of the repository at `top` has, and the folders that they are in, as absolute paths."""
    found: set[str] = set()
    for name in (_git(top, ["ls-files", "-z"], b"") or b"").split(b"\0"):
        path = os.path.join(top, os.fsdecode(name)).rstrip(os.sep)
        while path != top and path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return found


def has_rule(path: str) -> bool:
    """Whether any rule of git matches the file at the absolute `path`, to ignore it or not to."""
    return bool(_uncacheable_git(os.path.dirname(path), ["check-ignore", "--verbose", "--", path]))


def exclude_file(folder: str) -> str | None:
    """The absolute path of a clone's own ignore file; None where git does not name it."""
    found = _uncacheable_git(folder, ["rev-parse", "--git-path", "info/exclude"])
    return os.path.normpath(os.path.join(folder, os.fsdecode(found.removesuffix(b"\n")))) if found else None


def has_setting(folder: str, name: str) -> bool:
    """Whether git's configuration in `folder` has a value for this setting."""
    return bool(_uncacheable_git(folder, ["config", "--get", name]))


def hooks_folder(folder: str) -> str | None:
    """The configured path of the hooks in the real `folder`; None for git's default."""
    found = _uncacheable_git(folder, ["config", "--null", "--path", "--get-all", "core.hooksPath"]) or b""
    values = found.split(b"\0")[:-2]  # without the value that `_git` sets
    return os.path.join(repository(folder) or folder, os.fsdecode(values[-1])) if values and values[-1] else None


def _uncacheable_git(folder: str, arguments: list[str]) -> bytes | None:
    mark_uncacheable()
    return _git(folder, arguments, b"")


def ask(
    folder: str, arguments: list[str], *, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> bytes | None:
    """git's output for a question that changes nothing and fetches nothing; None where it says no, or fails."""
    return _git(folder, arguments, stdin, {**_LOCAL, **(variables or {})})


def _git(folder: str, arguments: list[str], stdin: bytes, variables: Mapping[str, str] | None = None) -> bytes | None:
    # core.fsmonitor may name a program in the checked repository's own configuration: never run it.
    safe = ["-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"]
    command = ["git", "-C", folder, *safe, *arguments]
    environment = {**os.environ, **_ENVIRONMENT, **(variables or {})}
    log_step("runs git {} in {}", " ".join(arguments), folder)
    try:
        if hasattr(os, "posix_spawnp") and len(stdin) < _PIPE:
            return _spawned(command, environment, stdin)
        import subprocess

        done = subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            mark_uncacheable()
        return None
    return _answer(done.returncode, done.stdout)


def _answer(code: int, output: bytes) -> bytes | None:
    """git's output if it exits with 0; None for 1, which means no, and for a failure, which may be temporary."""
    if code not in (0, 1):
        mark_uncacheable()
    return output if code == 0 else None


_PIPE = 4096
"""Bytes that a pipe buffers on every system without a reader."""


def _spawned(command: list[str], environment: dict[str, str], stdin: bytes) -> bytes | None:
    """As `subprocess.run`, whose import takes longer than git itself."""
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    with os.fdopen(our_out, "wb") as write, os.fdopen(our_in, "rb") as read:
        try:
            actions = [
                (os.POSIX_SPAWN_DUP2, their_in, 0),
                (os.POSIX_SPAWN_DUP2, their_out, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ]
            child = os.posix_spawnp(command[0], command, environment, file_actions=actions)
        finally:
            os.close(their_in)
            os.close(their_out)
        with contextlib.suppress(BrokenPipeError):
            write.write(stdin)
            write.close()
        output = read.read()
    _, status = os.waitpid(child, 0)
    return _answer(os.waitstatus_to_exitcode(status), output)
