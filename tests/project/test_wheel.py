"""The built wheel, installed into a fresh environment and run there: rules, schemas and conformance cases are in it."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from man_pages import man_pages

from skillbag.lint.rules.builtin import load_rules
from tests.once import once
from tests.support import PROJECT, Completed, skill

Call = Callable[..., Completed]

LARGEST = 25e6
"""Bytes of an installation, beyond an empty environment."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(once(tmp_path_factory, "wheel", build))


def build(folder: Path) -> str:
    """Build the wheel in the folder, from a source distribution, which thereby has all that a build needs."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(PROJECT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return str(built)


@pytest.fixture(scope="module")
def bin_(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def install(home: Path) -> str:
        # Its own pip would take longer to install than the program.
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        folder = home / ("Scripts" if os.name == "nt" else "bin")
        pip = [sys.executable, "-m", "pip", "--python", str(folder / "python"), "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--no-compile", str(wheel)], check=True, capture_output=True)
        return str(folder)

    return Path(once(tmp_path_factory, "installed", install))


@pytest.fixture
def call(bin_: Path, tmp_path: Path) -> Call:
    """Run the installed program in a folder of the test; it must end with `code`."""

    def run(*arguments: str, code: int = 0) -> Completed:
        command = [str(bin_ / "skillbag"), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return Completed(done.returncode, done.stdout, done.stderr)

    return run


@pytest.mark.slow
def test_rules_schemas_and_templates_are_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"skillbag/data/rules/{rule.family}/{rule.id}.yaml" for rule in load_rules()} <= names
    schemas = {f"skillbag/data/schemas/{path.name}" for path in (PROJECT / "schemas").glob("*.json")}
    assert schemas <= names
    assert len(schemas) >= 3
    kit = {name for name in names if name.startswith("skillbag/data/conformance/")}
    assert {name.rpartition("/")[2] for name in kit} == {"PROTOCOL.md", "cases.json", "run.py"}
    pages = PROJECT / "skillbag/report/pages"
    parts = {path.relative_to(PROJECT).as_posix() for path in pages.rglob("*.*") if "__pycache__" not in path.parts}
    assert parts <= names
    assert {"base.html", "page.css", "listing.js"} <= {name.rpartition("/")[2] for name in parts}
    assert {"skillbag/lint/rules/index.py", "skillbag/py.typed", "skillbag/__init__.pyi"} <= names


@pytest.mark.slow
def test_an_installation_is_small_and_has_one_http_client(bin_: Path) -> None:
    """What `pip install --no-compile skillbag` (and uv) writes into an empty environment, without any extra."""
    (site,) = Path(bin_).parent.rglob("site-packages")
    # Without the bytecode of the tests that ran it before.
    files = [path for path in site.rglob("*") if "__pycache__" not in path.parts and path.is_file()]
    assert 15e6 < sum(path.stat().st_size for path in files) < LARGEST
    installed = {path.name.partition("-")[0].lower() for path in site.glob("*.dist-info")}
    assert installed & {"httpx2", "httpx", "requests", "urllib3", "aiohttp", "niquests"} == {"httpx2"}
    assert not installed & {"rich", "pygments", "watchfiles", "tree_sitter", "mcp"}


@pytest.mark.slow
def test_no_other_http_client_is_used() -> None:
    clients = ("urllib.request", "http.client")
    users = {path.name for path in (PROJECT / "skillbag").rglob("*.py") for name in clients if imports(path, name)}
    assert users == set()


def imports(path: Path, module: str) -> bool:
    """Whether a file imports the module."""
    text = path.read_text("utf-8")
    if module not in text:
        # No import of it can be there, and trees of all files take ten seconds.
        return False
    tree = ast.parse(text)
    plain = (alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names)
    named = (node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return module in {*plain, *named}


@pytest.mark.slow
def test_the_manual_is_where_man_looks_beside_the_program(bin_: Path) -> None:
    pages = bin_.parent / "share/man/man1"
    assert {path.name for path in pages.glob("*.1")} == {name for name, _ in man_pages()}
    if shutil.which("manpath") is None:
        pytest.skip("man is not installed")
    variables = {key: value for key, value in os.environ.items() if key != "MANPATH"}
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(["manpath"], env=variables | {"PATH": path}, capture_output=True, text=True, check=True)
    assert str(pages.parent) in found.stdout.strip().split(":")


@pytest.mark.slow
def test_the_installed_program_works(call: Call, tmp_path: Path) -> None:
    call("init")
    call("new", "tidy-folders", "--description", "Tidy folders. Use when files lie about.")
    assert "conforms to the checked clauses of SkillBag v0.3.0" in " ".join(call("check", "--strict").out.split())
    (tmp_path / ".skills/broken").mkdir()
    (tmp_path / ".skills/broken/SKILL.md").write_text("# No front matter\n", "utf-8")
    assert "frontmatter-invalid" in call("check", "--format=html", code=1).out
    report = json.loads(call("check", "--format=json", code=1).out)
    assert "frontmatter-invalid" in {finding["rule"] for finding in report["findings"]}
    assert call("rule", "frontmatter-invalid").out.startswith("# frontmatter-invalid")


@pytest.mark.slow
def test_the_installed_program_runs_a_session_and_the_conformance_kit(call: Call, tmp_path: Path) -> None:
    call("init")
    call("new", "tidy-folders")
    assert "tidy-folders" in call("enter", "--session", "s").out
    assert call("run", "tidy_folders", "--session", "s").out.startswith("# Skill: tidy-folders")
    assert call("session", "refresh", "--session", "s").out == "Nothing has changed.\n"
    assert json.loads(call("team", "conformance", "--clause", "naming.invocation", "--json").out)["exit"] == 0


@pytest.mark.slow
def test_a_team_rule_is_read_with_the_installed_schema(call: Call, tmp_path: Path) -> None:
    (tmp_path / "skills/a").mkdir(parents=True)
    (tmp_path / "skills/a/SKILL.md").write_text(skill("a"), "utf-8")
    (tmp_path / "team").mkdir()
    (tmp_path / "team/own.yaml").write_text("id: own\n", "utf-8")
    (tmp_path / "skillbag.toml").write_text('rules = ["team"]\n', "utf-8")
    assert "team/own.yaml:1" in call("check", code=2).err
