"""Finding what is to be checked: from the paths that were named to the targets that own them or lie below them."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from skillbag import asked, files
from skillbag.errors import UserError
from skillbag.named import NamedTuple
from skillbag.workspace import git
from skillbag.workspace.target import AGENTS, ENTRYPOINT, SKILL_FILE, SKILL_ROOT, Kind, Target, installed
from skillbag.workspace.tree import PRUNED, is_folder

IDENTITY = re.compile(r"(?<![\w.-])SKILLBAG(?!\.md|[\w-])")
"""The identity of a source in `AGENTS.md`: the word `SKILLBAG`, not as part of `SKILLBAG.md`."""

SOUGHT = (
    "a workspace (SKILLBAG.md or .skills/), a source (AGENTS.md that says SKILLBAG), "
    "or Agent Skills (skills/*/SKILL.md, .claude/skills/*/SKILL.md and the like)"
)


class NothingToCheckError(UserError):
    """There is no target at a named path; the message says what was looked for."""


class NoWorkspaceError(UserError):
    """There is no workspace to work in; the message says how to make one."""


class _Place(NamedTuple):
    """A skills root of a plain tree and the folder that the tree belongs to."""

    root: str
    skills_root: str


def find_targets(paths: Iterable[str], kind: Kind | None = None, top: str | None = None) -> tuple[Target, ...]:
    """The targets of absolute `paths`: for each the innermost one that encloses it, and those below it.

    The search upward does not go above the folder `top`, nor above the repository that holds the path.

    Raises:
        NothingToCheckError: a path does not exist, or there is no target of the kind at or around it.
        OSError: a path can't be looked at.
    """
    found: dict[tuple[Kind, str], Target] = {}
    for path in paths:
        if not files.overlaid(path) and not _is_there(path):
            raise NothingToCheckError(f"{path}: there is no such file or folder")
        targets = list(_targets(path, kind, top))
        if not targets:
            raise NothingToCheckError(f"{path}: nothing to check here; looked for {_sought(kind)}{_hint(path)}")
        for target in targets:
            key = (target.kind, asked.real(target.root))
            found[key] = _merge(found[key], target) if key in found else target
    alone = [_without_links(target, list(found.values())) for target in found.values()]
    return tuple(sorted(filter(None, alone), key=lambda target: (target.root, target.kind)))


def _without_links(target: Target, targets: list[Target]) -> Target | None:
    """The plain target without what shows skills of another target: links, and copies that `skillbag link` made.

    None where that is all of it.
    """
    if target.kind is not Kind.SKILLS or target.only or len(targets) == 1:
        return target
    copies = _copies(other.root for other in targets if other.kind is Kind.WORKSPACE)
    taken = {asked.real(root) for other in targets if other is not target for root in other.skill_roots}
    folders = [path for root in target.skill_roots for path in _folders(root)]
    own = [path for path in folders if path not in copies and not _leads_into(path, taken)]
    if len(own) == len(folders):
        return target
    return Target(target.kind, target.root, target.skill_roots, tuple(sorted(own))) if own else None


def _leads_into(path: str, folders: set[str]) -> bool:
    says = asked.link(path)
    if says is None:
        return False
    # What it leads to may be a link itself, and the skill lie elsewhere.
    way = os.path.join(os.path.dirname(path), says)
    return not folders.isdisjoint({asked.real(os.path.dirname(way)), os.path.dirname(asked.real(path))})


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
    if not asked.exists(path):
        return _is_hidden(path)
    if asked.is_folder(path):
        # A named folder that can't be opened is no empty one.
        asked.entries(path)
    return True


def _is_hidden(path: str) -> bool:
    """Whether it can't even be told whether it is there, which raises the system's own error."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _hint(path: str) -> str:
    """Skills that lie where none are looked for, so that their user can name them."""
    walked = _walk(path) if asked.is_folder(path) else ()
    holders = Counter(os.path.dirname(folder) for folder, names in walked if SKILL_FILE in names and folder != path)
    if not holders:
        return ""
    (folder, count), *_ = holders.most_common(1)
    return f". Skills kept elsewhere are checked when they are named: {folder} holds {count}"


def _merge(one: Target, other: Target) -> Target:
    only = tuple(sorted({*one.only, *other.only})) if one.only and other.only else ()
    return Target(one.kind, one.root, tuple(sorted({*one.skill_roots, *other.skill_roots})), only)


def _targets(path: str, kind: Kind | None, top: str | None) -> Iterator[Target]:
    folder = path if asked.is_folder(path) else os.path.dirname(path)
    if kind in (Kind.WORKSPACE, Kind.SOURCE):
        if root := _asked_root(folder, top):
            yield installed(kind, root)
        return
    enclosing = _enclosing(folder, kind, top)
    if enclosing:
        yield enclosing
    if asked.is_folder(path) and not (enclosing and enclosing.only):
        yield from _below(path, kind, enclosing)


