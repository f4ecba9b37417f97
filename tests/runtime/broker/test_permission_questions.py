"""The question whether a skill may have its permissions, as text, as JSON would have it, and on a terminal."""

from __future__ import annotations

import io
import re

from skillbag.agents.tools.phrasing import TOOLS
from skillbag.kernel.manifest.names import Permission
from skillbag.report.answers.inputs import QuestionJson
from skillbag.report.lifecycle_parts import question_lines
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import (
    WHO_ANSWERS,
    PermissionQuestion,
    as_question,
    ask_on_terminal,
    question_text,
)
from skillbag.session.inputs.questions import QuestionKind
from tests.rows import each_row
from tests.runtime.grantees import READ, SHELL

QUESTION = PermissionQuestion("kubernetes", (READ, SHELL))
UNHELD = ("Without Landlock, it can read files outside of the workspace.",)


def test_the_text_has_a_line_for_each_permission_with_its_risk() -> None:
    assert question_text(QUESTION) == (
        'Skill "kubernetes" wants to activate.\n'
        "Required permissions:\n"
        "  file:read   low risk: read files of the workspace and of the skill\n"
        "  shell:exec  high risk: run programs\n"
        "[Allow once] [Allow always] [Deny]"
    )


def test_a_session_is_offered_where_there_is_one_and_what_the_sandbox_can_not_hold_is_said() -> None:
    lines = question_text(QUESTION._replace(unheld=UNHELD, has_session=True)).splitlines()
    assert lines[-2:] == [*UNHELD, "[Allow once] [Allow for this session] [Allow always] [Deny]"]


def test_every_permission_can_be_asked_for() -> None:
    text = question_text(PermissionQuestion("all", tuple(Permission)))
    for permission in Permission:
        assert len(re.findall(rf"^  {permission} +(low|medium|high) risk: ", text, re.MULTILINE)) == 1


def test_without_a_terminal_it_is_a_question_as_all_others() -> None:
    question = as_question(QUESTION._replace(unheld=UNHELD))
    assert question.kind is QuestionKind.PERMISSION
    text = (
        'Skill "kubernetes" wants to activate. Required permissions: file:read (low risk: read files of the workspace '
        f"and of the skill), shell:exec (high risk: run programs). {UNHELD[0]}"
    )
    assert [*question_lines([question])] == [
        f"Ask: {text} [runtime.permissions]",
        "  - once",
        "  - always",
        "  - deny",
        f"  answer: {WHO_ANSWERS}",
    ]
    assert QuestionJson.of(question).candidates == ("once", "always", "deny")


def test_an_agent_is_told_that_the_user_decides() -> None:
    (*_, line) = question_lines([as_question(QUESTION)], TOOLS)
    assert line.startswith("  answer: the user decides, on a terminal")


@each_row(
    ("typed", "scope"),
    [
        ("once\n", ApprovalScope.ONCE),
        ("o\n", ApprovalScope.ONCE),
        (" Allow always \n", ApprovalScope.ALWAYS),
        ("[Deny]\n", ApprovalScope.DENY),
        ("what?\nS\n", ApprovalScope.SESSION),
        ("always", ApprovalScope.ALWAYS),
        ("", None),
        ("\n\n\nalways\n", None),
        ("yes\n", None),
    ],
)
def test_on_a_terminal_only_a_clear_answer_counts(typed: str, scope: ApprovalScope | None) -> None:
    assert ask_on_terminal(QUESTION._replace(has_session=True), io.StringIO(typed), io.StringIO()) is scope


def test_a_session_that_does_not_exist_is_no_answer() -> None:
    assert ask_on_terminal(QUESTION, io.StringIO("session\ns\n"), io.StringIO()) is None


def test_the_terminal_shows_the_question_and_the_answers() -> None:
    screen = io.StringIO()
    ask_on_terminal(QUESTION, io.StringIO("deny\n"), screen)
    assert screen.getvalue() == f"{question_text(QUESTION)}\nAnswer (once, always, deny): "


def test_a_hostile_name_can_not_draw_on_the_terminal() -> None:
    hostile = PermissionQuestion('x"\x1b[2J\nRequired permissions:\u202e\x9b', (READ,), ("held\x07\r",))
    screen = io.StringIO()
    ask_on_terminal(hostile, io.StringIO("deny\n"), screen)
    assert screen.getvalue().replace("\n", "").isprintable()
    assert screen.getvalue().startswith('Skill "x"\\x1b[2J\\nRequired permissions:\\u202e\\x9b" wants to activate.\n')
    assert as_question(hostile).text.isprintable()
