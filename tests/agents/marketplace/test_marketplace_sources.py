"""`skillbag team marketplace`: adding, removing and showing sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.marketplace.markets import add, indexed, plain, refs, sources, update
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import Run


def test_without_a_source_the_message_says_how_to_add_one(run: Run) -> None:
    shown = run("marketplace")
    assert shown.code == 0
    assert "skillbag team marketplace add ADDRESS" in shown.out
    for arguments in ("search pdf", "search x --source y", "marketplace list", "marketplace update"):
        outcome = run(*arguments.split())
        assert outcome.code == 2
        assert "skillbag team marketplace add ADDRESS" in outcome.err


def test_without_an_index_the_message_names_the_update(run: Run, tmp_path: Path) -> None:
    add(run, write(tmp_path / "source", plain("pdf-forms")), "team")
    outcome = run("search", "pdf")
    assert outcome.code == 2
    assert "skillbag team marketplace update" in outcome.err
    assert run("marketplace").out.endswith(" (missing)\n")


def test_the_state_shows_sources_with_their_skills_and_those_that_were_never_indexed(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"])
    add(run, write(tmp_path / "two", plain("x")), "other")

    outcome = run("marketplace")
    values = json.loads(run("marketplace", "--json").out)

    assert "1 skill, indexed 20" in outcome.out
    assert "never indexed: skillbag team marketplace update other" in outcome.out
    assert outcome.out.endswith(" kB)\n")
    assert [(source["name"], source["skills"]) for source in values["sources"]] == [("team", 1), ("other", None)]
    assert values["index"]["state"] == "ready"


@pytest.mark.parametrize(
    ("address", "full", "name"),
    [
        ("acme", "https://github.com/acme/skills", "acme"),
        ("acme/tools", "https://github.com/acme/tools", "tools"),
        ("acme/skills", "https://github.com/acme/skills", "acme"),
        ("acme/tools@v1", "https://github.com/acme/tools.git", "tools"),
        ("https://github.com/acme/tools/tree/v1", "https://github.com/acme/tools.git", "tools"),
        ("https://example.com/list.tar.gz", "https://example.com/list.tar.gz", "list"),
        ("https://example.com/Our_Team/skills.git", "https://example.com/Our_Team/skills.git", "our-team"),
        ("git@example.com:Org/Docs.git", "git@example.com:Org/Docs.git", "docs"),
        ("https://example.com/list/marketplace.json", "https://example.com/list/marketplace.json", "list"),
    ],
)
def test_a_source_is_added_by_any_form_of_address(run: Run, tmp_path: Path, address: str, full: str, name: str) -> None:
    outcome = run("marketplace", "add", address, "--version", "v1", "--json", cwd=tmp_path)

    assert outcome.code == 0, outcome.out
    assert json.loads(outcome.out)["source"] == {"name": name, "address": full, "version": "v1"}


def test_the_host_of_the_short_form_is_the_users(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CODE_HOST", "https://git.example")
    outcome = run("marketplace", "add", "acme/tools", "--json", cwd=tmp_path)

    assert json.loads(outcome.out)["source"]["address"] == "https://git.example/acme/tools"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("https://github.com/acme/tools/tree/main/skills/pdf", "a source is all of it; write this address"),
        ("acme/tools/skills/pdf", "https://github.com/acme/tools.git: the address leads to a part"),
        ("acme/tools@v2", "names the version v2, and --version v1"),
        ("https://github.com/acme/tools/pull/3", "write https://github.com/acme/tools"),
    ],
)
def test_a_part_of_a_repository_is_no_source(run: Run, tmp_path: Path, address: str, why: str) -> None:
    outcome = run("marketplace", "add", address, "--version", "v1", cwd=tmp_path)

    assert outcome.code == 2
    assert why in outcome.err
    assert not sources(run)


def test_a_relative_path_is_kept_as_an_absolute_one(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "acme", plain("pdf-forms"))

    outcome = run("marketplace", "add", "./acme", cwd=tmp_path)
    values = json.loads(run("marketplace", "--json", cwd=tmp_path).out)

    assert outcome.code == 0
    assert values["sources"][0]["address"] == str(tmp_path / "acme")


def test_an_address_that_may_be_a_path_or_a_repository_is_refused(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "acme", plain("pdf-forms"))

    outcome = run("marketplace", "add", "acme", cwd=tmp_path)

    assert outcome.code == 2
    assert "./acme" in outcome.err
    assert "https://github.com/acme/skills" in outcome.err


@each_row(
    "address",
    [
        *("", " ", "./nowhere", "ext::sh -c id", "-x", "a\0b", "https://", "//host/x", "ftp://example.com/x", "data:x"),
        *("https://me:secret-word@example.com/x.git", "https://example.com/x.zip?token=secret-word", "a/b/c"),
    ],
)
def test_a_malformed_address_is_refused_in_one_sentence(run: Run, tmp_path: Path, address: str) -> None:
    (tmp_path / "empty").mkdir()

    outcome = run("marketplace", "add", address, cwd=tmp_path / "empty")

    assert outcome.code == 2, outcome.out
    assert "Traceback" not in outcome.err
    assert "secret-word" not in outcome.err
    assert not sources(run)


@each_row("name", ["", "Team", "a/b", "..", "a\n", "-a", "a--b", "x" * 65, "é"])
def test_the_name_of_a_source_is_held_to_the_pattern(run: Run, tmp_path: Path, name: str) -> None:
    outcome = run("marketplace", "add", tmp_path, "--name", name)

    assert outcome.code == 2
    assert not sources(run)


def test_a_name_belongs_to_one_source_and_adding_the_same_again_changes_nothing(run: Run, tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", plain("x")), write(tmp_path / "two", plain("x"))
    add(run, one, "team")

    again = run("marketplace", "add", one, "--name", "team")
    other = run("marketplace", "add", two, "--name", "team")

    assert again.code == 0
    assert "already" in again.out
    assert other.code == 2
    assert "--name" in other.err
    assert [source["address"] for source in sources(run)] == [str(one)]


def test_a_removed_source_is_gone_from_the_settings_and_from_the_index(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"])
    indexed(run, tmp_path / "two", ["docx"], "other")

    outcome = run("marketplace", "remove", "team")

    assert outcome.code == 0
    assert refs(run) == ["other/docx"]
    assert not json.loads(run("search", "pdf", "--json").out)["skills"]
    assert [source["name"] for source in sources(run)] == ["other"]


def test_an_unknown_source_is_reported_with_a_suggestion(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"])

    for arguments in (
        ("marketplace", "remove", "taem"),
        ("marketplace", "update", "taem"),
        ("search", "x", "--source", "taem"),
    ):
        outcome = run(*arguments)
        assert outcome.code == 2
        assert "did you mean team?" in outcome.err


def test_a_source_that_was_deleted_from_the_settings_file_is_dropped_by_the_next_update(
    run: Run, tmp_path: Path
) -> None:
    from skillbag.agents.settings.user_settings import settings_path

    indexed(run, tmp_path / "one", ["pdf-forms"])
    indexed(run, tmp_path / "two", ["docx"], "other")
    settings = json.loads(Path(settings_path()).read_text("utf-8"))
    settings["marketplace"]["sources"] = settings["marketplace"]["sources"][1:]
    Path(settings_path()).write_text(json.dumps(settings), "utf-8")

    update(run)

    assert refs(run) == ["other/docx"]


def test_mistakes_are_json_where_json_is_asked_for(run: Run) -> None:
    for arguments in (("search", "x"), ("marketplace", "update"), ("marketplace", "remove", "x"), ("search",)):
        outcome = run(*arguments, "--json")
        assert outcome.code == 2
        assert json.loads(outcome.out)["error"]
