"""The runtime, held to a model over any order of decisions, activations, edits, restarts and sessions."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.session_records import SessionPlace
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.sessions.resumption import resumed
from skillbag.runtime.states import SkillState
from tests.runtime.sessions.session_model import SKILLS, Model
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

WRITER = """\
def save(input):
    write_file("out.txt", input["text"])
    return "saved"

register_tool("save", "Saves a text.", save)
"""


NAMES, SESSIONS = st.sampled_from(sorted(SKILLS)), st.sampled_from(("s1", "s1", "s1", "s2"))
ASKING = st.sampled_from(sorted(name for name, skill in SKILLS.items() if skill.permission))


class Sessions(RuleBasedStateMachine):
    """One process after the other, in one of two sessions, with one database."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name) / "workspace"
        self.model = Model()

    @initialize(
        approved=st.dictionaries(ASKING, st.sampled_from(ApprovalScope), min_size=1), chosen=st.sets(NAMES, min_size=1)
    )
    def write(self, approved: dict[str, ApprovalScope], chosen: set[str]) -> None:
        write(self.root, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
        for name, skill in SKILLS.items():
            optional = [
                f"{{name: {each}, optional: {str(each not in skill.requires).lower()}}}" for each in skill.needs
            ]
            fields = {"dependencies": f"[{', '.join(optional)}]", "permissions": f"[{skill.permission or ''}]"}
            kind = {"types": "[prompt]", "implementation": None}
            if name == "writer":
                kind = {}
            elif not skill.loads:
                kind = {"implementation": "{backend: process, entrypoint: main.star}"}
            active(self.root, name, WRITER, **fields, **kind)
        self.begin("s1")
        for name, scope in approved.items():
            self.decide(name, scope)
        for name in sorted(chosen):
            self.activate(name)

    def begin(self, session: str) -> None:
        self.runtime = opened(self.root, session=session, approved=frozenset())
        self.process = resumed(self.runtime)
        self.process.__enter__()

    @rule(name=ASKING, scope=st.sampled_from(ApprovalScope))
    def decide(self, name: str, scope: ApprovalScope) -> None:
        self.runtime.approvals.grant(self.runtime.grantee(name), scope, self.model.session)
        self.model.decide(name, scope)

    @rule(name=ASKING)
    def revoke(self, name: str) -> None:
        self.runtime.approvals.revoke(name)
        self.model.decide(name, None)

    @rule(name=NAMES)
    def activate(self, name: str) -> None:
        before = set(self.model.active)
        if requested := self.model.requested(name):
            with pytest.raises(QuestionsError) as raised:
                self.runtime.activate(name)
            assert {question.skill for question in raised.value.questions} == requested
        elif self.model.activate(name):
            assert set(self.runtime.activate(name)) == set(self.model.active) - before
        else:
            with pytest.raises(RuntimeFaultError, match=r"file is not executable|not approved"):
                self.runtime.activate(name)

    @rule(name=NAMES)
    def deactivate(self, name: str) -> None:
        assert set(self.runtime.deactivate(name)) == self.model.deactivate(name)

    @rule(name=NAMES)
    def edit(self, name: str) -> None:
        self.model.content[name] += 1
        with (self.root / ".skills" / name / "main.star").open("a") as file:
            file.write(f"# {self.model.content[name]}\n")

    @rule(session=SESSIONS)
    def next_process(self, session: str) -> None:
        self.process.__exit__(None, None, None)
        self.model.kept[self.model.session] = self.model.active
        self.begin(session)
        self.model.resume(session)

    @rule(session=SESSIONS)
    def killed(self, session: str) -> None:
        """What a process that is killed has changed is not kept."""
        request = self.runtime.request
        record = Path(SessionPlace(request.state, request.workspace, self.model.session).path)
        before = record.read_bytes() if record.exists() else None
        self.process.__exit__(None, None, None)
        if before is None:
            record.unlink(missing_ok=True)
        else:
            record.write_bytes(before)
        self.begin(session)
        self.model.resume(session)

    @rule(text=st.text("ab", min_size=1, max_size=4))
    def call(self, text: str) -> None:
        held = self.model.active.get("writer")
        if held is None:
            with pytest.raises(RuntimeFaultError, match="no active skill has a tool"):
                self.runtime.call_tool("save", {"text": text})
            return
        output = self.runtime.call_tool("save", {"text": text}).output
        may = self.model.may("writer", held)
        assert output.is_error is not may
        assert may or 'permission "file:write" not approved for skill "writer"' in output.content
        assert not may or (self.root / "out.txt").read_text() == text

    @invariant()
    def who_is_active_and_what_may_be_done(self) -> None:
        states = {status.found.name: status.state for status in self.runtime.statuses()}
        expected = dict.fromkeys(SKILLS, SkillState.INACTIVE) | dict.fromkeys(self.model.failed, SkillState.ERROR)
        assert states == expected | dict.fromkeys(self.model.active, SkillState.ACTIVE)
        for skill in self.runtime.skills:
            permission, held = SKILLS[skill.found.name].permission, self.model.active[skill.found.name]
            if permission:
                approved = self.runtime.broker.is_approved(skill.grantee, permission)
                assert approved is self.model.may(skill.found.name, held)

    @invariant()
    def compare_questions(self) -> None:
        for name in SKILLS:
            assert {question.skill for question in self.runtime.questions(name)} == self.model.requested(name)

    def teardown(self) -> None:
        with suppress(AttributeError):
            self.process.__exit__(None, None, None)
        self.folder.cleanup()


class ManySessions(Sessions):
    """The same for longer."""


Sessions.TestCase.settings = settings(max_examples=40, stateful_step_count=20)
test_the_runtime_follows_the_model = Sessions.TestCase
ManySessions.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
test_it_follows_the_model_for_long = pytest.mark.nightly(ManySessions.TestCase)
