"""Where agents look for skills, and the links (or copies) that show `.skills/` there, as `skillbag.lock` has them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum

from skillbag.base.records import NamedTuple
from skillbag.fs import tracked
from skillbag.fs.read import is_within
from skillbag.workspace.target import NAME, SKILL_FILE, SKILL_ROOT

AGENT_FOLDERS = {
    "claude": ".claude/skills",
    "codex": ".agents/skills",
    "cursor": ".agents/skills",
    "copilot": ".agents/skills",
    "gemini": ".agents/skills",
}
"""The folder of a project, relative to its root, with `/`, in which each agent looks for skills."""

_MAX_NAME = 64


class Links(NamedTuple):
    """What `skillbag link` has made.

    `agents` are keys of `AGENT_FOLDERS`. `made` goes by path (relative to the root, with `/`): the tree hash of a copy,
    None for a link. `folders` are the folders that were made for them, outermost first. `copy` says which to make.
    """

    agents: tuple[str, ...]
    copy: bool
    made: Mapping[str, str | None]
    folders: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The folders of the agents, each once."""
        return tuple(dict.fromkeys(AGENT_FOLDERS[agent] for agent in self.agents))


class LinkState(StrEnum):
    """How a path is found that shows a skill, or should."""

    GOOD = "good"
    MISSING = "missing"
    GONE = "gone"
    """Its skill is not there any more."""
    OUTDATED = "outdated"
    """The copy is not what the skill is now."""
    EDITED = "edited"
    """The copy is not what was copied."""
    FOREIGN = "foreign"
    """Something else stands there, which is not ours."""


class Shown(NamedTuple):
    """A path (relative to the root, with `/`) that shows a skill, or should.

    `tree` is the tree hash of a copy that stands there, empty where it can't be read; None where there is none.
    """

    path: str
    skill: str
    state: LinkState
    tree: str | None = None


def is_link_path(path: str) -> bool:
    """Whether `path` is one that shows a skill: a name in a folder of an agent."""
    folder, _, name = path.rpartition("/")
    return folder in AGENT_FOLDERS.values() and len(name) <= _MAX_NAME and NAME.fullmatch(name) is not None


def is_link_folder(path: str) -> bool:
    """Whether `path` is a folder of an agent, or holds one."""
    return any(f"{folder}/".startswith(f"{path}/") for folder in AGENT_FOLDERS.values())


def linked_skills(root: str) -> tuple[str, ...]:
    """The names of the skills in `.skills/`, in order."""
    folder = os.path.join(root, SKILL_ROOT)
    try:
        names = os.listdir(folder)
    except OSError:
        return ()
    fitting = (name for name in names if len(name) <= _MAX_NAME and NAME.fullmatch(name))
    return tuple(sorted(name for name in fitting if _is_skill(root, os.path.join(folder, name))))


def _is_skill(root: str, folder: str) -> bool:
    """Whether a skill of the workspace lies in `folder`: what leads out of it is none."""
    if os.path.islink(folder) and not is_within(root, folder):
        return False
    return os.path.isfile(os.path.join(folder, SKILL_FILE))


def skill_folder(root: str, path: str) -> str:
    """The absolute folder of the skill that `path` shows."""
    return os.path.join(root, SKILL_ROOT, path.rpartition("/")[2])


def link_target(path: str) -> str:
    """What the link at `path` leads to: the skill of its name, relative to the folder that holds the link."""
    folder, _, name = path.rpartition("/")
    return "/".join([*[".."] * (folder.count("/") + 1), SKILL_ROOT, name])


def judge_links(root: str, links: Links) -> Iterator[Shown]:
    """Each path that was made, or should be there for a skill, in order of paths.

    Raises:
        OSError: a folder of an agent can't be read.
    """
    # Copies are hashed past the record of what is asked.
    tracked.mark_uncacheable()
    skills = linked_skills(root)
    wanted = {f"{place}/{name}" for place in links.places for name in skills}
    for path in sorted(wanted | set(links.made)):
        yield _judged(root, path, links, is_wanted=path in wanted)


def _judged(root: str, path: str, links: Links, *, is_wanted: bool) -> Shown:
    folder, _, name = path.rpartition("/")
    tree = None
    if is_barred(root, folder):
        state = LinkState.FOREIGN if is_wanted or _is_there(root, path) else LinkState.GONE
    elif not _is_there(root, path):
        state = LinkState.MISSING if is_wanted else LinkState.GONE
    elif path not in links.made:
        # The user's own link to the same skill does what is wanted.
        state = LinkState.GOOD if is_our_link(root, path) else LinkState.FOREIGN
    elif is_our_link(root, path):
        state = _state_of_link(links.made[path], links, is_wanted=is_wanted)
    else:
        tree = _tree(os.path.join(root, path))
        state = _state_of_copy(tree, _tree(os.path.realpath(skill_folder(root, path))), path, links)
        if state is LinkState.GOOD or state is LinkState.OUTDATED:
            state = state if is_wanted else LinkState.GONE
    return Shown(path, name, state, tree)


def is_barred(root: str, folder: str) -> bool:
    """Whether the relative `folder`, or one above it, is a link, or no folder: what lies behind is none of ours."""
    parts = folder.split("/")
    ways = (os.path.join(root, *parts[: depth + 1]) for depth in range(len(parts)))
    return any(os.path.islink(way) or (os.path.lexists(way) and not os.path.isdir(way)) for way in ways)


def _is_there(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


def _state_of_link(copied: str | None, links: Links, *, is_wanted: bool) -> LinkState:
    """Our link, where the lock has a link; or a copy that a run which was killed has made a link of."""
    if copied is not None and links.copy:
        return LinkState.FOREIGN
    return LinkState.GOOD if is_wanted else LinkState.GONE


def _state_of_copy(tree: str | None, skill: str | None, path: str, links: Links) -> LinkState:
    """A folder with this tree hash; `skill` is that of the skill itself."""
    copied = links.made[path]
    if tree is None or (copied is None and not (links.copy and tree == skill)):
        return LinkState.FOREIGN
    if tree == skill:
        # It is what was copied, or what a run which was killed has put there.
        return LinkState.GOOD
    return LinkState.OUTDATED if tree == copied else LinkState.EDITED


def is_our_link(root: str, path: str) -> bool:
    """Whether a link stands at `path` that leads where `skillbag link` would lead it."""
    try:
        return os.readlink(os.path.join(root, path)).replace(os.sep, "/") == link_target(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return False
        raise


def _tree(folder: str) -> str | None:
    """The tree hash of a folder, empty where it can't be read; None where something else is."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return None
    from skillbag.workspace.tree_hash import tree_hash

    try:
        return tree_hash(folder)
    except OSError:
        return ""
