"""What must not be lost: the mutations of made-up skills that are found, and by which rules."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from corpora import HERE
from mutations import KINDS, MALICE
from verdicts_ground import generated, mutations
from verdicts_measure import MALICIOUS, MUTATIONS, measure
from verdicts_tools import ours

RECORD = os.path.join(HERE, "verdicts_found.json")
"""What was found when the record was accepted: the rules by the id of the mutation, by ground."""
_GENERATED, _SKILLS, _SEED = 60, 20, 18

Found = Mapping[str, Mapping[str, list[str]]]
"""The rules that found a mutation, by its id, by ground; without those that are missed."""


def found_now(work: str) -> Found:
    """What the working tree finds, as warnings or errors."""
    good = sorted(generated(_GENERATED), key=lambda skill: sum(map(len, skill.files.values())))[:_SKILLS]
    ground = {MUTATIONS: mutations(KINDS, good, _SEED), MALICIOUS: mutations(MALICE, good, _SEED)}
    verdicts = measure(ours(), ground, work).verdicts
    return {name: {one.id: list(one.rules) for one in some if one.found} for name, some in verdicts.items()}


def recorded() -> Found:
    """The accepted record."""
    with open(RECORD, encoding="utf-8") as file:
        found: Found = json.load(file)
    return found


def accept(found: Found) -> None:
    """Make this the record."""
    with open(RECORD, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1, sort_keys=True)
        file.write("\n")


def lost(before: Found, now: Found) -> list[str]:
    """What the record has and `now` has not: `mutation: rule`, or the mutation where nothing finds it any more."""
    gone = []
    for ground, mutations_before in before.items():
        for name, rules in mutations_before.items():
            rules_now = now.get(ground, {}).get(name)
            if rules_now is None:
                gone.append(f"{name}: nothing finds it, it was {', '.join(rules)}")
            else:
                gone += [f"{name}: {rule}" for rule in rules if rule not in rules_now]
    return gone
