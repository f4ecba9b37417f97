"""What the commands print with `--json` that have no family of their own, as records.

`schemas/commands.schema.json` is made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.base.records import NamedTuple
from skillbag.report.answers.registry import OfferedSkillJson

Shape: TypeAlias = Mapping[str, object]
"""A JSON Schema, or an object whose keys others define."""


class CompletionJson(NamedTuple):
    """The script for a shell."""

    shell: str
    script: str


class RuleJson(NamedTuple):
    """A rule."""

    id: str
    family: str
    clause: str | None
    level: Annotated[str, fits(enum=("error", "warning", "note"))]
    raised: str | None
    roles: Mapping[str, str | None]
    default: bool
    heuristic: bool
    owasp: tuple[str, ...]
    once: bool
    summary: str
    message: str
    fix: str | None
    why: str
    targets: tuple[str, ...]
    plain: Annotated[str | None, "Its level in plain skills, if the rule is another there: without a clause."]


class RulesJson(NamedTuple):
    """The rules that are meant; one for the name of a rule."""

    rules: tuple[RuleJson, ...]


class SetupFileJson(NamedTuple):
    """A file of a plan."""

    act: Annotated[str, fits(enum=("create", "append", "insert", "keep"))]
    path: str
    why: str


class SetupJson(NamedTuple):
    """What is written, or would be, and what to do next."""

    dry_run: bool
    root: str
    files: tuple[SetupFileJson, ...]
    next: tuple[str, ...]


class HelpJson(NamedTuple):
    """The page."""

    help: str


class CallJson(NamedTuple):
    """A call: what the tool gives, and whether the user must be asked something first."""

    tool: str
    result: object
    asks: bool


class FailedCallJson(NamedTuple):
    """A call that failed."""

    tool: str
    error: str


class DefinitionJson(NamedTuple):
    """With `--schema`: the definition."""

    name: str
    description: str
    parameters: Shape
    result: Shape
    writes: bool
    destroys: bool


class ToolsJson(NamedTuple):
    """With `--list`: the tools, and why some are left out."""

    tools: tuple[DefinitionJson, ...]
    remarks: tuple[str, ...]


class ServedJson(NamedTuple):
    """One line, printed when the server answers over HTTP."""

    url: str
    token_file: str


class PluginToolJson(NamedTuple):
    """An entry of what a plugin offers; the first one has the hooks."""

    name: str
    description: str
    parameters: Shape
    hooks: tuple[str, ...] | Absent = ABSENT


class OfferedJson(NamedTuple):
    """The tools and hooks, as hosts are given them."""

    tools: tuple[PluginToolJson, ...]


class HookAnswerJson(NamedTuple):
    """The answer to a hook, as hosts are given it."""

    answer: object


class ServedCallJson(NamedTuple):
    """A call."""

    tool: str
    result: str


class HookFileJson(NamedTuple):
    """What was done with the hooks."""

    path: Annotated[str, "The absolute path of the agent's settings."]
    status: Annotated[str, fits(enum=("installed", "unchanged", "removed", "absent"))]
    dry_run: Annotated[bool, "Nothing was written."]


class PersonalSkillJson(NamedTuple):
    """A personal skill; `hidden`: a skill of the project has its name."""

    name: str
    description: str
    folder: str
    file: str
    hidden: bool


class PersonalListJson(NamedTuple):
    """The personal skills."""

    root: str | None
    skills: tuple[PersonalSkillJson, ...]
    remarks: tuple[str, ...]


class KeptVersionJson(NamedTuple):
    """A version that is kept."""

    name: str
    number: Annotated[int, fits(minimum=1), "What `--version` takes."]
    description: str
    folder: str


class KeptVersionsJson(NamedTuple):
    """The versions that are kept, of `personal restore --list`."""

    root: str | None
    versions: tuple[KeptVersionJson, ...]


class PersonalRootJson(NamedTuple):
    """Their folder, and what names it."""

    root: str | None
    from_: str


class PersonalChangeJson(NamedTuple):
    """A change of a personal skill."""

    summary: str
    skillName: str  # noqa: N815 - hosts of plugins know this key
    status: Annotated[str, fits(enum=("installed", "replaced", "removed", "restored"))]
    folder: str
    kept: tuple[str, ...]


class PersonalChangesJson(NamedTuple):
    """What was done, also if a later change failed."""

    dry_run: bool
    changes: tuple[PersonalChangeJson, ...]
    error: str | Absent = ABSENT


class MarketSourceJson(NamedTuple):
    """A source of the marketplace."""

    name: str
    address: str
    version: str | None


class SourceChangeJson(NamedTuple):
    """The source."""

    source: MarketSourceJson


class IndexJson(NamedTuple):
    """The file of the index."""

    path: str
    state: str
    bytes: int


class IndexedSourceJson(NamedTuple):
    """A source, and how it was indexed; `skills` is null before."""

    name: str
    address: str
    version: str | None
    skills: int | None
    remarks: tuple[str, ...]
    updated: str | None
    resolved: str | None


class MarketplaceJson(NamedTuple):
    """The sources, and the state of the index."""

    index_: IndexJson
    sources: tuple[IndexedSourceJson, ...]


class UpdatedSourceJson(NamedTuple):
    """A source that was indexed; `skills` is null where it could not be."""

    name: str
    address: str
    version: str | None
    skills: Annotated[int, fits(minimum=0)] | None
    remarks: tuple[str, ...]
    failures: tuple[str, ...]


class UpdatedSourcesJson(NamedTuple):
    """What was indexed."""

    sources: tuple[UpdatedSourceJson, ...]


class OfferedSkillsJson(NamedTuple):
    """The skills of the index."""

    skills: tuple[OfferedSkillJson, ...]


class InstalledJson(NamedTuple):
    """What was installed."""

    text: str
