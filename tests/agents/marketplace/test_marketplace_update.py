"""`skillbag team marketplace update`: every kind of source, each failure for itself, and a whole index always."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from tests.agents.marketplace.markets import add, found, indexed, plain, refs, skill, update
from tests.supply.install.worlds import make_source, write
from tests.supply.sources.repositories import git, make_repository
from tests.supply.sources.servers import git_backend, serve
from tests.support import Run


def test_plain_repositories_are_indexed_from_git_over_http_folders_and_zips(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "served" / "one.git", plain("of-git"))
    write(tmp_path / "folder", plain("of-folder"))
    with zipfile.ZipFile(tmp_path / "skills.zip", "w") as packed:
        for path, text in plain("of-zip", at="packed/skills").items():
            packed.writestr(path, text)
    with serve({"/": git_backend(tmp_path / "served")}) as server:
        add(run, f"{server.url}/one.git", "http")
        add(run, repository.url, "file")
        add(run, tmp_path / "folder", "folder")
        add(run, tmp_path / "skills.zip", "zip")

        code, sources = update(run)

    assert code == 0, sources
    assert refs(run) == ["file/of-git", "folder/of-folder", "http/of-git", "zip/of-zip"]


def test_a_skillbag_source_is_indexed_without_its_reserved_skill(run: Run, tmp_path: Path) -> None:
    add(run, make_source(tmp_path / "source", ["lint-docs", "skillbag-get-skills"]), "team")

    assert update(run)[0] == 0
    assert refs(run) == ["team/lint-docs"]


def test_a_version_is_what_is_indexed(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("old"))
    repository.git("tag", "v1")
    repository.commit(plain("new"))
    add(run, repository.url, "team", "--version", "v1")

    update(run)

    assert refs(run) == ["team/old"]


def test_an_update_brings_what_has_changed_and_takes_what_is_gone(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("old", "kept"))
    add(run, repository.url, "team")
    update(run)
    repository.commit(plain("new") | {"skills/kept/SKILL.md": skill("kept", "Weigh zebras.")})

    update(run)

    assert refs(run) == ["team/kept", "team/new"]
    assert found(run, "zebra") == ["team/kept"]
    assert found(run, "tidy") == ["team/new"]


def test_a_source_that_fails_stays_as_it_was_and_spoils_no_other(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "bad", ["was-there"], "bad")
    indexed(run, tmp_path / "good", ["old"], "good")
    shutil.rmtree(tmp_path / "bad")
    write(tmp_path / "good", plain("new"))

    outcome = run("marketplace", "update")
    code, sources = update(run)

    assert outcome.code == code == 4
    assert "bad: index unchanged" in outcome.out
    assert "failed: there is no such folder" in outcome.out
    assert sources["bad"]["skills"] is None
    assert refs(run) == ["bad/was-there", "good/new", "good/old"]


def test_a_hostile_source_is_a_failure_of_its_own(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "bad", plain("x"))
    (tmp_path / "bad" / "skills" / "x" / "out").symlink_to("/etc")
    add(run, tmp_path / "bad", "bad")
    add(run, write(tmp_path / "good", plain("y")), "good")

    code, sources = update(run)

    assert code == 4
    assert sources["bad"]["failures"]
    assert refs(run) == ["good/y"]


def test_what_is_malformed_in_a_source_is_reported_and_skipped(run: Run, tmp_path: Path) -> None:
    files = plain("good") | {
        "skills/none/SKILL.md": "no front matter",
        "skills/bare/SKILL.md": "---\nname: bare\n---\n",
        "skills/binary/SKILL.md": b"---\nname: binary\ndescription: \xff\n---\n",
        "skills/odd/SKILL.md": skill("Odd Name"),
        "skills/half/SKILL.md": skill("half", '"a half \\ud800 of a \\0 character"'),
    }
    add(run, write(tmp_path / "source", files), "team")

    code, sources = update(run)

    assert code == 0
    assert refs(run) == ["team/good"]
    for folder in ("none", "bare", "binary", "odd"):
        assert any(folder in remark for remark in sources["team"]["remarks"]), folder


def test_search_and_an_offline_update_work_when_the_source_is_gone(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("pdf-forms"))
    add(run, repository.url, "team")
    update(run)
    shutil.rmtree(tmp_path / "one.git")

    assert found(run, "pdf") == ["team/pdf-forms"]
    assert update(run, "--offline")[0] == 0
    assert found(run, "pdf") == ["team/pdf-forms"]
    assert update(run)[0] == 4


def test_what_a_description_holds_never_reaches_a_terminal_raw(run: Run, tmp_path: Path) -> None:
    token = "ghp_" + "Zq8Lk2Vw9Xr4Tn7Bs1Md6Hf3Jc5Pg0YaUeIo"
    files: dict[str, str | bytes] = {"skills/odd/SKILL.md": skill("odd", f'"pdf \\e[31m\\u202e {token}"')}
    indexed(run, tmp_path / "source", files)

    for arguments in (("search", "pdf"), ("marketplace", "list"), ("search", "pdf", "--json")):
        outcome = run(*arguments)
        assert outcome.code == 0
        assert "team/odd" in outcome.out
        assert "\x1b" not in outcome.out
        assert token not in outcome.out
        assert "\u202e" not in outcome.out or "--json" in arguments


def test_git_has_a_folder_of_its_own_in_the_cache_and_the_index_survives_its_pruning(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("pdf-forms"))
    add(run, repository.url, "team")
    update(run)

    assert run("cache", "prune").code == 0

    assert found(run, "pdf") == ["team/pdf-forms"]
    assert git(tmp_path / "one.git", "rev-parse", "HEAD")


def test_json_of_an_update_tells_all_of_each_source(run: Run, tmp_path: Path) -> None:
    add(run, write(tmp_path / "one", plain("pdf-forms")), "team")

    values = json.loads(run("marketplace", "update", "--json").out)

    assert values["command"] == "marketplace update"
    assert values["sources"] == [
        {"name": "team", "address": str(tmp_path / "one"), "version": None, "skills": 1, "remarks": [], "failures": []}
    ]
