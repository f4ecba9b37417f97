"""Git sources over every transport: the same tree, with the user's own settings and credentials, and few requests."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Fetched, FetchError
from tests.supply.sources.git_fetches import fetch
from tests.supply.sources.repositories import Repository, make_repository, source
from tests.supply.sources.servers import (
    Certificate,
    Handle,
    Request,
    Server,
    answer,
    authenticated,
    git_backend,
    git_daemon,
    redirect,
    serve,
)

USER, PASSWORD = "reader", "hunter2-%-secret"
QUOTED = "hunter2-%25-secret"

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A source with a large file that is no part of its skills."""
    made = make_repository(tmp_path / "served" / "Org" / "repo.git")
    files: dict[str, str | bytes] = {**source("alpha", "beta"), "assets/big.bin": os.urandom(300_000)}
    files |= {".skills/alpha/scripts/run.sh": "#!/bin/sh\n", ".skills/alpha/link.md": "-> SKILL.md"}
    made.commit(files, executable=[".skills/alpha/scripts/run.sh"])
    return made


@pytest.fixture
def server(repository: Repository) -> Iterator[Server]:
    """The repository over HTTP."""
    with serve({"/": git_backend(repository.path.parent.parent)}) as running:
        yield running


def assert_whole(fetched: Fetched, repository: Repository) -> None:
    """It is the commit, and all of its skills and nothing else is there, as it was committed."""
    root = Path(fetched.root)
    assert fetched.resolved == repository.tip("refs/heads/main")
    assert sorted(path.name for path in root.iterdir()) == [".skills", "AGENTS.md"]
    assert (root / ".skills/alpha/SKILL.md").read_text() == source("alpha")[".skills/alpha/SKILL.md"]
    assert os.access(root / ".skills/alpha/scripts/run.sh", os.X_OK)
    assert not os.access(root / ".skills/alpha/SKILL.md", os.X_OK)
    assert os.readlink(root / ".skills/alpha/link.md") == "SKILL.md"
    assert Path(f"{root}.hash").read_text() == tree_hash(str(root)), "the tree would be unpacked again"


def test_over_https_with_the_authority_of_the_users_settings(
    repository: Repository, certificate: Certificate, git_config: Path
) -> None:
    with serve({"/": git_backend(repository.path.parent.parent)}, certificate) as server:
        with pytest.raises(FetchError, match="does not trust the server"):
            fetch(f"{server.url}/Org/repo.git")
        git_config.write_text(f"[http]\n\tsslCAInfo = {certificate.certificate}\n")
        assert_whole(fetch(f"{server.url}/Org/repo.git"), repository)


def test_all_transports_give_the_same_tree(repository: Repository, server: Server) -> None:
    with git_daemon(repository.path.parent.parent) as address:
        texts = (f"{server.url}/Org/repo.git", f"{address}/Org/repo.git", repository.url)
        fetched = [fetch(text) for text in texts]
        fetched.append(Fetcher().fetch(parse_source("repo.git", str(repository.path.parent))))

    for tree in fetched:
        assert_whole(tree, repository)
    # The address of a file and its path are one source.
    assert len({tree.root for tree in fetched}) == 3


def fake_ssh(folder: Path, repository: Repository, name: str = "fake-ssh") -> tuple[Path, Path]:
    """A program in place of ssh that runs the command here, and the file in which it notes its arguments."""
    program, log = folder / name, folder / f"{name}.log"
    root = repository.path.parent.parent
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\n[ "$1" = -G ] && exit 1\n'
        f'for command; do :; done\ncd {root}\nexec sh -c "$command"\n'
    )
    program.chmod(0o755)
    return program, log


@pytest.mark.parametrize("by_settings", [False, True])
def test_over_ssh_with_the_command_of_the_user(
    repository: Repository, tmp_path: Path, git_config: Path, monkeypatch: pytest.MonkeyPatch, by_settings: bool
) -> None:
    program, log = fake_ssh(tmp_path, repository)
    if by_settings:
        git_config.write_text(f"[core]\n\tsshCommand = {program}\n")
    else:
        monkeypatch.setenv("GIT_SSH_COMMAND", str(program))

    assert_whole(fetch("git@example.com:Org/repo.git"), repository)
    assert "git@example.com git-upload-pack 'Org/repo.git'" in log.read_text()
    assert "BatchMode" not in log.read_text()


