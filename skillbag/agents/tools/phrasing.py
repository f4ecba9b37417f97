"""Texts for an agent that works through tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from skillbag.agents.personal.names import PREFIX, RESERVED
from skillbag.kernel.standard.cut_names import tool_name
from skillbag.report.phrasing import Phrasing
from skillbag.session.inputs.questions import QuestionKind

if TYPE_CHECKING:
    from skillbag.session.entry.invocation import Invocation
    from skillbag.session.inputs.questions import Question
    from skillbag.session.remembering.memory_policy import MemorySuggestion

_MAX_PLACES = 20
"""Top-level folders and files of a skill that are named."""


class _ToolPhrasing(Phrasing):
    """Names tools instead of commands, and no session: the host passes it."""

    run_first = "Call these first, in this order, unless the instructions say when:"
    install = "ask the user, who runs: skillbag install"
    find = ".skills/SKILLS.md has them whole"
    all_of_it = "the files have them all"

    def run(self, skill: str, session: str | None) -> str:
        has_none = skill in RESERVED
        return f"read_skill_file {_json(skill=skill, path='SKILL.md')}" if has_none else tool_name(PREFIX + skill)

    def without_missing(self, skill: str, session: str | None) -> str:
        return f"Without what is missing: {self.run(skill, session)} {_json(incomplete=True)}"

    def remember(self, skill: str, suggestion: MemorySuggestion) -> str:
        return f"remember {_json(name=suggestion.name, value=suggestion.value.value, skill=skill)}"

    def answer(self, question: Question) -> str:
        if question.kind is QuestionKind.DEPENDENCY:
            return f"the user runs {question.answer}; then call the skill's tool again"
        if question.kind is QuestionKind.PERMISSION:
            return "the user decides, on a terminal in this workspace; then call the tool again"
        if question.kind is QuestionKind.DANGER:
            return f"{question.answer}; no argument of a tool accepts it"
        if question.kind is QuestionKind.PROHIBITED:
            return f"once the user has agreed, call the tool again with {_json(allow=True)}"
        if question.kind is QuestionKind.CONFIRM:
            value = _json(confirm=[question.about])
        else:
            value = f"{{{json.dumps(question.about, ensure_ascii=False)}: VALUE}}"
        return f"call the skill's tool with this among its inputs: {value}"

    def changed(self, paths: str, session: str) -> str:
        return f"Changed since this session read it: {paths}; refresh tells what to read again."

    def warning(self, invocation: Invocation) -> str:
        """Nothing: the published protocol has no place for it; `enter` says it."""
        return ""

    def allowed(self, invocation: Invocation) -> str:
        """Nothing: a call that is blocked gets the list of what is allowed."""
        return ""

    def files(self, invocation: Invocation) -> tuple[str, list[str]]:
        places = invocation.places[:_MAX_PLACES]
        if not places:
            return "Supporting Files", []
        more = len(invocation.places) - len(places)
        named = ", ".join(places) + (f" and {more} more" if more else "")
        skill = json.dumps(invocation.skill, ensure_ascii=False)
        return "Supporting Files", [
            f"In the skill's folder: {named}",
            f'- `read_skill_file` {{"skill": {skill}, "path": PATH}} reads a file there.',
            f'- `run_skill_script` {{"skill": {skill}, "script": PATH, "args": [...]}} runs a script there.',
        ]

    def entered_already(self, session: str) -> str:
        return f"Session {session} has entered already; enter {_json(again=True)} gives the report once more."

    def session(self, session: str) -> str:
        return f"Session: {session}"

    def how_to_go_on(self, session: str) -> str:
        return """\
- Comply with the skills' tags: #run/always before every response, #run/last after all others, #use/x before its skill.
- Before each response: refresh, and read again what it names; then call the tools of the skills for it, in that order.
- To run a skill: skill_NAME, with inputs where the conversation gives values; open no SKILL.md otherwise.
- A result with questions: ask the user, and call the tool again with the answers.
- To keep what lasts: remember; never secrets."""


TOOLS = _ToolPhrasing()
"""For agents with tools."""


def _json(**values: object) -> str:
    return json.dumps(values, ensure_ascii=False)
