"""The lines that the pages show, typed. Their files are read by `tests/project/test_docs_files.py`.

The sessions of `docs/lifecycle.md` and `docs/runtime.md`, and what they print, are held by
`tests/session/test_worked_session.py`, and by `test_runtime_page.py` and `test_runtime_tutorial.py` in
`tests/runtime/pages`.
"""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click
import pytest
import yaml

from skillbag.doors.cli.app import app
from tests.project.doc_worlds import World, make_world
from tests.project.pages import COMMANDS, FENCE, PAGES, SPAN, TASKS, blocks, calls, name, read, runs, typed
from tests.rows import each_row
from tests.sampling import sample
from tests.supply.install.worlds import write
from tests.supply.sources.registries import serve_registry
from tests.support import AS_PERSON, PROJECT

DECISIONS = (
    "skillbag runtime permissions",
    "skillbag runtime dirs",
    "skillbag agent hook uninstall",
    "skillbag agent personal add reg",
)
"""They need a person, on a terminal."""

ENDLESS = (
    *("skillbag check --watch", "skillbag agent mcp --http", "skillbag team conformance --driver"),
    "skillbag team registry serve",
)
"""Lines that run until they are interrupted, or for minutes: they are parsed, but not run."""
ELSEWHERE = (
    *("python3 -m venv ", "pip install ", "pipx ", "uv tool install ", "uvx ", "benchmarks/"),
    *("cd editors/vscode ", "code --install-extension "),
)
"""Lines that other tests cover: those of the README, those below, or `tests/editors`."""
HOLDS = {"README.md": "examples", "index.md": "nothing", **{name(page): "nothing" for page in TASKS}}
"""What is there where a page begins, if that is no workspace."""
WORKED = ("lifecycle.md", "runtime.md")
"""Pages whose session other tests carry out."""
TYPED = [
    page for page in dict.fromkeys(row.page for row in blocks("console", "sh")) if page not in ("README.md", *WORKED)
]
BEFORE = {
    "skillbag check --changed-since": "git init -q && git -c user.name=me -c user.email=me@host.example commit -q"
    " --allow-empty -m begin && git update-ref refs/remotes/origin/main HEAD",
    "skillbag runtime list": "cp -r examples/runtime/skills/kubernetes .skills/",
    "skillbag run convert_to_pdf": "printf '\\n## Parameters\\n\\n```yaml\\nrequired:\\n  - name: format\\n```\\n' "
    ">> .skills/convert-to-pdf/SKILL.md",
    "~/.chibi/plugins/agent-skills/agent-skills search": "skillbag team marketplace add"
    " https://example.com/team/skills.git --name forms && skillbag team marketplace update",
    "skillbag search": "skillbag team marketplace add"
    " https://example.com/team/skills.git && skillbag team marketplace update",
}
"""What a reader of the page has done before such a line, where the page does not say so."""


def understand(words: list[str]) -> None:
    """Parse the words as the command line does, without running the command.

    Raises:
        click.UsageError: it does not take them.
    """
    context = click.Context(app, info_name="skillbag")
    name: str | None = "skillbag"
    command: click.Command | None = app
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, command, words = command.resolve_command(context, words)
    assert command
    try:
        command.make_context(name, words, parent=context)
    except click.exceptions.Exit:
        # An option such as --version does all that it does here.
        return
    except click.BadParameter as error:
        # A folder that a reader of the page has, or that an earlier line makes.
        if "does not exist" not in error.message:
            raise


def fenced() -> list[tuple[str, str]]:
    """Each line of the pages' blocks that calls the program, after the name of its page."""
    shown = blocks("console", "sh", pages=[*PAGES, *COMMANDS])
    found = [(block.page, shown.line) for block in shown for shown in typed(block)]
    found += [(row.page, line) for row in blocks("yaml", "json") for line in runs(yaml.safe_load(row.body))]
    return [(page, line) for page, line in found if list(calls(line))]


def spans() -> list[tuple[str, str]]:
    """Each call of the program within a sentence."""
    return [
        (name(page), span)
        for page in PAGES
        for span in dict.fromkeys(SPAN.findall(FENCE.sub("", read(page))))
        if span.startswith("skillbag ") and " ." not in span
    ]


@each_row(("page", "line"), fenced())
def test_a_line_is_one_that_the_program_takes(page: str, line: str) -> None:
    for words in calls(line):
        understand(words)


@each_row(("page", "line"), spans())
def test_a_call_within_a_sentence_is_valid(page: str, line: str) -> None:
    for words in calls(line):
        try:
            understand(words)
        except (click.MissingParameter, click.BadOptionUsage):
            # A sentence names a command, or an option, without all that belongs to it.
            continue


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[World]:
    made = make_world(tmp_path, monkeypatch, HOLDS.get(request.param, "workspace"))
    if request.param == "index.md":
        first = blocks(pages=[PROJECT / "docs/start/check.md"])
        write(made.root, {block.title: block.body for block in first if block.title})
    with serve_registry() as registry:
        if request.param == "registry.md":
            registry.add("tidy-folder", "1.2.0", "1.3.0")
            monkeypatch.setenv("SKILLBAG_REGISTRY", registry.url)
        yield made


@contextmanager
def served(world: World) -> Iterator[str]:
    """`skillbag agent mcp` over HTTP, at the port that it gives: the one that the pages name may be taken."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    token = world.home / f".local/state/skillbag/mcp/{port}.token"
    server = subprocess.Popen(["skillbag", "agent", "mcp", "--http", port], cwd=world.root, stderr=subprocess.PIPE)
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
    [
        ("README.md", "README.md"),
        *(pytest.param(name, name, marks=pytest.mark.slow) for name in sample("pages", TYPED, 6)),
    ],
    indirect=["world"],
)
def test_the_lines_of_a_page_work(page: str, world: World) -> None:
    for block in blocks():
        if block.page != page:
            continue
        if block.title:
            write(world.root, {block.title: block.body})
            continue
        if block.language == "python":
            code = block.body.replace("/home/me", str(world.home))
            with served(world) if ":8000/" in code else nullcontext("8000") as port:
                output, ended = world.type(shlex.join([sys.executable, "-c", code.replace("8000", port)]))
            assert ended == 0, (code, output)
            continue
        for shown in typed(block) if block.language in ("console", "sh") else ():
            if shown.line.startswith((*ENDLESS, *ELSEWHERE)):
                continue
            for beginning, before in BEFORE.items():
                if shown.line.startswith(beginning):
                    assert world.type(before)[1] == 0, world.type(before)
            line = shown.line
            if line.startswith(DECISIONS):
                line = f"{shlex.join(AS_PERSON)}{line.removeprefix('skillbag')}"
            output, ended = world.type(line)
            assert ended == shown.exit, (shown.line, output)
            assert not shown.output or alike(shown.output, output), (shown.line, output)


def alike(shown: str, output: str) -> bool:
    """Whether the output is what the page shows; `…` stands for what differs from one machine to the next."""
    shown, output = (re.sub(r" +$", "", text, flags=re.MULTILINE).strip("\n") for text in (shown, output))
    return re.fullmatch(re.escape(shown).replace("…", ".*"), output) is not None


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
