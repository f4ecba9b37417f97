"""The outcome of a command about installed skills, shown as text or printed as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from skillbag.kernel.transaction.agreed_steps import ExtraSteps

if TYPE_CHECKING:
    from skillbag.lint.capabilities.changes import CapabilityChange
    from skillbag.lint.skill_graph.values import SkillGraph


class Status(StrEnum):
    """The state of a skill, or what a command did to it."""

    INSTALLED = "installed"
    UPGRADED = "upgraded"
    CURRENT = "current"
    EDITED = "edited"
    SKIPPED = "skipped"
    OVERWRITTEN = "overwritten"
    MERGED = "merged"
    REMOVED = "removed"
    LEFT_OUT = "left-out"
    MISSING = "missing"
    OUTDATED = "outdated"
    PINNED = "pinned"
    UNKNOWN = "unknown"
    OFFERED = "offered"
    OWN = "own"


class SkillRow(NamedTuple):
    """One skill of a report.

    `source`, `version` (as declared) and `resolved` (commit or archive hash) say where it comes from, `was` is
    `resolved` before an upgrade; `asked_by` are its requesters: a context file, `command line`, or skills. `needs` are
    its dependencies. `why` is one sentence for people.
    """

    name: str
    status: Status
    source: str | None = None
    version: str | None = None
    resolved: str | None = None
    was: str | None = None
    tree: str | None = None
    asked_by: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    why: str = ""
    description: str = ""


class ProblemKind(StrEnum):
    """Why a command failed; each kind has its exit code."""

    INVALID_SOURCE = "invalid-source"
    DRIFT = "drift"
    UNRESOLVED = "unresolved"
    CONFLICT = "conflict"
    CYCLE = "cycle"
    QUESTION = "question"
    DECLINED = "declined"
    NOTHING_PICKED = "nothing-picked"
    DENIED = "denied"
    USAGE = "usage"
    FETCH = "fetch"
    ENVIRONMENT = "environment"


_EXITS = {
    ProblemKind.INVALID_SOURCE: 1,
    ProblemKind.DRIFT: 1,
    ProblemKind.UNRESOLVED: 1,
    ProblemKind.CONFLICT: 3,
    ProblemKind.CYCLE: 3,
    ProblemKind.QUESTION: 3,
    ProblemKind.DECLINED: 3,
    ProblemKind.NOTHING_PICKED: 3,
    ProblemKind.DENIED: 1,
    ProblemKind.USAGE: 2,
    ProblemKind.FETCH: 4,
    ProblemKind.ENVIRONMENT: 4,
}


class Problem(NamedTuple):
    """One reason why nothing was done.

    `source` is an address without credentials; `path` (relative to the source or workspace), `line` and `column`
    (1-based, 0: unknown) the place; `rule` and `clause` what it breaks; `fix` what to do; `chains` the requesters,
    each from the first one; `text` is to be read before answering the question. `skills` can't be installed for this
    reason, if it affects only them.
    """

    kind: ProblemKind
    message: str
    source: str = ""
    path: str = ""
    line: int = 0
    column: int = 0
    rule: str = ""
    clause: str = ""
    fix: str = ""
    chains: tuple[tuple[str, ...], ...] = ()
    text: str = ""
    skills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run.

    `root` is the workspace's absolute path, or "". `changed` are the files and folders of the workspace that were
    written (with `dry_run`: would be), relative, with `/`. `text` is a patch or another requested text; `values` are
    further results, such as sizes of the cache. `steps` are the extra installation steps that the user has agreed to,
    and that are still to be carried out. `capabilities` is what changed skills can do, or gain and lose. `graph` is
    that of all skills, where it was asked for.
    """

    command: str
    root: str = ""
    skills: tuple[SkillRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    dry_run: bool = False
    text: str = ""
    values: dict[str, str | int] = field(default_factory=dict)
    steps: tuple[ExtraSteps, ...] = ()
    capabilities: tuple[CapabilityChange, ...] = ()
    graph: SkillGraph | None = None

    @property
    def is_planned(self) -> bool:
        """Whether nothing of the plan was done; `--keep-going` does some of it despite problems."""
        return self.dry_run or (bool(self.problems) and not self.changed)

    @property
    def exit(self) -> int:
        """0, or the highest exit code of the problems: 4 environment, 3 question, 2 usage, 1 invalid."""
        return max((_EXITS[problem.kind] for problem in self.problems), default=0)


class StoppedError(Exception):
    """Nothing was done, for these problems. The caller turns it into an `Outcome`.

    `skills` is the plan that the user did not agree to, if it was made; `capabilities` is what its skills can do.
    """

    def __init__(
        self, *problems: Problem, skills: tuple[SkillRow, ...] = (), capabilities: tuple[CapabilityChange, ...] = ()
    ) -> None:
        super().__init__("\n".join(problem.message for problem in problems))
        self.problems = problems
        self.skills = skills
        self.capabilities = capabilities
