"""`Bash(git:*)`: patterns of commands, held against every command of a line for a shell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from skillbag.agent.allowed.programs import runs_others
from skillbag.agent.allowed.shell_lines import Command, commands_of

_ARGUMENTS = frozenset({"command", "description", "timeout", "timeout_ms", "run_in_background"})
"""Those that do not change what a command means; a folder or an environment beside it might."""


def line_passes(bodies: list[str], arguments: Mapping[str, Any], root: str) -> bool:
    """Whether each command of the line, run in `root`, is allowed by one of the patterns."""
    commands = commands_of(arguments.get("command"))
    if commands is None or not arguments.keys() <= _ARGUMENTS:
        return False
    return all(any(_command_passes(body, commands, at, root) for body in bodies) for at in range(len(commands)))


def _command_passes(body: str, commands: Sequence[Command], at: int, root: str) -> bool:
    """`git:*`, the words that a command begins with; `git add *`, a glob over its words; `npm test`, all its words.

    A `*` stands for one word, as the last of the pattern for one or more, and within a word for any characters (in the
    name of the program: but `/`). Without one, the words are allowed as they are written, whatever they do.
    """
    command = commands[at]
    prefix = body.removesuffix(":*")
    if "*" not in body:
        return commands_of(body) == (command,)
    if prefix != body:
        begun = commands_of(prefix)
        words = begun[0] if begun and len(begun) == 1 else ()
        fits = bool(words) and command[: len(words)] == words
    else:
        words = tuple(body.split())
        fits = _glob_fits(words, command)
    names_script = len(words) > 1 and not words[1].startswith(("-", "*"))
    return fits and not runs_others(command, root, commands[:at], script=names_script)


def _glob_fits(words: Command, command: Command) -> bool:
    if len(command) < len(words) or (len(command) > len(words) and words[-1] != "*"):
        return False
    return all(_word_fits(word, given, index) for index, (word, given) in enumerate(zip(words, command, strict=False)))


def _word_fits(word: str, given: str, index: int) -> bool:
    first, *others = word.split("*")
    if not others:
        return word == given
    anything = "." if index else "[^/]"
    # Atomic: a text that does not fit is known for it in one pass for each star.
    middle = "".join(f"(?>{anything}*?{re.escape(part)})" for part in others[:-1])
    return bool(re.fullmatch(f"{re.escape(first)}{middle}{anything}*{re.escape(others[-1])}", given, re.DOTALL))
