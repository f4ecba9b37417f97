"""An agent at work: the commands of a session in this process, and in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.session.bags import bag, context
from tests.supply.install.worlds import call
from tests.support import PROJECT, Completed, Run

SESSION = "s1"
CONVERT = ".skills/convert-to-pdf/SKILL.md"
CATALOG = ".skills/SKILLS.md"

CONTEXT = "parameters: {convert-to-pdf: {format: A4, margin: 2}}"
USER = "parameters: {convert-to-pdf: {format: Letter}}"
ALL = {"CONTEXT.md": context(CONTEXT), "USER_CONTEXT.md": context(USER)}
"""Both context files, with something for `convert-to-pdf`."""

TAGGED = {
    "convert-to-pdf": "Converts files. #use/check-links",
    "check-links": "Checks links.",
    "greet": "Greets. #run/always",
    "sign-off": "Signs. #run/always #run/last",
    "tidy": "Tidies. #run/last",
}
"""A skill for each tag."""


def tagged(folder: Path, files: Mapping[str, str | bytes] = {}) -> Path:
    """A workspace with the skills of `TAGGED`."""
    return bag(folder, TAGGED, files)


def answer(run: Run, root: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """What a command says as JSON; it ends with this code."""
    found, values = call(run, root, *arguments)
    assert found == code, values
    return values


def enter(run: Run, root: Path, *arguments: object, session: str = SESSION) -> dict[str, Any]:
    """What `enter --json` says in the session."""
    return call(run, root, "enter", "--session", session, *arguments)[1]


def refresh(run: Run, root: Path, *arguments: object, session: str = SESSION) -> dict[str, Any]:
    """What `refresh --json` says in the session; it must not fail."""
    return answer(run, root, "refresh", "--session", session, *arguments)


def command(*arguments: object) -> list[str]:
    """The program in a process of its own."""
    return [sys.executable, "-m", "skillbag", *map(str, arguments)]


ENVIRONMENT = {"PYTHONPATH": str(PROJECT)}


def launch(root: Path, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start the program in the workspace; its output is read as text."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(command(*arguments), cwd=root, text=True, env=os.environ | ENVIRONMENT, **streams)


def execute(root: Path, arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in the workspace to its end; its output is read as text."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(arguments, cwd=root, text=True, check=False, env=os.environ | ENVIRONMENT, **streams)


def script(root: Path, code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python code with arguments in the workspace."""
    return execute(root, [sys.executable, "-c", code, *map(str, arguments)], **options)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a process, once it has ended."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def state_folder() -> Path:
    """Where this test's sessions are kept."""
    return Path(os.environ["SKILLBAG_STATE_DIR"])


def states() -> list[Path]:
    """The files of all sessions."""
    return sorted(state_folder().glob("sessions/*/*.json"))


def state() -> dict[str, Any]:
    """The state of the only session."""
    (path,) = states()
    values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return values


def loaded(run: Run, folder: Path) -> Path:
    """A workspace whose session has loaded the skill `convert-to-pdf`, and `greet` and `sign-off` at entry."""
    root = tagged(folder / "w", {"CONTEXT.md": context("parameters: {}")})
    enter(run, root)
    assert run("run", "convert_to_pdf", "--session", SESSION, cwd=root).code == 0
    return root


def changed(values: dict[str, Any]) -> dict[str, str]:
    """What each changed path of a refresh is."""
    return {row["path"]: row["what"] for row in values["changed"]}


def is_refused(outcome: Completed, *words: str, code: int = 2) -> None:
    """Hold a command to a refusal: nothing on standard output, and these words on standard error."""
    assert (outcome.code, outcome.out) == (code, "")
    for word in words:
        assert word in outcome.err


def is_one_sentence(outcome: Completed, *words: str, code: int = 2) -> None:
    """Hold a command to a refusal in one printable line."""
    is_refused(outcome, *words, code=code)
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert outcome.err.replace("\n", "").isprintable()
