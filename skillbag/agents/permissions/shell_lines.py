"""Lines for a shell that mean the same to every reader: simple words, joined by `&&`, `||`, `;` and `|`.

This is no parser of a shell. A list of allowed forms says which lines are plain enough to have one meaning, in bash and
in dash, when they are not typed into an interactive shell; every other line is refused, with the word and the reason.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbag.agents.permissions.program_options import words
from skillbag.kernel.base.lazy_regex import late

LONGEST = 1 << 16
"""Bytes of a line."""

MAX = 100
"""Commands of a line: a host does not wait long for the decision."""

Command = tuple[str, ...]
"""The words of one command, its name first, without their quotes and without its redirections."""


class GlobWord(str):
    """A word that the shell replaces by the names of the files that it matches: `src/*.py`."""

    __slots__ = ()


class Filled(str):
    """A word with a parameter such as `$5` in it, which is empty unless the shell was started with arguments.

    It begins with another character than that and a hyphen.
    """

    __slots__ = ()


class ShellLine(NamedTuple):
    """The commands in order, each with what stands before it: nothing for the first, else `&&`, `||`, `;` or `|`.

    `has_text` says that a here-document with a quoted mark is the input of the last one.
    """

    commands: tuple[Command, ...]
    joints: tuple[str, ...]
    has_text: bool = False


_PARAMETER = "\0"
_VERBOSE = 64

# A backslash counts before four characters, and stands for itself before others: both are the same to every shell.
_ESCAPE = r"""\\["$`\\] | \\[^"$`\\!\n]"""
_DOLLAR = r"""\$(?=[ ,."\n])"""
_IN_DOUBLE = rf"""[^"$`\\] | {_ESCAPE} | {_DOLLAR} | \$[0-9]"""
_DOUBLE = rf'''"(?P<double>(?: {_IN_DOUBLE} )*+)"'''
_TEXT = r"(?P<text>(?:(?!(?P=mark)\n)[^\n]*+\n)*+)"
_OPENING = r"<<'(?P<mark>[A-Za-z_][A-Za-z0-9_]*+)'\n"
_HEREDOC = rf""""\$\(cat[ ]{_OPENING}{_TEXT}(?P=mark)\n[ ]*+\)" """
_INPUT = late(rf"(?<=[ ]){_OPENING}(?:(?!(?P=mark)(?:\n|\Z))[^\n]*+\n)*+(?P=mark)\n*+\Z")
# No brace has a comma or two dots in it, which would make several words: `stash@{0}`, `HEAD@{2.days.ago}`.
_REFLOG = r"@\{[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)*+\}"
# A tilde is a home, and `#` a comment, where a word begins; a tilde after `=` or `:` is one too.
_PLAIN = r"[A-Za-z0-9_./:,@%+=^-] | (?<=[A-Za-z0-9_./@^~}-])~ | (?<=[A-Za-z0-9_./:=@-])\#"
# A file whose name matches can only change what stands behind the host.
_ADDRESS = rf"(?<=[ \n])https?://[A-Za-z0-9.-]++(?::[0-9]++)?/(?: {_PLAIN} | \?)*+"
_PARTS = late(
    rf"""'(?P<single>[^']*+)' | {_HEREDOC} | {_DOUBLE} | (?P<bare>{_ADDRESS} | (?: {_REFLOG} | {_PLAIN} )++)
    | \\(?P<escaped>['"`$\\()\[\]{{}}*?!\#~]) | (?P<star>[*?])""",
    _VERBOSE,
)
_UNLIKE = late(r"(?:^|/)\.[^/]*[*?]|//|\[")
"""Some shells find `.` and `..` for `.*`, and some leave out one of two slashes. A quoted `[` is no glob."""

_UNESCAPED = late(r"""\\(["$`\\])|\$[0-9]""")

_SILENT = r"[12]?>[ ]*+/dev/null | 2>&1 | 1?>&2"
_REDIRECTION = late(rf"(?<=[ \n])(?: {_SILENT} )(?= [ ;|&\n)] | \Z )", _VERBOSE)
_JOINT = late(r"&&|\|\||;|\|")
_BLANKS = late(r"(?:[ ]|(?<![^ \n])\\\n)*+")
# Where a shell knows no comments, its words are harmless.
_COMMENT = r"(?:(?<=[ \n;])\#(?:[^\n;|&<>()$`\\{}-]|(?<=\w)-)*+)"
_END = late(rf"(?:;[ ]*+)?{_COMMENT}?[ \n]*+\Z")
_END_OF_GROUP = late(rf"(?:;[ ]*+)?(?:{_COMMENT}\n)?[ \n]*+\)[ \n]*+{_COMMENT}?\n*+\Z")

_RESERVED = words(
    "! [[ ]] { } case coproc do done elif else end esac fi for foreach function if in namespace nocorrect noglob "
    "repeat select then time until while"
)

_WHY = {
    "$": "is a substitution or variable, whose value is not known here",
    "`": "is a command substitution",
    "\\": "has a backslash before a character that needs none outside of quotes, or that shells read in two ways; one "
    "at the end of a line stands after a blank",
    ">": "is a redirection to a file; only /dev/null and `2>&1` may follow, after a blank",
    "<": "is a redirection or here-document; only `\"$(cat <<'EOF' … EOF)\"` on lines of its own passes, and "
    "`git commit -F - <<'EOF'` at the end",
    "&": "runs a command in the background, or redirects",
    **dict.fromkeys("[]", "is a glob of which only `*` and `?` pass; quote it"),
    **dict.fromkeys("{}", "is a group or brace expansion; quote it"),
    **dict.fromkeys("()", "is a subshell; only the whole line may stand in parentheses; quote it"),
    "~": "stands for a home folder; quote it or write the path",
    "#": "begins a comment; only plain words may follow, at the end",
    "!": "is a negation or a word of the history; quote it",
    "\n": "holds a backslash at the end of a line",
    "\t": "is a tab outside of quotes",
    **dict.fromkeys("'\"", "has no closing quote"),
    **dict.fromkeys(";|", "stands where a command is missing"),
}
"""Why a word is refused, by the character at which the reading stops."""


class _RefusedError(Exception):
    """The line is not plain: the word, and why."""


def commands_of(line: object) -> tuple[Command, ...] | None:
    """The commands of a line in order; None where it is not plain enough to be sure of them, or not a text."""
    plain = plain_line(line)
    return None if isinstance(plain, str) else plain.commands


def plain_line(line: object) -> ShellLine | str:
    """The commands of a plain line, or the word at which it is not plain, and why.

    Plain are words of ASCII letters, digits and a few marks; other marks behind a backslash; single quotes; double
    quotes in which `$` and the backtick are escaped, or `$` begins no variable but `$0` to `$9`; text of a
    here-document with a quoted mark; `*` and `?`; redirections to `/dev/null` and of one output into the other; at most
    `MAX` commands; parentheses around them all; a comment at the end. Line ends stand in quotes, behind a backslash
    after a blank, and at the end; tabs in quotes alone, other control characters and unusual white space nowhere.
    """
    if not isinstance(line, str):
        return "The command is not a text"
    if len(line) > LONGEST or len(line.encode("utf-8", "replace")) > LONGEST:
        return f"The command has more than {LONGEST:,} bytes"
    odd = next((char for char in line if not (char.isprintable() or char in "\n\t")), None)
    if odd is not None:
        return f"`{odd}` is a control character or an unusual blank"
    try:
        return _split(line)
    except _RefusedError as refused:
        return str(refused)


def _split(line: str) -> ShellLine:
    commands: list[Command] = []
    joints = [""]
    at = _blanks(line, 0)
    is_group = line.startswith("(", at)
    if is_group:
        at = _blanks(line, at + 1)
    end = _END_OF_GROUP() if is_group else _END()
    while True:
        command, at = _command(line, at)
        commands.append(command)
        has_text = not is_group and bool(_INPUT().match(line, at))
        if has_text or end.match(line, at):
            return ShellLine(tuple(commands), tuple(joints), has_text)
        joint = _JOINT().match(line, at)
        if not joint:
            raise _refusal(line, at, at)
        if len(commands) == MAX:
            raise _RefusedError(f"The command has more than {MAX} parts")
        joints.append(joint[0])
        at = _blanks(line, joint.end())


def _command(line: str, at: int) -> tuple[Command, int]:
    """The command that begins here, and the index after it and the blanks behind it.

    It begins with the name of a program: no assignment, and no word of the shell's own grammar.
    """
    given: list[str] = []
    while at < len(line) and line[at] != "#" and not _INPUT().match(line, at):
        silent = _REDIRECTION().match(line, at) if given else None
        word, end = ("", silent.end()) if silent else _word(line, at)
        if end == at:
            break
        if not silent:
            given.append(word)
        at = _blanks(line, end)
    if not given:
        raise _refusal(line, at, at)
    name = given[0]
    if not name or type(name) is not str:
        raise _RefusedError(f"`{name}` is not the name of a program")
    if "=" in name:
        raise _RefusedError(f"`{name}` sets a variable before the command")
    if name in _RESERVED:
        raise _RefusedError(f"`{name}` is a word of the shell's own grammar")
    return tuple(given), at


def _blanks(line: str, at: int) -> int:
    """The index after blanks and continuations of the line."""
    blanks = _BLANKS().match(line, at)
    return blanks.end() if blanks else at


def _word(line: str, start: int) -> tuple[str, int]:
    """The word that begins here and the index after it, which is `start` where no word begins."""
    texts: list[str] = []
    at, stars = start, 0
    while part := _PARTS().match(line, at):
        if part["text"] is not None and (why := _text_fault(part["text"], line[part.end() :])):
            raise _RefusedError(f"`<<'{part['mark']}'` {why}")
        texts.append(_text(part))
        stars += part["star"] is not None
        at = part.end()
    if at < len(line) and line[at] not in " \n;|&)":
        raise _refusal(line, start, at)
    word = "".join(texts)
    if stars and (_UNLIKE().search(word) or word.count("*") + word.count("?") > stars):
        raise _RefusedError(f"`{line[start:at][:80]}` is a glob from which shells make different names")
    if _PARAMETER not in word:
        return (GlobWord(word) if stars else word), at
    if stars or word[0] in (_PARAMETER, "-"):
        raise _RefusedError(f"`{line[start:at][:80]}` may be any word, an option too")
    return Filled(word.replace(_PARAMETER, "")), at


def _text(part: re.Match[str]) -> str:
    if part["text"] is not None:
        return part["text"].rstrip("\n")
    if part["double"] is not None:
        return _UNESCAPED().sub(lambda escape: escape[1] or _PARAMETER, part["double"])
    return part["single"] if part["single"] is not None else part["bare"] or part["escaped"] or part["star"]


_QUOTING = late(r"""['"`\\#$\n]""")
_OPEN = late(r"""['"`()$\\]""")


def _text_fault(text: str, rest: str) -> str | None:
    """Why versions of bash before 4 could find another end of the substitution: they pass over here-documents.

    They count parentheses but in quotes and comments. So each run of text between such marks must close none that it
    did not open, and where quotes or parentheses stay open nothing behind may close them.
    """
    is_quoting = bool(_QUOTING().search(text.replace("\n", "")))
    depth = 0
    for run in _QUOTING().split(text) if is_quoting else [text]:
        depth = 0
        for char in run:
            depth += (char == "(") - (char == ")")
            if depth < 0:
                return "holds a `)` that old shells take for its end; leave out the `)`, or use single quotes"
    if (is_quoting or depth) and _OPEN().search(rest):
        return "holds quotes or an open parenthesis, so nothing quoted may follow it in the line"
    return None


_INSIDE = late(rf"(?: {_IN_DOUBLE} )*+", _VERBOSE)


def _refusal(line: str, start: int, at: int) -> _RefusedError:
    """The word in which the reading stopped at an index, and why."""
    end = next((index for index in range(at, min(len(line), at + 80)) if line[index] in " \n" and index > at), at + 80)
    word = line[start:end][-80:].strip() or line[at : at + 1]
    if at >= len(line):
        return _RefusedError("The command is empty, or stops after a joint")
    if line[at] == "\n":
        return _RefusedError(f"The line end before `{word}` is outside of quotes; join commands with `&&` or `;`")
    inside = _INSIDE().match(line, at + 1) if line[at] == '"' else None
    if inside and inside.end() < len(line):
        at = inside.end()  # the character within the quotes that may not stand there
    return _RefusedError(f"`{word}` {_WHY.get(line[at], 'has a character that must stand in quotes')}")
