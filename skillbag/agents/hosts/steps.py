"""The steps of a host's conversation, each in a process of its own, with the active skills of the session."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping

from skillbag.agents.hosts.active_skills import door_request
from skillbag.agents.hosts.concerned import PHASES, concerned, guards_elsewhere
from skillbag.agents.hosts.event import BEGINNING, ConversationStep, Host, HostEvent, HostReply
from skillbag.agents.hosts.telling import of_turn
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.call_input import is_taken_as_it_is
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.time_limit import within
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.broker.session_records import SessionPlace, SessionRecord, end_session, read_session
from skillbag.runtime.hooks.conversation import PromptBuild
from skillbag.runtime.hooks.guards import can_t_ask, ways_out
from skillbag.runtime.sessions.resumption import ReportedDigests, resumed
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.session.refresh.state import forget_old_sessions


def perform(host: Host, event: HostEvent, scope: Scope) -> HostReply:
    """Take the step within the host's time; `scope` is that of the event's folder and session. Skills that it does not
    reach are left as they are: they refuse a call, and are named in a remark.

    Raises:
        UserError, OSError: the settings, a named skill or the session can't be used.
    """
    request, fault = door_request(scope, host.mode)
    place = SessionPlace(request.state, request.workspace, event.session)
    try:
        with within(host.seconds):
            record = read_session(place)
            if guards := guards_elsewhere(event, place, record):
                return HostReply(refusal=can_t_ask(guards), remarks=ways_out(guards, event.session))
            reply = _perform(host, event, request, record)
            remarks = filter(None, (fault if event.step in BEGINNING else "", *reply.remarks))
            return reply._replace(remarks=tuple(remarks))
    finally:
        if event.step is ConversationStep.END:
            end_session(place)
            forget_old_sessions(time.time())


def _perform(host: Host, event: HostEvent, request: RuntimeRequest, record: SessionRecord) -> HostReply:
    phases = PHASES.get(event.step)
    loaded = concerned(event, record)
    if phases is not None and not loaded:
        return HostReply()
    settings = request.settings
    budget = settings.budget._replace(total=min(settings.budget.total, host.most_tokens))
    runtime = Runtime(request._replace(settings=settings._replace(budget=budget)))
    try:
        with resumed(runtime, phases) as reported:
            if event.step in BEGINNING:
                # What they activate is known now.
                for each in record.active:
                    if each.is_unknown:
                        runtime.skills.lost.pop(each.skill, None)
            reply = _STEPS[event.step](runtime, event, host, reported)
            missing = [skill for skill in loaded if not _has_hook(runtime, skill, Phase.BEFORE_TOOL_CALL)]
            # The user has decided against these.
            gone = [skill for skill in missing if skill not in runtime.skills.withdrawn]
    except (UserError, OSError) as error:
        if event.step is not ConversationStep.BEFORE_TOOL:
            raise
        reply, gone = HostReply(remarks=(format_error(error),)), loaded
    if event.step is ConversationStep.BEFORE_TOOL and gone and reply.refusal is None:
        # A guard that can't be asked must not be passed in silence.
        # One that had no time is asked again at the next call.
        lost = [skill for skill in gone if skill in runtime.skills.lost]
        remarks = (*reply.remarks, *ways_out(lost, event.session))
        reply = reply._replace(refusal=can_t_ask(gone), remarks=remarks)
    return reply._replace(remarks=tuple(dict.fromkeys((*runtime.remarks, *reply.remarks))))


def _has_hook(runtime: Runtime, skill: str, phase: Phase) -> bool:
    active = runtime.skills.get(skill)
    return active is not None and phase in active.phases


def _start(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    # The user sees an empty conversation, or one from long ago.
    reported.clear()
    turn = runtime.trigger()
    remarks = tuple(of_turn(runtime, turn, host, reported))
    if host.builds_prompts:
        return HostReply(remarks=remarks)
    known = {fragment.skill: fragment.text for fragment in runtime.fragments()}
    given = known.values() if event.forgot else [known[skill] for skill in turn.activated if skill in known]
    context = "\n\n".join(filter(None, (*given, *_tools(runtime, turn.activated))))
    return HostReply(context, remarks=remarks)


def _message(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    turn = runtime.begin(event.text)
    remarks = tuple(of_turn(runtime, turn, host, reported))
    if host.builds_prompts:
        return HostReply(remarks=remarks)
    # The agent still has what it was given with earlier messages.
    build = runtime.build_prompt("", turn.activated)
    context = "\n\n".join(filter(None, (build.added, *_tools(runtime, turn.activated))))
    return HostReply(context, remarks=(*remarks, *_of_prompt(build, host)))


def _prompt(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    # The others are in the description of `skill_activate`, or have a tool of their own.
    build = runtime.build_prompt("", [each.found.name for each in runtime.skills])
    return HostReply(build.added, remarks=_of_prompt(build, host))


def _of_prompt(build: PromptBuild, host: Host) -> tuple[str, ...]:
    wanted = f"A hook of an active skill wants another system prompt, which {host.name} can't change"
    return (*build.notes, wanted) if build.base else build.notes


def _before_tool(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    decision = runtime.before_tool(event.tool, event.value)
    if decision.cancelled:
        return HostReply(refusal=decision.refusal, remarks=decision.notes)
    if decision.changed_by and not is_taken_as_it_is(decision.value):
        who = ", ".join(decision.changed_by)
        refusal = f"The hooks of {who} changed the input of this call to one that {host.name} would not take as it is."
        return HostReply(refusal=refusal, remarks=decision.notes)
    return HostReply(value=decision.value if decision.changed_by else None, remarks=decision.notes)


def _after_tool(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    before = ToolOutput(event.content, event.is_error)
    report = runtime.after_tool(event.tool, event.value, before)
    content = report.output.content if report.output != before else None
    return HostReply(content=content, is_error=report.output.is_error, by=report.changed_by, remarks=report.notes)


def _answer(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    reply = runtime.respond(event.text)
    if reply.text == event.text:
        return HostReply(remarks=reply.notes)
    return HostReply(text=reply.text, by=reply.changed_by, remarks=reply.notes)


def _end(runtime: Runtime, event: HostEvent, host: Host, reported: ReportedDigests) -> HostReply:
    guards = [each.found.name for each in runtime.skills if each.is_guard]
    runtime.close()
    for name in guards:
        # It stays in the record; see `end_session`.
        runtime.skills.lost.add(name, is_guard=True)
    return HostReply()


_STEPS: Mapping[ConversationStep, Callable[[Runtime, HostEvent, Host, ReportedDigests], HostReply]] = {
    ConversationStep.START: _start,
    ConversationStep.MESSAGE: _message,
    ConversationStep.PROMPT: _prompt,
    ConversationStep.BEFORE_TOOL: _before_tool,
    ConversationStep.AFTER_TOOL: _after_tool,
    ConversationStep.ANSWER: _answer,
    ConversationStep.END: _end,
}


def _tools(runtime: Runtime, skills: Collection[str]) -> list[str]:
    """How the agent comes to the tools of skills: a host offers only those of its own and of MCP servers."""
    names = [each.spec.name for each in runtime.tools() if each.skill in skills]
    offered = "the tool `skill_activate` of the MCP server skillbag offers them"
    return [f"Active skills have these tools: {', '.join(names)}; {offered}."] if names else []
