"""The files that the pages show, each read by what reads such files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import jsonschema
import yaml

from skillbag.kernel.base.package_data import schema, schema_fault
from skillbag.lint.rules.builtin import load_rules
from tests.project.pages import PAGES, Block, blocks, calls, read, runs
from tests.project.vendor_schemas import hold
from tests.rows import each_row
from tests.support import PROJECT, Run, Tree, skill

_SETTING_ASIDE = re.compile(r"skillbag: ignore(?:-file)?\[([^\]\n]*)\]")
SELF_NAMED = re.compile(r"# \S+\.(?:toml|yaml)\n")
"""How files of a configuration begin; `tests/project/test_readme.py` has them work together."""
SCHEMAS = {
    ".gitlab-ci.yml": "vendor.gitlab-ci",
    "azure-pipelines.yml": "vendor.azure-pipelines",
    "skillbag.toml": "config",
    "team-rules/no-internal.yaml": "rule",
    "team-rules/clipboard-sent.yaml": "rule",
}
WORKFLOW = {"name": "x", "on": "push", "permissions": {"contents": "read"}}
MANIFEST = {"name": "x", "version": "1.0.0", "description": "X.", "types": ["prompt"]}
CONTEXT = {"dependencies", "overrides", "prohibit", "parameters", "tags", "conflict-resolution"}


def test_suppressions_name_existing_rules() -> None:
    known = {name for rule in load_rules() for name in (rule.id, rule.family)}
    named = {name for page in PAGES for text in _SETTING_ASIDE.findall(read(page)) for name in text.split(",")} - {"…"}
    assert named
    # Rules of skills have the skill's name before them.
    assert {name for name in named if "/" not in name} <= known


def test_suppressions_in_markdown_suppress_a_finding(tree: Tree, run: Run) -> None:
    shown = [block for block in blocks("markdown") if not block.title]
    assert shown
    for block in shown:
        # The day comes when the one that the page names is over.
        body = re.sub(r"(until=)\d{4}-\d\d-\d\d", r"\g<1>9999-12-31", block.body)
        root = tree({"skills/a/SKILL.md": skill("a") + f"\n{body}"})
        assert "1 suppressed" in run("check", "--strict", cwd=root).out
        assert run("check", "--strict", cwd=root).code == 0
        audit = ("team", "audit", root, "--out", root / "out", "--config=suppressions=false", "--strict", "--quiet")
        assert run(*audit, cwd=root).code == 1
        assert json.loads((root / "out/summary.json").read_text())["findings"]["warning"] == 1


def data() -> list[Block]:
    found = (block for block in blocks("yaml", "toml", "json") if not SELF_NAMED.match(block.body))
    return [block for block in found if not schema_of(block.title)]


def schema_of(title: str) -> str:
    """The schema of a file with this name; its page also uses it, in `tests/project/test_docs.py`."""
    return next((name for ending, name in SCHEMAS.items() if title.endswith(ending)), "")


@each_row("block", [block for block in blocks() if schema_of(block.title)], ids=lambda block: block.title)
def test_a_named_file_has_the_shape_that_its_schema_wants(block: Block, tmp_path: Path) -> None:
    name = schema_of(block.title)
    if name.startswith("vendor."):
        held(name, block.body, tmp_path)
    else:
        load = tomllib.loads if block.language == "toml" else yaml.safe_load
        jsonschema.validate(load(block.body), json.loads(schema(name)))


@each_row("block", data(), ids=lambda block: f"{block.page}: {block.body.splitlines()[0]}")
def test_a_file_is_valid_for_its_reader(block: Block, tmp_path: Path, tree: Tree, run: Run) -> None:
    value = yaml.safe_load(block.body)
    if isinstance(value, list):
        steps = yaml.safe_load(re.sub(r"OWNER/NAME@\S+", "./", block.body))
        job = {"runs-on": "ubuntu-latest", "steps": steps}
        held("vendor.github-workflows", yaml.safe_dump({**WORKFLOW, "jobs": {"x": job}}), tmp_path)
        inputs = yaml.safe_load(read(PROJECT / "action.yml"))["inputs"]
        called = [step for step in steps if step.get("uses") == "./"]
        assert {name for step in called for name in step.get("with", {})} <= inputs.keys()
    elif "jobs" in value:
        held("vendor.github-workflows", block.body, tmp_path)
    elif "repos" in value:
        ours = {hook["id"] for hook in yaml.safe_load(read(PROJECT / ".pre-commit-hooks.yaml"))}
        assert {hook["id"] for repo in value["repos"] for hook in repo["hooks"]} <= ours
        path = tmp_path / "config.yaml"
        path.write_text(block.body, "utf-8")
        command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    elif block.language == "json" and "url" in value.get("mcpServers", {}).get("skillbag", {}):
        server = value["mcpServers"]["skillbag"]
        assert server["url"] in read(PROJECT / "docs/agent.md").partition("streamable HTTP at ")[2].split(", ")[0]
        assert server["headers"].keys() == {"Authorization"}
        assert server["headers"]["Authorization"].startswith("Bearer ")
    elif block.language == "json" and value.get("type") == "object":
        jsonschema.Draft202012Validator.check_schema(value)
    elif block.language == "json":
        assert all(list(calls(line)) for line in runs(value))
        assert list(runs(value))
    elif "when" in value:
        assert schema_fault("rule", value["when"], "condition") is None
    elif "types" in value:
        assert block.body in {path.read_text("utf-8") for path in (PROJECT / "examples").rglob("SKILL.yaml")}
    elif value.keys() & {"rules", "wiki", "steering_files"}:
        whole, name = (value, "scan-rules") if "rules" in value else ({**MANIFEST, **value}, "skill-manifest")
        jsonschema.validate(whole, json.loads(schema(name)))
    elif value.keys() <= CONTEXT:
        context(block.body, tree, run)
    else:
        assert value.keys() <= {"required", "optional", "confirm"}, f"nothing is known to read this: {block}"
        parameters(block.body, tree, run)


def held(schema: str, text: str, folder: Path) -> None:
    """A file is as its schema wants it, which a published checker carries."""
    path = folder / "checked.yml"
    path.write_text(text, "utf-8")
    hold(schema, path)


def context(text: str, tree: Tree, run: Run) -> None:
    """A context file with the block: the check finds nothing in it, and a session reads it."""
    names = sorted({*re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", text)})
    tree({f".skills/{name}/SKILL.md": skill(name) for name in names})
    root = tree({"USER_CONTEXT.md": f"```yaml\n{text}```\n", **catalog(names)})
    assert "USER_CONTEXT.md" not in run("check", cwd=root).out
    assert run("enter", "--session", "s", cwd=root).code == 0


def parameters(text: str, tree: Tree, run: Run) -> None:
    """A skill with the block for its parameters: the check finds nothing in it, and its inputs are resolved."""
    body = skill("convert") + f"\n## Parameters\n\n```yaml\n{text}```\n"
    root = tree({"docs/a.md": "A page.\n", ".skills/convert/SKILL.md": body, **catalog(["convert"])})
    assert "convert/SKILL.md" not in run("check", cwd=root).out
    assert run("session", "resolve", "convert", cwd=root).code in (0, 3)


def catalog(names: Iterable[str]) -> dict[str, str]:
    """The entrypoint and the catalog of a workspace with these skills."""
    lines = "".join(f"{name}: Tidy a folder. Use when files lie about.\n" for name in names)
    return {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": lines}
