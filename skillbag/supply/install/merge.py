"""The three-way merge of a skill's folder: the user's edits and upstream's, from their common version."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import NamedTuple

from skillbag.kernel.fs.changes import delete, write_new
from skillbag.kernel.fs.folded_names import folded
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.kernel.workspace.tree import FILE, LINK, TreeEntry
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.install.difference import locked_folder
from skillbag.supply.install.git_texts import merge_texts
from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.install.plan import MergedSkill
from skillbag.supply.install.resolve import Chosen
from skillbag.supply.install.state import InstalledState
from skillbag.supply.install.versions import (
    Version,
    entries,
    is_text,
    read_version,
    same,
    same_content,
    with_ends_of,
    with_lf,
)
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.folder import check
from skillbag.supply.sources.skill_layout import skill_folder


class _Decision(NamedTuple):
    """The merged version of a path (None: it is removed); `why` is empty if there is no conflict."""

    version: Version | None
    why: str = ""


def merge_folders(
    base: str, ours: str, theirs: str, to: str, *, upstream: str = "upstream", markers: bool = False
) -> dict[str, str]:
    """Write the merge of the skill folders `ours` and `theirs`, which both came from `base`, to the new folder `to`.

    Returns what conflicts, by path (relative, with `/`), sorted. A renamed file counts as removed and added. Line
    endings are those of `ours`. With conflicts, `to` is made only if `markers` is set: conflicting lines are marked
    (those of `theirs` as `upstream`), and what has no lines (binary files, links, what one side removed) is as in
    `ours`.

    Raises:
        FileExistsError: `to` exists; it is left alone.
        OSError: a folder can't be read, `to` can't be written (and was deleted), or git can't be run.
    """
    sides = [entries(folder) for folder in (base, ours, theirs)]
    decisions: dict[str, _Decision] = {}
    for path in sorted(set().union(*sides)):
        old, mine, other = (read_version(side[path]) if path in side else None for side in sides)
        decisions[path] = _decide(old, mine, other, upstream)
    decisions |= _clashes(decisions, sides[1])
    conflicts = {path: decision.why for path, decision in decisions.items() if decision.why}
    if markers or not conflicts:
        _write_all(to, {path: decision.version for path, decision in decisions.items()})
    return conflicts


def _decide(base: Version | None, ours: Version | None, theirs: Version | None, upstream: str) -> _Decision:
    if same(theirs, base) or same(ours, theirs):
        return _Decision(ours)
    if same(ours, base):
        if ours and base and theirs and ours.data != base.data and _texts(ours, theirs):
            # Only line endings were changed here: they are kept.
            theirs = theirs._replace(data=with_ends_of(ours.data, theirs.data))
        return _Decision(theirs)
    if ours is None or theirs is None:
        gone, there = ("here", "upstream") if ours is None else ("upstream", "here")
        return _Decision(ours, f"it was removed {gone} and changed {there}")
    if ours.kind != theirs.kind:
        return _Decision(ours, f"it is a {ours.kind} here and a {theirs.kind} upstream")
    # Content and executable bit are merged separately. New files are not executable by default.
    was = base is not None and base.executable
    executable = theirs.executable if ours.executable == was else ours.executable
    data, why = _decide_data(base, ours, theirs, upstream)
    return _Decision(ours._replace(data=data, executable=executable), why)


def _texts(*versions: Version) -> bool:
    return all(version.kind == FILE and is_text(version.data) for version in versions)


def _decide_data(base: Version | None, ours: Version, theirs: Version, upstream: str) -> tuple[bytes, str]:
    """The merged data of two versions of one kind, and why they conflict, if they do."""
    if same_content(ours, theirs) or same_content(theirs, base):
        return ours.data, ""
    if same_content(ours, base):
        return with_ends_of(ours.data, theirs.data) if _texts(ours, theirs) else theirs.data, ""
    if ours.kind == LINK:
        return ours.data, f"it leads to {os.fsdecode(ours.data)} here and to {os.fsdecode(theirs.data)} upstream"
    if not _texts(ours, theirs):
        return ours.data, "it is binary and was changed here and upstream"
    beginning = with_lf(base.data) if base and _texts(base) else b""
    merged, places = merge_texts(beginning, with_lf(ours.data), with_lf(theirs.data), upstream)
    why = f"{places} {'place was' if places == 1 else 'places were'} changed here and upstream" if places else ""
    return with_ends_of(ours.data, merged), why


def _clashes(decisions: Mapping[str, _Decision], ours: Mapping[str, TreeEntry]) -> dict[str, _Decision]:
    """Conflicts of new upstream paths with the user's: a file and a folder, or names that some systems treat as one.

    The upstream version is left out.
    """
    kept = [path for path, decision in decisions.items() if decision.version and path in ours]
    files = {folded(path): path for path in kept}
    folders = {folded(folder): folder for path in kept for folder in _parents(path)}
    found = {}
    for path, decision in decisions.items():
        if decision.version is None or path in ours:
            continue
        parent = next((files[key] for key in map(folded, _parents(path)) if key in files), None)
        if folded(path) in folders:
            found[path] = _Decision(None, f"it is a {decision.version.kind} upstream and a folder here")
        elif parent:
            found[path] = _Decision(None, f"{parent} is a folder upstream and a {ours[parent].kind} here")
        elif folded(path) in files:
            found[path] = _Decision(None, f"some systems take its name for {files[folded(path)]}, which is here")
    return found


def _parents(path: str) -> list[str]:
    """The folders above `path`, outermost first."""
    names = path.split("/")
    return ["/".join(names[:depth]) for depth in range(1, len(names))]


def _write_all(to: str, versions: Mapping[str, Version | None]) -> None:
    os.makedirs(to)
    try:
        for path, version in versions.items():
            if version:
                _write(os.path.join(to, *path.split("/")), version)
    except BaseException:
        delete(to)
        raise


def _write(path: str, version: Version) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if version.kind == LINK:
        os.symlink(os.fsdecode(version.data), path)
        return
    write_new(path, version.data, 0o777 if version.executable else 0o666)


def merge_skill(
    state: InstalledState, chosen: Chosen, markers: bool, fetcher: Fetcher, stack: ExitStack
) -> MergedSkill | None:
    """The merged skill, whose folder is deleted when `stack` is closed; None if the source has nothing newer.

    Raises:
        StoppedError: there are conflicts and no markers are wanted, or there is no common version.
    """
    import tempfile

    name, locked = chosen.name, state.locked(chosen.name)
    if locked is None or chosen.fetched is None:
        message = f"{name}: it is your own, so there is no common version to merge from"
        fix = f"--overwrite {name} takes the source's and keeps a copy."
        raise StoppedError(Problem(ProblemKind.QUESTION, message, fix=fix))
    theirs = skill_folder(chosen.fetched, name)
    if tree_hash(theirs) == locked.tree:
        return None
    base = locked_folder(state, name, locked, fetcher)
    top = stack.enter_context(tempfile.TemporaryDirectory(prefix="skillbag-merge-"))
    folder = os.path.join(top, SKILL_ROOT, name)
    os.mkdir(os.path.dirname(folder))
    upstream = f"upstream {(chosen.fetched.resolved or '')[:10]}".rstrip()
    conflicts = merge_folders(base, state.folder(name), theirs, folder, upstream=upstream, markers=markers)
    if conflicts and not markers:
        fix = "--accept markers writes both sides into the file, marked; or edit it yourself and merge again."
        problem = Problem(ProblemKind.QUESTION, "", clause="resolution.local-edits", fix=fix)
        raise StoppedError(
            *(
                problem._replace(message=f"{name}: {why}", path=f"{state.at(name)}/{path}")
                for path, why in conflicts.items()
            )
        )
    # The links of each side were checked, but not their combination.
    check(top)
    return MergedSkill(folder, tuple(conflicts))
