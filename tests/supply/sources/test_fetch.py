"""The fetcher: four kinds of source through one door, each fetched once, with the same skills in the end."""

from __future__ import annotations

import errno
import hashlib
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import archive_fetch, folder
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import ChangedSourceError, FetchError, FetchFailure, FetchSpec, InvalidSourceError
from skillbag.supply.sources.tree_writer import TreeWriter
from tests.rows import each_row
from tests.supply.sources.repositories import git, make_repository, skill, source
from tests.supply.sources.servers import Server, authenticated, content, git_backend, serve

pytestmark = pytest.mark.usefixtures("git_config")

FILES = source("alpha", "beta")


def write_folder(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write_zip(path: Path, files: Mapping[str, str] = FILES) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


def digest(path: Path) -> str:
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A git repository at `/repo.git` and a zip at `/skills.zip`, with the same files."""
    repository = make_repository(tmp_path / "served" / "repo.git", FILES)
    archive = write_zip(tmp_path / "skills.zip")
    with serve({"/": git_backend(repository.path.parent), "/skills.zip": content(archive.read_bytes())}) as running:
        yield running


def test_all_kinds_of_source_give_the_same_trees(tmp_path: Path, server: Server) -> None:
    write_folder(tmp_path / "folder")
    (tmp_path / "packed").mkdir()
    git(tmp_path / "served" / "repo.git", "archive", "--prefix=top/", "-o", str(tmp_path / "git.zip"), "main")
    texts = (f"{server.url}/repo.git", "served/repo.git", f"{server.url}/skills.zip", "skills.zip", "git.zip", "folder")
    roots = [Fetcher().fetch(parse_source(text, str(tmp_path))).root for text in texts]

    for name in ("alpha", "beta"):
        assert len({tree_hash(f"{root}/.skills/{name}") for root in roots}) == 1
    assert {Path(root, ".skills/SKILLS.md").read_text() for root in roots} == {FILES[".skills/SKILLS.md"]}


def test_what_each_kind_resolves_to(tmp_path: Path, server: Server) -> None:
    root = write_folder(tmp_path / "folder")
    fetcher = Fetcher()
    git_source, zip_source, local, plain = (
        parse_source(text, str(tmp_path))
        for text in (f"{server.url}/repo.git", f"{server.url}/skills.zip", "skills.zip", "folder")
    )

    assert fetcher.fetch(git_source, "main").resolved == fetcher.latest(git_source, "main")
    for item in (zip_source, local):
        assert fetcher.fetch(item, "9.9").resolved == digest(tmp_path / "skills.zip") == fetcher.latest(item, "9.9")
        assert fetcher.fetch(item, "9.9").requested == "9.9"
    fetched = fetcher.fetch(plain, "9.9")
    assert (fetched.requested, fetched.resolved, fetched.root) == ("9.9", None, str(root))
    assert fetcher.latest(plain, None) is None


def test_threads_fetch_the_same_source_once(server: Server) -> None:
    fetcher = Fetcher()
    texts = [f"{server.url}/repo.git", f"{server.url}/skills.zip"] * 4
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: fetcher.fetch(parse_source(text, "/")), texts))

    assert len({fetched.root for fetched in found}) == 2
    assert len(server.seen("GET /repo.git")) == 1
    assert len(server.seen("GET /skills.zip")) == 1


def test_a_failure_is_not_tried_again_and_another_spelling_is(server: Server) -> None:
    backend = server.table["/"]
    server.table["/"] = authenticated(backend, "reader", "word")
    fetcher, plain = Fetcher(), parse_source(f"{server.url}/repo.git", "/")
    for _ in range(2):
        with pytest.raises(FetchError):
            fetcher.fetch(plain)
    requests = len(server.seen("GET"))

    spelt = parse_source(f"{server.url.replace('//', '//reader:word@')}/repo/", "/")
    assert fetcher.fetch(spelt).resolved
    assert fetcher.fetch(plain).resolved
    assert requests == 1


def test_a_zip_is_downloaded_again_unless_it_is_locked(tmp_path: Path, server: Server) -> None:
    address = parse_source(f"{server.url}/skills.zip", "/")
    first = Fetcher().fetch(address)
    changed = write_zip(tmp_path / "changed.zip", FILES | skill("gamma"))
    server.table["/skills.zip"] = content(changed.read_bytes())
    server.requests.clear()

    assert Fetcher().fetch(address, None, first.resolved) == first
    assert not server.requests
    assert Fetcher().fetch(address).resolved == digest(changed)
    assert Path(first.root, ".skills/alpha").is_dir()


def test_a_locked_zip_that_has_changed_fails(tmp_path: Path, server: Server) -> None:
    write_zip(tmp_path / "other.zip", FILES | skill("gamma"))
    other = digest(tmp_path / "other.zip")
    for text in (f"{server.url}/skills.zip", "skills.zip"):
        with pytest.raises(ChangedSourceError, match="not the one that was locked"):
            Fetcher().fetch(parse_source(text, str(tmp_path)), None, other)


def test_the_hash_of_an_archive_is_never_used_as_a_path(tmp_path: Path) -> None:
    write_zip(tmp_path / "skills.zip")
    for hash_ in ("sha256:../../escaped", "../x", "sha256:" + "g" * 64, "a" * 40):
        with pytest.raises(FetchError, match="no hash of an archive"):
            Fetcher().fetch(parse_source("skills.zip", str(tmp_path)), None, hash_)


def test_a_locked_local_zip_is_there_when_its_file_has_changed(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "skills.zip")
    local = parse_source("skills.zip", str(tmp_path))
    first = Fetcher().fetch(local)
    write_zip(path, FILES | skill("gamma"))

    assert Fetcher().fetch(local, None, first.resolved) == first
    assert Fetcher().fetch(local).resolved == digest(path) != first.resolved
    # Even when its tree was changed: the archive is kept.
    Path(first.root, "AGENTS.md").write_text("changed")
    assert Path(Fetcher().fetch(local, None, first.resolved).root, "AGENTS.md").read_text() == FILES["AGENTS.md"]


def test_offline_a_zip_comes_from_the_cache_or_not_at_all(tmp_path: Path, server: Server) -> None:
    address = parse_source(f"{server.url}/skills.zip", "/")
    with pytest.raises(FetchError, match="not in the cache; run once without --offline"):
        Fetcher(offline=True).fetch(address)
    first = Fetcher().fetch(address)
    server.requests.clear()
    shutil.rmtree(first.root)

    assert Fetcher(offline=True).fetch(address) == first
    assert Fetcher(offline=True).latest(address, None) == first.resolved
    assert Fetcher(offline=True).fetch(parse_source("skills.zip", str(tmp_path))).resolved == first.resolved
    assert not server.requests


def test_a_damaged_archive_in_the_cache_is_fetched_again(tmp_path: Path, server: Server) -> None:
    address = parse_source(f"{server.url}/skills.zip", "/")
    cache = tmp_path / "cache"
    first = Fetcher(cache=str(cache)).fetch(address)
    shutil.rmtree(first.root)
    (archive,) = (cache / "archives").iterdir()
    archive.write_bytes(archive.read_bytes()[:-10])

    assert Fetcher(cache=str(cache)).fetch(address, None, first.resolved).root == first.root
    assert Path(first.root, "AGENTS.md").is_file()


def test_a_hostile_zip_is_refused_under_the_name_of_its_source(tmp_path: Path) -> None:
    write_zip(tmp_path / "bad.zip", {"../escaped": "x", **FILES})
    fetcher, bad = Fetcher(), parse_source("bad.zip", str(tmp_path))
    for _ in range(2):
        with pytest.raises(InvalidSourceError) as error:
            fetcher.fetch(bad)
        assert error.value.source == "bad.zip"
        assert error.value.faults
        assert error.value.fix == "Correct the source, or ask its publisher to."
        assert str(error.value).startswith("bad.zip: ")
    assert not (tmp_path / "escaped").exists()


@each_row("text", ["none", "none.zip", "Org/repo"])
def test_a_missing_local_source_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(FetchError) as error:
        Fetcher().fetch(parse_source(text, str(tmp_path)))

    assert str(tmp_path) in str(error.value)
    assert "https://" in str(error.value) or text.endswith(".zip")


def test_an_error_of_the_system_names_a_local_source_as_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_zip(tmp_path / "skills.zip")
    write_folder(tmp_path / "folder")

    def refused(path: str, *_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(folder, "list_tree", refused)
    monkeypatch.setattr(archive_fetch, "kind_of", lambda _: refused(str(tmp_path / "skills.zip")))
    for text, reason in (("skills.zip", "skills.zip"), ("./folder", "./folder/.skills/alpha")):
        answer = fetch_one(Fetcher(), FetchSpec(parse_source(text, str(tmp_path))))
        assert isinstance(answer, FetchFailure)
        assert answer.reasons == (f"{reason}: Permission denied",)


def test_a_full_disk_names_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zip(tmp_path / "skills.zip")

    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TreeWriter, "write_file", full)
    source = parse_source("skills.zip", str(tmp_path))
    answer = fetch_one(Fetcher(cache=str(tmp_path / "cache")), FetchSpec(source))
    assert isinstance(answer, FetchFailure)
    assert answer.reasons == (f"{tmp_path}/cache: No space left on device",)
    assert not list((tmp_path / "cache/trees").iterdir())


def test_a_hostile_folder_is_refused(tmp_path: Path) -> None:
    root = write_folder(tmp_path / "folder")
    (root / ".skills/alpha/evil").symlink_to("/etc/passwd")

    with pytest.raises(InvalidSourceError, match="evil"):
        Fetcher().fetch(parse_source("folder", str(tmp_path)))
