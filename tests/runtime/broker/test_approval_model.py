"""Approvals and broker, held to a model of some thirty lines over any order of decisions, activations and restarts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.skill import Grantee, SkillSource
from tests.runtime.grantees import READ, SHELL, approvals, broker, close_stores, grantee

BOTH = frozenset((SHELL, READ))
SESSIONS = ("s1", "s2")
Key = tuple[str, Permission]


class Model:
    """What is approved, as the specification says it. An active skill is its program, its key and what it holds."""

    def __init__(self) -> None:
        self.always: dict[Key, str] = {}
        self.once: dict[Key, str] = {}
        self.session: dict[tuple[str, Permission, str], str] = {}
        self.denied: set[Key] = set()
        self.active: dict[tuple[int, Grantee], set[Permission]] = {}

    def decide(self, skill: Grantee, permission: Permission, scope: ApprovalScope, session: str) -> None:
        key = (skill.origin, permission)
        self.denied.discard(key)
        if scope is ApprovalScope.SESSION:
            self.session[*key, session] = skill.tree_hash
            return
        self.always.pop(key, None)
        self.once.pop(key, None)
        if scope is not ApprovalScope.DENY:
            (self.once if scope is ApprovalScope.ONCE else self.always)[key] = skill.tree_hash
            return
        self.denied.add(key)
        self.session = {each: of for each, of in self.session.items() if each[:2] != key}
        for held in self.active.values():
            held.discard(permission)

    def revoke(self) -> None:
        active = self.active
        self.__init__()  # type: ignore[misc]
        self.active = {each: set() for each in active}

    def lasting(self, skill: Grantee, session: str) -> set[Permission]:
        return {
            each
            for each in BOTH
            if skill.tree_hash
            in (self.always.get((skill.origin, each)), self.session.get((skill.origin, each, session)))
        }

    def single(self, skill: Grantee) -> set[Permission]:
        return {each for each in BOTH if self.once.get((skill.origin, each)) == skill.tree_hash}

    def refused(self, skill: Grantee) -> set[Permission]:
        return {each for each in BOTH if (skill.origin, each) in self.denied}


SKILLS = st.builds(
    lambda content, source: grantee(content=content, source=source),
    st.sampled_from(("sha256:1", "sha256:2")),
    st.sampled_from((SkillSource.USER, SkillSource.PROJECT)),
)
PROGRAMS = st.sampled_from((0, 1))


class Decisions(RuleBasedStateMachine):
    """Two programs with a session each use one database, and a third one decides."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.model = Model()
        self.sessions = [*SESSIONS]
        self.programs = [self.started(0), self.started(1)]

    def started(self, number: int) -> Broker:
        return broker(Path(self.folder.name), per_turn={}, session=self.sessions[number])

    def known(self) -> Approvals:
        return approvals(Path(self.folder.name))

    @rule(
        skill=SKILLS,
        scope=st.sampled_from(ApprovalScope),
        session=st.sampled_from(SESSIONS),
        chosen=st.sets(st.sampled_from(sorted(BOTH)), min_size=1),
    )
    def decide(self, skill: Grantee, scope: ApprovalScope, session: str, chosen: set[Permission]) -> None:
        self.known().grant(skill, scope, session, chosen)
        for permission in chosen:
            self.model.decide(skill, permission, scope, session)

    @rule()
    def revoke(self) -> None:
        self.known().revoke("kubernetes")
        self.model.revoke()

    @rule(number=PROGRAMS, skill=SKILLS)
    def activate(self, number: int, skill: Grantee) -> None:
        if (number, skill) in self.model.active:
            self.programs[number].release(skill)
            del self.model.active[number, skill]
        lasting = self.model.lasting(skill, self.sessions[number])
        consumed = self.model.single(skill) - lasting
        if lasting | consumed == BOTH and not self.model.refused(skill):
            assert self.programs[number].admit(skill) == BOTH
            for permission in consumed:
                del self.model.once[skill.origin, permission]
            self.model.active[number, skill] = consumed
            return
        try:
            self.programs[number].admit(skill)
        except NotPermittedError:
            return
        raise AssertionError("an activation that nobody approved")

    @precondition(lambda self: self.model.active)
    @rule(data=st.data())
    def deactivate(self, data: st.DataObject) -> None:
        number, skill = data.draw(st.sampled_from(sorted(self.model.active, key=str)))
        self.programs[number].release(skill)
        del self.model.active[number, skill]

    @rule(number=PROGRAMS, session=st.sampled_from(SESSIONS))
    def restart(self, number: int, session: str) -> None:
        self.sessions[number] = session
        self.programs[number] = self.started(number)
        self.model.active = {each: held for each, held in self.model.active.items() if each[0] != number}

    @rule(skill=SKILLS, session=st.sampled_from(SESSIONS))
    def ask(self, skill: Grantee, session: str) -> None:
        wanted = BOTH - self.model.lasting(skill, session) - self.model.single(skill)
        assert set(self.known().missing(skill, session)) == (set() if self.model.refused(skill) else wanted)

    @invariant()
    def exactly_the_approved_is_allowed(self) -> None:
        for (number, skill), held in self.model.active.items():
            lasting = self.model.lasting(skill, self.sessions[number])
            allowed = (held | lasting) - self.model.refused(skill)
            assert {each for each in BOTH if self.programs[number].is_approved(skill, each)} == allowed

    def teardown(self) -> None:
        close_stores()
        self.folder.cleanup()


Decisions.TestCase.settings = settings(max_examples=40, stateful_step_count=20)
test_decisions_follow_the_model = Decisions.TestCase
