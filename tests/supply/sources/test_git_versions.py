"""What a version of a git source means: tags, branches, commits; what is fetched again and what is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from tests.rows import each_row
from tests.supply.sources.git_fetches import commit_of, content, fetch
from tests.supply.sources.repositories import Repository, make_repository, skill, source

pytestmark = pytest.mark.usefixtures("git_config")


def latest(repository: Repository, version: str | None = None, *, offline: bool = False) -> str | None:
    return Fetcher(offline=offline).latest(parse_source(repository.url, "/"), version)


@pytest.mark.parametrize(
    ("version", "expected"),
    [(None, "three"), ("main", "three"), ("HEAD", "three"), ("v1", "one"), ("v2", "two"), ("refs/tags/v1", "one")],
)
def test_tags_branches_and_the_default_branch(repository: Repository, version: str | None, expected: str) -> None:
    fetched = fetch(repository, version)

    assert content(fetched) == expected
    assert fetched.resolved == commit_of(repository, version or "HEAD") == latest(repository, version)
    assert fetched.requested == version


def test_a_commit_that_is_at_no_tip(repository: Repository) -> None:
    name = commit_of(repository, "main~2")
    repository.git("tag", "-d", "v1")

    assert content(fetch(repository, name)) == "one"
    assert latest(repository, name) == name


def test_an_abbreviated_commit(repository: Repository) -> None:
    name = commit_of(repository, "main~1")
    repository.git("tag", "-d", "v1", "v2")

    assert content(fetch(repository)) == "three"
    assert content(fetch(repository, name[:7])) == "two"
    assert fetch(repository, name[:10]).resolved == name == latest(repository, name[:8])


def test_a_commit_that_the_server_does_not_give_by_its_name(repository: Repository, git_config: Path) -> None:
    git_config.write_text("[protocol]\n\tversion = 0\n")
    names = [commit_of(repository, f"main~{distance}") for distance in (1, 2)]
    repository.git("tag", "-d", "v1", "v2")

    assert content(fetch(repository)) == "three"
    assert [content(fetch(repository, name)) for name in names] == ["two", "one"]
    repository.git("tag", "v2", names[0])
    assert content(fetch(repository, "v2")) == "two"


def test_the_exact_commit_goes_before_the_version(repository: Repository) -> None:
    fetched = fetch(repository, "main", commit_of(repository, "v1"))

    assert content(fetched) == "one"
    assert fetched.requested == "main"
    assert fetched.resolved == commit_of(repository, "v1")


def test_a_tag_goes_before_a_branch_of_its_name(repository: Repository) -> None:
    repository.git("branch", "both", "main")
    repository.git("tag", "both", "v1")

    assert content(fetch(repository, "both")) == "one"
    assert latest(repository, "both") == commit_of(repository, "v1")


def test_names_of_branches_that_need_care(repository: Repository) -> None:
    for name in ("feature/a", "feature/ab", "deadbeef", "größe", "1.0", "a+b"):
        repository.git("branch", name, "v1")

        assert content(fetch(repository, name)) == "one", name
        assert latest(repository, name) == commit_of(repository, "v1")


def test_a_branch_that_has_moved_is_fetched_again(repository: Repository) -> None:
    assert content(fetch(repository, "main")) == "three"
    repository.commit(source("alpha") | skill("alpha", "four"))

    assert latest(repository, "main") == commit_of(repository, "main")
    assert content(fetch(repository, "main")) == "four"


def test_a_branch_and_a_tag_that_were_replaced(repository: Repository) -> None:
    assert content(fetch(repository, "main")) == "three"
    assert content(fetch(repository, "v2")) == "two"
    repository.git("update-ref", "refs/heads/main", "v1^{commit}")
    repository.git("tag", "-f", "v2", "v1")

    assert content(fetch(repository, "main")) == "one"
    assert content(fetch(repository, "v2")) == "one"


def test_a_branch_may_take_the_place_of_a_folder_of_branches(repository: Repository) -> None:
    repository.git("branch", "a/b", "v1")
    assert content(fetch(repository, "a/b")) == "one"
    repository.git("branch", "-D", "a/b")
    repository.git("branch", "a", "v2")

    assert content(fetch(repository, "a")) == "two"


def test_a_repository_with_longer_object_names(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo.git", sha256=True)
    first = repository.commit(source("alpha") | skill("alpha", "one"))
    repository.commit(source("alpha") | skill("alpha", "two"))

    assert content(fetch(repository, first)) == "one"
    assert content(fetch(repository)) == "two"
    assert len(first) == 64


def test_a_repository_whose_object_names_have_become_longer(repository: Repository, tmp_path: Path) -> None:
    assert content(fetch(repository)) == "three"
    shutil.rmtree(repository.path)
    make_repository(tmp_path / "repo.git", source("alpha") | skill("alpha", "new"), sha256=True)

    assert content(fetch(repository)) == "new"


@pytest.mark.parametrize("version", ["v3", "mian", "a" * 40, "1234567"])
def test_an_unknown_version_lists_existing_ones(repository: Repository, version: str) -> None:
    for failing in (fetch, latest)[: 1 if len(version) == 40 else 2]:
        with pytest.raises(FetchError) as error:
            failing(repository, version)

        assert f"no tag, branch or commit {version}" in str(error.value)
        assert "v2" in str(error.value) or "main" in str(error.value)


def test_the_nearest_name_comes_first(repository: Repository) -> None:
    repository.git("branch", "a-branch-with-a-long-name", "main")

    with pytest.raises(FetchError, match="it has a-branch-with-a-long-name"):
        fetch(repository, "a-branch-wiht-a-long-name")


def test_an_empty_repository(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="no branch and no tag: it is empty"):
        fetch(make_repository(tmp_path / "empty.git"))


def test_a_missing_default_branch(repository: Repository) -> None:
    repository.git("symbolic-ref", "HEAD", "refs/heads/master")

    with pytest.raises(FetchError, match=r"no default branch; give a version, such as main"):
        fetch(repository)


def test_the_name_of_the_default_branch(repository: Repository, tmp_path: Path) -> None:
    source = parse_source(repository.url, "/")
    assert Fetcher().default_branch(source) == "main"
    repository.git("branch", "feature/größe", "main")
    repository.git("symbolic-ref", "HEAD", "refs/heads/feature/größe")
    assert Fetcher().default_branch(source) == "feature/größe"

    repository.git("update-ref", "--no-deref", "HEAD", "main")
    with pytest.raises(FetchError, match="no default branch; give a version"):
        Fetcher().default_branch(source)
    with pytest.raises(FetchError, match="give a version, or leave --offline out"):
        Fetcher(offline=True).default_branch(source)
    with pytest.raises(FetchError, match="check the address"):
        Fetcher().default_branch(parse_source((tmp_path / "none.git").as_uri(), "/"))


def test_a_tag_of_something_that_is_no_commit(repository: Repository) -> None:
    repository.git("tag", "text", repository.blob(b"hello"))

    with pytest.raises(FetchError, match="no tag, branch or commit text"):
        fetch(repository, "text")


NO_NAMES = (
    *("--upload-pack=touch hacked", "-v", "a..b", "a@{1}", "a:refs/heads/x", "v1^", "v1~1", "*", "a?", "a[b", "a\\b"),
    *("a b", "a\nb", "a\x1bb", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "@", "a\u202eb"),
)


@each_row("version", NO_NAMES)
def test_an_impossible_version_name_never_reaches_git(version: str) -> None:
    source, fetcher = parse_source("file:///nowhere.git", "/"), Fetcher()
    for failing in (fetcher.fetch, fetcher.latest):
        with pytest.raises(FetchError, match="is no name of a tag, branch or commit") as error:
            failing(source, version)

        assert str(error.value).isprintable()
