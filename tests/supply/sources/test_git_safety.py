"""Git sources that mean harm, and settings that would let them: nothing runs, asks, leaks or is written elsewhere."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError, InvalidSourceError
from tests.supply.sources.git_fetches import fetch
from tests.supply.sources.repositories import AGENTS, Entry, Repository, git, make_repository, source
from tests.supply.sources.servers import authenticated, git_backend, serve

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that leaves a file `ran` behind."""
    path = tmp_path / "program"
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\ncat\n')
    path.chmod(0o755)
    return path


RAW = b"$Format:%H$ $Id$ one\r\ntwo\n"


def test_no_program_of_settings_or_source_is_run(tmp_path: Path, git_config: Path, program: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-checkout", "post-merge", "post-update", "pre-auto-gc"):
        (hooks / name).symlink_to(program)
    (tmp_path / "template").mkdir()
    (tmp_path / "template" / "hooks").symlink_to(hooks)
    git_config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {program}\n\tautocrlf = true\n\taskPass = {program}\n"
        f"[init]\n\ttemplateDir = {tmp_path / 'template'}\n"
        f'[filter "run"]\n\tsmudge = {program}\n\tclean = {program}\n\tprocess = {program}\n\trequired = true\n'
        f"[gc]\n\tauto = 1\n\trecentObjectsHook = {program}\n"
    )
    attributes = "* filter=run text eol=crlf ident export-subst working-tree-encoding=UTF-16\nSKILL.md export-ignore\n"
    made = make_repository(tmp_path / "repo.git")
    made.commit({**source("alpha"), ".gitattributes": attributes, ".skills/.gitattributes": attributes})
    files: dict[str, str | bytes] = {".skills/alpha/raw.txt": RAW, ".skills/alpha/.gitattributes": attributes}
    made.commit({**source("alpha"), ".gitattributes": attributes, **files})

    root = Path(fetch(made.url).root)

    assert (root / ".skills/alpha/raw.txt").read_bytes() == RAW
    assert (root / ".skills/alpha/SKILL.md").read_text() == source("alpha")[".skills/alpha/SKILL.md"]
    assert not (tmp_path / "ran").exists()


def test_submodules_are_neither_fetched_nor_taken(tmp_path: Path, git_config: Path, repository: Repository) -> None:
    git_config.write_text("[submodule]\n\trecurse = true\n[fetch]\n\trecurseSubmodules = true\n")
    with serve({}) as server:
        modules = f'[submodule "vendor"]\n\tpath = vendor\n\turl = {server.url}/vendor.git\n'
        repository.commit({**source("alpha"), ".gitmodules": modules})
        commit = repository.tip("refs/heads/main")
        beside = [Entry("100644", "AGENTS.md", repository.blob(AGENTS.encode()))]
        skills = repository.git("rev-parse", f"{commit}:.skills")
        repository.point("outside", repository.tree(*beside, Entry("160000", "vendor", commit)))
        repository.point("outside", repository.tree(Entry("40000", ".skills", skills), *beside))
        inside = repository.tree(Entry("160000", "vendor", commit))
        repository.point("inside", repository.tree(Entry("40000", ".skills", inside), *beside))

        assert not (Path(fetch(repository.url, "outside").root) / "vendor").exists()
        with pytest.raises(InvalidSourceError, match="submodule"):
            fetch(repository.url, "inside")
    assert not server.requests


def test_no_program_is_asked_for_a_password(
    repository: Repository, git_config: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_config.write_text(f"[core]\n\taskPass = {program}\n")
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("DISPLAY", ":0")
    with (
        serve({"/": authenticated(git_backend(repository.path.parent), "a", "b")}) as server,
        pytest.raises(FetchError, match="without asking"),
    ):
        fetch(f"{server.url}/repo.git")

    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of this kind are POSIX's")
def test_nothing_is_asked_on_a_terminal(repository: Repository, tmp_path: Path) -> None:
    import pty

    asking = tmp_path / "asking-ssh"
    asking.write_text("#!/bin/sh\nprintf password: > /dev/tty && read word < /dev/tty\nexit 1\n")
    asking.chmod(0o755)
    ours, theirs = pty.openpty()
    with serve({"/": authenticated(git_backend(repository.path.parent), "a", "b")}) as server:
        code = (
            "import sys\n"
            "from skillbag.supply.sources.fetch import Fetcher\n"
            "from skillbag.supply.sources.address import parse_source\n"
            "for one in sys.argv[1:]:\n"
            "    try: Fetcher().fetch(parse_source(one, '/'))\n"
            "    except OSError as error: print('failed')\n"
        )
        addresses = [f"{server.url}/repo.git", f"{server.url.replace('//', '//me@')}/repo.git", "git@example.com:repo"]
        done = subprocess.run(
            ["setsid", "--ctty", "--wait", sys.executable, "-c", code, *addresses],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "GIT_SSH_COMMAND": str(asking)},
            timeout=300,
            check=False,
        )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        seen = b""
        try:
            while piece := terminal.read(4096):
                seen += piece
        except OSError:
            pass

    assert done.stdout.split() == [b"failed"] * 3
    assert seen == b""


