"""Plain command lines are read without click: what comes of them is what click makes of them, to the last byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.cli.check import command
from skillbag.cli.check_options import FILE, FLAG, FOLDER, OPTIONS, CheckOptions, Option
from skillbag.cli.fast_args import read_plain

pytestmark = pytest.mark.boundary


def by_click(arguments: list[str]) -> CheckOptions | None:
    """What click makes of the arguments after `check`; None where it refuses them, or shows its help."""
    try:
        context = command.make_context("skillbag check", list(arguments))
    except (click.ClickException, click.exceptions.Exit):
        return None
    return CheckOptions(**context.params)


def right(option: Option) -> st.SearchStrategy[str]:
    """Values that an option takes."""
    if option.choices:
        return st.sampled_from(option.choices)
    if option.paired:
        return st.sampled_from(["json=a.json", "sarif=-", "text=a=b"])
    if option.listed:
        return st.sampled_from(["root", "root,links", " a , ,b", "*.md", ","])
    return st.sampled_from(["a", "no/such", "-", "with blank", "ä", "="])


def right_parts(option: Option) -> st.SearchStrategy[list[str]]:
    """The arguments of one option as a person writes them."""
    if option.takes == FLAG:
        return st.sampled_from([[name] for name in (*option.names, option.off) if name])
    ways = [st.builds(lambda value, name=name: [name, value], right(option)) for name in option.names]
    ways += [st.builds(lambda value, name=name: [f"{name}={value}"], right(option)) for name in option.names[:1]]
    return st.one_of(ways)


RIGHT = st.one_of([right_parts(option) for option in OPTIONS] + [st.sampled_from([["."], ["a/b"], ["-"], ["ä b"]])])
NAMES = [name for option in OPTIONS for name in (*option.names, option.off) if name]
ODD = st.one_of(
    st.sampled_from(
        ["--", "", "-", "-h", "--help", "--forma", "--fi", "-qo", "-oFILE", "-o=x", "-qq", "-x", "--no-fix"]
    ),
    st.sampled_from(
        ["--format=xml", "--target=", "--also=text", "--also=xml=a", "--config=.", "--root=file", "---fix"]
    ),
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
def test_whatever_is_read_without_click_is_read_by_it_just_so(parts: list[list[str]]) -> None:
    arguments = [argument for part in parts for argument in part]
    read = read_plain(["check", *arguments])
    assert read is None or read == by_click(arguments)


@given(parts=st.lists(RIGHT, max_size=6))
def test_what_a_person_writes_is_read_without_click(parts: list[list[str]]) -> None:
    arguments = [argument for part in parts for argument in part]
    assert read_plain(["check", *arguments]) == by_click(arguments) is not None


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.takes in (FILE, FOLDER)], ids=str)
@pytest.mark.parametrize("value", ["file", ".", "no/such", "shut", "pipe", "link"])
def test_paths_that_are_there_are_judged_alike(option: Option, value: str, folder: Path) -> None:
    (folder / "shut").write_text("x", "utf-8")
    (folder / "shut").chmod(0)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("nowhere")
    arguments = [option.names[0], value]
    assert read_plain(["check", *arguments]) == by_click(arguments)


@pytest.mark.parametrize("arguments", [[], ["rule"], ["--version"], ["--", "check"], ["che"], ["-h", "check"]])
def test_other_command_lines_are_left_to_click(arguments: list[str]) -> None:
    assert read_plain(arguments) is None


def test_a_shell_that_asks_for_completions_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_plain(["check"]) == CheckOptions()
    monkeypatch.setenv("_SKILLBAG_COMPLETE", "bash_complete")
    assert read_plain(["check"]) is None


@pytest.mark.parametrize("argument", ["*.md", "~/x", "%HOME%", "$HOME", "a?", "[a]"])
def test_what_click_expands_on_windows_is_left_to_it_there(argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_plain(["check", argument]) == CheckOptions(paths=(argument,))
    monkeypatch.setattr("skillbag.cli.fast_args.os.name", "nt")
    assert read_plain(["check", argument]) is None
    assert read_plain(["check", "plain"]) == CheckOptions(paths=("plain",))


# --- the whole program, both ways ---

PROGRAM = """
import sys
from skillbag.cli import main, fast_args
read = fast_args.read_plain
way = sys.argv.pop(1)
def read_plain(arguments):
    assert way == "click" or read(arguments) is not None, arguments
    return read(arguments) if way == "plain" else None
