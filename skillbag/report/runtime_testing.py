"""What `skillbag runtime test` prints: a line a case, what differs, and what no case reaches (skill runtime, section
13)."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from skillbag.kernel.manifest.case_reader import CaseFile
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.faults import ManifestFault
from skillbag.report.encoding import json_object
from skillbag.report.sanitize import shown, shown_page
from skillbag.report.summary import counted
from skillbag.runtime.testing.comparison import Difference
from skillbag.runtime.testing.suite import Ran, SkillCases

_MAX_LINES = 40
"""Lines of one difference that are shown."""


class Tested(NamedTuple):
    """A run: the skills with their files of cases, the results in order, the handlers that no case reaches, and the
    seconds that it took."""

    skills: tuple[SkillCases, ...]
    results: tuple[Ran, ...]
    missing: Mapping[str, Sequence[str]]
    seconds: float

    @property
    def failed(self) -> int:
        """How many cases failed."""
        return sum(bool(each.result.faults) for each in self.results)

    @property
    def bad(self) -> tuple[CaseFile, ...]:
        """The files with faults."""
        return tuple(file for skill in self.skills for file in skill.files if file.faults)


def case_lines(ran: Ran, cwd: str) -> Iterator[str]:
    """The line of a case, and below it what was not as expected."""
    case = ran.result.case
    state = "FAILED" if ran.result.faults else "ok    "
    place = f"  ({_path(ran.file, cwd)}:{case.line})" if ran.result.faults else ""
    yield f"{state}  {shown(f'{ran.skill}: {case.name}{place}')}"
    for fault in ran.result.faults:
        yield from (f"    {line}" for line in difference_lines(fault))


def difference_lines(fault: Difference) -> Iterator[str]:
    """A difference as lines: `-` what was expected, `+` what came."""
    yield f"{fault.what}:"
    before, after = (shown_page(text).splitlines() for text in (fault.expected, fault.actual))
    lines = [line for line in difflib.ndiff(before, after) if not line.startswith("?")]
    yield from (f"  {line}".rstrip() for line in lines[:_MAX_LINES])
    if len(lines) > _MAX_LINES:
        yield f"  … {counted(len(lines) - _MAX_LINES, 'more line')}"


def closing_lines(tested: Tested) -> Iterator[str]:
    """What no case reaches, and the counts."""
    for skill, handlers in tested.missing.items():
        yield shown(f"No case of {skill} reaches: {', '.join(handlers)}")
    passed = len(tested.results) - tested.failed
    yield f"{counted(len(tested.results), 'case')}: {passed} ok, {tested.failed} failed ({tested.seconds:.1f} s)"


def fault_lines(tested: Tested, cwd: str) -> Iterator[str]:
    """What is wrong with files of cases, with its places."""
    for file in tested.bad:
        for fault in file.faults:
            yield shown(f"{_path(file.path, cwd)}:{fault.position.line}:{fault.position.column}: {fault.message}")


def test_values(tested: Tested, cwd: str) -> dict[str, Any]:
    """The run as JSON."""
    return json_object(
        cases=[_case_values(ran, cwd) for ran in tested.results],
        passed=len(tested.results) - tested.failed,
        failed=tested.failed,
        not_reached=[{"skill": skill, "handlers": handlers} for skill, handlers in tested.missing.items()],
        bad=[{"file": _path(file.path, cwd), **_fault(each)} for file in tested.bad for each in file.faults],
        seconds=round(tested.seconds, 3),
    )


def recorded_text(done: Iterable[tuple[str, str, SkillTestCase]], cwd: str) -> str:
    """What was recorded: the skill, the file and the case of each, a line each."""
    lines = (
        f"recorded  {skill}: {case.name}  ({counted(len(case.host), 'call')}, {_path(path, cwd)})"
        for skill, path, case in done
    )
    return "".join(f"{shown(line)}\n" for line in lines)


def recorded_values(done: Iterable[tuple[str, str, SkillTestCase]], cwd: str) -> dict[str, Any]:
    """The same as JSON."""
    recorded = [
        {"skill": skill, "name": case.name, "file": _path(path, cwd), "calls": len(case.host)}
        for skill, path, case in done
    ]
    return json_object(recorded=recorded, remarks=[])


def junit(tested: Tested, cwd: str) -> Iterator[str]:
    """The run as JUnit XML: a suite for each skill."""
    total = f'tests="{len(tested.results)}" failures="{tested.failed}" errors="{len(tested.bad)}"'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="skillbag runtime test" {total}>\n'
    for skill in tested.skills:
        own = [ran for ran in tested.results if ran.skill == skill.found.name]
        bad = [file for file in skill.files if file.faults]
        failed = sum(bool(ran.result.faults) for ran in own)
        counts = f'tests="{len(own) + len(bad)}" failures="{failed}" errors="{len(bad)}" skipped="0"'
        yield f"<testsuite name={_quoted(skill.found.name)} {counts}>\n"
        yield from (_junit_case(ran, cwd) for ran in own)
        yield from (_junit_error(skill.found.name, file, cwd) for file in bad)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _fault(fault: ManifestFault) -> dict[str, Any]:
    return {"message": fault.message, "line": fault.position.line, "column": fault.position.column}


def _case_values(ran: Ran, cwd: str) -> dict[str, Any]:
    result = ran.result
    return {
        "skill": ran.skill,
        "name": result.case.name,
        "file": _path(ran.file, cwd),
        "line": result.case.line,
        "ok": not result.faults,
        "seconds": round(result.seconds, 3),
        "differences": [fault._asdict() for fault in result.faults],
    }


def _junit_case(ran: Ran, cwd: str) -> str:
    case = ran.result.case
    names = f"classname={_quoted(ran.skill)} name={_quoted(case.name)} file={_quoted(_path(ran.file, cwd))}"
    head = f'<testcase {names} line="{case.line}" time="{ran.result.seconds:.3f}"'
    if not ran.result.faults:
        return f"{head} />\n"
    text = escape("\n".join(line for fault in ran.result.faults for line in difference_lines(fault)), quote=False)
    summary = f'message="{counted(len(ran.result.faults), "difference")}" type="skillbag"'
    return f"{head}>\n<failure {summary}>\n{text}\n</failure>\n</testcase>\n"


def _junit_error(skill: str, file: CaseFile, cwd: str) -> str:
    path = _path(file.path, cwd)
    lines = "\n".join(f"{path}:{each.position[0]}:{each.position[1]}: {each.message}" for each in file.faults)
    body = (
        f'<error message="the file can\'t be used" type="skillbag">\n{escape(shown_page(lines), quote=False)}\n</error>'
    )
    return f"<testcase classname={_quoted(skill)} name={_quoted(path)}>\n{body}\n</testcase>\n"


def _path(path: str, cwd: str) -> str:
    relative = os.path.relpath(path, cwd)
    return path if relative.startswith("..") else relative.replace(os.sep, "/")


def _quoted(text: str) -> str:
    return f'"{escape(shown(text))}"'
