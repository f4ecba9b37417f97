"""The marketplace where settings, index and workspace have moved on: no skill from where nobody meant, no lost link."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from skillbag.agents.marketplace.install import install_skill, remove_skill
from skillbag.agents.marketplace.references import BadReferenceError
from skillbag.agents.settings.scope import Scope
from skillbag.agents.settings.user_settings import MarketSource, change_user_settings, settings_path
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import FetchSpec
from tests.agents.marketplace.markets import (
    add,
    found,
    indexed,
    plain,
    plugin,
    plugins,
    refs,
    skill,
    sources,
    update,
)
from tests.supply.install.outcomes import installed, lock_of
from tests.supply.install.worlds import write
from tests.support import Run


def by_hand(*sources: tuple[str, Path]) -> None:
    """Write the sources into the settings as people do."""
    listed = [{"name": name, "address": str(folder)} for name, folder in sources]
    Path(settings_path()).write_text(json.dumps({"version": 1, "marketplace": {"sources": listed}}), "utf-8")


@pytest.mark.parametrize("mode", ["--copy", "--no-copy"])
def test_links_for_other_agents_follow_what_an_agent_installs_and_removes(
    run: Run, tmp_path: Path, workspace: Path, mode: str
) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"])
    assert run("link", "--agents", "claude,codex", mode, cwd=workspace).code == 0

    def tool(**arguments: str) -> str:
        outcome = run("tool", "skill_marketplace", json.dumps(arguments), cwd=workspace)
        assert outcome.code == 0, outcome.out
        return outcome.out

    assert "Links for claude, codex: " in tool(action="install", skill_ref="team/pdf-forms")
    for place in (".claude/skills", ".agents/skills"):
        assert (workspace / place / "pdf-forms" / "SKILL.md").exists()
    assert "Links for claude, codex: " in tool(action="remove", skill_ref="team/pdf-forms")
    for place in (".claude/skills", ".agents/skills"):
        assert not os.path.lexists(workspace / place / "pdf-forms")


def test_a_source_that_was_given_another_address_is_not_installed_from_the_old_one(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    indexed(run, tmp_path / "old", ["pdf-forms", "docx"])
    new = write(tmp_path / "new", plain("pdf-forms"))
    by_hand(("team", new))

    assert f"It comes from {new}." in install_skill(scope, "team/pdf-forms")
    for reference in ("team/docx", "docx"):
        with pytest.raises(Exception, match=r"no skill `docx`|no configured source offers"):
            install_skill(scope, reference)
    assert installed(workspace) == ["pdf-forms"]


def test_a_name_that_was_a_source_of_the_user_is_not_taken_for_an_owner(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"], "acme")
    other = write(tmp_path / "other", plain("docx"))
    by_hand(("other", other))
    assert found(run, "pdf") == ["acme/pdf-forms"], "the index is behind the settings"

    with pytest.raises(BadReferenceError, match="acme is not a source any more") as error:
        install_skill(scope, "acme/pdf-forms")
    assert "https://github.com/acme/skills#pdf-forms" in str(error.value)
    assert update(run)[0] == 0
    assert refs(run) == ["other/docx"]


def test_a_source_that_is_removed_while_it_is_fetched_is_not_indexed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"], "one")
    indexed(run, tmp_path / "two", ["docx"], "two")

    def slowly(fetcher: Fetcher, wishes: Iterable[FetchSpec]) -> object:
        by_hand(("two", tmp_path / "two"))
        return fetch_all(fetcher, wishes)

    monkeypatch.setattr("skillbag.agents.marketplace.update.fetch_all", slowly)
    code, sources = update(run)

    assert code == 4
    assert "removed or changed meanwhile" in sources["one"]["failures"][0]
    assert refs(run) == ["two/docx"]


_SECRET = "hunter2secret"


@pytest.mark.parametrize(
    "reference",
    [
        f"https://user:{_SECRET}@example.com/x.git#Bad_Name",
        f"https://user:{_SECRET}@example.com/x.git#pdf-forms",
        f"https://user:{_SECRET}@example.com/x.git",
        f"https://user:{_SECRET}@example.com/x.git/pdf-forms",
        f"https://{_SECRET}@example.com/x.git/pdf-forms",
        f"https://example.com/x.zip?token={_SECRET}#Bad_Name",
        f"https://example.com/x.zip?token={_SECRET}#pdf-forms",
        f"user:{_SECRET}@example.com:x.git/pdf-forms",
        f"https://user:{_SECRET}@{'x' * 200}.com/x.git#Bad_Name",
    ],
)
def test_no_password_of_an_address_is_repeated(run: Run, workspace: Path, reference: str) -> None:
    for action in ("install", "remove"):
        arguments = json.dumps({"action": action, "skill_ref": reference})
        for more in ((), ("--json",)):
            outcome = run("tool", "skill_marketplace", arguments, *more, cwd=workspace)
            assert _SECRET not in outcome.out + outcome.err
    for command in (("install", reference), ("update", reference), ("remove", reference), ("add", reference)):
        for more in ((), ("--json",)):
            outcome = run("marketplace", *command, *more, cwd=workspace)
            assert outcome.code in (1, 2), outcome.out
            assert _SECRET not in outcome.out + outcome.err
    assert not os.path.exists(settings_path()) or _SECRET not in Path(settings_path()).read_text("utf-8")


def test_a_password_in_a_lock_that_was_edited_by_hand_is_not_repeated(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"])
    install_skill(scope, "team/pdf-forms")
    lock = workspace / "skillbag.lock"
    address = f"https://user:{_SECRET}@example.com/x.git"
    text = (
        lock.read_text("utf-8")
        .replace('"kind": "folder"', '"kind": "git"')
        .replace('"resolved": null', f'"resolved": "{"0" * 40}"')
    )
    lock.write_text(text.replace(str(tmp_path / "source"), address), "utf-8")
    assert lock_of(workspace)["pdf-forms"]["source"] == address

    with pytest.raises(BadReferenceError, match=r"comes from https://example\.com/x\.git") as error:
        remove_skill(scope, "team/pdf-forms")
    assert _SECRET not in str(error.value)


def test_an_installation_leaves_what_was_edited_here(run: Run, tmp_path: Path, workspace: Path, scope: Scope) -> None:
    source = indexed(run, tmp_path / "source", ["pdf-forms", "docx"])
    install_skill(scope, "team/docx")
    edited = workspace / ".skills/docx/SKILL.md"
    edited.write_text(edited.read_text("utf-8") + "\nMine.\n", "utf-8")
    write(source, {"skills/docx/more.md": "New."})
    kept = edited.read_bytes()

    assert install_skill(scope, "team/pdf-forms").startswith("Successfully installed skill 'pdf-forms'.")
    assert edited.read_bytes() == kept
    assert not (workspace / ".skills/docx/more.md").exists()


@pytest.mark.parametrize("group", ["marketplace", "personal"])
@pytest.mark.parametrize("slip", ["bad", "--bad"])
def test_a_slip_of_a_group_is_json_too_where_that_is_asked_for(run: Run, group: str, slip: str) -> None:
    outcome = run(group, slip, "--json")
    assert outcome.code == 2
    assert "bad" in json.loads(outcome.out)["error"]
    assert "hint: for help, run skillbag" in run(group, slip).err


def test_a_folder_that_is_gone_is_reported_when_a_source_is_added(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); from skillbag.doors.cli import main; main()"
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-c", code, "marketplace", "add", "./x"]
    done = subprocess.run(command, cwd=gone, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "the current folder is gone" in done.stderr


def test_a_frozen_installation_makes_the_links_that_the_lock_has(run: Run, tmp_path: Path, workspace: Path) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"])
    run("link", "--agents", "claude", cwd=workspace)
    assert run("marketplace", "install", "team/pdf-forms", cwd=workspace).code == 0
    lock = (workspace / "skillbag.lock").read_bytes()
    shutil.rmtree(workspace / ".claude")
    shutil.rmtree(workspace / ".skills/pdf-forms")

    assert run("install", "--frozen", cwd=workspace).code == 0
    assert (workspace / ".claude/skills/pdf-forms/SKILL.md").exists()
    assert (workspace / "skillbag.lock").read_bytes() == lock


def test_what_a_source_holds_reaches_no_terminal_raw_when_it_is_skipped_or_fails(run: Run, tmp_path: Path) -> None:
    files = plugins(plugin("a\x1b[31m\u202eb", 5), plugin("c", {"source": "url", "url": "http://127.0.0.1:1/\u202ex"}))
    add(run, write(tmp_path / "source", plain("x") | files), "team")

    reported = run("marketplace", "update")
    state = run("marketplace")

    assert reported.code == 4
    assert "failed" in reported.out
    for outcome in (reported, state):
        assert "skipped: plugin a\\x1b[31m\\u202eb" in outcome.out
        assert all(line.isprintable() for line in outcome.out.splitlines())


def test_what_was_skipped_is_reported_again_by_the_state(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "source", {**plain("good"), "skills/bad/SKILL.md": "---\nname: bad\n---\n\nNothing.\n"})
    (source,) = sources(run)
    assert source["skills"] == 1
    assert any("bad" in remark for remark in source["remarks"])


def test_a_source_that_was_given_another_address_counts_as_never_indexed(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "old", ["pdf-forms"])
    by_hand(("team", tmp_path / "new"))
    (source,) = sources(run)
    assert (source["skills"], source["updated"]) == (None, None)


@pytest.mark.parametrize("address", ["../other", "~/other", "./other"])
def test_a_list_in_a_folder_leads_to_no_relative_path_beside_it(run: Run, tmp_path: Path, address: str) -> None:
    write(tmp_path / "other", plain("docx"))
    listed = plugins(plugin("a", {"source": "url", "url": address}), plugin("b", "./"))
    indexed(run, tmp_path / "source", plain("pdf-forms") | listed)
    assert refs(run) == ["team/pdf-forms"]
    (source,) = sources(run)
    assert any("no address of a repository elsewhere" in remark for remark in source["remarks"])


def test_only_the_beginning_of_very_long_instructions_is_searched(run: Run, tmp_path: Path) -> None:
    body = "near " + "x " * (1 << 16) + "faraway"
    indexed(run, tmp_path / "source", {"skills/long/SKILL.md": skill("long", body=body)})
    assert found(run, "near") == ["team/long"]
    assert found(run, "faraway") == []


def test_a_lock_with_an_address_that_can_not_be_used_names_the_way_out(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    source = indexed(run, tmp_path / "source", ["pdf-forms"])
    install_skill(scope, "team/pdf-forms")
    lock = workspace / "skillbag.lock"
    lock.write_text(lock.read_text("utf-8").replace(f'"{source}"', '"ext::sh -c id"'), "utf-8")
    with pytest.raises(BadReferenceError, match="pdf-forms alone removes it"):
        remove_skill(scope, "team/pdf-forms")
    assert remove_skill(scope, "pdf-forms").startswith("Successfully removed")


def test_a_source_of_the_same_name_is_written_with_its_new_values_and_keeps_foreign_keys(tmp_path: Path) -> None:
    Path(settings_path()).parent.mkdir(parents=True, exist_ok=True)
    listed = {"name": "team", "address": "https://example.com/a.git", "version": "v1", "note": "ours"}
    Path(settings_path()).write_text(json.dumps({"version": 1, "marketplace": {"sources": [listed]}}), "utf-8")
    changed = MarketSource("team", "https://example.com/b.git")
    change_user_settings(lambda settings: settings._replace(sources=(changed,)))
    (written,) = json.loads(Path(settings_path()).read_text("utf-8"))["marketplace"]["sources"]
    assert written == {"name": "team", "address": "https://example.com/b.git", "note": "ours"}


def test_a_skill_with_an_absolute_link_does_not_disable_its_source(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = write(tmp_path / "source", plain("tidy", "sweep"))
    (source / "skills/tidy/notes.txt").symlink_to("/etc/hostname")
    add(run, source, "team")
    code, values = update(run)
    assert (code, values["team"]["skills"]) == (0, 1)
    assert "skills/tidy: it is left out for a link" in values["team"]["remarks"][0]
    assert refs(run) == ["team/sweep"]