fast_args.read_plain = read_plain
from skillbag.__main__ import run
run()
"""


class Ended(NamedTuple):
    code: int
    out: bytes
    err: bytes
    left: dict[str, bytes]


def workspace(folder: Path) -> Path:
    skills = folder / "skills"
    for name, text in {
        "a/SKILL.md": "---\nname: a\ndescription: Does A when asked.\nlicense: yes\n---\n\nSee [it](no.md).\n",
        "b/SKILL.md": "---\nname: b\ndescription: Does B when asked.\n---\n\nRun `scripts/b.sh`.\n",
        "b/scripts/b.sh": "#!/bin/sh\necho b\n",
        "c/SKILL.md": "none\n",
    }.items():
        path = skills / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "skillbag.toml").write_text('[levels]\nno-such-rule = "off"\n', "utf-8")
    (folder / "good.toml").write_text('ignore = ["link-broken"]\n', "utf-8")
    return folder


def called(way: str, folder: Path, *arguments: str, stdin: bytes = b"", **changes: Any) -> Ended:
    workspace(folder)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, way, "check", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **changes},
    )
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return Ended(done.returncode, done.stdout, done.stderr, {str(p.relative_to(folder)): p.read_bytes() for p in paths})


@pytest.fixture
def both(tmp_path: Path) -> Callable[..., Ended]:
    """Call the program both ways, each in the same folder anew; they end alike."""

    def call(*arguments: str, **more: Any) -> Ended:
        ended = []
        for way in ("plain", "click"):
            folder = tmp_path / "here"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            ended.append(called(way, folder, *arguments, **more))
        assert ended[0] == ended[1]
        assert b"Traceback" not in ended[0].err
        return ended[0]

    return call


GOOD = ("--config", "good.toml")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((*GOOD,), 1),
        ((*GOOD, "skills", "--strict", "--color"), 1),
        ((*GOOD, "--format=json", "skills"), 1),
        ((*GOOD, "--format", "sarif", "--also", "junit=x.xml", "-o", "out.sarif"), 1),
        ((*GOOD, "--select", "script-not-executable", "-q"), 0),
        ((*GOOD, "--select", "body-empty", "-q", "skills/b"), 0),
        ((*GOOD, "--fix"), 1),
        ((*GOOD, "--diff"), 1),
        ((*GOOD, "--write-baseline", "base.json"), 0),
        ((*GOOD, "--statistics", "--no-color"), 1),
        (("skills",), 2),
        (("--config", "absent.toml"), 2),
        (("--root", "absent"), 2),
        (("",), 2),
        (("no/such/path", *GOOD), 2),
        ((*GOOD, "--diff", "--format", "json"), 2),
        ((*GOOD, "--select", "no-such-rule"), 2),
        ((*GOOD, "-", "skills"), 2),
        ((*GOOD, "-"), 2),
        ((*GOOD, "--stdin-filename", "skills/a/SKILL.md"), 2),
        ((*GOOD, "-", "--fix", "--stdin-filename", "skills/a/SKILL.md"), 2),
        ((*GOOD, "--baseline", "absent.json"), 2),
        ((*GOOD, "-o", "skills/c/SKILL.md/x"), 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_both_ways_end_alike(both: Callable[..., Ended], arguments: tuple[str, ...], code: int) -> None:
    assert both(*arguments).code == code


def test_both_ways_read_standard_input_alike(both: Callable[..., Ended]) -> None:
    arguments = (*GOOD, "-", "--stdin-filename", "skills/a/SKILL.md", "--format=json")
    assert b'"rule": "frontmatter-invalid"' in both(*arguments, stdin=b"nothing\n").out


def test_passwords_are_masked_both_ways(both: Callable[..., Ended]) -> None:
    ended = both(*GOOD, "--config", "https://user:geheim@example.com/x")
    assert (ended.code, b"geheim" in ended.err, b"user:****@" in ended.err) == (2, False, True)


@pytest.mark.skipif(os.name == "nt", reason="pipes that break are those of POSIX")
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
@pytest.mark.parametrize("way", ["plain", "click"])
def test_nobody_reads_it_any_more(way: str, closed: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, closed: writer}
    arguments = [*GOOD, "--write-baseline", "b.json"] if closed == "stderr" else [*GOOD]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, way, "check", *arguments], cwd=workspace(tmp_path), check=False, **streams
    )
    os.close(writer)
    assert (done.returncode, done.stdout or b"", done.stderr or b"") == (1, b"", b"")


WAITING = """
import sys, time
class Waiting:
    def read(self):
        print("waiting", flush=True)
        # Python acts on a signal between two calls: one long sleep could begin just after the signal.
        while True:
            time.sleep(0.01)
