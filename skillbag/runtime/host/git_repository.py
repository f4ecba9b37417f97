"""The repository of a workspace, read without its own configuration (skill runtime, section 7.2).

A repository's configuration names programs: filters, external diffs, monitors, signers. It may have come in an archive.
git has no option to ignore it, but takes what worktrees share from another folder, `GIT_COMMON_DIR`. So git gets one of
our own, with links to the objects and references and a configuration in which only harmless settings are left. The
user's own configuration counts.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.fs.confined import read_beneath
from skillbag.kernel.processes.bounded import CommandLimits, CommandLine, Excess, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.kernel.workspace.git import repository
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError, TimeLimitError
from skillbag.supply.sources.git_command import SAFE, silent_environment
from skillbag.supply.sources.git_errors import GitError, clean

SECONDS = 30.0
"""Limit of one git command, in seconds."""

LARGEST = 1 << 20
"""Most output of one git command, in bytes (1 MiB)."""

_SHARED = ("objects", "refs", "packed-refs", "logs", "info", "shallow")
"""What is shared by worktrees, and names no program."""

_KEPT = frozenset(
    {
        *("core.repositoryformatversion", "core.filemode", "core.symlinks", "core.ignorecase", "core.autocrlf"),
        *("core.eol", "core.precomposeunicode", "extensions.objectformat", "user.name", "user.email"),
    }
)
"""Settings of the repository that count."""

_POINTER = 4096
_NONE = "none"


class Repository(NamedTuple):
    """The root of the work tree, git's folder of it, and the folder that its worktrees share; all real paths."""

    top: str
    folder: str
    common: str


def find_repository(workspace: str) -> Repository:
    """The repository around the real folder `workspace`.

    Raises:
        NotFoundError: there is none. RuntimeFaultError: its `.git` leads to a folder that does not belong to it.
    """
    top = repository(workspace)
    if top is None:
        raise NotFoundError("the workspace is in no git repository")
    dot = os.path.join(top, ".git")
    if os.path.isdir(dot) and not os.path.islink(dot):
        return _checked(Repository(top, dot, dot))
    try:
        pointer = read_beneath(top, ".git", _POINTER).decode("utf-8", "surrogateescape")
        folder = os.path.realpath(os.path.join(top, pointer.removeprefix("gitdir: ").rstrip("\n")))
        for found in (_worktree(top, folder), _submodule(top, folder)):
            if found:
                return _checked(found)
    except (OSError, ValueError):
        pass
    raise RuntimeFaultError(f"{dot} leads to a folder of git that does not belong to this work tree")


def _worktree(top: str, folder: str) -> Repository | None:
    """A linked worktree: its folder lies among the worktrees of a repository, and points back."""
    try:
        back = _line(folder, "gitdir")
        common = os.path.realpath(os.path.join(folder, _line(folder, "commondir")))
    except OSError:
        return None
    is_own = os.path.realpath(os.path.join(folder, back)) == os.path.join(top, ".git")
    return Repository(top, folder, common) if is_own and os.path.dirname(folder) == f"{common}/worktrees" else None


def _submodule(top: str, folder: str) -> Repository | None:
    """A submodule: its folder lies in that of the repository around it."""
    around = repository(os.path.dirname(top))
    is_within = around is not None and folder.startswith(os.path.join(os.path.realpath(around), ".git", "modules", ""))
    return Repository(top, folder, folder) if is_within else None


def _line(folder: str, name: str) -> str:
    return read_beneath(folder, name, _POINTER).decode("utf-8", "surrogateescape").rstrip("\n")


def _checked(found: Repository) -> Repository:
    """Refuse objects and references that are links: they would be another repository's."""
    for name in _SHARED:
        if os.path.islink(os.path.join(found.common, name)):
            raise RuntimeFaultError(f"{name} of the repository is a link, which is not followed")
    return found


def run_git(repository: Repository, folder: str, arguments: list[str], stdin: bytes = b"") -> str:
    """Run git in the real `folder` of the work tree; its output.

    Raises:
        RuntimeFaultError: git fails, is missing, or says more than `LARGEST` bytes. TimeLimitError: it takes too long.
    """
    with _shared(repository) as common:
        environment = silent_environment() | {
            "GIT_DIR": repository.folder,
            "GIT_COMMON_DIR": common,
            "GIT_WORK_TREE": repository.top,
            # Nothing is fetched: not what a partial clone lacks, from wherever its configuration says.
            "GIT_ALLOW_PROTOCOL": _NONE,
            "GIT_EDITOR": ":",
            "GIT_LITERAL_PATHSPECS": "1",
        }
        return _run(["git", "--no-pager", *_options(SAFE), *arguments], environment, folder, stdin)


def _options(settings: tuple[str, ...]) -> list[str]:
    return [word for setting in settings for word in ("-c", setting)]


def _run(words: list[str], environment: Mapping[str, str], folder: str, stdin: bytes = b"") -> str:
    errors = OutputLimit(0, 8192)
    try:
        command = CommandLine(words, environment, stdin, folder)
        ended = run_bounded(command, CommandLimits(SECONDS, OutputLimit(LARGEST, 0, ends=True), errors))
    except FileNotFoundError as error:
        raise NotFoundError("there is no git on this machine; install it") from error
    if ended.excess is Excess.TIME:
        raise TimeLimitError(f"git took longer than {SECONDS:g} s and was ended")
    if ended.excess is Excess.OUTPUT:
        raise RuntimeFaultError(f"git says more than {LARGEST >> 20} MiB; ask for less, such as one path")
    if ended.code:
        said = GitError(clean(ended.errors.data, ()))
        raise RuntimeFaultError(str(said) or f"git ended with exit code {ended.code}")
    return ended.output.text()


@contextlib.contextmanager
def _shared(repository: Repository) -> Iterator[str]:
    """A folder that stands for `repository.common`, with our configuration."""
    with tempfile.TemporaryDirectory(prefix="skillbag-git-") as made:
        common = os.path.realpath(made)
        for name in _SHARED:
            if os.path.exists(source := os.path.join(repository.common, name)):
                os.symlink(source, os.path.join(common, name))
        text = "".join(_configuration(repository))
        write_new(os.path.join(common, "config"), text.encode("utf-8", "surrogateescape"))
        yield common


def _configuration(repository: Repository) -> Iterator[str]:
    """The lines of our configuration: the settings of the repository that count."""
    path = os.path.join(repository.common, "config")
    if not os.path.isfile(path) or os.path.islink(path):
        raise RuntimeFaultError("the repository has no configuration; is it damaged?")
    listing = ["git", "config", "--file", path, "--no-includes", "--null", "--list"]
    for entry in _run(listing, silent_environment(), repository.common).split("\0"):
        name, _, value = entry.partition("\n")
        if name == "extensions.refstorage" and value != "files":
            raise RuntimeFaultError(f"references stored as {value!r} can't be read here")
        if name in _KEPT:
            section, _, key = name.partition(".")
            quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            yield f'[{section}]\n\t{key} = "{quoted}"\n'
