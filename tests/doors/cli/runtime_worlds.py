"""A workspace with active skills, and the commands of `skillbag runtime` in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

SCHEMA = json.loads((PROJECT / "schemas/runtime.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

PODS = """\
def get(input):
    return "pods of " + input["kind"] + " for " + env("NOBODY")

def scale(input):
    return {"scaled": input.get("to", 0)}

def fail(input):
    error("no cluster")

register_tool("pods_get", "Gets pods.", get)
register_tool("pods_scale", "Scales.", scale)
register_tool("pods_fail", "Fails.", fail)

def sign(event):
    return {"modified": {"content": event["data"]["content"] + " (signed)"}}

register_hook("OnAfterToolResult", sign)
"""
TOOLS = """[
  {name: pods_get, description: Gets pods., input_schema_file: get.json},
  {name: pods_scale, description: Scales., requires_approval: true},
  {name: pods_fail, description: Fails.}]"""
SHOUT = """\
def shout(input):
    if "text" not in input:
        error("there is no text")
    return {"text": input["text"].upper()}

register_workflow("shout", shout)
"""
TRIGGERS = '{files: [Dockerfile, "k8s/"], keywords: [pods], modes: [headless]}'
BUILT_IN = ("core-tools", "git")
"""The skills of this program, which are always found."""

FAULTY = "name: Faulty\nversion: 1.0.0\ndescription: A.\ntypes: [prompt]\n"


def make_world(root: Path) -> Path:
    """A workspace with `pods` (tools, two permissions), `loud` (a workflow), `words` (a prompt), `stuck` (a missing
    dependency) and `faulty` (no manifest)."""
    write(root, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "Dockerfile": "FROM scratch\n"})
    active(root, "pods", PODS, own_calls=True, permissions='["file:read", "env:read"]', tools=TOOLS, triggers=TRIGGERS)
    schema = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
    write(root / ".skills/pods", {"get.json": json.dumps(schema)})
    active(root, "loud", SHOUT, types="[workflow]")
    prompt: dict[str, Any] = {"types": "[prompt]", "implementation": None, "prompt": "{system_prompt_file: words.md}"}
    active(root, "words", **prompt, triggers="{keywords: [aggregate]}")
    write(root / ".skills/words", {"words.md": "Use the words of the domain.\n"})
    active(root, "stuck", **prompt, triggers="{keywords: [stuck]}", dependencies="[{name: nowhere}]")
    write(root / ".skills/stuck", {"words.md": "Never.\n"})
    write(root, {".skills/faulty/SKILL.yaml": FAULTY})
    return root


def values(run: Run, root: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """The JSON of `skillbag runtime ARGUMENTS`, which follows the schema; it ends with this exit code."""
    done = run("runtime", *arguments, "--json", cwd=root)
    found: dict[str, Any] = json.loads(done.out)
    VALIDATOR.validate(found)
    assert (done.code, found["exit"], found["command"]) == (code, code, f"runtime {arguments[0]}"), done
    return found
