"""Git sources that fail: in time, with a sentence that helps, and with a cache that mends itself."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.sources import cache, git_command
from skillbag.sources.address import parse_source
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched, FetchError
from tests.sources.repositories import (
    Repository,
    make_repository,
    skill,
    source,
)
from tests.sources.servers import (
    Handle,
    Request,
    Server,
    answer,
    content,
    git_backend,
    serve,
    stalling,
)

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source with a tag v1, a tip of `main`, and something large that no compression makes small."""
    made = make_repository(tmp_path_factory.mktemp("made") / "repo.git")
    made.commit({**source("alpha"), "big.bin": os.urandom(1 << 20)})
    made.git("tag", "v1", "main")
    made.commit({**source("alpha"), **skill("alpha", "more"), "big.bin": os.urandom(1 << 20)})
    return made.path


@pytest.fixture
def repository(built: Path, tmp_path: Path) -> Repository:
    """The test's own copy."""
    return Repository(Path(shutil.copytree(built, tmp_path / "repo.git")))


@pytest.fixture
def server(repository: Repository) -> Iterator[Server]:
    """The repository over HTTP."""
    with serve({"/": git_backend(repository.path.parent)}) as running:
        yield running


def fetch(address: str, version: str | None = None, *, offline: bool = False) -> Fetched:
    return Fetcher(offline=offline).fetch(parse_source(address, "/"), version)


def failure(address: str, version: str | None = None) -> str:
    with pytest.raises(FetchError) as error:
        fetch(address, version)
    assert str(error.value).startswith(f"{address}: ")
    assert str(error.value).isprintable()
    return error.value.reason


