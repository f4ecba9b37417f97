"""Test cases and replays: a line a case, what differs, and what no case reaches (skill runtime, section 13)."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.manifest.case_reader import CaseFile
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.shapes import ManifestFault
from skillbag.report.answers.types import Count, OneBased, Text
from skillbag.report.junit import ERROR, FAILURE, JunitCase, JunitSuite, junit_xml
from skillbag.report.options import located
from skillbag.report.sanitize import shown, shown_page
from skillbag.report.summary import counted
from skillbag.report.views import lines_view
from skillbag.runtime.skill import Json
from skillbag.runtime.testing.acts import Difference
from skillbag.runtime.testing.replaying import Deviation, Replayed
from skillbag.runtime.testing.suite import Ran, SkillCases

Seconds = Annotated[float, fits(minimum=0)]
_MAX_LINES = 40
"""Lines of one difference that are shown."""


class CaseJson(NamedTuple):
    """A case that was run."""

    skill: Text
    name: Text
    file: str
    line: OneBased
    ok: bool
    seconds: Seconds
    differences: Annotated[
        tuple[Difference, ...],
        "What was expected and what came: a value, part of a text, an error, or calls of the host.",
    ]

    @classmethod
    def of(cls, ran: Ran, cwd: str) -> CaseJson:
        """A case that was run."""
        case, faults, seconds, *_ = ran.result
        where = (located(ran.file, cwd), case.line)
        return cls(ran.skill, case.name, *where, not faults, round(seconds, 3), faults)


class NotReachedJson(NamedTuple):
    """Handlers that no case of a skill reaches."""

    skill: Text
    handlers: Annotated[tuple[str, ...], fits(minItems=1)]


class BadCasesJson(NamedTuple):
    """What is wrong with a file of cases."""

    file: str
    message: Text
    line: OneBased
    column: OneBased


class SkillTestsJson(NamedTuple):
    """The cases that were run, in order. Exit 0: all passed. 1: one failed. 2: a file of cases is wrong, or there are
    none.
    """

    cases: tuple[CaseJson, ...]
    passed: Count
    failed: Count
    not_reached: Annotated[
        tuple[NotReachedJson, ...],
        "Handlers that no case reaches, such as `tool search` or `hook OnAfterResponse 1`; none where cases were "
        "chosen.",
    ]
    bad: Annotated[tuple[BadCasesJson, ...], "Files of cases that can't be used."]
    seconds: Seconds
    remarks: tuple[Text, ...] = ()
    error: Annotated[Text | Absent, "The faults of files, a line each, or that there are no cases."] = ABSENT


class RecordedCaseJson(NamedTuple):
    """A case whose answers of the host were recorded."""

    skill: Text
    name: Text
    file: str
    calls: Count


class RecordedJson(NamedTuple):
    """The cases whose answers of the host were recorded."""

    recorded: tuple[RecordedCaseJson, ...]
    remarks: tuple[Text, ...] = ()


class ReplayJson(NamedTuple):
    """A trace that was carried out again. Exit 0: the same. 1: different."""

    calls: Count
    hooks: Count
    difference: Annotated[
        Deviation | None,
        "The first one: the line of the trace, what it is about, and both values; null if there is none.",
    ]
    remarks: tuple[Text, ...]


class Tested(NamedTuple):
    """A run: the skills with their files of cases, the results in order, the handlers that no case reaches, and the
    seconds that it took."""

    skills: tuple[SkillCases, ...]
    results: tuple[Ran, ...]
    missing: Mapping[str, tuple[str, ...]]
    seconds: float

    @property
    def failed(self) -> int:
        """How many cases failed."""
        return sum(bool(each.result.faults) for each in self.results)

    @property
    def bad(self) -> tuple[CaseFile, ...]:
        """The files with faults."""
        return tuple(file for skill in self.skills for file in skill.files if file.faults)

    def json(self, cwd: str, error: str) -> SkillTestsJson:
        """The record of it; `error` is what is wrong, if anything is."""
        return SkillTestsJson(
            tuple(CaseJson.of(ran, cwd) for ran in self.results),
            len(self.results) - self.failed,
            self.failed,
            tuple(starmap(NotReachedJson, self.missing.items())),
            tuple(BadCasesJson(file, fault.message, *fault.position) for file, fault in self.faults(cwd)),
            round(self.seconds, 3),
            error=error or ABSENT,
        )

    def faults(self, cwd: str) -> Iterator[tuple[str, ManifestFault]]:
        """What is wrong with files of cases, each with its path."""
        return ((located(file.path, cwd), fault) for file in self.bad for fault in file.faults)


def case_lines(ran: Ran, cwd: str) -> Iterator[str]:
    """The line of a case, and below it what was not as expected."""
    case = ran.result.case
    state = "FAILED" if ran.result.faults else "ok    "
    place = f"  ({located(ran.file, cwd)}:{case.line})" if ran.result.faults else ""
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
    for file, fault in tested.faults(cwd):
        yield shown(f"{file}:{fault.position.line}:{fault.position.column}: {fault.message}")


def recorded_json(done: Iterable[tuple[str, str, SkillTestCase]], cwd: str) -> RecordedJson:
    """What was recorded: the skill, the file and the case of each."""
    return RecordedJson(
        tuple(RecordedCaseJson(skill, case.name, located(path, cwd), len(case.host)) for skill, path, case in done)
    )


def recorded_text(done: RecordedJson) -> str:
    """The same, a line each."""
    return lines_view(
        f"recorded  {each.skill}: {each.name}  ({counted(each.calls, 'call')}, {each.file})" for each in done.recorded
    )


def replay_lines(replayed: Replayed, trace: str) -> Iterator[str]:
    """The first difference of a replay, or that there is none."""
    done = f"{counted(replayed.calls, 'call')} and {counted(replayed.hooks, 'hook')}"
    if replayed.deviation is None:
        yield f"The same: {done}."
        return
    different = replayed.deviation
    yield shown(f"{trace}:{different.line}: different after {done}")
    yield from difference_lines(Difference(different.what, _text(different.expected), _text(different.actual)))


def _text(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def junit(tested: Tested, cwd: str) -> Iterator[str]:
    """The run as JUnit XML: a suite for each skill, with an error for each file of cases that can't be used."""
    suites = []
    for skill in tested.skills:
        name = skill.found.name
        cases = [_junit_case(ran, cwd) for ran in tested.results if ran.skill == name]
        cases += [_junit_error(name, file, cwd) for file in skill.files if file.faults]
        suites.append(JunitSuite(shown(name), cases))
    return junit_xml("skillbag runtime test", suites)


def _junit_case(ran: Ran, cwd: str) -> JunitCase:
    case, faults = ran.result.case, ran.result.faults
    names = {"classname": shown(ran.skill), "name": shown(case.name), "file": shown(located(ran.file, cwd))}
    attributes = {**names, "line": str(case.line), "time": f"{ran.result.seconds:.3f}"}
    if not faults:
        return JunitCase(attributes)
    lines = "\n".join(line for fault in faults for line in difference_lines(fault))
    return JunitCase(attributes, FAILURE, lines, counted(len(faults), "difference"))


def _junit_error(skill: str, file: CaseFile, cwd: str) -> JunitCase:
    path = located(file.path, cwd)
    lines = "\n".join(f"{path}:{each.position[0]}:{each.position[1]}: {each.message}" for each in file.faults)
    attributes = {"classname": shown(skill), "name": shown(path)}
    return JunitCase(attributes, ERROR, shown_page(lines), "the file can't be used")
