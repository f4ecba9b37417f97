"""The outcome of a command about installed skills, shown as text or printed as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.transaction.agreed_steps import ExtraSteps

if TYPE_CHECKING:
    from skillbag.lint.capabilities.changes import CapabilityChange
    from skillbag.lint.skill_graph.listing import HostListing
    from skillbag.lint.skill_graph.values import SkillGraph


_Name = Annotated[str, fits(minLength=1)]


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
    ADOPTED = "adopted"


class SkillRow(NamedTuple):
    """One skill of a report."""

    name: _Name
    status: Annotated[
        Status,
        "What was done with it, or its state. `current`: matches the lock; `edited`: has local edits and stays; "
        "`skipped`: is installed and stays; `own`: not in the lock; `adopted`: another "
        "program put it there, and the lock has it now; `pinned`: its version cannot move, but a newer one "
        "exists; `unknown`: its source could not be reached; `left-out`: optional, prohibited, named by `--except`, or "
        "failed under `--accept failures`.",
    ]
    source: Annotated[str | None, "The address as declared, without credentials."] = None
    version: Annotated[str | None, "The version as declared."] = None
    resolved: Annotated[str | None, "The git commit, or `sha256:` and the hash of the archive; null for a folder."] = (
        None
    )
    was: Annotated[
        str | None, "The resolved version before an upgrade, or the installed one of an outdated or pinned skill."
    ] = None
    tree: Annotated[str | None, "The tree hash."] = None
    asked_by: Annotated[tuple[_Name, ...], "`CONTEXT.md`, `command line`, or names of skills."] = ()
    needs: Annotated[tuple[_Name, ...], "The skills that it requires."] = ()
    why: Annotated[str, "One sentence for people."] = ""
    description: str = ""


class ProblemKind(StrEnum):
    """Why a command failed, each with its exit code."""

    exit: int

    def __new__(cls, value: str, exit_: int) -> ProblemKind:
        """A kind can't be added without its exit code."""
        kind = str.__new__(cls, value)
        kind._value_, kind.exit = value, exit_
        return kind

    INVALID_SOURCE = "invalid-source", 1
    NO_SKILL = "no-skill", 1
    DRIFT = "drift", 1
    UNRESOLVED = "unresolved", 1
    CONFLICT = "conflict", 3
    CYCLE = "cycle", 3
    QUESTION = "question", 3
    DECLINED = "declined", 3
    NOTHING_PICKED = "nothing-picked", 3
    DENIED = "denied", 1
    USAGE = "usage", 2
    FETCH = "fetch", 4
    ENVIRONMENT = "environment", 4


class Problem(NamedTuple):
    """One reason why nothing was done."""

    kind: Annotated[
        ProblemKind,
        "Its exit code: 1 for invalid-source, drift, unresolved and denied; 2 for usage; 3 for conflict, cycle, "
        "question and declined; 4 for fetch and environment. A run ends with the most severe one.",
    ]
    message: _Name
    source: Annotated[str, "The address as declared, without credentials; empty if it is about no source."] = ""
    path: Annotated[str, "Relative to the source or the workspace, with `/`."] = ""
    line: Annotated[int, fits(minimum=0), "1-based; 0 without a line."] = 0
    column: Annotated[int, fits(minimum=0), "1-based, in Unicode code points; 0 without a column."] = 0
    rule: str = ""
    clause: Annotated[str, "The id of the standard's clause."] = ""
    fix: Annotated[str, "What to do about it."] = ""
    chains: Annotated[
        tuple[tuple[str, ...], ...],
        "The chain of requiring skills, from its start; the last item may be the declaration.",
    ] = ()
    text: Annotated[str, "The text to read before answering."] = ""
    skills: Annotated[
        tuple[_Name, ...],
        "The skills that cannot be installed for this reason alone; with `--accept failures` these were skipped.",
    ] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run.

    `root` is the workspace's absolute path, or "". `changed` are the files and folders of the workspace that were
    written (with `dry_run`: would be), relative, with `/`. `text` is a patch, another requested text, or how to
    install the rest; `values` are further results, such as sizes of the cache. `steps` are the extra installation
    steps that the user has agreed to, and that are still to be carried out. `capabilities` is what changed skills can
    do, or gain and lose. `graph` is that of all skills, `listings` what hosts show of them, where these are wanted.
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
    listings: tuple[HostListing, ...] = ()

    @property
    def is_planned(self) -> bool:
        """Whether nothing of the plan was done; `--accept failures` does some of it despite problems."""
        return self.dry_run or (bool(self.problems) and not self.changed)

    @property
    def exit(self) -> int:
        """0, or the highest exit code of the problems: 4 environment, 3 question, 2 usage, 1 invalid."""
        return max((problem.kind.exit for problem in self.problems), default=0)


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