def running(part: str) -> list[int]:
    """The processes with `part` in their command or surroundings."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if part.encode() in (folder / "environ").read_bytes() and b"git" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def is_left() -> bool:
    """Whether no git of ours goes on, once those that were killed have had a moment to end."""
    until = time.monotonic() + 30
    while running(os.environ["SKILLBAG_CACHE_DIR"]):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(
    ("handle", "told"),
    [
        (content(b"", 404), "check the address"),
        (content(b"", 403), "git must log in without asking"),
        (content(b"", 500), "error: 500"),
        (content(b"<html>welcome</html>"), "or no git repository"),
        (content(b"\x1b[2J" + b"evil\n" * 10_000, 500), "error: 500"),
    ],
    ids=["404", "403", "500", "page", "flood"],
)
def test_a_server_that_answers_something_else(handle: Handle, told: str) -> None:
    with serve({"/": handle}) as server:
        reason = failure(f"{server.url}/repo.git")

    assert told in reason
    assert len(reason) < 600


def test_nobody_listens_and_no_such_host() -> None:
    with serve({}) as server:
        pass

    assert "check the address and the network" in failure(f"{server.url}/repo.git")
    assert "check the address and the network" in failure("https://nowhere.invalid/repo.git")


def test_no_such_repository(tmp_path: Path) -> None:
    assert "check the address" in failure((tmp_path / "none.git").as_uri())


def test_words_of_the_server_are_told_without_their_tricks() -> None:
    lines = (b"# service=git-upload-pack\n", b"", b"ERR no \033[31mentry\007 today\n")
    body = b"".join(b"%04x%b" % (len(line) + 4, line) if line else b"0000" for line in lines)
    kind = {"Content-Type": "application/x-git-upload-pack-advertisement"}
    with serve({"/": content(body, headers=kind)}) as server:
        assert "[31mentry" in failure(f"{server.url}/repo.git")


def test_a_server_that_stalls_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.6)
    began = time.monotonic()
    with serve({"/": stalling(b"001e# service=git-upload-pack\n0000")}) as server:
        assert "nothing came for" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 40
    assert is_left()


def slowly(handle: Handle, pause: float, piece: int = 4096) -> Handle:
    """The answer to a request for objects, in small pieces."""

    def send(request: Request, handler: BaseHTTPRequestHandler) -> None:
        write = handler.wfile.write

        def dribble(data: bytes) -> int:
            for start in range(0, len(data), piece):
                write(data[start : start + piece])
                handler.wfile.flush()
                time.sleep(pause if len(data) > piece else 0)
            return len(data)

        handler.wfile.write = dribble  # type: ignore[method-assign,assignment]
        handle(request, handler)

    return send


def test_a_server_that_never_comes_to_an_end_is_left_in_time(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_command, "OVERALL", 1.0)
    began = time.monotonic()
    with serve({"/": slowly(git_backend(repository.path.parent), 0.05)}) as server:
        assert "it took more than" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 40
    assert is_left()


def test_a_slow_server_that_goes_on_is_waited_for(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.7)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.04, 1 << 15)}) as server:
        assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_a_repository_that_is_too_large_is_left_before_it_is_there(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_command, "LARGEST", 100_000)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.02)}) as server:
        assert "the server sends more than" in failure(f"{server.url}/repo.git")


def test_a_pack_that_breaks_off_is_told_and_leaves_nothing_behind(repository: Repository) -> None:
    backend = git_backend(repository.path.parent)

    def broken(request: Request, handler: BaseHTTPRequestHandler) -> None:
        if b"want " not in request.body:
            return backend(request, handler)
        answer(
            handler, b"0008NAK\n0015\x01PACK" + b"\0" * 12, headers={"Content-Length": "999999", "Connection": "close"}
        )
        handler.close_connection = True
        return None

    with serve({"/": broken}) as server:
        assert failure(f"{server.url}/repo.git")
        server.table["/"] = backend
        assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_no_git_at_all_is_told_and_does_no_harm_to_the_cache(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for _ in ("nothing cached", "cached"):
        with monkeypatch.context() as patch:
            patch.setenv("PATH", str(tmp_path))
            assert "there is no git on this machine" in failure(repository.url, "main")
            with pytest.raises(FetchError, match="no git"):
                Fetcher().latest(parse_source(repository.url, "/"), "main")
        first = fetch(repository.url, "main")
    assert fetch(repository.url, "main", offline=True) == first


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


@pytest.mark.parametrize(
    ("damage", "filtering"), [*((name, True) for name in DAMAGES), *((name, False) for name in PACKS)]
)
def test_a_damaged_repository_in_the_cache_mends_itself(repository: Repository, damage: str, filtering: bool) -> None:
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


@pytest.mark.parametrize("damage", ["settings damaged", "head damaged", "references damaged", "objects gone"])
def test_a_damaged_repository_does_not_hide_what_is_newest(repository: Repository, damage: str) -> None:
    source = parse_source(repository.url, "/")
    fetch(repository.url, "main")
    where, how = DAMAGES[damage]
    for path in where(cached_repository()):
        how(path)

    with pytest.raises(FetchError, match="not in the cache"):
        Fetcher(offline=True).latest(source, "main")
    assert Fetcher().latest(source, "v1") == repository.git("rev-parse", "v1")


def test_a_network_that_fails_does_no_harm_to_the_cache(repository: Repository, server: Server) -> None:
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

    assert fetch(repository.url, first.resolved, offline=True) == Fetched(
        first.source, first.resolved, first.resolved, first.root
    )
    assert file.read_text() == text
    assert not file.with_name("more.md").exists()


FETCH = (
    "import sys; from skillbag.sources.fetch import Fetcher; from skillbag.sources.address import parse_source\n"
    "got = Fetcher(progress=lambda line: print(line, file=sys.stderr, flush=True))"
    ".fetch(parse_source(sys.argv[1], '/'), *sys.argv[2:])\n"
    "print(got.resolved, got.root)\n"
)


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_want_one_commit_at_once_fetch_it_once(repository: Repository, server: Server) -> None:
    commit = repository.git("rev-parse", "v1")
    processes = [start(f"{server.url}/repo.git", commit) for _ in range(4)]
    answers = {process.communicate(timeout=300)[0] for process in processes}

    assert [process.returncode for process in processes] == [0] * 4
    assert len(answers) == 1
    assert len(server.seen("GET")) == 1


def test_processes_that_want_different_versions_at_once_all_get_theirs(repository: Repository) -> None:
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


def test_who_waits_for_another_is_told_and_does_not_wait_for_ever(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(repository.url)
    monkeypatch.setattr(cache, "WAIT", 0.3)
    told: list[str] = []
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with cache.open_cache().held(cached_repository().name, lambda: None):
            held.set()
            done.wait(300)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(300)
    try:
        for failing in (Fetcher(progress=told.append).fetch, Fetcher(progress=told.append).latest):
            with pytest.raises(FetchError, match="another process"):
                failing(parse_source(repository.url, "/"), "main")
    finally:
        done.set()
        thread.join()
    assert told == [f"waiting for another process that fetches {repository.url}"] * 2
    assert fetch(repository.url, "main").resolved


def test_a_cache_that_cannot_be_written_is_done_without(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "file"))

    fetched = fetch(repository.url)

    assert (Path(fetched.root) / "AGENTS.md").is_file()
    assert (tmp_path / "file").read_text() == "not a folder"
