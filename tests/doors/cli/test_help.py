"""Help on a terminal: groups of commands, as wide as the terminal, in colour where it shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from skillbag.doors.cli.app import SECTIONS, app
from skillbag.doors.cli.common_options import SHARED_NAMES
from skillbag.doors.cli.groups import LazyGroup
from skillbag.doors.cli.help_pages import Explained, HelpContext
from tests.doors.cli.terminals import on_terminal, plain
from tests.support import Run

HEADINGS = ["Check", "Set up", "Install", "Session", "Groups"]
WIDTHS = [40, 60, 80, 120, 200]
SCREEN, OPTIONS = 40, 12
"""Lines that the help of a command may have in 80 columns, and options of its own."""


def commands(
    group: click.Group = app, words: tuple[str, ...] = (), every: bool = False
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if every or isinstance(command, Explained):
            yield (*words, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name), every)


def shown(command: click.Command, words: tuple[str, ...], width: int) -> str:
    context = HelpContext(command, info_name=" ".join(("skillbag", *words)), max_content_width=width)
    return command.get_help(context)


def test_the_commands_are_in_groups(run: Run) -> None:
    lines = run("--help").out.splitlines()
    assert [line[:-1] for line in lines if line[:-1] in SECTIONS and line.endswith(":")] == HEADINGS == [*SECTIONS]
    listed = [line.split()[0] for line in lines[lines.index("Check:") :] if line[:2] == "  " < line[2:3]]
    assert listed[: len(app.list_commands(click.Context(app)))] == app.list_commands(click.Context(app))


def test_arguments_are_no_options(run: Run) -> None:
    text = run("check", "--help").out
    assert "Options:\n  --" in text
    assert text.count("[PATH|ADDRESS]...") == 1


def test_a_group_lists_what_it_has() -> None:
    for words, command in commands():
        if isinstance(command, LazyGroup):
            for name in command.list_commands(click.Context(command)):
                assert command.get_command(click.Context(command), name), words
                assert command.summary(name).endswith(".")


def test_the_help_of_every_command_fits_on_a_screen(run: Run) -> None:
    long = {words: len(run(*words, "--help").out.splitlines()) for words in ((), *(words for words, _ in commands()))}
    assert {words: lines for words, lines in long.items() if lines > SCREEN} == {}


def test_a_command_has_few_options_of_its_own() -> None:
    for words, command in commands(every=True):
        options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
        own = [each.opts[0] for each in options if SHARED_NAMES.isdisjoint(each.opts)]
        assert len(own) <= OPTIONS, (words, own)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_terminal_is_never_overrun(tmp_path: Path, width: int) -> None:
    room = min(width, 100)
    for words in ((), ("enter",), ("runtime",), ("runtime", "call"), ("search",)):
        lines = plain(on_terminal(tmp_path, *words, "--help", columns=width).text).splitlines()
        assert max(map(len, lines)) <= room, words
        assert max(map(len, lines)) >= 0.75 * room, words


@pytest.mark.parametrize("width", [40, 80])
def test_only_what_cannot_be_cut_is_wider(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr("skillbag.doors.cli.help_pages.columns", lambda _: width)
    for words, command in commands():
        for line in shown(command, words, width).splitlines():
            indent = len(line) - len(line.lstrip())
            assert len(line) <= width or max(map(len, line.split())) + indent >= width - 6, (words, line)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("variables", "color"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
@pytest.mark.parametrize("words", [("--help",), (), ("search", "-h"), ("runtime", "--help")])
def test_headings_and_names_are_in_colour(
    tmp_path: Path, words: tuple[str, ...], variables: dict[str, Any], color: bool
) -> None:
    text = on_terminal(tmp_path, *words, **variables).text
    assert ("\x1b[1mUsage:\x1b[0m" in text) is color
    assert ("\x1b" in text) is color


def test_a_pipe_gets_no_colour_unless_forced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run("--help").out + run("enter", "--help").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1mUsage:\x1b[0m" in run("--help").out
    assert "\x1b[1mUsage:\x1b[0m" in run("enter", "--help").out


def test_a_group_without_a_command_prints_its_help(run: Run) -> None:
    for words in ((), ("runtime",), ("session",)):
        done = run(*words)
        assert (done.code, done.err) == (2, "")
        assert done.out == run(*words, "--help").out
