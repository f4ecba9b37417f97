"""Skills of a registry in the marketplace: found by a search, installed and removed by their reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.supply.install.outcomes import installed
from tests.supply.install.worlds import make_source, make_workspace, unchanged
from tests.supply.sources.registries import LoopbackRegistry, serve_registry
from tests.supply.sources.servers import content
from tests.support import Run


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackRegistry]:
    for name in ("CACHE", "CONFIG"):
        monkeypatch.setenv(f"SKILLBAG_{name}_DIR", str(tmp_path / name))
    with serve_registry() as served:
        served.add("tidy-up", "1.0.0", "2.0.0")
        monkeypatch.setenv("SKILLBAG_REGISTRY", served.url)
        yield served


def test_a_search_shows_what_install_takes(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    done = run("search", "tidy", "--json")
    (skill,) = json.loads(done.out)["skills"]
    assert (skill["name"], skill["ref"], skill["source"]) == ("tidy-up", "registry:tidy-up", "registry")
    workspace = make_workspace(tmp_path / "w")
    assert run("marketplace", "install", skill["ref"], "--workspace", workspace).code == 0
    assert installed(workspace) == ["tidy-up"]
    assert "registry:tidy-up" in run("search", "tidy").out


def test_a_reference_with_a_range(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    workspace = make_workspace(tmp_path / "w")
    assert run("marketplace", "install", "registry:tidy-up@^1", "--workspace", workspace).code == 0
    assert "1.0.0@sha256:" in (workspace / "skillbag.lock").read_text("utf-8")
    with unchanged(make_workspace(tmp_path / "other")):
        done = run("marketplace", "install", "registry:tidy-up@9", "--workspace", tmp_path / "other")
    assert "no version matching" in done.out


def test_the_index_comes_first(registry: LoopbackRegistry, tmp_path: Path, run: Run) -> None:
    source = make_source(tmp_path / "source", ["tidy-desk"])
    assert run("marketplace", "add", source, "--name", "team").code == 0
    assert run("marketplace", "update").code == 0
    done = json.loads(run("search", "tidy", "--json").out)
    assert [skill["ref"] for skill in done["skills"]] == ["team/tidy-desk", "registry:tidy-up"]
    before = len(registry.server.requests)
    done = json.loads(run("search", "tidy", "--source", "team", "--json").out)
    assert [skill["ref"] for skill in done["skills"]] == ["team/tidy-desk"]
    assert len(registry.server.requests) == before


def test_a_failing_registry_is_a_remark(registry: LoopbackRegistry, run: Run) -> None:
    registry.replace("search", content(b'{"error": "out of \\u001b order"}', 500))
    done = run("search", "tidy")
    assert done.code == 0
    assert "unexpected status 500: out of order" in done.out
    assert "\x1b" not in done.out
    assert "not in the cache" in run("search", "other", "--offline").out


def test_without_a_registry_nothing_is_asked(
    registry: LoopbackRegistry, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKILLBAG_REGISTRY")
    done = run("search", "tidy")
    assert (done.code, "set SKILLBAG_REGISTRY, or `registry_url`" in done.err) == (2, True)
    assert registry.server.requests == []


def test_an_unknown_skill_and_the_one_that_may_be_meant(registry: LoopbackRegistry, run: Run) -> None:
    done = run("marketplace", "show", "registry:tidy-upp")
    assert (done.code, "; did you mean tidy-up?" in done.err) == (4, True)
    assert "did you mean" not in run("marketplace", "show", "registry:something-else").err


def test_a_registry_is_no_source(registry: LoopbackRegistry, run: Run) -> None:
    done = run("marketplace", "add", "registry:tidy-up", "--name", "team")
    assert done.code == 2
    assert "registry_url" in done.err


def test_show_before_installing(registry: LoopbackRegistry, run: Run) -> None:
    done = json.loads(run("marketplace", "show", "registry:tidy-up@^1", "--json").out)["skill"]
    assert (done["version"], done["versions"]) == ("1.0.0", ["2.0.0", "1.0.0"])
    assert "version: 1.0.0" in done["manifest"]
    assert not registry.server.seen("download")
    registry.replace("skills/tidy-up/2.0.0/manifest", content(b"name: \x1b[2J\n"))
    assert "\x1b" not in run("marketplace", "show", "registry:tidy-up").out
    assert run("marketplace", "show", "team/tidy-up").code == 2
    assert run("marketplace", "show", "registry:tidy-up@9").code == 4
