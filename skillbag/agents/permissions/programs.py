"""Programs whose arguments name other programs: a pattern with a wildcard would allow anything through them.

Of a program that can run others, what is known to run nothing passes. Any other option, subcommand or text is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillbag.agents.permissions.git_commands import git_fault
from skillbag.agents.permissions.program_options import Commands, Options, options_of, unknown_option, words
from skillbag.agents.permissions.program_scripts import awk_fault, sed_fault, sql_fault
from skillbag.agents.permissions.program_tables import (
    BUILTINS,
    MODULES,
    RUNNERS,
    SHELLS,
    WITH_COMMANDS,
    WRAPPERS,
    known_programs,
)
from skillbag.agents.permissions.real_paths import PatternFolders, real_place
from skillbag.agents.permissions.shell_lines import Filled, GlobWord
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs.read import is_within

_LANGUAGES: Mapping[str, Callable[[Sequence[str]], str | None]] = {
    "awk": awk_fault,
    "sed": sed_fault,
    "sqlite3": sql_fault,
}
_RUNNING_TESTS = words("bench r run t test")
_TO_SCRIPTS = words("npm pnpm yarn bun cargo")
"""These pass on the words after `--` to what they run of the workspace."""

_VERSION = late(r"(?<=[a-z])-?\d+(?:\.\d+)*$")
_PLUS = words("less man more")
_NO_ASSIGNMENTS = words("just make ninja rake")
_RUN_OPERANDS = words("ansible-playbook go mocha terraform tofu")
_NO_ADDRESSES = words("gh svn")
_ENDPOINT = late(r"/?[a-z][a-z0-9._/-]*+\?[a-z0-9._=,%+-]*+", re.IGNORECASE)
"""Files whose names match can only change one character of the address, as in one that begins with `https://`."""


OWN = "@skill@"
"""The skill's folder, in the words of a pattern and of a command that fits it."""


class Where(NamedTuple):
    """The folder that a command runs in (None: not known), its workspace, the commands before it in the line, and the
    real folders that patterns name."""

    folder: str | None
    root: str
    before: Commands
    folders: PatternFolders = PatternFolders()


def program_fault(command: tuple[str, ...], pattern: tuple[str, ...], where: Where) -> str | None:
    """Why a command that a wildcard let pass could run another program; None where it could not.

    `pattern` has the words of the pattern; what it says of the skill's own files begins with `OWN`.
    """
    if pattern and pattern[0].startswith(OWN):
        return None
    name = _plain_name(command[0])
    if name == "git":
        if where.folder is None:
            return "`git` would run in a folder that is not known here"
        return git_fault(command, where.folder, where.root, where.before)
    rest = list(command[1:])
    open_words = (at for at, word in enumerate(pattern) if "*" in word and not word.startswith(OWN))
    own = next(open_words, len(pattern))
    names_script = own > 1 and not command[1].startswith("-")
    if name in RUNNERS or name in BUILTINS or name in WITH_COMMANDS or (name in SHELLS and not names_script):
        return f"`{command[0]}` can run any program"
    if name in SHELLS or name in known_programs().interpreters:
        return None if names_script else _unclear(command) or _script_fault(name, command, own, where)
    if name in WRAPPERS or (rest and rest[0] in known_programs().wrapping.get(name, "").split()):
        wrapped = 1 if name in WRAPPERS else 2
        if own <= wrapped or command[wrapped].startswith("-"):
            return f"`{command[0]}` runs the program that its words name"
        if name == "npm" and (fault := _known_fault(name, rest, True, where)):
            return fault
        return program_fault(command[wrapped:], pattern[wrapped:], where)
    names_verb = len(pattern) > 1 and not pattern[1].endswith("*") and not command[1].startswith("-")
    return _known_fault(name, rest, names_verb, where)


def _plain_name(word: str) -> str:
    """The name of a program in the tables: without its folder, version and `.exe`."""
    tables = (known_programs().options, known_programs().interpreters, _LANGUAGES, SHELLS)
    name = word.rpartition("/")[2].lower().removesuffix(".exe")
    for base in (name, _VERSION().sub("", name)):
        known = known_programs().aliases.get(base, base)
        if any(known in table for table in tables):
            return known
    return name


def _script_fault(name: str, command: tuple[str, ...], own: int, where: Where) -> str | None:
    """An interpreter must be given a script of the workspace, behind options that run nothing."""
    known = options_of(known_programs().interpreters[name])
    if name == "java":
        return _java_fault(command, own, known, where)
    rest = list(command[1:])
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option == "-m" and name == "python":
            return _module_fault(command, len(command) - len(rest), own, where)
        if unknown_option([option], known) or option in known.valued:
            return f"`{option}` is no option of {name} that is known to run nothing"
    if not rest:
        asks = len(command) == 2 and command[1] in ("--version", "-v", "-V", "--help", "-h")
        return None if asks else f"`{command[0]}` without a script runs what it reads"
    return _outside(rest[0], where)


