"""`skillbag agent link` and `unlink`: the skills in the folders of other agents, and nothing else touched."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import jsonschema
import pytest

from skillbag.kernel.workspace.lock_file import BadLockError, parse_lock, read_lock, render_lock
from tests.supply.install.worlds import make_source, skill_text, write
from tests.supply.links.link_worlds import make_skills, snapshot
from tests.support import Run

pytestmark = pytest.mark.boundary


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_skills(tmp_path / "w", "sort", "tidy")


def shown(root: Path, place: str = ".claude/skills") -> list[str]:
    return sorted(os.listdir(root / place))


def test_links_are_relative_and_lead_to_the_skills(run: Run, workspace: Path) -> None:
    outcome = run("link", "--agents", "claude", cwd=workspace)
    assert outcome.code == 0, outcome.err
    assert shown(workspace) == ["sort", "tidy"]
    assert os.readlink(workspace / ".claude/skills/tidy") == "../../.skills/tidy"
    moved = workspace.rename(workspace.with_name("elsewhere"))
    assert (moved / ".claude/skills/tidy/SKILL.md").read_text(encoding="utf-8") == skill_text("tidy")


def test_all_agents_see_the_skills(run: Run, workspace: Path) -> None:
    assert run("link", "--agents", "claude,codex,cursor,copilot,gemini", cwd=workspace).code == 0
    for place in (".claude/skills", ".agents/skills"):
        assert shown(workspace, place) == ["sort", "tidy"]


@pytest.mark.parametrize("options", [(), ("--copy",)])
def test_unlink_gives_the_workspace_back_to_the_byte(run: Run, workspace: Path, options: tuple[str, ...]) -> None:
    # An empty folder of the user stays as well.
    (workspace / ".claude").mkdir()
    before = snapshot(workspace)
    assert run("link", "--agents", "claude,codex", *options, cwd=workspace).code == 0
    assert snapshot(workspace) != before
    assert run("unlink", cwd=workspace).code == 0
    assert snapshot(workspace) == before


def test_a_lock_without_links_stays_what_it_was(run: Run, tmp_path: Path) -> None:
    source = make_source(tmp_path / "s", ["tidy"])
    root = make_skills(tmp_path / "w")
    assert run("install", "tidy", "--source", source, "--yes", cwd=root).code == 0
    before = (root / "skillbag.lock").read_bytes()
    run("link", "--agents", "claude", cwd=root)
    assert "links" in json.loads((root / "skillbag.lock").read_bytes())
    run("unlink", cwd=root)
    assert (root / "skillbag.lock").read_bytes() == before


def test_one_of_two_agents_of_a_folder_keeps_it(run: Run, workspace: Path) -> None:
    run("link", "--agents", "codex,cursor,claude", cwd=workspace)
    run("unlink", "--agents", "codex,claude", cwd=workspace)
    assert shown(workspace, ".agents/skills") == ["sort", "tidy"]
    assert not (workspace / ".claude").exists()
    run("unlink", "--agents", "cursor", cwd=workspace)
    assert not (workspace / ".agents").exists()


def test_what_it_did_not_make_is_never_touched(run: Run, workspace: Path) -> None:
    own = write(workspace, {".claude/skills/tidy/SKILL.md": "mine", ".claude/skills/other/SKILL.md": "mine too"})
    os.symlink("nowhere", own / ".claude/skills/sort")
    mine = snapshot(workspace / ".claude")
    outcome = run("link", "--agents", "claude", cwd=workspace)
    assert outcome.code == 1
    assert "something else is here" in outcome.out
    assert snapshot(workspace / ".claude") == mine
    assert run("unlink", cwd=workspace).code == 0
    assert snapshot(workspace / ".claude") == mine


def test_a_link_that_the_user_replaced_is_the_users(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    (workspace / ".claude/skills/tidy").unlink()
    write(workspace, {".claude/skills/tidy/SKILL.md": "mine"})
    run("unlink", cwd=workspace)
    assert shown(workspace) == ["tidy"]


def test_an_edited_copy_is_left_and_reported(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    write(workspace, {".claude/skills/tidy/SKILL.md": "mine"})
    for command in (("link",), ("unlink",)):
        outcome = run(*command, cwd=workspace)
        assert outcome.code == 1
        assert "differs" in outcome.out
    assert shown(workspace) == ["tidy"]


def test_a_second_run_brings_what_came_and_takes_what_went(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    make_skills(workspace, "new")
    (workspace / ".skills/tidy/SKILL.md").unlink()
    (workspace / ".skills/tidy").rmdir()
    assert run("link", cwd=workspace).code == 0
    assert shown(workspace) == ["new", "sort"]
    assert "Nothing" not in run("link", cwd=workspace).out


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_no_file_beyond_the_limit_is_copied(run: Run, workspace: Path, options: tuple[str, ...]) -> None:
    with open(workspace / ".skills/tidy/data.bin", "wb") as file:
        file.truncate((64 << 20) + 1)
    outcome = run("link", "--agents", "claude", "--copy", *options, cwd=workspace)
    assert outcome.code != 0
    fault = ".skills/tidy/data.bin: a file of 67,108,865 bytes; at most 64 MiB are taken"
    assert fault in outcome.err
    assert not (workspace / ".claude").exists()
    assert not (workspace / "skillbag.lock").exists()


def test_a_copy_follows_its_skill(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    write(workspace, {".skills/tidy/SKILL.md": skill_text("tidy", body="Better.")})
    assert "renewed" in run("link", cwd=workspace).out
    assert "Better." in (workspace / ".claude/skills/tidy/SKILL.md").read_text(encoding="utf-8")
    assert run("link", "--no-copy", cwd=workspace).code == 0
    assert (workspace / ".claude/skills/tidy").is_symlink()


def test_an_agent_that_skips_links_gets_copies(run: Run, workspace: Path) -> None:
    outcome = run("link", "--agents", "openclaw,claude", cwd=workspace)
    assert "skills/tidy  (a copy, since OpenClaw skips links)" in outcome.out
    copy = workspace / "skills/tidy"
    assert (copy.is_symlink(), (copy / "SKILL.md").is_file()) == (False, True)
    assert (workspace / ".claude/skills/tidy").is_symlink()
    assert "made" not in run("link", "--no-copy", cwd=workspace).out
    write(workspace, {".skills/tidy/SKILL.md": skill_text("tidy", body="Better.")})
    assert "agent-link-stale" in run("check", "--select", "agent-link-stale", cwd=workspace).out
    assert "renewed  skills/tidy" in run("link", cwd=workspace).out
    assert "Better." in (copy / "SKILL.md").read_text(encoding="utf-8")
    assert "Checked skills" not in run("check", cwd=workspace).out
    assert run("unlink", cwd=workspace).code == 0
    assert sorted(os.listdir(workspace)) == [".skills", "SKILLBAG.md"]


def test_a_link_of_before_becomes_the_copy_that_the_agent_needs(run: Run, workspace: Path) -> None:
    run("link", "--agents", "openclaw", cwd=workspace)
    lock = workspace / "skillbag.lock"
    values = json.loads(lock.read_text("utf-8"))
    for path in values["links"]["made"]:
        shutil.rmtree(workspace / path)
        (workspace / path).symlink_to(f"../.{path}")
        values["links"]["made"][path] = None
    lock.write_text(json.dumps(values), "utf-8")
    assert "renewed  skills/tidy  (a copy now)" in run("link", cwd=workspace).out
    assert not (workspace / "skills/tidy").is_symlink()
    assert run("check", "--select", "agent-link-stale", cwd=workspace).code == 0


def test_installing_and_removing_keep_the_links_true(run: Run, tmp_path: Path) -> None:
    source = make_source(tmp_path / "s", ["tidy", "sort"])
    root = make_skills(tmp_path / "w")
    run("install", "tidy", "--source", source, "--yes", cwd=root)
    run("link", "--agents", "claude", cwd=root)
    assert run("install", "sort", "--source", source, "--yes", cwd=root).code == 0
    assert "sort" in shown(root)
    assert run("remove", "tidy", cwd=root).code == 0
    assert "tidy" not in shown(root)


def test_the_check_finds_stale_links(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    (workspace / ".claude/skills/tidy").unlink()
    assert "agent-link-stale" in run("check", "--select", "agent-link-stale", cwd=workspace).out
    run("link", cwd=workspace)
    assert "agent-link-stale" not in run("check", "--select", "agent-link-stale", cwd=workspace).out


@pytest.mark.parametrize("mode", ["--copy", "--no-copy"])
def test_a_fault_of_a_skill_is_found_once(run: Run, workspace: Path, mode: str) -> None:
    write(workspace, {".skills/tidy/SKILL.md": skill_text("tidy", body="See [this](references/none.md).")})
    run("link", "--agents", "claude,codex", mode, cwd=workspace)
    outcome = run("check", "--select", "link-broken", cwd=workspace)
    assert outcome.out.count("none.md") == 1 or outcome.out.count("link-broken") == 1
    assert "Checked skills" not in outcome.out


def test_json_says_what_was_done_and_mistakes_too(run: Run, workspace: Path) -> None:
    values = json.loads(run("link", "--agents", "claude", "--json", cwd=workspace).out)
    assert [row["act"] for row in values["links"]] == ["made", "made"]
    wrong = run("link", "--agents", "clod", "--json", cwd=workspace)
    assert wrong.code == 2
    assert "known agents are" in json.loads(wrong.out)["error"]


def test_a_dry_run_writes_nothing(run: Run, workspace: Path) -> None:
    before = snapshot(workspace)
    assert "made" in run("link", "--agents", "claude", "--dry-run", cwd=workspace).out
    assert snapshot(workspace) == before
    run("link", "--agents", "claude", cwd=workspace)
    before = snapshot(workspace)
    assert "removed" in run("unlink", "--dry-run", cwd=workspace).out
    assert snapshot(workspace) == before


@pytest.mark.parametrize("place", [".claude", ".claude/skills"])
def test_a_folder_that_leads_elsewhere_is_refused(run: Run, workspace: Path, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = workspace / place
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside)
    outcome = run("link", "--agents", "claude", cwd=workspace)
    assert outcome.code == 2
    assert "is a link" in outcome.err
    assert not list(outside.iterdir())
    assert not (workspace / "skillbag.lock").exists()


def test_without_a_name_it_asks_for_one(run: Run, workspace: Path) -> None:
    outcome = run("link", cwd=workspace)
    assert outcome.code == 2
    assert "--agents" in outcome.err


@pytest.mark.parametrize(
    "links",
    [
        None,
        {},
        {"agents": ["claude"], "copy": "no", "folders": [], "made": {}},
        {"agents": ["evil"], "copy": False, "folders": [], "made": {}},
        {"agents": ["claude"], "copy": False, "folders": ["../.."], "made": {}},
        {"agents": ["claude"], "copy": False, "folders": ["src"], "made": {}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {"../x": None}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".claude/skills/..": None}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".claude/skills/x/y": None}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".skills/tidy": None}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".claude/skills/x": "sha256:zz"}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".claude/skills/x": f"sha256:{'z' * 64}"}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {f".claude/skills/{'x' * 65}": None}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {".claude/skills/x": 1}},
        {"agents": ["claude"], "copy": False, "folders": [], "made": {}, "more": 1},
    ],
)
def test_a_forged_lock_is_refused(run: Run, workspace: Path, links: object) -> None:
    text = json.dumps({"version": 1, "skills": {}, "links": links})
    with pytest.raises(BadLockError, match=r"skillbag\.lock:1: .*links"):
        parse_lock(text)
    (workspace / "skillbag.lock").write_text(text, encoding="utf-8")
    before = snapshot(workspace)
    for command in (("link", "--agents", "claude"), ("unlink",)):
        assert run(*command, cwd=workspace).code == 2
    assert snapshot(workspace) == before


def test_equal_links_are_equal_bytes(run: Run, workspace: Path) -> None:
    run("link", "--agents", "codex,claude", cwd=workspace)
    data = (workspace / "skillbag.lock").read_bytes()
    lock = read_lock(str(workspace))
    assert lock is not None
    assert render_lock(lock) == data
    schema = json.loads((Path(__file__).parents[3] / "schemas/lock.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(data), schema)


def test_a_skill_whose_name_is_invalid_is_named_and_fails(run: Run, workspace: Path) -> None:
    for name in ("tidy.bak", "Upper", ".draft"):
        write(workspace, {f".skills/{name}/SKILL.md": skill_text(name)})
    outcome = run("link", "--agents", "claude", cwd=workspace)
    assert outcome.code == 1
    assert "left     .skills/Upper  (its name has a capital letter, so agents would not load it" in outcome.out
    assert "left     .skills/tidy.bak  (its name has the character `.`" in outcome.out
    assert ".draft" not in outcome.out
    assert not (workspace / ".claude/skills/tidy.bak").exists()
