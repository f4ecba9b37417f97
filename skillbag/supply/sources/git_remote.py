"""The tags and branches that a remote git repository advertises, and their commits."""

from __future__ import annotations

import re
import tempfile

from skillbag.kernel.fs.changes import remove
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.cache import open_cache
from skillbag.supply.sources.fetched import FetchError, silent
from skillbag.supply.sources.git_command import REMOTE, Remote, reach, run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.git_repository import is_damaged, prepare, remembered_ref
from skillbag.supply.sources.task import FetchTask, GitTask

_MAX_SUGGESTIONS = 5
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def default_branch(task: FetchTask) -> str:
    """The name of the default branch; a FetchError if there is none."""
    if task.offline:
        raise task.failed("the name of its default branch is not in the cache; give a version, or leave --offline out")
    output = _ls_remote(task, "--symref", "--", REMOTE, "HEAD")
    match = re.search(r"^ref: refs/heads/(\S+)\tHEAD$", output, re.MULTILINE)
    if match is None:
        raise task.failed("it has no default branch; give a version")
    return match[1]


def tags(task: FetchTask, *options: str) -> tuple[str, ...]:
    """The names of the tags; the options are those of `git ls-remote`."""
    if task.offline:
        raise task.failed("its tags are not in the cache; leave --offline out")
    rows = _ls_remote(task, "--tags", "--refs", *options, "--", REMOTE).splitlines()
    return tuple(row.partition("\trefs/tags/")[2] for row in rows if "\trefs/tags/" in row)


def split_reference(task: FetchTask, rest: str) -> tuple[str, str]:
    """Split a reference and a path that are joined by `/`, at the longest tag or branch of the repository, or at a
    commit; without the network, at the longest one that was fetched before.

    Raises:
        FetchError: the repository can't be asked, or has no such tag, branch or commit.
    """
    names = rest.split("/")
    starts = ["/".join(names[:count]) for count in range(len(names), 0, -1)]
    if task.offline:
        known = {start for start in starts if remembered_ref(GitTask(*task).repository, start)}
    else:
        rows = _ls_remote(task, "--heads", "--tags", "--refs", "--", REMOTE).splitlines()
        known = {ref.split("/", 2)[2] for _, _, ref in (row.partition("\t") for row in rows) if ref.count("/") >= 2}
    found = next((start for start in starts if start in known), None)
    if found is None and _COMMIT.fullmatch(names[0].lower()):
        found = names[0]
    if found is None:
        raise task.failed(_unknown(rest, known, offline=task.offline))
    return found, rest[len(found) + 1 :]


def _unknown(rest: str, known: set[str], *, offline: bool) -> str:
    import difflib

    if offline:
        return f"the cache can't tell the version in {rest}; give it with --version as well, or leave --offline out"
    first = rest.partition("/")[0]
    near = difflib.get_close_matches(first, known, _MAX_SUGGESTIONS, 0.4) or sorted(known)[:_MAX_SUGGESTIONS]
    has = f"it has {', '.join(near)}" if near else "it has none at all"
    return f"{rest} begins with no tag, branch or commit of the repository; {has}"


def published_tags(address: str) -> tuple[str, ...]:
    """The tags of the git repository at an address, the newest version first, without using the cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache = open_cache(folder)
        task = FetchTask(parse_source(address, "/"), None, lambda: cache, offline=False, progress=silent)
        return tags(task, "--sort=-v:refname")


def advertised(task: GitTask) -> str | None:
    """The current commit of a tag or branch; names are resolved as by `git fetch`."""
    name = task.name
    rows = (line.split("\t") for line in _ls_remote(task, "--", REMOTE, name, f"{name}^{{}}").splitlines())
    heads = {row[1]: row[0] for row in rows if len(row) == 2}
    for pattern in ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}"):
        full = pattern.format(name)
        if full in heads and (full == "HEAD" or full.startswith("refs/")):
            # An annotated tag is listed twice, the second time as the commit that it marks.
            return heads.get(f"{full}^{{}}", heads[full])
    return None


def _ls_remote(given: FetchTask, *arguments: str) -> str:
    """The output of `git ls-remote`; a broken repository is made again."""
    task = GitTask(*given)
    with task.hold_repository():
        for is_last in (False, True):
            prepare(task.repository)
            try:
                output = run(task.repository, ["ls-remote", *arguments], reach(task.repository, task.source))
                return output.decode("utf-8", "replace")
            except GitError as error:
                if is_last or not is_damaged(task.repository):
                    raise task.failed(error.advice) from error
            remove(task.repository)
    raise AssertionError("unreachable")


def no_commit(task: GitTask, remote: Remote) -> FetchError:
    """The error for an unknown version; it lists similar ones first."""
    import difflib

    try:
        output = run(task.repository, ["ls-remote", "--heads", "--tags", "--refs", "--", REMOTE], remote)
    except GitError as error:
        return task.failed(error.advice)
    refs = [line.partition("\t")[2] for line in output.decode("utf-8", "replace").splitlines()]
    names = [ref.split("/", 2)[2] for ref in refs if ref.count("/") >= 2]
    if not names:
        return task.failed("it has no branch and no tag: it is empty, or no git repository")
    near = difflib.get_close_matches(task.name, names, _MAX_SUGGESTIONS, 0.4) or names[:_MAX_SUGGESTIONS]
    if task.wanted is None:
        return task.failed(f"it has no default branch; give a version, such as {', '.join(near)}")
    message = f"there is no tag, branch or commit {task.wanted}; it has {', '.join(near)}"
    gone = "If the commit was there before, the history was rewritten, or this is another repository"
    add = f"If that is a skill: skillbag add {without_credentials(task.source.declared)} {task.wanted}"
    return task.failed(f"{message}. {gone if task.is_exact else add}")
