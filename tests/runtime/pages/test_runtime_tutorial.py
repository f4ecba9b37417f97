"""The tutorial of `docs/runtime.md`, typed into one shell: from nothing to a tool that another workspace updates."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.pages import FENCE, Block, Shown, typed
from tests.runtime.pages.test_runtime_page import TUTORIAL
from tests.support import AS_PERSON

pytestmark = [pytest.mark.boundary, pytest.mark.skipif(os.name != "posix", reason="it is a session of a shell")]

PORT = "8750"
"""Where the page has the registry listen."""

_NAMED = re.compile(r"# (\S+)\n")
_MEASURED = re.compile(r"\d+\.\d (?=MB freed|s\))")
_END = "--- the end of a line:"


def steps() -> Iterator[Shown]:
    """The lines that are typed; a file that is shown is one that is written."""
    for _, language, body in FENCE.findall(TUTORIAL):
        if language in ("console", "tty"):
            before = "A_PERSON=1 " if language == "tty" else ""
            for step in typed(Block("runtime.md", "console", body)):
                yield step._replace(line=f"{before}{step.line}")
        else:
            yield Shown(f"cat > {_NAMED.match(body)[1]} <<'END'\n{body}END")  # type: ignore[index]


def script(port: str) -> str:
    """All of it for one shell. The registry listens before the next line is typed, and ends with the shell."""
    lines = ["trap 'kill $!' EXIT"]
    for step in steps():
        line = step.line.replace(PORT, port)
        if line.endswith(" &"):
            log = "> ../registry.log 2>&1"
            wait = "while kill -0 $! && [ ! -s ../registry.log ]; do sleep 0.05; done; cat ../registry.log"
            line = f"{line.removesuffix('&')} --port {port} {log} &\n{wait}"
        lines.append(f"{line}\necho '{_END}' $?")
    return "\n".join(lines)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, with this program on the PATH."""
    program = tmp_path / "bin/skillbag"
    program.parent.mkdir()
    as_person = f'[ -z "$A_PERSON" ] || exec {shlex.join(AS_PERSON)} "$@"\n'
    program.write_text(f'#!/bin/sh\n{as_person}exec {shlex.quote(sys.executable)} -m skillbag "$@"\n', "utf-8")
    program.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("SKILLBAG_SESSION", raising=False)
    return home


@pytest.mark.nightly
def test_every_line_prints_what_the_tutorial_shows(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    done = subprocess.run(
        ["bash", "-c", script(port)], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300
    )
    text = done.stdout.decode().replace(str(home), "/home/me").replace(port, PORT)
    text = _MEASURED.sub("0.1 ", text)
    *ended, rest = re.split(rf"{_END} (\d+)\n", text)
    got = [(output, int(code)) for output, code in zip(ended[::2], ended[1::2], strict=True)]
    assert rest == ""
    assert len(got) == len(list(steps()))
    for step, (output, code) in zip(steps(), got, strict=True):
        assert (output, code) == (step.output, step.exit), step.line
