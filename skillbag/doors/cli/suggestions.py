"""What an unknown command or option may mean: a word of another program, a command elsewhere, or a slip."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

import click

_WORDS: Mapping[str, str] = {
    "activate": "runtime activate",
    "analyze": "check",
    "bom": "capabilities --format cyclonedx",
    "build": "team registry publish",
    "ci": "install --frozen",
    "clean": "self cache prune",
    "config": "doctor",
    "create": "new",
    "debug": "doctor",
    "delete": "remove",
    "deps": "tree",
    "download": "add",
    "env": "doctor",
    "fetch": "install",
    "find": "search",
    "fix": "check --fix",
    "fmt": "check --fix",
    "format": "check --fix",
    "freeze": "install --frozen",
    "get": "add",
    "graph": "tree",
    "help": "--help",
    "i": "install",
    "info": "list",
    "inspect": "capabilities",
    "lint": "check",
    "lock": "install",
    "ls": "list",
    "man": "--help",
    "pack": "team registry publish",
    "prune": "self cache prune",
    "publish": "team registry publish",
    "pull": "update",
    "restore": "install --frozen",
    "review": "capabilities",
    "rm": "remove",
    "sbom": "capabilities --format cyclonedx",
    "scan": "check --select security",
    "serve": "agent mcp",
    "show": "list",
    "start": "enter",
    "status": "verify",
    "test": "check",
    "upgrade": "update",
    "use": "add",
    "validate": "check",
    "version": "--version",
    "watch": "check --watch",
}
"""Commands of other programs, and those that are in a group, with ours for them."""

_SENTENCES: Mapping[str, str] = {
    "login": "skillbag keeps no passwords: it uses git's credential helper and ~/.netrc.",
    "logout": "skillbag keeps no passwords: it uses git's credential helper and ~/.netrc.",
}
"""Commands of other programs that we have nothing for, and why."""

_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "--autofix": ("--fix",),
    "--ci": ("--frozen",),
    "--disable": ("--ignore",),
    "--dry": ("--dry-run",),
    "--enable": ("--select",),
    "--extend-exclude": ("--exclude",),
    "--filter": ("--select",),
    "--force": ("--overwrite", "--accept-rule"),
    "--from": ("--source",),
    "--frozen-lockfile": ("--frozen",),
    "--locked": ("--frozen",),
    "--no-fail": ("--keep-going",),
    "--only": ("--select",),
    "--output-file": ("--output",),
    "--output-format": ("--format",),
    "--path": ("--workspace",),
    "--ref": ("--version",),
    "--reporter": ("--format",),
    "--rule": ("--select",),
    "--rules": ("--select",),
    "--skip": ("--ignore",),
    "--silent": ("--quiet",),
    "--tag": ("--version",),
    "--upgrade": ("--upgrade",),
    "--verbose": ("--statistics",),
    "--write": ("--fix",),
}
"""Options of other programs, and those of ours that may be meant, where the command has them."""


@contextlib.contextmanager
def suggesting(context: click.Context, args: Sequence[str], known: Sequence[str]) -> Iterator[None]:
    """Add the command that may be meant to the usage error about an unknown one."""
    try:
        yield
    except click.UsageError as error:
        if not args or args[0].startswith("-"):
            raise
        raise click.UsageError(_unknown(context, args[0], known, error.message), error.ctx) from error


@contextlib.contextmanager
def suggesting_options(context: click.Context) -> Iterator[None]:
    """Add the option that may be meant, where its name in another program is none that click finds alike."""
    try:
        yield
    except click.NoSuchOption as error:
        names = {name for parameter in context.command.get_params(context) for name in parameter.opts}
        meant = [name for name in _OPTIONS.get(error.option_name, ()) if name in names]
        if not meant:
            raise
        raise click.UsageError(f"{error.message} Did you mean {meant[0]!r}?", error.ctx) from error


def _unknown(context: click.Context, word: str, known: Sequence[str], message: str) -> str:
    if context.parent is None and word in _SENTENCES:
        return f"no command {word!r}: {_SENTENCES[word]}"
    if context.parent is None and word in _WORDS:
        return f"no command {word!r}; it is skillbag {_WORDS[word]}"
    if meant := _meant(context, word, known):
        return f"{message} Did you mean {meant!r}?"
    return f"{message} `{context.command_path} --help` lists the commands."


def _meant(context: click.Context, word: str, known: Sequence[str]) -> str:
    """What may be meant: in this group by its name, then anywhere."""
    import difflib

    near = difflib.get_close_matches(word, known, 1, 0.75)
    begun = [name for name in known if len(word) > 1 and name.startswith(word)]
    if context.parent is not None:
        if (other := _WORDS.get(word, "")) in known:
            return other
        whole = f"skillbag {word}" if word in _names(context.find_root()) else ""
        return next(iter((*near, *begun[:1])), whole)
    return next(iter((*near, *begun[:1])), "") or _elsewhere(context, word) or _loosely(word, known)


def _loosely(word: str, known: Sequence[str]) -> str:
    import difflib

    return next(iter(difflib.get_close_matches(word, known, 1)), "")


def _names(context: click.Context) -> list[str]:
    return context.command.list_commands(context) if isinstance(context.command, click.Group) else []


def _elsewhere(context: click.Context, word: str) -> str:
    """The command of this name in a group: `runtime call` for `call`. It imports all groups; the user waits for nothing
    but this message."""
    group = context.command
    if not isinstance(group, click.Group):
        return ""
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        if isinstance(below, click.Group) and word in below.list_commands(context):
            return f"{name} {word}"
    return ""
