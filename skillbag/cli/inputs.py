"""What `resolve` and `run` share: how a conversation's values, prohibitions and answers are given."""

from __future__ import annotations

import json
import os
import sys
from typing import NoReturn

import click

from skillbag.base.errors import UserError
from skillbag.fs.read import LIMIT, Unread, Unreadable, because, read
from skillbag.lifecycle.value import short

set_option = click.option(
    "--set", "says", multiple=True, metavar="NAME=VALUE", help="A value from the conversation; the last one wins."
)
prohibit_option = click.option(
    "--prohibit",
    "prohibits",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value that the user excludes in this conversation.",
)
inputs_option = click.option(
    "--inputs", "source", metavar="FILE", help="Values as a JSON object; --set overrides them; - is standard input."
)

allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="SKILL",
    help="A skill that the user allows in this conversation, although a context file prohibits it.",
)


class BadInputsError(UserError):
    """What `--inputs` names can't be read, or is no JSON object; the message says where."""


def read_inputs(source: str | None) -> dict[str, object]:
    """The values of a file of JSON, or of standard input; none without a source.

    Raises:
        BadInputsError: it can't be read, or is something else than a JSON object.
    """
    if source is None:
        return {}
    data = sys.stdin.buffer.read(LIMIT + 1) if source == "-" else _file(source)
    what = f"--inputs {short(source)}"
    if len(data) > LIMIT:
        raise BadInputsError(f"{what}: it is longer than {LIMIT >> 20} MiB")
    try:
        values = json.loads(data, parse_constant=_refuse, parse_int=_whole)
    except RecursionError:
        raise BadInputsError(f"{what}: it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise BadInputsError(f"{what}:{error.lineno}: this is no JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise BadInputsError(f"{what}: this is no JSON: it is not encoded as UTF-8") from None
    except ValueError as error:
        raise BadInputsError(f"{what}: this is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise BadInputsError(f'{what}: this is no JSON object: write {{"NAME": "a value"}}')
    return values


_WHY = {
    Unread.MISSING: "there is no such file",
    Unread.FOLDER: "it is a folder",
    Unread.SPECIAL: "it is no file; give - for standard input",
    Unread.TOO_LARGE: f"it is longer than {LIMIT >> 20} MiB",
}


def _file(path: str) -> bytes:
    try:
        with because("--inputs"):
            data = read(os.path.realpath(path), os.sep)
    except ValueError:
        data = Unreadable(Unread.MISSING)
    if isinstance(data, Unreadable):
        if data.reason is Unread.MISSING and os.path.exists(path):
            # A pipe of the shell, `<(…)`, has no path of its own.
            data = Unreadable(Unread.SPECIAL)
        why = _WHY.get(data.reason, f"it can't be read: {data.reason.value}")
        raise BadInputsError(f"--inputs {short(path)}: {why}")
    return data


_DIGITS = 4_000
"""Of a whole number: Python itself takes few more."""


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number in it has {len(digits):,} digits")
    return int(digits)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON has")
