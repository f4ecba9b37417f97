"""`skillbag plugin`: our side of the executable plugin protocol, and putting it where a host finds it."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli.agent_options import (
    SESSION_TYPE,
    WORKSPACE,
    absolute_folder,
    options_before,
    scope_of,
    scope_options,
)
from skillbag.cli.lifecycle import json_option
from skillbag.cli.stdin import piped_input
from skillbag.cli.streams import print_error, write
from skillbag.plugins.calls import HOOK, TOOL_ARGS, TOOL_NAME

if TYPE_CHECKING:
    from skillbag.plugins.calls import Call
    from skillbag.plugins.install import PluginChange
    from skillbag.settings.scope import Scope

_EXAMPLES = """\b
Examples:
  skillbag plugin install ~/.chibi/plugins
  skillbag plugin uninstall ~/.chibi/plugins
  skillbag plugin --schema
  CHIBI_TOOL_NAME=skill_lint-docs CHIBI_TOOL_ARGS='{}' skillbag plugin
  echo '{"tool_name": "Write", "arguments": {}}' | CHIBI_HOOK=pre_tool skillbag plugin

A call ends with exit code 0, and one that fails prints `Error: …`: hosts show nothing of a plugin that ends otherwise.
By hand, with an action: 1 it failed, 2 bad usage.
"""
_DIRECTLY = """\b
Examples:
  agent-skills install owner/name
  agent-skills remove name
  agent-skills list_installed
  agent-skills search "fill pdf forms"
  agent-skills list
"""
_INSTALLING = """\b
Examples:
  skillbag plugin install ~/.chibi/plugins
  skillbag plugin install ~/.chibi/plugins --workspace ~/notes    in any working folder of the host
