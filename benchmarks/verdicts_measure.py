"""The verdicts of one linter on mutations and on malicious skills, and what it says of published ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mutations import KINDS, MALICE
from mutations.kinds import MAIN
from verdicts_ground import Labelled, mutations, published, write_tree
from verdicts_judge import Verdict, judge
from verdicts_tools import CrashError, Finding, Tool, accuses, run

MUTATIONS, MALICIOUS = "mutations", "malice"
"""The names of the two grounds."""


class Result(NamedTuple):
    """What a tool found of each ground, by the names of the grounds.

    `labelled` are the skills that it was shown. `seconds` and `skills` are of the good skills before the mutations;
    `accused` counts those among them for which it reports an error.
    """

    tool: str
    labelled: Mapping[str, Sequence[Labelled]]
    verdicts: Mapping[str, Sequence[Verdict]]
    seconds: float
    skills: int
    accused: int

    def share(self, ground: str, family: str = "") -> tuple[int, int]:
        """How many of the skills of a ground, or of its families that begin so, are found, and of how many."""
        pairs = zip(self.labelled[ground], self.verdicts[ground], strict=True)
        found = [verdict.found for one, verdict in pairs if one.family.startswith(family)]
        return sum(found), len(found)


def grounds(seed: int, half: str = "") -> dict[str, list[Labelled]]:
    """The mutations and the malicious skills; `half` is `dev`, `held-out`, or empty for all.

    Raises:
        FileNotFoundError: the archives of published skills are not there.
    """
    good = published()
    if not good:
        raise FileNotFoundError("the archives of ../shared/corpus are not there")
    made = {MUTATIONS: mutations(KINDS, good, seed), MALICIOUS: mutations(MALICE, good, seed)}
    return {
        name: [one for one in some if not half or one.held_out == (half == "held-out")] for name, some in made.items()
    }


def measure(tool: Tool, ground: Mapping[str, Sequence[Labelled]], work: str) -> Result:
    """Run the tool on the skills before and after; both trees are written into `work`.

    Raises:
        CrashError: it does not even read the good skills.
    """
    shown: dict[str, Sequence[Labelled]] = {}
    verdicts = {}
    seconds, skills, accused = 0.0, 0, 0
    for name, labelled in ground.items():
        shown[name] = [one for one in labelled if name == MALICIOUS or one.family.startswith(tool.only)]
        tree = os.path.join(work, "before")
        write_tree((one.good for one in shown[name]), tree)
        before, took = run(tool, tree)
        after = _after(tool, shown[name], os.path.join(work, "after"))
        if name == MALICIOUS:
            before, after = ([one for one in some if accuses(tool, one)] for some in (before, after))
        verdicts[name] = judge(shown[name], before, after)
        seconds, skills = seconds + took, skills + len(shown[name])
        accused += len({finding.skill for finding in before if finding.level == "error"})
    return Result(tool.name, shown, verdicts, seconds, skills, accused)


def _after(tool: Tool, labelled: Sequence[Labelled], tree: str) -> list[Finding]:
    """The findings in the broken skills. Where one skill stops the tool, the others are tried without it."""
    write_tree((one.broken.skill for one in labelled), tree)
    try:
        return run(tool, tree)[0]
    except CrashError:
        if len(labelled) == 1:
            return []
    middle = len(labelled) // 2
    return [*_after(tool, labelled[:middle], tree), *_after(tool, labelled[middle:], tree)]


class Honest(NamedTuple):
    """What is said of published skills: `accused` are those with an error about malice."""

    skills: int
    findings: tuple[tuple[str, Finding], ...]
    accused: tuple[str, ...]


def honest(tool: Tool, trees: Iterable[str]) -> Honest:
    """Check collections of published skills; each finding comes with its tree."""
    skills, findings, accused = 0, [], set()
    for tree in trees:
        folders = {folder for folder, _, names in os.walk(tree) if MAIN in names}
        skills += len(folders)
        for raw in run(tool, tree)[0]:
            finding = raw._replace(path=f"{raw.skill}/{raw.path}") if raw.skill else raw
            findings.append((tree, finding))
            if finding.level == "error" and accuses(tool, finding):
                accused.add(_skill(os.path.join(tree, finding.path), folders))
    return Honest(skills, tuple(findings), tuple(sorted(accused)))


def _skill(path: str, folders: set[str]) -> str:
    """The folder of the skill that the file belongs to, or the file."""
    folder = os.path.dirname(path)
    while folder not in folders:
        if folder == os.path.dirname(folder):
            return path
        folder = os.path.dirname(folder)
    return folder
