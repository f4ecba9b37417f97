"""Finding what is to be checked: from the paths that were named to the targets that own them or lie below them."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from skillbag.base.errors import UserError
from skillbag.fs import tracked
from skillbag.fs.read import overlaid
from skillbag.workspace.kinds import folders_in, has_skill_file, holder_of, kind_at
from skillbag.workspace.target import AGENTS, ENTRYPOINT, SKILL_ROOT, Kind, Target, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.workspace.searching import Search

SOUGHT = (
    "a workspace (SKILLBAG.md or .skills/), a source (AGENTS.md that says SKILLBAG), "
    "or Agent Skills (skills/*/SKILL.md, .claude/skills/*/SKILL.md and the like)"
)


class NothingToCheckError(UserError):
    """There is no target at a named path; the message says what was looked for."""


class NoWorkspaceError(UserError):
    """There is no workspace to work in; the message says how to make one."""


def find_targets(paths: Iterable[str], kind: Kind | None = None, top: str | None = None) -> tuple[Target, ...]:
    """The targets of absolute `paths`: for each the innermost one that encloses it, and those below it.

    The search upward does not go above the folder `top`, nor above the repository that holds the path.

    Raises:
        NothingToCheckError: a path does not exist, or there is no target of the kind at or around it.
        OSError: a path can't be looked at.
    """
    # Who only asks for the workspace around a folder needs no search, nor the git that it asks.
    from skillbag.workspace.searching import Search

    found: dict[tuple[Kind, str], Target] = {}
    searches: list[Search] = []
    for path in paths:
        if not overlaid(path) and not _is_there(path):
            raise NothingToCheckError(f"{path}: there is no such file or folder")
        enclosing, search = _around(path, kind, top), None
        if kind in (None, Kind.SKILLS) and tracked.is_folder(path) and not (enclosing and enclosing.only):
            search = Search(path, kind, enclosing)
            searches.append(search)
        targets = [*([enclosing] if enclosing else ()), *(search.targets if search else ())]
        if not targets:
            hint = _hint(search) if search else ""
            raise NothingToCheckError(f"{path}: nothing to check here; looked for {_sought(kind)}{hint}")
        for target in targets:
            key = (target.kind, tracked.real(target.root))
            found[key] = _merge(found[key], target) if key in found else target
    alone = [_without_links(target, list(found.values())) for target in found.values()]
    targets = sorted(filter(None, alone), key=lambda target: (target.root, target.kind))
    return tuple(_with_aside(targets, [*found.values()], searches))


def _with_aside(targets: list[Target], found: list[Target], searches: list[Search]) -> list[Target]:
    """The targets, each with what is not judged below its root; with the first one goes what is below none.

    `found` are the targets before those were left out that show the skills of others.
    """
    from skillbag.workspace.searching import not_judged

    aside: dict[int, list[tuple[str, str]]] = {}
    for path, reason in not_judged(searches, found):
        around = [number for number, target in enumerate(targets) if path.startswith(target.root + os.sep)]
        owner = max(around, key=lambda number: len(targets[number].root), default=0)
        aside.setdefault(owner, []).append((path, reason))
    return [target._replace(aside=tuple(aside.get(number, ()))) for number, target in enumerate(targets)]


def _without_links(target: Target, targets: list[Target]) -> Target | None:
    """The plain target without what shows skills of another target: links, and copies that `skillbag link` made.

    None where that is all of it.
    """
    if target.kind is not Kind.SKILLS or target.only or len(targets) == 1:
        return target
    copies = _copies(other.root for other in targets if other.kind is Kind.WORKSPACE)
    taken = {tracked.real(root) for other in targets if other is not target for root in other.skill_roots}
    folders = [*target.loose, *(path for root in target.skill_roots for path in folders_in(root))]
    own = [path for path in folders if path not in copies and not _leads_into(path, taken)]
    if len(own) == len(folders):
        return target
    return target._replace(only=tuple(sorted(own))) if own else None


def _leads_into(path: str, folders: set[str]) -> bool:
    says = tracked.link(path)
    if says is None:
        return False
    # What it leads to may be a link itself, and the skill lie elsewhere.
    way = os.path.join(os.path.dirname(path), says)
    return not folders.isdisjoint({tracked.real(os.path.dirname(way)), os.path.dirname(tracked.real(path))})


def _copies(roots: Iterable[str]) -> set[str]:
    """The absolute paths of the copies that the locks of these workspaces know; a rule holds them to their skills."""
    # Most commands look for a workspace alone, and would load the lock's reader for nothing.
    from skillbag.workspace.lock_file import BadLockError, read_lock

    found: set[str] = set()
    for root in roots:
        with contextlib.suppress(BadLockError):
            lock = read_lock(root)
            made = lock.links.made if lock and lock.links else {}
            found |= {os.path.join(root, *path.split("/")) for path, tree in made.items() if tree}
    return found


def _sought(kind: Kind | None) -> str:
    if kind is None:
        return SOUGHT
    if kind is Kind.SKILLS:
        return "Agent Skills: folders with a SKILL.md"
    return f"a {kind.value}: {ENTRYPOINT}, {AGENTS} or {SKILL_ROOT}/"


def _is_there(path: str) -> bool:
    if not tracked.exists(path):
        return _is_hidden(path)
    if tracked.is_folder(path):
        # A named folder that can't be opened is no empty one.
        tracked.entries(path)
    return True


def _is_hidden(path: str) -> bool:
    """Whether it can't even be told whether it is there, which raises the system's own error."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _merge(one: Target, other: Target) -> Target:
    only = tuple(sorted({*one.only, *other.only})) if one.only and other.only else ()
    roots, loose = {*one.skill_roots, *other.skill_roots}, {*one.loose, *other.loose}
    return Target(one.kind, one.root, tuple(sorted(roots)), only, tuple(sorted(loose)))


