"""The child that parses Starlark for `check`. It runs none of it; a hostile text may end it.

It is started with the folder of the package `starlark`, and the names that the runtime defines, with commas. It answers
each line with the text of a file (JSON) by a line with the faults: `[kind, line, column, text, hint]`.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from skillbag.kernel.processes.plain_json import decode, encode, stand_in
else:
    from plain_json import decode, encode, stand_in

_MAX = 20
"""Unknown names in one file that are reported."""

_SECONDS = 1.0
"""Seconds of the processor after which no further name is looked for."""

_STOP = 'fail("")\n'
"""The first line of what is evaluated: the interpreter resolves all names of a file before it runs any of it."""

_SYNTAX, _UNKNOWN, _MEANT = "Parse error: ", "Variable `", "did you mean `"


class _Names:
    """Finds the unknown names of a file."""

    def __init__(self, starlark: Any, known: Iterable[str]) -> None:
        extensions = starlark.LibraryExtension
        self._starlark, self._known = starlark, tuple(known)
        self._built_in = starlark.Globals.extended_by([extensions.Json, extensions.Print])

    def faults(self, source: str) -> Iterator[list[Any]]:
        """The first place of each unknown name. The interpreter tells one at a time, so each is defined then."""
        tree, module = self._starlark.parse("", _STOP + source), self._starlark.Module()
        for name in self._known:
            module[name] = None
        until = time.process_time() + _SECONDS
        for _ in range(_MAX):
            message, line, column = "", 0, 0
            try:
                self._starlark.eval(module, tree, self._built_in)
            except self._starlark.StarlarkError as error:
                message, line, column = _parts(str(error))
            if not message.startswith(_UNKNOWN):
                return
            name = message.removeprefix(_UNKNOWN).partition("`")[0]
            yield ["name", line - 1, column, name, message.partition(_MEANT)[2].partition("`")[0]]
            module[name] = None
            if time.process_time() > until:
                return


def _faults(starlark: Any, names: _Names, source: str) -> Iterable[list[Any]]:
    try:
        starlark.parse("", source)
    except starlark.StarlarkError as error:
        message, line, column = _parts(str(error))
        return [["syntax", line, column, message.removeprefix(_SYNTAX).partition(", expected one of")[0], ""]]
    return names.faults(source)


def _parts(text: str) -> tuple[str, int, int]:
    """The message of an error, with its line and column; line 0 for the end of the text."""
    message, _, rest = text.removeprefix("error: ").partition("\n")
    place, _, excerpt = rest.partition("-->")[2].partition("\n")
    if excerpt.split("\n")[1:2] == [" |"]:
        return message, 0, 0
    *_, line, column = place.rsplit(":", 2)
    return message, int(line), int(column)


def main(arguments: list[str]) -> None:
    """Answer lines until the end of the input; the arguments are those that the module names."""
    folder, names = arguments
    stand_in()
    sys.path.append(folder)
    import starlark

    sys.path.remove(folder)
    found = _Names(starlark, names.split(","))
    for line in sys.stdin.buffer:
        answer = list(_faults(starlark, found, decode(line.decode())))
        sys.stdout.buffer.write(encode(answer).encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