def test_the_variables_of_a_hook_do_not_lead_to_another_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = make_repository(tmp_path / "victim.git", source("beta"))
    before = victim.git("for-each-ref")
    monkeypatch.setenv("GIT_DIR", str(victim.path))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(victim.path / "objects"))
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(victim.path))
    monkeypatch.setenv("GIT_NAMESPACE", "other")

    root = Path(fetch(repository.url).root)

    assert (root / ".skills/alpha").is_dir()
    monkeypatch.undo()
    assert victim.git("for-each-ref") == before


def test_settings_of_the_current_repository_are_ignored(
    repository: Repository, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "--quiet")
    git(work, "config", f"url.ext::{program}.insteadOf", repository.url)
    git(work, "config", "core.fsmonitor", str(program))
    monkeypatch.chdir(work)

    assert fetch(repository.url).resolved == repository.tip("refs/heads/main")
    assert not (tmp_path / "ran").exists()


def test_settings_that_lead_to_a_program_are_not_followed(
    git_config: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_config.write_text(
        f'[url "ext::{program} "]\n\tinsteadOf = https://example.com/\n[protocol "ext"]\n\tallow = always\n'
    )

    with pytest.raises(FetchError, match="leads to the transport 'ext::'"):
        fetch("https://example.com/Org/repo")
    assert not (tmp_path / "ran").exists()


def test_the_users_limit_of_transports_applies(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https:ssh")

    with pytest.raises(FetchError, match="GIT_ALLOW_PROTOCOL"):
        fetch(repository.url)


def test_bare_repositories_may_be_forbidden_by_settings(repository: Repository, git_config: Path) -> None:
    git_config.write_text("[safe]\n\tbareRepository = explicit\n")

    assert fetch(repository.url).resolved == repository.tip("refs/heads/main")


def test_a_password_in_the_users_settings_is_in_no_message(repository: Repository, git_config: Path) -> None:
    with serve({"/": authenticated(git_backend(repository.path.parent), "x", "y")}) as server:
        secret = server.url.replace("//", "//reader:hunter2@")
        git_config.write_text(f'[url "{secret}/"]\n\tinsteadOf = https://example.com/\n')
        for path in ("repo.git", "none.git"):
            with pytest.raises(FetchError) as error:
                fetch(f"https://example.com/{path}")
            assert "hunter2" not in str(error.value)
            assert server.url in str(error.value)
    with pytest.raises(FetchError) as error:
        fetch("https://example.com/gone.git")
    assert "hunter2" not in str(error.value)


def test_a_path_that_begins_with_a_dash_is_a_path(repository: Repository, tmp_path: Path) -> None:
    repository.path.rename(tmp_path / "--upload-pack=touch ran")

    assert fetch("./--upload-pack=touch ran", cwd=str(tmp_path)).resolved
    assert not (tmp_path / "ran").exists()


SECRET = "hunter2-%-secret"


def test_credentials_of_an_address_are_in_no_message_file_or_argument(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, reported = tmp_path / "trace", list[str]()
    monkeypatch.setenv("GIT_TRACE", str(trace))
    backend = git_backend(repository.path.parent)
    with serve({"/": authenticated(backend, "reader", SECRET), "/no/": authenticated(backend, "x", "y")}) as server:
        secret = server.url.replace("//", "//reader:hunter2-%25-secret@")
        fetched = Fetcher(progress=reported.append).fetch(parse_source(f"{secret}/repo.git", "/"))
        failed = []
        for address, version in (
            (f"{secret}/no/repo.git", None),
            (f"{secret}/repo.git", "nope"),
            (f"{secret}/x", None),
        ):
            with pytest.raises(FetchError) as error:
                Fetcher(progress=reported.append).fetch(parse_source(address, "/"), version)
            failed += [str(error.value), repr(error.value), repr(error.value.__cause__)]

    assert "git-remote-http" in trace.read_text()
    assert not holds_secret(trace.read_bytes())
    assert not holds_secret("\n".join([*reported, *failed, repr(fetched)]).encode())
    files = [path for path in Path(os.environ["SKILLBAG_CACHE_DIR"]).rglob("*") if path.is_file()]
    assert len(files) > 10
    assert not any(holds_secret(path.read_bytes()) for path in files)


def holds_secret(data: bytes) -> bool:
    forms = (b"hunter2", base64.b64encode(f"reader:{SECRET}".encode()))
    return any(form in data for form in forms)
