"""Skills further below an agent's folder than agents look, by the facts about hosts."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.hosts.model import HostFacts
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.workspace.model import Inventory
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.skill_places import deep_skills


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
