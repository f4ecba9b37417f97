"""What the benchmark of the runtime works on: manifests, the paths of a workspace, and skills with code."""

from __future__ import annotations

import os
import random
import sys
from typing import NamedTuple

SKILLS, FILES = 200, 2000

_MANIFEST = """\
name: skill-{n}
version: 1.0.0
description: "Operations on part {n} of a cluster. Use when the user works with it."
types: [tool]
triggers: {{files: [Dockerfile.{n}, "*.k{n}.yaml", "k{n}/"], keywords: [part-{n}], modes: [interactive, headless], \
languages: [dockerfile]}}
permissions: [shell:exec, env:read]
implementation: {{backend: starlark, entrypoint: skill.star}}
tools: [{{name: get_{n}, description: Get resources}}]
compatibility: {{platforms: [linux, darwin]}}
"""
_ENDINGS = ("py", "go", "ts", "md", "yaml")

_OF_CODE = """\
name: {name}
version: 1.0.0
description: Does {name}.
types: [tool]
permissions: ["file:read"]
implementation: {{backend: {backend}, entrypoint: {entrypoint}, timeout: {seconds}, limits: {{cpu_s: {cpu}}}}}
"""

_STARLARK = """\
def echo(input):
    return input["text"]

def called(input):
    for _ in range(input["times"]):
        project_root()
    return "done"

register_tool("echo", "Gives the text back.", echo)
register_tool("called", "Calls the host.", called)
"""

_BARE = f"""#!{sys.executable}
import json, sys
for line in sys.stdin:
    sys.stdout.write(json.dumps(json.loads(line)) + "\\n")
    sys.stdout.flush()
"""

_BARE_STARLARK = f"""#!{sys.executable}
import json, sys, starlark
module = starlark.Module()
code = "def echo(input):\\n    return input['text']\\n"
starlark.eval(module, starlark.parse("main.star", code), starlark.Globals.standard())
frozen = module.freeze()
for line in sys.stdin:
    message = json.loads(line)
    result = frozen.call("echo", message["params"]["input"])
    sys.stdout.write(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}) + "\\n")
    sys.stdout.flush()
"""

_PROCESS = f"""#!{sys.executable} -IS
import sys
for line in sys.stdin:
    number = line.split('"id":')[1].split(",")[0]
    result = '{{"tools":[{{"name":"t"}}],"content":"","is_error":false}}'
    sys.stdout.write('{{"jsonrpc":"2.0","id":' + number + ',"result":' + result + '}}\\n')
    sys.stdout.flush()
    if '"shutdown"' in line:
        break
"""

BOMBS = {"list": 2.0, "text": 2.0, "number": 2.0, "growth": 2.0, "loop": 1.3, "busy": 1.3}
"""Skills whose call is ended by a limit of a second, and the seconds that it may take in all: single operations that
take memory or time, and loops, which end by the clock, or by the time of the processor."""

_BOMBS = """\
def number(_):
    value = 7
    for _ in range(40):
        value = value * value
    return value % 10

def growth(_):
    texts = ["x" * 1000]
    for _ in range(100):
        texts = texts + texts
    return len(texts)

def loop(_):
    for _ in range(2000000000):
        pass

busy = loop
# Of constants, the interpreter would compute it while it loads the file.
list = lambda input: [0] * input["many"]
text = lambda input: "x" * input["many"]

register_tool("{name}", "Is ended by a limit.", {name})
"""


class Programs(NamedTuple):
    """Absolute paths of programs: `echo` gives the JSON of each line back, `starlark` what the tool `echo` of
    the skill does, without anything else."""

    echo: str
    starlark: str


def write_texts(root: str) -> list[str]:
    """Write `FILES` texts of about 4 KiB below `root`; returns their relative paths."""
    chosen = random.Random(1)
    files = [f"d{number % 40}/f{number}.py" for number in range(FILES)]
    for file in files:
        os.makedirs(os.path.dirname(f"{root}/{file}"), exist_ok=True)
        lines = [f"value_{chosen.randrange(10**6)} = call(other, {number})\n" for number in range(120)]
        with open(f"{root}/{file}", "w", encoding="utf-8") as handle:
            handle.writelines(lines)
    return files


def write_manifests(root: str) -> None:
    """A workspace of 200 skills, with manifests of about 450 bytes."""
    for number in range(SKILLS):
        _write(f"{skill_folder(root, number)}/SKILL.yaml", _MANIFEST.format(n=number))
        _write(f"{skill_folder(root, number)}/skill.star", "x = 1\n")


def skill_folder(root: str, number: int) -> str:
    """The folder of one of the 200 skills."""
    return f"{root}/.skills/s{number:03}"


def paths() -> list[str]:
    """The files of the workspace."""
    chance = random.Random(1)
    return [f"src/mod{number % 40}/pkg{number % 7}/file_{number}.{chance.choice(_ENDINGS)}" for number in range(FILES)]


def write_code(root: str) -> Programs:
    """A workspace with the skills `starlark` and `process`, and one for each bomb."""
    _skill(root, "starlark", _STARLARK)
    _write(f"{root}/.skills/process/bin/child", _PROCESS, 0o755)
    _write(
        f"{root}/.skills/process/SKILL.yaml",
        _OF_CODE.format(name="process", backend="process", entrypoint="bin/child", seconds=5, cpu=5),
    )
    for name in BOMBS:
        by_processor = name == "busy"
        code = _BOMBS.replace("{name}", name)
        _skill(root, name, code, seconds=5 if by_processor else 1, cpu=1 if by_processor else 5)
    _write(f"{root}/bin/echo", _BARE, 0o755)
    _write(f"{root}/bin/starlark", _BARE_STARLARK, 0o755)
    return Programs(f"{root}/bin/echo", f"{root}/bin/starlark")


def _skill(root: str, name: str, code: str, *, seconds: int = 5, cpu: int = 5) -> None:
    manifest = _OF_CODE.format(name=name, backend="starlark", entrypoint="main.star", seconds=seconds, cpu=cpu)
    _write(f"{root}/.skills/{name}/SKILL.yaml", manifest)
    _write(f"{root}/.skills/{name}/main.star", code)


def _write(path: str, text: str, mode: int = 0o644) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)
    os.chmod(path, mode)
