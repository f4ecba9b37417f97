"""What the pages show, carried out: each line is typed, each file is read by what reads such files.

The sessions of `docs/lifecycle.md` and `docs/runtime.md`, and what they print, are held by
`tests/lifecycle/test_worked_session.py`, `tests/runtime/test_runtime_page.py` and `test_runtime_tutorial.py` beside it.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

from skillbag.base.package_data import schema
from skillbag.cli.app import app
from skillbag.rules.model import load_rules
from tests.project.doc_worlds import World, make_world
from tests.project.pages import FENCE, PAGES, SPAN, Block, blocks, read, typed
from tests.sources.registries import serve_registry
from tests.support import PROJECT, Run, Tree, skill

ENDLESS = (
    *("skillbag check --watch", "skillbag mcp --http", "skillbag conformance --driver"),
    "skillbag registry serve",
)
"""Lines that run until they are interrupted, or for minutes: they are parsed, but not run."""
ELSEWHERE = ("python3 -m venv ", "pip install ", "pipx install ", "uvx ", "benchmarks/")
"""Lines that other tests cover: those of the README, or those below."""
EMPTY = ("README.md",)
"""Pages that begin outside of a workspace."""
WORKED = ("lifecycle.md", "runtime.md")
"""Pages whose session other tests carry out."""
BEFORE = {
    "skillbag runtime list": "cp -r examples/runtime/skills/kubernetes .skills/",
    "skillbag run convert_to_pdf": "printf '\\n## Parameters\\n\\n```yaml\\nrequired:\\n  - name: format\\n```\\n' "
    ">> .skills/convert-to-pdf/SKILL.md",
    "~/.chibi/plugins/agent-skills/agent-skills search": "skillbag marketplace add https://example.com/team/skills.git "
    "--name forms && skillbag marketplace update",
    "skillbag search": "skillbag marketplace add https://example.com/team/skills.git && skillbag marketplace update",
}
"""What a reader of the page has done before such a line, where the page does not say so."""

_OPERATORS = re.compile(r"[&|;<>()]+")
_BESIDE = re.compile(r"(?:^|\s)# .*$")
_SETTING_ASIDE = re.compile(r"skillbag: ignore(?:-file)?\[([^\]\n]*)\]")


def calls(line: str) -> Iterator[list[str]]:
    """The words after `skillbag`, wherever a line calls it."""
    words = shlex.shlex(re.sub(r"\$\{\{.*?\}\}", "1", _BESIDE.sub("", line)), posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    call: list[str] = []
    for word in (*words, ";"):
        if _OPERATORS.fullmatch(word):
            if Path(next(iter(call), "")).name == "skillbag":
                yield call[1:]
            call = []
        else:
            call.append(word)


def understand(words: list[str]) -> None:
    """Parse the words as the command line does, without running the command.

    Raises:
        click.UsageError: it does not take them.
    """
    context = click.Context(app, info_name="skillbag")
    name: str | None = "skillbag"
    command: click.Command | None = app
    while isinstance(command, click.Group):
        name, command, words = command.resolve_command(context, words)
    assert command
    command.make_context(name, words, parent=context)


def runs(value: object) -> Iterator[str]:
    """The commands that a workflow, a host's settings or a client's settings hold."""
    if isinstance(value, list):
        for item in value:
            yield from runs(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("run", "entry", "command") and isinstance(item, str):
                yield from (" ".join((line, shlex.join(value.get("args", [])))) for line in item.splitlines())
            else:
                yield from runs(item)


def fenced() -> list[tuple[str, str]]:
    """Each line of the pages' blocks that calls the program, after the name of its page."""
    found = [(block.page, shown.line) for block in blocks("console", "sh") for shown in typed(block)]
    found += [(row.page, line) for row in blocks("yaml", "json") for line in runs(yaml.safe_load(row.body))]
    return [(page, line) for page, line in found if list(calls(line))]


def spans() -> list[tuple[str, str]]:
    """Each call of the program within a sentence."""
    return [
        (page.name, span)
        for page in PAGES
        for span in dict.fromkeys(SPAN.findall(FENCE.sub("", read(page))))
        if span.startswith("skillbag ") and " ." not in span
    ]


@pytest.mark.parametrize(("page", "line"), fenced())
def test_a_line_is_one_that_the_program_takes(page: str, line: str) -> None:
    for words in calls(line):
        understand(words)


@pytest.mark.parametrize(("page", "line"), spans())
def test_a_call_within_a_sentence_is_valid(page: str, line: str) -> None:
    for words in calls(line):
        try:
            understand(words)
        except (click.MissingParameter, click.BadOptionUsage):
            # A sentence names a command, or an option, without all that belongs to it.
            continue


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[World]:
    made = make_world(tmp_path, monkeypatch, empty=request.param in EMPTY)
    with serve_registry() as registry:
        if request.param == "registry.md":
            registry.add("tidy-folder", "1.2.0", "1.3.0")
            monkeypatch.setenv("SKILLBAG_REGISTRY", registry.url)
        yield made


