"""What was fetched from a repository is not fetched again, and is there offline."""

from __future__ import annotations

import shutil

import pytest

from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from tests.supply.sources.git_fetches import commit_of, content, fetch
from tests.supply.sources.repositories import Entry, Repository, skill
from tests.supply.sources.repositories import source as source_files
from tests.supply.sources.servers import Server

pytestmark = pytest.mark.usefixtures("git_config")


def test_a_version_is_fetched_once_in_a_run(repository: Repository, server: Server) -> None:
    fetcher, address = Fetcher(), f"{server.url}/repo.git"
    first = fetcher.fetch(parse_source(address, "/"), "v1")
    requests = len(server.requests)
    # Within a run nothing is looked at twice.
    shutil.rmtree(first.root)

    for spelling in (address, f"{server.url}/repo", f"{server.url}//repo.git/", server.url.upper() + "/repo.git"):
        again = fetcher.fetch(parse_source(spelling.replace("HTTP", "http"), "/"), "v1", None)
        sibling = fetcher.fetch(parse_source(spelling.replace("HTTP", "http"), "/"), None, first.resolved)
        assert (again.root, sibling.root) == (first.root, first.root)
    assert len(server.requests) == requests


def test_a_fetched_commit_needs_neither_network_nor_git(
    repository: Repository, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = parse_source(f"{server.url}/repo.git", "/")
    first = Fetcher().fetch(source, "v2")
    server.requests.clear()

    monkeypatch.setenv("PATH", "/nowhere")

    assert Fetcher().fetch(source, first.resolved).root == first.root
    assert Fetcher().fetch(source, "v2", first.resolved).root == first.root
    assert not server.requests


def test_files_that_are_no_part_of_a_skill_do_not_invalidate_the_cached_tree(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"__pycache__/x.pyc": "x", ".DS_Store": "x", "deep/node_modules/x/y.js": "x", "link": "-> SKILL.md"}
    repository.commit(source_files("alpha") | {f".skills/alpha/{name}": text for name, text in more.items()})
    first = fetch(repository)
    monkeypatch.setenv("PATH", "/nowhere")

    assert fetch(repository, None, first.resolved) == first


def test_another_version_brings_only_what_is_new(repository: Repository, server: Server) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    source = parse_source(f"{server.url}/repo.git", "/")
    reported: list[str] = []
    for version in ("v1", "v2", "main"):
        Fetcher(progress=reported.append).fetch(source, version)

    # AGENTS.md, the catalog and a skill; then the one skill that is different.
    assert [line.split()[1] for line in reported if "files of" in line] == ["3", "1", "1"]


def test_an_unchanged_branch_needs_a_single_request(repository: Repository, server: Server) -> None:
    source = parse_source(f"{server.url}/repo.git", "/")
    first = Fetcher().fetch(source, "main")
    server.requests.clear()

    assert Fetcher().fetch(source, "main").root == first.root
    assert len(server.seen("GET")) == 1
    assert len(server.requests) == 3


def test_offline_everything_that_was_fetched_is_there(repository: Repository, server: Server) -> None:
    source = parse_source(f"{server.url}/repo.git", "/")
    versions = (None, "main", "v1", "v2", commit_of(repository, "v1"), commit_of(repository, "v2")[:9])
    online = [Fetcher().fetch(source, version) for version in versions]
    server.requests.clear()
    repository.commit(source_files("alpha") | skill("alpha", "five"))

    assert [Fetcher(offline=True).fetch(source, version) for version in versions] == online
    assert Fetcher(offline=True).latest(source, "main") == online[0].resolved
    assert not server.requests


def test_offline_what_was_not_fetched_fails_and_says_what_to_do(repository: Repository, server: Server) -> None:
    source = parse_source(f"{server.url}/repo.git", "/")
    offline = Fetcher(offline=True)
    for _ in ("nothing yet", "one version"):
        for requested in (offline.fetch, offline.latest):
            with pytest.raises(FetchError, match="version v1 is not in the cache; run once without --offline"):
                requested(source, "v1")
        with pytest.raises(FetchError, match="not in the cache"):
            offline.fetch(source, None, commit_of(repository, "v1"))
        Fetcher().fetch(source, "v2")


def test_a_commit_with_a_tree_of_the_old_zero_padded_form(repository: Repository) -> None:
    skills = repository.git("rev-parse", "main:.skills")
    agents = repository.git("rev-parse", "main:AGENTS.md")
    tree = repository.tree(Entry("040000", ".skills", skills), Entry("100644", "AGENTS.md", agents))
    repository.point("padded", tree)

    assert content(fetch(repository, "padded")) == "three"
