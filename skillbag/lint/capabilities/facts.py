"""What a reviewer wants to know of a skill, as values, and the risk of each. A fact is no accusation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum, StrEnum
from functools import total_ordering

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.base.json_records import fits


class FactKind(StrEnum):
    """What a fact is about, in the order in which reports show it."""

    DOWNLOAD_RUN = "download-run"
    SENT = "sent"
    REMOTE_INSTRUCTIONS = "remote-instructions"
    STEERING = "steering"
    HOST = "host"
    UNKNOWN_HOST = "unknown-host"
    PROGRAM = "program"
    PACKAGE = "package"
    SECRET_FILE = "secret-file"  # noqa: S105 - a kind
    VARIABLE = "variable"
    WALLET = "wallet"
    WRITE_OUTSIDE = "write-outside"
    RIGHTS = "rights"
    PERSISTENCE = "persistence"
    AGENT_FILE = "agent-file"
    MCP_SERVER = "mcp-server"
    HOOK = "hook"
    ALLOWED_TOOL = "allowed-tool"
    INPUT = "input"
    ENCODED_TEXT = "encoded-text"
    OPAQUE_FILE = "opaque-file"
    FINDING = "finding"


@total_ordering
class Risk(Enum):
    """How much a fact asks for a look before the skill is installed."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def __lt__(self, other: Risk) -> bool:
        risks = list(Risk)
        return risks.index(self) < risks.index(other)


class FactPlace(NamedTuple):
    """Where a fact is read: a path relative to the skill, with `/`, and the 1-based line and column (0: the file)."""

    path: Annotated[str, fits(minLength=1)]
    line: Annotated[int, fits(minimum=0)] = 0
    column: Annotated[int, fits(minimum=0)] = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


class Fact(NamedTuple):
    """A fact. `marks` are words of `MARKS`; `places` are sorted."""

    kind: Annotated[FactKind, "What it is about; the page of `skillbag capabilities` explains each."]
    value: str
    risk: Risk
    marks: Annotated[tuple[Annotated[str, fits(minLength=1)], ...], "Words that say more."]
    detail: str
    places: Annotated[
        tuple[FactPlace, ...],
        fits(minItems=1),
        "Where it is read, relative to the skill; line and column are 1-based, 0 for a whole file.",
    ]

    @property
    def key(self) -> tuple[FactKind, str]:
        """What makes it the same fact in another version of the skill."""
        return self.kind, self.value


class FoundFact(NamedTuple):
    """A fact as a reader finds it at one place."""

    kind: FactKind
    value: str
    place: FactPlace
    marks: tuple[str, ...] = ()
    detail: str = ""


class DeclaredCapabilities(NamedTuple):
    """What the skill says of itself."""

    tools: Annotated[tuple[str, ...], "`allowed-tools`."] = ()
    permissions: Annotated[tuple[str, ...], "The permissions of SKILL.yaml."] = ()
    compatibility: str = ""
    programs: Annotated[tuple[str, ...], "`requires.bins` in `metadata`."] = ()
    variables: Annotated[tuple[str, ...], "`requires.env` in `metadata`."] = ()


class Comparison(NamedTuple):
    """Declared against observed: sentences' subjects, sorted. `unnamed_hosts` are not in the text of `SKILL.md`."""

    unused: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    unnamed_hosts: tuple[str, ...] = ()


class SkillFacts(NamedTuple):
    """The facts of the skill in the folder `directory` (absolute), sorted by kind and value.

    `name` is the folder's name, `content` the tree hash of the folder, empty where it can't be read. `unread` are files
    of text that can't be read. One that `is_skill` not is what stands around the skills of a plugin or project.
    """

    name: str
    directory: str
    content: str
    facts: tuple[Fact, ...]
    declared: DeclaredCapabilities = DeclaredCapabilities()
    comparison: Comparison = Comparison()
    unread: tuple[str, ...] = ()
    is_skill: bool = True

    @property
    def risk(self) -> Risk:
        """The highest risk of its facts."""
        return max((fact.risk for fact in self.facts), default=Risk.INFO)


