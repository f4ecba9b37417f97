"""The fields of a test case as data (skill runtime, section 13).

`schemas/skill-cases.schema.json` says the same for other programs; a test holds both to each other.
"""

from __future__ import annotations

from skillbag.kernel.manifest import cases
from skillbag.kernel.manifest.host_functions import HOOK_PHASES, MODES
from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.manifest.paths import form_fault
from skillbag.kernel.manifest.shapes import (
    AnyShape,
    Choice,
    Field,
    Flag,
    FlagOrList,
    ListOf,
    Number,
    Record,
    Text,
    TextMap,
)

STATES = ("inactive", "active", "error")
"""The states that a case can end in."""


def _variable_fault(name: str) -> str:
    return "" if name and "=" not in name and "\0" not in name else "is no name of a variable"


_ANY = Text(may_be_empty=True)
_WORD = Text()
_RECORD = Record(
    cases.HostRecord,
    (
        Field(
            "call",
            Text(cases.RECORDED.__contains__, "{} is no function of the host whose answer is recorded"),
            "the name of the function, `call`, is missing",
        ),
        Field("args", AnyShape()),
        Field("result", AnyShape()),
        Field("error", _WORD),
    ),
)
_CALL = Record(cases.ToolCall, (Field("tool", _WORD, "the name of the tool is missing"), Field("input", AnyShape())))
_RUN = Record(cases.WorkflowRun, (Field("workflow", _WORD), Field("input", AnyShape())))
_SCAN = Record(
    cases.ScannerRun,
    (Field("content", _ANY, "the text to scan, `content`, is missing"), Field("path", _WORD), Field("scanner", _WORD)),
)
_HOOK = Record(
    cases.HookRun,
    (
        Field("phase", Text(HOOK_PHASES.__contains__, "unknown hook phase {}"), "the phase is missing"),
        Field("data", AnyShape()),
    ),
)
_EXPECT = Record(
    cases.Expectation,
    (
        Field("value", AnyShape()),
        Field("contains", _WORD),
        Field("error", _WORD),
        Field("cancel", Flag()),
        Field("score", Number()),
        Field("state", Text(STATES.__contains__, f"unknown state {{}}; the states are {', '.join(STATES)}")),
    ),
)

CASE = Record(
    cases.SkillTestCase,
    (
        Field("name", Text(most=200), "the case has no name"),
        Field("expect", _EXPECT, "the case expects nothing: `expect` is missing"),
        Field("files", TextMap(form_fault)),
        Field("env", TextMap(_variable_fault)),
        Field("message", _ANY),
        Field("current_path", _WORD),
        Field("mode", Text(MODES.__contains__, f"unknown mode {{}}; the modes are {', '.join(MODES)}")),
        Field("approve", FlagOrList(ListOf(Choice(Permission, "unknown permission {}"), "duplicate permission {}"))),
        Field("call", _CALL),
        Field("run", _RUN),
        Field("scan", _SCAN),
        Field("hook", _HOOK),
        Field("trigger", Flag()),
        Field("host", ListOf(_RECORD)),
    ),
)
"""Every field of a case."""

ACTS = ("call", "run", "scan", "hook", "trigger")
"""The fields of which a case has one."""
