"""What runs a script of a skill: its first line, its ending, itself, or nothing, and then what is to be added."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from skillbag.agents.scripts.interpreters import ENDINGS, HEAD
from skillbag.agents.scripts.run import run_skill_script
from skillbag.kernel.base.errors import UserError
from tests.rows import each_row
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are run on POSIX systems only")

PROGRAMS = {
    ".py": "print('hi')",
    ".rb": "puts 'hi'",
    ".pl": 'print "hi\\n";',
    ".ps1": "Write-Output hi",
    ".sh": "echo hi",
}
SCRIPT = "console.log('hi')"
SHOWS = "#!/bin/sh\nfor one; do printf '<%s>' \"$one\"; done\n"


def ran(skill: Path, name: str, text: str | bytes, *arguments: str, mode: int = 0o644) -> str:
    """Write a script into the skill and run it."""
    write(skill, {name: text})
    (skill / name).chmod(mode)
    return run_skill_script(str(skill), name, arguments, limit=30)


def refusal(skill: Path, name: str, text: str | bytes, mode: int = 0o644) -> str:
    """What is said in place of running it: one sentence."""
    with pytest.raises(UserError) as raised:
        ran(skill, name, text, mode=mode)
    assert str(raised.value).isprintable()
    return str(raised.value)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that alone is the search path; each program in it shows its arguments."""
    folder = tmp_path / "a bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def add(folder: Path, *names: str) -> None:
    """Put programs there."""
    for name in names:
        (folder / name).write_text(SHOWS)
        (folder / name).chmod(0o755)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_an_ending_says_what_runs_it_executable_or_not(tmp_path: Path, ending: str, mode: int) -> None:
    if not any(map(shutil.which, ENDINGS[ending])):
        pytest.skip(f"there is no {ENDINGS[ending][0]} here")
    assert ran(tmp_path, f"x{ending}", PROGRAMS.get(ending, SCRIPT), mode=mode) == "hi\n"


@pytest.mark.parametrize("ending", [ending for ending in ENDINGS if ending != ".py"])
def test_the_program_of_an_ending_is_looked_up_on_the_path(tmp_path: Path, programs: Path, ending: str) -> None:
    name = ENDINGS[ending][0]
    reported = refusal(tmp_path, f"x{ending}", "")
    assert (
        reported
        == f"x{ending} needs {name} (its name ends in {ending}), which is not on this machine; install it first"
    )
    add(programs, name)
    assert ran(tmp_path, f"X{ending.upper()}", "", "a b").endswith(f"X{ending.upper()}><a b>")


def test_where_the_first_program_is_missing_the_next_one_runs(tmp_path: Path, programs: Path) -> None:
    assert ran(tmp_path, "x.py", "print('ours')") == "ours\n"
    add(programs, "sh")
    assert ran(tmp_path, "x.sh", "", "a") == f"<{tmp_path.resolve()}/x.sh><a>"


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("#!{bin}/prog", []),
        ("#! \t{bin}/prog  ", []),
        ("#!{bin}/prog one two  three", ["one two  three"]),
        ("#!{bin}/prog\t-x ", ["-x"]),
        ("#!{bin}/prog\r", []),
        ("#!/nowhere/prog -x", ["-x"]),
        ("#!prog", []),
        ("#!/usr/bin/env prog", []),
        ("#! /usr/bin/env prog\r", []),
        ("#!/usr/bin/env -S prog one  'two three'", ["one", "two three"]),
        ("#!/usr/bin/env -Sprog one", ["one"]),
        ("#!/usr/bin/env -S A=b prog one", ["one"]),
        ("#!/usr/bin/env --split-string=prog one", ["one"]),
    ],
)
@pytest.mark.parametrize("name", ["x", "x.py", "x.unknown"])
def test_a_first_line_is_read_as_the_kernel_reads_it(
    tmp_path: Path, programs: Path, line: str, given: list[str], name: str
) -> None:
    if shutil.which("env", path="/usr/bin") is None:
        pytest.skip("there is no /usr/bin/env here")
    bare = programs.rename(tmp_path / "bin")
    add(bare, "prog")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(bare))
        reported = ran(tmp_path, name, f"{line.format(bin=bare)}\nrest", "a")
    assert reported == "".join(f"<{one}>" for one in [*given, f"{tmp_path.resolve()}/{name}", "a"])


@each_row(
    ("line", "reported"),
    [
        (
            "#!/usr/bin/env ruby9",
            "x needs ruby9 (its first line is `#!/usr/bin/env ruby9`), which is not on this machine",
        ),
        ("#!/opt/ruby9", "x needs ruby9 (its first line is `#!/opt/ruby9`), which is not on this machine"),
        ("#!/usr/bin/env -S ruby9 -w", "x needs ruby9 (its first line is `#!/usr/bin/env -S ruby9 -w`), which is not"),
        ("#!/usr/bin/env ruby9 -w", "the first line of x gives env one word; write `#!/usr/bin/env -S ruby9 -w`"),
        ("#!/usr/bin/env", "the first line of x, `#!/usr/bin/env`, names no program, as `#!/usr/bin/env python3` does"),
        ("#!", "the first line of x must name a program by its absolute path"),
        ("#! \t ", "the first line of x must name a program by its absolute path"),
        ("#!\0/bin/sh", "the first line of x must name a program by its absolute path"),
        ("#!./prog", "the first line of x must name a program by its absolute path"),
        ("#!../prog", "the first line of x must name a program by its absolute path"),
        ("#!bin/prog", "the first line of x must name a program by its absolute path"),
        (f"#!/bin/sh {'x' * HEAD}", "the first line of x is longer than 256 bytes"),
    ],
)
def test_a_first_line_that_leads_nowhere_is_reported(tmp_path: Path, line: str, reported: str) -> None:
    assert refusal(tmp_path, "x", f"{line}\necho hi\n", 0o755).startswith(reported)


def test_a_first_line_may_be_all_there_is(tmp_path: Path) -> None:
    assert ran(tmp_path, "x", "#!/bin/echo") == f"{tmp_path.resolve()}/x\n"
    line = "#!/bin/sh".ljust(HEAD - 1)
    assert ran(tmp_path, "x", f"{line}\necho hi") == "hi\n"


@each_row("mode", [0o644, 0o755])
@each_row(("name", "text"), [("x", "echo hi"), ("x.txt", "echo hi"), ("x", ""), ("x", "\ufeff#!/bin/sh\n")])
def test_where_nothing_says_how_to_run_it_what_to_add_is_reported(
    tmp_path: Path, name: str, text: str, mode: int
) -> None:
    reported = refusal(tmp_path, name, text, mode)
    assert reported.startswith(
        f"nothing says how to run {name}; begin it with a line such as `#!/usr/bin/env python3`, or "
    )
    assert ".py, .sh, .js" in reported


def test_a_program_runs_by_itself_where_it_is_executable(tmp_path: Path) -> None:
    program = Path(shutil.which("echo") or "").read_bytes()
    if not program.startswith(b"\x7fELF"):
        pytest.skip("no ELF programs here")
    assert ran(tmp_path, "bin/tool", program, "a b", mode=0o755) == "a b\n"
    reported = "Permission denied executing script. Make sure it's executable: chmod +x bin/tool"
    assert refusal(tmp_path, "bin/tool", program) == reported
