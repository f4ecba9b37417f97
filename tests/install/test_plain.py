"""`skillbag install --plain`: skills of plain Agent Skills repositories, from git, zip and folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.install.plain_sources import PLAIN, addresses, messages, skills, take
from tests.install.worlds import (
    call,
    checks,
    installed,
    lock_of,
    make_source,
    make_workspace,
    snapshot,
    statuses,
    values_of,
    write,
)
from tests.sources.repositories import git, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


SCHEMA = Path(__file__).parents[2] / "schemas" / "lock.schema.json"


def test_git_zip_and_folder_give_the_same_trees(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN, executable=["skills/tidy/scripts/tidy.sh"])
    trees = {}
    for kind, address in addresses(tmp_path, repo).items():
        workspace = make_workspace(tmp_path / kind)
        take(run, workspace, address, "--all")
        assert installed(workspace) == ["dust", "mend", "sweep", "tidy"]
        assert (workspace / ".skills/tidy/scripts/tidy.sh").stat().st_mode & 0o100
        assert checks(run, workspace).code == 0
        lock = json.loads((workspace / "skillbag.lock").read_text("utf-8"))
        Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(lock)
        trees[kind] = {name: locked["tree"] for name, locked in lock["skills"].items()}
        assert {locked["layout"] for locked in lock["skills"].values()} == {"plain"}
    assert len({json.dumps(tree, sort_keys=True) for tree in trees.values()}) == 1


def test_only_skills_are_fetched_from_git(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "cache"))
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    take(run, make_workspace(tmp_path / "w"), repo.url, "tidy")
    (cached,) = (tmp_path / "cache/git").iterdir()
    known = git(cached, "cat-file", "--batch-all-objects", "--batch-check")
    assert repo.git("rev-parse", "main:skills/tidy/SKILL.md") in known
    assert repo.git("rev-parse", "main:src/large.bin") not in known
    assert repo.git("rev-parse", "main:README.md") not in known


@pytest.mark.parametrize("kind", ["git", "flat zip", "folder"])
def test_without_plain_the_message_names_the_option(tmp_path: Path, workspace: Path, run: Run, kind: str) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy"))
    address = addresses(tmp_path, repo)[kind]
    before = snapshot(workspace)
    values = values_of(run, workspace, "install", "tidy", "--source", address, code=1)
    assert "--plain takes them" in messages(values)
    assert snapshot(workspace) == before
    code, values = call(run, workspace, "install", "--all", "--source", address)
    assert code != 0
    assert "--plain takes them" in json.dumps(values)


def test_a_repository_with_agents_of_its_own_is_told_of_plain_too(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    values = values_of(run, make_workspace(tmp_path / "w"), "install", "tidy", "--source", repo.url, code=1)
    assert "--plain takes them" in messages(values)


def test_a_source_without_plain_skills_is_told_of_nothing(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "notes", {"README.md": "Nothing.\n"})
    repo = make_repository(tmp_path / "repo.git", {"README.md": "Nothing.\n"})
    for address in (tmp_path / "notes", repo.url):
        values = values_of(run, make_workspace(tmp_path / "w"), "install", "tidy", "--source", address, code=1)
        assert "--plain" not in messages(values)
        values = take(run, tmp_path / "w", address, "tidy", code=1)
        assert "no Agent Skills" in messages(values)


def test_a_skillbag_source_stays_one_and_is_held_to_its_rules(tmp_path: Path, workspace: Path, run: Run) -> None:
    source = make_source(tmp_path / "source", ["tidy"])
    write(source, skills("other"))
    take(run, workspace, source, "tidy")
    assert "layout" not in lock_of(workspace)["tidy"]
    values = take(run, workspace, source, "other", code=1)
    assert "there is no skill `other` in this source" in messages(values)
    (source / ".skills/SKILLS.md").unlink()
    take(run, make_workspace(tmp_path / "w2"), source, "tidy", code=1)


def test_a_skillbag_repository_that_is_asked_for_as_plain_is_fetched_as_what_it_is(tmp_path: Path, run: Run) -> None:
    folder = make_source(tmp_path / "source", ["tidy"])
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    repo = make_repository(tmp_path / "repo.git", files | skills("other"))
    for number, address in enumerate(addresses(tmp_path, repo).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        take(run, workspace, address, "tidy")
        assert "layout" not in lock_of(workspace)["tidy"]


def test_what_is_in_the_cache_as_a_source_is_not_taken_for_plain(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", PLAIN)
    for address in addresses(tmp_path, repo).values():
        for options in ([], ["--plain"], []):
            values = values_of(run, workspace, "list", "--source", address, *options, code=0)
            assert list(statuses(values)) == (["dust", "mend", "sweep", "tidy"] if options else [])
            assert bool(values["notes"]) is not bool(options)


def test_locks_of_skillbag_sources_have_no_layout(tmp_path: Path, workspace: Path, run: Run) -> None:
    assert call(run, workspace, "install", "tidy", "--source", make_source(tmp_path / "s", ["tidy"]))[0] == 0
    expected = ["asked_by", "executable", "kind", "requested", "resolved", "source", "tree"]
    assert sorted(lock_of(workspace)["tidy"]) == expected


@pytest.mark.parametrize("layout", ["null", '"Plain"', "true", "[]"])
def test_a_lock_with_another_layout_is_refused(tmp_path: Path, workspace: Path, run: Run, layout: str) -> None:
    take(run, workspace, write(tmp_path / "plain", skills("tidy")), "tidy")
    lock = workspace / "skillbag.lock"
    lock.write_text(lock.read_text("utf-8").replace('"layout": "plain"', f'"layout": {layout}'), "utf-8")
    values = values_of(run, workspace, "install", code=2)
    assert "layout" in json.dumps(values)