def test_ssh_itself_runs_in_batch_mode(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    _, log = fake_ssh(tmp_path / "bin", repository, "ssh")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    assert_whole(fetch("git@example.com:Org/repo.git"), repository)
    assert "-oBatchMode=yes" in log.read_text()


def test_addresses_are_rewritten_by_the_users_settings(repository: Repository, git_config: Path) -> None:
    root = repository.path.parent.parent.as_uri()
    git_config.write_text(f'[url "{root}/"]\n\tinsteadOf = https://example.com/\n\tinsteadOf = git@example.com:\n')

    assert_whole(fetch("https://example.com/Org/repo.git"), repository)
    assert_whole(fetch("git@example.com:Org/repo.git"), repository)


@pytest.fixture
def private(repository: Repository) -> Iterator[Server]:
    """The repository over HTTP, for those who know the password."""
    with serve({"/": authenticated(git_backend(repository.path.parent.parent), USER, PASSWORD)}) as running:
        yield running


def test_credentials_of_the_address_are_used(repository: Repository, private: Server) -> None:
    address = private.url.replace("//", f"//{USER}:{QUOTED}@")

    assert_whole(fetch(f"{address}/Org/repo.git"), repository)


def test_the_users_credential_helper_is_asked(repository: Repository, private: Server, git_config: Path) -> None:
    git_config.write_text(f'[credential]\n\thelper = "!f() {{ echo username={USER}; echo password={PASSWORD}; }}; f"\n')

    assert_whole(fetch(f"{private.url}/Org/repo.git"), repository)


def test_the_users_credential_helper_knows_the_password_of_a_name_in_the_address(
    repository: Repository, private: Server, git_config: Path, tmp_path: Path
) -> None:
    git_config.write_text(
        f'[credential]\n\thelper = "!f() {{ cat > {tmp_path}/asked; echo password={PASSWORD}; }}; f"\n'
    )

    assert_whole(fetch(f"{private.url.replace('//', f'//{USER}@')}/Org/repo.git"), repository)
    assert f"username={USER}" in (tmp_path / "asked").read_text()


def test_credentials_of_an_address_are_not_stored(
    repository: Repository, private: Server, git_config: Path, tmp_path: Path
) -> None:
    git_config.write_text(f"[credential]\n\thelper = store --file {tmp_path}/stored\n")

    fetch(f"{private.url.replace('//', f'//{USER}:{QUOTED}@')}/Org/repo.git")

    assert not (tmp_path / "stored").exists()


@pytest.mark.parametrize("address", ["{url}/Org/repo.git", "{wrong}/Org/repo.git", "{token}/Org/repo.git"])
def test_without_the_right_credentials_it_fails_at_once_and_says_what_to_do(private: Server, address: str) -> None:
    wrong, token = (private.url.replace("//", f"//{who}@") for who in ("reader:not-the-secret", "t0ken-of-mine"))

    with pytest.raises(FetchError) as error:
        fetch(address.format(url=private.url, wrong=wrong, token=token))

    assert "credential helper" in str(error.value)
    assert "secret" not in str(error.value)
    assert "t0ken" not in str(error.value)
    assert private.url in str(error.value)


def moved_to(url: str) -> Handle:
    """Every path redirected to the same one below `url`."""
    return lambda request, handler: redirect(f"{url}{request.path}?{request.query}")(request, handler)


def test_credentials_do_not_follow_a_redirect_to_another_host(repository: Repository) -> None:
    with (
        serve({"/": git_backend(repository.path.parent.parent)}) as other,
        serve({"/": authenticated(moved_to(other.url), USER, PASSWORD)}) as server,
        # Not every git goes on after a redirect that it met with credentials.
        contextlib.suppress(FetchError),
    ):
        fetch(f"{server.url.replace('//', f'//{USER}:{QUOTED}@')}/Org/repo.git")

    assert any("authorization" in request.headers for request in server.requests)
    assert other.requests
    assert not any("authorization" in request.headers for request in other.requests)


def test_a_redirect_on_the_same_host_is_followed(repository: Repository, server: Server) -> None:
    server.table["/old/"] = lambda request, handler: redirect(request.path.removeprefix("/old") + "?" + request.query)(
        request, handler
    )

    assert_whole(fetch(f"{server.url}/old/Org/repo.git"), repository)


def test_a_redirect_to_another_scheme_is_refused(
    repository: Repository, certificate: Certificate, git_config: Path
) -> None:
    git_config.write_text(f"[http]\n\tsslCAInfo = {certificate.certificate}\n")
    with serve({"/": git_backend(repository.path.parent.parent)}) as plain:
        to_plain = redirect(f"{plain.url}/Org/repo.git/info/refs?service=git-upload-pack")
        with (
            serve({"/": to_plain}, certificate) as server,
            pytest.raises(FetchError, match="redirects to another kind of address"),
        ):
            fetch(f"{server.url}/Org/repo.git")

    assert not plain.requests


def allow_filter(repository: Repository) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")


def test_only_contents_of_skills_are_fetched_from_a_server_that_filters(
    repository: Repository, server: Server, tmp_path: Path
) -> None:
    allow_filter(repository)

    assert_whole(fetch(f"{server.url}/Org/repo.git"), repository)

    cache = Path(os.environ["SKILLBAG_CACHE_DIR"])
    assert sum(path.stat().st_size for path in (cache / "git").rglob("*.pack")) < 20_000
    # Two connections: one for the commit and its trees, one for all contents of the skills together.
    assert len(server.seen("GET")) == 2


def test_a_server_that_filters_but_refuses_single_objects_sends_all(
    repository: Repository, server: Server, git_config: Path
) -> None:
    allow_filter(repository)
    # The old protocol checks what is asked for.
    git_config.write_text("[protocol]\n\tversion = 0\n")

    assert_whole(fetch(f"{server.url}/Org/repo.git"), repository)


def test_a_server_that_refuses_filters_sends_all(repository: Repository, server: Server) -> None:
    allow_filter(repository)
    repository.git("config", "uploadpackfilter.allow", "false")

    assert_whole(fetch(f"{server.url}/Org/repo.git"), repository)


def test_a_server_of_plain_files_sends_all(repository: Repository) -> None:
    repository.git("update-server-info")

    def plain(request: Request, handler: BaseHTTPRequestHandler) -> None:
        path = repository.path.parent.parent / request.path.lstrip("/")
        answer(handler, *((path.read_bytes(), 200) if path.is_file() else (b"", 404)))

    with serve({"/": plain}) as server:
        assert_whole(fetch(f"{server.url}/Org/repo.git"), repository)
