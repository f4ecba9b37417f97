"""Tools of this program that have active skills work: a scan of the workspace, and transforms of a text (skill runtime,
section 8)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.tool import Tool, ToolFailedError, ToolResult, built_in
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import SkillType
from skillbag.report.encoding import to_json
from skillbag.report.options import ReportOptions
from skillbag.report.runtime.scan import ScanJson
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.questions import sentence_for_hosts
from skillbag.runtime.scanning.scan import scan_workspace
from skillbag.runtime.sessions.preview import activate_triggered, is_of
from skillbag.runtime.sessions.runtime import Runtime

SCAN, TRANSFORM = "skill_scan", "skill_transform"

MAX_FINDINGS = 1000
"""Findings, and errors, that one result holds."""


def work_tools(runtime: Runtime) -> Iterator[Tool]:
    """The tools for which a skill is found."""
    if _named(runtime, SkillType.SECURITY_RULE) and runtime.request.workspace:
        yield built_in(SCAN, partial(_scan, runtime))
    if _named(runtime, SkillType.TRANSFORM):
        yield built_in(TRANSFORM, partial(_transform, runtime))


def questions_result(runtime: Runtime, error: QuestionsError, tool: str) -> ToolResult:
    """What the user must allow before `tool` is called again, as a text."""
    lines = [f"The user decides: {each}" for each in _sentences(runtime, error)]
    return ToolResult("\n".join((*lines, f"Then call {tool} again.")), asks=True)


def _sentences(runtime: Runtime, error: QuestionsError) -> list[str]:
    return [sentence_for_hosts(each) for each in error.questions]


def _scan(runtime: Runtime, scope: Scope, paths: Iterable[str] = (), skills: Iterable[str] = ()) -> ToolResult:
    root = runtime.request.workspace or ""
    inside = [_inside(root, path) for path in paths]
    try:
        _activate(runtime, skills)
        found = scan_workspace(runtime, inside)
    except QuestionsError as error:
        return ToolResult({"questions": _sentences(runtime, error)}, asks=True)
    if not found.skills:
        reasons = [f"{error.skill}: {error.message}" for error in found.errors if error.skill]
        raise ToolFailedError(_none_active(runtime, SkillType.SECURITY_RULE, reasons))
    values = to_json(ScanJson.of(found, ReportOptions(root)))
    counts = {f"{name}_count": len(values[name]) for name in ("findings", "errors")}
    bounded = {name: values[name][:MAX_FINDINGS] for name in ("findings", "errors")}
    return ToolResult({**values, **bounded, **counts})


def _transform(runtime: Runtime, scope: Scope, text: str, skills: Iterable[str] = ()) -> ToolResult:
    try:
        _activate(runtime, skills)
        failed = activate_triggered(runtime, is_of(SkillType.TRANSFORM))
    except QuestionsError as error:
        return questions_result(runtime, error, TRANSFORM)
    reasons = [f"{name}: {why}" for name, why in failed.items()]
    if not any(SkillType.TRANSFORM in active.found.manifest.types for active in runtime.skills):
        raise ToolFailedError(_none_active(runtime, SkillType.TRANSFORM, reasons))
    reply = runtime.respond(text)
    runtime.remarks += [*(f"skill {reason}" for reason in reasons), *reply.notes]
    return ToolResult(reply.text, note=reply.said)


def _activate(runtime: Runtime, names: Iterable[str]) -> None:
    for name in names:
        runtime.activate(name)


def _inside(root: str, path: str) -> str:
    """The absolute path. One that leads out is refused by its words, so that it reveals no files elsewhere."""
    normal = os.path.normpath(path)
    if os.path.isabs(path) or normal.split(os.sep)[0] == os.pardir:
        raise UserError(f"{path}: it is not in the workspace; name a path relative to the workspace")
    return os.path.join(root, normal)


def _named(runtime: Runtime, type_: SkillType) -> list[str]:
    return [found.name for found in runtime.found.skills if type_ in found.manifest.types]


def _none_active(runtime: Runtime, type_: SkillType, reasons: list[str]) -> str:
    names = ", ".join(_named(runtime, type_))
    message = f'no skill of the type "{type_}" is active; name one in `skills`: {names}'
    return "; ".join((message, *reasons))
