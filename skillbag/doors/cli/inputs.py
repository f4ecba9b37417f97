"""JSON from the command line, a file or standard input: the values of `--inputs`, and the arguments of a tool."""

from __future__ import annotations

import json
import os
import sys
from typing import NoReturn

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.source import why_unread
from skillbag.kernel.fs.read import LIMIT, Unread, Unreadable, because, read
from skillbag.session.settings.value import short


class BadInputsError(UserError):
    """It can't be read, or is not valid JSON; the message says where."""


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
    values = parse_json(data, what)
    if not isinstance(values, dict):
        raise BadInputsError(f'{what}: not a JSON object: write {{"NAME": "a value"}}')
    return values


def parse_json(data: str | bytes, what: str) -> object:
    """The value of a JSON text, which errors call `what`.

    Raises:
        BadInputsError: it is not valid JSON, nested too deep, or has a lone surrogate or a number that is too long.
    """
    try:
        value = json.loads(data, parse_constant=_refuse, parse_int=_integer)
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise BadInputsError(f"{what}: nested too deep") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadInputsError(f"{what}: not valid JSON: {place}: {error.msg}") from None
    except UnicodeDecodeError:
        raise BadInputsError(f"{what}: not valid JSON: it is not encoded as UTF-8") from None
    except UnicodeEncodeError:
        raise BadInputsError(
            f"{what}: not valid JSON: a text in it has a lone surrogate, which is no character"
        ) from None
    except ValueError as error:
        raise BadInputsError(f"{what}: not valid JSON: {error}") from None


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
        why = _WHY.get(data.reason, f"it can't be read: {why_unread(data)}")
        raise BadInputsError(f"--inputs {short(path)}: {why}")
    return data


_DIGITS = 4_000
"""Of a whole number; Python's own limit is 4,300."""


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"a number in it has {len(digits):,} digits")
    return int(digits)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
