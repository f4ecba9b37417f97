"""`install`, `add` and `update` from what was asked to what was done: resolve, verify, plan, ask, apply."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from skillbag.base.errors import UserError
from skillbag.install.confirmation import Prompter, consent, moved_tags, open_steps, steps_of
from skillbag.install.fetching import FetchSpec, fetch_one
from skillbag.install.frozen import resolve_frozen
from skillbag.install.integrity import lock_notes
from skillbag.install.keep_going import check_excluded, check_needs, going_on, with_excluded
from skillbag.install.outcome import (
    Outcome,
    Problem,
    ProblemKind,
    SkillRow,
    Status,
    StoppedError,
)
from skillbag.install.plan import FileRewrite, InstallPlan, MergedSkill, OverwritePolicy, plan_install
from skillbag.install.requirements import RequestSet, SkillRequest
from skillbag.install.resolve import Resolution, resolve
from skillbag.install.state import InstalledState
from skillbag.install.tree_view import reached
from skillbag.sources.address import Source, SourceKind
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched
from skillbag.sources.skill_layout import named_skills, plain_hint
from skillbag.standard.declarations import Level, Wanted
from skillbag.transaction.agreed_steps import agree
from skillbag.transaction.writer import writing
from skillbag.workspace.target import BOOTSTRAP_SKILL, NAME, SKILL_FILE, SKILL_ROOT


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """What the command line asks of an installation; `command` is the word that the report goes by.

    `source` and `version` hold for every name. `everything` takes all that the source offers. With `plain` the source
    may be a plain repository of Agent Skills, whose skills are held to the rules of those. `declare` writes the
    names into `CONTEXT.md` as well. `yes` accepts the plan, `accept_steps` the extra steps of sources,
    `accept_moved` that tags mean other content than they did; `overwrite` and
    `merge` name the skills whose local edits may give way. `markers` leaves conflict markers in what `merge` can't
    join. `wait` are the seconds to wait for another writer. `listed` are skills that a context file names for the
    reserved skill to install, each with the level of that file. `excluded` are left as they are, whoever asks for them;
    with `keep_going` what can't be had is left out, and told, instead of ending the run: these are the `failed`.
    """

    command: str = "install"
    names: tuple[str, ...] = ()
    source: str | None = None
    version: str | None = None
    everything: bool = False
    upgrade: bool = False
    optional: bool = False
    frozen: bool = False
    dry_run: bool = False
    yes: bool = False
    accept_steps: bool = False
    accept_moved: bool = False
    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()
    markers: bool = False
    declare: bool = False
    wait: float = 60.0
    plain: bool = False
    listed: tuple[tuple[Wanted, Level], ...] = ()
    excluded: frozenset[str] = frozenset()
    keep_going: bool = False
    failed: frozenset[str] = frozenset()


class NoTargetError(UserError):
    """There is nothing to install (clause bootstrap.target)."""


class BadNameError(UserError):
    """A name that no skill can have."""


def install_into(root: str, request: InstallRequest, fetcher: Fetcher, asker: Prompter) -> Outcome:
    """Bring the workspace at `root` to what is declared and asked for, all of it or nothing.

    Raises:
        UserError: it can't be done as asked (exit code 2).
        OSError: the environment failed, or another writer took too long; the workspace is as it was.
    """
    _check_names(request)
    try:
        with ExitStack() as held:
            if not request.dry_run:
                held.enter_context(writing(root, request.wait, asker.waiting))
            return going_on(request, lambda asked: _install(root, asked, fetcher, asker, held))
    except StoppedError as stopped:
        return Outcome(request.command, root, stopped.skills, stopped.problems, dry_run=request.dry_run)


def _install(root: str, request: InstallRequest, fetcher: Fetcher, asker: Prompter, held: ExitStack) -> Outcome:
    state, asked, declaration = _asked(InstalledState(root), request, fetcher)
    resolution = resolve_frozen(state, asked, fetcher) if request.frozen else resolve(state, asked, fetcher)
    _verify(resolution)
    check_excluded(state, resolution, request, fetcher)
    check_needs(state, resolution, request)
    _check_renewed(request, resolution)
    merged = _merged(state, resolution, request, fetcher, held)
    permits = OverwritePolicy(request.overwrite, request.merge)
    plan = plan_install(state, resolution, permits, merged, _reserved(state, held), declaration)
    outcome = with_excluded(_told(state, plan, resolution, request), request)
    _check_declared(outcome, resolution, asked)
    steps = tuple(steps_of(plan))
    if request.dry_run:
        moved = () if request.accept_moved else tuple(moved_tags(plan, state.lock))
        open_ = () if request.accept_steps else tuple(open_steps(plan.root, steps))
        return replace(outcome, problems=(*moved, *open_), steps=() if open_ else steps)
    agreed = {"yes": request.yes, "accept_steps": request.accept_steps, "accept_moved": request.accept_moved}
    consent(plan, steps, outcome, asker, state.lock, **agreed)
    agree(plan.root, steps, {step.name for step in plan.changes})
    from skillbag.install.apply import apply

    return replace(outcome, backups=apply(plan), steps=steps)


def _check_names(request: InstallRequest) -> None:
    for name in (*request.names, *request.overwrite, *request.merge, *request.excluded):
        check_name(name)
    if request.everything and not request.source:
        raise UserError("--all needs --source: everything of which source?")
    if request.everything and request.names:
        raise UserError("--all takes everything: give it, or names, not both")
    if request.source and not request.names and not request.everything and not request.listed:
        raise UserError(
            "which skills of this source? Name them, or give --all; skillbag list --source shows what it offers"
        )
    if request.plain and request.declare:
        raise UserError(
            "--plain can't be declared: CONTEXT.md has no word for it, and who reads it takes each source for a "
            "SkillBag source; skillbag install NAME --source ADDRESS --plain keeps it in skillbag.lock"
        )
    if request.plain and not request.source:
        raise UserError("--plain needs --source: which repository of plain Agent Skills?")
    if request.version and not request.names and not request.everything and not (request.source and request.listed):
        raise UserError("--version needs the names of skills, or --all --source")
    if request.frozen and request.upgrade:
        raise UserError("--frozen installs what is locked, --upgrade looks for newer versions: give one of them")
    if request.frozen and (request.overwrite or request.merge):
        raise UserError("--frozen touches nothing that is there: leave it out to overwrite or merge")
    if request.frozen and request.accept_moved:
        raise UserError("--frozen installs the commits that are locked, wherever tags are: leave out --accept-moved")
    if request.frozen and (request.excluded or request.keep_going):
        raise UserError("--frozen installs all that is locked: leave out --except and --keep-going")
    if both := sorted(request.excluded & {*request.names, *request.overwrite, *request.merge}):
        raise UserError(f"{', '.join(both)}: named, and by --except too: give one of them")
    if both := sorted(request.overwrite & request.merge):
        raise UserError(f"{', '.join(both)}: --overwrite lets local edits go, --merge keeps them: give one of them")


def check_name(name: str) -> None:
    """Refuse what is no canonical name of a skill (clause root.name-pattern), before anything else looks at it.

    Raises:
        BadNameError: with the name that was probably meant.
    """
    if len(name) <= 64 and NAME.fullmatch(name):
        return
    from skillbag.bootstrap.skill import suggest_name

    better = suggest_name(name)
    hint = f"; is {better} meant?" if better else ""
    raise BadNameError(f"{name!r} is no name of a skill: a-z, 0-9 and single hyphens{hint}")


def _asked(
    state: InstalledState, request: InstallRequest, fetcher: Fetcher
) -> tuple[InstalledState, RequestSet, tuple[FileRewrite, ...]]:
    """What is asked for, the workspace that it is asked of, and the change of its `CONTEXT.md` if there is one."""
    _check_present(state, request)
    names = _offered(state, request, fetcher) if request.everything else request.names
    taken = [name for name in names if name not in request.excluded]
    asks = tuple(SkillRequest(name, request.source, request.version, request.plain) for name in taken)
    newer = frozenset(names if request.upgrade else ())
    asked = RequestSet(
        asks,
        upgraded=None if request.upgrade and not newer else newer | request.merge,
        optional=request.optional,
        renewed=request.overwrite | request.merge,
        merged=request.merge,
        listed=request.listed,
        excluded=request.excluded,
    )
    if request.declare:
        from skillbag.install.declaring import declared_file

        file, state, assumed = declared_file(state, asks, fetcher)
        return state, replace(asked, skills=(), declared=frozenset(names), assumed=assumed), (file,)
    if not names and not request.listed and not state.declarations.dependencies and not state.lock.skills:
        raise NoTargetError(
            "nothing to install: CONTEXT.md declares no dependencies and no skill is named; "
            "skillbag install NAME --source ADDRESS takes one, skillbag add declares it as well"
        )
    return state, asked, ()


def _check_present(state: InstalledState, request: InstallRequest) -> None:
    if request.source:
        state.source(request.source)
    unknown = sorted(name for name in request.overwrite | request.merge if not state.is_present(name))
    if unknown:
        raise UserError(f"{', '.join(unknown)}: no such skill is installed, so there is nothing to overwrite or merge")


def _check_renewed(request: InstallRequest, resolution: Resolution) -> None:
    """What shall be overwritten or merged needs something to be overwritten or merged with."""
    for name in sorted(request.overwrite | request.merge):
        chosen = resolution.chosen.get(name)
        if chosen is None or chosen.fetched is None:
            raise UserError(
                f"{name}: it is your own, and nothing says where else it comes from; "
                f"skillbag install {name} --source ADDRESS --overwrite {name} takes that one"
            )


def _check_declared(outcome: Outcome, resolution: Resolution, asked: RequestSet) -> None:
    """What is declared must be what is there, or nobody could tell why the lock does not answer to it."""
    problems = []
    for row in outcome.skills:
        elsewhere = row.status is Status.EDITED and resolution.chosen[row.name].fetched is not None
        if row.name in asked.declared and (elsewhere or row.status is Status.SKIPPED):
            place = f"{SKILL_ROOT}/{row.name}"
            message = f"{row.name}: {row.why}"
            problems.append(Problem(ProblemKind.QUESTION, message, path=place, clause="resolution.local-edits"))
    if problems:
        raise StoppedError(*problems)


def _offered(state: InstalledState, request: InstallRequest, fetcher: Fetcher) -> tuple[str, ...]:
    """The skills of `--all --source`, without the reserved one: every installation brings that by itself."""
    address = request.source or ""
    fetched = _fetched(state.source(address, plain=request.plain), request.version, fetcher)
    nameless = fetched.plain.nameless if fetched.plain else ()
    names = tuple(name for name in sorted(named_skills(fetched)) if name != BOOTSTRAP_SKILL)
    if not request.excluded.issuperset(nameless):
        message = f"skills that have no name that a skill can have: {', '.join(nameless)}"
        fix = "Name the skills to take, instead of --all; or leave them out with --keep-going."
        problem = Problem(ProblemKind.INVALID_SOURCE, message, fetched.source.declared, clause="bootstrap.validate")
        raise StoppedError(problem._replace(fix=fix, skills=nameless))
    if not names:
        hint = plain_hint(fetched)
        raise UserError(f"{fetched.source.declared}: it offers no skill{f'. {hint}' if hint else ''}")
    return names


def _fetched(source: Source, version: str | None, fetcher: Fetcher) -> Fetched:
    answer = fetch_one(fetcher, FetchSpec(source, version, None))
    if isinstance(answer, tuple):
        raise StoppedError(*answer)
    return answer


def _verify(resolution: Resolution) -> None:
    """Every fault of every source, before anything else (clauses install.validate, install.all-or-nothing)."""
    names: dict[tuple[str, bool], tuple[Fetched, list[str]]] = {}
    for chosen in resolution.chosen.values():
        if (fetched := chosen.fetched) is not None:
            names.setdefault((fetched.root, fetched.plain is None), (fetched, []))[1].append(chosen.name)
    problems = [*resolution.problems]
    if names:
        # Most runs find everything installed: they don't pay for the rules.
        from skillbag.install.verify import verify_source

        for fetched, wanted in names.values():
            for fault in verify_source(fetched, wanted):
                problems.append(
                    Problem(
                        ProblemKind.INVALID_SOURCE,
                        fault.message,
                        fault.source,
                        fault.path,
                        fault.line,
                        fault.column,
                        fault.rule,
                        fault.clause or "",
                        fault.fix or "",
                        skills=(fault.skill,) if fault.skill else tuple(wanted),
                    )
                )
    if problems:
        raise StoppedError(*problems)


def _merged(
    state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher, held: ExitStack
) -> Mapping[str, MergedSkill]:
    """What local edits and new versions are joined to, by skill; the folders live as long as `held`."""
    wanted = [name for name in sorted(request.merge) if name in resolution.chosen and state.is_edited(name)]
    if not wanted:
        return {}
    from skillbag.install.merging import merge_skill

    merged = {name: merge_skill(state, resolution.chosen[name], request.markers, fetcher, held) for name in wanted}
    return {name: joined for name, joined in merged.items() if joined is not None}


def _reserved(state: InstalledState, held: ExitStack) -> str | None:
    """A folder with the reserved skill, where the workspace has none (clause install.bootstrap); None where it has."""
    if state.is_present(BOOTSTRAP_SKILL):
        return None
    import tempfile

    from skillbag.bootstrap.templates import template

    folder = held.enter_context(tempfile.TemporaryDirectory(prefix="skillbag-"))
    with open(f"{folder}/{SKILL_FILE}", "wb") as file:
        file.write(template("get-skills.md").encode("utf-8"))
    return folder


def _told(state: InstalledState, plan: InstallPlan, resolution: Resolution, request: InstallRequest) -> Outcome:
    rows = sorted([*(step.row for step in plan.steps if step.row), *resolution.left_out], key=lambda row: row.name)
    changed = [f"{SKILL_ROOT}/{step.name}" for step in plan.changes] + [file.path for file in plan.files]
    return Outcome(
        request.command,
        plan.root,
        tuple(rows),
        notes=(*_notes(state, rows), *(lock_notes(state) if request.frozen else ())),
        changed=tuple(changed),
        dry_run=request.dry_run,
    )


def _is_bare(state: InstalledState, row: SkillRow) -> bool:
    """Whether a version was given that means nothing."""
    if row.source is None or row.version is None or state.source(row.source).kind is not SourceKind.FOLDER:
        return False
    from skillbag.install.declaring import UNVERSIONED

    return row.version != UNVERSIONED


def how_to_remove(names: Sequence[str]) -> str:
    """The command that takes skills out, and that it does."""
    return f"skillbag remove {' '.join(names)} takes {'it' if len(names) == 1 else 'them'} out"


def needed_by_own(state: InstalledState, going: Container[str] = ()) -> set[str]:
    """What the user's own skills need, and they themselves; those `going` do not count. The lock knows none of it."""
    own = [card.folder for card in state.inventory.cards if card.folder not in state.lock.skills]
    return reached((name for name in own if name not in going), state.needs)


def _notes(state: InstalledState, rows: list[SkillRow]) -> Iterator[str]:
    unversioned = sorted({row.source or "" for row in rows if row.status is Status.INSTALLED and _is_bare(state, row)})
    for source in unversioned:
        yield f"{source} is a folder, taken as it is: a version is only written down (file:// takes a tag or branch)."
    left = [row.name for row in rows if row.status is Status.LEFT_OUT and "--optional" in row.why]
    if left:
        yield f"Optional and left out: {', '.join(left)}; --optional installs them."
    asked_for = {row.name for row in rows if row.asked_by}
    kept = asked_for | needed_by_own(state)
    orphans = [name for name in sorted(state.lock.skills) if name not in kept and state.is_present(name)]
    if orphans:
        yield f"Nothing asks for {', '.join(orphans)} any more: {how_to_remove(orphans)}."
