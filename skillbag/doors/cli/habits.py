"""A command line of other programs' habits, and the one here that does it; `habits.toml` has the words.

Only usage errors import it.
"""

from __future__ import annotations

import difflib
import os
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from skillbag.kernel.workspace.target import is_skill_name
from skillbag.supply.sources.archive_formats import format_of, is_address, split_version

_LONGEST = 3
"""Words of a command that the table has."""

with open(os.path.join(os.path.dirname(__file__), "habits.toml"), "rb") as _file:
    _TABLE = tomllib.load(_file)
COMMANDS: dict[str, str] = _TABLE["commands"]
SENTENCES: dict[str, str] = _TABLE["sentences"]
OPTIONS: dict[str, str] = _TABLE["options"]


class Meant(NamedTuple):
    """The arguments after `skillbag` that a command line means, and sentences about what has no place in them."""

    words: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join((f"`{shlex.join(('skillbag', *self.words))}`", *self.notes))


def sentence_for(words: Sequence[str]) -> str | None:
    """Why there is nothing here for a command of another program, or which commands may be meant."""
    head = next((head for head, _ in _heads(words) if head in SENTENCES or head in COMMANDS), "")
    return SENTENCES.get(head)


def meant(root: click.Context, words: Sequence[str]) -> Meant | None:
    """What is meant by the arguments after `skillbag`; None where that is unknown, or what they say."""
    named = _with_command(root, [*words])
    found = _with_options(root, named) if named else None
    return None if found is None or found.words == (*words,) else found


