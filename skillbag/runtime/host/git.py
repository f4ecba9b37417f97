"""Git for skills: the diff, log and status of the workspace; commits and branches (skill runtime, section 7.2).

No hook, filter, external diff, text conversion or signer of the repository runs, and nothing is sent or fetched. What
lies outside of the workspace is left out, where that is only a part of the repository.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.host.git_repository import Repository, find_repository, run_git
from skillbag.supply.sources.entry import quoted

USUAL_COUNT = 100
"""Commits that `git_log` lists, unless the arguments say how many."""

_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")
_FIELDS = ("%H", "%an", "%aI", "%B")


class CommitInfo(NamedTuple):
    """A commit. `date` is ISO 8601; `message` is the whole one."""

    hash: str
    author: str
    date: str
    message: str


class FileStatus(NamedTuple):
    """A changed file (an untracked folder ends with `/`), relative to the workspace, and the two letters of git."""

    path: str
    status: str


def git_diff(workspace: str | None, arguments: Sequence[str]) -> str:
    """The text of `git diff`, with paths relative to the workspace.

    Raises:
        BadParametersError: an argument is not allowed. RuntimeFaultError: git fails, or there is no repository.
    """
    found, folder = _found(workspace)
    checked = check_arguments(DIFF, arguments)
    # Within submodules git would run with their configuration.
    options = [*_PLAIN, "--ignore-submodules=dirty", "--relative", *checked.options]
    return run_git(found, folder, ["diff", *options, *checked.revisions, "--", *checked.paths])


def git_log(workspace: str | None, arguments: Sequence[str]) -> list[CommitInfo]:
    """The commits that `git log` lists, `USUAL_COUNT` unless it is asked for more or fewer. Raises as `git_diff`."""
    found, folder = _found(workspace)
    checked = check_arguments(LOG, arguments)
    count = () if any(map(COUNT.fullmatch, checked.options)) else (f"-n{USUAL_COUNT}",)
    form = ["-z", f"--format=tformat:{'%x00'.join(_FIELDS)}", "--encoding=UTF-8", "--no-show-signature"]
    paths = checked.paths or (() if folder == found.top else (".",))
    options = [*_PLAIN, *form, *count, *checked.options]
    text = run_git(found, folder, ["log", *options, *checked.revisions, "--", *paths])
    fields = text.split("\0")[:-1]
    rows = zip(*(fields[number :: len(_FIELDS)] for number in range(len(_FIELDS))), strict=True)
    return [CommitInfo(*row)._replace(message=row[-1].strip("\n")) for row in rows]


def git_status(workspace: str | None) -> list[FileStatus]:
    """What `git status` says of the workspace; a renamed file is listed by its new name. Raises as `git_diff`."""
    found, folder = _found(workspace)
    form = ["--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"]
    prefix = posixpath.relpath(folder, found.top)
    return list(_statuses(run_git(found, folder, ["status", *form, "--", "."]), "" if prefix == "." else f"{prefix}/"))


def _statuses(text: str, prefix: str) -> Iterator[FileStatus]:
    entries = iter(text.split("\0")[:-1])
    for entry in entries:
        status, path = entry[:2], entry[3:]
        if "R" in status or "C" in status:
            # The old name follows.
            next(entries, None)
        yield FileStatus(path.removeprefix(prefix), status)


def git_add(workspace: str | None, paths: Sequence[str]) -> None:
    """Stage files or folders of the workspace. Raises as `git_diff`."""
    found, folder = _found(workspace)
    if not paths:
        raise BadParametersError("name the files to stage")
    run_git(found, folder, ["add", "--", *map(check_path, paths)])


def git_commit(workspace: str | None, message: str) -> str:
    """Commit what is staged, unsigned and without hooks; the hash of the commit. Raises as `git_diff`."""
    found, folder = _found(workspace)
    if not message.strip():
        raise BadParametersError("a commit needs a message")
    options = ["--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--file=-"]
    run_git(found, folder, ["commit", *options], message.encode("utf-8"))
    return run_git(found, folder, ["rev-parse", "HEAD"]).strip()


def git_branch(workspace: str | None, name: str) -> None:
    """Make a branch at the current commit; it is not switched to. Raises as `git_diff`."""
    found, folder = _found(workspace)
    run_git(found, folder, ["branch", "--no-track", "--", check_branch(name)])


def _found(workspace: str | None) -> tuple[Repository, str]:
    if workspace is None:
        raise RuntimeFaultError("there is no workspace, and so no repository")
    return find_repository(workspace), workspace


_WORDS = r"[^\x00-\x1f\x7f]{1,200}"

DIFF = re.compile(
    r"--(?:cached|staged|stat|numstat|shortstat|name-only|name-status|summary|merge-base|minimal|patience|histogram)"
    r"|--(?:ignore-all-space|ignore-space-change|ignore-blank-lines|find-renames|no-renames|word-diff|raw)"
    r"|-[bwMR]|-U\d{1,4}|--unified=\d{1,4}|--diff-filter=[A-Za-z]{1,20}"
)
"""Options of `git_diff`."""

LOG = re.compile(
    r"--(?:merges|no-merges|first-parent|reverse|all|branches|tags|regexp-ignore-case|fixed-strings|topo-order)"
    r"|-[iF]|-\d{1,6}|-n\d{1,6}|--(?:max-count|skip)=\d{1,6}"
    rf"|--(?:since|after|until|before|author|committer|grep)={_WORDS}"
)
"""Options of `git_log`."""

COUNT = re.compile(r"-\d+|-n\d+|--max-count=\d+")
"""The options that say how many commits are listed."""

_REVISION = re.compile(r"[A-Za-z0-9_@^][A-Za-z0-9_@^~{}/.+#=-]{0,250}")
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_/.+#-]{0,200}")


class GitArguments(NamedTuple):
    """Checked arguments: options, revisions or ranges of them, and paths."""

    options: tuple[str, ...]
    revisions: tuple[str, ...]
    paths: tuple[str, ...]


def check_arguments(options: re.Pattern[str], arguments: Sequence[str]) -> GitArguments:
    """Sort arguments; what stands after `--` is a path.

    Raises:
        BadParametersError: one of them is not in the list.
    """
    words = [*_joined(arguments)]
    split = words.index("--") if "--" in words else len(words)
    before = words[:split]
    for word in before:
        if word.startswith("-") and not options.fullmatch(word):
            raise BadParametersError(f"git's option {quoted(word)} is not one that skills may use")
    revisions = tuple(check_revision(word) for word in before if not word.startswith("-"))
    return GitArguments(
        tuple(word for word in before if word.startswith("-")),
        revisions,
        tuple(check_path(word) for word in words[split + 1 :]),
    )


def _joined(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments with `-n` and its number as one."""
    if "-n" in arguments and arguments.index("-n") + 1 < len(arguments):
        place = arguments.index("-n")
        return [*arguments[:place], f"-n{arguments[place + 1]}", *arguments[place + 2 :]]
    return arguments


def check_revision(word: str) -> str:
    """A revision or a range of them.

    Raises:
        BadParametersError: it is something else. A path is: two paths out of the repository would be compared.
    """
    if not _REVISION.fullmatch(word) or "/." in word or "./" in word:
        raise BadParametersError(
            f"{quoted(word)} is no revision such as HEAD~2 or main..topic; paths follow after `--`"
        )
    return word


def check_path(word: str) -> str:
    """A path within the workspace, relative.

    Raises:
        BadParametersError: it is something else.
    """
    if not word or os.path.isabs(word) or ".." in word.split("/"):
        raise BadParametersError(f"{quoted(word)} is no path within the workspace; write it relative, without `..`")
    return word


def check_branch(name: str) -> str:
    """A name for a branch; git checks the details.

    Raises:
        BadParametersError: it can't be one.
    """
    if not _BRANCH.fullmatch(name) or name == "HEAD":
        raise BadParametersError(f"{quoted(name)} is no name for a branch")
    return name
