"""Find what to check: from the named paths to the targets that own them or lie below them."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import overlaid
from skillbag.kernel.workspace.kinds import folders_in, holder_of, kind_at, skill_file
from skillbag.kernel.workspace.target import AGENTS, ENTRYPOINT, SKILL_ROOT, HostFilePath, Target, TargetKind, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.searching import TargetSearch


class NothingToCheckError(UserError):
    """There is no target at a named `path`, or at all; the message says which kinds were searched."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class NoWorkspaceError(UserError):
    """There is no workspace to work in; the message says how to create one."""


def find_targets(
    paths: Iterable[str], kind: TargetKind | None = None, top: str | None = None, *, test_data: bool = False
) -> tuple[Target, ...]:
    """The targets of absolute `paths`: for each the innermost one that encloses it, and those below it.

    The search upward does not go above the folder `top`, nor above the repository that holds the path. `test_data`:
    what is in folders of test data counts as well.

    Raises:
        NothingToCheckError: a path does not exist, or there is no target of the kind at or around it.
        OSError: a path can't be looked at.
    """
    # Most commands only need the workspace around a folder, and neither the search nor git.
    from skillbag.kernel.workspace.searching import TargetSearch

    found: dict[tuple[TargetKind, str], Target] = {}
    searches: list[TargetSearch] = []
    beside: list[HostFilePath] = []
    for path in paths:
        if not overlaid(path) and not _is_there(path):
            raise NothingToCheckError(f"{path}: there is no such file or folder", path)
        enclosing, search = _around(path, kind, top), None
        if kind is None and enclosing and not enclosing.only and _is_beside_skills(path, enclosing):
            beside += TargetSearch(enclosing.root, kind, enclosing, test_data).around
        if kind in (None, TargetKind.SKILLS) and tracked.is_folder(path) and not (enclosing and enclosing.only):
            search = TargetSearch(path, kind, enclosing, test_data)
            searches.append(search)
        targets = [*([enclosing] if enclosing else ()), *(search.targets if search else ())]
        if not targets and not (search and search.around):
            wanted, step = _wanted(kind), _next_step(search, kind)
            raise NothingToCheckError(f"{path}: nothing to check here; looked for {wanted}. {step}", path)
        for target in targets:
            key = (target.kind, tracked.real(target.root))
            found[key] = _merge(found[key], target) if key in found else target
    distinct = [_without_links(target, list(found.values())) for target in found.values()]
    targets = sorted(filter(None, distinct), key=lambda target: (target.root, target.kind))
    return tuple(
        _with_around(
            _with_aside(targets, [*found.values()], searches),
            [*beside, *(file for search in searches for file in search.around)],
        )
    )


def _is_beside_skills(path: str, target: Target) -> bool:
    """Whether the path is a part of the target that is none of its skills, nor the whole."""
    return path != target.root and not any(tracked.within(root, path) for root in target.skill_roots)


def _with_around(targets: list[Target], files: Iterable[HostFilePath]) -> list[Target]:
    """The targets, each with the files around skills that are nearest to it; those below no root are a target."""
    around: dict[int, list[HostFilePath]] = {}
    alone: dict[str, list[HostFilePath]] = {}
    for file in dict.fromkeys(files):
        inside = [number for number, target in enumerate(targets) if file.path.startswith(target.root + os.sep)]
        if inside:
            around.setdefault(max(inside, key=lambda number: len(targets[number].root)), []).append(file)
        else:
            alone.setdefault(file.root, []).append(file)
    known = [target._replace(around=tuple(around.get(number, ()))) for number, target in enumerate(targets)]
    return [*known, *(Target(TargetKind.SKILLS, root, (), around=tuple(files)) for root, files in alone.items())]


def _with_aside(targets: list[Target], found: list[Target], searches: list[TargetSearch]) -> list[Target]:
    """The targets, each with the skills below its root that are set apart; the first one gets those below no root.

    `found` are all targets, including those that only show the skills of others.
    """
    from skillbag.kernel.workspace.searching import not_judged

    aside: dict[int, list[tuple[str, str]]] = {}
    for path, reason in not_judged(searches, found):
        around = [number for number, target in enumerate(targets) if path.startswith(target.root + os.sep)]
        owner = max(around, key=lambda number: len(targets[number].root), default=0)
        aside.setdefault(owner, []).append((path, reason))
    return [target._replace(aside=tuple(aside.get(number, ()))) for number, target in enumerate(targets)]


def _without_links(target: Target, targets: list[Target]) -> Target | None:
    """The plain target without links to skills of others and copies of `skillbag agent link`; None if it is empty."""
    if target.kind is not TargetKind.SKILLS or target.only or len(targets) == 1:
        return target
    copies = _copies(other.root for other in targets if other.kind is TargetKind.WORKSPACE)
    taken = {tracked.real(root) for other in targets if other is not target for root in other.skill_roots}
    folders = [*target.loose, *(path for root in target.skill_roots for path in folders_in(root))]
    own = [path for path in folders if path not in copies and not _leads_into(path, taken)]
    if len(own) == len(folders):
        return target
    if target.listed and not own:
        return target._replace(skill_roots=(), loose=())
    return target._replace(only=tuple(sorted(own))) if own else None


