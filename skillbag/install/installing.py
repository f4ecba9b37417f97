"""`install`, `add` and `update` from what was asked to what was done: resolve, verify, plan, ask, apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from skillbag.errors import UserError
from skillbag.install.address import parse_source
from skillbag.install.claims import Ask, Asked
from skillbag.install.fetch import Fetcher
from skillbag.install.fetched import Fetched
from skillbag.install.fetching import Wish, fetch_one
from skillbag.install.frozen import resolve_frozen
from skillbag.install.outcome import Outcome, SkillRow, Status, StoppedError, Trouble, TroubleKind
from skillbag.install.plan import FileStep, Permits, Plan, plan_install
from skillbag.install.resolve import Resolution, resolve
from skillbag.install.state import State
from skillbag.transaction.writer import writing
from skillbag.workspace.skill import NAME
from skillbag.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks of an installation; `command` is the word that the report goes by.

    `source` and `version` hold for every name. `everything` takes all that the source offers. `declare` writes the
    names into `CONTEXT.md` as well. `yes` accepts the plan, `accept_steps` the extra steps of sources; `overwrite` and
    `merge` name the skills whose local edits may give way. `markers` leaves conflict markers in what `merge` can't
    join. `wait` are the seconds to wait for another writer.
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
    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()
    markers: bool = False
    declare: bool = False
    wait: float = 60.0


@dataclass(frozen=True, slots=True)
class Asker:
    """Whom to ask, and to tell of a wait (`waiting`); without a person (`present` false) a question ends the run."""

    present: bool = False
    plan: Callable[[Outcome], bool] = field(default=lambda _: False)
    steps: Callable[[Trouble], bool] = field(default=lambda _: False)
    waiting: Callable[[], None] = field(default=lambda: None)


class NoTargetError(UserError):
    """There is nothing to install (clause bootstrap.target)."""


class BadNameError(UserError):
    """A name that no skill can have."""


def install_into(root: str, request: Request, fetcher: Fetcher, asker: Asker) -> Outcome:
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
            return _install(root, request, fetcher, asker, held)
    except StoppedError as stopped:
        return Outcome(request.command, root, troubles=stopped.troubles, dry_run=request.dry_run)


def _install(root: str, request: Request, fetcher: Fetcher, asker: Asker, held: ExitStack) -> Outcome:
    state = State(root)
    asked = _asked(state, request, fetcher)
    resolution = resolve_frozen(state, asked, fetcher) if request.frozen else resolve(state, asked, fetcher)
    _verify(resolution)
    merged = _merged(state, resolution, request, fetcher, held)
    permits = Permits(request.overwrite, request.merge)
    declaration = _declaration(state, request, resolution)
    plan = plan_install(state, resolution, permits, merged, _reserved(state, held), declaration)
    outcome = _told(plan, resolution, request)
    if request.dry_run:
        return replace(outcome, troubles=() if request.accept_steps else tuple(_open_steps(plan)))
    _consent(plan, outcome, request, asker)
    from skillbag.install.apply import apply

    return replace(outcome, backups=apply(plan))


def _check_names(request: Request) -> None:
    for name in (*request.names, *request.overwrite, *request.merge):
        check_name(name)
    if request.everything and not request.source:
        raise UserError("--all needs --source: everything of which source?")
    if request.everything and request.names:
        raise UserError("--all takes everything: give it, or names, not both")
    if request.source and not request.names and not request.everything:
        raise UserError(
            "which skills of this source? Name them, or give --all; skillbag list --source shows what it offers"
        )
    if request.version and not request.names and not request.everything:
        raise UserError("--version needs the names of skills, or --all --source")
    if request.frozen and request.upgrade:
        raise UserError("--frozen installs what is locked, --upgrade looks for newer versions: give one of them")


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


def _asked(state: State, request: Request, fetcher: Fetcher) -> Asked:
    names = request.names
    if request.everything and request.source:
        names = offered_names(_fetched(state.root, request.source, request.version, fetcher))
    narrowed = frozenset(request.names) if request.upgrade else frozenset()
    asked = Asked(
        tuple(_ask(state, request, name, fetcher) for name in names),
        upgrade=request.upgrade,
        upgraded=narrowed,
        optional=request.optional,
        renewed=request.overwrite | request.merge,
        declare=request.declare,
    )
    if not names and not state.declarations.dependencies and not state.lock.skills:
        raise NoTargetError(
            "nothing to install: CONTEXT.md declares no dependencies and no skill is named; "
            "skillbag install NAME --source ADDRESS takes one, skillbag add declares it as well"
        )
    unknown = sorted(name for name in request.overwrite | request.merge if not state.is_present(name))
    if unknown:
        raise UserError(f"{', '.join(unknown)}: no such skill is installed, so there is nothing to overwrite or merge")
    return asked


def _ask(state: State, request: Request, name: str, fetcher: Fetcher) -> Ask:
    """What is asked of one name. What is to be declared needs a version, so that the lock can answer to it."""
    if not request.declare:
        return Ask(name, request.source, request.version)
    from skillbag.install.declaring import version_to_declare

    return version_to_declare(state, Ask(name, request.source, request.version), fetcher)


def _fetched(root: str, address: str, version: str | None, fetcher: Fetcher) -> Fetched:
    answer = fetch_one(fetcher, Wish(parse_source(address, root), version, None))
    if isinstance(answer, tuple):
        raise StoppedError(*answer)
    return answer


def offered_names(fetched: Fetched) -> tuple[str, ...]:
    """The names of the skills that a source offers, in order."""
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import Kind, installed

    return tuple(folder.name for folder in Workspace(installed(Kind.SOURCE, fetched.root)).skill_folders)


def _verify(resolution: Resolution) -> None:
    """Every fault of every source, before anything else (clauses install.validate, install.all-or-nothing)."""
    names: dict[str, tuple[Fetched, list[str]]] = {}
    for chosen in resolution.chosen.values():
        if chosen.fetched is not None:
            names.setdefault(chosen.fetched.root, (chosen.fetched, []))[1].append(chosen.name)
    troubles = [*resolution.troubles]
    if names:
        # Most runs find everything installed: they don't pay for the rules.
        from skillbag.install.verify import verify_source

        for fetched, wanted in names.values():
            for fault in verify_source(fetched, wanted):
                troubles.append(
                    Trouble(
                        TroubleKind.INVALID_SOURCE,
                        fault.message,
                        fault.source,
                        fault.path,
                        fault.line,
                        fault.column,
                        fault.rule,
                        fault.clause or "",
                        fault.fix or "",
                    )
                )
    if troubles:
        raise StoppedError(*troubles)


def _merged(
    state: State, resolution: Resolution, request: Request, fetcher: Fetcher, held: ExitStack
) -> Mapping[str, str]:
    """The folders in which local edits and new versions are joined, by skill; they live as long as `held`."""
    wanted = [name for name in sorted(request.merge) if name in resolution.chosen and state.is_edited(name)]
    if not wanted:
        return {}
    from skillbag.install.merging import merge_skill

    merged = {name: merge_skill(state, resolution.chosen[name], request.markers, fetcher, held) for name in wanted}
    return {name: folder for name, folder in merged.items() if folder is not None}


def _declaration(state: State, request: Request, resolution: Resolution) -> Iterator[FileStep]:
    if request.declare:
        from skillbag.install.declaring import declared_file

        yield declared_file(state, request.names, resolution)


def _reserved(state: State, held: ExitStack) -> str | None:
    """A folder with the reserved skill, where the workspace has none (clause install.bootstrap); None where it has."""
    if state.is_present(BOOTSTRAP_SKILL):
        return None
    import tempfile

    from skillbag.bootstrap.templates import template

    folder = held.enter_context(tempfile.TemporaryDirectory(prefix="skillbag-"))
    with open(f"{folder}/{SKILL_FILE}", "wb") as file:
        file.write(template("get-skills.md").encode("utf-8"))
    return folder


def _told(plan: Plan, resolution: Resolution, request: Request) -> Outcome:
    rows = sorted([*(step.row for step in plan.steps if step.row), *resolution.left_out], key=lambda row: row.name)
    changed = [f"{SKILL_ROOT}/{step.name}" for step in plan.changes] + [file.path for file in plan.files]
    return Outcome(
        request.command,
        plan.root,
        tuple(rows),
        notes=tuple(_notes(rows)),
        changed=tuple(changed),
        dry_run=request.dry_run,
    )


def _notes(rows: list[SkillRow]) -> Iterator[str]:
    left = [row.name for row in rows if row.status is Status.LEFT_OUT and "--optional" in row.why]
    if left:
        yield f"Optional and left out: {', '.join(left)}; --optional installs them."


def _open_steps(plan: Plan) -> Iterator[Trouble]:
    """The extra steps of sources that something is newly taken from, as far as nobody has agreed to them yet."""
    used = {step.fetched.root for step in plan.changes if step.fetched is not None}
    if not used:
        return
    from skillbag.install.steps import accepted, extra_steps

    for root, (fetched, names) in plan.fetched.items():
        text = extra_steps(fetched) if root in used else None
        if text is not None and not accepted(text):
            yield Trouble(
                TroubleKind.QUESTION,
                f"its AGENTS.md has extra installation steps (for {', '.join(sorted(names))}); agree to follow them?",
                source=fetched.source.declared,
                path="AGENTS.md",
                clause="bootstrap.extra-steps",
                fix="Read them; --accept-steps agrees. They are text for you or your agent: none is executed here.",
                text=text,
            )


def _consent(plan: Plan, outcome: Outcome, request: Request, asker: Asker) -> None:
    """Get agreement to extra steps and to what gives way, or stop."""
    unanswered = []
    agreed = []
    for trouble in _open_steps(plan):
        if request.accept_steps or (asker.present and asker.steps(trouble)):
            agreed.append(trouble.text)
        else:
            unanswered.append(trouble)
    replaced = [row.name for row in outcome.skills if row.status is Status.UPGRADED]
    if not unanswered and replaced and not request.yes and not (asker.present and asker.plan(outcome)):
        unanswered.append(
            Trouble(
                TroubleKind.QUESTION,
                f"this replaces {', '.join(replaced)}; go ahead?",
                clause="install.place",
                fix="--yes accepts the plan; --dry-run shows it.",
            )
        )
    if unanswered:
        raise StoppedError(*unanswered)
    if agreed:
        from skillbag.install.steps import accept

        for text in agreed:
            accept(text)
