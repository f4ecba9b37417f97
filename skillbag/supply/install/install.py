"""`install`, `add` and `update`: resolve, verify, plan, confirm, apply."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.transaction.agreed_steps import agree
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE
from skillbag.supply.bootstrap.templates import template
from skillbag.supply.install.accepted import accepted_notes, check_acceptable, verified
from skillbag.supply.install.changed_versions import changed_problems
from skillbag.supply.install.confirmation import Prompter, consent, open_steps, steps_of
from skillbag.supply.install.frozen import resolve_frozen
from skillbag.supply.install.integrity import lock_notes
from skillbag.supply.install.keep_going import (
    Failures,
    check_excluded,
    check_needs,
    nameless_problems,
    rest_of_all,
    source_of_all,
    with_reasons,
)
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.supply.install.plan import MergedSkill
from skillbag.supply.install.planner import plan_install
from skillbag.supply.install.request import InstallRequest, SkillRequest, check_request, is_of_registry
from skillbag.supply.install.requirements import UNVERSIONED, missing_notes
from skillbag.supply.install.resolve import Resolution, resolve
from skillbag.supply.install.state import InstalledState
from skillbag.supply.install.tree_view import left_over_notes, orphan_notes
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.skill_layout import named_skills, plain_hint


def install_into(root: str, request: InstallRequest, fetcher: Fetcher, prompter: Prompter) -> Outcome:
    """Install what is declared and requested in the workspace at `root`, all of it or nothing.

    Raises:
        UserError: it can't be done as requested (exit code 2).
        OSError: the environment failed, or another writer took too long; the workspace is as it was.
    """
    check_request(request)
    check_acceptable(request.accept_rules)
    failures = Failures()
    try:
        with ExitStack() as stack:
            if not request.dry_run:
                stack.enter_context(writing(root, request.wait, prompter.waiting))
            while True:
                try:
                    outcome = _attempt(root, failures.excluded_from(request), fetcher, prompter, stack)
                    return failures.added_to(outcome)
                except StoppedError as stopped:
                    failures = failures.grown(request, stopped)
    except StoppedError as stopped:
        outcome = stopped_outcome(request, root, stopped)
        return replace(outcome, text=rest_of_all(InstalledState(root), request, stopped, fetcher))


def stopped_outcome(request: InstallRequest, root: str, stopped: StoppedError) -> Outcome:
    """The outcome of a run that changed nothing."""
    outcome = Outcome(request.command, root, stopped.skills, stopped.problems, dry_run=request.dry_run)
    return replace(outcome, capabilities=stopped.capabilities)


def _attempt(root: str, request: InstallRequest, fetcher: Fetcher, prompter: Prompter, stack: ExitStack) -> Outcome:
    state, requests, declaration = _requests(InstalledState(root), request, fetcher)
    resolution = (resolve_frozen if request.frozen else resolve)(state, requests, fetcher)
    if request.everything:
        unfit = nameless_problems(state, request, fetcher)
        resolution = replace(resolution, problems=(*resolution.problems, *unfit))
    resolution, accepted, warnings = verified(state, resolution, request.accept_rules)
    check_excluded(state, resolution, request, fetcher)
    check_needs(state, resolution, request)
    _check_renewed(request, resolution)
    merged = _merged(state, resolution, request, fetcher, stack)
    plan = plan_install(state, resolution, request.overwrite, merged, _reserved(state, stack), declaration)
    rows = sorted([*(step.row for step in plan.steps if step.row), *resolution.left_out], key=lambda row: row.name)
    notes = (
        *accepted_notes(accepted, request.accept_rules),
        *_notes(state, rows, requests),
        *_missing(state, resolution),
        *_begun_note(state),
        *(lock_notes(state) if request.frozen else ()),
    )
    outcome = Outcome(request.command, root, tuple(rows), notes=notes, changed=plan.paths, dry_run=request.dry_run)
    outcome = with_reasons(outcome, dict.fromkeys(request.excluded, "left out by --except"))
    _check_declared(state, outcome, resolution, requests)
    if any(step.row for step in plan.changes):
        from skillbag.supply.install.capabilities import plan_capabilities, plan_warnings

        facts = plan_capabilities(plan, request, outcome.skills)
        outcome = replace(outcome, capabilities=facts, notes=(*plan_warnings(plan, warnings), *outcome.notes))
    steps = tuple(steps_of(plan))
    changed = (step.changed for step in plan.steps if step.changed is not None)
    moved = () if request.accept_moved else tuple(changed_problems(changed))
    open_ = () if request.accept_steps else tuple(open_steps(plan.root, steps))
    if request.dry_run:
        return replace(outcome, problems=(*moved, *open_), steps=() if open_ else steps)
    new = [row.name for row in outcome.skills if row.status is Status.INSTALLED and state.locked(row.name) is None]
    locks = state.lock.skills
    recorded = {row.name for row in rows if state.is_stale(row.name) and row.tree == locks[row.name].tree}
    consent(moved, open_, outcome, prompter, new=new, yes=request.yes, recorded=recorded)
    agree(plan.root, steps, {step.name for step in plan.changes})
    from skillbag.supply.install.apply import apply

    return replace(outcome, backups=apply(plan), steps=steps)


def _requests(
    state: InstalledState, request: InstallRequest, fetcher: Fetcher
) -> tuple[InstalledState, InstallRequest, tuple[FileChange, ...]]:
    """The state to install into, the request with all its skills, and the change of `CONTEXT.md` if there is one."""
    _check_present(state, request)
    names = _offered(state, request, fetcher) if request.everything else request.names
    taken = [name for name in names if name not in request.excluded]
    known = {skill.name: skill for skill in request.skills}
    skills = tuple(
        known.get(name) or SkillRequest(name, request.source, request.version, request.folders.get(name))
        for name in taken
    )
    requests = replace(request, names=tuple(names), skills=skills)
    if request.declare and state.is_workspace:
        from skillbag.supply.install.declare import declared_file

        file, state, assumed = declared_file(state, skills, fetcher)
        return state, replace(requests, skills=(), declared=frozenset(names), assumed=assumed), (file,)
    is_empty = not (state.declarations.dependencies or state.lock.skills or state.left_over)
    if not names and not request.listed and is_empty:
        # Clause bootstrap.target.
        if state.adoptable:
            raise UserError(
                f"{state.adoptable} says which skills are here: skillbag adopt writes skillbag.lock from it"
            )
        raise UserError(
            "nothing to install: CONTEXT.md declares no dependencies and no skill is named; "
            "skillbag install NAME --source ADDRESS takes one, skillbag add declares it as well"
        )
    return state, requests, ()


def _check_present(state: InstalledState, request: InstallRequest) -> None:
    if request.source:
        # Refuses a bad address first.
        state.source(request.source)
    elif request.upgrade:
        for name in request.names:
            if name not in state.users:
                state.check_known(name)
    unknown = sorted(name for name in request.renewed if not state.is_present(name))
    if unknown:
        raise UserError(f"{', '.join(unknown)}: no such skill is installed, so there is nothing to overwrite or merge")


def _check_renewed(request: InstallRequest, resolution: Resolution) -> None:
    """Refuse to overwrite or merge a skill without a source."""
    for name in sorted(request.renewed):
        chosen = resolution.chosen.get(name)
        if chosen is None or chosen.fetched is None:
            raise UserError(
                f"{name}: it is your own, and has no declared source; "
                f"skillbag install {name} --source ADDRESS --overwrite {name} replaces it"
            )


def _check_declared(state: InstalledState, outcome: Outcome, resolution: Resolution, requests: InstallRequest) -> None:
    """A declared skill must be the installed one, or the lock would contradict the declaration."""
    problems = []
    for row in outcome.skills:
        elsewhere = row.status is Status.EDITED and resolution.chosen[row.name].fetched is not None
        if row.name in requests.declared and (elsewhere or row.status is Status.SKIPPED):
            message, path = f"{row.name}: {row.why}", state.at(row.name)
            problems.append(Problem(ProblemKind.QUESTION, message, path=path, clause="resolution.local-edits"))
    if problems:
        raise StoppedError(*problems)


def _offered(state: InstalledState, request: InstallRequest, fetcher: Fetcher) -> tuple[str, ...]:
    """The skills of `--all --source`, without the reserved one, which every installation brings."""
    fetched = source_of_all(state, request, fetcher)
    names = tuple(name for name in sorted(named_skills(fetched)) if name != BOOTSTRAP_SKILL)
    if not names:
        hint = plain_hint(fetched)
        raise UserError(f"{fetched.source.declared}: it offers no skill{f'. {hint}' if hint else ''}")
    return names


def _merged(
    state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher, stack: ExitStack
) -> Mapping[str, MergedSkill]:
    """The merges of local edits and new versions, by skill; their folders exist until `stack` is closed."""
    edited = [name for name in sorted(request.merge) if name in resolution.chosen and state.is_edited(name)]
    if not edited:
        return {}
    from skillbag.supply.install.merge import merge_skill

    merged = {name: merge_skill(state, resolution.chosen[name], request.markers, fetcher, stack) for name in edited}
    return {name: skill for name, skill in merged.items() if skill is not None}


def _reserved(state: InstalledState, stack: ExitStack) -> str | None:
    """A folder with the reserved skill (clause install.bootstrap); None if the workspace has it, or is none."""
    if state.is_present(BOOTSTRAP_SKILL) or not state.is_workspace:
        return None
    import tempfile

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="skillbag-"))
    write_new(f"{folder}/{SKILL_FILE}", template("get-skills.md").encode("utf-8"))
    return folder


@cache
def preload_rules() -> None:
    """Load the rules that verify sources in a thread, while git or a server answers; saves a tenth of a second."""

    def load() -> None:
        from skillbag.supply.install.verify import load_default_rules

        load_default_rules()

    threading.Thread(target=load, daemon=True).start()


def _notes(state: InstalledState, rows: list[SkillRow], requests: InstallRequest) -> Iterator[str]:
    installed = [row for row in rows if row.status is Status.INSTALLED]
    versioned = {row.source for row in installed if row.source and row.version not in (None, UNVERSIONED)}
    for source in sorted(name for name in versioned if state.source(name).kind.is_in_place):
        yield f"{source} is a folder, taken as it is: a version is only written down (file:// takes a tag or branch)."
    named = [row.name for row in rows if row.name in requests.declared and is_of_registry(row.source or "")]
    if named:
        # Clause source.kinds has no registries.
        yield f"CONTEXT.md names a registry for {', '.join(named)}, from which other programs may not install."
    added = [row for row in rows if row.name in requests.declared and row.source]
    kinds = {row.name: state.source(row.source or "").kind for row in added}
    if others := [name for name, kind in kinds.items() if kind.is_archive and kind.lock_kind != "zip"]:
        form = kinds[others[0]].lock_kind
        yield f"CONTEXT.md names a {form} archive for {', '.join(others)}; other programs may only take zips."
    left = [row.name for row in rows if row.status is Status.LEFT_OUT and "--accept optional" in row.why]
    if left:
        yield f"Optional and left out: {', '.join(left)}; --accept optional installs them."
    required = {row.name for row in rows if row.asked_by}
    yield from orphan_notes(state, (name for name in state.lock.skills if name not in required))
    yield from left_over_notes(state, {row.name for row in rows})


def _begun_note(state: InstalledState) -> tuple[str, ...]:
    """What to do next in a workspace that this installation begins, which no agent knows of yet."""
    if kind_at(state.root) is not None or not state.is_workspace:
        return ()
    what = f"{state.root} is a workspace from now on, with its skills in `{state.home}/`"
    then = "skillbag init writes SKILLBAG.md, which it must have; skillbag agent link shows the skills to an agent."
    return (f"{what}. Next: {then}",)


def _missing(state: InstalledState, resolution: Resolution) -> Iterator[str]:
    """What manifests of the installed skills require, and no requirement installs."""
    known = {*resolution.chosen, *state.wants, *(row.name for row in resolution.left_out)}
    for name, chosen in sorted(resolution.chosen.items()):
        yield from missing_notes(name, chosen.wants, known)
