"""`skillbag mcp` in a workspace of many skills: its start beside importing the SDK, and calls beside a bare ping."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple, cast

import environments
import lifecycle_rounds
import quiet
import results
from contenders import PROJECT, Contender
from measure import cores

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work", "mcp")
_SDK = "mcp==2.3.0"
_FLOOR = ("-c", "import mcp.server.lowlevel, mcp.server.stdio")
_CALLS = 20
_REST = 2.0
"""Seconds between the list of tools and the first call: an agent thinks before it calls one."""

_HOW = (
    "Calls are timed by the client, over pipes; what the server itself takes is what they take beyond a ping. "
    "A difference is taken within its round."
)

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


class Round(NamedTuple):
    """Seconds of one round. `others` is how many cores other work kept busy in it."""

    floor: float
    greeted: float
    start: float
    ping: float
    first: float
    call: float
    entered: float
    others: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the workspace, run the rounds, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", type=int, default=200)
    parser.add_argument("--runs", type=int, default=9, help="rounds; each has a server of its own")
    parser.add_argument("--save", action="store_true", help="write results/mcp.md")
    options = parser.parse_args(arguments)
    contender = Contender(PROJECT, (_SDK, "watchfiles"), (), None)
    programs = environments.prepare(contender, _WORK)
    folder = os.path.join(_WORK, "served")
    environment = lifecycle_rounds.fresh(folder)
    environment |= {f"SKILLBAG_{name}_DIR": os.path.join(folder, name.lower()) for name in ("CONFIG", "PERSONAL")}
    lifecycle_rounds.make_workspace(os.path.join(folder, "workspace"), options.skills)
    # Bytecode and the file cache are there before anything counts.
    _round(programs, folder, environment, options.skills)
    rounds = [_round(programs, folder, environment, options.skills) for _ in range(options.runs)]
    facts = results.machine(len(cores()), environments.versions([contender], {PROJECT: programs}))
    table = _table(rounds, options.skills, facts | {"SDK": _SDK})
    print(table)
    if options.save:
        with open(os.path.join(_HERE, "results", "mcp.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


class _Server:
    """A server over pipes."""

    def __init__(self, programs: str, folder: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [os.path.join(programs, "skillbag"), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=os.path.join(folder, "workspace"),
            env=environment,
        )
        self._to, self._from = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        self._asked = 0

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        self._asked += 1
        self.tell(method, params, id=self._asked)
        while "id" not in (answer := json.loads(self._from.readline())):
            pass
        if "result" not in answer or answer["result"].get("isError"):
            sys.exit(f"{method} failed: {answer}")
        result: dict[str, Any] = answer["result"]
        return result

    def tell(self, method: str, params: Mapping[str, Any], **more: int) -> None:
        """Send a message."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()

    def timed(self, method: str, params: Mapping[str, Any]) -> float:
        """Seconds from the request to its answer."""
        start = time.perf_counter()
        self.ask(method, params)
        return time.perf_counter() - start

    def end(self) -> None:
        """Let it end as it does when its client is done."""
        self._to.close()
        self._process.wait(30)


def _round(programs: str, folder: str, environment: Mapping[str, str], skills: int) -> Round:
    before = quiet.now()
    start = time.perf_counter()
    subprocess.run([os.path.join(programs, "python"), *_FLOOR], env=environment, check=True)
    floor = time.perf_counter() - start
    start = time.perf_counter()
    server = _Server(programs, folder, environment)
    server.ask("initialize", _HELLO)
    greeted = time.perf_counter() - start
    server.tell("notifications/initialized", {})
    tools = server.ask("tools/list", {})["tools"]
    started = time.perf_counter() - start
    if sum(tool["name"].startswith("skill_skill-") for tool in tools) != skills:
        sys.exit(f"{len(tools)} tools for {skills} skills")
    time.sleep(_REST)
    first = server.timed("tools/call", _of(1))
    calls = [server.timed("tools/call", _of(number)) for number in range(2, _CALLS + 2)]
    pings = [server.timed("ping", {}) for _ in range(_CALLS)]
    server.ask("tools/call", {"name": "enter", "arguments": {}})
    entered = [server.timed("tools/call", _of(number)) for number in range(2, _CALLS + 2)]
    server.end()
    ping, call, within = map(statistics.median, (pings, calls, entered))
    return Round(floor, greeted, started, ping, first, call, within, quiet.others(before, quiet.now()))


def _of(number: int) -> dict[str, Any]:
    return {"name": f"skill_skill-{number:05}", "arguments": {}}


def _table(rounds: Sequence[Round], skills: int, facts: Mapping[str, object]) -> str:
    def row(what: str, values: Sequence[float]) -> str:
        return f"| {what} | {statistics.median(values) * 1e3:.1f} | {min(values) * 1e3:.1f} |"

    disturbed = sum(one.others > quiet.LIMIT for one in rounds)
    facts = {**facts, "rounds that other work disturbed": disturbed}
    lines = [
        "# The server of the Model Context Protocol, timed",
        "",
        f"{skills:,} skills, {len(rounds)} rounds with a server each, milliseconds. {_HOW}",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        "",
        "| what | median | fastest |",
        "| --- | ---: | ---: |",
        row("`import mcp.server.lowlevel, mcp.server.stdio` in a process of its own", [one.floor for one in rounds]),
        row("`skillbag mcp`: start to `initialize`", [one.greeted for one in rounds]),
        row("`skillbag mcp`: start to the first `tools/list`", [one.start for one in rounds]),
        row("above the import", [one.start - one.floor for one in rounds]),
        row("`ping`", [one.ping for one in rounds]),
        row("`skill_NAME`, the first call", [one.first for one in rounds]),
        row("`skill_NAME`, later calls", [one.call for one in rounds]),
        row("`skill_NAME`, once the session has entered", [one.entered for one in rounds]),
        row("the first call, beyond a ping", [one.first - one.ping for one in rounds]),
        row("later calls, beyond a ping", [one.call - one.ping for one in rounds]),
        row("once entered, beyond a ping", [one.entered - one.ping for one in rounds]),
    ]
    return "\n".join(lines) + "\n"