class TargetFacts(NamedTuple):
    """The facts of all skills of the target at `root` (absolute), sorted by folder."""

    root: str
    skills: tuple[SkillFacts, ...]

    @property
    def facts(self) -> Iterator[tuple[SkillFacts, Fact]]:
        """Every fact with its skill."""
        for skill in self.skills:
            for fact in skill.facts:
                yield skill, fact


RISKS: Mapping[FactKind, Risk] = {
    FactKind.DOWNLOAD_RUN: Risk.HIGH,
    FactKind.SENT: Risk.HIGH,
    FactKind.REMOTE_INSTRUCTIONS: Risk.HIGH,
    FactKind.STEERING: Risk.HIGH,
    FactKind.HOST: Risk.LOW,
    FactKind.UNKNOWN_HOST: Risk.LOW,
    FactKind.PROGRAM: Risk.INFO,
    FactKind.PACKAGE: Risk.LOW,
    FactKind.SECRET_FILE: Risk.LOW,
    FactKind.VARIABLE: Risk.INFO,
    FactKind.WALLET: Risk.MEDIUM,
    FactKind.WRITE_OUTSIDE: Risk.MEDIUM,
    FactKind.RIGHTS: Risk.MEDIUM,
    FactKind.PERSISTENCE: Risk.HIGH,
    FactKind.AGENT_FILE: Risk.INFO,
    FactKind.MCP_SERVER: Risk.MEDIUM,
    FactKind.HOOK: Risk.HIGH,
    FactKind.ALLOWED_TOOL: Risk.INFO,
    FactKind.INPUT: Risk.MEDIUM,
    FactKind.ENCODED_TEXT: Risk.LOW,
    FactKind.OPAQUE_FILE: Risk.INFO,
    FactKind.FINDING: Risk.HIGH,
}
"""The risk of a fact without marks that change it."""

MARKS: Mapping[tuple[FactKind, str], Risk] = {
    (FactKind.DOWNLOAD_RUN, "vendor"): Risk.MEDIUM,
    (FactKind.SENT, "login-file"): Risk.MEDIUM,
    (FactKind.HOST, "sends"): Risk.MEDIUM,
    (FactKind.HOST, "public-address"): Risk.HIGH,
    (FactKind.UNKNOWN_HOST, "sends"): Risk.MEDIUM,
    (FactKind.PROGRAM, "shell"): Risk.LOW,
    (FactKind.PROGRAM, "run-time"): Risk.LOW,
    (FactKind.PACKAGE, "global"): Risk.MEDIUM,
    (FactKind.PACKAGE, "foreign"): Risk.MEDIUM,
    (FactKind.SECRET_FILE, "read"): Risk.HIGH,
    (FactKind.VARIABLE, "secret"): Risk.MEDIUM,
    (FactKind.VARIABLE, "all"): Risk.MEDIUM,
    (FactKind.WRITE_OUTSIDE, "system"): Risk.HIGH,
    (FactKind.RIGHTS, "own-file"): Risk.INFO,
    (FactKind.RIGHTS, "everyone"): Risk.HIGH,
    (FactKind.AGENT_FILE, "written"): Risk.MEDIUM,
    (FactKind.AGENT_FILE, "settings-written"): Risk.HIGH,
    (FactKind.ALLOWED_TOOL, "any-command"): Risk.MEDIUM,
    (FactKind.ALLOWED_TOOL, "everything"): Risk.HIGH,
    (FactKind.ENCODED_TEXT, "command"): Risk.HIGH,
    (FactKind.OPAQUE_FILE, "program"): Risk.HIGH,
    (FactKind.OPAQUE_FILE, "archive"): Risk.MEDIUM,
    (FactKind.OPAQUE_FILE, "unknown"): Risk.MEDIUM,
    (FactKind.OPAQUE_FILE, "outside"): Risk.MEDIUM,
}
"""The risk of a fact with such a mark; of several marks the highest counts. Other marks change nothing."""


TAUGHT = "taught"
"""The mark of a fact of which all places show an attack, quote it, or are data: no limit denies it."""


def risk_of(kind: FactKind, marks: Collection[str]) -> Risk:
    """The risk of a fact of this kind with these marks."""
    raised = [MARKS[kind, mark] for mark in marks if (kind, mark) in MARKS]
    return min(max(raised, default=RISKS[kind]), Risk.LOW if TAUGHT in marks else Risk.HIGH)
