"""What tests of the fields of a manifest look at: what a public door answers about the skill `s` of a workspace."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.processes.confinement import confined_program
from skillbag.runtime.backends import programs
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.scanning.documentation.pages import make_pages
from skillbag.runtime.scanning.scan import scan
from skillbag.runtime.sessions.runtime import Runtime
from tests.agents.mcp_server.mcp_worlds import Pipe, pipe
from tests.doors.cli.runtime_worlds import BUILT_IN, values
from tests.runtime.children import CHILD
from tests.runtime.worlds_active import ECHO, manifest, opened
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import Run

CODE = """\
register_tool("t", "Of the code.", lambda input: "main")
register_tool("read", "", lambda input: read_file("a.md"))
"""
SCANS = {
    "scan.star": 'register_scanner("x", lambda content: ["Seen"])\n',
    "scan2.star": 'register_scanner("x", lambda content: ["Seen too"])\n',
    "rules.yaml": "rules: [{id: one, title: One, severity: high, pattern: {type: regex, match: x = 1}}]\n",
    "over.yaml": "one: {severity: low}\n",
}
WIKI = """\
register_workflow("pods", lambda input: {"content": "Pods."})
register_workflow("nodes", lambda input: {"content": "Nodes."})
"""
PLUGIN = "def new_skill():\n    return None\n"
PROCESS = """
import resource

def now():
    limits = {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in ("DATA", "CPU", "NPROC")}
    return {"arguments": sys.argv[1:], **limits}

starts()
while True:
    request = read()
    time.sleep(request["params"].get("input", {}).get("sleep", 0))
    answer(request, output(now()))
    if request["method"] == "shutdown":
        break
"""


class World(NamedTuple):
    """A workspace in `folder/ws` with the skill `s`, and others that need it or compete with it."""

    folder: Path
    run: Run
    monkeypatch: pytest.MonkeyPatch

    @property
    def root(self) -> Path:
        return self.folder / "ws"


Look = Callable[[World], Any]


def make_world(world: World, fields: Mapping[str, Any], python: str) -> None:
    """Write the skill with these fields, beside `rival` (a prompt like it) and `user` (needs version 2 of it)."""
    skill: dict[str, str | bytes] = {
        "SKILL.yaml": json.dumps(fields),
        "main.star": CODE,
        "other.star": CODE.replace("main", "other"),
        "skill.py": PLUGIN,
        "a.md": "Alpha.\n",
        "b.md": "Beta.\n",
        "strict.json": json.dumps({"type": "object", "required": ["n"]}),
        "bin/child": CHILD % python + PROCESS,
        **SCANS,
        "wiki.star": WIKI,
    }
    write(world.root, {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": "", "app.py": "x = 1\n"})
    write(world.root / ".skills/s", skill)
    (world.root / ".skills/s/bin/child").chmod(0o755)
    prompt = {"types": "[prompt]", "implementation": None}
    rival = manifest("rival", **prompt, triggers="{keywords: [go]}")
    user = manifest("user", **prompt, dependencies='[{name: s, version: ">=2"}]')
    write(world.root / ".skills", {"rival/SKILL.yaml": rival, "user/SKILL.yaml": user})
    write(world.root / ".skills/echo", {"SKILL.yaml": manifest("echo"), "main.star": ECHO})


@contextmanager
def active(world: World) -> Iterator[Runtime]:
    with opened(world.root) as runtime:
        runtime.activate("s")
        yield runtime


def manifest_of(world: World) -> Any:
    """The manifest as data, in `runtime info --json`."""
    return values(world.run, world.root, "info", "s")["manifest"]


def listed(*options: str) -> Look:
    """The names of the skills that `runtime list` shows."""

    def look(world: World) -> list[str]:
        names = [each["name"] for each in values(world.run, world.root, "list", *options)["skills"]]
        return [name for name in names if name not in ("rival", "user", "echo", *BUILT_IN)]

    return look


def state(name: str) -> Look:
    """The state of a skill, in `runtime list`."""
    return lambda world: next(
        each["state"] for each in values(world.run, world.root, "list")["skills"] if each["name"] == name
    )


def findings(world: World) -> list[str]:
    """The rules that `check` reports for the skill."""
    found = json.loads(world.run("check", "--format", "json", world.root / ".skills/s", cwd=world.root).out)
    return sorted({each["rule"] for each in found["findings"] if each["rule"].startswith("manifest-")})


def question_about(word: str) -> Look:
    """Whether the question of approval has the word."""
    return lambda world: word in world.run("runtime", "activate", "s", cwd=world.root).out


def score(*options: str) -> Look:
    """The score, in `runtime why`."""
    return lambda world: values(world.run, world.root, "why", "s", *options)["score"]


def triggered(world: World) -> list[str]:
    """What a message that triggers `s` and `rival` would activate, in order."""
    found: list[str] = values(world.run, world.root, "trace", "--message", "go")["activation"]
    return found


def index(world: World) -> list[str]:
    """The lines of the prompt that offer the skill."""
    with opened(world.root) as runtime:
        return [line for line in runtime.build_prompt().added.splitlines() if line.startswith("- s:")]


def activates(world: World) -> Any:
    """The tools of the skill once it is active, or why it can't be."""
    try:
        with active(world) as runtime:
            return [each.spec.name for each in runtime.tools()]
    except RuntimeFaultError:
        return "error"


