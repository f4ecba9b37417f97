"""Labelled mutations of good skills: what a user breaks by accident, and what an attacker does on purpose."""

from __future__ import annotations

from mutations import campaigns, delivery, evasions, files, front_matter, links, named, scripts, texts, theft, turning
from mutations.kinds import Kind

KINDS: tuple[Kind, ...] = tuple(
    kind
    for module in (front_matter, named, links, scripts, texts, files, delivery, turning, theft)
    for kind in module.KINDS
)
"""All classes of mutations."""

MALICE: tuple[Kind, ...] = (*campaigns.KINDS, *evasions.KINDS)
"""Whole malicious skills."""
