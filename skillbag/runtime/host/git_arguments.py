"""Which arguments of `git diff` and `git log` a skill may give: a white list (skill runtime, section 7.2)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from skillbag.runtime.errors import BadParametersError
from skillbag.supply.sources.entry import quoted

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
