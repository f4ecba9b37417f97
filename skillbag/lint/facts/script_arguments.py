"""The arguments that a script takes, as values: options, positional arguments and commands, read from its code.

Only what is certain: where a script takes more than can be read, there are no `Arguments` at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module

from skillbag.kernel.base.records import NamedTuple


class ScriptOption(NamedTuple):
    """An option by all its names, with the number of its values (`most` is -1 without a limit)."""

    names: tuple[str, ...]
    least: int = 1
    most: int = 1
    choices: tuple[str, ...] = ()
    required: bool = False

    @property
    def name(self) -> str:
        """The longest name, which says most."""
        return max(self.names, key=len)


class Positional(NamedTuple):
    """An argument without a name of an option; `most` is -1 without a limit."""

    name: str
    least: int = 1
    most: int = 1
    choices: tuple[str, ...] = ()


class Arguments(NamedTuple):
    """What a script takes. `commands` are the arguments behind each command, by its name.

    `abbreviates`: the beginning of a long option stands for it. `exact`: positional arguments are known, too.
    """

    options: tuple[ScriptOption, ...] = ()
    positionals: tuple[Positional, ...] = ()
    commands: tuple[tuple[str, Arguments], ...] = ()
    needs_command: bool = False
    abbreviates: bool = False
    exact: bool = True

    def option(self, name: str) -> ScriptOption | None:
        """The option of this name, or the one that its beginning stands for."""
        found = [option for option in self.options if name in option.names]
        if not found and self.abbreviates and name.startswith("--"):
            found = [option for option in self.options if any(known.startswith(name) for known in option.names)]
        return found[0] if found else None


HELP = ScriptOption(("-h", "--help"), 0, 0)


@lru_cache(maxsize=64)
def arguments_of(path: str, source: str) -> Arguments | None:
    """The arguments of a script by its name and text; None where they can't be read with certainty."""
    for words, module, name in _READERS.get(path.rpartition(".")[2].lower(), ()):
        if any(word in source for word in words):
            read: Callable[[str], Arguments | None] = getattr(import_module(f"{__package__}.{module}"), name)
            return read(source)
    return None


_PYTHON = (
    (("argparse",), "python_arguments", "argparse_arguments"),
    (("optparse",), "python_arguments", "optparse_arguments"),
    (("click", "typer"), "decorated_arguments", "decorated_arguments"),
)
_JAVASCRIPT = ((("commander", "yargs", "parseArgs"), "text_arguments", "javascript_arguments"),)
_READERS: Mapping[str, tuple[tuple[tuple[str, ...], str, str], ...]] = {
    "py": _PYTHON,
    **dict.fromkeys(("sh", "bash"), ((("getopts", "esac"), "text_arguments", "shell_arguments"),)),
    **dict.fromkeys(("js", "mjs", "cjs", "ts"), _JAVASCRIPT),
}
"""The readers of each kind of script, with words without which they find nothing."""
