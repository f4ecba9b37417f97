"""What is not the newest is never called current, and the order in which skills were added decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.supply.install.declared import need
from tests.supply.install.git_sources import copied
from tests.supply.install.outcomes import lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_workspace, skill_text, source_files, unchanged
from tests.supply.sources.repositories import Repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


def skills(body: str, **more: str) -> dict[str, str]:
    """The files of a source in which `lint` and `tidy` need `common`."""
    texts = {"lint": skill_text("lint", ["common"]), "tidy": skill_text("tidy", ["common"])}
    return source_files(texts | {"common": skill_text("common", body=body)} | more)


@pytest.fixture
def repository(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the tags `v1.0` and `v1.10`, between which `common` has changed."""

    def build(repo: Repository) -> None:
        repo.git("tag", "v1.0", repo.commit(skills("One.")))
        repo.git("tag", "v1.10", repo.commit(skills("Two.")))

    return copied(tmp_path_factory, "releases", tmp_path / "repo.git", build)


def declared(tmp_path: Path, repo: Repository, name: str = "work", **versions: str) -> Path:
    needs = [need(skill, repo.url, version) for skill, version in versions.items()]
    return make_workspace(tmp_path / name, needs)


def commits(workspace: Path) -> dict[str, tuple[str, str]]:
    return {name: (values["requested"], values["resolved"]) for name, values in lock_of(workspace).items()}


def rows(values: Mapping[str, object]) -> dict[str, dict[str, str]]:
    found: Iterable[dict[str, str]] = values["skills"]  # type: ignore[assignment]
    return {row["name"]: row for row in found}


def test_a_skill_pinned_to_an_older_tag_is_not_current(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository, common="v1.0")
    assert call(run, workspace, "install")[0] == 0
    with unchanged(workspace):
        code, values = call(run, workspace, "outdated")
        row = rows(values)["common"]
        assert (code, row["status"], row["version"]) == (0, "pinned", "v1.0")
        assert row["resolved"] == repository.tip("refs/tags/v1.10")
        assert row["why"] == "v1.10 is newer, but v1.0 is asked for; skillbag add common --version v1.10 takes it"
        code, values = call(run, workspace, "outdated", "--strict")
        (problem,) = values["problems"]
        assert (code, problem["fix"]) == (1, "skillbag add common --version v1.10 takes it.")
        for option in ((), ("--strict",)):
            outcome = run("outdated", *option, cwd=workspace)
            assert (outcome.out + outcome.err).count("skillbag add") == 1
        assert "skillbag add common --version v1.10 takes it" in run("update", "common", cwd=workspace).out
        assert "takes it" not in run("update", cwd=workspace).out
    assert call(run, workspace, "add", "common", "--version", "v1.10", "--yes")[0] == 0
    assert rows(call(run, workspace, "outdated")[1])["common"]["status"] == "current"


@pytest.mark.parametrize("tag", ["v2.0-rc1", "w9", "v0.9", "v1.0.0", "latest", "v1.10.1.dev3"])
def test_only_later_releases_are_newer(run: Run, tmp_path: Path, repository: Repository, tag: str) -> None:
    repository.commit(skills("Three."))
    repository.git("tag", tag, "refs/heads/main")
    workspace = declared(tmp_path, repository, common="v1.10")
    assert call(run, workspace, "install")[0] == 0
    code, values = call(run, workspace, "outdated", "--strict")
    assert (code, rows(values)["common"]["status"]) == (0, "current")


def test_a_newer_tag_with_the_same_skill_is_not_reported(run: Run, tmp_path: Path, repository: Repository) -> None:
    repository.commit(skills("Two.", other=skill_text("other")))
    repository.git("tag", "v2.0", "refs/heads/main")
    workspace = declared(tmp_path, repository, common="v1.10")
    assert call(run, workspace, "install")[0] == 0
    assert rows(call(run, workspace, "outdated")[1])["common"]["status"] == "current"


def test_a_pre_release_is_older_than_its_release(run: Run, tmp_path: Path, repository: Repository) -> None:
    repository.git("tag", "v3.0-rc1", "refs/heads/main")
    repository.commit(skills("Three."))
    repository.git("tag", "v3.0", "refs/heads/main")
    workspace = declared(tmp_path, repository, common="v3.0-rc1")
    assert call(run, workspace, "install")[0] == 0
    assert rows(call(run, workspace, "outdated")[1])["common"]["status"] == "pinned"


def test_a_pinned_commit_is_held_against_the_default_branch(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository, common=repository.tip("refs/tags/v1.0"))
    assert call(run, workspace, "install")[0] == 0
    row = rows(call(run, workspace, "outdated")[1])["common"]
    assert (row["status"], row["resolved"]) == ("pinned", repository.tip("refs/heads/main"))


def test_a_pinned_archive_is_compared_with_the_present_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "source.zip"

    def pack(body: str) -> str:
        with ZipFile(path, "w") as packed:
            for name, text in skills(body).items():
                packed.writestr(name, text)
        return f"sha256:{sha256(path.read_bytes()).hexdigest()}"

    pin = pack("One.")
    workspace = make_workspace(tmp_path / "work", [need("common", str(path), pin)])
    assert call(run, workspace, "install")[0] == 0
    assert rows(call(run, workspace, "outdated")[1])["common"]["status"] == "current"
    now = pack("Two.")
    row = rows(call(run, workspace, "outdated")[1])["common"]
    assert (row["status"], row["resolved"]) == ("pinned", now)


