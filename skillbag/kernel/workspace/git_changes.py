"""What changed in a repository: with the next commit, after it, or since the merge base with another commit.

git runs no hook, monitor or external diff, and no filter, whose commands a repository's own configuration may name.
Earlier contents are read raw.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.past import Past
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.git import ask, repository

STAGED, SINCE = "--staged", "--changed-since"

_RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=dirty")
_LINK, _SUBMODULE = "120000", "160000"
_AT_ONCE = 64
"""Contents that one process of git is asked for."""
_COMMITS, _VERSIONS = 2_000, 100
"""How many of the last commits, and of the versions of a file in them, are searched: bounds the time."""


class NoChangesKnownError(UserError):
    """git can't say what changed; the message says why."""


class GitChanges(NamedTuple):
    """What changed in one repository: absolute real paths, each with the mode and the object of the earlier state.

    The mode is 0 where there was none. `folders` are repositories within it: all that is in them counts as changed.
    `links` says whether there are links in the repository.
    """

    top: str
    files: Mapping[str, tuple[int, str]]
    folders: tuple[str, ...] = ()
    links: bool = True


def past_before(changes: Iterable[GitChanges]) -> Past:
    """The disk before the changes of all these repositories."""
    modes: dict[str, int] = {}
    contents: dict[str, _Contents] = {}
    for each in changes:
        modes.update((path, mode) for path, (mode, _) in each.files.items())
        objects = {path: name for path, (mode, name) in each.files.items() if mode}
        contents |= dict.fromkeys(objects, _Contents(each.top, objects))
    return Past(modes, lambda path: contents[path].of(path))


def staged_changes(folder: str) -> GitChanges:
    """What the next commit changes, in the repository around `folder`.

    Raises:
        NoChangesKnownError: there is no repository, or git fails.
    """
    top = _top(folder, STAGED)
    output = ask(top, ["diff", "--cached", *_RAW])
    if output is None:
        raise NoChangesKnownError(f"{folder}: {STAGED}: git could not compare the index with the last commit")
    return _changes(top, output, b"")


def unstaged_changes(folder: str) -> GitChanges:
    """How the files differ from the index, in the repository around `folder`; the earlier state is the index.

    Files that git ignores, and those of submodules, are left out: they have no state but that on the disk.

    Raises:
        NoChangesKnownError: there is no repository, or git fails.
    """
    top = _top(folder, STAGED)
    output = ask(top, ["diff", *_RAW], variables=_without_filters(top))
    listed = ask(top, ["ls-files", "-z", "-t", "--others", "--exclude-standard"])
    if output is None or listed is None:
        raise NoChangesKnownError(f"{folder}: {STAGED}: git could not compare the files with the index")
    changes = _changes(top, output, listed)
    # What is in conflict has no content in the index.
    conflicts = {_place(changes.top, entry.name) for entry in _raw_entries(output) if entry.status == "U"}
    return changes._replace(files={path: was for path, was in changes.files.items() if path not in conflicts})


def changes_since(folder: str, ref: str) -> GitChanges:
    """What changed since the merge base with the commit `ref`, in the repository around `folder`: committed or not.

    Files that git ignores are left out.

    Raises:
        NoChangesKnownError: there is no repository, no such commit or no merge base, or git fails.
    """
    top = _top(folder, SINCE)
    base = _merge_base(top, ref)
    output = ask(top, ["diff", *_RAW, base, "--"], variables=_without_filters(top))
    listed = ask(top, ["ls-files", "-z", "-t", "--cached", "--stage", "--others", "--exclude-standard"])
    if output is None or listed is None:
        raise NoChangesKnownError(f"{folder}: {SINCE} {ref}: git could not compare the files with commit {base[:12]}")
    return _changes(top, output, listed)


def _top(folder: str, option: str) -> str:
    top = repository(folder)
    if top is None:
        raise NoChangesKnownError(f"{folder}: {option} needs a git repository around it, and git itself")
    if ask(top, ["--version"]) is None:
        raise NoChangesKnownError(f"{option} needs git; install it")
    return top


def _merge_base(top: str, ref: str) -> str:
    if not ref or ref.startswith("-") or not ref.isprintable():
        raise NoChangesKnownError(f"{SINCE} {ref!r} is no name of a commit: give a branch, a tag or a commit's hash")
    found = ask(top, ["merge-base", ref, "HEAD"])
    if found:
        return found.decode("ascii", "replace").strip()
    if ask(top, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) is None:
        raise NoChangesKnownError(f"{SINCE} {ref}: {top} has no commit yet, or git may not read it (safe.directory)")
    if ask(top, ["rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"]) is None:
        raise NoChangesKnownError(
            f"{SINCE} {ref}: there is no such commit in {top}: run git fetch first, or check the name"
            " (GitHub Actions: actions/checkout with fetch-depth: 0)"
        )
    if (ask(top, ["rev-parse", "--is-shallow-repository"]) or b"").strip() == b"true":
        raise NoChangesKnownError(
            f"{SINCE} {ref}: this clone is shallow, and the common commit of {ref} and HEAD is not in it:"
            " run git fetch --unshallow (GitHub Actions: actions/checkout with fetch-depth: 0)"
        )
    raise NoChangesKnownError(f"{SINCE} {ref}: it has no commit in common with HEAD")