def _java_fault(command: tuple[str, ...], own: int, known: Options, where: Where) -> str | None:
    """`java` must be given a file of the workspace, or a class without a package, as Java's own ones all have one."""
    at = 1
    while at < len(command) and command[at].startswith("-"):
        option, at = command[at], at + 1
        if option in ("-jar", "-cp"):
            value, at = (command[at] if at < len(command) else "-"), at + 1
            if own < at and (fault := next((why for part in value.split(":") if (why := _outside(part, where))), None)):
                return fault
            if option == "-jar":
                return None
        elif unknown_option([option], known):
            return f"`{option}` is no option of java that is known to run nothing"
    if at >= len(command):
        return None if len(command) == 2 and command[1] in known.plain else "`java` without a class runs what it reads"
    word = command[at]
    if own > at:
        return None
    if word.startswith("@") or (not word.endswith(".java") and re.search(r"[./]", word)):
        return f"`{word}` is no class that is known to be of the workspace"
    return _outside(word, where)


def _module_fault(command: tuple[str, ...], at: int, own: int, where: Where) -> str | None:
    module = command[at] if at < len(command) else ""
    if own <= at and module not in MODULES:
        return f"`-m {module}` is no module that is known to run nothing else"
    if module in known_programs().options:
        return program_fault(command[at:], command[at:own], where)
    return None


def _outside(word: str, where: Where) -> str | None:
    """Why a file must not be run: it lies outside of the workspace, and is none of the skill's own."""
    path = word.partition("::")[0]
    if word == "-" or where.folder is None or "://" in word:
        return f"`{word}` is no file of the workspace"
    place = real_place(os.path.join(where.folder, path))
    own = where.folders.skill
    if place is None or not (is_within(where.root, place) or (own and is_within(own, place))):
        return f"`{word}` lies outside of the workspace"
    return None


def _known_fault(name: str, rest: list[str], names_verb: bool, where: Where) -> str | None:
    if name in _LANGUAGES:
        return _unclear(rest) or _LANGUAGES[name](rest)
    if name not in known_programs().options:
        return None
    is_request = name == "gh" and rest[:1] == ["api"]
    if fault := _unclear([word for word in rest if not (is_request and _ENDPOINT().fullmatch(word))]):
        return fault
    known = options_of(known_programs().options[name])
    if name in known_programs().verbs and not names_verb and (fault := _verb_fault(name, rest, known)):
        return fault
    if name == "tar" and rest and not rest[0].startswith("-"):
        # Traditional options without a hyphen: each letter is one.
        rest[:1] = [f"-{letter}" for letter in rest[0]]
    if option := unknown_option(_of_program(name, rest, known), known):
        return f"`{option}` is no option of {name} that is known to run nothing"
    if name in _RUN_OPERANDS and (name != "go" or rest[:1] in (["run"], ["test"])):
        for before, word in zip(["", *rest], rest, strict=False):
            valued = before in known.valued and before != "-f"
            if not word.startswith("-") and not valued and (fault := _outside(word, where)):
                return fault
    return next((why for word in rest if (why := _operand_fault(name, word, where))), None)


def _unclear(given: Sequence[str]) -> str | None:
    """The first word from which the shell may make options; programs that take no other can have it."""
    odd = next((word for word in given if isinstance(word, GlobWord | Filled)), None)
    return odd and f"`{odd}` stands for words that are not known here; write them out"


def _verb_fault(name: str, rest: list[str], known: Options) -> str | None:
    """The subcommand must be a known one, and stand before all options but those without a value."""
    for word in rest:
        if word in known_programs().verbs[name].split():
            return None
        if not word.startswith("-"):
            return f"`{word}` is no subcommand of {name} that is known to run nothing else"
        if word in known.valued:
            return f"`{word}` must stand behind the subcommand"
    return None


def _of_program(name: str, rest: list[str], known: Options) -> list[str]:
    """The words that the program itself reads: not what it gives to a script of the workspace, after `--`."""
    if name not in _TO_SCRIPTS or "--" not in rest:
        return rest
    end = rest.index("--")
    if end and rest[end - 1] in known.valued:
        return rest
    if name == "cargo" and rest[0] not in _RUNNING_TESTS:
        return rest
    return rest[:end]


def _operand_fault(name: str, word: str, where: Where) -> str | None:
    if name in _PLUS and word.startswith("+"):
        return f"`{word}` is a command of {name}"
    if name in _NO_ASSIGNMENTS and "=" in word and not word.startswith("-"):
        return f"`{word}` sets a variable, which can name a program"
    archive = word.removeprefix("--file=")
    if name == "tar" and ":" in archive.partition("/")[0] and not archive.startswith("--"):
        return f"`{word}` could name another machine, which is reached through a program"
    if name in ("gcc", "g++", "cc", "c++", "clang", "clang++", "cargo", "rustc") and word[:1] in ("@", "+"):
        return f"`{word}` brings in options or another program"
    if name == "pandoc" and ".lua" in word.lower():
        return f"`{word}` is a script, which pandoc would run"
    if name in _NO_ADDRESSES and "::" in word:
        return f"`{word}` names a program as an address"
    if "://-" in word:
        return f"`{word}` names a host that could be taken for an option"
    if name == "go" and "@" in word:
        return f"`{word}` brings in a program"
    if name == "mvn" and ":" in word:
        return f"`{word}` runs a plugin"
    if name == "pytest" and not word.startswith("-"):
        return _outside(word, where)
    return None