class Input:
    buffer = Waiting()
sys.stdin = Input()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(("number", "code"), [(15, 143), (2, 130)])
@pytest.mark.parametrize("way", ["plain", "click"])
def test_whoever_ends_us_while_we_wait_for_input(way: str, number: int, code: int, tmp_path: Path) -> None:
    arguments = ["check", *GOOD, "-", "--stdin-filename", "skills/a/SKILL.md"]
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING + PROGRAM, way, *arguments],
        cwd=workspace(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stdout.readline() == b"waiting\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (code, b"\nskillbag: interrupted\n")


# --- what a check of plain skills does not load ---

LOADED = """
import sys
before = set(sys.modules)
sys.argv = ["skillbag", "check", "--no-cache", "."]
from skillbag.cli import main
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""
HEAVY = {
    *("click", "yaml", "threading", "subprocess", "shutil", "difflib", "string", "hashlib"),
    *("filelock", "jsonschema", "pathspec", "tempfile", "logging", "sqlite3", "pyromark"),
}
UNASKED = {
    *("skillbag.secrets.detection", "skillbag.secrets.formats", "skillbag.secrets.private_keys"),
    *("skillbag.standard.parameters", "skillbag.standard.parameter_keys", "skillbag.standard.reserved"),
    *("skillbag.standard.context_blocks", "skillbag.standard.context_declared", "skillbag.standard.declarations"),
    *(
        f"skillbag.checks.{name}"
        for name in (
            *("remote_code_execution", "injection", "security", "registry", "source", "catalog"),
            *("parameters", "parameter_values", "bootstrap_skill"),
            *("context", "context_settings", "context_skills"),
        )
    ),
}
YET = {"dataclasses", "inspect", "json", "typing", "datetime"}
"""What modules that are being worked on still load."""


@pytest.fixture
def loaded(tmp_path: Path) -> set[str]:
    for number in range(3):
        folder = tmp_path / f"skills/s{number}"
        (folder / "scripts").mkdir(parents=True)
        text = (
            f"---\nname: s{number}\ndescription: Plots lines when asked.\n---\n\nRun `scripts/x.py`; see [it](it.md).\n"
        )
        (folder / "SKILL.md").write_text(text, "utf-8")
        (folder / "it.md").write_text("# It\n\nIt is so.\n", "utf-8")
        (folder / "scripts/x.py").write_text("print(1)\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert "No findings." in done.stdout
    return set(done.stderr.split())


def test_clean_plain_skills_are_checked_without_what_is_slow_to_load(loaded: set[str]) -> None:
    assert "skillbag.checks.links" in loaded
    assert loaded & (HEAVY | UNASKED) == set()
    assert all(find_spec(name) for name in UNASKED)


def test_nor_is_what_their_neighbours_load(loaded: set[str]) -> None:
    assert loaded & YET == set()
