"""The cases of skills, found, chosen and run (skill runtime, section 13)."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import NamedTuple

from skillbag.kernel.manifest.case_reader import CaseFile, case_files, read_cases
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.names import BackendKind
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.testing.running import SkillTestResult, declared, run_case
from skillbag.runtime.triggers.settings import Sandbox

_AT_ONCE = 4
"""Cases that run at a time: each waits for its process and the disk for most of its time."""


class SkillCases(NamedTuple):
    """A skill and the files of its cases."""

    found: FoundSkill
    files: tuple[CaseFile, ...]


class Ran(NamedTuple):
    """A case of a skill that was run, and the absolute path of its file."""

    skill: str
    file: str
    result: SkillTestResult


def cases_of(found: FoundSkill) -> SkillCases:
    """The cases of a skill."""
    return SkillCases(found, tuple(read_cases(path, found.directory) for path in case_files(found.directory)))


def chosen(skills: Iterable[SkillCases], pattern: str) -> Iterator[tuple[FoundSkill, CaseFile, SkillTestCase]]:
    """The cases whose `SKILL: NAME` has the pattern in it, or matches it as a glob; case does not count."""
    wanted = pattern.lower()
    for skill in skills:
        for file in skill.files:
            for case in file.cases:
                name = f"{skill.found.name}: {case.name}".lower()
                if wanted in name or fnmatchcase(name, wanted):
                    yield skill.found, file, case


def run_all(skills: Iterable[SkillCases], pattern: str, approved: Collection[str] = ()) -> Iterator[Ran]:
    """Run the chosen cases, `_AT_ONCE` at a time; gives the results in order. Processes and plugins are started only
    where the system can keep them from the user's files, unless the skill is among the `approved`.

    Raises:
        UserError, OSError: see `run_case`.
    """

    def run(work: tuple[FoundSkill, CaseFile, SkillTestCase]) -> Ran:
        found, file, case = work
        return Ran(found.name, file.path, run_case(found, case, sandbox_of(found, approved), copies))

    with (
        tempfile.TemporaryDirectory(prefix="skillbag-copies-", ignore_cleanup_errors=True) as copies,
        ThreadPoolExecutor(_AT_ONCE) as pool,
    ):
        waiting = [pool.submit(run, work) for work in chosen(skills, pattern)]
        try:
            yield from (each.result() for each in waiting)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def sandbox_of(found: FoundSkill, approved: Collection[str]) -> Sandbox:
    """Whether the code of a skill may run where the system can't hold it: Starlark has nothing but the host."""
    implementation = found.manifest.implementation
    is_starlark = implementation is None or implementation.backend is BackendKind.STARLARK
    return Sandbox.BEST_EFFORT if is_starlark or found.name in approved else Sandbox.REQUIRE


def not_reached(skills: Iterable[SkillCases], results: Iterable[Ran]) -> dict[str, tuple[str, ...]]:
    """The handlers and rules of each skill with cases that none of its cases reaches, sorted."""
    ran = list(results)
    missing: dict[str, tuple[str, ...]] = {}
    for found in (skill.found for skill in skills if skill.files):
        own = [each.result for each in ran if each.skill == found.name]
        handlers = declared(found).union(*(result.handlers for result in own))
        rest = handlers.difference(*(result.reached for result in own))
        missing |= {found.name: tuple(sorted(rest))} if rest else {}
    return missing
