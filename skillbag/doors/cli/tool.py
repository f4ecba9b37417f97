"""`skillbag agent tool`: one call of a tool, as an agent makes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.inputs import parse_json
from skillbag.doors.cli.options import json_option, scope_options
from skillbag.doors.cli.outputs import check_personal
from skillbag.doors.cli.person import check_code
from skillbag.doors.cli.stdin import piped_input, whole_input
from skillbag.doors.cli.workspaces import scope_from_options
from skillbag.kernel.base.errors import NeedsPersonError, UserError, format_error
from skillbag.report.answers.commands import CallJson, DefinitionJson, FailedCallJson, ToolsJson
from skillbag.report.sanitize import shown, shown_page

if TYPE_CHECKING:
    from skillbag.agents.settings.scope import Scope
    from skillbag.agents.tools.tool import Tool

_EXAMPLES = """\b
Examples:
  skillbag agent tool --list                    the tools and their descriptions
  skillbag agent tool read_skill_file --schema  its definition
  skillbag agent tool skill_convert-to-pdf '{"inputs": {"input-path": "docs/a.md"}}' --session s1
  skillbag agent tool read_skill_file '{"skill": "convert-to-pdf", "path": "references/fonts.md"}'
  echo '{"action": "search", "query": "fill forms"}' | skillbag agent tool skill_marketplace -

Exit codes: 0 done, 1 the tool failed (Error: … on standard output), 2 bad usage, bad arguments or no such tool, 3 the
user must be asked something first, 4 the environment failed.
"""
_FAILED = 1
_PERSONAL = ("skill_add", "skill_remove")
"""Tools that change the folder of personal skills."""


@click.command("tool", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("name", required=False, metavar="NAME")
@click.argument("arguments", required=False, metavar="[JSON|-]")
@click.option("--list", "list_", is_flag=True, help="List the tools; --json shows their schemas as well.")
@click.option("--schema", is_flag=True, help="Print the definition of the tool instead of calling it.")
@scope_options
@json_option
def command(name: str | None, arguments: str | None, list_: bool, schema: bool, as_json: bool, **reach: Any) -> None:
    """Call the tool NAME as an agent does, and print its result.

    Its arguments are a JSON object: given here, or on standard input.
    """
    if list_ and (name or schema):
        raise click.UsageError(f"Give {'the NAME of a tool' if name else '--schema with a NAME'}, or --list: not both.")
    if not list_ and not name:
        raise click.UsageError("Give the NAME of a tool, or --list.")
    if name == "list":
        raise click.UsageError("list: there is no such tool; did you mean --list?")

    with answering("tool", as_json=as_json) as say:
        scope = scope_from_options(**reach)
        if name is None:
            say(_list(scope))
        elif schema:
            from skillbag.agents.tools.registry import find_tool

            values = _definition(find_tool(scope, name))
            say(CommandOutput(values, json.dumps(values._asdict(), indent=2, ensure_ascii=False) + "\n"))
        else:
            data = _input(arguments)
            say(_call(scope, name, parse_json(data, "the arguments") if data.strip() else {}))


def _list(scope: Scope) -> CommandOutput:
    from skillbag.agents.tools.registry import offered_tools

    tools, remarks = offered_tools(scope)
    values = ToolsJson(tuple(map(_definition, tools)), tuple(remarks))
    lines = [f"{tool.name}: {tool.description}" for tool in tools] + [f"Note: {remark}" for remark in remarks]
    return CommandOutput(values, "".join(f"{shown(line)}\n" for line in lines))


def _definition(tool: Tool) -> DefinitionJson:
    return DefinitionJson(tool.name, tool.description, tool.parameters, tool.result, tool.writes, tool.destroys)


def _call(scope: Scope, name: str, arguments: object) -> CommandOutput:
    from skillbag.agents.tools.registry import call_tool
    from skillbag.agents.tools.skill_tools import RUN_SKILL_SCRIPT
    from skillbag.agents.tools.tool import BadArgumentsError, UnknownToolError

    try:
        if name in _PERSONAL:
            check_personal(scope.personal)
        if name == RUN_SKILL_SCRIPT.name:
            check_code("running a script of a skill with your rights")
        result = call_tool(scope, name, arguments)
    except (UnknownToolError, BadArgumentsError):
        raise
    except (UserError, OSError) as error:
        message = format_error(error)
        code = EXIT_QUESTION if isinstance(error, NeedsPersonError) else _FAILED
        return CommandOutput(FailedCallJson(name, message), f"Error: {shown_page(message)}\n", code)
    page = shown_page(result.value) if isinstance(result.value, str) else result.text
    values = CallJson(name, result.value, result.asks)
    return CommandOutput(values, f"{page}\n" if page else "", EXIT_QUESTION if result.asks else 0)


def _input(text: str | None) -> str | bytes:
    """The arguments as given, or from standard input for `-`; without any, what comes there in time."""
    if text is None:
        return piped_input()
    return whole_input() if text == "-" else text
