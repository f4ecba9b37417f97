"""Merges, offline runs, credentials and certificates of an installation from a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.git_sources import commit, repository, zipped
from tests.supply.install.outcomes import installed, lock_of, statuses
from tests.supply.install.worlds import call, make_workspace, skill_text, snapshot, source_files, unchanged, write
from tests.supply.sources.repositories import make_repository
from tests.supply.sources.servers import authenticated, content, git_backend, make_certificate, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


LINES = "".join(f"Line {number}.\n\n" for number in range(12))


def test_a_merge_joins_edits_with_the_new_version(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a=LINES)
    workspace = make_workspace(tmp_path / "work", [need("a", repo.url, "main")])
    assert call(run, workspace, "install")[0] == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Line 1.", "My line."))
    second = commit(repo, a=LINES.replace("Line 10.", "Their line."))
    assert statuses(call(run, workspace, "update", "--yes")[1]) == {"a": "edited"}
    code, values = call(run, workspace, "update", "--merge", "a")
    assert (code, statuses(values)) == (0, {"a": "merged"})
    assert "My line." in skill.read_text()
    assert "Their line." in skill.read_text()
    assert lock_of(workspace)["a"]["resolved"] == second
    assert "My line." in (workspace / values["backups"][0] / "SKILL.md").read_text()
    assert statuses(call(run, workspace, "list")[1])["a"] == "edited"
    assert run("diff", "a", cwd=workspace).out.count("\n+") == 2


def test_a_merge_that_can_t_be_made_writes_nothing_unless_markers_are_asked_for(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a=LINES)
    workspace = make_workspace(tmp_path / "work", [need("a", repo.url, "main")])
    assert call(run, workspace, "install")[0] == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Line 5.", "My line."))
    commit(repo, a=LINES.replace("Line 5.", "Their line."))
    with unchanged(workspace):
        code, values = call(run, workspace, "update", "--merge", "a")
        assert (code, values["problems"][0]["path"]) == (3, ".skills/a/SKILL.md")
    code, values = call(run, workspace, "update", "--merge", "a", "--accept=markers")
    assert (code, statuses(values)) == (0, {"a": "merged"})
    assert "<<<<<<<" in skill.read_text()
    assert ">>>>>>>" in skill.read_text()


def test_what_was_fetched_once_installs_again_without_a_network(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    with serve({"/source.zip": content(archive), "/": git_backend(tmp_path)}) as server:
        addresses = [f"{server.url}/source.zip", f"{server.url}/repo.git"]
        for number, address in enumerate(addresses):
            workspace = make_workspace(tmp_path / f"first-{number}")
            assert call(run, workspace, "install", "a", "--source", address)[0] == 0
            lock = workspace / "skillbag.lock"
    for number, address in enumerate(addresses):
        workspace = make_workspace(tmp_path / f"second-{number}")
        assert call(run, workspace, "install", "a", "--source", address)[0] == 4
        assert call(run, workspace, "install", "a", "--source", address, "--offline")[0] == 0
        assert installed(workspace) == ["a"]
    third = make_workspace(tmp_path / "third")
    write(third, {"skillbag.lock": lock.read_bytes()})
    assert call(run, third, "install", "--frozen", "--offline")[0] == 0
    empty = make_workspace(tmp_path / "fourth")
    assert call(run, empty, "install", "a", "--source", "https://git.example.com/Org/x.git", "--offline")[0] == 4


def test_one_fetch_however_many_skills_come_from_a_repository(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.", b="One.", c="One.")
    with serve({"/": git_backend(tmp_path)}) as server:
        declared = [need(name, f"{server.url}/repo.git", "main") for name in ("a", "b", "c")]
        workspace = make_workspace(tmp_path / "work", declared)
        assert call(run, workspace, "install")[0] == 0
        fetches = server.seen("git-upload-pack")
        assert call(run, workspace, "install")[0] == 0
        assert server.seen("git-upload-pack") == fetches
    posts = [request for request in fetches if request.startswith("POST")]
    assert 1 <= len(posts) <= 2, fetches
    assert repo.path.is_dir()


def test_a_skill_from_a_server_may_not_name_a_local_path(run: Run, tmp_path: Path) -> None:
    secret = write(tmp_path / "private", source_files({"b": skill_text("b")}))
    skills = {"a": skill_text("a", [{"name": "b", "source": str(secret)}])}
    make_repository(tmp_path / "repo.git", source_files(skills))
    with serve({"/": git_backend(tmp_path)}) as server:
        workspace = make_workspace(tmp_path / "work")
        before = snapshot(workspace)
        code, values = call(run, workspace, "install", "a", "--source", f"{server.url}/repo.git")
    assert code == 1
    assert "path of this machine" in values["problems"][0]["message"]
    assert snapshot(workspace) == before


def test_credentials_of_an_address_go_to_the_server_and_nowhere_else(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    secret = "Zk93-token-5rTq81"
    table = {
        "/source.zip": authenticated(content(archive), "reader", secret),
        "/": authenticated(git_backend(tmp_path), "reader", secret),
    }
    with serve(table) as server:
        for path in ("repo.git", "source.zip"):
            address = f"{server.url}/{path}".replace("://", f"://reader:{secret}@")
            workspace = make_workspace(tmp_path / f"work-{path}")
            outcome = run("add", "a", "--source", address, cwd=workspace)
            assert outcome.code == 0, outcome.err
            plain = f"{server.url}/{path}"
            assert lock_of(workspace)["a"]["source"] == plain
            assert plain in (workspace / "CONTEXT.md").read_text()
            wrong = run("install", "zz", "--source", address, cwd=workspace)
            assert wrong.code == 1
            refused = run(
                "install", "a", "--source", address.replace(secret, secret[::-1]), "--accept=newer", cwd=workspace
            )
            assert refused.code == 4
            printed = outcome.out + outcome.err + wrong.out + wrong.err + refused.out + refused.err
            assert secret not in printed
            assert secret[::-1] not in printed
            held = [path for path in workspace.rglob("*") if path.is_file() and secret in path.read_text("utf-8")]
            assert held == []
    import os

    for folder in (os.environ["SKILLBAG_CACHE_DIR"], os.environ["SKILLBAG_STATE_DIR"]):
        assert [
            path for path in Path(folder).rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
        ] == []


def test_https_with_a_certificate_of_one_s_own(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = repository(tmp_path, a="One.")
    archive = zipped(repo, tmp_path / "source.zip").read_bytes()
    certificate = make_certificate(tmp_path)
    with serve({"/source.zip": content(archive), "/": git_backend(tmp_path)}, certificate) as server:
        for number, path in enumerate(("source.zip", "repo.git")):
            workspace = make_workspace(tmp_path / f"work-{number}")
            outcome = run("install", "a", "--source", f"{server.url}/{path}", cwd=workspace)
            assert (outcome.code, "certificate" in outcome.err) == (4, True), outcome.err
            with monkeypatch.context() as patch:
                patch.setenv("SSL_CERT_FILE", str(certificate.certificate))
                patch.setenv("GIT_SSL_CAINFO", str(certificate.certificate))
                assert call(run, workspace, "install", "a", "--source", f"{server.url}/{path}")[0] == 0


def test_nothing_unpacked_for_one_run_is_left_in_the_cache(run: Run, tmp_path: Path) -> None:
    import os

    files: dict[str, str | bytes] = dict(source_files({"a": skill_text("a"), "b": skill_text("b")}))
    files[".skills/a/node_modules/x/index.js"] = "left out\n"
    repo = make_repository(tmp_path / "repo.git", files)
    for address in (repo.url, str(zipped(repo, tmp_path / "source.zip"))):
        workspace = make_workspace(tmp_path / f"work-{len(address)}")
        assert call(run, workspace, "install", "a", "--source", address)[0] == 0
        assert sorted(path.name for path in (workspace / ".skills/a").rglob("*")) == ["SKILL.md"]
        assert call(run, workspace, "install", "b", "--source", address, "--offline")[0] == 0
        assert call(run, workspace, "verify")[0] == 0
    assert list(Path(os.environ["SKILLBAG_CACHE_DIR"], "trees").iterdir()) == []
