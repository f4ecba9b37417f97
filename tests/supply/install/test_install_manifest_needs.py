"""`dependencies` of `SKILL.yaml` at installation: followed from a registry, named where there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.lint.skill_graph.needs import BUILT_IN
from skillbag.runtime.discovery.builtin import FOLDER
from tests.supply.install.outcomes import checks, installed, lock_of
from tests.supply.install.worlds import call, make_workspace, unchanged, write
from tests.supply.sources.registries import LoopbackRegistry, packed, serve_registry, skill_files
from tests.support import Run


def needing(name: str, version: str, dependencies: str) -> dict[str, str]:
    """The files of a skill with `dependencies` in its manifest, in YAML."""
    files = skill_files(name, version)
    return {**files, "SKILL.yaml": f"{files['SKILL.yaml']}dependencies: {dependencies}\n"}


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackRegistry]:
    """A registry with `tidy`, `sweep`, and `needs`, whose manifest requires the former and can use the latter."""
    with serve_registry() as served:
        served.add("tidy", "1.0.0", "1.2.0", "2.0.0")
        served.add("sweep", "0.1.0")
        optional = ", ".join(f"{{name: {name}, optional: true}}" for name in ("sweep", "git", "mcp-docs"))
        wanted = f"[{{name: tidy, version: ^1}}, {optional}]"
        served.skills["needs"] = {"1.0.0": packed(needing("needs", "1.0.0", wanted))}
        monkeypatch.setenv("SKILLBAG_REGISTRY", served.url)
        yield served


@pytest.fixture
def workspace(registry: LoopbackRegistry, tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "w")


@pytest.mark.parametrize("command", ["install", "add"])
def test_what_is_required_comes_from_the_same_registry(workspace: Path, run: Run, command: str) -> None:
    code, values = call(run, workspace, command, "registry:needs")
    assert code == 0, values
    assert installed(workspace) == ["needs", "tidy"]
    tidy = lock_of(workspace)["tidy"]
    assert (tidy["resolved"].partition("@")[0], tidy["requested"], tidy["asked_by"]) == ("1.2.0", "^1", ["needs"])
    assert "Optional and left out: sweep; --accept optional installs them." in values["notes"]
    assert not any("git" in note or "mcp-docs" in note for note in values["notes"])
    assert checks(run, workspace).code == 0
    activated = json.loads(run("runtime", "activate", "needs", "--json", cwd=workspace).out)
    assert activated.get("activated") == ["tidy", "needs"], activated


def test_optional_ones_are_installed_if_asked_for(workspace: Path, run: Run) -> None:
    assert call(run, workspace, "install", "registry:needs", "--accept=optional")[0] == 0
    assert installed(workspace) == ["needs", "sweep", "tidy"]


def test_they_are_locked_updated_and_kept_as_other_dependencies(
    registry: LoopbackRegistry, workspace: Path, tmp_path: Path, run: Run
) -> None:
    assert call(run, workspace, "install", "registry:needs")[0] == 0
    fresh = make_workspace(tmp_path / "fresh")
    (fresh / "skillbag.lock").write_bytes((workspace / "skillbag.lock").read_bytes())
    assert call(run, fresh, "install", "--frozen")[0] == 0
    assert installed(fresh) == ["needs", "tidy"]
    with unchanged(workspace):
        code, values = call(run, workspace, "remove", "tidy")
    assert (code, values["problems"][0]["message"]) == (3, "tidy: needs needs it")
    registry.add("tidy", "1.3.0")
    assert run("cache", "prune", cwd=workspace).code == 0
    assert call(run, workspace, "update", "--yes")[0] == 0
    assert lock_of(workspace)["tidy"]["resolved"].startswith("1.3.0@")
    assert call(run, workspace, "remove", "needs", "tidy")[0] == 0
    assert installed(workspace) == []


def test_ranges_that_no_version_fits_change_nothing(registry: LoopbackRegistry, workspace: Path, run: Run) -> None:
    registry.skills["other"] = {"1.0.0": packed(needing("other", "1.0.0", "[{name: tidy, version: ^2}]"))}
    registry.skills["lost"] = {"1.0.0": packed(needing("lost", "1.0.0", "[{name: tidy, version: ^9}]"))}
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "registry:needs", "registry:other")
        assert (code, values["problems"][0]["clause"]) == (3, "resolution.dependency-conflict")
        code, values = call(run, workspace, "install", "registry:lost")
        assert (code, 'no version matching "^9"' in values["problems"][0]["message"]) == (4, True)


def test_other_sources_say_what_is_missing(workspace: Path, tmp_path: Path, run: Run) -> None:
    files = needing("local", "1.0.0", "[{name: tidy, version: ^1}, {name: sweep, optional: true}, {name: git}]")
    write(tmp_path / "source/skills/local", files)
    words = ("local", "--source", str(tmp_path / "source"))
    code, values = call(run, workspace, "install", *words)
    assert code == 0, values
    assert installed(workspace) == ["local"]
    reported = "(.skills/local/SKILL.yaml:5), which is not in this workspace: skillbag install"
    assert [note for note in values["notes"] if "registry:" in note] == [
        f"local needs tidy@^1 {reported} 'registry:tidy@^1', or name another source of it.",
        f"local can use sweep {reported} registry:sweep, or name another source of it.",
    ]
    assert call(run, workspace, "install", "registry:tidy@^1", "registry:sweep")[0] == 0
    assert not any("registry:" in note for note in call(run, workspace, "install")[1]["notes"])


@pytest.mark.parametrize("dependencies", ["7", "[{name: ../x}]", "[{name: needs}]", "[{version: ^1}]"])
def test_a_malformed_manifest_requires_nothing(
    registry: LoopbackRegistry, workspace: Path, run: Run, dependencies: str
) -> None:
    registry.skills["needs"] = {"1.0.0": packed(needing("needs", "1.0.0", dependencies))}
    call(run, workspace, "install", "registry:needs")
    assert installed(workspace) in ([], ["needs"])


def test_the_built_in_skills_are_known() -> None:
    assert {path.parent.name for path in Path(FOLDER).glob("*/SKILL.yaml")} == BUILT_IN
