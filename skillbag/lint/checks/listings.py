"""What the model sees of the skills of a target: whether the list of a host has room for their descriptions."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.fs import tracked
from skillbag.kernel.hosts.listing import LEFT_OUT, ListEntry, ListFit, fit, listing_text
from skillbag.kernel.hosts.lists import FOLDERS, LISTINGS
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_CLAUDE, _CODEX = "claude-code", "codex"
_CUT = 100
"""Codex itself warns where it cuts more characters than this from each description."""


@Predicate("listing-budget", Subject.INVENTORY, values=("effect", "largest"), needs="long-list")
def listing_budget(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """The skills of a target whose descriptions a host can't show together; at the longest of them."""
    for (id_, published), cards in sorted(_lists(inventory).items()):
        (title, facts), order = LISTINGS[id_], [cards[name] for name in sorted(cards)]
        texts = [listing_text(facts, card.description.value if card.description else "", card.when) for card in order]
        found = fit(facts, [_entry(card, text) for card, text in zip(order, texts, strict=True)])
        if effect := _effect(title, found, texts, f"{len(texts)} skills{' if all are installed' * published}"):
            longest = sorted(zip(texts, order, strict=True), key=lambda pair: -len(pair[0]))[:3]
            card, place = longest[0][1], longest[0][1].description
            names = ", ".join(f"`{card.folder[:60]}`" for _, card in longest)
            values = {"effect": effect, "largest": names}
            yield Match(card.path, place.start if place else 0, place.end if place else 0, values)
            return


def _lists(inventory: Inventory) -> dict[tuple[str, bool], dict[str, SkillSummary]]:
    """The skills of each list by their names: by host, and whether they are published rather than installed.

    Of the hosts that read the folders of a project, those with a known budget count. What lies elsewhere is published,
    and agents list it where it is installed; what a workspace has, once it is linked for them.
    """
    workspace, found = inventory.workspace, dict[tuple[str, bool], dict[str, SkillSummary]]()
    if workspace.kind is TargetKind.WORKSPACE and not tracked.exists(workspace.path(".claude", "skills")):
        return found
    by_root: dict[str, tuple[tuple[str, bool], ...]] = {}
    for card in inventory.cards:
        if card.problem is None and not card.unlisted:
            root = card.skills_root
            if root not in by_root:
                by_root[root] = _keys(os.path.relpath(root, workspace.root).replace(os.sep, "/"))
            for key in by_root[root]:
                found.setdefault(key, {}).setdefault(card.folder, card)
    return found


def _keys(folder: str) -> tuple[tuple[str, bool], ...]:
    installed = FOLDERS.get(folder, ())
    return tuple((host, False) for host in (_CLAUDE, _CODEX) if host in installed) or ((_CLAUDE, True),) * (
        not installed
    )


def _entry(card: SkillSummary, text: str) -> ListEntry:
    return ListEntry(card.folder, text, f"r0/{card.folder}/SKILL.md")


def _effect(title: str, found: ListFit, texts: list[str], skills: str) -> str:
    """What the host does with a list that is too long; empty where it is not."""
    count, kept = len(texts), sum(size > 0 for size in found.kept)
    if found.full <= found.budget:
        return ""
    sizes = f"{found.full:,} of {found.budget:,} characters"
    if LEFT_OUT in found.kept:
        named = count - found.kept.count(LEFT_OUT)
        return f"{title} lists {named} of these {skills}, by name alone, and leaves out the others ({sizes})"
    if found.names > found.budget:
        names = f"their names alone take {found.names:,} of {found.budget:,} characters"
        return f"{title} shows the description of none of these {skills}: {names}"
    if title == LISTINGS[_CODEX][0]:
        longest = max(found.kept)
        is_much = sum(len(text) for text in texts) - sum(found.kept) > _CUT * count
        return f"{title} cuts the descriptions of these {skills}, to {longest} characters" if is_much else ""
    return f"{title} shows the descriptions of {kept} of these {skills}, and of the others the names ({sizes})"


@Predicate("listing-text", Subject.SKILL, values=("length", "most"), needs="when-to-use")
def listing_text_cut(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A description that is cut in the list, together with `when_to_use`."""
    when, facts = skill.field("when_to_use"), LISTINGS[_CLAUDE][1]
    if isinstance(when, Scalar) and skill.description:
        description, most = skill.description.value, facts.text_max or 0
        length = len(f"{description} - {when.value}".encode("utf-16-le")) // 2
        if length > most >= len(description):
            yield Match(skill.path, when.start, when.end, {"length": f"{length:,}", "most": f"{most:,}"})
