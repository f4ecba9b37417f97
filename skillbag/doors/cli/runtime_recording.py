"""`skillbag runtime test --record`: answers of the host, written into test cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.inputs import parse_json
from skillbag.doors.cli.runtime_session import approved, asking, runtime_at
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.kernel.manifest.cases import SkillTestCase
    from skillbag.runtime.sessions.runtime import Runtime
    from skillbag.runtime.skill import FoundSkill


def recorded(
    skills: Iterable[FoundSkill],
    pattern: str,
    call: tuple[str, str] | None,
    *,
    as_json: bool,
    approve: Iterable[str],
    **reach: Any,
) -> CommandOutput:
    """Record the chosen cases, or a new one of a tool and its input, after the user was asked about each skill.

    Raises:
        UserError: a skill is not approved, a file can't be edited, or there is nothing to record.
    """
    from skillbag.report.runtime.testing import recorded_json, recorded_text
    from skillbag.runtime.testing.suite import cases_of, chosen

    found = tuple(skills)
    work = list(_new_work(found, call)) if call else list(chosen(map(cases_of, found), pattern))
    if not work:
        raise UserError("there is nothing to record: no case is chosen, or no skill declares the tool")
    skills_by_folder = {skill.directory: skill for skill, _, _ in work}
    with runtime_at(**reach, skills=tuple(skills_by_folder), approve=approve, ask=asking(as_json)) as runtime:
        for skill in skills_by_folder.values():
            _approve(runtime, skill)
        done = [
            (skill.name, *_written(runtime, skill, file and file.path, case, approved(approve)))
            for skill, file, case in work
        ]
    values = recorded_json(done, os.getcwd())
    return CommandOutput(values, recorded_text(values))


def _approve(runtime: Runtime, skill: FoundSkill) -> None:
    from skillbag.runtime.testing.recording import approve

    if runtime.skills.status(skill.name).found.directory != skill.directory:
        raise UserError(f'another skill is named "{skill.name}" as well; record their cases one after the other')
    approve(runtime, skill.name)


def _new_work(
    skills: tuple[FoundSkill, ...], call: tuple[str, str]
) -> Iterator[tuple[FoundSkill, None, SkillTestCase]]:
    """A case without an expectation for the skill that declares the tool, or for the only skill."""
    from skillbag.kernel.manifest.cases import Expectation, SkillTestCase, ToolCall

    tool, text = call
    act = ToolCall(tool, parse_json(text, "the input"))
    owners = [skill for skill in skills if any(each.name == tool for each in skill.manifest.tools)]
    for skill in owners or (skills if len(skills) == 1 else ()):
        yield (
            skill,
            None,
            SkillTestCase(f"{tool} as recorded", Expectation(), call=act),
        )


def _written(
    runtime: Runtime, skill: FoundSkill, path: str | None, case: SkillTestCase, approved: tuple[str, ...]
) -> tuple[str, SkillTestCase]:
    """Record one case; gives the file that has it now."""
    from skillbag.runtime.testing.recording import record, write_new_case, write_records
    from skillbag.runtime.testing.suite import sandbox_of

    new = record(skill, case, sandbox_of(skill, approved), runtime.request.completer)
    if path is None:
        return write_new_case(skill.directory, new), new
    write_records(path, skill.directory, new)
    return path, new
