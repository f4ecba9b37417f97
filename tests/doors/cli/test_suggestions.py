"""What is suggested for a word that is no command, and for an option that is none."""

from __future__ import annotations

import json

import click

from skillbag.doors.cli.app import app
from skillbag.doors.cli.suggestions import _OPTIONS, _WORDS
from tests.doors.cli.test_help import commands
from tests.rows import each_row
from tests.support import Run


@each_row(
    ("words", "meant"),
    [
        ("chekc", "check"),
        ("cap", "capabilities"),
        ("call", "runtime call"),
        ("runtime cal", "call"),
        ("runtime check", "skillbag check"),
        ("team marketplace ls", "list"),
        ("team marketplace rm", "remove"),
        ("runtime dirs lst", "list"),
        ("enter --workspac x", "--workspace"),
        ("runtime scan --output-format json", "--format"),
        ("session resolve --path x", "--workspace"),
        ("runtime list --jsno", "--json"),
    ],
)
def test_what_is_meant(run: Run, words: str, meant: str) -> None:
    done = run(*words.split())
    assert (done.code, done.out) == (2, "")
    assert f"Did you mean {meant}?" in done.err.replace("'", "")


@each_row(
    ("word", "command"),
    [
        ("lint", "check"),
        ("validate", "check"),
        ("freeze", "install --frozen"),
        ("upgrade", "update"),
        ("ls", "list"),
        ("format", "check --fix"),
        ("scan", "check --select security"),
        ("publish", "team registry publish"),
        ("lock", "install"),
    ],
)
def test_a_word_of_another_program_or_of_a_group(run: Run, word: str, command: str) -> None:
    done = run(word)
    assert (done.code, done.out) == (2, "")
    assert f"error: no command {word!r}; it is skillbag {command}\n" in done.err


@each_row(
    ("earlier", "now"),
    [
        ("outdated --help", "list --outdated --help"),
        ("hook --help", "agent hook --help"),
        ("marketplace list", "team marketplace list"),
        ("rule link-broken", "explain link-broken"),
        ("cache dir", "self cache dir"),
        ("remember --help", "session remember --help"),
        ("uninstall --help", "remove --help"),
    ],
)
def test_an_earlier_word_is_taken_for_what_it_has_become(run: Run, earlier: str, now: str) -> None:
    assert run(*earlier.split()) == run(*now.split())


def test_where_nothing_is_meant(run: Run) -> None:
    assert "skillbag keeps no passwords" in run("login").err
    assert "`skillbag runtime --help` lists the commands" in run("runtime", "zzz").err
    assert "Did you mean" not in run("enter", "--frozen-lockfile").err


def test_an_unknown_command_is_json_where_json_is_asked_for(run: Run) -> None:
    done = run("lint", "--json")
    answer = json.loads(done.out)
    assert (done.code, done.err, answer["exit"]) == (2, "", 2)
    assert answer["error"] == "no command 'lint'; it is skillbag check"


def test_every_suggestion_exists() -> None:
    known = {" ".join(words): command for words, command in commands(every=True)}
    for word, meant in _WORDS.items():
        name, _, option = meant.partition(" --")
        if name.startswith("--"):
            continue
        assert word not in app.list_commands(click.Context(app)), f"{word} is a command"
        assert not option or f"--{option.split()[0]}" in {o for p in known[name].params for o in p.opts}
    options = {name for command in known.values() for parameter in command.params for name in parameter.opts}
    assert {name for meant in _OPTIONS.values() for name in meant} <= options
