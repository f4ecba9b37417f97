"""A tag that means other content than it did is a question, and never a mere upgrade."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.git_sources import copied
from tests.supply.install.outcomes import lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_workspace, skill_text, snapshot, source_files
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def repository(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with two skills, at the tag `v1`."""

    def build(repo: Repository) -> None:
        repo.git("tag", "v1", repo.commit(source_files({"a": skill_text("a"), "b": skill_text("b")})))

    return copied(tmp_path_factory, "moved-tags", tmp_path / "repo.git", build)


def moved(repository: Repository) -> str:
    """Give the tag `v1` to another commit, in which `a` is another; the commit."""
    files = source_files({"a": skill_text("a", body="Do something else."), "b": skill_text("b")})
    commit = repository.commit(files)
    repository.git("tag", "--force", "v1", "refs/heads/main")
    return commit


def made(run: Run, tmp_path: Path, repository: Repository, version: str = "v1") -> Path:
    workspace = make_workspace(tmp_path / "work", [need(name, repository.url, version) for name in "ab"])
    assert call(run, workspace, "install")[0] == 0
    return workspace


def without_refs(workspace: Path) -> None:
    """Make the lock one of an earlier version."""
    path = workspace / "skillbag.lock"
    lock = json.loads(path.read_text())
    for values in lock["skills"].values():
        del values["ref"], values["executable"]
    path.write_text(json.dumps(lock))


@pytest.mark.parametrize("kind", ["tag", "annotated", "branch", "default", "commit", "short"])
def test_the_lock_records_the_kind_of_a_version(
    run: Run, tmp_path: Path, workspace: Path, repository: Repository, kind: str
) -> None:
    commit = repository.tip("refs/heads/main")
    repository.git("tag", "-a", "-m", "x", "v2", "refs/heads/main")
    version = {"tag": "v1", "annotated": "v2", "branch": "main", "commit": commit, "short": commit[:9]}.get(kind)
    given = ["--version", version] if version else []
    assert call(run, workspace, "install", "a", "--source", repository.url, *given)[0] == 0
    expected = {"annotated": "tag", "default": "branch", "short": "commit"}.get(kind, kind)
    assert lock_of(workspace)["a"]["ref"] == expected
    # From the cache, and for a skill that comes later from the same commit, it is known as well.
    other = make_workspace(tmp_path / "other")
    assert call(run, other, "install", "b", "--source", repository.url, *given, "--offline")[0] == 0
    assert lock_of(other)["b"]["ref"] == expected


def test_a_sibling_s_version_is_known_too(run: Run, tmp_path: Path) -> None:
    files = source_files({"a": skill_text("a", ["b"]), "b": skill_text("b")})
    repo = make_repository(tmp_path / "repo.git", files)
    repo.git("tag", "v1", "refs/heads/main")
    workspace = make_workspace(tmp_path / "work", [need("a", repo.url, "v1")])
    assert call(run, workspace, "install")[0] == 0
    assert {name: values["ref"] for name, values in lock_of(workspace).items()} == {"a": "tag", "b": "tag"}


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize(
    "command", [["update", "--yes"], ["install", "--accept=newer", "--yes"], ["update", "a", "--yes"]]
)
def test_a_moved_tag_is_a_question_first(
    run: Run, tmp_path: Path, repository: Repository, command: list[str], is_old: bool
) -> None:
    workspace = made(run, tmp_path, repository)
    if is_old:
        without_refs(workspace)
    first, second = lock_of(workspace)["a"]["resolved"], moved(repository)
    before = snapshot(workspace)
    for more in ([], ["--dry-run"]):
        code, values = call(run, workspace, *command, *more)
        (problem,) = values["problems"]
        assert (code, problem["kind"]) == (3, "question")
        for word in ("v1", first[:10], second[:10], "rewritten", "tampered"):
            assert word in problem["message"], word
        assert "(for a)" in problem["message"]
        assert "--accept moved" in problem["fix"]
        assert snapshot(workspace) == before
    code, values = call(run, workspace, *command, "--accept=moved")
    assert (code, statuses(values)["a"]) == (0, "upgraded")
    assert lock_of(workspace)["a"]["resolved"] == second
    assert lock_of(workspace)["a"]["ref"] == "tag"
    (row,) = [row for row in values["skills"] if row["name"] == "a"]
    assert "moved" in row["why"]
    assert call(run, workspace, "update")[0] == 0


def test_a_tag_that_takes_the_name_of_a_branch_is_a_question(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = made(run, tmp_path, repository, "main")
    files = source_files({"a": skill_text("a", body="Do something else."), "b": skill_text("b")})
    repository.commit(files, "elsewhere")
    repository.git("tag", "main", "refs/heads/elsewhere")
    code, values = call(run, workspace, "update", "--yes")
    assert (code, values["problems"][0]["kind"]) == (3, "question")
    assert "was a branch" in values["problems"][0]["message"]


def test_another_version_is_no_moved_tag(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = made(run, tmp_path, repository)
    files = source_files({"a": skill_text("a", body="Do something else."), "b": skill_text("b")})
    repository.commit(files)
    repository.git("tag", "v2", "refs/heads/main")
    assert call(run, workspace, "add", "a", "--version", "v2", "--yes")[0] == 0


def test_outdated_says_that_the_tag_was_moved(run: Run, tmp_path: Path, repository: Repository) -> None:
    workspace = made(run, tmp_path, repository)
    moved(repository)
    values = values_of(run, workspace, "outdated", "--strict", code=3)
    rows = {row["name"]: row for row in values["skills"]}
    assert rows["a"]["status"] == "outdated"
    assert "moved" in rows["a"]["why"]
    (problem,) = values["problems"]
    assert "moved" in problem["message"]
    assert not problem["fix"].startswith("skillbag update")


def test_a_terminal_is_asked(run: Run, tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillbag.supply.install.confirmation import Prompter
    from skillbag.supply.install.install import install_into
    from skillbag.supply.install.request import InstallRequest
    from skillbag.supply.sources.fetch import Fetcher

    workspace = made(run, tmp_path, repository)
    moved(repository)
    requested: list[str] = []

    def answer(problem: object) -> bool:
        requested.append(str(problem))
        return len(requested) > 1

    asker = Prompter(True, plan=lambda _: True, moved=answer)
    request = InstallRequest("update", upgrade=True)
    assert install_into(str(workspace), request, Fetcher(), asker).exit == 3
    assert install_into(str(workspace), request, Fetcher(), asker).exit == 0
    assert len(requested) == 2
