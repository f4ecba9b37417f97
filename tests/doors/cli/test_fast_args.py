"""Plain command lines are read without click, with the same result, to the last byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from skillbag.doors.cli.check import command
from skillbag.doors.cli.check_options import FILE, FLAG, OPTIONS, CheckOptions, Option, WrongValueError, made
from skillbag.doors.cli.fast_args import read_plain
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import Completed, Run

pytestmark = pytest.mark.boundary


def by_click(arguments: list[str]) -> CheckOptions | None:
    """What click makes of the arguments after `check`; None where it refuses them, or shows its help."""
    try:
        context = command.make_context("skillbag check", list(arguments))
        return made(context.params.pop("paths"), context.params)
    except (click.ClickException, click.exceptions.Exit, WrongValueError):
        return None


def right(option: Option) -> st.SearchStrategy[str]:
    """Values that an option takes."""
    if option.choices:
        return st.sampled_from(option.choices)
    if option.several:
        return st.sampled_from(["json=a.json", "baseline=-", "text=a=b", "x", "cache=false", "exclude=a,b", "root=a"])
    if option.listed:
        return st.sampled_from(["root", "root,links", " a , ,b", "*.md", ",a"])
    return st.sampled_from(["a", "no/such", "-", "with blank", "ä", "="])


def right_parts(option: Option) -> st.SearchStrategy[list[str]]:
    """The arguments of one option as a person writes them."""
    if option.takes == FLAG:
        return st.sampled_from([[name] for name in option.names])
    forms = [st.builds(lambda value, name=name: [name, value], right(option)) for name in option.names]
    forms += [st.builds(lambda value, name=name: [f"{name}={value}"], right(option)) for name in option.names[:1]]
    return st.one_of(forms)


RIGHT = st.one_of([right_parts(option) for option in OPTIONS] + [st.sampled_from([["."], ["a/b"], ["-"], ["ä b"]])])
NAMES = [name for option in OPTIONS for name in option.names]
ODD = st.one_of(
    st.sampled_from(["--", "", "-", "-h", "--help", "--forma", "--fi", "-qo", "-oFILE", "-o=x", "-qq", "-x"]),
    st.sampled_from(
        ["--format=xml", "--select=,", "-ojson=", "-oxml=a", "--config=.", "--config=target=x", "--config=cache="]
    ),
    st.sampled_from(["--no-fix", "---fix"]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES).map(lambda name: f"{name}=json"),
    st.text(max_size=6).filter(lambda text: "\0" not in text),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "file").write_text("x", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@given(parts=st.lists(st.one_of(RIGHT, ODD.map(lambda odd: [odd])), max_size=6))
def test_click_reads_the_same(parts: list[list[str]]) -> None:
    arguments = [argument for part in parts for argument in part]
    read = read_plain(["check", *arguments])
    assert read is None or read == by_click(arguments)


@given(parts=st.lists(RIGHT, max_size=6))
def test_usual_command_lines_are_read_without_click(parts: list[list[str]]) -> None:
    arguments = [argument for part in parts for argument in part]
    # Each is right alone, but these two are not right together.
    assume(not {"-q", "--quiet"}.intersection(arguments) or not {"-v", "--verbose"}.intersection(arguments))
    assert read_plain(["check", *arguments]) == by_click(arguments) is not None


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.takes == FILE], ids=str)
@pytest.mark.parametrize("value", ["file", ".", "no/such", "shut", "pipe", "link"])
def test_existing_paths_are_read_alike(option: Option, value: str, folder: Path) -> None:
    (folder / "shut").write_text("x", "utf-8")
    (folder / "shut").chmod(0)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("nowhere")
    arguments = [option.names[0], value]
    assert read_plain(["check", *arguments]) == by_click(arguments)


@each_row("arguments", [[], ["rule"], ["--version"], ["--", "check"], ["che"], ["-h", "check"]])
def test_other_command_lines_are_left_to_click(arguments: list[str]) -> None:
    assert read_plain(arguments) is None


def test_a_shell_that_asks_for_completions_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_plain(["check"]) == CheckOptions()
    monkeypatch.setenv("_SKILLBAG_COMPLETE", "bash_complete")
    assert read_plain(["check"]) is None


@pytest.mark.parametrize("argument", ["*.md", "~/x", "%HOME%", "$HOME", "a?", "[a]"])
def test_what_click_expands_on_windows_is_left_to_it_there(argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_plain(["check", argument]) == CheckOptions(paths=(argument,))
    monkeypatch.setattr("skillbag.doors.cli.fast_args.os.name", "nt")
    assert read_plain(["check", argument]) is None
    assert read_plain(["check", "plain"]) == CheckOptions(paths=("plain",))


PROGRAM = """
import sys
from skillbag.doors.cli import main, fast_args
read = fast_args.read_plain
reader = sys.argv.pop(1)
def read_plain(arguments):
    assert reader == "click" or read(arguments) is not None, arguments
    return read(arguments) if reader == "plain" else None
