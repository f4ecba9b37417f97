"""Verify a source with the rules of `skillbag check --config target=source`, without the source's own configuration."""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import AGENTS, SKILL_FILE, SKILL_ROOT, SkillFolder, Target, TargetKind, installed
from skillbag.lint.engine.causes import by_cause
from skillbag.lint.engine.config import Config, choose
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.lint.rules.model import Rule
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.problems import quoted
from skillbag.supply.sources.fetched import Fetched, PlainSkills
from skillbag.supply.sources.lfs_pointers import FIX, lfs_pointers
from skillbag.supply.sources.skill_layout import plain_hint, skill_folder_in

_SHOWN = 10
"""The most skills that a message names."""
_FOLDER_NAME = "name-folder-mismatch"
_BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


class SourceVerdict(NamedTuple):
    """Why nothing may be installed from a source, and the warnings about each of the skills, with paths in it."""

    problems: tuple[Problem, ...]
    warnings: Mapping[str, Sequence[Finding]]


def verify_source(fetched: Fetched, names: Iterable[str]) -> SourceVerdict:
    """Judge a source; without problems it is sound (clause bootstrap.validate).

    Errors of the default rules count; the source's own configuration, suppressions and baseline are ignored. It must
    have each of `names` as a valid skill. Of a plain repository only these skills are checked, as with
    `skillbag check --config target=skills`. A problem of the whole source has all names as its `skills`.
    """
    names = tuple(dict.fromkeys(names))
    find = _source_problems if fetched.plain is None else _plain_problems
    warnings: list[Finding] = []
    found = (*find(fetched, names, warnings), *_pointers(fetched, names))
    problems = tuple(problem if problem.skills else problem._replace(skills=names) for problem in found)
    owners = {skill_folder_in(fetched, name): name for name in names}
    found_in: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in by_cause(warnings, {rule.id for rule in load_default_rules() if rule.once}):
        folder = finding.path
        while folder not in owners and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if folder in owners:
            found_in[owners[folder]].append(_in_source(finding, fetched))
    return SourceVerdict(problems, found_in)


def warning_notes(warnings: Mapping[str, Sequence[Finding]], source: str) -> Iterator[str]:
    """A sentence for each warning about security in skills at the address `source`, and the number of the others."""
    dangers = [(name, each) for name, found in warnings.items() for each in found if each.rule in security_rules()]
    for name, each in dangers[:_SHOWN]:
        yield f"Warning about {name}: {each.message} ({each.path}:{each.line}, {each.rule})."
    if rest := sum(map(len, warnings.values())) - len(dangers[:_SHOWN]):
        yield f"{rest} {'other ' if dangers else ''}warning{'s' * (rest > 1)}: skillbag check {source} shows all."


def _source_problems(fetched: Fetched, names: tuple[str, ...], warnings: list[Finding]) -> Iterator[Problem]:
    has_part = any(os.path.exists(f"{fetched.root}/{part}") for part in (AGENTS, SKILL_ROOT))
    if names and not has_part and (hint := plain_hint(fetched, names[0])):
        # A problem for each missing part would say less than what it is.
        message = f"this is no SkillBag source: it has neither `{AGENTS}` nor `{SKILL_ROOT}/`"
        yield _problem(fetched, message, "", "source.contents", hint)
        return
    workspace = Workspace(installed(TargetKind.SOURCE, fetched.root))
    linted = lint_target(workspace, load_default_rules(), defined=frozenset(), today="", suppressions=False)
    warnings += (finding for finding in linted.findings if finding.level is Severity.WARNING)
    yield from (_of_finding(finding, fetched) for finding in linted.findings if finding.level is Severity.ERROR)
    # An invalid skill has findings already.
    known = {card.folder for card in linted.summaries}
    for name in (name for name in names if name not in known):
        message, path = f"there is no skill `{name}` in this source", f"{SKILL_ROOT}/{name}/{SKILL_FILE}"
        nearest = _nearest(name, sorted(card.folder for card in linted.summaries if card.valid))
        fix = " ".join(filter(None, (nearest, plain_hint(fetched, name))))
        problem = _problem(fetched, message, path, "bootstrap.validate", fix)
        yield problem._replace(kind=ProblemKind.NO_SKILL, skills=(name,))
    for card in linted.summaries:
        yield from _unprintable(card, fetched)


def _plain_problems(fetched: Fetched, names: tuple[str, ...], warnings: list[Finding]) -> Iterator[Problem]:
    assert fetched.plain is not None  # noqa: S101 -- the caller has looked
    plain = fetched.plain
    # A repository that is itself a skill has no folder around it.
    paths = sorted(plain.folders[name] for name in names if name in plain.folders)
    folders = tuple(SkillFolder(os.path.basename(path), path, os.path.dirname(path)) for path in paths)
    workspace = Workspace.of(Target(TargetKind.SKILLS, fetched.root, ()), folders)
    linted = lint_target(workspace, load_default_rules(), defined=frozenset(), today="", suppressions=False)
    warnings += (finding for finding in linted.findings if finding.level is Severity.WARNING)
    for finding in linted.findings:
        # The installed folder has the declared name.
        if finding.level is Severity.ERROR and finding.rule != _FOLDER_NAME:
            yield _of_finding(finding, fetched)._replace(skills=_skill_at(finding.path, plain, names))
    for name in names:
        if name not in plain.folders:
            yield _not_plain(name, plain, fetched)
    for card in linted.summaries:
        for problem in _unprintable(card, fetched):
            yield problem._replace(skills=_skill_at(card.path, plain, names))


