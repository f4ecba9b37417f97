"""Patterns with a wildcard for programs that can run others: what is not known to run nothing is blocked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from skillbag.agents.permissions.allowed_tools import refusal
from skillbag.agents.permissions.program_options import options_of
from skillbag.agents.permissions.program_scripts import awk_fault, sed_fault, sql_fault
from skillbag.agents.permissions.program_tables import known_programs
from tests.agents.permissions.path_worlds import is_allowed
from tests.agents.permissions.shells import lines_of
from tests.rows import each_row


def _rows(name: str) -> list[tuple[str, str]]:
    rows = [line.partition("| ")[::2] for line in lines_of(name)]
    return [(pattern.strip(), line) for pattern, line in rows]


HOSTILE = _rows("programs_hostile")
HONEST = _rows("programs_honest")
REAL = _rows("programs_real")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "src").mkdir()
    return str(folder)


def _passes(pattern: str, line: str, root: str) -> bool:
    return is_allowed(f"Bash({pattern})", "Bash", {"command": line}, root)


def test_the_tables_are_sound() -> None:
    assert len(HOSTILE) > 300
    options, verbs, _, interpreters, aliases = known_programs()
    assert verbs.keys() <= options.keys()
    assert {*aliases.values()} <= options.keys() | interpreters.keys() | {"awk", "sed", "sqlite3"}
    assert not aliases.keys() & options.keys()
    for table in (*options.values(), *interpreters.values()):
        known = options_of(table)
        for entry in (*known.plain, *known.valued, *known.attached):
            assert entry.startswith("-"), entry


def test_a_word_that_may_run_another_program_is_blocked(root: str) -> None:
    for pattern, line in HOSTILE:
        assert refusal(f"Bash({pattern})", "Bash", {"command": line}, root), (pattern, line)
        for joint in ("&&", ";", "|"):
            assert not _passes(pattern, f"{line} {joint} {line}", root), (pattern, line)


def test_an_honest_use_passes(root: str) -> None:
    refused = {row: refusal(f"Bash({row[0]})", "Bash", {"command": row[1]}, root) for row in HONEST}
    assert {row: why for row, why in refused.items() if why is not None} == {}


_EXACT = ["npm run test --script-shell=x", "npm exec evil", "sed '1e id' x", "tar -xf x -I y", "python -c x"]


@pytest.mark.parametrize("line", [*_EXACT, "vim -c x y", "ssh -o ProxyCommand=x y"])
def test_it_passes_where_a_skill_allows_those_very_words(line: str, root: str) -> None:
    assert _passes(line, line, root)
    assert not _passes(line, f"{line} more", root)


@pytest.mark.parametrize(
    ("pattern", "line", "reported"),
    [
        ("npm run test:*", "npm run test --prefix=x", "`--prefix=x` is no option of npm that is known to run nothing"),
        ("npm:*", "npm exec x", "`npm` runs the program that its words name"),
        ("npm:*", "npm config set x y", "`config` is no subcommand of npm that is known to run nothing else"),
        ("make:*", "make SHELL=x", "`SHELL=x` sets a variable, which can name a program"),
        ("awk:*", "awk 'BEGIN{system(1)}'", "`BEGIN{system(1)}` is no plain program of awk"),
        ("python:*", "python -c x", "`-c` is no option of python that is known to run nothing"),
        ("pytest:*", "pytest ../x", "`../x` lies outside of the workspace"),
        ("xargs:*", "xargs rm", "`xargs` can run any program"),
    ],
)
def test_a_refusal_says_which_word_and_why(pattern: str, line: str, reported: str, root: str) -> None:
    assert refusal(f"Bash({pattern})", "Bash", {"command": line}, root) == reported


def test_the_words_of_a_pattern_are_read_as_the_program_would(root: str) -> None:
    for program in ("npm", "NPM", "/usr/bin/npm", "npm.exe"):
        assert not _passes(f"{program}:*", f"{program} run test --script-shell=x", root)
    for program in ("gcc-12", "python3.12", "/usr/bin/python3", "node20"):
        assert not _passes(f"{program}:*", f"{program} -wrapper evil -e x -c y", root)


@each_row("fault", [awk_fault, sed_fault, lambda given: sql_fault(["x", *given])])
def test_long_texts_are_judged_at_once(fault: object) -> None:
    import time

    assert callable(fault)
    start = time.process_time()
    for piece in ("a", "s/a/", '"', "{", "1,2p;", "x(", "s/[", "["):
        text = piece * (60000 // len(piece))
        fault([text])
    assert time.process_time() - start < 20


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with what those lines need, and the program `evil`, which notes that it was run."""
    folder = tmp_path_factory.mktemp("real")
    work, programs, other = folder / "work", folder / "programs", folder / "work/other"
    for item in (work, programs, other):
        item.mkdir()
    (programs / "evil").write_text(f"#!/bin/sh\necho hit >>'{folder}/log'\n")
    (programs / "evil").chmod(0o755)
    (work / "file").write_text("x\n")
    (work / "large").write_text("".join(f"{number * 7919 % 100003}\n" for number in range(60000)))
    (work / "a.c").write_text("int main(void) { return 0; }\n")
    (work / "a.js").write_text("")
    (work / "options").write_text("-wrapper evil,x\n")
    (work / "Makefile").write_text("test:\n\techo x\n")
    (work / "evil.js").write_text("require('child_process').execFileSync('evil')\n")
    (work / "rc").write_text("script-shell=evil\n")
    (work / "package.json").write_text('{"name": "x", "scripts": {"test": "node a.js"}}')
    (other / "package.json").write_text('{"name": "x", "scripts": {"test": "evil"}}')
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "line"), REAL)
def test_the_real_programs_run_the_other_one_for_what_is_blocked(pattern: str, line: str, playground: Path) -> None:
    name = line.split()[0]
    if not shutil.which(name):
        pytest.skip(f"no {name} here")
    work, log = playground / "work", playground / "log"
    assert not _passes(pattern, line, str(work))

    path = f"{playground / 'programs'}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(playground), "TMPDIR": str(playground), "NO_UPDATE_NOTIFIER": "1"}
    log.write_text("")
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    assert "hit" in log.read_text()


_REAL_HONEST = [
    ("awk:*", "awk '{print $1}' file", "x"),
    ("awk:*", "awk 'BEGIN {printf \"%d\", 2 + 3}'", "5"),
    ("sed:*", "sed -n 1,2p file", "x"),
    ("sed:*", "sed -e 's/x/y/' -e '/^#/d' file", "y"),
    ("sed:*", "sed 's|x|a/b|g; s/b/c/' file", "a/c"),
    ("sqlite3:*", "sqlite3 :memory: 'select count(*) + 1'", "2"),
    ("npm run test:*", "npm run test --silent", ""),
    ("python3:*", "python3 --version", "Python"),
    ("find:*", "find . -name file -type f", "./file"),
    ("sort:*", "sort -rn file", "x"),
]


@pytest.mark.parametrize(("pattern", "line", "output"), _REAL_HONEST)
def test_the_real_programs_do_their_work_for_what_passes(
    pattern: str, line: str, output: str, playground: Path
) -> None:
    if not shutil.which(line.split()[0]):
        pytest.skip(f"no {line.split()[0]} here")
    work = playground / "work"
    assert _passes(pattern, line, str(work))
    done = subprocess.run(["/bin/bash", "-c", line], cwd=work, capture_output=True, text=True, timeout=300, check=True)
    assert output in done.stdout
