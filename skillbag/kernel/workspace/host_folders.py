"""A plugin or project as values: the files around skills that its agents read."""

from __future__ import annotations

import os

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.target import HostFilePath
from skillbag.kernel.workspace.tree import in_samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillbag.kernel.workspace.model import Inventory
    from skillbag.kernel.workspace.skill import Skill


class HostFolder(NamedTuple):
    """The files of one plugin or project at `root`, and the skills of the target that it belongs to."""

    root: str
    files: tuple[HostFile, ...]
    inventory: Inventory

    def of_kind(self, *kinds: str) -> tuple[HostFile, ...]:
        """The files of these kinds."""
        return tuple(file for file in self.files if file.kind in kinds)


def host_folders(inventory: Inventory) -> tuple[HostFolder, ...]:
    """The plugins and projects of a target, by their root."""
    target = inventory.workspace.target
    found: dict[str, list[HostFile]] = {}
    for file in target.around:
        found.setdefault(file.root, []).append(HostFile(file, target.root))
    return tuple(HostFolder(root, tuple(files), inventory) for root, files in found.items())


_IN_SKILLS = (("/agents/openai.yaml", "codex-interface"), ("/evals/evals.json", "evals"))
_CLAUDE_KEYS = frozenset(
    {"agent", "arguments", "background", "context", "effort", "hooks", "model", "shell"}
    | {"PreToolUse", "PostToolUse", "Stop", "disable-model-invocation", "user-invocable"}
)
"""Keys of front matter that have their effect in Claude Code, for some values only."""


def files_in_skill(skill: Skill) -> Iterator[HostFile]:
    """The files in the folder of a skill that have a form of their own; most skills have none."""
    if "/openai.yaml" in skill.names or "/evals.json" in skill.names:
        for entry in skill.listing.entries:
            for ending, kind in _IN_SKILLS:
                folder = f"/{entry.relative}".removesuffix(ending)[1:]
                is_skill = f"{folder}/{skill.file}".lstrip("/") in skill.paths and not in_samples(folder)
                if is_skill and entry.relative == f"{folder}{ending}".lstrip("/"):
                    yield HostFile(HostFilePath(entry.path, kind, entry.path[: -len(ending)]), skill.root)
    for each in (skill, *skill.inner):
        if not _CLAUDE_KEYS.isdisjoint(each.fields) and not _is_of_others(each):
            yield HostFile(HostFilePath(each.path, "claude-skill", each.directory), each.root)


def _is_of_others(skill: Skill) -> bool:
    """Whether the skill is in a hidden folder of another program, such as `.codex/`."""
    parts = os.path.relpath(skill.directory, skill.root).split(os.sep)
    return any(part.startswith(".") and part not in (".", ".claude", ".skills") for part in parts)
