"""What a hurried user does wrong with a command: mistakes made from its parameters, and broken folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click


class Mistake(NamedTuple):
    """The arguments behind the command's words, and what is done to the folder first."""

    name: str
    arguments: tuple[str, ...]
    breaks: Callable[[Path], object] = lambda _: None
    is_wrong: bool = True
    """Whether every command must refuse it; some know how to go on with a broken file."""


def mistakes(command: click.Command) -> Iterator[Mistake]:
    """At least ten for each command."""
    options = [each for each in command.params if isinstance(each, click.Option)]
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    yield Mistake("unknown option", ("--no-such-option",))
    yield Mistake("short option", ("-Z",))
    yield Mistake("misspelt option", ("--jsno",))
    yield Mistake("no such colour", ("--color=blue",))
    yield Mistake("quiet and verbose", ("-q", "-v"))
    yield Mistake("a flag with a value", ("--quiet=1",))
    if not any(each.nargs == -1 for each in arguments) and not isinstance(command, click.Group):
        yield Mistake("too many", ("x",) * (len(arguments) + 1))
    for option in options:
        # `--color` alone means `always`.
        if not option.is_flag and option.name != "color":
            yield Mistake(f"{option.opts[0]} without a value", (option.opts[0],))
        if isinstance(option.type, click.Choice | click.IntRange | click.FloatRange):
            yield Mistake(f"wrong {option.opts[0]}", (f"{option.opts[0]}=nonsense",))
    given = tuple("x" for each in arguments if each.required)
    for name, path in (("configuration", "skillbag.toml"), ("context", "CONTEXT.md"), ("lock", "skillbag.lock")):
        for kind, data in (("not UTF-8", b"\xff\xfe\0"), ("malformed", b"---\n{[\n")):
            yield Mistake(f"{name}: {kind}", given, partial(_put, path, data), False)
    yield Mistake("a file in the place of .skills", given, _block, False)


def _put(name: str, data: bytes, root: Path) -> None:
    (root / name).write_bytes(data)


def _block(root: Path) -> None:
    (root / ".skills").write_text("x", "utf-8")
