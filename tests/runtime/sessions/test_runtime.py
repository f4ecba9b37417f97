"""The runtime as a whole: skills with real processes are activated, called, and undone."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import BadParametersError, NotFoundError, NotPermittedError, RuntimeFaultError
from skillbag.runtime.states import SkillState
from tests.runtime.worlds_active import ECHO, active, manifest, opened
from tests.supply.install.worlds import write

WRITER = """\
def save(input):
    write_file("out.txt", input["text"])
    return "saved"

register_tool("save", "Saves a text.", save)
"""
TWO_TOOLS = """\
def one(input):
    return {"got": input}

register_tool("one", "", one)
register_tool("two", "Two.", one)
"""
WORKFLOW = """\
def shout(input):
    return {"text": input["text"].upper()}

register_workflow("shout", shout)
"""
CALLER = """\
def relay(input):
    return invoke_skill("loud", {"text": input["text"]})

register_workflow("relay", relay)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    return folder


def test_a_tool_is_called(root: Path) -> None:
    active(root, "echo")
    with opened(root) as runtime:
        assert runtime.tools() == ()
        assert runtime.activate("echo") == ("echo",)
        assert [tool.spec.name for tool in runtime.tools()] == ["echo"]
        assert runtime.call_tool("echo", {"text": "hé"}).output == ("hé", False)
        assert runtime.skills.status("echo").state is SkillState.ACTIVE
    assert runtime.skills.status("echo").state is SkillState.INACTIVE
    assert runtime.remarks == []


def test_what_is_not_there(root: Path) -> None:
    active(root, "echo")
    with opened(root) as runtime:
        with pytest.raises(NotFoundError, match='skill "gone" not found'):
            runtime.activate("gone")
        with pytest.raises(NotFoundError, match='skill "gone" not found'):
            runtime.questions("gone")
        with pytest.raises(NotFoundError, match='no active skill has a tool "echo"'):
            runtime.call_tool("echo", {})


def test_a_failing_handler_is_an_output(root: Path) -> None:
    active(root, "echo")
    with opened(root) as runtime:
        runtime.activate("echo")
        output = runtime.call_tool("echo", {}).output
    assert output.is_error
    assert "text" in output.content


@pytest.mark.parametrize(("scope", "again"), [(ApprovalScope.ONCE, False), (ApprovalScope.ALWAYS, True)])
def test_a_permission_is_asked_for(root: Path, scope: ApprovalScope, again: bool) -> None:
    active(root, "writer", WRITER, permissions='["file:write"]')
    with opened(root, approved=frozenset()) as runtime, pytest.raises(QuestionsError) as raised:
        runtime.activate("writer")
    assert [(each.skill, each.permissions) for each in raised.value.questions] == [("writer", ("file:write",))]
    with opened(root, approved=frozenset(), ask=lambda _: scope) as runtime:
        runtime.activate("writer")
        assert runtime.call_tool("save", {"text": "a"}).output == ("saved", False)
    assert (root / "out.txt").read_text() == "a"
    with opened(root, approved=frozenset()) as runtime:
        assert bool(runtime.questions("writer")) is not again


def test_an_edited_skill_is_asked_for_again(root: Path) -> None:
    folder = active(root, "writer", WRITER, permissions='["file:write"]')
    with opened(root, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS) as runtime:
        runtime.activate("writer")
    (folder / "main.star").write_text(f"{WRITER}\n# more\n")
    with opened(root, approved=frozenset()) as runtime, pytest.raises(QuestionsError):
        runtime.activate("writer")


def test_a_denied_question_is_not_asked_again(root: Path) -> None:
    active(root, "writer", WRITER, permissions='["file:write"]')
    for _ in range(2):
        with opened(root, approved=frozenset(), ask=lambda _: ApprovalScope.DENY) as runtime:
            with pytest.raises(RuntimeFaultError, match="not approved"):
                runtime.activate("writer")
            assert runtime.skills.status("writer").state is SkillState.ERROR
            assert runtime.questions("writer") == ()


def test_undeclared_permissions_stay_denied_whatever_is_approved(root: Path) -> None:
    active(root, "writer", WRITER)
    with opened(root) as runtime:
        runtime.activate("writer")
        output = runtime.call_tool("save", {"text": "a"}).output
    assert output.is_error
    assert 'permission "file:write" not declared in skill "writer" manifest' in output.content
    assert not (root / "out.txt").exists()


def test_allowed_denied_and_described_tools(root: Path) -> None:
    schema = '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}'
    tools = "[{name: one, description: The first., input_schema_file: one.json}, {name: three}]"
    folder = active(root, "pair", TWO_TOOLS, tools=tools, tools_deny="[TWO]")
    write(folder, {"one.json": schema})
    with opened(root) as runtime:
        runtime.activate("pair")
        (tool,) = runtime.tools()
        assert (tool.skill, tool.spec.name, tool.spec.description) == ("pair", "one", "The first.")
        with pytest.raises(BadParametersError, match=r"one: input\.n: 'x' is not of type 'integer'"):
            runtime.call_tool("one", {"n": "x"})
        assert runtime.call_tool("one", {"n": 1}).output.content == '{"got":{"n":1}}'
    assert runtime.remarks == ['skill "pair" declares the tool "three", and its code does not register it']


