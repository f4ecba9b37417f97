"""`adopt`: one lock of what other programs installed, found by what their files say and by content.

Content decides: a skill is at a version if its folder is as the source has it there. Only the lock and `CONTEXT.md` are
written.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.transaction.journal import refuse_link
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, Locked, short
from skillbag.kernel.workspace.placed import record_placed
from skillbag.kernel.workspace.skills_home import agent_folders, own_skills
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CONTEXT, SKILL_ROOT
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.adopt.claims import Claim, read_claims
from skillbag.supply.adopt.npx_hash import npx_hashes
from skillbag.supply.install.accepted import accepted_notes, check_acceptable
from skillbag.supply.install.apply import apply
from skillbag.supply.install.choice import located
from skillbag.supply.install.confirmation import Prompter, consent
from skillbag.supply.install.declare import declared_file
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.supply.install.plan import InstallPlan, SkillChange, SkillChangeKind
from skillbag.supply.install.plan_files import lock_files
from skillbag.supply.install.planner import recorded
from skillbag.supply.install.problems import quoted
from skillbag.supply.install.queries import present_row
from skillbag.supply.install.request import SkillRequest
from skillbag.supply.install.state import InstalledState, locked_row
from skillbag.supply.install.verify import security_rules, verify_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import Fetched, FetchFailure, FetchSpec, PlainSkills
from skillbag.supply.sources.skill_layout import at_content, at_folders, folder_in_source, skill_folder_in

_GIVEN = "--source"


@dataclass(frozen=True, slots=True)
class AdoptRequest:
    """The options: further `sources`, files to be `ignored`, and rules whose errors are accepted."""

    sources: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    accept_rules: frozenset[str] = frozenset()
    declare: bool = False
    dry_run: bool = False
    yes: bool = False
    wait: float = 60.0


class _Found(NamedTuple):
    """A skill of the claim's source; `same`: its folder there is as the one here."""

    claim: Claim
    fetched: Fetched
    folder: str
    same: bool


def adopt(root: str, request: AdoptRequest, fetcher: Fetcher, prompter: Prompter) -> Outcome:
    """Record the skills here that other programs installed, in the workspace or the project at `root`.

    Raises:
        UserError, OSError: it can't be done as requested, or the environment failed; nothing was written.
    """
    check_acceptable(request.accept_rules)
    claims, problems = read_claims(root, request.ignored)
    if problems:
        return Outcome("adopt", root, problems=tuple(problems), dry_run=request.dry_run)
    claims += [Claim("", _GIVEN, address) for address in request.sources]
    with nullcontext() if request.dry_run else writing(root, request.wait, prompter.waiting):
        state = InstalledState(root)
        if request.declare and not state.is_workspace:
            raise UserError(f"--declare writes {CONTEXT} of a workspace, and there is none here: leave it out")
        try:
            return _Adopting(state, request, fetcher, claims).run(prompter)
        except StoppedError as stopped:
            return Outcome("adopt", root, stopped.skills, stopped.problems, dry_run=request.dry_run)


