"""`Bash(git:*)`: patterns of commands, held against every command of a line for a shell."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Set

from skillbag.agents.permissions.git_paths import entered
from skillbag.agents.permissions.program_options import words
from skillbag.agents.permissions.program_tables import IDLE
from skillbag.agents.permissions.programs import OWN, Where, program_fault
from skillbag.agents.permissions.real_paths import PatternFolders, real_place
from skillbag.agents.permissions.shell_lines import Command, ShellLine, commands_of, plain_line
from skillbag.kernel.base.call_input import Json
from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.fs.read import is_within

_ARGUMENTS = words(
    "description timeout timeout_ms timeout_secs run_in_background explanation goal isBackground is_background "
    "requires_approval yield_time_ms max_output_tokens"
)
"""Those that do not change what a command means, of all agents; a folder or an environment beside it might."""

_COUNT = r"(?:\0-[0-9]+|\0-[nc]\0?[+-]?[0-9]+|\0-q)?"
_FILTERS: Mapping[str, Late] = {
    "cat": late(r"(?:\0-[nAbsvetET]+)?"),
    "cut": late(r"(?:\0-d\0?[^\0-]|\0-[fc]\0?[0-9,-]+|\0-s)+"),
    "grep": late(
        r"(?:\0-[EFGPacHhilnoqsvwxz]+|\0-[mABC]\0?[0-9]+|\0--(?:color=(?:never|always|auto)|ignore-case|invert-match|count))*+"
        r"(?:\0-e)?\0(?!-)[^\0]+"
    ),
    "head": late(_COUNT),
    "nl": late(r"(?:\0-ba)?"),
    "sort": late(r"(?:\0-[bdfgiMhnRrVsuz]+|\0-k\0?[0-9.,bdfginrV]+|\0-t\0?[^\0-])*"),
    "tac": late(r""),
    "tail": late(_COUNT),
    "tr": late(r"(?:\0-[cds]+)?(?:\0(?!-)[^\0]+){1,2}"),
    "uniq": late(r"(?:\0-[cdiu]+)*"),
    "wc": late(r"(?:\0-[clmwL]+)*"),
}
"""Programs that may follow a `|`, since they open no file and run nothing: their words, each after a zero."""

_READING = words("cat cut diff du file find grep head ls nl pwd rg stat tac tail wc")
"""Programs that mean the same in each folder: nothing that lies there is run, or says what they do."""

_FLAGS = r"(?:\0-[aqsn]+|\0--(?:all|allow-empty|amend|no-verify|quiet|signoff))*"
_MESSAGE = late(rf"git\0commit{_FLAGS}\0(?:-[aqsn]*F\0?-|--file[=\0]-){_FLAGS}")
"""Reads a text as its message, and starts no editor that would take the text for commands."""

_STATUS = late(r"[0-9]{1,3}")

_NO_PATTERN = "is allowed by no pattern"


def line_fault(bodies: list[str], given: Json, beside: Set[str], root: str, folders: PatternFolders) -> str | None:
    """Why the line `given`, run in `root`, is not allowed: the word and what is wrong with it; None where it is
    allowed. `beside` names the call's other arguments.

    Each command must be allowed by one of the patterns. Besides, `cd DIR &&` may begin a line of git's commands,
    programs that only pass on what they read may follow a `|`, and a `true`, `exit` or `echo` that nothing reads other
    joints.
    """
    line = plain_line(given)
    if isinstance(line, str):
        return line + _folder_advice(str(given), folders)
    if line.has_text and not _MESSAGE().fullmatch("\0".join(line.commands[-1])):
        return f"`{' '.join(line.commands[-1])[:80]}` is given a here-document, which only `git commit -F -` may have"
    if odd := sorted(beside - _ARGUMENTS, key=str):
        return f"`{odd[0]}` beside the command could change what it means"
    where = Where(root, root, (), PatternFolders(*(folder and os.path.realpath(folder) for folder in folders)))
    for at, command in enumerate(line.commands):
        if line.joints[at] == "|" and _is_filter(command):
            continue
        if line.joints[at] not in ("", "|") and line.joints[at + 1 : at + 2] != ("|",) and _is_idle(command):
            # After it, a `cd` may not be reached.
            where = where._replace(before=(*where.before, command))
            continue
        after = _after_cd(line, at, bodies, where) if command[0] == "cd" else _after(command, bodies, where)
        if isinstance(after, str):
            return after
        where = after
    return None


def _folder_advice(line: str, folders: PatternFolders) -> str:
    """What to write for a variable that Claude Code fills in where it shows a skill, and that no shell has."""
    named = {"CLAUDE_SKILL_DIR": folders.skill, "CLAUDE_PROJECT_DIR": folders.project}
    return "".join(f"; write `{folder}` for {name}" for name, folder in named.items() if folder and name in line)


def _is_filter(command: Command) -> bool:
    known = _FILTERS.get(command[0])
    plain = all(type(word) is str for word in command)
    return known is not None and plain and bool(known().fullmatch("".join(f"\0{word}" for word in command[1:])))


def _is_idle(command: Command) -> bool:
    """Whether it only sets the status of the line, ends it, or says something, as in `npm test || exit 1`."""
    if command[0] not in IDLE or not all(type(word) is str for word in command):
        return False
    if command[0] == "exit" and len(command) > 1:
        return len(command) == 2 and bool(_STATUS().fullmatch(command[1]))
    return command[0] == "echo" or len(command) == 1


def _after_cd(line: ShellLine, at: int, bodies: list[str], place: Where) -> Where | str:
    """Where the commands after a `cd` run: it must stand first, before a `&&`, unless a pattern allows it."""
    command = line.commands[at]
    if any(_body_fault(body, command, place) is None for body in bodies):
        return place._replace(folder=None, before=(*place.before, command))
    if place.folder is None or place.before or line.joints[at + 1 : at + 2] != ("&&",):
        return "`cd` may only stand first, before `&&`"
    if len(command) != 2:
        return "`cd` takes one folder of the workspace"
    if os.environ.get("CDPATH") and not command[1].startswith((".", os.sep)):
        return f"`{command[1]}` is looked up in CDPATH; write `./{command[1]}`"
    folder, why = entered(place.folder, command[1], place.root)
    return why if folder is None else place._replace(folder=folder)


def _after(command: Command, bodies: list[str], place: Where) -> Where | str:
    if place.folder not in (None, place.root) and command[0] not in ("git", *_READING):
        allowed = "only git, and programs that only read files, may follow"
        return f"`{command[0]}` could mean another thing in another folder: after `cd` {allowed}"
    why = _NO_PATTERN
    for body in bodies:
        fault = _body_fault(body, command, place)
        if fault is None:
            return place._replace(before=(*place.before, command))
        why = fault if why == _NO_PATTERN else why
    return _unmatched(command, bodies) if why == _NO_PATTERN else why


def _unmatched(command: Command, bodies: list[str]) -> str:
    """That no pattern allows the command, and what differs from one of the same program."""
    near = next((body for body in bodies if re.split(r"[ :]", body.strip(), maxsplit=1)[0] == command[0]), None)
    if near is None:
        return f"`{command[0]}` {_NO_PATTERN}"
    fault = f"`{' '.join(command)[:80]}` {_NO_PATTERN}: its words are not those of `{near}`"
    moves = command[:2] == ("git", "-C") and len(command) > 3
    return f"{fault}; write `cd {command[2]} && git {command[3]}`" if moves else fault


def _body_fault(body: str, command: Command, place: Where) -> str | None:
    """Why a pattern does not let a command pass, None where it does.

    `git:*`, the words that a command begins with; `git add *`, a glob over its words; `npm test`, all its words. A `*`
    stands for one word, and within a word for any characters (in the name of the program: but `/`); at the end of the
    pattern, for more words too, and after `:`, or where it is the only one, for none. Without one, the words are
    allowed as they are written, whatever they do.
    """
    marked = _marked(body, command, place) if "${" in body else (body, command)
    if marked is None:
        return _NO_PATTERN
    body, given = marked
    prefix = body.removesuffix(":*")
    if prefix == body and body.count("*") == 1:
        prefix = body.removesuffix(" *")  # For Claude Code, it means the same.
    if "*" not in body:
        same = commands_of(body) == (given,) and all(type(word) is str for word in command)
        return None if same else _NO_PATTERN
    if "*" not in prefix:
        begun = commands_of(prefix)
        words = begun[0] if begun and len(begun) == 1 else ()
        fits = bool(words) and given[: len(words)] == words
    else:
        words = tuple(prefix.split())
        fits = _glob_fits(words, given, is_open=prefix != body)
    if not fits:
        return _NO_PATTERN
    return program_fault(command, words, place)


_PROJECT = "@project@"


def _marked(body: str, command: Command, place: Where) -> tuple[str, Command] | None:
    """The pattern with marks for the folders that Claude Code fills in, and the command with marks for what really lies
    there. None where nothing fits: the folder is not known, or the command has a mark of its own."""
    folders = (
        ("${CLAUDE_SKILL_DIR}", OWN, place.folders.skill),
        ("${CLAUDE_PROJECT_DIR}", _PROJECT, place.folders.project),
    )
    for variable, mark, folder in folders:
        if variable in body:
            if folder is None or any(mark in word for word in command):
                return None
            body = body.replace(variable, mark)
            # Words behind those of the pattern are not compared.
            size = len(body.split())
            command = (*(_below(word, mark, folder, place) for word in command[:size]), *command[size:])
    return body, command


def _below(word: str, mark: str, folder: str, place: Where) -> str:
    """A path below the folder with the mark in its place; any other word as it is."""
    if type(word) is not str or "/" not in word or not (place.folder or os.path.isabs(word)):
        return word
    real = real_place(os.path.join(place.folder or os.sep, word))
    return f"{mark}{real[len(folder) :]}" if real and is_within(folder, real) else word


def _glob_fits(words: Command, command: Command, is_open: bool) -> bool:
    if len(command) < len(words) or (len(command) > len(words) and not (is_open or words[-1].endswith("*"))):
        return False
    if is_open and not words[0].strip("*"):
        return False
    return all(_word_fits(word, given, index) for index, (word, given) in enumerate(zip(words, command, strict=False)))


def _word_fits(word: str, given: str, index: int) -> bool:
    first, *others = word.split("*")
    if not others:
        return word == given
    # A path with a mark is a real one: it does not lead out of its folder.
    anything = "." if index or first.startswith((OWN, _PROJECT)) else "[^/]"
    # Atomic: a text that does not fit is known for it in one pass for each star.
    middle = "".join(f"(?>{anything}*?{re.escape(part)})" for part in others[:-1])
    return bool(re.fullmatch(f"{re.escape(first)}{middle}{anything}*{re.escape(others[-1])}", given, re.DOTALL))
