"""Lines for a shell that mean the same to every reader: simple words, joined by `&&`, `||`, `;` and `|`.

This is no parser of a shell. A white list of characters says which lines are plain enough to have one meaning, in bash,
in dash and to `shlex`, which takes the quotes off; every other line is refused.
"""

from __future__ import annotations

import shlex

from skillbag.agent.allowed.program_options import words
from skillbag.late import late

LONGEST = 1 << 16
"""Bytes of a line."""

MOST = 100
"""Commands of a line: whoever waits for the judgement goes on without it after a while."""

Command = tuple[str, ...]
"""The words of one command, its name first, without their quotes."""

_QUOTED = r"""'[^']*+' | "[^"$`\\!]*+" """
# No brace has a comma or two dots in it, which would make several words: `stash@{0}`, `HEAD@{2.days.ago}`.
_REFLOG = r"@\{[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)*+\}"
# A tilde is a home, and `#` a comment, where a word begins; a tilde after `=` or `:` is one too.
_PLAIN = r"[A-Za-z0-9_./:,@%+=^-] | (?<=[A-Za-z0-9_./@^~}-])~ | (?<=[A-Za-z0-9_./:=@-])\#"
_WORD = rf"(?: {_QUOTED} | {_REFLOG} | {_PLAIN} )++"
_COMMAND = rf"{_WORD} (?: [ ]++ {_WORD} )*+"
_JOINT = r"&& | \|\| | ; | \|"
# Possessive all through: whether a line fits is known in one pass over it.
_LINE = rf"[ ]*+ {_COMMAND} [ ]*+ (?: (?:{_JOINT}) [ ]*+ {_COMMAND} [ ]*+ )*+"
_VERBOSE = 64

_PLAIN_LINE = late(_LINE, _VERBOSE)
_PIECES = late(rf"(?P<joint>{_JOINT}) | (?P<word>{_WORD})", _VERBOSE)

_RESERVED = words(
    "! [[ ]] { } case coproc do done elif else end esac fi for foreach function if in namespace nocorrect noglob "
    "repeat select then time until while"
)


def commands_of(line: object) -> tuple[Command, ...] | None:
    """The commands of a line in order; None where it is not plain enough to be sure of them, or no text at all.

    Refused are, outside of quotes, everything but letters, digits and a few marks of ASCII; in double quotes `$`, the
    backtick, the backslash and `!`; everywhere control characters, line ends, tabs, and white space other than a blank;
    and lines of more than `MOST` commands.
    """
    if not isinstance(line, str) or len(line) > LONGEST or not line.isprintable():
        return None
    if len(line.encode()) > LONGEST or not _PLAIN_LINE().fullmatch(line):
        return None
    commands: list[list[str]] = [[]]
    for piece in _PIECES().finditer(line):
        if piece["joint"]:
            commands.append([])
        else:
            commands[-1] += shlex.split(piece["word"])
    is_plain = len(commands) <= MOST and all(_is_simple(command) for command in commands)
    return tuple(map(tuple, commands)) if is_plain else None


def _is_simple(command: list[str]) -> bool:
    """Whether it begins with the name of a program: no assignment, and no word of the shell's own grammar."""
    return bool(command and command[0]) and "=" not in command[0] and command[0] not in _RESERVED
