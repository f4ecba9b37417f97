"""`skillbag tool`: one call of a tool, as an agent makes it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli import EXIT_QUESTION
from skillbag.cli.agent_options import scope_of, scope_options
from skillbag.cli.lifecycle import Answer, Command, answering, json_option

if TYPE_CHECKING:
    from skillbag.agent.tool import Result, Tool
    from skillbag.settings.scope import Scope

_EXAMPLES = """\b
Examples:
  skillbag tool --list                    the tools and their descriptions
  skillbag tool read_skill_file --schema  its definition
  skillbag tool skill_convert-to-pdf '{"inputs": {"input-path": "docs/a.md"}}' --session s1
  skillbag tool read_skill_file '{"skill": "convert-to-pdf", "path": "references/fonts.md"}'
  echo '{"action": "search", "query": "fill forms"}' | skillbag tool skill_marketplace -

Exit codes: 0 done, 1 the tool failed (Error: … on standard output), 2 bad usage, bad arguments or no such tool, 3 the
user must be asked something first, 4 the environment failed.
"""
_FAILED = 1


class BadJSONError(UserError):
    """The arguments are no JSON; where, and why."""


@click.command("tool", cls=Command, epilog=_EXAMPLES)
@click.argument("name", required=False, metavar="NAME")
@click.argument("arguments", required=False, metavar="[JSON|-]")
@click.option("--list", "list_", is_flag=True, help="List the tools; --json shows their schemas as well.")
@click.option("--schema", is_flag=True, help="Print the definition of the tool instead of calling it.")
@scope_options
@json_option
def command(
    name: str | None,
    arguments: str | None,
    list_: bool,
    schema: bool,
    folder: str,
    personal: str | None,
    session: str | None,
    session_type: str,
    as_json: bool,
) -> None:
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
        scope = scope_of(folder, personal, session, session_type)
        if name is None:
            say(_list(scope))
        elif schema:
            say(_describe(scope, name))
        else:
            say(_call(scope, name, _parse_arguments(arguments)))


def _list(scope: Scope) -> Answer:
    from skillbag.agent.registry import offered_tools
    from skillbag.report.sanitize import exact, shown

    tools, remarks = offered_tools(scope)
    values = {"tools": [_definition(tool) for tool in tools], "remarks": [exact(remark) for remark in remarks]}
    lines = [f"{tool.name}: {tool.description}" for tool in tools] + [f"Note: {remark}" for remark in remarks]
    return Answer(values, "".join(f"{shown(line)}\n" for line in lines))


def _describe(scope: Scope, name: str) -> Answer:
    from skillbag.agent.registry import find_tool

    values = _definition(find_tool(scope, name))
    return Answer(values, json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def _definition(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "result": tool.result,
        "writes": tool.writes,
        "destroys": tool.destroys,
    }


def _call(scope: Scope, name: str, arguments: object) -> Answer:
    from skillbag.agent.registry import call_tool
    from skillbag.agent.tool import BadArgumentsError, UnknownToolError

    try:
        result = call_tool(scope, name, arguments)
    except (UnknownToolError, BadArgumentsError):
        raise
    except (UserError, OSError) as error:
        return _failure(name, format_error(error))
    code = EXIT_QUESTION if result.asks else 0
    return Answer({"tool": name, "result": result.value, "asks": result.asks}, _page(result), code)


def _failure(name: str, said: str) -> Answer:
    from skillbag.report.sanitize import exact, shown_page

    return Answer({"tool": name, "error": exact(said)}, f"Error: {shown_page(said)}\n", _FAILED)


def _page(result: Result) -> str:
    from skillbag.report.sanitize import shown_page

    page = shown_page(result.value) if isinstance(result.value, str) else result.text
    return f"{page}\n" if page else ""


def _parse_arguments(text: str | None) -> object:
    """The JSON value on the command line, else on standard input; `{}` where both are empty.

    Raises:
        BadJSONError: it is not valid JSON.
    """
    data = _input(text)
    if not data.strip():
        return {}
    try:
        return json.loads(data, parse_constant=_refuse)
    except RecursionError:
        raise BadJSONError("the arguments are nested too deep") from None
    except json.JSONDecodeError as error:
        raise BadJSONError(
            f"the arguments are no JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except UnicodeDecodeError:
        raise BadJSONError("the arguments are no JSON: they are not encoded as UTF-8") from None
    except ValueError:
        raise BadJSONError("the arguments are no JSON: a number in them is none that JSON has, or too long") from None


def _input(text: str | None) -> str | bytes:
    if text is not None and text != "-":
        return text
    from skillbag.cli.stdin import LARGEST, TooMuchInputError, piped_input

    if text is None:
        return piped_input()
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TooMuchInputError(f"more than {LARGEST >> 20} MiB stand on standard input; put it into a file")
    return data


def _refuse(name: str) -> object:
    raise ValueError(name)
