"""`read_skill_file` and `run_skill_script`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skillbag.agent.schemas import FLAG, NAME, TEXT, described, object_of
from skillbag.agent.tool import Result, Tool
from skillbag.settings.scope import Scope

if TYPE_CHECKING:
    from skillbag.lifecycle.questions import Question
    from skillbag.personal.available import AgentSkill

LONGEST = 3600
"""Seconds; the largest `timeout` of a script."""

_PATH = {"type": "string", "minLength": 1, "maxLength": 4096}


def _read(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.personal.available import find_skill
    from skillbag.scripts.skill_files import read_skill_file

    return Result(read_skill_file(find_skill(scope, arguments["skill"]).directory, arguments["path"]))


def _run(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.personal.available import find_skill
    from skillbag.scripts.run import TIME_LIMIT, run_skill_script

    skill = find_skill(scope, arguments["skill"])
    if not arguments.get("allow", False) and (questions := _prohibitions(scope, skill)):
        return _ask(questions)
    args, stdin, timeout = arguments.get("args", ()), arguments.get("stdin"), arguments.get("timeout", TIME_LIMIT)
    return Result(run_skill_script(skill.directory, arguments["script"], args, stdin, timeout, scope.root))


def _prohibitions(scope: Scope, skill: AgentSkill) -> tuple[Question, ...]:
    """Questions about a prohibited skill; none if it is the active one, since the user has then allowed it already."""
    if scope.root is None:
        return ()
    from skillbag.lifecycle.allowing import prohibition_questions
    from skillbag.lifecycle.settings_reader import read_settings
    from skillbag.lifecycle.skills import listed_skills
    from skillbag.lifecycle.tags import effective_tags
    from skillbag.permissions.active import DamagedActiveSkillError, active_skill
    from skillbag.personal.available import workspace_of

    workspace = workspace_of(scope.root)
    settings = read_settings(workspace)
    if skill.name not in settings.declarations.prohibited:
        return ()
    with contextlib.suppress(DamagedActiveSkillError):
        if (active := active_skill(scope)) and active.name == skill.name:
            return ()
    tagging = effective_tags(listed_skills(workspace), settings)
    return prohibition_questions([skill.name], settings.declarations, tagging)


def _ask(questions: tuple[Question, ...]) -> Result:
    from skillbag.agent.phrasing import TOOLS
    from skillbag.report.lifecycle_text import question_lines

    return Result("\n".join(question_lines(questions, TOOLS)), asks=True)


READ_SKILL_FILE = Tool(
    "read_skill_file",
    "Read a text file of a skill, such as a reference or a script. Use it when a skill's instructions name a file. "
    "Returns the file's text.",
    object_of(
        {
            "skill": described(NAME, "The skill's name."),
            "path": described(_PATH, "The file's path within the skill's folder, such as references/guide.md."),
        },
        ("skill", "path"),
    ),
    TEXT,
    _read,
)
RUN_SKILL_SCRIPT = Tool(
    "run_skill_script",
    "Run a script of a skill in the skill's folder. Use it when a skill's instructions say to run one. "
    "Returns what it printed: standard output, then [stderr] and standard error, then [exit code: N] unless that is 0.",
    object_of(
        {
            "skill": described(NAME, "The skill's name."),
            "script": described(_PATH, "The script's path within the skill's folder, such as scripts/extract.py."),
            "args": {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": 1000,
                "description": "Arguments for the script, each as it is: no shell reads them.",
            },
            "stdin": described(TEXT, "What the script reads from standard input."),
            "allow": described(
                FLAG, "Run it although a context file prohibits the skill; only if the user has said so."
            ),
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": LONGEST,
                "default": 120,
                "description": "Seconds that the script may take; then it is killed with all that it started.",
            },
        },
        ("skill", "script"),
    ),
    TEXT,
    _run,
    writes=True,
    destroys=True,
    runs_scripts=True,
)