def _without_filters(top: str) -> dict[str, str]:
    """Variables that switch off each program that files would be converted with."""
    drivers = set()
    for name in (ask(top, ["config", "--null", "--name-only", "--get-regexp", r"^filter\."]) or b"").split(b"\0"):
        driver, _, key = os.fsdecode(name).rpartition(".")
        if key in ("clean", "process", "smudge"):
            drivers.add(driver)
    pairs = [
        (f"{driver}.{key}", value)
        for driver in sorted(drivers)
        for key, value in (("clean", ""), ("process", ""), ("smudge", ""), ("required", "false"))
    ]
    number = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(number) if number.isdecimal() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(pairs))} if pairs else {}
    for at, (setting, value) in enumerate(pairs, first):
        variables |= {f"GIT_CONFIG_KEY_{at}": setting, f"GIT_CONFIG_VALUE_{at}": value}
    return variables


def _changes(top: str, output: bytes, listed: bytes) -> GitChanges:
    real = os.path.realpath(top)
    files: dict[str, tuple[int, str]] = {}
    folders = []
    links = False
    for each in _raw_entries(output):
        modes = (each.mode, each.later)
        if _SUBMODULE in modes:
            folders.append(_place(real, each.name))
        else:
            files[_place(real, each.name)] = (int(each.mode, 8), each.obj)
        links = links or _LINK in modes
    for entry in filter(None, listed.split(b"\0")):
        # `? name` is not tracked; `H mode object stage TAB name` is.
        if not entry.startswith(b"? "):
            links = links or entry[2:].startswith(_LINK.encode())
        elif entry.endswith(b"/"):
            folders.append(_place(real, entry[2:]))
        else:
            path = _place(real, entry[2:])
            files.setdefault(path, (0, ""))
            links = links or os.path.islink(path)
    return GitChanges(real, files, tuple(folders), links or not listed)


def _place(top: str, name: bytes) -> str:
    return os.path.join(top, *os.fsdecode(name).rstrip("/").split("/"))


class _RawEntry(NamedTuple):
    """An entry of `git diff --raw -z`: the modes and the objects, earlier and later, what happened, the name."""

    mode: str
    later: str
    obj: str
    later_obj: str
    status: str
    name: bytes


def _raw_entries(output: bytes) -> Iterator[_RawEntry]:
    parts = iter(output.split(b"\0")[:-1])
    for header in parts:
        mode, later, obj, later_obj, status = header.decode("ascii").removeprefix(":").split(" ")
        yield _RawEntry(mode, later, obj, later_obj, status, next(parts))


class _Contents:
    """Contents of objects by path, read some at a time; only the last of them are kept."""

    def __init__(self, top: str, objects: Mapping[str, str]) -> None:
        self._top, self._objects = top, objects
        self._order = sorted(objects)
        self._number = {path: number for number, path in enumerate(self._order)}
        self._kept: dict[str, bytes | int] = {}

    def of(self, path: str) -> bytes | int:
        """The content, or its size where it is more than `LIMIT`."""
        if path not in self._kept:
            first = self._number[path] // _AT_ONCE * _AT_ONCE
            paths = self._order[first : first + _AT_ONCE]
            found = _contents_of(self._top, [self._objects[each] for each in paths])
            self._kept = dict(zip(paths, found, strict=True))
        return self._kept[path]


def earlier_contents(folder: str, name: str) -> list[bytes]:
    """The contents of the file `name` of the folder in the last commits of its repository; none without git."""
    commits = ask(folder, ["rev-list", "--all", "--reflog", f"--max-count={_COMMITS}"])
    arguments = ["diff-tree", "--stdin", "--root", "-m", "-r", "--no-commit-id", *_RAW, "--", name]
    output = ask(folder, arguments, stdin=commits) if commits else None
    objects = dict.fromkeys(entry.later_obj for entry in _raw_entries(output or b""))
    return [text for text in _contents_of(folder, [*objects][:_VERSIONS]) if isinstance(text, bytes)] if objects else []


def _contents_of(folder: str, names: list[str]) -> Iterator[bytes | int]:
    """The content of each of these objects of git, or its size where it is more than `LIMIT`."""
    sizes = _sizes(folder, names)
    small = [name for name in dict.fromkeys(names) if sizes[name] <= LIMIT]
    output = ask(folder, ["cat-file", "--batch"], stdin=_lines(small)) or b""
    found: dict[str, bytes] = {}
    at = 0
    for name in small:
        start = output.find(b"\n", at) + 1
        at = start + sizes[name] + 1
        found[name] = output[start : at - 1]
    return (found.get(name, sizes[name]) for name in names)


def _sizes(folder: str, names: list[str]) -> dict[str, int]:
    """The size of each object; one that is missing, as in a partial clone, counts as too large."""
    output = ask(folder, ["cat-file", "--batch-check=%(objectsize)"], stdin=_lines(names)) or b""
    sizes = output.decode("ascii", "replace").splitlines()
    sizes += [""] * (len(names) - len(sizes))
    return {name: int(size) if size.isdigit() else LIMIT + 1 for name, size in zip(names, sizes, strict=True)}


def _lines(names: list[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("ascii")