class _Adopting:
    """One run: each source is fetched once."""

    def __init__(self, state: InstalledState, request: AdoptRequest, fetcher: Fetcher, claims: list[Claim]) -> None:
        self.state = state
        self.request = request
        self.fetcher = fetcher
        self.claims = claims
        self.answers: dict[tuple[str, str | None, str | None], Fetched | str] = {}
        self.failures: dict[str, Problem] = {}
        self.rows: dict[str, SkillRow] = {}
        self.locked: dict[str, Locked] = {}

    def run(self, prompter: Prompter) -> Outcome:
        """Judge every skill, then write what is known."""
        state, request = self.state, self.request
        self.rows = {name: present_row(state, name) for name in state.lock.skills}
        self._elsewhere()
        for name in own_skills(state.workspace.target.skill_roots[0]) if state.inventory.cards else ():
            if name not in state.lock.skills and name != BOOTSTRAP_SKILL:
                self._judge(name)
        for claim in self.claims:
            # A marketplace of Claude is asked on the chance; the others are meant.
            why = self.answers.get((claim.address, claim.version, None))
            if isinstance(why, str) and not claim.name and not claim.file.startswith(".claude/"):
                self.failures[claim.address] = Problem(ProblemKind.FETCH, why, source=claim.shown)
        missing = tuple(self._missing())
        dangers, notes = self._verified()
        files = [*self._declared()]
        steps = [
            SkillChange(name, SkillChangeKind.KEEP, self.rows[name], locked=locked)
            for name, locked in self.locked.items()
        ]
        files += lock_files(state, steps, {*state.lock.skills}) if steps else ()
        plan = InstallPlan(
            state.root, state.home, tuple(steps), tuple(file for file in files if file.before != file.after)
        )
        for file in plan.files:
            refuse_link(f"{state.root}/{file.path}")
        rows = tuple(row for _, row in sorted(self.rows.items()))
        problems = (*self.failures.values(), *dangers)
        notes = (*notes, *missing, *self._plugins())
        outcome = Outcome("adopt", state.root, rows, notes=notes, changed=plan.paths, dry_run=request.dry_run)
        if steps and not request.dry_run:
            consent((), (), outcome, prompter, new=self.locked, yes=request.yes)
            apply(plan)
            older = [name for name in self.locked if self.rows[name].status is Status.OUTDATED]
            record_placed(state.root, {state.at(name): state.tree(name) for name in older})
        return replace(outcome, problems=problems)

    def _judge(self, name: str) -> None:
        """Find the source of a present skill: the first that has it as it is here, else one that a file names."""
        own = [claim for claim in self.claims if claim.name == name]
        named = {claim.address for claim in own}
        tried = tuple(dict.fromkeys((*own, *self._known(own))))
        for found in filter(None, (self._at(claim, name) for claim in tried)):
            if found.same:
                return self._take(name, found)
        near: list[_Found] = []
        # Of a skill that no file names, a source that offers its name may have had it.
        mine = (
            claim
            for claim in tried
            if claim.file == _GIVEN or claim.address in named or (not own and self._at(claim, name))
        )
        for found in filter(None, (self._nearest(claim, name) for claim in mine)):
            if found.same:
                return self._take(name, found)
            near += [found] if own or found.claim.file == _GIVEN else []
        if near:
            return self._take(name, near[0])
        self.rows[name] = self._unknown(name, own)
        return None

    def _known(self, own: Iterable[Claim]) -> Iterator[Claim]:
        """Each source that is known, at its newest version: those of `--source` first."""
        known = {claim.address: claim._replace(folder=None) for claim in reversed(self.claims) if claim.address}
        known |= {claim.address: claim for claim in own if claim.address}
        for claim in sorted(known.values(), key=lambda claim: claim.file != _GIVEN):
            yield claim.newest

    def _at(self, claim: Claim, name: str) -> _Found | None:
        fetched = self._fetched(claim)
        if not isinstance(fetched, Fetched):
            return None
        if claim.folder:
            fetched = at_folders(fetched, {name: claim.folder})
        else:
            fetched = at_content(fetched, name, self.state.tree(name))
        folder = skill_folder_in(fetched, name)
        if folder is None:
            return None
        return _Found(claim, fetched, folder, tree_hash(folder) == self.state.tree(name))

    def _fetched(self, claim: Claim) -> Fetched | str:
        """The source, or why it can't be used."""
        key = (claim.address, claim.version, claim.commit)
        if claim.address and key not in self.answers:
            try:
                place = located(claim.address, claim.version, self.state.root, self.fetcher)
                source = self.state.source(place.address, plain=True)
                answer = fetch_one(self.fetcher, FetchSpec(source, place.version, claim.commit))
            except (UserError, StoppedError) as error:
                self.answers[key] = str(error)
            else:
                self.answers[key] = "; ".join(answer.reasons) if isinstance(answer, FetchFailure) else answer
        return self.answers[key] if claim.address else claim.why

    def _nearest(self, claim: Claim, name: str) -> _Found | None:
        """The skill at the commit that has most of it as it is here, unless a file says the commit."""
        found, fetched = self._at(claim, name), self._fetched(claim)
        if claim.commit or not isinstance(fetched, Fetched) or not fetched.source.kind.has_revisions:
            return found
        place = claim.folder or (folder_in_source(found.fetched, name) or "" if found else None)
        if fetched.plain is None:
            place = f"{SKILL_ROOT}/{name}"
        near = self.fetcher.commit_with(fetched.source, fetched.requested, self.state.folder(name), place)
        return (near and self._at(claim._replace(commit=near[0], folder=near[1] or None), name)) or found

    def _take(self, name: str, found: _Found) -> None:
        """Record the skill as the source has it, which may not be as it is here."""
        fetched, by = found.fetched, CONTEXT if self.request.declare else COMMAND_LINE
        tree = tree_hash(found.folder)
        locked = recorded(self.state, name, fetched, found.folder, tree, (by,))
        status, why = Status.ADOPTED, ""
        if not found.same:
            status, why = Status.EDITED, f"{self._differs(name, found.claim)}; skillbag diff {name} shows how"
            if found.claim.content in npx_hashes(self.state.folder(name)):
                status = Status.OUTDATED
                why = f"it is as {found.claim.file} records it, and its source has another version now"
                why = f"{why}: skillbag update {name} takes that"
        self.locked[name] = locked
        self.rows[name] = locked_row(name, status, locked)._replace(tree=self.state.tree(name), why=why)

    def _differs(self, name: str, taken: Claim) -> str:
        """Why a skill is not as in the version that is recorded for it."""
        if os.path.lexists(f"{self.state.folder(name)}/{_OF_AGR}"):
            return f"it differs from its source, at least by {_OF_AGR}, which agr wrote: delete that when agr is gone"
        for claim in self.claims:
            if claim.name == name and claim.commit:
                commit = f"{short(claim.commit)}, which {claim.file} records"
                if claim == taken:
                    return f"it is not as in {commit}: it was edited"
                return f"{commit}, is not in its source any more, and no version there is as it is here"
        return "no version of its source that was found is as it is here: it was edited, or is of another branch"

    def _unknown(self, name: str, own: Iterable[Claim]) -> SkillRow:
        """The row of a skill without a known source; a source that can't be reached is a problem."""
        tree = self.state.tree(name)
        for claim in own:
            why, todo = self._fetched(claim.newest), _NAME_IT
            if isinstance(why, Fetched):
                why = f"{claim.shown}, which {claim.file} names, has no skill of this name, now or before"
            elif claim.address:
                self.failures[claim.address] = Problem(ProblemKind.FETCH, why, source=claim.shown)
                why = f"{claim.file} names this source, and it can't be fetched"
                todo = "run skillbag adopt again when it can, with --source ADDRESS if it has moved"
            return SkillRow(name, Status.UNKNOWN, claim.shown or None, tree=tree, why=f"{why}; {todo}")
        why = f"no file says where it is from: if it is not your own, {_NAME_IT}"
        return SkillRow(name, Status.OWN, tree=tree, why=why)

    def _elsewhere(self) -> None:
        """Skills in folders of agents other than the one that is managed here."""
        for folder in agent_folders(self.state.root):
            names = own_skills(f"{self.state.root}/{folder}") if folder != self.state.home else ()
            for name in names:
                if not self.state.is_present(name):
                    why = f"it is in {folder}, and those of {self.state.home} are managed here: move it there first"
                    self.rows.setdefault(name, SkillRow(name, Status.SKIPPED, why=why))

    def _missing(self) -> Iterator[str]:
        """Skills that only a file names, and the command for those of each source."""
        missing: dict[str, list[str]] = {}
        for claim in self.claims:
            if claim.name and claim.name not in self.rows:
                why = f"{claim.file} names it, and it is not here"
                source = claim.shown or None
                self.rows[claim.name] = SkillRow(claim.name, Status.MISSING, source, claim.version, why=why)
                missing.setdefault(claim.shown or "ADDRESS", []).append(claim.name)
        for address, names in missing.items():
            yield f"What is missing of {address}: {shlex.join(['skillbag', 'add', address, *names])}"

    def _verified(self) -> tuple[list[Problem], tuple[str, ...]]:
        """Check the folders as they are here, whoever they are from; what has errors of security is not adopted."""
        state, given = self.state, self.request.accept_rules
        judged = (name for name, row in self.rows.items() if row.status in (Status.OWN, Status.UNKNOWN))
        plain = PlainSkills({name: state.folder(name) for name in (*self.locked, *judged)}, {}, ())
        here = Fetched(state.source("."), None, None, state.root, plain=plain)
        found = verify_source(here, plain.folders).problems if plain.folders else ()
        dangers = [problem for problem in found if problem.rule in security_rules()]
        accepted = [problem for problem in dangers if problem.rule in given]
        refused = [problem for problem in dangers if problem.rule not in given]
        for name in sorted({name for problem in refused for name in problem.skills} & self.locked.keys()):
            del self.locked[name]
            why = "it has errors of security, so it is not adopted"
            self.rows[name] = self.rows[name]._replace(status=Status.SKIPPED, why=why)
        for problem in accepted:
            for name in {*problem.skills} & self.locked.keys():
                rules = tuple(sorted({*(self.locked[name].accepted or ()), problem.rule}))
                self.locked[name] = self.locked[name]._replace(accepted=rules)
        faulty = sorted({name for problem in found if problem not in dangers for name in problem.skills})
        notes = [*accepted_notes(accepted, given)]
        if faulty:
            notes.append(f"Errors that are not about security: {quoted(faulty)}; skillbag check shows them.")
        return refused, tuple(notes)

    def _declared(self) -> Iterator[FileChange]:
        """`CONTEXT.md` with the adopted skills, whose versions the lock then has as well."""
        if not self.request.declare or not self.locked:
            return
        requests = [SkillRequest(name, locked.source, locked.requested) for name, locked in self.locked.items()]
        file, after, _ = declared_file(self.state, requests, self.fetcher)
        yield file
        versions = {wanted.name: wanted.version for wanted in after.declarations.dependencies}
        for name in self.locked:
            self.locked[name] = self.locked[name]._replace(requested=versions[name])

    def _plugins(self) -> Iterator[str]:
        """What to do about the plugins of Claude, which are not here."""
        found = {claim.shown: claim for claim in self.claims if claim.file.startswith(".claude/") and claim.address}
        for address, claim in found.items():
            what = f"{claim.file}: Claude Code itself keeps the plugins of {address}"
            yield f"{what}; skillbag add {address} takes its skills."


_OF_AGR = ".agr.json"
_NAME_IT = "skillbag adopt --source ADDRESS names its source"