def test_of_a_tool_the_manifest_says_what_the_code_does_not(root: Path) -> None:
    own = 'register_tool("echo", "Own.", lambda input: "x", input_schema={"type": "object", "required": ["own"]})\n'
    tools = "[{name: echo, description: Other., input_schema_file: other.json}]"
    write(active(root, "echo", own, tools=tools), {"other.json": '{"type": "object", "required": ["other"]}'})
    with opened(root) as runtime:
        runtime.activate("echo")
        (tool,) = runtime.tools()
        assert (tool.spec.description, tool.spec.input_schema["required"]) == ("Own.", ["own"])


def test_a_tool_that_asks_each_time(root: Path) -> None:
    active(root, "echo", tools="[{name: echo, requires_approval: true}]")
    answers = iter([True, False])
    with opened(root, confirm=lambda _: next(answers)) as runtime:
        runtime.activate("echo")
        assert runtime.call_tool("echo", {"text": "a"}).output.content == "a"
        with pytest.raises(NotPermittedError, match="asks the user before each call"):
            runtime.call_tool("echo", {"text": "b"})


def test_a_name_that_is_taken_fails_the_later_skill_alone(root: Path) -> None:
    active(root, "first")
    active(root, "second")
    with opened(root) as runtime:
        runtime.activate("first")
        with pytest.raises(
            RuntimeFaultError, match='the tool "echo" of skill "second" has the name of one of the skill'
        ):
            runtime.activate("second")
        assert runtime.skills.status("second").state is SkillState.ERROR
        assert runtime.call_tool("echo", {"text": "a"}).output.content == "a"
        runtime.deactivate("first")
        assert runtime.activate("second") == ("second",)


def test_no_tool_is_called_as_those_that_no_list_limits(root: Path) -> None:
    active(root, "sly", ECHO.replace('"echo"', '"skill_echo"'))
    with opened(root) as runtime, pytest.raises(RuntimeFaultError, match="which no list of allowed tools limits"):
        runtime.activate("sly")


def test_types_say_what_may_be_registered(root: Path) -> None:
    active(root, "loud", WORKFLOW)
    with opened(root) as runtime, pytest.raises(RuntimeFaultError, match=r'registers workflows.*"workflow"'):
        runtime.activate("loud")


def test_skills_invoke_each_other(root: Path) -> None:
    active(root, "loud", WORKFLOW, types="[workflow]")
    active(root, "relay", CALLER, types="[workflow]", permissions='["skill:invoke"]', dependencies="[{name: loud}]")
    with opened(root) as runtime:
        assert runtime.activate("relay") == ("loud", "relay")
        assert runtime.run_workflow("relay", {"text": "a"}) == {"text": "A"}
        assert runtime.run_workflow("shout", {"text": "b"}) == {"text": "B"}
        assert [each.target for each in runtime.workflows()] == ["loud/shout", "relay/relay"]
        assert runtime.deactivate("loud") == ("relay", "loud")


def test_a_missing_dependency_blocks_its_skill_alone(root: Path) -> None:
    active(root, "echo", dependencies="[{name: gone}]")
    active(root, "other", WORKFLOW, types="[workflow]", dependencies="[{name: gone, optional: true}]")
    with opened(root) as runtime:
        with pytest.raises(RuntimeFaultError, match='dependency "gone" not found'):
            runtime.activate("echo")
        assert runtime.questions("echo") == ()
        assert runtime.activate("other") == ("other",)


def test_a_failed_activation_leaves_nothing(root: Path) -> None:
    folder = active(root, "echo", "register_tool('echo', 'Echo.', 7)\n")
    with opened(root) as runtime:
        with pytest.raises(RuntimeFaultError):
            runtime.activate("echo")
        status = runtime.skills.status("echo")
        assert (status.state, "register_tool" in status.reason) == (SkillState.ERROR, True)
        assert runtime.tools() == ()
        (folder / "main.star").write_text('register_tool("echo", "Echo.", lambda input: "now")\n')
        assert runtime.activate("echo") == ("echo",)
        assert runtime.call_tool("echo", {}).output.content == "now"


def test_a_second_activation_waits_for_the_first(root: Path) -> None:
    active(root, "echo")
    with opened(root) as runtime:
        results: list[tuple[str, ...]] = []
        threads = [threading.Thread(target=lambda: results.append(runtime.activate("echo"))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [(), (), (), ("echo",)]
        assert len(runtime.tools()) == 1


def test_a_bad_manifest_hides_no_other(root: Path) -> None:
    active(root, "echo")
    write(root / ".skills", {"bad/SKILL.yaml": "name: [\n", "worse/SKILL.yaml": manifest("Worse Name")})
    with opened(root) as runtime:
        assert runtime.activate("echo") == ("echo",)
        assert sorted(Path(bad.file).parent.name for bad in runtime.found.faults) == ["bad", "worse"]
