"""The options that every command takes; click's are made of the data in `check_options`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from skillbag.doors.cli.check_options import COMMON, FLAG, Option
from skillbag.doors.cli.messages import info
from skillbag.doors.cli.output_style import OutputStyle, output_style, set_output_style

JSON = "as_json"
COMMON_NAMES = frozenset((*(name for option in COMMON for name in option.names), "--json", "--help"))
"""The options of every command."""

SHARED_NAMES = COMMON_NAMES | {"--workspace", "--personal", "--session", "--session-type", "--skills"}
"""The options that help lists apart, by name only: they mean the same wherever they are."""

MOVED = COMMON_NAMES - {"--help"}
"""What may stand before the name of a command."""


def set_common_option(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Speak as an option says."""
    if value and parameter.name:
        chosen: OutputStyle = output_style()._replace(**{parameter.name: value})
        if chosen.quiet and chosen.verbose:
            raise click.UsageError("give one of --quiet and --verbose", context)
        set_output_style(chosen, info)
    return value


def _option(option: Option) -> click.Option:
    return click.Option(
        [*option.names, option.field],
        is_flag=option.takes == FLAG,
        type=click.Choice(option.choices) if option.choices else None,
        help=option.help,
        callback=set_common_option,
        expose_value=False,
        is_eager=True,
    )


COMMON_OPTIONS = tuple(map(_option, COMMON))


def _note_json(context: click.Context, _parameter: click.Parameter, value: bool) -> bool:
    if value:
        context.meta[JSON] = True
    return value


JSON_OF_GROUPS = click.Option(
    ["--json", JSON], is_flag=True, expose_value=False, callback=_note_json, help="Print JSON, including errors."
)
"""A group answers nothing itself: the option is for its own errors."""


def asks_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, which may be wrong elsewhere."""
    return "--json" in arguments[: [*arguments, "--"].index("--")]
