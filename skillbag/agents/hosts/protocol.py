"""`skillbag runtime host`: a host of any language drives the active skills of one session (docs/runtime-hosts.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from skillbag.agents.hosts.active_skills import open_runtime
from skillbag.agents.hosts.lines import INTERNAL, METHOD, PARAMETERS, REQUEST, BadRequestError, Lines, Request
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.manifest.names import MODES, RISKS
from skillbag.report.sanitize import exact
from skillbag.runtime.activation.request import QuestionsError, ToolRequest, Turn
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import PermissionQuestion, question_text
from skillbag.runtime.sessions.endings import check_ending
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import SkillSource

VERSION = 1
"""Of the protocol."""

Result = dict[str, Any]


def serve(lines: Lines) -> None:
    """Answer requests until `close`, or until they end; all skills are deactivated then."""
    runtime: Runtime | None = None
    try:
        while (request := lines.request()) is not None:
            if request.do == "close":
                if runtime:
                    runtime.close()
                lines.answer({"remarks": _remarks(runtime)})
                return
            try:
                if runtime is None:
                    runtime = _started(lines, request)
                elif request.do == "start":
                    raise BadRequestError(REQUEST, "the session has started")
                lines.answer({**_result(runtime, request), "remarks": _remarks(runtime)})
            except (UserError, OSError) as error:
                lines.fail(getattr(error, "code", INTERNAL), exact(format_error(error)))
    finally:
        if runtime:
            runtime.close()


def _result(runtime: Runtime, request: Request) -> Result:
    action = _ACTIONS.get(request.do)
    if action is None:
        known = ", ".join(_ACTIONS)
        raise BadRequestError(METHOD, f"there is no request {request.do[:80]!a}; there are {known}, close")
    return action(runtime, request)


def _started(lines: Lines, request: Request) -> Runtime:
    """The runtime that `start` asks for."""
    if request.do != "start":
        raise BadRequestError(METHOD, "the first request is `start`")
    if request.values.get("protocol") != VERSION:
        raise BadRequestError(PARAMETERS, f"`protocol` must be {VERSION}")
    mode = request.text("mode", "interactive")
    if mode not in MODES:
        raise BadRequestError(PARAMETERS, f"`mode` must be one of {', '.join(MODES)}")
    asks = request.values.get("asks", True) is not False
    runtime = open_runtime(
        request.text("folder", "."),
        session=request.text("session") if "session" in request.values else None,
        skills=request.texts("skills"),
        mode=mode,
        ask=partial(_permitted, lines) if asks else None,
        confirm=partial(_confirmed, lines) if asks else None,
    )
    # Unlike an answer, it needs nobody who has read a question: an agent may have written it.
    if names := request.texts("approve"):
        runtime.remarks.append(f"`approve` has no effect, so the user is asked about these skills: {', '.join(names)}")
    return runtime


def _permitted(lines: Lines, question: PermissionQuestion) -> ApprovalScope | None:
    answer = lines.ask({"kind": "permissions", **_question(question)}, list(map(str, question.scopes)))
    return ApprovalScope(answer) if answer else None


def _confirmed(lines: Lines, request: ToolRequest) -> bool:
    return lines.ask({"kind": "call", **request._asdict()}, ["allow", "deny"]) == "allow"


def _question(question: PermissionQuestion) -> Result:
    permissions = [{"name": each, "risk": RISKS[each]} for each in question.permissions]
    return {"skill": question.skill, "permissions": permissions, "text": exact(question_text(question))}


def _start(runtime: Runtime, request: Request) -> Result:
    turn = runtime.trigger()
    return {"protocol": VERSION, **_skills(runtime, request), **_turn(turn)}


def _message(runtime: Runtime, request: Request) -> Result:
    return _turn(runtime.begin(request.text("text"), request.text("path", "")))


def _turn(turn: Turn) -> Result:
    questions = list(map(_question, turn.questions))
    failed = {skill: exact(reason) for skill, reason in turn.failed.items()}
    return {"activated": turn.activated, "failed": failed, "questions": questions, "notes": _exact(turn.notes)}


def _skills(runtime: Runtime, request: Request) -> Result:
    skills = [
        {
            "name": each.found.name,
            "description": exact(each.found.manifest.description),
            "state": each.state,
            "reason": exact(each.reason),
            "agents": [agent._asdict() for agent in each.found.manifest.agents],
            "execution_mode": each.found.manifest.execution_mode,
        }
        for each in runtime.statuses()
        # Built-in ones that the user has not named are none that a host can ask for.
        if each.found.source is not SkillSource.BUILTIN or each.found.name not in runtime.resolution.blocked
    ]
    return {"skills": skills}


def _build_prompt(runtime: Runtime, request: Request) -> Result:
    build = runtime.build_prompt(request.text("base", ""), request.texts("only") if "only" in request.values else None)
    fragments = [
        {"skill": each.skill, "inclusion": each.inclusion, "tokens": each.tokens, "wanted": each.wanted}
        for each in build.fragments
    ]
    text = {"base": exact(build.base), "added": exact(build.added), "text": exact(build.text)}
    return {**text, "fragments": fragments, "notes": _exact(build.notes)}


def _tools(runtime: Runtime, request: Request) -> Result:
    tools = [{"skill": each.skill, **each.spec._asdict()} for each in runtime.tools()]
    return {"tools": tools, "workflows": [each.target for each in runtime.workflows()]}


def _before_tool(runtime: Runtime, request: Request) -> Result:
    decision = runtime.before_tool(request.text("tool"), request.values.get("input"))
    notes = _exact(decision.notes)
    if not decision.cancelled:
        return {"cancelled": False, "input": decision.value, "notes": notes}
    said = {"reason": exact(decision.reason), "message": exact(decision.refusal)}
    return {"cancelled": True, "skill": decision.cancelled_by, **said, "notes": notes}


def _after_tool(runtime: Runtime, request: Request) -> Result:
    output = ToolOutput(request.text("content"), request.values.get("is_error") is True)
    report = runtime.after_tool(request.text("tool"), request.values.get("input"), output)
    changed = bool(report.changed_by)
    return {**report.output._asdict(), "changed": changed, "said": report.said, "notes": _exact(report.notes)}


def _call_tool(runtime: Runtime, request: Request) -> Result:
    report = runtime.call_tool(request.text("tool"), request.values.get("input", {}))
    return {"content": exact(report.output.content), "is_error": report.output.is_error, "said": report.said}


def _run_workflow(runtime: Runtime, request: Request) -> Result:
    return runtime.run_reported(request.text("workflow"), request.values.get("input", {}))._asdict()


def _respond(runtime: Runtime, request: Request) -> Result:
    reply = runtime.respond(request.text("text"), request.text("reason", "end_turn"))
    return {**reply._asdict(), "changed": bool(reply.changed_by), "notes": _exact(reply.notes)}


def _activate(runtime: Runtime, request: Request) -> Result:
    try:
        return {"activated": runtime.activate(request.text("skill")), "questions": []}
    except QuestionsError as error:
        return {"activated": [], "questions": list(map(_question, error.questions))}


def _deactivate(runtime: Runtime, request: Request) -> Result:
    skill = request.text("skill")
    check_ending(runtime.skills, skill, runtime.request.confirm)
    return {"deactivated": runtime.deactivate(skill)}


_ACTIONS: Mapping[str, Callable[[Runtime, Request], Result]] = {
    "start": _start,
    "message": _message,
    "build_prompt": _build_prompt,
    "before_tool": _before_tool,
    "after_tool": _after_tool,
    "call_tool": _call_tool,
    "run_workflow": _run_workflow,
    "respond": _respond,
    "activate": _activate,
    "deactivate": _deactivate,
    "tools": _tools,
    "skills": _skills,
}


def _remarks(runtime: Runtime | None) -> list[str]:
    """What there is to tell the user since the last request."""
    if runtime is None:
        return []
    remarks, runtime.remarks[:] = _exact(runtime.remarks), []
    return remarks


def _exact(sentences: Iterable[str]) -> list[str]:
    return list(map(exact, sentences))
