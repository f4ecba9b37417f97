"""JUnit XML: suites with their cases, as servers for builds read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from skillbag.kernel.base.records import NamedTuple

FAILURE, ERROR, OUTPUT = "failure", "error", "system-out"
"""What a case may have: it failed, it could not be run, or it passed and has something to say."""


class JunitCase(NamedTuple):
    """A case with its attributes; `outcome` is empty where there is nothing to say."""

    attributes: Mapping[str, str]
    outcome: str = ""
    text: str = ""
    message: str = ""


class JunitSuite(NamedTuple):
    """A suite; a text in it is safe to print, and becomes XML here."""

    name: str
    cases: Sequence[JunitCase]


def junit_xml(name: str, suites: Sequence[JunitSuite]) -> Iterator[str]:
    """The document, in pieces; what could not be run is a case of its suite, and none of all the tests."""
    every = [case for suite in suites for case in suite.cases]
    run = sum(case.outcome != ERROR for case in every)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites name={_quoted(name)} {_counts(run, every)}>\n"
    for suite in suites:
        yield f'<testsuite name={_quoted(suite.name)} {_counts(len(suite.cases), suite.cases)} skipped="0">\n'
        yield from map(_case, suite.cases)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _counts(tests: int, cases: Sequence[JunitCase]) -> str:
    failures, errors = (sum(case.outcome == outcome for case in cases) for outcome in (FAILURE, ERROR))
    return f'tests="{tests}" failures="{failures}" errors="{errors}"'


def _case(case: JunitCase) -> str:
    attributes = " ".join(f"{name}={_quoted(value)}" for name, value in case.attributes.items())
    if not case.outcome:
        return f"<testcase {attributes} />\n"
    summary = f' message={_quoted(case.message)} type="skillbag"' if case.message else ""
    body = f"<{case.outcome}{summary}>\n{escape(case.text, quote=False)}\n</{case.outcome}>"
    return f"<testcase {attributes}>\n{body}\n</testcase>\n"


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'