def _pointers(fetched: Fetched, names: Iterable[str]) -> Iterator[Problem]:
    """Files of the skills that are stored elsewhere."""
    for name in names:
        folder = skill_folder_in(fetched, name)
        for pointer in lfs_pointers(folder) if folder is not None else ():
            path = os.path.relpath(os.path.join(str(folder), pointer.path), fetched.root).replace(os.sep, "/")
            problem = _problem(fetched, f"{name}: {pointer.fault}", path, "bootstrap.validate", FIX)
            yield problem._replace(skills=(name,))


def _problem(fetched: Fetched, message: str, path: str, clause: str | None, fix: str | None) -> Problem:
    source = fetched.source.declared
    return Problem(ProblemKind.INVALID_SOURCE, message, source, path, clause=clause or "", fix=fix or "")


def _skill_at(path: str, plain: PlainSkills, names: Iterable[str]) -> tuple[str, ...]:
    """The innermost of the named skills that holds the path, if any."""
    holding = [name for name in names if name in plain.folders and is_within(plain.folders[name], path)]
    return tuple(sorted(holding, key=lambda name: len(plain.folders[name]))[-1:])


def _not_plain(name: str, plain: PlainSkills, fetched: Fetched) -> Problem:
    """Why a plain repository does not have the required skill."""
    if fetched.source.kind.has_releases:
        message = f"it has no `{SKILL_FILE}`, which a skill of a workspace must have"
        fix = "Ask its publisher for one; the runtime takes a folder without it from `runtime.dirs`."
        return _problem(fetched, message, SKILL_FILE, "root.path", fix)._replace(skills=(name,))
    path, message = "", f"there is no skill `{name}` in this repository"
    refused = next((path for path in plain.refused if os.path.basename(path) == name), None)
    here = [declared for declared, folder in plain.folders.items() if os.path.basename(folder) == name != declared]
    if folders := plain.ambiguous.get(name):
        path, message = (
            folders[0],
            f"several folders hold different skills named `{name}`: {quoted(folders)}",
        )
        fix = "Name one of these folders behind the address: `OWNER/NAME/FOLDER`, or its path on the disk."
    elif refused is not None:
        path, message = refused, plain.refused[refused]
        fix = "Its author has to replace such links with copies."
    elif here:
        fix = f"The folder `{name}` holds the skill `{here[0]}`."
    else:
        fix = _nearest(name, list(plain.folders))
    problem = _problem(fetched, message, path, "bootstrap.validate", fix)._replace(skills=(name,))
    return problem if path else problem._replace(kind=ProblemKind.NO_SKILL)


@cache
def load_default_rules() -> tuple[Rule, ...]:
    """The default rules, without those of our extensions and of manifests: other authors may mean something else."""
    return tuple(rule for rule in choose(load_core_rules(), Config(folder="")) if rule.family != "extensions")


@cache
def security_rules() -> frozenset[str]:
    """The ids of the rules about security. They judge by signs, so that the user may accept what they find."""
    return frozenset(rule.id for rule in load_default_rules() if rule.family == "security")


def _of_finding(finding: Finding, fetched: Fetched) -> Problem:
    path = _in_source(finding, fetched).path
    problem = _problem(fetched, finding.message, path, finding.clause, finding.fix)
    if finding.rule in security_rules():
        accept = f"If you have read it and it is harmless, --accept {finding.rule} accepts it."
        problem = problem._replace(fix=f"{finding.fix or ''} {accept}".strip())
    return problem._replace(line=finding.line, column=finding.column, rule=finding.rule)


def _in_source(finding: Finding, fetched: Fetched) -> Finding:
    return finding._replace(path=os.path.relpath(finding.path, fetched.root).replace(os.sep, "/"))


def _unprintable(card: SkillSummary, fetched: Fetched) -> Iterator[Problem]:
    """A description goes into the catalog, which agents and terminals read, so it may not hide anything."""
    text = card.description.value if card.description else ""
    hidden = next((char for char in text if unicodedata.category(char) == "Cc" or char in _BIDIRECTIONAL), None)
    if hidden is not None:
        message = f"the description of `{card.folder}` holds the control character U+{ord(hidden):04X}"
        path = os.path.relpath(card.path, fetched.root).replace(os.sep, "/")
        yield _problem(fetched, message, path, "root.catalog-line", "Remove it there.")


def _nearest(name: str, valid: Sequence[str]) -> str:
    if not valid:
        return "It offers no valid skill at all."
    nearest = difflib.get_close_matches(name, valid, 1)
    if nearest:
        return f"Did you mean `{nearest[0]}`?"
    return f"It offers {quoted(valid, _SHOWN)}."
