"""Where agents look for skills, and the links (or copies) that show `.skills/` there, as `skillbag.lock` has them."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.fs.trace import mark_uncacheable
from skillbag.kernel.workspace.agents import AGENTS, COPIED, FOLDERS
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT, is_skill_name


class Links(NamedTuple):
    """The links and copies of `skillbag agent link`, as a lock has them.

    `agents` are keys of `AGENTS`. `made` has the tree hash of each copy, None for a link, by path (relative to
    the root, with `/`). `folders` were created for them, outermost first. `copy` says whether to copy or link.
    """

    agents: tuple[str, ...]
    copy: bool
    folders: tuple[str, ...]
    made: Mapping[str, str | None]

    @property
    def places(self) -> tuple[str, ...]:
        """The folders of the agents, each once."""
        return tuple(dict.fromkeys(AGENTS[agent].folder for agent in self.agents))

    def copies(self, path: str) -> bool:
        """Whether a copy belongs at the path: all are, or the agent skips links."""
        return self.copy or path.rpartition("/")[0] in COPIED


class LinkState(StrEnum):
    """The state of a link or copy of a skill."""

    GOOD = "good"
    MISSING = "missing"
    GONE = "gone"
    """Its skill was removed."""
    OUTDATED = "outdated"
    """The skill has changed since it was copied."""
    EDITED = "edited"
    """The copy was edited."""
    FOREIGN = "foreign"
    """Something that `skillbag agent link` did not create."""


class Shown(NamedTuple):
    """A path (relative to the root, with `/`) for a link or copy of a skill.

    `tree` is the tree hash of the copy there, empty if it can't be read; None if there is none.
    """

    path: str
    skill: str
    state: LinkState
    tree: str | None = None


def is_link_path(path: str) -> bool:
    """Whether `path` is a name in a folder of an agent."""
    folder, _, name = path.rpartition("/")
    return folder in FOLDERS and is_skill_name(name)


def is_link_folder(path: str) -> bool:
    """Whether `path` is a folder of an agent, or holds one."""
    return any(f"{folder}/".startswith(f"{path}/") for folder in FOLDERS)


def linked_skills(root: str) -> tuple[str, ...]:
    """The names of the skills in `.skills/` that agents are shown, in order."""
    return tuple(name for name in _skills(root) if is_skill_name(name))


def misnamed_skills(root: str) -> tuple[str, ...]:
    """The names of the skills in `.skills/` that are not shown, since they are invalid; hidden folders are none."""
    return tuple(name for name in _skills(root) if not is_skill_name(name) and not name.startswith("."))


def _skills(root: str) -> list[str]:
    folder = os.path.join(root, SKILL_ROOT)
    try:
        paths = {name: os.path.join(folder, name) for name in os.listdir(folder)}
    except OSError:
        return []
    # A link out of the workspace is no skill of it.
    inside = {name: path for name, path in paths.items() if not os.path.islink(path) or is_within(root, path)}
    return sorted(name for name, path in inside.items() if os.path.isfile(os.path.join(path, SKILL_FILE)))


def skill_folder(root: str, path: str) -> str:
    """The absolute folder of the skill at the link `path`."""
    return os.path.join(root, SKILL_ROOT, path.rpartition("/")[2])


def link_target(path: str) -> str:
    """The target of the link at `path`: the skill of its name, relative to the folder that holds the link."""
    folder, _, name = path.rpartition("/")
    return "/".join([*[".."] * (folder.count("/") + 1), SKILL_ROOT, name])


def judge_links(root: str, links: Links) -> Iterator[Shown]:
    """Each link or copy that was created, or should exist for a skill, in order of paths.

    Raises:
        OSError: a folder of an agent can't be read.
    """
    # Copies are hashed without tracking.
    mark_uncacheable()
    skills = linked_skills(root)
    wanted = {f"{place}/{name}" for place in links.places for name in skills}
    links = links._replace(made={**_made_here(root, links), **links.made})
    for path in sorted(wanted | set(links.made)):
        yield _judged(root, path, links, is_wanted=path in wanted)


def _made_here(root: str, links: Links) -> dict[str, str | None]:
    """Our links, and copies that were made here and are unedited, which the lock of another machine lacks."""
    from skillbag.kernel.workspace.placed import placed_trees

    placed, found = placed_trees(root), dict[str, str | None]()
    for place in links.places:
        with contextlib.suppress(OSError):
            names = [] if is_barred(root, place) else filter(is_skill_name, os.listdir(os.path.join(root, place)))
            for path in {f"{place}/{name}" for name in names} - links.made.keys():
                if is_our_link(root, path):
                    found[path] = None
                elif path in placed and (tree := _tree(os.path.join(root, path))) in placed[path]:
                    found[path] = tree
    return found


def _judged(root: str, path: str, links: Links, *, is_wanted: bool) -> Shown:
    folder, _, name = path.rpartition("/")
    tree = None
    if is_barred(root, folder):
        state = LinkState.FOREIGN if is_wanted or _is_there(root, path) else LinkState.GONE
    elif not _is_there(root, path):
        state = LinkState.MISSING if is_wanted else LinkState.GONE
    elif path not in links.made:
        # The user's own link to the same skill is as good.
        state = LinkState.GOOD if is_our_link(root, path) else LinkState.FOREIGN
    elif is_our_link(root, path):
        # A killed run may have replaced a copy by a link.
        is_foreign = links.made[path] is not None and links.copies(path)
        state = LinkState.FOREIGN if is_foreign else LinkState.GOOD if is_wanted else LinkState.GONE
    else:
        tree = _tree(os.path.join(root, path))
        state = _state_of_copy(tree, _tree(os.path.realpath(skill_folder(root, path))), path, links)
        if state is LinkState.EDITED and _was_copied(root, path, tree):
            # The lock has the copy of another machine.
            state = LinkState.OUTDATED
        if not is_wanted and state in (LinkState.GOOD, LinkState.OUTDATED):
            state = LinkState.GONE
    return Shown(path, name, state, tree)


def is_barred(root: str, folder: str) -> bool:
    """Whether the relative `folder`, or one above it, is a link or no folder: nothing is written there."""
    parts = folder.split("/")
    paths = (os.path.join(root, *parts[: depth + 1]) for depth in range(len(parts)))
    return any(os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)) for path in paths)


def _is_there(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


def _state_of_copy(tree: str | None, skill: str | None, path: str, links: Links) -> LinkState:
    """The state of a folder with this tree hash; `skill` is that of the skill itself."""
    copied = links.made[path]
    if tree is None or (copied is None and not (links.copies(path) and tree == skill)):
        return LinkState.FOREIGN
    if tree == skill:
        # The copy, or what a killed run has written.
        return LinkState.GOOD
    return LinkState.OUTDATED if tree == copied else LinkState.EDITED


def _was_copied(root: str, path: str, tree: str | None) -> bool:
    from skillbag.kernel.workspace.placed import was_placed

    return tree is not None and was_placed(root, path, tree)


def is_our_link(root: str, path: str) -> bool:
    """Whether `path` is a link with the target that `skillbag agent link` would give it."""
    try:
        return os.readlink(os.path.join(root, path)).replace(os.sep, "/") == link_target(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return False
        raise


def _tree(folder: str) -> str | None:
    """The tree hash of a folder, empty where it can't be read; None where there is no folder."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return None
    from skillbag.kernel.workspace.tree_hash import tree_hash

    try:
        return tree_hash(folder)
    except OSError:
        return ""
