"""Every command of the program, and a case of each that succeeds in the small world of `make_world`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from skillbag.doors.cli.app import app
from tests.support import Run


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The words of each command that can be called, and the command."""
    yield from _below(app, (), click.Context(app))


def _below(
    command: click.Command, words: tuple[str, ...], context: click.Context
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    if command.invoke_without_command:
        yield words, command
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _below(found, (*words, name), context)


class Case(NamedTuple):
    """Arguments that follow the words, the schema that the answer fits, its exit code, and what goes before it."""

    arguments: str = ""
    schema: str = "commands"
    exit: int = 0
    before: tuple[str, ...] = ()
    stdin: str = ""


SERVERS = frozenset({"agent lsp", "agent mcp", "team registry serve"})
"""They end by a signal, or with their input; `tests/agents/mcp_server`, `registry` and `language_server` start them."""

_MARKET = ("team marketplace add ../source", "team marketplace update")
_SESSION = ("enter --session s1",)
_ACTIVE = ("runtime activate count --session s1",)
_L, _O, _R = "lifecycle", "outcome", "runtime"
CASES = {
    "check": Case(schema="findings", exit=0),
    "explain": Case("links"),
    "capabilities": Case(schema="capabilities"),
    "team audit": Case("../source --out ../audited", "audit"),
    "init": Case("../other"),
    "new": Case("other"),
    "self sync": Case(schema=_O),
    "self cache dir": Case(schema=_O),
    "self cache prune": Case(schema=_O),
    "agent hook install": Case(schema="hook"),
    "agent hook run": Case(schema=""),
    "agent hook uninstall": Case(schema="hook"),
    "self completion": Case("bash"),
    "doctor": Case(schema="doctor"),
    "install": Case("a --source ../source", _O),
    "add": Case("a --source ../source", _O),
    "adopt": Case("--dry-run", _O),
    "update": Case(schema=_O, before=("add a --source ../source",)),
    "remove": Case("a", _O, before=("add a --source ../source",)),
    "rename": Case("tidy clean", "rename"),
    "list": Case(schema=_O),
    "tree": Case(schema=_O),
    "verify": Case(schema=_O, before=("add a --source ../source",)),
    "diff": Case("a", _O, before=("add a --source ../source",)),
    "search": Case("tidy", "registry", before=_MARKET),
    "team marketplace": Case(),
    "team marketplace add": Case("../source"),
    "team marketplace install": Case("source/a", before=_MARKET),
    "team marketplace list": Case(before=_MARKET),
    "team marketplace remove": Case("source", before=_MARKET),
    "team marketplace show": Case("a", "registry", exit=2),
    "team marketplace update": Case(before=_MARKET[:1]),
    "enter": Case(schema=_L),
    "turn": Case("tidy --session s1", _L, before=_SESSION),
    "session resolve": Case("tidy", _L),
    "run": Case("tidy", _L),
    "session order": Case(schema=_L),
    "session winner": Case("tidy count", _L),
    "session refresh": Case("--session s1", _L, before=_SESSION),
    "session remember": Case("colour=blue", _L),
    "session forget": Case("colour", _L, before=("session remember colour=blue",)),
    "agent link": Case("--agents claude", "links"),
    "agent unlink": Case(schema="links"),
    "agent personal add": Case(".skills/tidy"),
    "agent personal list": Case(),
    "agent personal remove": Case("tidy", before=("agent personal add .skills/tidy",)),
    "agent personal restore": Case("tidy", before=("agent personal add .skills/tidy", "agent personal remove tidy")),
    "agent personal root": Case(),
    "runtime list": Case(schema=_R),
    "runtime info": Case("count", _R),
    "runtime why": Case("count --message hello", _R),
    "runtime trace": Case("--message hello", _R),
    "runtime activate": Case("count --session s1", _R),
    "runtime deactivate": Case("count --session s1", _R, before=_ACTIVE),
    "runtime call": Case("count {} --skills count", _R, exit=3),
    "runtime run": Case("nothing {}", _R, exit=2),
    "runtime scan": Case(schema=_R),
    "runtime wiki": Case(schema=_R, exit=2),
    "runtime transform": Case(schema=_R, stdin="hello"),
    "runtime hooks": Case("OnNothing {}", _R, exit=2),
    "runtime test": Case(schema=_R),
    "runtime dev": Case(".skills/count --once", _R),
    "runtime replay": Case("nothing.jsonl", _R, exit=2),
    "runtime permissions": Case("count", _R),
    "runtime audit": Case(schema=_R),
    "runtime status": Case(schema=_R),
    "runtime dirs add": Case("../source", _R),
    "runtime dirs list": Case(schema=_R),
    "runtime dirs remove": Case("../source", _R, before=("runtime dirs add ../source",)),
    "runtime hook": Case("--host claude", _R),
    "runtime host": Case(schema=""),
    "team registry publish": Case(".skills/count --to ../registry", "registry"),
    "agent tool": Case("--list"),
    "agent plugin": Case("--schema"),
    "agent plugin install": Case("../plugins"),
    "agent plugin serve": Case("list_installed"),
    "agent plugin uninstall": Case("../plugins", before=("agent plugin install ../plugins",)),
    "team conformance": Case("--list", "conformance-report"),
    "team rules new": Case("body-short --like body-too-long", schema="rules"),
    "team rules new-pack": Case("house-rules", schema="rules"),
    "team rules test": Case("house-rules", "rules", before=("team rules new-pack house-rules",)),
    "team rules predicates": Case(schema="rules"),
    "team rules add": Case("none==1", exit=2, schema="rules"),
    "team rules fetch": Case(schema="rules"),
}
"""By the words of the command."""


def case_of(words: tuple[str, ...]) -> Case | None:
    """The case of a command."""
    return CASES.get(" ".join(words))


def make_world(folder: Path, run: Run) -> Path:
    """A workspace with a plain skill and an active one, beside a source."""
    root = folder / "work"
    assert run("init", root).code == 0
    assert run("init", "--source", folder / "source").code == 0
    about = ("--description", "Tidies a folder. Use when files lie about.")
    for where, words in ((root, ["tidy"]), (root, ["count", "--type", "tool"]), (folder / "source", ["a"])):
        assert run("new", *words, *about, "--path", where).code == 0
    return root
