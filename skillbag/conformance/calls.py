"""Calls of the public command line, for the driver: each a process of its own, and what its JSON says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_PROGRAM = (sys.executable, "-P", "-m", "skillbag")
STATUS = {0: "done", 3: "question"}
"""What an exit code means; any other one: refused."""

Values = Mapping[str, Any]
"""An object of JSON."""


class Request(NamedTuple):
    """What the kit asks: absolute folders, the session, its inputs, the parts of the outcome that matter."""

    workspace: str
    scratch: str
    session: str | None
    inputs: Values
    wanted: frozenset[str]

    def call(self, command: str, *arguments: str, stdin: str = "") -> Reply:
        """What the program says to `skillbag COMMAND --json …`."""
        done = self.run(command, "--workspace", self.workspace, "--json", *arguments, stdin=stdin)
        try:
            values = json.loads(done.stdout)
        except ValueError:
            values = {"exit": done.returncode, "error": last_line(done.stderr or done.stdout)}
        return Reply(values, STATUS.get(values["exit"], "refused"))

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the program, with its states and caches in the case's own folder."""
        return subprocess.run(
            [*_PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd=self.scratch,
            env={
                **os.environ,
                "SKILLBAG_STATE_DIR": os.path.join(self.scratch, "state"),
                "SKILLBAG_CACHE_DIR": os.path.join(self.scratch, "cache"),
            },
        )

    def in_session(self) -> list[str]:
        """The option that names the session."""
        return option("session", self.session)

    def opened(self, said: Reply) -> list[str]:
        """The files of the workspace that were opened, relative to it, in order, each once."""
        top = os.path.realpath(self.workspace)
        paths = (os.path.relpath(one["path"], top).replace(os.sep, "/") for one in said.values.get("trace", ()))
        return [path for path in dict.fromkeys(paths) if not path.startswith("../")]


class Reply(NamedTuple):
    """The JSON that the program printed, and what its exit code means."""

    values: Values
    status: str

    def outcome(self, **parts: object) -> dict[str, object]:
        """The outcome: of what was refused, nothing but why."""
        if "error" in self.values:
            return {"status": self.status, "error": self.values["error"]}
        return {"status": self.status, **parts}

    def each(self, key: str) -> list[Values]:
        """The mappings of a list."""
        found: list[Values] = self.values.get(key, [])
        return found


def options(name: str, values: Iterable[str]) -> list[str]:
    """An option given several times; the value may begin with a dash."""
    return [f"--{name}={value}" for value in values]


def option(name: str, value: str | None) -> list[str]:
    """An option, none where there is no value."""
    return [] if value is None else [f"--{name}={value}"]


def typed(value: object) -> str:
    """A value as JSON, which keeps its type on the command line."""
    return json.dumps(value, ensure_ascii=False)


def last_line(text: str) -> str:
    """The last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
