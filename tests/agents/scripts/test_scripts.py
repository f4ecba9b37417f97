"""`run_skill_script`: what a script is given, what is told of it, and which files are never run."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from skillbag.agents.scripts.run import MAX_KEPT, run_skill_script
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import compiled_folder
from skillbag.kernel.processes.environment import VARIABLE
from tests.supply.install.worlds import skill_text, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are run on POSIX systems only")

REPORTED = """import json, os, sys
print(json.dumps({"argv": sys.argv, "cwd": os.getcwd(), "file": __file__, "env": dict(os.environ)}))
"""


@pytest.fixture
def aa(tmp_path: Path) -> Path:
    """The skill `aa`, with a script that must not be run beside it."""
    write(tmp_path, {"aa/SKILL.md": skill_text("aa"), "aab/secret.sh": "echo secret", "secret.sh": "echo secret"})
    return tmp_path / "aa"


def ran(skill: Path, name: str, text: str | bytes, *arguments: str, stdin: str | None = None, limit: float = 30) -> str:
    """Write a script into the skill and run it."""
    write(skill, {name: text})
    return run_skill_script(str(skill), name, arguments, stdin, limit)


def refusal(skill: Path, script: str, *arguments: str, stdin: str | None = None, limit: float = 30) -> str:
    """What is said to somebody who asks for `script`."""
    with pytest.raises(UserError) as raised:
        run_skill_script(str(skill), script, arguments, stdin, limit)
    assert str(raised.value).isprintable()
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("echo out", "out\n"),
        ("printf out", "out"),
        ("echo err >&2", "[stderr]\nerr\n"),
        ("echo out; echo err >&2; exit 3", "out\n\n[stderr]\nerr\n\n[exit code: 3]"),
        ("exit 255", "[exit code: 255]"),
        ("true", "(no output)"),
        ("kill -9 $$", "[exit code: -9] (SIGKILL)"),
        ("echo out; kill -SEGV $$", "out\n\n[exit code: -11] (SIGSEGV)"),
        ("exec 1>&- 2>&-; sleep 0.1; exit 4", "[exit code: 4]"),
        (r"printf 'a\377b\r\n\000'", "a\ufffdb\r\n\0"),
    ],
)
def test_what_it_printed_is_reported_with_its_exit_code(aa: Path, text: str, shown: str) -> None:
    assert ran(aa, "scripts/x.sh", text) == shown


def test_it_runs_in_its_skill_s_folder_and_knows_its_own_place(aa: Path) -> None:
    reported = json.loads(ran(aa, "scripts/deep er/x.py", REPORTED))
    place = os.path.realpath(aa)
    assert reported["cwd"] == reported["env"]["PWD"] == reported["env"]["SKILL_DIR"] == place
    assert reported["file"] == reported["argv"][0] == f"{place}/scripts/deep er/x.py"
    bash = 'echo "$0 ${BASH_SOURCE[0]} $PWD"'
    assert ran(aa, "x.sh", f"#!/usr/bin/env bash\n{bash}") == f"{place}/x.sh {place}/x.sh {place}\n"


def test_it_finds_the_modules_beside_it(aa: Path) -> None:
    write(aa, {"scripts/beside.py": "WORD = 'beside'"})
    assert ran(aa, "scripts/x.py", "import beside\nprint(beside.WORD)") == "beside\n"


ARGUMENTS = [
    [],
    [""],
    ["a b", "c"],
    ["'", '"', "`id`", "$(id)", "$HOME", "\\", ";", "&&", "*", "~", "|", ">x"],
    ["two\nlines", "tab\t", "äöü 😀", "\x1b[31m"],
    ["-c", "--", "-", "--help", "-e", "/dev/fd/0"],
    ["x" * 100_000],
    [str(number) for number in range(2000)],
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments_arrive_as_they_are(aa: Path, arguments: list[str]) -> None:
    reported = ran(aa, "x.sh", 'for one; do printf "%s\\0" "$one"; done', *arguments)
    assert reported == ("".join(f"{one}\0" for one in arguments) or "(no output)")


@pytest.mark.parametrize("arguments", [ARGUMENTS[5], [argument for arguments in ARGUMENTS for argument in arguments]])
def test_arguments_arrive_in_other_languages_too(aa: Path, arguments: list[str]) -> None:
    assert json.loads(ran(aa, "x.py", "import json, sys\nprint(json.dumps(sys.argv[1:]))", *arguments)) == arguments


@pytest.mark.parametrize("text", ["one\r\ntwo", "äöü 😀", "\n\n x"])
def test_standard_input_arrives_as_it_is(aa: Path, text: str) -> None:
    assert ran(aa, "x.sh", "cat", stdin=text) == text


@pytest.mark.parametrize("text", ["", "\n" * 3_000_000])
def test_standard_input_arrives_to_its_last_byte(aa: Path, text: str) -> None:
    digest = "import sys, hashlib\nprint(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    assert ran(aa, "x.py", digest, stdin=text) == f"{sha256(text.encode()).hexdigest()}\n"


def test_a_script_that_answers_while_it_reads_is_not_stuck(aa: Path) -> None:
    text = "".join(f"{number}\n" for number in range(30_000))
    assert ran(aa, "x.sh", "cat", stdin=text) == text


def test_without_standard_input_there_is_nothing_to_read(aa: Path) -> None:
    assert ran(aa, "x.sh", "cat; echo end") == "end\n"
    assert ran(aa, "y.sh", "{ : </dev/tty; } 2>/dev/null || echo no terminal") == "no terminal\n"


def test_it_leads_a_session_of_its_own(aa: Path) -> None:
    assert ran(aa, "x.py", "import os\nprint(os.getpid() == os.getsid(0) == os.getpgid(0))") == "True\n"


@pytest.mark.parametrize("text", ["exit 0", "exec 0<&-; sleep 0.2", "head -c 1 >/dev/null"])
def test_a_script_need_not_read_its_standard_input(aa: Path, text: str) -> None:
    assert ran(aa, "x.sh", text, stdin="x" * 3_000_000) == "(no output)"


def test_its_environment_holds_what_is_listed_and_no_secret(aa: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name not in ("PATH", "HOME"):
            monkeypatch.delenv(name)
    kept = {"LANG": "C.UTF-8", "LC_TIME": "C", "TZ": "UTC", "TERM": "xterm", "USER": "u", "TMPDIR": "/tmp"}
    lost = {"API_TOKEN": "secret", "AWS_SECRET_ACCESS_KEY": "secret", "HTTPS_PROXY": "http://u:secret@h", "X": "secret"}
    lost |= {"SSH_AUTH_SOCK": "/s", "PYTHONPATH": "/p", "LD_PRELOAD": "", "BASH_ENV": "/b", "SKILLBAG_SESSION": "s"}
    for name, value in (kept | lost).items():
        monkeypatch.setenv(name, value)
    place = os.path.realpath(aa)
    expected = {**kept, "HOME": os.environ["HOME"], "PATH": os.environ["PATH"], "PWD": place, "SKILL_DIR": place}
    expected["PYTHONPYCACHEPREFIX"] = compiled_folder()
    text = f"#!{os.path.realpath(sys.executable)} -I\n{REPORTED}"
    reported = json.loads(ran(aa, "x.py", text))["env"]
    # A shell that starts it may leave these; they say nothing.
    assert {name: value for name, value in reported.items() if name not in ("SHLVL", "_", "OLDPWD")} == expected
    monkeypatch.setenv(VARIABLE, "API_TOKEN, GONE,,A=B")
    reported = json.loads(run_skill_script(str(aa), "x.py", workspace="/a workspace"))["env"]
    assert reported["API_TOKEN"] == "secret"
    assert "X" not in reported
    assert reported["SKILLBAG_WORKSPACE"] == "/a workspace"


def test_a_program_in_the_skill_s_folder_is_not_taken_for_one_on_the_search_path(
    aa: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(aa, {"bash": "#!/bin/sh\necho hijacked"})
    (aa / "bash").chmod(0o755)
    monkeypatch.chdir(aa)
    monkeypatch.setenv("PATH", f".::bin:{os.environ['PATH']}:")
    assert ran(aa, "x.sh", "echo $BASH_VERSION; bash -c 'echo right'").endswith("right\n")


def test_no_script_has_more_than_its_three_streams(aa: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    reported = ran(aa, "x.sh", "for one in /proc/$$/fd/*; do readlink $one; done", stdin="")
    assert sum(line.startswith("pipe:") for line in reported.splitlines()) == 3


@pytest.mark.parametrize(
    "script",
    [
        *("../aab/secret.sh", "../secret.sh", "..", "/bin/true", "scripts/../../secret.sh", "..\\secret.sh", "C:/x.sh"),
        *("out.sh", "folder/secret.sh", "within/secret.sh"),
    ],
)
def test_a_path_that_leads_out_is_a_traversal(aa: Path, script: str) -> None:
    (aa / "out.sh").symlink_to("../secret.sh")
    (aa / "folder").symlink_to(aa.parent / "aab")
    (aa / "within").symlink_to("folder")
    assert refusal(aa, script).startswith("Path traversal not allowed: ")


def test_what_is_no_file_is_not_run(aa: Path) -> None:
    (aa / "scripts").mkdir()
    os.mkfifo(aa / "pipe.sh")
    assert "names no file" in refusal(aa, "")
    assert refusal(aa, "scripts").startswith("scripts is a folder; ")
    assert refusal(aa, "pipe.sh").startswith("pipe.sh is no regular file")
    assert refusal(aa, "skill.md") == "Script not found: skill.md; did you mean SKILL.md?"


def test_a_link_within_the_skill_runs_what_it_leads_to(aa: Path) -> None:
    write(aa, {"scripts/x.sh": "echo here"})
    (aa / "run").symlink_to("scripts/x.sh")
    assert run_skill_script(str(aa), "./run") == "here\n"


def test_what_no_program_can_be_given_is_refused(aa: Path) -> None:
    write(aa, {"x.sh": "true"})
    assert refusal(aa, "x.sh", "a", "b\0").startswith("argument 2 holds a NUL character")
    assert refusal(aa, "x.sh", "\ud800").startswith("argument 1 holds half a character")
    assert refusal(aa, "x.sh", stdin="\udcff").startswith("standard input holds half a character")
    assert refusal(aa, "x.sh", "x" * 10_000_000).startswith("the arguments are longer than the system takes")
    for limit in (0, -1, float("nan"), float("inf")):
        assert "no limit for a script" in refusal(aa, "x.sh", limit=limit)


def test_a_flood_is_cut_in_the_middle_and_does_not_block_the_script(aa: Path) -> None:
    write(aa, {"data": "begin\n" + ("x" * 99_999 + "\n") * 80 + "end\n"})
    reported = ran(aa, "x.sh", "cat data; cat data >&2")
    lost = 8_000_010 - MAX_KEPT
    assert reported.count(f"\n[… {lost:,} bytes left out …]\n") == 2
    out, err = reported.split("\n[stderr]\n")
    for stream in (out, err):
        assert stream.startswith("begin\nx")
        assert stream.endswith("x\nend\n")
        assert len(stream) < MAX_KEPT + 100


@pytest.mark.parametrize("offset", range(4))
def test_no_character_is_cut_in_two(aa: Path, offset: int) -> None:
    write(aa, {"data": "x" * offset + "😀" * 200_000})
    reported = ran(aa, "x.sh", "cat data")
    assert "\ufffd" not in reported
    head, mark, tail = reported.split("\n")
    left_out = int(mark.removeprefix("[… ").removesuffix(" bytes left out …]").replace(",", ""))
    assert len(f"{head}{tail}".encode()) + left_out == offset + 800_000


def test_output_up_to_the_limit_is_whole(aa: Path) -> None:
    write(aa, {"data": "x" * MAX_KEPT})
    assert ran(aa, "x.sh", "cat data") == "x" * MAX_KEPT
    assert "1 bytes left out" in ran(aa, "x.sh", "cat data; printf x")


@pytest.mark.parametrize(
    "text",
    [
        'mv "$0" "$0"2; ln -s /etc/passwd "$0"',
        ': >"$0"2; mv "$0"2 "$0"',
        'echo "#" >>"$0"',
        'rm "$0"',
        'mv scripts scripts2; ln -s "$PWD/../aab" scripts',
        'mv "$0" "$0"2; sleep 0.05; mv "$0"2 "$0"',
    ],
)
def test_what_a_script_prints_that_is_replaced_meanwhile_is_withheld(aa: Path, text: str) -> None:
    write(aa, {"scripts/x.sh": f"{{ {text}; echo a secret; exit; }}\n"})
    # A file's times are no finer than the system's clock ticks.
    time.sleep(0.02)
    reported = refusal(aa, "scripts/x.sh")
    assert reported.startswith("scripts/x.sh was changed while it ran, so its output is withheld")
    assert "secret" not in reported


def test_a_script_that_is_replaced_before_it_starts_is_not_run(aa: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(aa, {"x.sh": "echo fine"})
    looked_up = shutil.which

    def slowly(name: str, path: str) -> str | None:
        (aa / "x.sh").unlink()
        (aa / "x.sh").symlink_to("../secret.sh")
        return looked_up(name, path=path)

    monkeypatch.setattr(shutil, "which", slowly)
    assert refusal(aa, "x.sh") == "x.sh was replaced just now, and has not been run; try again"
