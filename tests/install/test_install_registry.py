"""`registry:NAME@RANGE` as a source of every command that takes one, over real HTTP (skill runtime, section 10)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.install.outcomes import checks, installed, lock_of
from tests.install.worlds import call, make_workspace
from tests.sources.registries import LoopbackRegistry, serve_registry
from tests.support import Run

SCHEMA = Path(__file__).parents[2] / "schemas" / "lock.schema.json"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackRegistry]:
    """A configured registry with two skills, and an empty cache."""
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SKILLBAG_CONFIG_DIR", str(tmp_path / "config"))
    with serve_registry() as served:
        served.add("tidy", "1.0.0", "1.2.0", "2.0.0", "3.0.0-rc.1")
        served.add("sweep", "0.1.0")
        monkeypatch.setenv("SKILLBAG_REGISTRY", served.url)
        yield served


@pytest.mark.parametrize(
    ("asked", "version"),
    [
        ("registry:tidy", "2.0.0"),
        ("registry:tidy@latest", "2.0.0"),
        ("registry:tidy@1.0.0", "1.0.0"),
        ("registry:tidy@^1", "1.2.0"),
        ("registry:tidy@>=3.0.0-rc.0", "3.0.0-rc.1"),
        ("registry:tidy@<2 || 9", "1.2.0"),
    ],
)
def test_install_records_version_registry_and_hash(
    registry: LoopbackRegistry, tmp_path: Path, run: Run, asked: str, version: str
) -> None:
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "install", asked)
    assert code == 0, values
    assert installed(workspace) == ["tidy"]
    assert f"Read the file. {version}" in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    locked = lock_of(workspace)["tidy"]
    assert locked["source"] == f"registry+{registry.url}/tidy"
    assert locked["kind"] == "registry"
    assert locked["resolved"].startswith(f"{version}@sha256:")
    assert locked["requested"] == (asked.partition("@")[2] or None)
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(
        json.loads((workspace / "skillbag.lock").read_text("utf-8"))
    )
    assert checks(run, workspace).code == 0
