"""What a confined program may touch, with real programs; skipped where the system has none of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.kernel.processes.confinement import (
    Allowed,
    Held,
    ProcessBounds,
    available,
    confined_program,
    not_held,
    program_folders,
    python_folders,
)

BOUNDS = ProcessBounds(memory_mb=128, reserve_mb=2048, cpu_s=10, processes=16)

needs = pytest.mark.skipif(not (sys.platform == "linux" and available().files), reason="no Landlock")


def run(script: str, *, strict: bool = True, bounds: ProcessBounds = BOUNDS, **allowed: tuple[str, ...] | bool) -> str:
    """What a shell prints, confined; errors of its commands are silent."""
    folders = (*python_folders(), *program_folders(os.environ["PATH"]))
    words = confined_program(["/bin/sh", "-c", script], Allowed(folders, **allowed), bounds, strict)  # type: ignore[arg-type]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or f"exit {done.returncode} {done.stderr.strip().splitlines()[-1:]}"


@needs
def test_files_are_read_and_changed_as_far_as_allowed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("text")
    folder = (str(tmp_path),)
    read, write, make = (
        f"cat {tmp_path}/x",
        f"echo new >{tmp_path}/x",
        f"mkdir {tmp_path}/d && mv {tmp_path}/x {tmp_path}/d",
    )
    assert "Permission denied" in run(read)
    assert run(read, read=folder) == "text"
    for forbidden in (write, make):
        assert "denied" in run(forbidden, read=folder)
    assert (tmp_path / "x").read_text() == "text"
    assert run(f"{write}; {make}; rm -r {tmp_path}/d; echo done", write=folder) == "done"
    assert not list(tmp_path.iterdir())


@needs
def test_programs_of_the_system_run_and_secrets_are_out_of_reach(tmp_path: Path) -> None:
    assert run("perl -e 'print 6*7'; ls / 2>/dev/null; cat /etc/shadow 2>/dev/null; ls ~ 2>/dev/null") == "42"
    assert run("echo x >/dev/null && head -c 3 /dev/zero | wc -c") == "3"
    assert run(f"cat /proc/{os.getpid()}/environ 2>/dev/null || echo none") == "none"


@needs
def test_a_shim_runs_what_its_version_manager_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "shims/tool": f"#!/bin/sh\nexec {tmp_path}/versions/1/bin/tool\n",
        "versions/1/bin/tool": "#!/bin/sh\necho ran\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/shims{os.pathsep}{os.environ['PATH']}")
    assert run("tool") == "ran"


@needs
def test_it_can_not_end_processes_outside(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "100"]) as other:
        assert run(f"kill -9 {other.pid} 2>/dev/null || echo refused") == "refused"
        assert other.poll() is None
        other.kill()


@needs
def test_the_network_is_there_only_if_it_is_allowed() -> None:
    connect = "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(\"127.0.0.1:%d\") ? 1 : 0'"
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        script = connect % server.getsockname()[1]
        assert run(script, network=True) == "1"
        assert run(script) == "0"


def test_memory_is_limited() -> None:
    script = "perl -e '$x = \"a\" x (%d << 20); print length $x' 2>/dev/null"
    assert run(script % 16, strict=False) == str(16 << 20)
    assert run(script % 256, strict=False).startswith("exit ")


def test_the_time_of_the_processor_is_limited() -> None:
    assert "exit -" in run("exec perl -e '1 while 1'", strict=False, bounds=BOUNDS._replace(cpu_s=1))


def test_open_files_and_cores_are_limited() -> None:
    assert run("ulimit -n; ulimit -c", strict=False) == "256\n0"


def test_signals_that_python_ignores_are_not_ignored_by_the_program() -> None:
    assert run("yes | head -n 1; echo ${PIPESTATUS:-ok}", strict=False) == "y\nok"
    assert run("kill -PIPE $$; echo still here", strict=False).startswith("exit -13")


def test_a_program_that_can_not_be_run_is_told(tmp_path: Path) -> None:
    words = confined_program(["/no/such"], Allowed(python_folders()), BOUNDS, strict=False)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("it can't be run: No such file or directory\n")


def test_sentences_for_what_can_not_be_held() -> None:
    assert not_held(Held(True, True, True), network=False) == ()
    assert len(not_held(Held(False, False, False), network=False)) == 3
    assert len(not_held(Held(False, False, False), network=True)) == 2


def test_where_files_can_not_be_held_strict_refuses(tmp_path: Path) -> None:
    """The child finds no Landlock, as on an older kernel."""
    plan = confined_program(["/bin/echo", "ran"], Allowed(python_folders()), BOUNDS, strict=True)
    boot = plan[4].replace("confine.main", "confine.landlock_version = lambda: 0; confine.main")
    done = subprocess.run([*plan[:4], boot, *plan[5:]], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert done.stderr == "it is not started: this system can't restrict its files\n"
    assert done.stdout == ""
