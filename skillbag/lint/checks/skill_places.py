"""Skills in places where the agents that read the folder do not find them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.hosts.model import HostFacts
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_LONGEST = 300
"""Characters of a file that holds nothing but a path."""
_TEXTS = (".md", ".mdc")


def place_of(card: SkillSummary, root: str) -> tuple[str, list[str]]:
    """The folder of agents that a skill lies in, such as `.claude/skills`, and the folders from there to the skill."""
    # Most lie in no such folder, and a relative path takes long to make.
    parts = os.path.relpath(card.directory, root).split(os.sep) if f"{os.sep}." in card.directory else []
    for at, part in enumerate(parts[1:], 1):
        if part in ("skills", "skill") and parts[at - 1].startswith("."):
            return f"{parts[at - 1]}/{part}", parts[at + 1 :]
    return "", []


def deep_skills(inventory: Inventory) -> Iterator[tuple[SkillSummary, str, int]]:
    """The skills that lie in no other skill and more than one folder below one of agents; that folder, and how many."""
    for card in inventory.cards:
        folder, inner = place_of(card, inventory.workspace.root)
        base = card.directory.removesuffix(os.sep.join(["", *inner]))
        between = (os.path.join(base, *inner[:number], SKILL_FILE) for number in range(1, len(inner)))
        if len(inner) > 1 and not any(map(tracked.exists, between)):
            yield card, folder, len(inner)


def has_deep(inventory: Inventory, _: tuple[bytes, ...] | None) -> bool:
    """Whether there is such a skill."""
    return any(True for _ in deep_skills(inventory))


@Predicate("skill-pointer-file", Subject.INVENTORY, values=("path", "target"))
def skill_pointer_file(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Files for agents that hold the path of a file or folder: links that were stored or unpacked as text."""
    root = inventory.workspace.root
    places = [os.path.join(root, top, "skills") for top in tracked.names(root) if top.startswith(".")]
    loose = [f"{place}/{name}" for place in places if tracked.is_folder(place) for name in tracked.names(place)]
    around = [file.path for file in inventory.workspace.target.around if file.path.endswith(_TEXTS)]
    for path in (*places, *(path for path in loose if "." not in os.path.basename(path)), *around):
        if not tracked.is_link(path) and tracked.is_file(path):
            document = read_document(path, root)
            target = document.text.strip() if isinstance(document, Document) else ""
            folder, end = os.path.dirname(path), f"/{target}" if target.endswith(_TEXTS) else target
            is_path = len(target) < _LONGEST and "/" in end and "\n" not in target
            if is_path and tracked.exists(os.path.normpath(os.path.join(folder, target))):
                relative = os.path.relpath(path, root).replace(os.sep, "/")
                yield Match(path, values={"path": relative, "target": target}, cause=folder)


@Predicate("skill-file-linked", Subject.INVENTORY, values=("folder",))
def skill_file_linked(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills in a folder that Codex reads whose `SKILL.md` is a link: it follows those of folders alone."""
    for card in inventory.cards:
        folder, _inner = place_of(card, inventory.workspace.root)
        if folder in (".agents/skills", ".codex/skills") and tracked.is_link(os.path.join(card.directory, SKILL_FILE)):
            yield Match(os.path.join(card.directory, SKILL_FILE), values={"folder": folder})


@Predicate("skill-too-deep", Subject.INVENTORY, values=("folder", "depth", "hosts"), needs="skill_places.has_deep")
def skill_too_deep(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills that agents which read the folder do not find; raised where it is the folder of one of them alone."""
    for card, folder, depth in deep_skills(inventory):
        hosts = [host for host in HOSTS.values() if _misses(host, folder, depth)]
        if hosts:
            own = any(folder.startswith(f".{host.id.partition('-')[0]}/") for host in hosts)
            values = {"folder": folder, "depth": str(depth), "hosts": ", ".join(host.title for host in hosts)}
            yield Match(card.path, values=values, raised=own)


def _misses(host: HostFacts, folder: str, depth: int) -> bool:
    """Whether a host surely reads a folder, but not so deep."""
    facts = host.discovery
    is_known = facts is not None and facts.certainty in ("A", "B") and 0 < (facts.depth or 0) < depth
    return is_known and any(fact.path == folder and fact.scope == "project" for fact in host.folders)
