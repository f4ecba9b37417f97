"""`skillbag check` as click knows it; `fast_args` reads most command lines without it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.check_options import (
    COMMON,
    FILE,
    FLAG,
    OPTIONS,
    CheckOptions,
    Option,
    WrongUsageError,
    WrongValueError,
    made,
)
from skillbag.doors.cli.check_run import check
from skillbag.doors.cli.common_options import set_common_option

_EXAMPLES = """\b
Examples:
  skillbag check                         around this folder and below
  skillbag check Org/skills              a source, before it is installed
  skillbag check -o sarif=out.sarif      print text, write SARIF
  skillbag check --select root,links     only these clauses and rules
  skillbag check - .skills/a/SKILL.md < SKILL.md

\b
Keys of --config: exclude=GLOBS, test-data, cache, statistics, timing=true|false,
target=workspace|source|skills, root=FOLDER (ends the search), sort=level|place.
"""


def _parameter(option: Option) -> click.Option:
    default = CheckOptions._field_defaults[option.field]
    if option.takes == FLAG:
        return click.Option(
            [*option.names, option.field],
            is_flag=True,
            default=default,
            help=option.help,
            callback=set_common_option if option in COMMON else None,
            is_eager=option in COMMON,
        )
    several = option.listed or option.several
    return click.Option(
        [*option.names, option.field],
        type=click.Choice(list(option.choices))
        if option.choices
        else click.Path(dir_okay=False)
        if option.takes == FILE
        else None,
        multiple=several,
        default=None if several else default,
        show_default=default is not None and not several,
        callback=_read(option) if option.listed else set_common_option if option in COMMON else None,
        is_eager=option in COMMON,
        metavar=option.metavar,
        help=option.help,
    )


def _read(option: Option) -> Callable[..., object]:
    def callback(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> object:
        try:
            return option.value(values)
        except WrongValueError as error:
            raise click.BadParameter(str(error)) from error

    return callback


def _check(paths: tuple[str, ...], **values: Any) -> None:
    """Check workspaces, sources and plain skill trees: this folder, or around and below the paths.

    An address or an archive is fetched, judged, and deleted; the last line says whether to install it.
    """
    try:
        sys.exit(check(made(paths, values)))
    except (WrongUsageError, WrongValueError) as error:
        raise click.UsageError(str(error)) from error


command = CliCommand(
    "check",
    callback=_check,
    params=[click.Argument(["paths"], nargs=-1, metavar="[PATH|ADDRESS]..."), *map(_parameter, OPTIONS)],
    help=_check.__doc__,
    epilog=_EXAMPLES,
)
