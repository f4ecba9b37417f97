"""`write_file`: what steers agents, editors, shells and version control, and what the manifest names of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.runtime.hosts import World, make_world, refusal
from tests.supply.install.worlds import write
from tests.supply.sources.repositories import git

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


STEERING = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "docs/AGENTS.override.md", "GEMINI.md", "sub/agents.MD"]
STEERING += ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", "skills/a/SKILL.md", "skills/a/SKILL.yaml", "MEMORY.md"]
STEERING += [
    ".cursorrules",
    ".windsurfrules",
    ".goosehints",
    ".github/copilot-instructions.md",
    "x/copilot-instructions.md",
]
STEERING += [".claude/settings.json", ".codex/config.toml", ".cursor/rules/a.mdc", "rules/a.mdc", ".agents/skills/a/b"]
STEERING += [
    ".opencode/a",
    ".kiro/a",
    ".goose/a",
    ".amp/a",
    ".github/agents/a.md",
    ".mcp.json",
    "mcp.json",
    "opencode.json",
]
STEERING += [
    ".vscode/tasks.json",
    ".vscode/settings.json",
    "sub/.vscode/launch.json",
    "a.code-workspace",
    ".idea/x.xml",
]
STEERING += [".zed/tasks.json", ".devcontainer/devcontainer.json", ".devcontainer.json", ".envrc", ".env", ".env.local"]
STEERING += [
    ".bashrc",
    ".zshrc",
    ".profile",
    ".exrc",
    ".gdbinit",
    ".pdbrc",
    ".Rprofile",
    "sitecustomize.py",
    "venv/bin/python",
]
STEERING += [".githooks/pre-commit", ".husky/pre-push", ".gitmodules", ".gitattributes", ".gitconfig", "lefthook.yml"]
STEERING += [".pre-commit-config.yaml", "sub/HEAD", "x.git/config", "CODEOWNERS", ".ssh/rc", ".config/fish/config.fish"]
STEERING += [".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "Jenkinsfile.prod"]
STEERING += [
    "azure-pipelines.yml",
    ".travis.yml",
    "bitbucket-pipelines.yml",
    ".npmrc",
    ".yarnrc.yml",
    ".cargo/config.toml",
]
STEERING += ["CONVENTIONS.md", "sub/TOOLS.md", "USER.md", "BOOTSTRAP.md", "BOOT.md", "codex.md", "OpenCode.md"]
STEERING += ["IFLOW.md", "sub/CODEBUDDY.md", "agents/openai.yaml", "greptile.json", "sweep.yaml", "ellipsis.yaml"]
STEERING += ["captainhook.json", "sub/commitlint.config.mjs", "bitrise.yml", "screwdriver.yaml"]
STEERING += ["lefthook-local.yml", "mise.local.toml", ".aider.conf.yml", ".roo/rules/a.md", ".clinerules", ".rules"]
SPELLINGS = [
    "agents.md",
    "AGENTS.md.",
    "AGENTS.md ",
    "AGENTS.md::$DATA",
    "ＡGENTS.md",
    "A\u200cGENTS.md",
    "AGENTS\xad.md",
]
SPELLINGS += [
    "AGENTS.md\ufe0f",
    "./AGENTS.md",
    "sub//./AGENTS.md",
    "CLAUDE\u202e.md",
    ".VSCODE/tasks.json",
    "VSCODE~1/tasks.json",
]
SPELLINGS += [
    "src\\\\.vscode\\\\tasks.json",
    "ENVRC~1",
    "MCP~1.JSO",
    ".ｅnvrc",
    ".github./workflows/ci.yml",
    "...",
    ".Github /x",
]
HARMLESS = [
    "docs/context.md",
    "docs/memory.md",
    "docs/agent.md",
    "docs/conventions.md",
    "docs/codex.md",
    "docs/tools.md",
    "llms.txt",
    "docs/identity.md",
    "README.md",
    "docs/agents/intro.md",
    "agents.py",
    "claude.txt",
    "context.py",
    "package.json",
    "Makefile",
]
HARMLESS += [
    "conftest.py",
    "pyproject.toml",
    "src/settings.json",
    "tasks.json",
    "pre-commit",
    "bin/update",
    "docs/skill.txt",
]
HARMLESS += [
    ".gitignore",
    ".editorconfig",
    ".env.example",
    ".cache/x.json",
    "a.b.md",
    "notes~",
    "é.md",
    "overhead",
    "my-agents.md",
]


@pytest.mark.parametrize("path", [*STEERING, *SPELLINGS])
def test_what_steers_agents_and_other_programs_is_not_written(world: World, path: str) -> None:
    (world.work / "sub").mkdir()
    before = sorted(world.work.rglob("*"))
    assert re.search("steers agents|is not visible", refusal(world, "write_file", path, "x"))
    refusal(world, "write_file", f"{world.work}/{path}", "x")
    assert sorted(world.work.rglob("*")) == before


def test_what_nobody_obeys_unasked_is_written(world: World) -> None:
    for path in HARMLESS:
        world.call("write_file", path, "x")
        assert (world.work / path).read_text() == "x"


def test_a_plain_word_counts_as_it_is_spelled_there(world: World) -> None:
    write(world.work, {"sub/CONTEXT.md": "", "sub/memory.md": ""})
    assert "steers" in refusal(world, "write_file", "sub/context.md", "x")
    assert "steers" in refusal(world, "write_file", "new/MEMORY.md", "x")
    assert "steers" in refusal(world, "write_file", "memory.md", "x")
    world.call("write_file", "sub/memory.md", "x")


DECLARED = ("AGENTS.md", ".vscode/tasks.json", ".planning/", ".skills/", ".git/", ".git/hooks/pre-commit")


@each_row(
    ("path", "is_written"),
    [
        *(("AGENTS.md", True), ("sub/AGENTS.md", True), (".vscode/tasks.json", True), (".planning/a/b.md", True)),
        *(("CLAUDE.md", False), (".claude/AGENTS.md", False), (".vscode/settings.json", False), (".planning", False)),
        *(("sub/.vscode/tasks.json", False), (".vscode/tasks.json/x", False), ("sub/.planning/a", False)),
        *((".skills/a/b", False), (".git/hooks/pre-commit", False), ("AGENTS.md.", False), ("x/.planning/a", False)),
    ],
)
def test_a_skill_writes_the_steering_files_that_its_manifest_names(tmp_path: Path, path: str, is_written: bool) -> None:
    world = make_world(tmp_path, steering_files=DECLARED)
    if is_written:
        world.call("write_file", path, "x")
    else:
        refusal(world, "write_file", path, "x")
    assert (world.work / path).is_file() == is_written


@pytest.mark.parametrize("nested", [False, True])
def test_git_s_configured_hooks_are_not_written(world: World, nested: bool) -> None:
    top = world.work / "nested" if nested else world.work
    top.mkdir(exist_ok=True)
    git(top, "init", "-q")
    git(top, "config", "core.hooksPath", "tools/hooks")
    path = f"{top.relative_to(world.work)}/tools/hooks/pre-commit"
    if nested:
        (top / "tools").mkdir()
        (top / "tools/hooks").mkdir()
    assert "steers" in refusal(world, "write_file", path, "x")
    world.call("write_file", path.replace("hooks", "hook"), "x")


@pytest.mark.parametrize(
    "path",
    [
        *("tools/hooks/PRE-COMMIT", "tools/hooks/pre-commit.", "tools/hooks/pre-commit::$DATA"),
        *("tools/hooks/ｐre-commit", "tools/Hooks/pre-commit", "tools/hooks./pre-commit"),
        *("ｔools/hooks/pre-commit", "tools/hooks/PRE-CO~1"),
    ],
)
def test_git_s_configured_hooks_are_not_written_in_another_spelling(world: World, path: str) -> None:
    git(world.work, "init", "-q")
    git(world.work, "config", "core.hooksPath", "tools/hooks")
    assert "steers" in refusal(world, "write_file", path, "x")