def _heads(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The words in front that may be a command, the longest first, and the rest."""
    for count in range(min(_LONGEST, len(words)), 0, -1):
        yield " ".join(words[:count]), [*words[count:]]


def _with_command(root: click.Context, words: list[str]) -> list[str] | None:
    """The words with a command of ours in front."""
    for head, rest in _heads(words):
        if head in COMMANDS:
            found = COMMANDS[head].split()
            if found == ["--help"]:
                return [*rest, *found]
            # `skill install owner/repo`: what is behind the first word may be a word of theirs, too.
            return [*found, *rest] if found else _with_command(root, rest)
    if not words or words[0] in (*names(root), "--help", "--version"):
        return words
    if words[0].startswith("-") or _is_here(words[0]):
        return ["check", *words]
    return ["add", *words] if is_address(words[0]) else None


def _is_here(word: str) -> bool:
    return os.path.exists(word) or word.startswith((".", "~")) or word.endswith(".md") or format_of(word) is not None


def _with_options(root: click.Context, words: list[str]) -> Meant | None:
    """The words with options that the command has; None where one is unknown."""
    name, command, rest = _command(root, words)
    known = {each for option in command.get_params(root) for each in (*option.opts, *option.secondary_opts)}
    kept: list[str] = []
    notes: list[str] = []
    while rest:
        option, equals, value = rest.pop(0).partition("=")
        if not option.startswith("-") or option == "-" or option in known:
            kept.append(f"{option}{equals}{value}")
            continue
        template = OPTIONS.get(f"{name} {option}", OPTIONS.get(option, "@"))
        if "VALUE" in template and not equals:
            value = rest.pop(0) if rest else "VALUE"
        text, _, note = template.replace("VALUE", value).partition("|")
        if text.startswith("@"):
            other = _with_options(root, [*text[1:].split(), *kept, *rest]) if text != "@" else None
            return other and other._replace(notes=(*other.notes, *filter(None, (note.strip(),))))
        new = [word for word in text.split() if word != f"({value})"]
        if not known.issuperset(word for word in new if word.startswith("-")):
            return None
        kept += new
        notes += [note.strip()] if note else []
    return Meant((*_fitting(root, name, command, kept),), tuple(dict.fromkeys(notes)))


def _fitting(root: click.Context, name: str, command: click.Command, words: list[str]) -> Iterator[str]:
    """The whole line: no flag twice, and as many arguments as the command takes.

    Other programs' `install ADDRESS` declares it, which is `add` here, and their words for one skill name its source
    before it.
    """
    parts = _parts(root, command, words)
    arguments = [part[0] for part in parts if not part[0].startswith("-")]
    if name in ("run", "list"):
        yield from _of_one_skill(root, arguments, [part for part in parts if part[0].startswith("-")])
        return
    declares = name == "install" and "--frozen" not in words and any(map(is_address, arguments[:1]))
    yield from ["add"] if declares else name.split()
    taken = [each.nargs for each in command.params if isinstance(each, click.Argument)]
    left = len(arguments) if -1 in taken or isinstance(command, click.Group) else sum(taken)
    for part in parts:
        left -= not part[0].startswith("-")
        if name == "team marketplace install" and "/" not in part[0]:
            # Elsewhere NAME@MARKETPLACE, here SOURCE/NAME.
            part = ("/".join(reversed(part[0].split("@"))), *part[1:])
        yield from part if left >= 0 or part[0].startswith("-") else ()


def _parts(root: click.Context, command: click.Command, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The arguments, and the options with their values, each option once."""
    options = [each for each in command.get_params(root) if isinstance(each, click.Option)]
    valued = {word for each in options if not (each.is_flag or each.count) for word in each.opts}
    found: list[tuple[str, ...]] = []
    rest = iter(words)
    for word in rest:
        part = (word, next(rest, "VALUE")) if word in valued else (word,)
        if part not in found or not word.startswith("-"):
            found.append(part)
    return found


def _of_one_skill(root: click.Context, arguments: list[str], options: list[tuple[str, ...]]) -> Iterator[str]:
    """To see or to use a skill is to run it, of its source if there is one; without a name, skills are listed."""
    given = [*arguments, *(part[1] for part in options if part[0] == "--source")]
    address = next(filter(is_address, given), "")
    skill = next((word for word in arguments if not is_address(word)), "")
    if not skill and is_skill_name(split_version(address)[1]):
        address, skill = split_version(address)
    name = "run" if skill else "list"
    source = ["--source", address] if skill and address else [address] if address else []
    yield from (name, *([skill] if skill else []), *source)
    _, command, _ = _command(root, [name])
    known = {word for each in command.get_params(root) for word in each.opts} - {"--source"}
    yield from (word for part in options if part[0].partition("=")[0] in known for word in part)


def _command(root: click.Context, words: list[str]) -> tuple[str, click.Command, list[str]]:
    """The command that the words begin with, by its name, and what follows."""
    command, count = root.command, 0
    while isinstance(command, click.Group) and count < len(words):
        below = command.get_command(root, words[count])
        if below is None:
            break
        command, count = below, count + 1
    return " ".join(words[:count]), command, words[count:]


def leads_on(root: click.Context, words: list[str]) -> bool:
    """Whether the words behind a group begin with one of its commands."""
    _, command, rest = _command(root, words)
    return not (isinstance(command, click.Group) and rest and not rest[0].startswith("-"))


def names(context: click.Context) -> list[str]:
    """The commands of a group."""
    return context.command.list_commands(context) if isinstance(context.command, click.Group) else []


def alike(context: click.Context, word: str) -> str:
    """The command that a mistyped word may be: in this group by its name, then anywhere; empty if there is none."""
    known = names(context)
    near = difflib.get_close_matches(word, known, 1, 0.75)
    begun = [name for name in known if len(word) > 1 and name.startswith(word)]
    if context.parent is not None:
        if (other := COMMANDS.get(word, "")) in known:
            return other
        whole = f"skillbag {word}" if word in names(context.find_root()) else ""
        return next(iter((*near, *begun[:1])), whole)
    found = next(iter((*near, *begun[:1])), "") or _elsewhere(context, word)
    return found or next(iter(difflib.get_close_matches(word, known, 1)), "")


def _elsewhere(context: click.Context, word: str) -> str:
    """The command of this name in a group: `runtime call` for `call`. It imports all groups; the user waits for nothing
    but this message."""
    for name in names(context):
        below = context.command.get_command(context, name) if isinstance(context.command, click.Group) else None
        if isinstance(below, click.Group) and word in below.list_commands(context):
            return f"{name} {word}"
    return ""
