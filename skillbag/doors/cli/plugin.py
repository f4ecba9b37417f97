"""`skillbag agent plugin`: our side of the executable plugin protocol, and putting it where a host finds it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from skillbag.agents.plugins.calls import HOOK
from skillbag.doors.cli.answers import CliCommand, CliGroup, CommandOutput, answering
from skillbag.doors.cli.options import SESSION_TYPE, WORKSPACE, json_option, scope_options
from skillbag.doors.cli.outputs import check_not_own
from skillbag.doors.cli.person import check_person
from skillbag.doors.cli.plugin_serving import PluginHome, print_failure, print_page
from skillbag.doors.cli.plugin_serving import serve as serve_host
from skillbag.doors.cli.workspaces import absolute_folder
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import to_json
from skillbag.kernel.base.lazy_regex import late

if TYPE_CHECKING:
    from skillbag.agents.plugins.install import PluginChange

_EXAMPLES = """\b
Examples:
  skillbag agent plugin install ~/.chibi/plugins
  skillbag agent plugin uninstall ~/.chibi/plugins
  skillbag agent plugin --schema
  CHIBI_TOOL_NAME=skill_lint-docs CHIBI_TOOL_ARGS='{}' skillbag agent plugin
  echo '{"tool_name": "Write", "arguments": {}}' | CHIBI_HOOK=pre_tool skillbag agent plugin

A call ends with exit code 0, and one that fails prints `Error: …`: hosts show nothing of a plugin that ends otherwise.
On the command line, with an action: 1 it failed, 2 bad usage.
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
  skillbag agent plugin install ~/.chibi/plugins
  skillbag agent plugin install ~/.chibi/plugins --workspace ~/notes    in any working folder of the host
"""

_REFERENCE = late(r"[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*")
"""A skill as the marketplace names it: `owner/name`."""

_schema_option = click.option("--schema", is_flag=True, help="Print the tools and hooks, as JSON.")


class _Serving(CliCommand):
    """A command that speaks the protocol: a usage error must not look like permission, nor be invisible."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments."""
        # Parsing empties the list.
        given = tuple(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            from skillbag.agents.plugins.calls import names_tool
            from skillbag.agents.plugins.plugin import PRE_TOOL, blocked

            if os.environ.get(HOOK) == PRE_TOOL:
                print_page(json.dumps(to_json(blocked(UserError(error.format_message())))))
            elif names_tool(os.environ) and "--schema" not in given:
                print_failure(error.format_message())
            else:
                raise
            sys.exit(0)


class _Group(_Serving, CliGroup):
    """The same with commands below it."""


@click.group("plugin", cls=_Group, invoke_without_command=True, epilog=_EXAMPLES)
@_schema_option
@scope_options
@json_option
@click.pass_context
def command(context: click.Context, /, schema: bool, as_json: bool, **place: Any) -> None:
    """Run the executable plugin protocol, or install the plugin for a host.

    A host gives a tool's name in CHIBI_TOOL_NAME and its arguments as JSON in CHIBI_TOOL_ARGS or on standard input; a
    hook's name in CHIBI_HOOK, its data in CHIBI_HOOK_DATA or on standard input.
    """
    if context.invoked_subcommand is None:
        serve_host(PluginHome(**place), schema, (), "plugin" if as_json else None)


# The words of direct use begin where the options end.
@command.command(
    "serve",
    cls=_Serving,
    hidden=True,
    epilog=_DIRECTLY,
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
)
@_schema_option
@scope_options
@json_option
@click.argument("words", nargs=-1, metavar="[ACTION [WHAT]]")
@click.pass_context
def serve(context: click.Context, /, words: tuple[str, ...], **options: Any) -> None:
    """Serve the workspace around this folder to the host that runs this plugin, or to a user on the command line."""
    options |= _options_before(context)
    schema = options.pop("schema")
    as_json = options.pop("as_json")
    serve_host(PluginHome(**options), schema, words, "plugin serve" if as_json else None)


@command.command("install", epilog=_INSTALLING)
@click.argument("plugins", type=click.Path(file_okay=False), metavar="DIR")
@click.option("--workspace", "folder", metavar="DIR", envvar=WORKSPACE, show_envvar=True, help="Always this workspace.")
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
    from skillbag.agents.plugins.install import install_plugin

    before = _options_before(context)
    as_json = before.pop("as_json", as_json)
    place |= before

    def work() -> PluginChange:
        target, options = _plugins_folder(plugins), _fixed_options(**place)
        check_not_own(target)
        _check_guards(target, options)
        return install_plugin(target, options)

    _change("plugin install", work, as_json)


@command.command("uninstall")
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@json_option
@click.pass_context
def uninstall(context: click.Context, /, folder: str, as_json: bool) -> None:
    """Remove the plugin from the host's plugins folder DIR."""
    from skillbag.agents.plugins.install import uninstall_plugin

    as_json = _options_before(context).get("as_json", as_json)

    def work() -> PluginChange:
        target = absolute_folder(folder)
        _check_guards(target, None)
        return uninstall_plugin(target)

    _change("plugin uninstall", work, as_json)


def _check_guards(folder: str, options: list[str] | None) -> None:
    """Raises NeedsPersonError without a person, if the plugin that is there would go, or serve with other options."""
    from skillbag.agents.plugins.install import serves_otherwise

    if serves_otherwise(folder, options):
        check_person("removing or changing the plugin, through which guards see the calls of its host")


def _options_before(context: click.Context) -> dict[str, Any]:
    """The options given before the command's name, which count unless they are given after it as well."""
    group = context.parent
    if group is None:
        return {}
    before, own = _typed(group), _typed(context)
    known = {option.name for option in context.command.params if isinstance(option, click.Option)}
    for name, option in before.items():
        if name not in known:
            raise click.UsageError(f"{context.command_path} does not take {option.opts[0]}.", context)
    return {name: group.params[name] for name in before if name not in own}


def _typed(context: click.Context) -> dict[str, click.Parameter]:
    """The parameters that are on the command line, by name."""
    typed = click.core.ParameterSource.COMMANDLINE
    parameters = context.command.params
    return {each.name: each for each in parameters if each.name and context.get_parameter_source(each.name) is typed}


def _plugins_folder(given: str) -> str:
    """The absolute folder; the name of a skill, which users confuse with it, is refused."""
    folder = absolute_folder(given)
    if _REFERENCE().fullmatch(given) and not os.path.isdir(os.path.dirname(folder)):
        instead = f"a skill is installed by skillbag team marketplace install {given}; for a new folder write ./{given}"
        raise UserError(f"{given}: there is no such folder for plugins; {instead}")
    return folder


def _fixed_options(folder: str | None, personal: str | None, session_type: str | None) -> list[str]:
    """The options that the plugin serves with, wherever its host works."""
    if folder is not None:
        from skillbag.agents.settings.scope import scope_at

        scope_at(absolute_folder(folder), required=True)
    folders = {"--workspace": folder, "--personal": personal}
    options = [f"{name}={absolute_folder(path)}" for name, path in folders.items() if path is not None]
    if session_type is not None:
        options.append(f"--session-type={session_type}")
    return options


def _change(name: str, work: Callable[[], PluginChange], as_json: bool) -> None:
    from skillbag.report.sanitize import shown

    with answering(name, as_json=as_json) as say:
        change = work()
        line = f"{change.status}: {shown(change.path)}\n"
        say(CommandOutput(change, line))
