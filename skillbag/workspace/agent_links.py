"""Where agents look for skills, and the links (or copies) that show `.skills/` there, as `skillbag.lock` has them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

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
    """A path (relative to the root, with `/`) that shows a skill, or should."""

    path: str
    skill: str
    state: LinkState


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
    return tuple(sorted(name for name in fitting if os.path.isfile(os.path.join(folder, name, SKILL_FILE))))


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
        OSError: a skill or a copy can't be read.
    """
    skills = linked_skills(root)
    wanted = {f"{place}/{name}" for place in links.places for name in skills}
    for path in sorted(wanted | set(links.made)):
        name = path.rpartition("/")[2]
        yield Shown(path, name, _state(root, path, links, is_wanted=path in wanted))


def _state(root: str, path: str, links: Links, *, is_wanted: bool) -> LinkState:
    full = os.path.join(root, path)
    if not os.path.lexists(full):
        return LinkState.MISSING if is_wanted else LinkState.GONE
    if path not in links.made:
        # The user's own link to the same skill does what is wanted.
        return LinkState.GOOD if is_our_link(root, path) else LinkState.FOREIGN
    copied = links.made[path]
    if copied is None:
        if not is_our_link(root, path):
            return LinkState.FOREIGN
        return LinkState.GOOD if is_wanted else LinkState.GONE
    found = _tree(full)
    if found is None:
        return LinkState.FOREIGN
    if is_wanted and found == _tree(skill_folder(root, path)):
        return LinkState.GOOD
    if found != copied:
        return LinkState.EDITED
    return LinkState.OUTDATED if is_wanted else LinkState.GONE


def is_our_link(root: str, path: str) -> bool:
    """Whether a link stands at `path` that leads where `skillbag link` would lead it."""
    try:
        return os.readlink(os.path.join(root, path)).replace(os.sep, "/") == link_target(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return False
        raise


def _tree(folder: str) -> str | None:
    """The tree hash of a folder; None where something else is."""
    if os.path.islink(folder) or not os.path.isdir(folder):
        return None
    from skillbag.workspace.tree_hash import tree_hash

    return tree_hash(folder)
