"""Calls of the public command line, for the driver: each a process of its own, and what its JSON says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from skillbag.fleet.conformance.kit import EMPTY, DriverRequest, JsonObject

_PROGRAM = (sys.executable, "-P", "-m", "skillbag")
STATUS = {0: "done", 3: "question"}
"""What an exit code means; any other: refused."""


class Inputs(NamedTuple):
    """The inputs of all operations, as `conformance/PROTOCOL.md` describes them."""

    again: bool = False
    hook: bool = False
    skill: str | None = None
    run: str = ""
    set: JsonObject = EMPTY
    prohibit: JsonObject = EMPTY
    confirm: tuple[str, ...] | None = None
    allow: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    prefer: str | None = None
    selected: tuple[str, ...] = ()
    explicit: bool = False
    name: str = ""
    value: Any = None
    source: str | None = None
    upgrade: bool = False
    names: tuple[str, ...] = ()
    clause: str | None = None
    target: str | None = None
    folders: Mapping[str, str | None] | None = None


class OperationRequest(NamedTuple):
    """What the kit asks."""

    request: DriverRequest
    inputs: Inputs

    def call(self, command: str, *arguments: str) -> OperationReply:
        """Run `skillbag COMMAND --json …`."""
        done = self.run(command, "--workspace", self.request.workspace, "--json", *arguments)
        try:
            values = json.loads(done.stdout)
        except ValueError:
            values = {"exit": done.returncode, "error": last_line(done.stderr or done.stdout)}
        return OperationReply(values, STATUS.get(values["exit"], "refused"), self.request.workspace)

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the program, with its states and caches in the case's own folder."""
        folders = {
            f"SKILLBAG_{name.upper()}_DIR": os.path.join(self.request.scratch, name) for name in ("state", "cache")
        }
        return subprocess.run(
            [*_PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd=self.request.scratch,
            env={**os.environ, **folders},
        )

    def in_session(self) -> list[str]:
        """The option that names the session."""
        return options("session", self.request.session)


class OperationOutcome(NamedTuple):
    """What came of an operation, for the kit."""

    status: str
    parts: JsonObject


class OperationReply(NamedTuple):
    """The JSON that the program printed, what its exit code means, and the workspace that it was asked about."""

    values: JsonObject
    status: str
    workspace: str

    def outcome(self, **parts: object) -> OperationOutcome:
        """The outcome: of what was refused, nothing but why."""
        if "error" in self.values:
            return OperationOutcome(self.status, {"error": self.values["error"]})
        return OperationOutcome(self.status, parts)

    def traced(self, **parts: object) -> OperationOutcome:
        """The outcome with the questions and the files that were opened."""
        questions = [{name: row[name] for name in ("kind", "about", "candidates")} for row in self.rows("questions")]
        return self.outcome(**parts, questions=questions, opened=self.opened())

    def parts(self, *names: str) -> JsonObject:
        """Parts of the outcome that are the program's own; null where there is no such value."""
        return {name: self.values.get(name) for name in names}

    def rows(self, key: str) -> list[JsonObject]:
        """The mappings of a list."""
        rows: list[JsonObject] = self.values.get(key, [])
        return rows

    def names(self, key: str, statuses: Collection[str] = ()) -> list[str]:
        """The names of the mappings of a list, or of those with one of the statuses."""
        return [row["name"] for row in self.rows(key) if not statuses or row["status"] in statuses]

    def opened(self) -> list[str]:
        """The files of the workspace that were opened, relative to it, in order, each once."""
        top = os.path.realpath(self.workspace)
        paths = (os.path.relpath(row["path"], top).replace(os.sep, "/") for row in self.rows("trace"))
        return [path for path in dict.fromkeys(paths) if not path.startswith("../")]


def options(name: str, *values: str | None) -> list[str]:
    """An option for each value but None; a value may begin with a hyphen."""
    return [f"--{name}={value}" for value in values if value is not None]


def typed(value: object) -> str:
    """A value as JSON, which keeps its type on the command line."""
    return json.dumps(value, ensure_ascii=False)


def last_line(text: str) -> str:
    """The last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