@contextmanager
def served(world: World) -> Iterator[str]:
    """`skillbag mcp` over HTTP, at the port that it gives: the one that the pages name may be taken."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    token = world.home / f".local/state/skillbag/mcp/{port}.token"
    server = subprocess.Popen(["skillbag", "mcp", "--http", port], cwd=world.root, stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            if token.exists() or server.poll() is not None:
                break
            time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.communicate(timeout=300)


@pytest.mark.parametrize(
    ("page", "world"),
    [(name, name) for name in dict.fromkeys(row.page for row in blocks("console", "sh")) if name not in WORKED],
    indirect=["world"],
)
def test_the_lines_of_a_page_work(page: str, world: World) -> None:
    for block in blocks("console", "sh", "python"):
        if block.page != page:
            continue
        if block.language == "python":
            code = block.body.replace("/home/me", str(world.home))
            with served(world) if ":8000/" in code else nullcontext("8000") as port:
                output, ended = world.type(shlex.join([sys.executable, "-c", code.replace("8000", port)]))
            assert ended == 0, (code, output)
            continue
        for shown in typed(block):
            if shown.line.startswith((*ENDLESS, *ELSEWHERE)):
                continue
            for beginning, before in BEFORE.items():
                if shown.line.startswith(beginning):
                    assert world.type(before)[1] == 0, world.type(before)
            output, ended = world.type(shown.line)
            assert ended == shown.exit, (shown.line, output)
            assert output == shown.output or not shown.output, shown.line


def test_extras_that_pip_installs_exist() -> None:
    project = tomllib.loads(read(PROJECT / "pyproject.toml"))["project"]
    text = "\n".join(map(read, PAGES))
    named = re.findall(r"pip install (?:--?\w+ )*'?(skillbag|\.)(?:\[(\w+)\])?", text)
    assert {extra for _, extra in named} >= {"mcp", "audit", "dev"}
    assert {extra for _, extra in named} - {""} <= project["optional-dependencies"].keys()


def test_the_benchmarks_take_the_options_that_are_shown() -> None:
    lines = [shown.line for block in blocks("sh") for shown in typed(block) if shown.line.startswith("benchmarks/")]
    assert lines
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        command = [sys.executable, str(PROJECT / program), "--help"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert all(word in listed for word in words if word.startswith("--")), line


def test_suppressions_name_existing_rules() -> None:
    known = {name for rule in load_rules() for name in (rule.id, rule.family)}
    named = {name for page in PAGES for text in _SETTING_ASIDE.findall(read(page)) for name in text.split(",")} - {"…"}
    assert named
    # Rules of skills have the skill's name before them.
    assert {name for name in named if "/" not in name} <= known


def test_suppressions_in_markdown_suppress_a_finding(tree: Tree, run: Run) -> None:
    shown = blocks("markdown")
    assert shown
    for block in shown:
        # The day comes when the one that the page names is over.
        body = re.sub(r"(until=)\d{4}-\d\d-\d\d", r"\g<1>9999-12-31", block.body)
        root = tree({"skills/a/SKILL.md": skill("a") + f"\n{body}"})
        assert "1 suppressed" in run("check", "--strict", cwd=root).out
        assert run("check", "--strict", cwd=root).code == 0
        assert run("audit", root, "--out", root / "out", "--no-suppressions", "--strict", "--quiet", cwd=root).code == 0
        assert json.loads((root / "out/summary.json").read_text())["findings"]["warning"] == 1


SELF_NAMED = re.compile(r"# \S+\.(?:toml|yaml)\n")
"""How files of a configuration begin; `tests/project/test_readme.py` has them work together."""
WORKFLOW = {"name": "x", "on": "push", "permissions": {"contents": "read"}}
MANIFEST = {"name": "x", "version": "1.0.0", "description": "X.", "types": ["prompt"]}
CONTEXT = {"dependencies", "overrides", "prohibit", "parameters", "tags", "conflict-resolution"}


def data() -> list[Block]:
    return [block for block in blocks("yaml", "toml", "json") if not SELF_NAMED.match(block.body)]


@pytest.mark.parametrize("block", data(), ids=lambda block: f"{block.page}: {block.body.splitlines()[0]}")
def test_a_file_is_valid_for_its_reader(block: Block, tmp_path: Path, tree: Tree, run: Run) -> None:
    value = yaml.safe_load(block.body)
    if isinstance(value, list):
        steps = yaml.safe_load(re.sub(r"OWNER/NAME@\S+", "./", block.body))
        job = {"runs-on": "ubuntu-latest", "steps": steps}
        held("vendor.github-workflows", yaml.safe_dump({**WORKFLOW, "jobs": {"x": job}}), tmp_path)
        inputs = yaml.safe_load(read(PROJECT / "action.yml"))["inputs"]
        assert {name for step in steps for name in step.get("with", {})} <= inputs.keys()
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
    elif "types" in value:
        assert block.body in {path.read_text("utf-8") for path in (PROJECT / "examples").rglob("SKILL.yaml")}
    elif "rules" in value or "wiki" in value:
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
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


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
    assert run("resolve", "convert", cwd=root).code in (0, 3)


def catalog(names: Iterable[str]) -> dict[str, str]:
    """The entrypoint and the catalog of a workspace with these skills."""
    lines = "".join(f"{name}: Tidy a folder. Use when files lie about.\n" for name in names)
    return {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": lines}
