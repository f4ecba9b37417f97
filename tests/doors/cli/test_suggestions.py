"""What is suggested for a word that is no command, and for an option that is none."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import click
import pytest

from skillbag.doors.cli.app import app
from skillbag.doors.cli.habits import COMMANDS, OPTIONS, SENTENCES
from skillbag.doors.cli.habits import meant as meant_by
from tests.doors.cli.test_help import commands
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.supply.sources.repositories import git
from tests.support import Run, skill

HABITS = [
    tuple(line.split(" | "))
    for line in (Path(__file__).parent / "habits.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture
def habitual(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the skills `pdf` and `docx` of `owner/repo`, beside a skill in a plain folder."""
    host, root = tmp_path / "host", tmp_path / "w"
    for name in ("pdf", "docx"):
        text = skill(name, "Reads files. Use when somebody names one.")
        write(host / "owner/repo.git", {f"skills/{name}/SKILL.md": text})
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "a")):
        git(host / "owner/repo.git", *words)
    shutil.copytree(host / "owner/repo.git", host / "user/pdf.git")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{host}/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    root.mkdir()
    assert run("init", cwd=root).code == 0
    assert run("add", "owner/repo", "pdf", "docx", "--yes", cwd=root).code == 0
    return write(root, {"my-skill/SKILL.md": skill("my-skill"), "got.zip": "", "SKILL.md": skill("w")})


@each_row(("program", "typed", "named"), HABITS)
def test_habits_of_other_programs_lead_on(habitual: Path, run: Run, program: str, typed: str, named: str) -> None:
    root = habitual
    if named == "ok":
        shutil.rmtree(root := habitual.parent / "copy", ignore_errors=True)
        shutil.copytree(habitual, root, symlinks=True)
    done = run(*shlex.split(typed), cwd=root)
    if named == "ok" or (done.code < 2 and f"skillbag {typed}".startswith(named)):
        assert done.code < 2, program
    else:
        assert named in done.err + done.out, program


@each_row(
    ("words", "meant"),
    [
        ("cap", "skillbag capabilities"),
        ("call", "skillbag runtime call"),
        ("runtime cal", "call"),
        ("runtime check", "skillbag check"),
        ("runtime dirs lst", "list"),
        ("sesion install x", "session"),
        ("sesion order x", "skillbag session order x"),
        ("enter --workspac x", "--workspace"),
        ("runtime list --jsno", "--json"),
    ],
)
def test_what_is_meant(run: Run, words: str, meant: str) -> None:
    done = run(*words.split())
    assert (done.code, done.out) == (2, "")
    assert f"Did you mean {meant}?" in done.err.replace("'", "").replace("`", "")


@each_row(
    ("typed", "meant"),
    [
        ("runtime scan --output-format json", "runtime scan --format json"),
        ("session resolve --path x", "session resolve --workspace x"),
        ("check --no-cache --also=sarif=a b", "check --config cache=false -o sarif=a b"),
        ("check - --stdin-filename a/SKILL.md", "check - a/SKILL.md"),
        ("team marketplace rm x", "team marketplace remove x"),
        ("check --write-baseline a.json", "check -o baseline=a.json"),
        ("check --exclude a/ --exclude b/", "check --config exclude=a/ --config exclude=b/"),
    ],
)
def test_an_earlier_option_leads_to_what_does_it_now(run: Run, typed: str, meant: str) -> None:
    done = run(*typed.split())
    assert (done.code, done.out) == (2, "")
    assert f"; it is `skillbag {meant}`" in done.err


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
    assert answer["error"] == "no command 'lint'; it is `skillbag check --json`"


def test_every_suggestion_exists() -> None:
    known = {" ".join(words): command for words, command in commands(every=True)}
    options = {
        name: {o for p in command.get_params(click.Context(command)) for o in p.opts} for name, command in known.items()
    }
    for word, meant in COMMANDS.items():
        name, _, option = meant.partition(" -")
        assert word not in known, f"{word} is a command"
        assert not name or name.startswith("-") or name in known
        assert not option or f"-{option.split()[0]}" in options[name], meant
    for given, template in OPTIONS.items():
        *command, option = given.split()
        written = [word for word in template.partition("|")[0].split() if word.startswith("-")]
        place = options[" ".join(command)] if command else set().union(*options.values())
        other = template.partition(" -")[0].removeprefix("@") if template.startswith("@") else ""
        assert (options[other] if other else place).issuperset(written), given
        assert option not in place or not command, f"{given} is an option"


def test_every_suggestion_is_a_command_line_that_can_be_given() -> None:
    known = dict(commands(every=True))
    root = click.Context(app, info_name="skillbag")
    behind = ("", ".", "pdf", "o/r", "o/r pdf", "o/r@pdf", "o/r --skill pdf", "a b c")
    typed = [f"{word} {rest}".split() for word in {*COMMANDS} - {*SENTENCES} for rest in behind]
    options = [[*option.split(), "1"] for option in OPTIONS if " " in option]
    for option in (option for option in OPTIONS if " " not in option):
        options += [[*name, "pdf", option, "1", option, "1"] for name in known if name]
    for words in [*typed, *options]:
        found = meant_by(root, words)
        if not found or {"--help", "--version"} & {*found.words}:
            continue
        name = max((name for name in known if found.words[: len(name)] == name), key=len)
        try:
            known[name].make_context(" ".join(name), [*found.words[len(name) :]])
        except (click.BadParameter, click.exceptions.Exit):
            continue  # What is missing or wrong was so in what was typed.
        except click.UsageError as error:
            pytest.fail(f"{words} -> {found}: {error.message}")