def _leads_into(path: str, folders: set[str]) -> bool:
    link = tracked.link(path)
    if link is None:
        return False
    # The link may lead to another link, and the skill lie elsewhere.
    target = os.path.join(os.path.dirname(path), link)
    return not folders.isdisjoint({tracked.real(os.path.dirname(target)), os.path.dirname(tracked.real(path))})


def _copies(roots: Iterable[str]) -> set[str]:
    """The absolute paths of the copies in the locks of these workspaces; a rule compares them with their skills."""
    # Most commands only look for a workspace, and do not need the reader of locks.
    from skillbag.kernel.workspace.lock_file import BadLockError, read_lock

    found: set[str] = set()
    for root in roots:
        with contextlib.suppress(BadLockError):
            lock = read_lock(root)
            made = lock.links.made if lock and lock.links else {}
            found |= {os.path.join(root, *path.split("/")) for path, tree in made.items() if tree}
    return found


def _wanted(kind: TargetKind | None) -> str:
    if kind is None:
        return (
            "a workspace (SKILLBAG.md or .skills/), a source (AGENTS.md that says SKILLBAG), "
            "or Agent Skills (skills/*/SKILL.md, .claude/skills/*/SKILL.md and the like)"
        )
    if kind is TargetKind.SKILLS:
        return "Agent Skills: folders with a SKILL.md"
    return f"a {kind.value}: {ENTRYPOINT}, {AGENTS} or {SKILL_ROOT}/"


def _is_there(path: str) -> bool:
    """Whether anything is at `path`; raises the system's error where that is unknown, or a folder can't be opened."""
    if tracked.exists(path):
        if tracked.is_folder(path):
            tracked.entries(path)
        return True
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _merge(one: Target, other: Target) -> Target:
    only = tuple(sorted({*one.only, *other.only})) if one.only and other.only else ()
    roots, loose = {*one.skill_roots, *other.skill_roots}, {*one.loose, *other.loose}
    listed = tuple(dict.fromkeys((*one.listed, *other.listed)))
    return Target(one.kind, one.root, tuple(sorted(roots)), only, tuple(sorted(loose)), listed=listed)


def _next_step(search: TargetSearch | None, kind: TargetKind | None) -> str:
    """What to do where there is no target: some skills are only checked when they are named."""
    skills = [folder for folder in search.skills if folder != search.top] if search else []
    if not skills:
        step = "Name the folder that has skills"
        return step if kind else f"{step}; skillbag init makes this one a workspace"
    holders = Counter(map(os.path.dirname, skills))
    folder = min(holders, key=lambda folder: (-holders[folder], folder))
    are = "skill is" if len(skills) == 1 else "skills are"
    return (
        f"{len(skills)} {are} in folders that are hidden, ignored, or for tests and samples, such as {folder}: name it"
    )


def _around(path: str, kind: TargetKind | None, top: str | None) -> Target | None:
    """The target that the path lies in."""
    folder = path if tracked.is_folder(path) else os.path.dirname(path)
    for root in upward(folder, top):
        if kind is TargetKind.WORKSPACE or kind is TargetKind.SOURCE:
            if any(tracked.exists(os.path.join(root, name)) for name in (ENTRYPOINT, AGENTS, SKILL_ROOT)):
                return installed(kind, root)
            continue
        if kind is None and (own := kind_at(root)):
            return installed(own, root)
        parent = os.path.dirname(root)
        # A skill in `.skills/` is a plain one only if plain skills are requested.
        if skill_file(root) and (kind is TargetKind.SKILLS or os.path.basename(parent) != SKILL_ROOT):
            return Target(TargetKind.SKILLS, holder_of(parent) or root, (parent,), (root,))
    return None


def upward(folder: str, top: str | None) -> Iterator[str]:
    """`folder` and its parents, up to the repository around it; a skill may be a repository of its own."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        within = os.path.basename(parent) == SKILL_ROOT
        if folder in (parent, top) or (tracked.exists(os.path.join(folder, ".git")) and not within):
            return
        folder = parent


def workspace_root(folder: str) -> str:
    """The root of the workspace around the absolute `folder`.

    Raises:
        NoWorkspaceError: there is none, or it is a source.
    """
    root = enclosing_root(folder)
    if root is None:
        raise NoWorkspaceError(
            f"{folder}: no workspace is here ({ENTRYPOINT} or {SKILL_ROOT}/): skillbag init makes one"
        )
    if kind_at(root) is not TargetKind.WORKSPACE:
        raise NoWorkspaceError(f"{root}: this is a source, not a workspace: skillbag init makes one elsewhere")
    log_step("works in {}: the workspace around {}", root, folder)
    return root


def enclosing_root(folder: str) -> str | None:
    """The root of the workspace or source that holds the absolute `folder`."""
    return next((root for root in upward(folder, None) if kind_at(root)), None)