def test_outdated_says_what_an_update_would_do_to_siblings(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository, lint="v1.0")
    assert call(run, workspace, "install")[0] == 0
    context = workspace / "CONTEXT.md"
    context.write_text(context.read_text().replace("v1.0", "v1.10"))
    planned = statuses(call(run, workspace, "update", "--dry-run")[1])
    assert planned == {"lint": "current", "common": "upgraded"}
    values = values_of(run, workspace, "outdated", "--strict", code=1)
    assert statuses(values) == {"lint": "current", "common": "outdated"}
    assert "v1.10" in rows(values)["common"]["why"]


def test_outdated_reports_that_an_update_would_stop(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository, lint="v1.0")
    assert call(run, workspace, "install")[0] == 0
    declared(tmp_path, repository, lint="v1.0", tidy="v1.10")
    assert call(run, workspace, "update", "--dry-run")[0] == 3
    values = values_of(run, workspace, "outdated", code=0)
    assert any("common" in note and "update" in note for note in values["notes"])


def test_siblings_are_upgraded_with_an_added_version(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace, fresh = declared(tmp_path, repository), make_workspace(tmp_path / "fresh")
    assert call(run, workspace, "add", "lint", "--source", repository.url, "--version", "v1.0")[0] == 0
    assert call(run, workspace, "add", "lint", "--version", "v1.10")[0] == 3, "it replaces something"
    code, values = call(run, workspace, "add", "lint", "--version", "v1.10", "--yes")
    assert (code, statuses(values)) == (0, {"lint": "current", "common": "upgraded"})
    assert call(run, fresh, "add", "lint", "--source", repository.url, "--version", "v1.10")[0] == 0
    assert commits(workspace) == commits(fresh)
    assert call(run, workspace, "install")[1]["changed"] == []
    assert call(run, workspace, "install", "--frozen")[0] == 0


@pytest.mark.parametrize("order", [("lint", "tidy"), ("tidy", "lint")])
def test_two_versions_of_a_sibling_conflict_in_any_order(
    run: Run, tmp_path: Path, repository: Repository, order: tuple[str, str]
) -> None:
    versions = {"lint": "v1.0", "tidy": "v1.10"}
    fresh = declared(tmp_path, repository, "fresh", **versions)
    code, values = call(run, fresh, "install")
    assert (code, values["problems"][0]["kind"]) == (3, "conflict")
    workspace = declared(tmp_path, repository)
    first, second = order
    assert call(run, workspace, "add", first, "--source", repository.url, "--version", versions[first])[0] == 0
    with unchanged(workspace):
        adding = ["add", second, "--source", repository.url, "--version", versions[second], "--yes"]
        code, values = call(run, workspace, *adding)
        assert (code, values["problems"][0]["kind"]) == (3, "conflict")
        chains = [" ".join(chain) for chain in values["problems"][0]["chains"]]
        assert any("lint" in chain for chain in chains)
        assert any("tidy" in chain for chain in chains)
    # The same word settles it, in whatever order.
    with (workspace / "CONTEXT.md").open("a") as file:
        file.write(f"\n```yaml\noverrides:\n  common: {{source: {repository.url}, version: v1.10}}\n```\n")
    assert call(run, workspace, *adding)[0] == 0
    assert commits(workspace)["common"][0] == "v1.10"


def test_siblings_are_upgraded_if_a_branch_has_moved(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository)
    assert call(run, workspace, "add", "lint", "--source", repository.url, "--version", "main")[0] == 0
    newest = repository.commit(skills("Three."))
    code, values = call(run, workspace, "add", "tidy", "--source", repository.url, "--version", "main", "--yes")
    assert (code, statuses(values)) == (0, {"lint": "current", "tidy": "installed", "common": "upgraded"})
    assert commits(workspace)["common"] == ("main", newest)


def test_an_edited_sibling_and_one_of_ones_own_stay(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository)
    assert call(run, workspace, "add", "lint", "--source", repository.url, "--version", "v1.0")[0] == 0
    edited = workspace / ".skills/common/SKILL.md"
    edited.write_text(edited.read_text() + "\nMine.\n")
    code, values = call(run, workspace, "add", "lint", "--version", "v1.10", "--yes")
    assert (code, statuses(values)["common"]) == (0, "edited")
    assert "Mine." in edited.read_text()


def test_an_update_of_one_skill_leaves_its_siblings(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = declared(tmp_path, repository, lint="main")
    assert call(run, workspace, "install")[0] == 0
    repository.commit(skills("Three.", lint=skill_text("lint", ["common"], body="More.")))
    assert statuses(call(run, workspace, "update", "lint", "--yes")[1]) == {"lint": "upgraded", "common": "current"}
    assert statuses(call(run, workspace, "outdated")[1]) == {"lint": "current", "common": "outdated"}
