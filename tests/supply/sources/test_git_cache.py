"""The cache of repositories: damage, concurrent and interrupted fetches."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.supply.sources import cache
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from tests.sampling import sample
from tests.supply.sources.git_fetches import failure, fetch, is_left, slowly, start
from tests.supply.sources.repositories import Repository
from tests.supply.sources.servers import Server, content

pytestmark = pytest.mark.usefixtures("git_config")


def cached_repository() -> Path:
    (found,) = (Path(os.environ["SKILLBAG_CACHE_DIR"]) / "git").iterdir()
    return found


def packs() -> list[Path]:
    return sorted((cached_repository() / "objects" / "pack").glob("*.pack"))


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def cut(path: Path) -> None:
    overwrite(path, path.read_bytes()[:100])


def scribble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 20] = b"x" * 20
    overwrite(path, bytes(data))


def replace_by_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("x")


def references(_: Path) -> list[Path]:
    return sorted((cached_repository() / "refs" / "skillbag").iterdir())


def at(*names: str) -> Callable[[Path], list[Path]]:
    return lambda repository: [repository / name for name in names]


Damage = tuple[Callable[[Path], list[Path]], Callable[[Path], object]]


PACKS: dict[str, Damage] = {
    "packs cut short": (lambda _: packs(), cut),
    "packs damaged": (lambda _: packs(), scribble),
    "packs empty": (lambda _: packs(), lambda path: overwrite(path, b"")),
    "packs gone": (lambda _: packs(), Path.unlink),
    "indexes gone": (lambda _: [path.with_suffix(".idx") for path in packs()], Path.unlink),
}


DAMAGES: dict[str, Damage] = PACKS | {
    "objects gone": (at("objects"), shutil.rmtree),
    "a file for the objects": (at("objects"), replace_by_file),
    "settings damaged": (at("config"), lambda path: path.write_text("[core\nx")),
    "settings gone": (at("config"), Path.unlink),
    "head damaged": (at("HEAD"), lambda path: path.write_bytes(b"")),
    "head gone": (at("HEAD"), Path.unlink),
    "references damaged": (references, lambda path: path.write_text("garbage\n")),
    "references to nothing": (references, lambda path: path.write_text("1" * 40 + "\n")),
    "shallow damaged": (at("shallow"), lambda path: path.write_text("garbage\n")),
    "locks left": (at("shallow.lock", "config.lock", "HEAD.lock", "packed-refs.lock"), Path.touch),
    "locks of references left": (
        lambda repository: [path.with_suffix(".lock") for path in references(repository)],
        Path.touch,
    ),
    "repository gone": (at("."), shutil.rmtree),
    "a file for the repository": (at(""), replace_by_file),
}


DAMAGED = [*((name, True) for name in DAMAGES), *((name, False) for name in PACKS)]


@pytest.mark.parametrize(("damage", "filtering"), sample("damage", DAMAGED))
def test_a_damaged_repository_in_the_cache_is_repaired(repository: Repository, damage: str, filtering: bool) -> None:
    repository.git("config", "uploadpack.allowFilter", str(filtering).lower())
    commit = fetch(repository.url, "v1").resolved
    shutil.rmtree(Path(os.environ["SKILLBAG_CACHE_DIR"]) / "trees")
    where, how = DAMAGES[damage]

    for path in where(cached_repository()):
        how(path)

    again = fetch(repository.url, "v1")
    assert again.resolved == commit
    assert (Path(again.root) / ".skills/alpha/SKILL.md").is_file()
    assert fetch(repository.url, "main").resolved == repository.tip("refs/heads/main")


@pytest.mark.parametrize("damage", ["head damaged", "references damaged", "objects gone"])
def test_a_damaged_repository_does_not_hide_what_is_newest(repository: Repository, damage: str) -> None:
    source = parse_source(repository.url, "/")
    fetch(repository.url, "main")
    where, how = DAMAGES[damage]
    for path in where(cached_repository()):
        how(path)

    with pytest.raises(FetchError, match="not in the cache"):
        Fetcher(offline=True).latest(source, "main")
    assert Fetcher().latest(source, "v1") == repository.git("rev-parse", "v1")


def test_a_failing_network_does_not_damage_the_cache(repository: Repository, server: Server) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    address = f"{server.url}/repo.git"
    first = fetch(address, "v1")
    server.table["/"] = content(b"", 500)

    assert "error: 500" in failure(address, "v1")
    assert fetch(address, "v1", offline=True) == first


@pytest.mark.parametrize("change", ["content", "gone", "more", "whole"])
def test_a_tree_in_the_cache_that_was_changed_is_made_again(repository: Repository, change: str) -> None:
    first = fetch(repository.url, "v1")
    file = Path(first.root) / ".skills/alpha/SKILL.md"
    text = file.read_text()
    if change == "content":
        file.write_text("changed")
    elif change == "gone":
        file.unlink()
    elif change == "more":
        file.with_name("more.md").write_text("more")
    else:
        shutil.rmtree(first.root)

    again = fetch(repository.url, "v1" if change == "content" else first.resolved, offline=True)
    assert (again.root, again.resolved) == (first.root, first.resolved)
    assert file.read_text() == text
    assert not file.with_name("more.md").exists()


def test_processes_fetch_one_commit_once(repository: Repository, server: Server) -> None:
    commit = repository.git("rev-parse", "v1")
    processes = [start(f"{server.url}/repo.git", commit) for _ in range(4)]
    answers = {process.communicate(timeout=300)[0] for process in processes}

    assert [process.returncode for process in processes] == [0] * 4
    assert len(answers) == 1
    assert len(server.seen("GET")) == 1


def test_processes_fetch_different_versions_at_once(repository: Repository) -> None:
    processes = [start(repository.url, version) for version in ("v1", "main", "v1", "main")]
    found = [process.communicate(timeout=300)[0].split()[0] for process in processes]

    v1, main = repository.git("rev-parse", "v1", "main").split()
    assert found == [v1, main, v1, main]


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_fetch_leaves_a_cache_that_works(repository: Repository, server: Server, how: int) -> None:
    backend = server.table["/"]
    server.table["/"] = slowly(backend, 0.05)
    process = start(f"{server.url}/repo.git")
    while not any(b"want " in request.body for request in server.requests):
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(how)
    process.communicate(timeout=300)
    if how == signal.SIGINT:
        assert is_left()

    server.table["/"] = backend
    assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_a_wait_for_another_process_is_reported_and_ends(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(repository.url)
    monkeypatch.setattr(cache, "WAIT", 0.3)
    reported: list[str] = []
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with cache.open_cache().held(cached_repository().name, lambda: None):
            held.set()
            done.wait(300)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(300)
    try:
        for failing in (Fetcher(progress=reported.append).fetch, Fetcher(progress=reported.append).latest):
            with pytest.raises(FetchError, match="another process"):
                failing(parse_source(repository.url, "/"), "main")
    finally:
        done.set()
        thread.join()
    assert reported == [f"waiting for another process that fetches {repository.url}"] * 2
    assert fetch(repository.url, "main").resolved


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_one(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "file"))

    fetched = fetch(repository.url)

    assert (Path(fetched.root) / "AGENTS.md").is_file()
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_configuration_that_was_planted_in_the_cache_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    first = fetch(repository.url)
    config = cached_repository() / "config"
    config.write_text(config.read_text() + f'[url "{tmp_path}/elsewhere"]\n\tinsteadOf = {repository.url}\n')
    assert fetch(repository.url).resolved == first.resolved
    assert "insteadOf" not in config.read_text()


def test_a_cache_that_another_user_has_made_is_not_used(repository: Repository) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    folder = Path(os.environ["SKILLBAG_CACHE_DIR"])
    folder.mkdir(parents=True)
    os.chown(folder, 12345, -1)
    fetch(repository.url)
    assert os.listdir(folder) == []
