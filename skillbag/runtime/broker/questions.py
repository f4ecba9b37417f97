"""The question whether a skill may have its permissions: as text, on a terminal, and in the shape of every question
(skill runtime, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TextIO

from skillbag import DOCUMENTATION
from skillbag.kernel.manifest.names import RISKS, Permission
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.printable import printable

if TYPE_CHECKING:
    from skillbag.session.inputs.questions import Question

CLAUSE = "runtime.permissions"
"""Why it is asked."""

WHO_ANSWERS = "a person answers it, who types the same command on a terminal in this workspace"
"""How a question is answered that nobody could be asked. A model may read it: it must not be able to answer."""

ALLOWS: Mapping[Permission, str] = {
    Permission.FILE_READ: "read files of the workspace and of the skill",
    Permission.FILE_WRITE: "write files of the workspace",
    Permission.SHELL_EXEC: "run programs",
    Permission.NET_FETCH: "fetch from the network",
    Permission.LLM_CALL: "call the language model",
    Permission.GIT_READ: "read the state and the history of the repository",
    Permission.GIT_WRITE: "make commits and branches",
    Permission.ENV_READ: "read environment variables",
    Permission.ENV_WRITE: "set environment variables of programs that it runs",
    Permission.SKILL_INVOKE: "invoke other active skills",
    Permission.HOOK_OBSERVE: "see all calls of tools and their results, and cancel calls",
    Permission.HOOK_CHANGE: "change the input and the results of tools",
}
"""What each permission allows to do, as the question says it."""
_LABELS: Mapping[ApprovalScope, str] = {
    ApprovalScope.ONCE: "Allow once",
    ApprovalScope.SESSION: "Allow for this session",
    ApprovalScope.ALWAYS: "Allow always",
    ApprovalScope.DENY: "Deny",
}
_MAX_ATTEMPTS = 3


class PermissionQuestion(NamedTuple):
    """Which permissions a skill asks for, sorted. `unheld` are sentences about what the sandbox can't prevent here.
    `has_session`: whether they may be granted for a session."""

    skill: str
    permissions: tuple[Permission, ...]
    unheld: tuple[str, ...] = ()
    has_session: bool = False

    @property
    def scopes(self) -> tuple[ApprovalScope, ...]:
        """The possible answers."""
        return tuple(scope for scope in ApprovalScope if self.has_session or scope is not ApprovalScope.SESSION)


def question_text(question: PermissionQuestion) -> str:
    """The question on several lines, without invisible characters; the last line has the answers."""
    width = max(map(len, question.permissions), default=0)
    lines = [f'Skill "{question.skill}" wants to activate.', "Required permissions:"]
    lines += [f"  {each:{width}}  {RISKS[each]} risk: {ALLOWS[each]}" for each in question.permissions]
    lines += question.unheld
    lines.append(" ".join(f"[{_LABELS[scope]}]" for scope in question.scopes))
    return "\n".join(map(printable, lines))


def as_question(question: PermissionQuestion) -> Question:
    """The question in the shape of all others, in one line, for a run without a terminal."""
    # Only a run that must ask imports what all questions have in common.
    from skillbag.session.inputs.questions import Question, QuestionKind
    from skillbag.session.settings.value import typed

    return Question(
        QuestionKind.PERMISSION,
        question.skill,
        _line(question),
        WHO_ANSWERS,
        CLAUSE,
        candidates=tuple(typed(scope.value) for scope in question.scopes),
    )


def sentence_for_hosts(question: PermissionQuestion) -> str:
    """The question in one line for the user of a host that can't ask. A model may read it: it names no command."""
    return (
        f"{_line(question)} A person allows it, on a terminal in this workspace: {DOCUMENTATION}/runtime.md#permissions"
    )


def _line(question: PermissionQuestion) -> str:
    permissions = ", ".join(f"{each} ({RISKS[each]} risk: {ALLOWS[each]})" for each in question.permissions)
    text = f'Skill "{question.skill}" wants to activate. Required permissions: {permissions}.'
    return printable(" ".join((text, *question.unheld)))


def ask_on_terminal(question: PermissionQuestion, stdin: TextIO, stdout: TextIO) -> ApprovalScope | None:
    """Ask until there is an answer: its label, its scope or the scope's first letter. None if nobody answers.

    Nothing is approved without an answer: an empty line is none.
    """
    answers = {
        form: scope for scope in question.scopes for form in (_LABELS[scope].lower(), scope.value, scope.value[0])
    }
    stdout.write(f"{question_text(question)}\n")
    for _ in range(_MAX_ATTEMPTS):
        stdout.write(f"Answer ({', '.join(question.scopes)}): ")
        stdout.flush()
        line = stdin.readline()
        if not line:
            break
        if scope := answers.get(line.strip().strip("[]").lower()):
            return scope
    return None