def _hint(search: Search) -> str:
    """Skills that lie where none are looked for, so that their user can name them."""
    holders = Counter(os.path.dirname(folder) for folder in search.skills if folder != search.top)
    if not holders:
        return ""
    folder = min(holders, key=lambda folder: (-holders[folder], folder))
    every = "" if search.kind is Kind.SKILLS else ", and all of them with --target skills"
    return f". Skills kept elsewhere are checked when they are named{every}: {folder} holds {holders[folder]}"


def _around(path: str, kind: Kind | None, top: str | None) -> Target | None:
    """The target that the path lies in."""
    folder = path if tracked.is_folder(path) else os.path.dirname(path)
    if kind is None or kind is Kind.SKILLS:
        return _enclosing(folder, kind, top)
    root = _asked_root(folder, top)
    return installed(kind, root) if root else None


def _asked_root(folder: str, top: str | None) -> str | None:
    for place in upward(folder, top):
        if any(tracked.exists(os.path.join(place, name)) for name in (ENTRYPOINT, AGENTS, SKILL_ROOT)):
            return place
    return None


def upward(folder: str, top: str | None) -> Iterator[str]:
    """`folder` and its parents, as far as the repository that holds it; a skill may be a repository of its own."""
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
        NoWorkspaceError: there is none, or what is there is a source.
    """
    root = enclosing_root(folder)
    if root is None:
        raise NoWorkspaceError(
            f"{folder}: no workspace is here ({ENTRYPOINT} or {SKILL_ROOT}/): skillbag init makes one"
        )
    if kind_at(root) is not Kind.WORKSPACE:
        raise NoWorkspaceError(f"{root}: this is a source, not a workspace: skillbag init makes one elsewhere")
    return root


def _enclosing(folder: str, kind: Kind | None, top: str | None) -> Target | None:
    for place in upward(folder, top):
        if kind is None and (own := kind_at(place)):
            return installed(own, place)
        if skill := _plain_skill(place, kind):
            return skill
    return None


def _plain_skill(place: str, kind: Kind | None) -> Target | None:
    """The plain target of the skill folder `place`; what lies in `.skills/` is plain only where that is asked for."""
    parent = os.path.dirname(place)
    if not has_skill_file(place) or (kind is None and os.path.basename(parent) == SKILL_ROOT):
        return None
    return Target(Kind.SKILLS, holder_of(parent) or place, (parent,), (place,))


def enclosing_root(folder: str) -> str | None:
    """The root of the workspace or source that holds the absolute `folder`."""
    return next((place for place in upward(folder, None) if kind_at(place)), None)
