"""What another version of a skill can do that the installed one can't, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.capabilities.facts import TAUGHT, Fact, FactKind, Risk, SkillFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.base.json_records import fits


class CapabilityChange(NamedTuple):
    """The facts that a skill gains and loses. `installed` is false where nothing of it is installed: all is gained."""

    skill: Annotated[str, fits(minLength=1)]
    installed: bool
    gained: tuple[Fact, ...]
    lost: tuple[Fact, ...]

    @property
    def is_risky(self) -> bool:
        """Whether a fact of high risk is gained."""
        return any(fact.risk is Risk.HIGH for fact in self.gained)


def change(name: str, before: SkillFacts | None, after: SkillFacts) -> CapabilityChange:
    """The change from one version to another. A fact of higher risk or with other marks counts as gained."""
    old = {fact.key: fact for fact in before.facts} if before else {}
    new = {fact.key: fact for fact in after.facts}
    gained = tuple(fact for key, fact in new.items() if key not in old or _grew(old[key], fact))
    return CapabilityChange(
        name, before is not None, gained, tuple(fact for key, fact in old.items() if key not in new)
    )


def _grew(old: Fact, new: Fact) -> bool:
    return new.risk > old.risk or (
        new.detail != old.detail and new.kind in (FactKind.OPAQUE_FILE, FactKind.HOOK, FactKind.MCP_SERVER)
    )


class CapabilityLimits(NamedTuple):
    """What is denied: facts of a risk or higher, and facts of some kinds."""

    risk: Risk | None = None
    kinds: frozenset[FactKind] = frozenset()

    def denied(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Those of the facts that are denied."""
        for fact in facts:
            if TAUGHT not in fact.marks and (
                (self.risk is not None and fact.risk >= self.risk) or fact.kind in self.kinds
            ):
                yield fact


GROUPS: Mapping[str, frozenset[FactKind]] = {
    "network": frozenset(
        [
            *(FactKind.DOWNLOAD_RUN, FactKind.SENT, FactKind.REMOTE_INSTRUCTIONS),
            *(FactKind.HOST, FactKind.UNKNOWN_HOST, FactKind.PACKAGE),
        ]
    )
}
"""Words for several kinds."""


def limits_of(words: Iterable[str]) -> CapabilityLimits:
    """The limits that words set: `Risk`, `FactKind` and those of `GROUPS`; of several risks the lowest counts."""
    given = set(words)
    given.update(kind for word in given & GROUPS.keys() for kind in GROUPS[word])
    risks = [risk for risk in Risk if risk.value in given]
    return CapabilityLimits(min(risks) if risks else None, frozenset(kind for kind in FactKind if kind.value in given))
