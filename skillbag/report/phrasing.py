"""Who a text speaks to: whoever reads it goes on by commands, or has other means, of which a subclass speaks."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from skillbag.lifecycle.questions import INITIALISE
from skillbag.lifecycle.skills import execution_id

if TYPE_CHECKING:
    from skillbag.lifecycle.invocation import Invocation, MemorySuggestion
    from skillbag.lifecycle.questions import Question
    from skillbag.lifecycle.value import Value


class Phrasing:
    """Speaks of the commands of `skillbag`, those of the session where there is one; each phrase is one line, raw."""

    then_run = "Then run, in this order:"
    """Stands above the skills that follow another."""

    install = f"ask the user, then: {INITIALISE}"
    """How what is declared and missing is installed."""

    all_of_it = "--json has them all"
    """Where the rest of a long list is."""

    def run(self, skill: str, session: str | None) -> str:
        """How the skill of this name is run."""
        return f"skillbag run {execution_id(skill)}{_within(session)}"

    def without_missing(self, skill: str, session: str | None) -> str:
        """How to go on where the user does not want what is missing to be installed."""
        return f"Without what is missing: {self.run(skill, session)} --incomplete"

    def remember(self, skill: str, worth: MemorySuggestion) -> str:
        """How a value is kept."""
        return f"skillbag remember {shlex.quote(f'{worth.name}={_typed_in(worth.value)}')} --skill {skill}"

    def answer(self, question: Question) -> str:
        """How a question is answered."""
        return question.answer

    def changed(self, paths: str, session: str) -> str:
        """What to do about files that are not what the session has read."""
        command = f"skillbag refresh --session {shlex.quote(session)}"
        return f"Changed since this session read it: {paths}; {command} tells what to read again."

    def allowed(self, invocation: Invocation) -> str:
        """What stands between the title and the instructions about the tools that are allowed."""
        return f"Allowed tools: {invocation.allowed_tools}" if invocation.allowed_tools else ""

    def files(self, invocation: Invocation) -> tuple[str, list[str]]:
        """The section on the skill's further files: its title, and its lines, none where it has no such file."""
        more = invocation.file_count - len(invocation.files)
        rest = [f"- … and {more} more"] if more else []
        return "Supporting files", [*(f"- {file}" for file in invocation.files), *rest]

    def entered_already(self, session: str) -> str:
        """What a session is told that has entered."""
        again = f"skillbag enter --session {shlex.quote(session)} --again prints the report once more"
        return f"Session {session} has entered already; {again}."

    def session(self, session: str) -> str:
        """What the session is, and what for."""
        return f"Session: {session} (give it to later commands: --session {shlex.quote(session)})"

    def how_to_go_on(self, session: str) -> str:
        """The lines below that title at the end of an entry."""
        within = f"--session {shlex.quote(session)}"
        return f"""\
- Comply with the skills' tags: #run/always before every response, #run/last after all others, #use/x with its skill.
- Before each response: skillbag refresh {within}
  then: skillbag order [SKILL]... {within}
  with the skills that you choose for it; run what it names, in that order.
- To run a skill: skillbag run EXECUTION_ID {within} [--set NAME=VALUE]; open no SKILL.md otherwise.
- Exit code 3: ask the user what is printed, and repeat the command with the answer.
- If skills contradict each other: skillbag winner SKILL SKILL
- To keep what lasts: skillbag remember NAME=VALUE --skill SKILL; never secrets."""


COMMANDS = Phrasing()
"""For a person, or an agent, at a command line."""


def _within(session: str | None) -> str:
    return f" --session {shlex.quote(session)}" if session else ""


def _typed_in(value: Value) -> str:
    """How a value is typed on a command line to be read as the same: a text that looks like a number needs quotes."""
    import json

    from skillbag.lifecycle.value import parse_value

    if parse_value(value.written) == value:
        return value.written
    return json.dumps(value.value, ensure_ascii=False)
