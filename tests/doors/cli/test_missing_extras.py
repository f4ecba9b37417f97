"""Commands whose extra is not installed: exit code 4 and what to install, or a check that says what it left out."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.doors.cli import doctor_facts
from skillbag.lint.checks import javascript
from tests.support import PROJECT, Run, skill

pytestmark = pytest.mark.boundary


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a package be missing."""
    return lambda name: monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    ("command", "user"),
    [
        (("check", "--watch"), "--watch"),
        (("session", "refresh", "--session", "s", "--watch"), "--watch"),
        (("runtime", "dev", ".skills/tidy"), "skillbag runtime dev without --once"),
    ],
)
def test_watching_without_watchfiles_is_exit_4_at_once(
    tmp_path: Path, run: Run, without: Callable[[str], None], command: tuple[str, ...], user: str
) -> None:
    run("init", cwd=tmp_path)
    run("new", "tidy", "--type", "prompt", cwd=tmp_path)
    run("enter", "--session", "s", cwd=tmp_path)
    without("watchfiles")
    done = run(*command, cwd=tmp_path)
    message = f"error: {user} needs watchfiles, which is not installed: pip install 'skillbag[watch]'\n"
    assert (done.code, done.out, done.err) == (4, "", message)


def test_a_registry_without_its_server_is_exit_4_at_once(
    tmp_path: Path, run: Run, without: Callable[[str], None]
) -> None:
    without("uvicorn")
    done = run("team", "registry", "serve", tmp_path, "--port", "0")
    need = "skillbag team registry serve needs uvicorn, which is not installed: pip install 'skillbag[registry]'"
    assert (done.code, done.out, done.err) == (4, "", f"error: {need}\n")


@pytest.mark.parametrize("package", ["tree_sitter", "tree_sitter_javascript", "tree_sitter_typescript"])
def test_a_check_names_the_javascript_that_it_did_not_parse(
    tmp_path: Path, run: Run, without: Callable[[str], None], package: str
) -> None:
    folder = tmp_path / "skills/tidy"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(skill("tidy"), "utf-8")
    (folder / "scripts/run.js").write_text("run(;\n", "utf-8")
    (folder / "scripts/types.ts").write_text("const number: number = (3;\n", "utf-8")
    (folder / "scripts/run.py").write_text("run(\n", "utf-8")
    without(package)
    javascript._parser.cache_clear()
    report = json.loads(run("check", "--format=json", cwd=tmp_path).out)
    reason = "its syntax is not checked, since tree-sitter is not installed: pip install 'skillbag[javascript]'"
    named = {Path(each["path"]).name: each["reason"] for each in report["not_judged"]}
    found = {Path(each["path"]).name for each in report["findings"] if each["rule"] == "script-syntax-invalid"}
    parsed = {"tree_sitter_javascript": "types.ts", "tree_sitter_typescript": ""}.get(package)
    assert named == {name: reason for name in ("run.js", "types.ts") if name != parsed}
    assert found == {"run.py", "run.js", "types.ts"} - named.keys()
    assert f"run.js: {reason}" in run("check", cwd=tmp_path).out
    javascript._parser.cache_clear()


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "pipx inject skillbag 'skillbag[watch]'"),
        ("uv-receipt.toml", "uv tool install 'skillbag[watch]'"),
        ("pyvenv.cfg", "pip install 'skillbag[watch]'"),
    ],
)
def test_the_command_is_of_what_installed_the_program(
    tmp_path: Path,
    run: Run,
    without: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    mark: str,
    command: str,
) -> None:
    run("init", cwd=tmp_path)
    without("watchfiles")
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    (tmp_path / mark).touch()
    assert run("check", "--watch", cwd=tmp_path).err.endswith(f"is not installed: {command}\n")


def test_every_extra_that_a_message_names_exists() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    texts = [*(PROJECT / "skillbag").rglob("*.py"), *(PROJECT / "docs").rglob("*.md"), PROJECT / "README.md"]
    named = {
        name.strip()
        for path in texts
        for names in re.findall(r"(?:skillbag\[|to_install\([\"'])([\w,]+)[\]\"']", path.read_text("utf-8"))
        for name in names.split(",")
    }
    assert {"javascript", "mcp", "runtime", "watch"} <= named <= extras.keys()
    bundled = {name for extra in extras["all"] for name in re.findall(r"\w+", extra)} - {"skillbag"}
    assert bundled == extras.keys() - {"all", "dev", "docs", "test"}
    assert doctor_facts._EXTRAS.keys() == bundled
