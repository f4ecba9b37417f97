"""How faults are planted: each changes a right answer, or its effects on the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Deed(NamedTuple):
    """A request, the right outcome, and its effects on the workspace; a fault changes the latter two."""

    request: dict[str, Any]
    outcome: dict[str, Any]
    effects: dict[str, bytes | None]

    @property
    def inputs(self) -> dict[str, Any]:
        """What was asked with the operation."""
        inputs: dict[str, Any] = self.request["inputs"]
        return inputs

    @property
    def catalog(self) -> dict[str, str]:
        """The descriptions of the workspace's skills."""
        path = Path(self.request["workspace"], ".skills", "SKILLS.md")
        lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
        return {name: text for name, _, text in (line.partition(": ") for line in lines) if text}

    def text(self, name: str) -> str:
        """A file of the workspace; empty where there is none."""
        path = Path(self.request["workspace"], name)
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    def skill_files(self) -> list[str]:
        """Every `SKILL.md` of the workspace."""
        top = Path(self.request["workspace"])
        return sorted(str(path.relative_to(top)) for path in top.glob(".skills/*/SKILL.md"))

    def with_tag(self, tag: str) -> list[str]:
        """The skills whose descriptions have this tag."""
        return sorted(name for name, text in self.catalog.items() if tag in text.split())


class Fault(NamedTuple):
    """The operations that it may change, and how. A `crude` one answers every request alike."""

    operations: frozenset[str]
    plant: Callable[[Deed], object]
    crude: bool


FAULTS: dict[str, Fault] = {}
ALL = ("enter", "resolve", "run", "order", "winner", "refresh", "remember", "forget", "install", "check")
INPUTS = ("resolve", "run")

Plant = Callable[[Deed], object]


def fault(*operations: str, crude: bool = False) -> Callable[[Plant], Plant]:
    """Enter a change under the name of its function."""

    def enter(change: Plant) -> Plant:
        FAULTS[change.__name__.replace("_", "-")] = Fault(frozenset(operations), change, crude)
        return change

    return enter


def plant(name: str, operations: Sequence[str], change: Plant) -> None:
    """Enter a change that is not crude under a name."""
    FAULTS[name] = Fault(frozenset(operations), change, crude=False)


def answered(deed: Deed, kinds: set[str]) -> None:
    """Leave out questions of these kinds, as if they needed no answer."""
    open_ = [question for question in deed.outcome.get("questions", []) if question["kind"] not in kinds]
    if deed.outcome["status"] == "question":
        deed.outcome.update({"questions": open_, "status": "question" if open_ else "done"})


def refuse(deed: Deed, why: str) -> None:
    """Do nothing, and say why."""
    deed.effects.clear()
    deed.outcome.clear()
    deed.outcome.update(status="refused", error=why)
