"""The model of test cases of an active skill: what is done, in which situation, and what is expected (skill runtime,
section 13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from skillbag.kernel.manifest.names import STARLARK_FUNCTIONS, Permission

CASES_FOLDER = "tests"
"""The folder of a skill whose `.yaml` files hold its cases."""

RECORDED = frozenset(STARLARK_FUNCTIONS) - {"env", "set_env"}
"""The functions of the host that a case answers from its record. The others reach nothing but the skill's own files,
the case's folder and the case's variables."""

ABSENT: Any = object()
"""Stands for a value that is not given, as null is one."""


class HostRecord(NamedTuple):
    """A call of a function of the host: its arguments by name, and the result, or the message of an error. That of a
    trace has the error's code, and its line."""

    call: str
    args: Mapping[str, Any] = {}
    result: Any = None
    error: str = ""
    code: int | None = None
    line: int = 0


class ToolCall(NamedTuple):
    """A call of a tool."""

    tool: str
    input: Any = {}  # noqa: RUF012 - never changed


class WorkflowRun(NamedTuple):
    """A run of a workflow; an empty name is the skill's only one."""

    workflow: str = ""
    input: Any = {}  # noqa: RUF012 - never changed


class ScannerRun(NamedTuple):
    """A text for a scanner of the skill, or for all of them and the rules of the skill if its name is empty."""

    content: str
    path: str = ""
    scanner: str = ""


class HookRun(NamedTuple):
    """A phase that fires, and its data."""

    phase: str
    data: Mapping[str, Any] = {}


class Expectation(NamedTuple):
    """What a case expects; what is not given is not compared.

    `value` is what was called gives: of a tool the text, or the JSON in it; of hooks what they change; of one scanner
    its answer; of rules and scanners the list of findings. `contains` is a part of its text, or of the reason of a
    cancellation. `error` is a part of the message of a failure; without it none may fail. `cancel` says whether a hook
    cancels, `score` is that of the triggers, `state` that of the skill in the end.
    """

    value: Any = ABSENT
    contains: str = ""
    error: str = ""
    cancel: bool | None = None
    score: int | None = None
    state: str = ""


Act: TypeAlias = ToolCall | WorkflowRun | ScannerRun | HookRun


class SkillTestCase(NamedTuple):
    """A test case. One of `call`, `run`, `scan`, `hook` and `trigger` says what is done.

    `files` are those of the workspace, `env` the variables that the skill sees. `approve` are the permissions that the
    user gives, or whether all of them. `line` is where the case begins in its file, `number` its place among the cases.
    """

    name: str
    expect: Expectation
    files: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    message: str = ""
    current_path: str = ""
    mode: str = "headless"
    approve: bool | tuple[Permission, ...] = True
    call: ToolCall | None = None
    run: WorkflowRun | None = None
    scan: ScannerRun | None = None
    hook: HookRun | None = None
    trigger: bool = False
    host: tuple[HostRecord, ...] = ()
    line: int = 1
    number: int = 0

    @property
    def act(self) -> Act | None:
        """What is done; None where the triggers alone are tried."""
        return self.call or self.run or self.scan or self.hook
