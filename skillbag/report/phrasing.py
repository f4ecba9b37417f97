"""How texts name the next steps: as commands, or in a subclass as other means of the reader."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.session.order.order import INITIALISE
from skillbag.session.skills.skills import execution_id

if TYPE_CHECKING:
    from skillbag.session.entry.invocation import Invocation
    from skillbag.session.inputs.questions import Question
    from skillbag.session.remembering.memory_policy import MemorySuggestion


class Phrasing:
    """The next steps as commands of `skillbag`, with the session if there is one; each phrase is one line, unmasked."""

    run_first = "Run these first, in this order, unless the instructions say when:"
    """The line above the companions of a skill."""

    install = f"ask the user, then: {INITIALISE}"
    """How to install missing skills."""

    find = "skillbag search --here WORDS finds skills by all they say"
    """How to find skills in a long catalog."""

    all_of_it = "--json has them all"
    """How to see the rest of a long list."""

    def run(self, skill: str, session: str | None) -> str:
        """How to run the skill."""
        command = f"skillbag run {execution_id(skill)}"
        return f"{command} --session {shlex.quote(session)}" if session else command

    def without_missing(self, skill: str, session: str | None) -> str:
        """How to run the skill without its missing dependencies."""
        return f"Without what is missing: {self.run(skill, session)} --incomplete"

    def remember(self, skill: str, worth: MemorySuggestion) -> str:
        """How to store a value."""
        import json

        from skillbag.session.settings.value import parse_value

        value = worth.value
        # A text that looks like a number needs quotes, to be read as the same value.
        is_plain = parse_value(value.written) == value
        typed = value.written if is_plain else json.dumps(value.value, ensure_ascii=False)
        return f"skillbag session remember {shlex.quote(f'{worth.name}={typed}')} --skill {skill}"

    def answer(self, question: Question) -> str:
        """How to answer a question."""
        return question.answer

    def changed(self, paths: str, session: str) -> str:
        """What to do about files that have changed since the session read them."""
        command = f"skillbag turn --session {shlex.quote(session)}"
        return f"Changed since this session read it: {paths}; {command} prints what is new."

    def warning(self, invocation: Invocation) -> str:
        """When to ask first, between the title and the instructions."""
        warning = invocation.ask_first
        return f"{warning}: {invocation.skill} declares nothing about risk." if warning else ""

    def allowed(self, invocation: Invocation) -> str:
        """The allowed tools, between the title and the instructions."""
        return f"Allowed tools: {invocation.allowed_tools}" if invocation.allowed_tools else ""

    def files(self, invocation: Invocation) -> tuple[str, list[str]]:
        """The section on the skill's supporting files: its title, and its lines."""
        more = invocation.file_count - len(invocation.files)
        rest = [f"- … and {more} more"] if more else []
        # Those of a source have absolute paths.
        is_here = any(not os.path.isabs(file) for file in invocation.files)
        base = [f"In {SKILL_ROOT}/{invocation.skill}/:", ""] if is_here else []
        return "Supporting files", [*base, *(f"- {file}" for file in invocation.files), *rest]

    def entered_already(self, session: str) -> str:
        """The report of a session that has entered before."""
        again = f"skillbag enter --session {shlex.quote(session)} --again prints the report once more"
        return f"Session {session} has entered already; {again}."

    def session(self, session: str) -> str:
        """The session's id and its use."""
        return f"Session: {session} (turn and run take it: --session {shlex.quote(session)})"

    def how_to_go_on(self, session: str) -> str:
        """The lines below that title at the end of an entry."""
        within = f"--session {shlex.quote(session)}"
        return f"""\
- Comply with the skills' tags: #run/always before every response, #run/last after all others, #use/x before its skill.
- Before each response: skillbag turn [SKILL]... {within} [--set NAME=VALUE]
  with the skills that you choose for it; follow what it prints, in its order. Nothing printed: as in the turn before.
- One more skill in between: skillbag run EXECUTION_ID {within} [--set NAME=VALUE]; open no SKILL.md otherwise.
- Exit code 3: ask the user what is printed, and repeat the command with the answer.
- If skills contradict each other: skillbag session winner SKILL SKILL
- To keep what lasts: skillbag session remember NAME=VALUE [--skill SKILL]; never secrets."""


COMMANDS = Phrasing()
"""For a person, or an agent, at a command line."""
