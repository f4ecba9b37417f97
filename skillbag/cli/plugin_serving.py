"""Answering the host that runs our plugin, or a user who calls the plugin directly."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbag.base.errors import UserError, format_error
from skillbag.cli.stdin import piped_input
from skillbag.cli.streams import print_error, write
from skillbag.cli.workspaces import absolute_folder, scope_from_options
from skillbag.plugins.calls import HOOK, direct_call, read_call

if TYPE_CHECKING:
    from skillbag.plugins.calls import Call
    from skillbag.settings.scope import Scope

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
        from skillbag.plugins.session import host_session

        return self._replace(session=host_session())

    def scope(self) -> Scope:
        """Raises as `scope_from_options`."""
        return scope_from_options(*self.named())

    def hook_scope(self) -> Scope:
        """The same for a hook. Raises as `plugin.hook_scope`."""
        from skillbag.plugins.plugin import hook_scope

        folder, personal, session, session_type = self.named()
        personal = absolute_folder(personal) if personal else personal
        return hook_scope(folder, personal=personal, session=session, user=session_type == "user")


def serve(place: PluginHome, schema: bool, words: tuple[str, ...]) -> None:
    """Answer what is asked by options, words, the environment or standard input, in this order."""
    from skillbag.plugins.serving import answer_hook, names_tool

    hook = os.environ.get(HOOK)
    if schema:
        print_page(json.dumps(_schema(place)))
    elif words:
        _call(place, direct_call(words))
    elif hook:
        print_page(json.dumps(answer_hook(place.hook_scope, hook, os.environ, piped_input)))
    elif names_tool(os.environ) or not (sys.stdin and sys.stdin.isatty()):
        _answer_call(place)
    else:
        # A person at a terminal who says nothing: the error names what is missing.
        _call(place, read_call(os.environ, piped_input))


def _answer_call(place: PluginHome) -> None:
    """Print the tool's result, or `Error: …` and the reason.

    A host hides what a plugin prints if it ends with another exit code than 0, and the agent could only try again.
    """
    from skillbag.agent.registry import call_tool

    try:
        call = read_call(os.environ, piped_input)
        result = call_tool(place.scope(), call.tool, call.arguments)
    except (UserError, OSError) as error:
        print_failure(format_error(error))
    else:
        print_page(result.text)


def _schema(place: PluginHome) -> list[dict[str, Any]]:
    """The tools; why some are left out is printed on standard error."""
    from skillbag.plugins.plugin import offered_at, schema
    from skillbag.settings.scope import Scope

    try:
        scope = place.scope()
    except (UserError, OSError) as error:
        _complain(format_error(error))
        scope = Scope(None, None, user=place.session_type == "user")
    offer = offered_at(scope)
    for remark in offer.remarks:
        _complain(remark)
    return schema(offer.tools)


def _call(place: PluginHome, call: Call) -> None:
    from skillbag.agent.registry import call_tool
    from skillbag.agent.tool import BadArgumentsError, UnknownToolError

    try:
        result = call_tool(place.scope(), call.tool, call.arguments)
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

    print_error(f"skillbag: {shown_page(sentence)}")
