"""The results of linting one skill, the target's own files, and a whole target."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillbag.kernel.model.findings import Finding, Suppression
    from skillbag.kernel.model.result import Aside
    from skillbag.kernel.workspace.summary import SkillSummary


class Verdict(NamedTuple):
    """Findings of one skill, or of a target's own files; suppressions are not yet applied.

    `files` counts the files read. `aside` lists each `SKILL.md` that is not linted as a skill.
    """

    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    files: int = 0
    aside: tuple[Aside, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but the number of files."""
        return not (self.findings or self.suppressions or self.aside)


class TargetVerdict(NamedTuple):
    """The verdicts of a target that are not empty, and the numbers of all its skills and files.

    `summaries` are those of the skills, if all were linted in this run.
    """

    verdicts: Sequence[Verdict]
    skills: int
    files: int
    summaries: tuple[SkillSummary, ...] = ()


class Linted(NamedTuple):
    """The result for one target: findings in order of place, with suppressions applied.

    `skills` and `files` count what was read; `summaries` are those of the skills, if all were linted in this run.
    `suppressed` counts the suppressed findings; `dated` says that a suppression has an expiry date. `aside` lists each
    `SKILL.md` in a skill that is not linted as one.
    """

    findings: tuple[Finding, ...]
    skills: int
    files: int
    suppressed: int
    dated: bool
    summaries: tuple[SkillSummary, ...]
    aside: tuple[Aside, ...]


def in_order(findings: list[Finding]) -> Iterator[Finding]:
    """Findings by path and place, each once."""
    seen: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)):
        key = (finding.path, finding.line, finding.column, finding.end_column, finding.rule, finding.message)
        if key not in seen:
            seen.add(key)
            yield finding