def _asked_root(folder: str, top: str | None) -> str | None:
    for place in upward(folder, top):
        if any(asked.exists(os.path.join(place, name)) for name in (ENTRYPOINT, AGENTS, SKILL_ROOT)):
            return place
    return None


def upward(folder: str, top: str | None) -> Iterator[str]:
    """`folder` and its parents, as far as the repository that holds it; a skill may be a repository of its own."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        within = os.path.basename(parent) == SKILL_ROOT
        if folder in (parent, top) or (asked.exists(os.path.join(folder, ".git")) and not within):
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
    if not _has_skill_file(place) or (kind is None and os.path.basename(parent) == SKILL_ROOT):
        return None
    return Target(Kind.SKILLS, _holder(parent) or place, (parent,), (place,))


def _holder(skills_root: str) -> str | None:
    """The folder that a plain tree belongs to: what holds `skills/`, or holds the agent's folder that holds it."""
    folder, depth = skills_root, 0
    # `skills/.curated` and `skills/writing` are roots within a root.
    while os.path.basename(folder) != "skills":
        folder, depth = os.path.dirname(folder), depth + 1
        if depth > 2 or os.path.dirname(folder) == folder:
            return None
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder).startswith(".") else holder


def kind_at(folder: str) -> Kind | None:
    """Whether `folder` is the root of a workspace or of a source (decisions.md, Targets and discovery)."""
    if asked.exists(os.path.join(folder, ENTRYPOINT)):
        return Kind.WORKSPACE
    agents = files.read(os.path.join(folder, AGENTS), folder)
    if isinstance(agents, bytes) and IDENTITY.search(agents.decode("utf-8", "replace")):
        return Kind.SOURCE
    return Kind.WORKSPACE if asked.is_folder(os.path.join(folder, SKILL_ROOT)) else None


def enclosing_root(folder: str) -> str | None:
    """The root of the workspace or source that holds the absolute `folder`."""
    return next((place for place in upward(folder, None) if kind_at(place)), None)


def _has_skill_file(folder: str) -> bool:
    path = os.path.join(folder, SKILL_FILE)
    if files.overlaid(path) or asked.exists(path):
        return True
    try:
        return any(name.lower() == SKILL_FILE.lower() for name in asked.names(folder))
    except OSError:
        return False


def _below(top: str, kind: Kind | None, enclosing: Target | None) -> Iterator[Target]:
    places: list[_Place] = []
    alone = enclosing is None
    for folder, names in _walk(top):
        if kind is None and (own := _kind_by_names(folder, names)):
            alone = False
            yield installed(own, folder)
        if os.path.basename(folder) == "skills" or (kind is Kind.SKILLS and os.path.basename(folder) == SKILL_ROOT):
            places += [_Place(_holder(folder) or os.path.dirname(folder), root) for root in _skill_roots(folder)]
    if alone and not places:
        # A folder of skills that was named is one, whatever it is called.
        places = [_Place(_holder(top) or top, root) for root in _skill_roots(top) if root == top or _holder(top)]
    ignored = _ignored(top, places)
    by_root: dict[str, list[str]] = {}
    for place in places:
        if place.skills_root not in ignored:
            by_root.setdefault(place.root, []).append(place.skills_root)
    for root, roots in by_root.items():
        yield Target(Kind.SKILLS, root, tuple(sorted(roots)))


def _ignored(top: str, places: list[_Place]) -> frozenset[str]:
    """The skills roots that git ignores; none where the named folder is ignored itself: it was asked for."""
    if not places:
        return frozenset()
    ignored = git.ignored([top, *(place.skills_root for place in places)])
    return frozenset() if top in ignored else ignored


def _walk(top: str) -> Iterator[tuple[str, set[str]]]:
    """Folders at and below `top` with their children's names; skills and links are not entered."""
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            entries = asked.entries(folder)
        except OSError:
            continue
        yield folder, {entry.name for entry in entries}
        if os.path.basename(folder) == SKILL_ROOT:
            continue
        in_root = os.path.basename(folder) == "skills"
        for entry in entries:
            if entry.name in PRUNED or not entry.is_dir(follow_symlinks=False):
                continue
            if not (in_root and _has_skill_file(entry.path)):
                pending.append(entry.path)


def _kind_by_names(folder: str, names: set[str]) -> Kind | None:
    return kind_at(folder) if names & {ENTRYPOINT, AGENTS, SKILL_ROOT} else None


def _skill_roots(folder: str) -> Iterator[str]:
    """`folder` itself where skills lie in it, and those of its folders that only group skills."""
    folders = _folders(folder)
    if any(_has_skill_file(path) for path in folders):
        yield folder
    for path in folders:
        if not _has_skill_file(path) and not asked.is_link(path) and any(map(_has_skill_file, _folders(path))):
            yield path


def _folders(folder: str) -> list[str]:
    """The folders in `folder`, links to folders among them, in order."""
    try:
        children = asked.entries(folder)
        return sorted(child.path for child in children if child.name not in PRUNED and is_folder(child))
    except OSError:
        return []
