"""A host of the executable plugin protocol, written from its description alone: it shares nothing with the program.

As a program it holds one conversation: a JSON line for each thing to do on standard input, a JSON line for each result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ENVIRONMENT, INPUT = "environment", "input"
FORMS = (ENVIRONMENT, INPUT)
"""How arguments and data are passed: in a variable, or on standard input."""


class Printed(NamedTuple):
    """What a plugin printed, and its exit code."""

    code: int
    out: str
    err: str = ""

    @property
    def value(self) -> Any:
        """JSON where it parses, else text, None where there is nothing."""
        try:
            return json.loads(self.out)
        except ValueError:
            return self.out or None


class PlainHost:
    """A host with one plugin."""

    def __init__(self, plugins: Path, folder: Path, form: str = ENVIRONMENT, **more: str) -> None:
        """It works in `folder`; `more` are variables of its environment."""
        [self.plugin] = [
            path / path.name if path.is_dir() else path
            for path in plugins.iterdir()
            if not path.name.endswith(".disabled")
        ]
        self.folder, self.form, self.more = folder, form, more
        self.names: frozenset[str] = frozenset()

    def schema(self) -> list[dict[str, Any]]:
        result = self.run({}, arguments=("--schema",))
        assert result.code == 0, result.err
        assert isinstance(result.value, list)
        return result.value

    def call(self, tool: str | None, arguments: object = None) -> Printed:
        """Call a tool; an older host does not name it."""
        named = {} if tool is None else {"CHIBI_TOOL_NAME": tool}
        return self.give(named, "CHIBI_TOOL_ARGS", json.dumps({} if arguments is None else arguments))

    def hook(self, name: str, data: object = None) -> Any:
        """The answer to a hook; None where it fails."""
        result = self.give({"CHIBI_HOOK": name}, "CHIBI_HOOK_DATA", json.dumps({} if data is None else data))
        return result.value if result.code == 0 else None

    def guarded(self, tool: str, arguments: object = None) -> Any:
        """What a model would be told of a call, be it of the host's own tool: a block, or the result."""
        answer = self.hook("pre_tool", {"tool_name": tool, "arguments": arguments})
        if isinstance(answer, dict) and answer.get("block"):
            return answer.get("message", "Tool call blocked by hook")
        # Read once, when a host starts.
        self.names = self.names or frozenset(entry["name"] for entry in self.schema())
        if tool not in self.names:
            return f"{tool} was called"
        result = self.call(tool, arguments)
        return result.out if result.code == 0 else "Tool execution failed or was cancelled"

    def give(self, named: Mapping[str, str], variable: str, text: str) -> Printed:
        if self.form == ENVIRONMENT:
            return self.run({**named, variable: text})
        return self.run(named, text)

    def run(
        self, named: Mapping[str, str], text: str = "", arguments: tuple[str, ...] = (), seconds: float = 30
    ) -> Printed:
        done = subprocess.run(
            [str(self.plugin), *arguments],
            cwd=self.folder,
            env={**os.environ, **self.more, **named},
            input=text.encode(),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return Printed(done.returncode, done.stdout.decode(), done.stderr.decode())


def main() -> None:
    host = PlainHost(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    for line in sys.stdin:
        what, *given = json.loads(line)
        result = getattr(host, what)(*given)
        sys.stdout.write(json.dumps(result.out if isinstance(result, Printed) else result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
