"""`read_skill_file` and `run_skill_script`: what an agent does with the files of a skill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.agent.scope import Scope
from skillbag.agent.shapes import NAME, TEXT, described, object_of
from skillbag.agent.tools import Result, Tool

LONGEST = 3600
"""Seconds that a script may be given."""

_PATH = {"type": "string", "minLength": 1, "maxLength": 4096}


def _read(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.agent.skill_files import read_skill_file
    from skillbag.agent.skills import find_skill

    return Result(read_skill_file(find_skill(scope, arguments["skill"]).directory, arguments["path"]))


def _run(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.agent.running.scripts import TIME_LIMIT, run_skill_script
    from skillbag.agent.skills import find_skill

    directory = find_skill(scope, arguments["skill"]).directory
    given, stdin, limit = arguments.get("args", ()), arguments.get("stdin"), arguments.get("timeout", TIME_LIMIT)
    return Result(run_skill_script(directory, arguments["script"], given, stdin, limit, scope.root))


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
    "Run a script of a skill in the skill's folder. Use it when a skill's instructions tell to run one. "
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
)
