"""Fixtures that several tests of sources share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.supply.sources import limits
from tests.sampling import sample
from tests.supply.install.worlds import make_workspace, skill_text, source_files
from tests.supply.sources.credentials import PASSWORDS, USER, World, assert_nothing_kept
from tests.supply.sources.downloads import VARIABLES
from tests.supply.sources.repositories import Repository, make_repository, skill, source, use_own_git_settings
from tests.supply.sources.servers import (
    Certificate,
    Request,
    Server,
    answer,
    authenticated,
    git_backend,
    make_certificate,
    serve,
)
from tests.support import Run

_KINDS = [pytest.param(text, id=kind) for text, kind in zip(PASSWORDS, ("word", "season", "letter"), strict=True)]


@pytest.fixture(params=sample("password", _KINDS, 1))
def world(request: pytest.FixtureRequest, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world with one of the passwords; every night with each of them."""
    (tmp_path / "home").mkdir()
    use_own_git_settings(monkeypatch, tmp_path / "home")
    files = source_files({"aa": skill_text("aa", ["bb"]), "bb": skill_text("bb")})
    repository = make_repository(tmp_path / "served" / "repo.git", files)
    repository.git("tag", "v1", "main")
    make_repository(tmp_path / "served" / "empty.git")
    repository.git("archive", "--format=zip", "-o", str(tmp_path / "repo.zip"), "main")
    packed = (tmp_path / "repo.zip").read_bytes()

    def archive(_: Request, handler: object) -> None:
        answer(handler, packed)  # type: ignore[arg-type]

    def fails(_: Request, handler: object) -> None:
        answer(handler, b"out of order\n", 500)  # type: ignore[arg-type]

    with serve({}) as server:
        private = {
            "/": git_backend(tmp_path / "served"),
            "/repo.zip": archive,
            "/broken.zip": fails,
            "/broken.git/": fails,
        }
        server.table.update({at: authenticated(handle, USER, request.param) for at, handle in private.items()})
        workspace = make_workspace(tmp_path / "workspace")
        found = World(run, tmp_path, workspace, repository, server, request.param, [])
        yield found
        assert found.printed
        for text in found.printed:
            assert not found.leaks(text), text
        assert_nothing_kept(found)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine, and no long waits."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(limits, "RETRY_PAUSES", (0.01, 0.02))
    monkeypatch.setattr(limits, "READ_SECONDS", 20)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """An authority of the test's own."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def three_commits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source with three commits on `main`: v1 (a plain tag), v2 (an annotated one), and the tip.

    Each has a large file that can't be compressed.
    """
    made = make_repository(tmp_path_factory.mktemp("made") / "repo.git")
    made.commit(source("alpha") | skill("alpha", "one") | {"big.bin": os.urandom(1 << 19)})
    made.git("tag", "v1", "main")
    made.commit(source("alpha") | skill("alpha", "two") | {"big.bin": os.urandom(1 << 19)})
    made.git("tag", "-a", "-m", "two", "v2", "main")
    made.commit(source("alpha") | skill("alpha", "three") | {"big.bin": os.urandom(1 << 19)})
    return made.path


@pytest.fixture
def repository(three_commits: Path, tmp_path: Path) -> Repository:
    """The test's own copy of the source with three commits."""
    return Repository(Path(shutil.copytree(three_commits, tmp_path / "repo.git")))


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server with the test's repository, or without content where the test has none."""
    with serve({}) as running:
        if "repository" in request.fixturenames:
            repository: Repository = request.getfixturevalue("repository")
            running.table["/"] = git_backend(repository.path.parent)
        yield running
