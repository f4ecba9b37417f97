"""Answering the host that runs our plugin, or a user who calls the plugin directly."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from skillbag.agents.plugins.calls import HOOK, direct_call, names_tool, read_call
from skillbag.doors.cli.messages import error
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.workspaces import absolute_folder, scope_from_options
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.json_records import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillbag.agents.plugins.calls import PluginCall
    from skillbag.agents.settings.scope import Scope
    from skillbag.agents.tools.tool import OfferedTools, ToolResult
    from skillbag.report.answers.commands import PluginToolJson

_EXIT_FAILED = 1


class PluginHome(NamedTuple):
    """The values of `scope_options`: what the agent can reach."""

    folder: str
    personal: str | None
    session: str | None
    session_type: str

    def named(self) -> PluginHome:
        """With a session: by default one that identifies the process of the host."""
        if self.session is not None:
            return self
        from skillbag.agents.plugins.session import host_session

        return self._replace(session=host_session())

    def scope(self) -> Scope:
        """Raises as `scope_from_options`."""
        return scope_from_options(*self.named())

    def hook_scope(self) -> Scope:
        """The same for a hook. Raises as `scope.hook_scope`, and OSError if the current folder is gone."""
        from skillbag.agents.settings.scope import hook_scope

        folder, personal, session, session_type = self.named()
        personal = absolute_folder(personal) if personal else personal
        return hook_scope(os.path.abspath(folder), personal, session, session_type == "user")


def serve(place: PluginHome, schema: bool, words: tuple[str, ...], json_as: str | None = None) -> None:
    """Answer what is asked by options, words, the environment or standard input, in this order.

    Hosts have forms of their own. With `json_as`, the answer is the JSON of the command of this name.
    """
    if json_as is not None:
        _serve_json(place, schema, words, json_as)
        return
    from skillbag.agents.plugins.plugin import answer_hook

    hook = os.environ.get(HOOK)
    if schema:
        print_page(json.dumps(to_json(_schema(place))))
    elif words:
        _call(place, direct_call(words))
    elif hook:
        answered = answer_hook(place.hook_scope, hook, os.environ, piped_input, _complain)
        print_page(json.dumps(to_json(answered)))
    elif names_tool(os.environ) or not (sys.stdin and sys.stdin.isatty()):
        _answer_call(place)
    else:
        # A person at a terminal who says nothing: the error names what is missing.
        _call(place, read_call(os.environ, piped_input))


def _serve_json(place: PluginHome, schema: bool, words: tuple[str, ...], command: str) -> None:
    from skillbag.agents.plugins.plugin import answer_hook
    from skillbag.doors.cli.answers import CommandOutput, answering
    from skillbag.report.answers.commands import HookAnswerJson, OfferedJson, ServedCallJson

    with answering(command, as_json=True) as say:
        if schema:
            say(CommandOutput(OfferedJson(_schema(place)), ""))
        elif not words and (hook := os.environ.get(HOOK)):
            answered = answer_hook(place.hook_scope, hook, os.environ, piped_input, _complain)
            say(CommandOutput(HookAnswerJson(answered), ""))
        else:
            call = direct_call(words) if words else read_call(os.environ, piped_input)
            say(CommandOutput(ServedCallJson(call.tool, _result(place, call).text), ""))


def _answer_call(place: PluginHome) -> None:
    """Print the tool's result, or `Error: …` and the reason.

    A host hides what a plugin prints if it ends with another exit code than 0, and the agent could only try again.
    """
    try:
        result = _result(place, read_call(os.environ, piped_input))
    except (UserError, OSError) as error:
        print_failure(format_error(error))
    else:
        print_page(result.text)


def _result(place: PluginHome, call: PluginCall) -> ToolResult:
    """The result of a tool. Active skills are loaded only for a tool that may be theirs: the host asks `pre_tool`."""
    from skillbag.agents.plugins.session import session_tools
    from skillbag.agents.tools.registry import built_in_tools, call_tool

    scope = place.scope()
    if call.tool in built_in_tools(scope):
        return call_tool(scope, call.tool, call.arguments)
    with session_tools(scope) as more:
        return call_tool(scope, call.tool, call.arguments, more)


def _schema(place: PluginHome) -> tuple[PluginToolJson, ...]:
    """The tools; why some are left out is printed on standard error."""
    from skillbag.agents.plugins.active_hooks import HOOKS as ACTIVE_HOOKS
    from skillbag.agents.plugins.plugin import HOOKS, offered_at
    from skillbag.agents.plugins.session import session_tools
    from skillbag.agents.settings.scope import Scope

    try:
        scope = place.scope()
    except (UserError, OSError) as error:
        _complain(format_error(error))
        scope = Scope(None, None, user=place.session_type == "user")
    try:
        with session_tools(scope) as more:
            return _entries(offered_at(scope, more), [*HOOKS, *ACTIVE_HOOKS] if more else HOOKS)
    except (UserError, OSError) as error:
        _complain(format_error(error))
        return _entries(offered_at(scope), HOOKS)


def _entries(offer: OfferedTools, hooks: Iterable[str]) -> tuple[PluginToolJson, ...]:
    from skillbag.agents.plugins.plugin import schema

    for remark in offer.remarks:
        _complain(remark)
    return schema(offer.tools, hooks)


def _call(place: PluginHome, call: PluginCall) -> None:
    from skillbag.agents.tools.tool import BadArgumentsError, UnknownToolError

    try:
        result = _result(place, call)
    except (UnknownToolError, BadArgumentsError):
        raise
    except (UserError, OSError) as error:
        print_failure(format_error(error))
        _complain(format_error(error))
        sys.exit(_EXIT_FAILED)
    print_page(result.text)


def print_failure(sentence: str) -> None:
    """Print an error as hosts expect it."""
    from skillbag.report.sanitize import exact

    print_page(f"Error: {exact(sentence)}")


def print_page(text: str) -> None:
    """Print a text of several lines; on a terminal without control characters."""
    if sys.stdout.isatty():
        from skillbag.report.sanitize import shown_page

        text = shown_page(text)
    write(text if text.endswith("\n") else text + "\n", sys.stdout)


def _complain(sentence: str) -> None:
    from skillbag.report.sanitize import shown_page

    error(shown_page(sentence))