"""


EXIT_FAILED = 1

_AS_THEY_ARE = {"allow_interspersed_args": False, "ignore_unknown_options": True}
"""Words of direct use begin where the options end."""

_schema_option = click.option("--schema", is_flag=True, help="Print the tools and hooks, as JSON.")


class _PluginHome(NamedTuple):
    """What the options say of what the agent can reach."""

    folder: str
    personal: str | None
    session: str | None
    session_type: str

    def named(self) -> _PluginHome:
        """With a session: where nobody names one, the process of the host stands for it."""
        if self.session is not None:
            return self
        from skillbag.plugins.session import host_session

        return self._replace(session=host_session())

    def scope(self) -> Scope:
        """Raises as `scope_of`."""
        return scope_of(*self.named())

    def hook_scope(self) -> Scope:
        """The same for a hook. Raises as `plugin.hook_scope`."""
        from skillbag.plugins.plugin import hook_scope

        folder, personal, session, session_type = self.named()
        personal = absolute_folder(personal) if personal else personal
        return hook_scope(folder, personal=personal, session=session, user=session_type == "user")


class _Serving(click.Command):
    """A command that speaks the protocol: a slip in its options must not look like permission, nor pass in silence."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As it is."""
        # Reading them empties the list.
        given = tuple(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            from skillbag.plugins.plugin import PRE_TOOL

            if os.environ.get(HOOK) == PRE_TOOL:
                _print(json.dumps(_refused(UserError(error.format_message()))))
            elif _is_named() and "--schema" not in given:
                _print_error(error.format_message())
            else:
                raise
            sys.exit(0)


class _Group(_Serving, click.Group):
    """The same with commands below it."""


@click.group("plugin", cls=_Group, invoke_without_command=True, epilog=_EXAMPLES)
@_schema_option
@scope_options
@click.pass_context
def command(context: click.Context, /, schema: bool, **place: Any) -> None:
    """Run the executable plugin protocol, or install the plugin for a host.

    A host gives a tool's name in CHIBI_TOOL_NAME and its arguments as JSON in CHIBI_TOOL_ARGS or on standard input; a
    hook's name in CHIBI_HOOK, its data in CHIBI_HOOK_DATA or on standard input.
    """
    if context.invoked_subcommand is None:
        _serve(_PluginHome(**place), schema, ())


@command.command("serve", cls=_Serving, hidden=True, epilog=_DIRECTLY, context_settings=_AS_THEY_ARE)
@_schema_option
@scope_options
@click.argument("words", nargs=-1, metavar="[ACTION [WHAT]]")
@click.pass_context
def serve(context: click.Context, /, words: tuple[str, ...], **options: Any) -> None:
    """Serve the workspace around this folder to the host that runs this plugin, or to a user on the command line."""
    options |= options_before(context)
    schema = options.pop("schema")
    _serve(_PluginHome(**options), schema, words)


@command.command("install", epilog=_INSTALLING)
@click.argument("plugins", type=click.Path(file_okay=False), metavar="DIR")
@click.option(
    "--workspace",
    "folder",
    metavar="DIR",
    envvar=WORKSPACE,
    show_envvar=True,
    help="Always this workspace.",
)
@click.option("--personal", metavar="DIR", help="Always this folder of personal skills.")
@click.option(
    "--session-type",
    type=click.Choice(["user", "other"]),
    envvar=SESSION_TYPE,
    show_envvar=True,
    help="Always sessions of this type.",
)
@json_option
@click.pass_context
def install(context: click.Context, /, plugins: str, as_json: bool, **place: str | None) -> None:
    """Write the plugin to DIR/agent-skills/agent-skills in the host's plugins folder DIR.

    Without --workspace it serves the workspace around the host's working folder.
    """
    from skillbag.cli.plugin_paths import fixed_options, plugins_folder
    from skillbag.plugins.install import install_plugin

    place |= options_before(context)
    _change("plugin install", lambda: install_plugin(plugins_folder(plugins), fixed_options(**place)), as_json)


@command.command("uninstall")
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@json_option
@click.pass_context
def uninstall(context: click.Context, /, folder: str, as_json: bool) -> None:
    """Remove the plugin from the host's plugins folder DIR."""
    from skillbag.plugins.install import uninstall_plugin

    options_before(context)
    _change("plugin uninstall", lambda: uninstall_plugin(absolute_folder(folder)), as_json)


def _change(name: str, work: Callable[[], PluginChange], as_json: bool) -> None:
    from skillbag.cli.lifecycle import Answer, answer
    from skillbag.report.sanitize import exact, shown

    def told() -> Answer:
        change = work()
        line = f"{change.status}: {shown(change.path)}\n"
        return Answer({"path": exact(change.path), "status": change.status}, line)

    answer(name, told, as_json=as_json)


def _serve(place: _PluginHome, schema: bool, words: tuple[str, ...]) -> None:
    """What is asked, by options, words, the environment or standard input, in this order."""
    from skillbag.plugins.calls import direct_call, read_call

    gc.disable()
    hook = os.environ.get(HOOK)
    if schema:
        _print(json.dumps(_schema(place)))
    elif words:
        _call(place, direct_call(words))
    elif hook:
        _print(json.dumps(_answer(place, hook)))
    elif _is_call():
        _answer_call(place)
    else:
        _call(place, read_call(os.environ, piped_input))


def _is_named() -> bool:
    """Whether a host calls a tool by its variables."""
    return not os.environ.get(HOOK) and any(os.environ.get(variable) for variable in (TOOL_NAME, TOOL_ARGS))


def _is_call() -> bool:
    """Whether a host calls a tool, and not a person at a terminal without saying anything."""
    return _is_named() or not (sys.stdin and sys.stdin.isatty())


def _answer_call(place: _PluginHome) -> None:
    """Print what the tool gives, or `Error: …` and why not: a host hides what a plugin prints if it ends with another
    exit code than 0, and the agent could only try the same again."""
    from skillbag.agent.registry import call_tool
    from skillbag.plugins.calls import read_call

    try:
        call = read_call(os.environ, piped_input)
        result = call_tool(place.scope(), call.tool, call.arguments)
    except (UserError, OSError) as error:
        _print_error(format_error(error))
    else:
        _print(result.text)


def _schema(place: _PluginHome) -> list[dict[str, Any]]:
    """The tools; what keeps some of them away is told on standard error."""
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


def _answer(place: _PluginHome, hook: str) -> dict[str, Any]:
    from skillbag.plugins.plugin import PRE_TOOL, handle_hook

    try:
        return handle_hook(place.hook_scope(), hook, _hook_data(hook))
    except Exception as error:
        if hook != PRE_TOOL:
            raise
        return _refused(error)


def _hook_data(hook: str) -> Mapping[str, Any]:
    """The hook's data; only the one that judges calls can't do without.

    Raises:
        UserError: it can't read them.
    """
    from skillbag.plugins.calls import read_hook_data
    from skillbag.plugins.plugin import PRE_TOOL

    try:
        return read_hook_data(os.environ, piped_input)
    except UserError:
        if hook == PRE_TOOL:
            raise
        return {}


def _refused(error: Exception) -> dict[str, Any]:
    """Whatever has gone wrong must not look like permission."""
    from skillbag.plugins.plugin import refusal

    if isinstance(error, UserError | OSError):
        return refusal(f"Tool call blocked, since nobody can tell whether it is allowed: {format_error(error)}")
    import traceback

    traceback.print_exc()
    return refusal(f"Tool call blocked by a fault of skillbag's own ({type(error).__name__})")


def _call(place: _PluginHome, call: Call) -> None:
    from skillbag.agent.registry import call_tool
    from skillbag.agent.tool import BadArgumentsError, UnknownToolError

    try:
        result = call_tool(place.scope(), call.tool, call.arguments)
    except (UnknownToolError, BadArgumentsError):
        raise
    except (UserError, OSError) as error:
        _print_error(format_error(error))
        _complain(format_error(error))
        sys.exit(EXIT_FAILED)
    _print(result.text)


def _print_error(sentence: str) -> None:
    from skillbag.report.sanitize import exact

    _print(f"Error: {exact(sentence)}")


def _print(text: str) -> None:
    if sys.stdout.isatty():
        from skillbag.report.sanitize import shown_page

        text = shown_page(text)
    write(text if text.endswith("\n") else text + "\n", sys.stdout)


def _complain(sentence: str) -> None:
    from skillbag.report.sanitize import shown_page

    print_error(f"skillbag: {shown_page(sentence)}")