def started_or_blocked(world: World) -> Any:
    """What is activated with it, in order."""
    with opened(world.root) as runtime:
        return "blocked" if "s" in runtime.resolution.blocked else runtime.activate("s")


def called(tool: str = "t", **value: Any) -> Look:
    """The result of a call, or the class of its error."""

    def look(world: World) -> Any:
        with active(world) as runtime:
            try:
                output = runtime.call_tool(tool, value).output
            except UserError as error:
                return type(error).__name__
            return "is_error" if output.is_error else output.content

    return look


def is_error(tool: str, **value: Any) -> Look:
    """Whether a call fails."""
    return lambda world: called(tool, **value)(world) == "is_error"


def description(tool: str) -> Look:
    """What a host is told of the tool."""

    def look(world: World) -> Any:
        with active(world) as runtime:
            return next(each.spec.description for each in runtime.tools() if each.spec.name == tool)

    return look


def owner(world: World) -> int:
    """The exit code of a call of the tool `t`, of which only the manifest says whose it is."""
    return world.run("runtime", "call", "t", cwd=world.root).code


def child(key: str) -> Look:
    """What the skill's process knows of itself."""

    def look(world: World) -> Any:
        with active(world) as runtime:
            return json.loads(runtime.call_tool("t", {}).output.content)[key]

    return look


def bounds(world: World) -> int:
    """The most processes. Where the system can't hold that (see `available`), the bound that it is asked for."""
    requested: list[int] = []

    def spied(words: Any, allowed: Any, bounds: Any, *more: Any, **named: Any) -> Any:
        requested.append(bounds.processes)
        return confined_program(words, allowed, bounds, *more, **named)

    with world.monkeypatch.context() as patch:
        patch.setattr(programs, "confined_program", spied)
        with active(world) as runtime:
            held: int = json.loads(runtime.call_tool("t", {}).output.content)["NPROC"]
    return held if 0 < held < 100 else requested[0]


def prompt(world: World) -> str:
    """The skill's part of the prompt, after its first lines and within its marks."""
    with active(world) as runtime:
        texts = (fragment.text.removesuffix("</skill>").partition("\n\n")[2] for fragment in runtime.fragments())
        return "".join(texts)


def in_host(key: str) -> Look:
    """What a host is told of the skill by `skillbag runtime host`."""

    def look(world: World) -> Any:
        requests = b'{"id": 1, "do": "start", "protocol": 1}\n{"id": 2, "do": "close"}\n'
        answers = world.run("runtime", "host", cwd=world.root, stdin=requests).out.splitlines()
        skills = json.loads(answers[0])["result"]["skills"]
        return next(each[key] for each in skills if each["name"] == "s")

    return look


def agent(key: str) -> Look:
    """The same of its only agent."""
    return lambda world: in_host("agents")(world)[0][key]


def in_mcp(look: Callable[[Pipe], Any]) -> Look:
    """What a client of the MCP server sees."""

    def connected(world: World) -> Any:
        with pipe(world.folder) as server:
            server.shake_hands()
            server.ask("tools/list")
            return look(server)

    return connected


def mcp_prompt(server: Pipe) -> dict[str, Any]:
    """The prompt of its command, in the server's list."""
    prompts = server.ask("prompts/list")["result"]["prompts"]
    return next(each for each in prompts if each["name"] not in ("s", "user", "rival", "echo"))


def scanned(world: World) -> Any:
    """What a scan finds in `app.py`, and what can't be done."""
    with active(world) as runtime:
        found = scan(runtime, str(world.root))
    findings = [each.message for each in found.result.findings if each.path.endswith("/app.py")]
    return [*findings, *(error.message for error in found.errors)]


def pages(world: World) -> Any:
    """The pages that it makes: paths and texts."""
    with active(world) as runtime:
        made = make_pages(runtime)
    return [*(f"{page.path} {page.text}" for page in made.pages), *(error.message for error in made.errors)]
