"""Claude Code's user reads a question or a failure once in a session, as long as it is about the same content."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.agents.tools.claude_code import SESSION, reported
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import AS_PERSON

CODE = 'register_tool("peek", "Peeks.", lambda input: "x")\n'
REQUESTED = 'Skill "peeker" wants to activate'


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    """A workspace with a skill that each message triggers, and that nobody has approved."""
    write(tmp_path, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(tmp_path, "peeker", CODE, permissions="[file:read]", triggers="{modes: [interactive]}")
    return tmp_path


def heard(root: Path, name: str = "user_prompt_submit", **changed: str) -> str:
    return str(reported(root, name, **changed).get("systemMessage", ""))


def test_a_question_is_asked_once_in_a_session(asking: Path) -> None:
    assert REQUESTED in heard(asking, "session_start")
    assert [heard(asking) for _ in range(2)] == ["", ""]
    assert REQUESTED in heard(asking, session_id="another")


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_question_is_asked_again_when_the_conversation_begins_anew(asking: Path, source: str) -> None:
    assert REQUESTED in heard(asking)
    assert REQUESTED in heard(asking, "session_start", source=source)
    assert heard(asking) == ""


def test_a_question_is_asked_again_about_another_content(asking: Path) -> None:
    assert REQUESTED in heard(asking)
    skill = asking / ".skills/peeker"
    write(skill, {"main.star": f"{CODE}# Edited.\n"})
    assert REQUESTED in heard(asking)
    assert heard(asking) == ""
    text = (skill / "SKILL.yaml").read_text()
    write(skill, {"SKILL.yaml": text.replace("file:read", "file:read, file:write")})
    assert "file:write (medium risk" in heard(asking)
    assert heard(asking) == ""


def test_the_question_says_who_answers_it_for_the_session(asking: Path) -> None:
    question = heard(asking)
    assert "A person allows it, on a terminal in this workspace" in question
    assert not re.search("--(approve|grant)|runtime permissions", question)
    words = [*AS_PERSON, "runtime", "permissions", "peeker", "--grant", "session", "--session", SESSION]
    subprocess.run(words, cwd=asking, capture_output=True, check=True)
    assert 'the skill "peeker" is active' in heard(asking)
    assert REQUESTED in heard(asking, session_id="another")


def test_a_failing_skill_is_told_once_until_it_fails_in_another_way(asking: Path) -> None:
    for code, reason in (("x = ]\n", "main.star"), ("fail('second')\n", "second"), ("# \nfail('second')\n", "second")):
        active(asking, "peeker", code, triggers="{modes: [interactive]}")
        first = heard(asking)
        assert 'the skill "peeker" is not active: ' in first
        assert reason in first
        assert heard(asking) == ""
