"""What every command about installed skills prints with `--json`, as a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.transaction.agreed_steps import ExtraSteps
from skillbag.lint.capabilities.changes import CapabilityChange
from skillbag.lint.skill_graph.listing import HostListing
from skillbag.report.answers.types import Text
from skillbag.report.graphs.values import GraphJson
from skillbag.supply.install.outcome import Outcome, Problem, SkillRow


class OutcomeJson(NamedTuple):
    """What was done, or would be; with problems, why not."""

    root: Annotated[str, "The workspace's absolute path; empty if there is none."]
    skills: Annotated[tuple[SkillRow, ...], "The affected skills, sorted by name."]
    problems: Annotated[
        tuple[Problem, ...],
        "Why nothing was done, or with `--accept failures` what was skipped; empty without problems.",
    ]
    notes: Annotated[tuple[str, ...], "Sentences for people."]
    changed: Annotated[
        tuple[Text, ...], "Files and folders that were written (or would be), relative to the root, with `/`."
    ]
    backups: Annotated[tuple[Text, ...], "Copies of replaced files, relative to the root, with `/`."]
    dry_run: Annotated[bool, "Whether it was a dry run."]
    text: Annotated[str, "The requested patch, tree or path; of a refused `--all` how to install the rest."]
    values: Annotated[Mapping[str, str | int], "Other figures: sizes of the cache, the number of differing files."]
    steps: Annotated[
        tuple[ExtraSteps, ...],
        "Accepted extra installation steps of the sources that skills were installed from.",
    ]
    capabilities: Annotated[
        tuple[CapabilityChange, ...],
        "What skills that are installed or replaced can do, or gain and lose against the installed version; empty if "
        "no skill changes.",
    ]
    graph: Annotated[GraphJson | Absent, "Of `tree` alone: all skills with their relations."] = ABSENT
    listings: Annotated[
        tuple[HostListing, ...] | Absent,
        "Of `tree --listing` alone: what each host shows its model of the skills. An estimate.",
    ] = ABSENT
    error: Annotated[Text | Absent, "The messages of the problems, a line each."] = ABSENT

    @classmethod
    def of(cls, outcome: Outcome) -> OutcomeJson:
        """The outcome."""
        return cls(
            *(outcome.root, outcome.skills, outcome.problems, outcome.notes, outcome.changed, outcome.backups),
            *(outcome.dry_run, outcome.text, outcome.values, outcome.steps),
            outcome.capabilities,
            ABSENT if outcome.graph is None else GraphJson.of(outcome.graph),
            outcome.listings or ABSENT,
            "\n".join(problem.message for problem in outcome.problems) or ABSENT,
        )
