"""`registry:NAME@RANGE` as a source of every command that takes one, over real HTTP (skill runtime, section 10)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.supply.install.outcomes import checks, installed, lock_of
from tests.supply.install.worlds import call, contents, make_workspace, skill_text, unchanged
from tests.supply.sources.hostile_tars import HOSTILE
from tests.supply.sources.registries import LoopbackRegistry, packed, serve_registry, skill_files
from tests.support import Run

SCHEMA = Path(__file__).parents[3] / "schemas" / "lock.schema.json"


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


def test_an_unknown_skill_and_the_one_that_may_be_meant(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    done = run("install", "registry:tidi", cwd=workspace)
    assert (done.code, "; did you mean tidy?" in done.out + done.err) == (4, True), done


@pytest.mark.parametrize(
    ("requested", "version"),
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
    registry: LoopbackRegistry, tmp_path: Path, run: Run, requested: str, version: str
) -> None:
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "install", requested)
    assert code == 0, values
    assert installed(workspace) == ["tidy"]
    assert f"Read the file. {version}" in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    locked = lock_of(workspace)["tidy"]
    assert locked["source"] == f"registry+{registry.url}/tidy"
    assert locked["kind"] == "registry"
    assert locked["resolved"].startswith(f"{version}@sha256:")
    assert locked["requested"] == (requested.partition("@")[2] or None)
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(
        json.loads((workspace / "skillbag.lock").read_text("utf-8"))
    )
    assert checks(run, workspace).code == 0


def test_one_model_for_frozen_offline_verify_update_and_outdated(
    registry: LoopbackRegistry, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", "registry:tidy@^1", "registry:sweep")[0] == 0
    assert call(run, workspace, "verify", "--source")[0] == 0
    before = lock_of(workspace)
    assert call(run, workspace, "install")[0] == 0
    assert lock_of(workspace) == before
    registry.add("tidy", "1.3.0")
    (tmp_path / "cache/registry").rename(tmp_path / "cache/gone")
    (tmp_path / "cache/registry").mkdir()
    _, values = call(run, workspace, "outdated")
    assert {row["name"]: row["status"] for row in values["skills"]} == {"tidy": "outdated", "sweep": "current"}
    # Where the registry is no longer configured, the lock alone leads to it.
    monkeypatch.delenv("SKILLBAG_REGISTRY")
    assert call(run, workspace, "update", "--yes")[0] == 0
    assert lock_of(workspace)["tidy"]["resolved"].startswith("1.3.0@sha256:")
    fresh = make_workspace(tmp_path / "fresh")
    (fresh / "skillbag.lock").write_bytes((workspace / "skillbag.lock").read_bytes())
    registry.skills.clear()
    assert call(run, fresh, "install", "--frozen", "--offline")[0] == 0
    assert contents(fresh / ".skills") == contents(workspace / ".skills")


def test_frozen_takes_the_locked_archive_and_no_other(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert call(run, workspace, "install", "registry:tidy@1.0.0")[0] == 0
    fresh = make_workspace(tmp_path / "fresh")
    (fresh / "skillbag.lock").write_bytes((workspace / "skillbag.lock").read_bytes())
    registry.skills["tidy"]["1.0.0"] = packed(skill_files("tidy", "1.0.0", "Something else."))
    shutil.rmtree(tmp_path / "cache")
    with unchanged(fresh):
        code, values = call(run, fresh, "install", "--frozen")
    assert code == 3
    assert "not the one that was published" in values["problems"][0]["message"]


def test_nothing_is_asked_of_the_network_offline(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "registry:tidy", "--offline")
    assert code == 4
    assert "not in the cache" in values["problems"][0]["message"]
    assert registry.server.requests == []


def test_a_range_without_a_version(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "registry:tidy@^9")
    message = values["problems"][0]["message"]
    assert 'no version matching "^9" (available: 3.0.0-rc.1, 2.0.0, 1.2.0, 1.0.0)' in message
    assert code == 4


@pytest.mark.parametrize(("count", "end"), [(10, "1.0.0)"), (11, "1.1.0, and 1 more)")])
def test_ten_versions_are_shown_where_none_fits(
    registry: LoopbackRegistry, tmp_path: Path, run: Run, count: int, end: str
) -> None:
    registry.add("mend", *(f"1.{number}.0" for number in range(count)))
    _, values = call(run, make_workspace(tmp_path / "w"), "install", "registry:mend@^9")
    assert end in values["problems"][0]["message"]


@pytest.mark.parametrize(
    ("requested", "words"),
    [
        (["registry:tidy@main"], "no version or range"),
        (["registry:tidy@"], "no version follows"),
        (["registry:../x"], "no name in a registry"),
        (["registry:Tidy_2"], "is not a skill's name"),
        (["registry:tidy", "--source", "../x"], "leave out --source"),
        (["registry:tidy@1", "--version", "2"], "give one of them"),
        (["sweep", "--source", "registry:tidy"], "leave out the other names"),
        (["registry+http://example.com/tidy"], "over https only"),
    ],
)
def test_what_is_refused_before_any_request(
    registry: LoopbackRegistry, tmp_path: Path, run: Run, requested: list[str], words: str
) -> None:
    workspace = make_workspace(tmp_path / "w")
    with unchanged(workspace):
        code, values = call(run, workspace, "install", *requested)
    assert words in values["problems"][0]["message"]
    assert code == 2
    assert registry.server.requests == []


@pytest.mark.parametrize("kind", ["kind: symbolic link", "name: climbing", "manifest: other version", "layout: no end"])
def test_a_hostile_archive_changes_nothing(registry: LoopbackRegistry, tmp_path: Path, run: Run, kind: str) -> None:
    workspace = make_workspace(tmp_path / "w")
    registry.skills["tidy"]["1.0.0"] = HOSTILE[kind][0]
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "registry:sweep", "registry:tidy@1.0.0")
    assert code == 1
    assert HOSTILE[kind][1] in values["problems"][0]["message"]


def test_a_skill_without_instructions_is_refused_with_the_clause(
    registry: LoopbackRegistry, tmp_path: Path, run: Run
) -> None:
    files = skill_files("tidy", "1.0.0")
    registry.skills["tidy"]["1.0.0"] = packed({"SKILL.yaml": files["SKILL.yaml"]})
    workspace = make_workspace(tmp_path / "w")
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "registry:tidy@1.0.0")
    assert code == 1
    assert values["problems"][0]["clause"] == "root.path"
    assert "SKILL.md" in values["problems"][0]["message"]


def test_add_declares_it(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "add", "registry:tidy@^1", "registry:sweep")
    assert code == 0, values
    declared = (workspace / "CONTEXT.md").read_text("utf-8")
    assert f'source: "registry+{registry.url}/tidy"' in declared
    assert 'version: "^1"' in declared
    assert "version: latest" in declared
    assert any("other programs" in note for note in values["notes"])
    assert checks(run, workspace).code == 0
    assert call(run, workspace, "install")[0] == 0
    assert lock_of(workspace)["tidy"]["asked_by"] == ["CONTEXT.md"]


def test_dependencies_come_from_the_same_registry(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    text = skill_text("needs", ["sweep", {"name": "tidy", "version": "^1"}])
    registry.skills["needs"] = {"1.0.0": packed({"SKILL.md": text})}
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "install", "registry:needs")
    assert code == 0, values
    locked = lock_of(workspace)
    assert {name: locked[name]["resolved"].partition("@")[0] for name in locked} == {
        "needs": "1.0.0",
        "sweep": "0.1.0",
        "tidy": "1.2.0",
    }
    assert call(run, workspace, "install", "--frozen")[0] == 0


def test_versions_of_one_skill_conflict(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    source = f"registry+{registry.url}/tidy"
    one, two = ({"name": "tidy", "version": version, "source": source} for version in ("^1", "^2"))
    workspace = make_workspace(tmp_path / "w", [one, two])
    with unchanged(workspace):
        code, values = call(run, workspace, "install")
    assert code == 3
    assert values["problems"][0]["clause"] == "resolution.dependency-conflict"
    agreeing = make_workspace(tmp_path / "agreeing", [one, one | {"version": "'>=1.1 <2'"}])
    assert call(run, agreeing, "install")[0] == 0


def test_a_newer_version_outside_of_the_range_is_shown(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert "1.2.0" in run("install", "registry:tidy@^1", "--yes", cwd=workspace).out
    _, values = call(run, workspace, "outdated")
    (row,) = values["skills"]
    assert (row["status"], row["resolved"].partition("@")[0]) == ("pinned", "2.0.0")
    assert row["why"] == "2.0.0 is newer, but ^1 is asked for; skillbag update tidy --version latest takes it"


@pytest.mark.usefixtures("a_person")
def test_a_personal_skill(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    root = tmp_path / "personal"
    assert run("personal", "add", "registry:tidy@^1", "--personal", root).code == 0
    assert "Read the file. 1.2.0" in (root / "tidy/SKILL.md").read_text("utf-8")
    registry.skills["tidy"]["9.0.0"] = HOSTILE["kind: symbolic link"][0]
    shutil.rmtree(tmp_path / "cache")
    with unchanged(root):
        assert run("personal", "add", "registry:tidy@9.0.0", "--personal", root).code == 2
        assert run("personal", "add", "registry:none", "--personal", root).code == 4