fast_args.read_plain = read_plain
from skillbag.__main__ import run
run()
"""


WORKSPACE = {
    "skills/a/SKILL.md": "---\nname: a\ndescription: Does A when asked.\nlicense: yes\n---\n\nSee [it](no.md).\n",
    "skills/b/SKILL.md": "---\nname: b\ndescription: Does B when asked.\n---\n\nRun `scripts/b.sh`.\n",
    "skills/b/scripts/b.sh": "#!/bin/sh\necho b\n",
    "skills/c/SKILL.md": "none\n",
    "skillbag.toml": '[levels]\nno-such-rule = "off"\n',
    "good.toml": 'ignore = ["link-broken"]\n',
}


@pytest.fixture
def both(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Completed]:
    """Check with both readers, in equal folders; output, exit code and files are the same."""
    root = tmp_path / "here"

    def plain(arguments: list[str]) -> CheckOptions | None:
        options = read_plain(arguments)
        assert options is not None
        return options

    def call(*arguments: str, stdin: bytes = b"") -> Completed:
        ended = []
        for reader in (plain, lambda _: None):
            shutil.rmtree(root, ignore_errors=True)
            write(root, WORKSPACE)
            monkeypatch.setattr("skillbag.doors.cli.fast_args.read_plain", reader)
            done = run("check", *arguments, cwd=root, stdin=stdin)
            ended.append((done, {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}))
        assert ended[0] == ended[1]
        return ended[0][0]

    return call


GOOD = ("--config", "good.toml")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((*GOOD,), 1),
        ((*GOOD, "skills", "--strict", "--color"), 1),
        ((*GOOD, "--format=json", "skills"), 1),
        ((*GOOD, "--format", "sarif", "-o", "junit=x.xml", "-o", "out.sarif"), 1),
        ((*GOOD, "--select", "script-not-executable", "-q"), 0),
        ((*GOOD, "--select", "body-empty", "-q", "skills/b"), 0),
        ((*GOOD, "--fix"), 1),
        ((*GOOD, "--format", "diff"), 1),
        ((*GOOD, "-o", "baseline=base.json"), 0),
        ((*GOOD, "--config", "statistics=true", "--no-color"), 1),
        (("skills",), 2),
        (("--config", "absent.toml"), 2),
        (("--config", "root=absent"), 2),
        (("",), 2),
        (("no/such/path", *GOOD), 2),
        ((*GOOD, "--json", "--format", "diff"), 2),
        ((*GOOD, "--select", "no-such-rule"), 2),
        ((*GOOD, "-", "skills", "x"), 2),
        ((*GOOD, "-"), 2),
        ((*GOOD, "-", "--fix", "skills/a/SKILL.md"), 2),
        ((*GOOD, "--baseline", "absent.json"), 2),
        ((*GOOD, "-o", "good.toml/x"), 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_both_readers_end_alike(both: Callable[..., Completed], arguments: tuple[str, ...], code: int) -> None:
    assert both(*arguments).code == code


def test_both_readers_take_standard_input(both: Callable[..., Completed]) -> None:
    arguments = (*GOOD, "-", "skills/a/SKILL.md", "--format=json")
    assert '"rule": "frontmatter-invalid"' in both(*arguments, stdin=b"nothing\n").out


def test_passwords_are_masked_by_both_readers(both: Callable[..., Completed]) -> None:
    ended = both(*GOOD, "--config", "https://user:geheim@example.com/x")
    assert (ended.code, "geheim" in ended.err, "user:****@" in ended.err) == (2, False, True)


@pytest.mark.skipif(os.name == "nt", reason="pipes that break are those of POSIX")
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
@pytest.mark.parametrize("reader", ["plain", "click"])
def test_a_closed_pipe_is_no_failure(reader: str, closed: str, tmp_path: Path) -> None:
    broken, writer = os.pipe()
    os.close(broken)
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, closed: writer}
    write(tmp_path, WORKSPACE)
    more = ["-o", "baseline=b.json"] if closed == "stderr" else []
    command = [sys.executable, "-c", PROGRAM, reader, "check", *GOOD, *more]
    done = subprocess.run(command, cwd=tmp_path, check=False, **streams)
    os.close(writer)
    assert (done.returncode, done.stdout or b"", done.stderr or b"") == (int(closed == "stdout"), b"", b"")


WAITING = """
import sys, time, types
def read(_size):
    print("waiting", flush=True)
    # Python acts on a signal between two calls: one long sleep could begin just after the signal.
    while True:
        time.sleep(0.01)
sys.stdin = types.SimpleNamespace(buffer=types.SimpleNamespace(read=read))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(("number", "code"), [(15, 143), (2, 130)])
@pytest.mark.parametrize("reader", ["plain", "click"])
def test_a_signal_while_it_waits_for_input_ends_it(reader: str, number: int, code: int, tmp_path: Path) -> None:
    write(tmp_path, WORKSPACE)
    arguments = ["check", *GOOD, "-", "skills/a/SKILL.md"]
    command = [sys.executable, "-c", WAITING + PROGRAM, reader, *arguments]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"waiting\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (code, b"\nerror: interrupted\n")
