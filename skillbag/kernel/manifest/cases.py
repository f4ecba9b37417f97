"""The model of test cases of an active skill: what is done, in which situation, and what is expected (skill runtime,
section 13).

`schemas/skill-cases.schema.json` says the same for other programs; a test holds both to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

from skillbag.kernel.manifest.names import HOOK_PHASES, MODES, STARLARK_FUNCTIONS, Permission
from skillbag.kernel.manifest.paths import form_fault
from skillbag.kernel.manifest.shapes import COMPUTED, AnyShape, Choice, FlagOrList, ListOf, Text, TextMap

CASES_FOLDER = "tests"
"""The folder of a skill whose `.yaml` files hold its cases."""

RECORDED = frozenset(STARLARK_FUNCTIONS) - {"env", "set_env"}
"""The functions of the host that a case answers from its record. The others reach nothing but the skill's own files,
the case's folder and the case's variables."""

ABSENT: Any = object()
"""Stands for a value that is not given, as null is one."""


STATES = ("inactive", "active", "error")
"""The states that a case can end in."""


def _variable_fault(name: str) -> str:
    return "" if name and "=" not in name and "\0" not in name else "is no name of a variable"


_FUNCTION = Text(RECORDED.__contains__, "{} is no function of the host whose answer is recorded")
_PHASE = Text(HOOK_PHASES.__contains__, "unknown hook phase {}")
_STATE = Text(STATES.__contains__, f"unknown state {{}}; the states are {', '.join(STATES)}")
_MODE = Text(MODES.__contains__, f"unknown mode {{}}; the modes are {', '.join(MODES)}")
_APPROVED = FlagOrList(ListOf(Choice(Permission, "unknown permission {}"), "duplicate permission {}"))


class HostRecord(NamedTuple):
    """A call of a function of the host: its arguments by name, and the result, or the message of an error. That of a
    trace has the error's code, and its line."""

    call: Annotated[str, _FUNCTION, "the name of the function, `call`, is missing"]
    args: Annotated[Mapping[str, Any], AnyShape()] = {}
    result: Any = None
    error: Annotated[str, Text()] = ""
    code: Annotated[int | None, COMPUTED] = None
    line: Annotated[int, COMPUTED] = 0


class ToolCall(NamedTuple):
    """A call of a tool."""

    tool: Annotated[str, Text(), "the name of the tool is missing"]
    input: Any = {}  # noqa: RUF012 - never changed


class WorkflowRun(NamedTuple):
    """A run of a workflow; an empty name is the skill's only one."""

    workflow: Annotated[str, Text()] = ""
    input: Any = {}  # noqa: RUF012 - never changed


class ScannerRun(NamedTuple):
    """A text for a scanner of the skill, or for all of them and the rules of the skill if its name is empty."""

    content: Annotated[str, "the text to scan, `content`, is missing"]
    path: Annotated[str, Text()] = ""
    scanner: Annotated[str, Text()] = ""


class HookRun(NamedTuple):
    """A phase that fires, and its data."""

    phase: Annotated[str, _PHASE, "the phase is missing"]
    data: Annotated[Mapping[str, Any], AnyShape()] = {}


class Expectation(NamedTuple):
    """What a case expects; what is not given is not compared.

    `value` is what was called gives: of a tool the text, or the JSON in it; of hooks what they change; of one scanner
    its answer; of rules and scanners the list of findings. `contains` is a part of its text, or of the reason of a
    cancellation. `error` is a part of the message of a failure; without it none may fail. `cancel` says whether a hook
    cancels, `score` is that of the triggers, `state` that of the skill in the end.
    """

    value: Any = ABSENT
    contains: Annotated[str, Text()] = ""
    error: Annotated[str, Text()] = ""
    cancel: bool | None = None
    score: int | None = None
    state: Annotated[str, _STATE] = ""


Act: TypeAlias = ToolCall | WorkflowRun | ScannerRun | HookRun


class SkillTestCase(NamedTuple):
    """A test case. One of `call`, `run`, `scan`, `hook` and `trigger` says what is done.

    `files` are those of the workspace, `env` the variables that the skill sees. `approve` are the permissions that the
    user gives, or whether all of them. `line` is where the case begins in its file, `number` its place among the cases.
    """

    name: Annotated[str, Text(most=200), "the case has no name"]
    expect: Annotated[Expectation, "the case expects nothing: `expect` is missing"]
    files: Annotated[Mapping[str, str], TextMap(form_fault)] = {}
    env: Annotated[Mapping[str, str], TextMap(_variable_fault)] = {}
    message: str = ""
    current_path: Annotated[str, Text()] = ""
    mode: Annotated[str, _MODE] = "headless"
    approve: Annotated[bool | tuple[Permission, ...], _APPROVED] = True
    call: ToolCall | None = None
    run: WorkflowRun | None = None
    scan: ScannerRun | None = None
    hook: HookRun | None = None
    trigger: bool = False
    host: tuple[HostRecord, ...] = ()
    line: Annotated[int, COMPUTED] = 1
    number: Annotated[int, COMPUTED] = 0

    @property
    def act(self) -> Act | None:
        """What is done; None where the triggers alone are tried."""
        return self.call or self.run or self.scan or self.hook
