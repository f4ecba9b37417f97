"""The commands around an installation: add, remove, list, tree, why, outdated, diff, sync, verify, cache."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.supply.install.declared import need
from tests.supply.install.outcomes import checks, error_of, installed, lock_of, statuses, values_of
from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, unchanged, write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary


@pytest.fixture
def world(run: Run, tmp_path: Path) -> Path:
    """A workspace with `a` (declared), which needs `b`, and `c` (of the command line); their source is `../one`."""
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b"), "c": skill_text("c")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "main")])
    assert run("install", "c", "--source", "../one", cwd=workspace).code == 0
    return workspace


def test_add_installs_and_declares_with_every_other_byte_as_it_was(run: Run, world: Path) -> None:
    context = world / "CONTEXT.md"
    context.write_text("<!-- keep me -->\n" + context.read_text() + "\nMore words.\n")
    before = context.read_text()
    make_source(world.parent / "two", ["d"])
    code, values = call(run, world, "add", "d", "--source", "../two", "--version", "v1.0")
    assert (code, statuses(values)["d"]) == (0, "installed")
    after = context.read_text()
    assert after.startswith("<!-- keep me -->\n# Context\n")
    assert after.endswith("\n```\n\nMore words.\n")
    assert [line for line in after.splitlines() if line not in before.splitlines()]
    assert "CONTEXT.md" in values["changed"]
    assert lock_of(world)["d"]["asked_by"] == ["CONTEXT.md"]
    assert lock_of(world)["d"]["requested"] == "v1.0"
    assert checks(run, world).code == 0
    assert call(run, world, "install", "--frozen")[0] == 0


def test_remove_takes_a_skill_out_everywhere(run: Run, world: Path) -> None:
    code, values = call(run, world, "remove", "a")
    assert (code, statuses(values)) == (0, {"a": "removed"})
    assert installed(world) == ["b", "c"]
    assert "a:" not in (world / ".skills/SKILLS.md").read_text().splitlines()[0]
    assert set(lock_of(world)) == {"b", "c"}
    assert "../one" not in (world / "CONTEXT.md").read_text()
    assert "b" in values["notes"][0]
    assert checks(run, world).code == 0


def test_remove_refuses_what_is_needed_and_what_is_edited(run: Run, world: Path) -> None:
    with unchanged(world):
        code, values = call(run, world, "remove", "b")
        assert (code, values["problems"][0]["kind"]) == (3, "question")
        assert "a needs it" in values["problems"][0]["message"]
    write(world, {".skills/c/SKILL.md": skill_text("c", body="Edited.")})
    with unchanged(world):
        code, values = call(run, world, "remove", "c")
        assert (code, values["problems"][0]["clause"]) == (3, "resolution.local-edits")
    assert call(run, world, "remove", "b", "--force")[0] == 0
    values = values_of(run, world, "remove", "c", "--overwrite", "c", code=0)
    assert "Edited." in (world / values["backups"][0] / "SKILL.md").read_text()
    assert installed(world) == ["a"]


def test_the_last_skill_in_the_folder_of_an_agent_leaves_no_lock(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "offers", skills("tidy-css", "sweep"))
    here = write(tmp_path / "here", skills("mine", root=".claude/skills"))
    wrong = run("add", "../offers", "tidy-cs", cwd=here)
    assert (wrong.code, "invalid" in wrong.err, "Did you mean `tidy-css`?" in wrong.err) == (1, False, True)
    listed = run("list", "../offers", cwd=here).out.splitlines()[-1]
    assert "skillbag add ../offers NAME" in listed
    assert "skillbag run NAME --source ../offers" in listed
    done = run("add", "../offers", "tidy-css", "sweep", "--yes", cwd=here)
    assert done.out.splitlines()[-1] == "2 installed in .claude/skills/. Written: skillbag.lock."
    assert run("remove", "sweep", cwd=here).code == 0
    assert set(lock_of(here)) == {"tidy-css"}
    assert run("remove", "tidy-css", cwd=here).code == 0
    assert not (here / "skillbag.lock").exists()
    assert (here / ".claude/skills/mine/SKILL.md").is_file()
    assert run("add", "../offers", "sweep", "--yes", cwd=here).code == 0
    assert set(lock_of(here)) == {"sweep"}


def test_remove_of_what_is_not_there_is_bad_usage(run: Run, world: Path) -> None:
    for command in ("remove", "update", "why"):
        assert error_of(run, command, "nothing", cwd=world).startswith("error: nothing: no such skill is installed")
    outcome = run("remove", "skillbag-get-skills", cwd=world)
    assert (outcome.code, "reserved" in outcome.err) == (2, True)
    assert run("remove", "../c", cwd=world).code == 2
    write(world, {".skills/tidy-css/SKILL.md": skill_text("tidy-css")})
    for slip, meant in (("tidy-cs", "tidy-css"), ("tidycss", "tidy-css")):
        assert error_of(run, "remove", slip, cwd=world).endswith(f"did you mean `{meant}`?\n")
    shutil.rmtree(world / ".skills/tidy-css")
    assert installed(world) == ["a", "b", "c"]


def test_list_says_where_each_comes_from(run: Run, world: Path) -> None:
    write(world, {".skills/own/SKILL.md": skill_text("own"), ".skills/b/SKILL.md": skill_text("b", body="Edited.")})
    _, values = call(run, world, "list")
    assert statuses(values) == {
        "a": "current",
        "b": "edited",
        "c": "current",
        "own": "own",
        "skillbag-get-skills": "own",
    }
    text = run("list", cwd=world).out
    assert "../one" in text


def test_outdated_says_why_an_update_would_stop(run: Run, world: Path) -> None:
    assert call(run, world, "outdated")[1]["notes"] == []
    write(world.parent / "one", {".skills/a/SKILL.md": skill_text("a", ["none-such"])})
    (note,) = call(run, world, "outdated")[1]["notes"]
    assert note.startswith("skillbag update would stop: ")
    assert "none-such" in note


def test_list_of_a_source_needs_no_workspace(run: Run, world: Path) -> None:
    elsewhere = world.parent / "elsewhere"
    elsewhere.mkdir()
    code, values = call(run, elsewhere, "list", "--source", "../one")
    assert (code, statuses(values)) == (0, {"a": "offered", "b": "offered", "c": "offered"})
    assert not list(elsewhere.iterdir())


def test_tree_and_why_show_who_asked_for_what(run: Run, world: Path) -> None:
    generated = run("tree", cwd=world).out
    assert generated == "CONTEXT.md\n└── a  main\n    └── b  main\ncommand line\n└── c\n"
    assert run("why", "b", cwd=world).out == "CONTEXT.md:5 -> a -> b\n"
    assert run("why", "c", cwd=world).out == "command line -> c\n"
    assert run("why", "nothing", cwd=world).code == 2


@each_row(("users", "more"), [(99, []), (100, ["… and more: 100 are shown"])])
def test_a_hundred_chains_are_shown(run: Run, world: Path, users: int, more: list[str]) -> None:
    names = [f"own-{number}" for number in range(users)]
    write(world, {f".skills/{name}/SKILL.md": skill_text(name, ["b"]) for name in names})
    lines = run("why", "b", cwd=world).out.splitlines()
    assert (len(lines[:100]), lines[100:]) == (100, more)


def test_who_needs_a_skill_has_one_answer(run: Run, world: Path) -> None:
    own = {"own": skill_text("own", ["b"]), "other": skill_text("other", ["mine"]), "mine": skill_text("mine")}
    write(world, {f".skills/{name}/SKILL.md": text for name, text in own.items()})
    assert run("why", "b", cwd=world).out == "CONTEXT.md:5 -> a -> b\nown -> b  (required by nothing)\n"
    assert run("why", "mine", cwd=world).out == "other -> mine  (required by nothing)\n"
    assert "other needs it" in call(run, world, "remove", "mine")[1]["problems"][0]["message"]
    assert "a, own need it" in call(run, world, "remove", "b")[1]["problems"][0]["message"]
    assert run("why", "other", cwd=world).out == "other: nothing requires it\n"
    # What its last requester leaves behind is not offered for removal while an own skill needs it.
    code, values = call(run, world, "remove", "a")
    assert (code, values["notes"]) == (0, [])
    assert call(run, world, "install", "c", "--source", "../one")[1]["notes"] == []
    values = values_of(run, world, "remove", "own", "--overwrite", "own", code=0)
    assert "Nothing requires b any more" in call(run, world, "install")[1]["notes"][0]


def test_the_example_workspace_gives_one_answer(run: Run, tmp_path: Path) -> None:
    workspace = shutil.copytree(PROJECT / "examples/workspace", tmp_path / "workspace")
    assert run("why", "check-links", cwd=workspace).out == "release-notes -> check-links  (required by nothing)\n"
    assert "release-notes needs it" in run("remove", "check-links", cwd=workspace).err


def test_diff_shows_local_edits_as_a_patch(run: Run, world: Path) -> None:
    assert run("diff", "a", cwd=world).out == ""
    skill = world / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Read the file.", "Read it twice."))
    patch = run("diff", "a", cwd=world).out
    assert "-Read the file.\n+Read it twice.\n" in patch
    assert "a/.skills/a/SKILL.md" in patch
    upstream = run("diff", "a", "--upstream", cwd=world).out
    assert "-Read it twice.\n+Read the file.\n" in upstream


def test_sync_writes_the_catalog_only_where_it_is_out_of_sync(run: Run, world: Path) -> None:
    with unchanged(world):
        code, values = call(run, world, "self", "sync")
        assert (code, values["changed"]) == (0, [])
    write(world, {".skills/own/SKILL.md": skill_text("own")})
    assert call(run, world, "self", "sync", "--dry-run")[1]["changed"] == [".skills/SKILLS.md"]
    assert call(run, world, "self", "sync")[0] == 0
    assert checks(run, world).code == 0


def test_sync_names_what_gets_no_line_in_the_words_of_check(run: Run, world: Path) -> None:
    for name in ("a.b", "My Skill", "café"):
        write(world, {f".skills/{name}/SKILL.md": skill_text(f'"{name}"')})
    write(world, {".skills/broken/SKILL.md": "no front matter\n"})
    _, named, broken = call(run, world, "self", "sync")[1]["notes"]
    *faults, fix = named.removeprefix("Not in the catalog: ").replace(". Rename", "; Rename").split("; ")
    assert [fault.split("`")[1] for fault in faults] == ["My Skill", "a.b", "café"]
    report = checks(run, world).out
    assert all(f"{fault[:1].upper()}{fault[1:]}\n" in report for fault in faults)
    assert f"fix: {fix}\n" in report
    assert "`broken`. skillbag check says why" in broken
    assert named in run("self", "sync", "--dry-run", cwd=world).out


def test_verify_is_about_what_the_lock_knows(run: Run, world: Path) -> None:
    write(world, {".skills/own/SKILL.md": skill_text("own")})
    code, values = call(run, world, "verify")
    assert (code, statuses(values)) == (0, {"a": "current", "b": "current", "c": "current"})
    write(world, {".skills/c/extra.md": "More.\n"})
    code, values = call(run, world, "verify")
    assert (code, values["problems"][0]["path"]) == (1, ".skills/c")


def test_cache_says_where_it_is_and_is_cleared(run: Run, world: Path) -> None:
    folder = run("cache", "dir", cwd=world).out.strip()
    assert Path(folder).is_absolute()
    outcome = run("cache", "prune", "--json", cwd=world)
    assert (outcome.code, json.loads(outcome.out)["values"]["bytes"]) == (0, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ("install", "Not A Name", "--source", "../one"),
        ("install", "../../etc", "--source", "../one"),
        ("install", "--all"),
        ("install", "--source", "../one"),
        ("install", "--frozen", "--accept=newer"),
        ("install", "a", "--source", "--upload-pack=touch x"),
        ("install", "a", "--source", "ext::sh -c touch% x"),
        ("install", "--overwrite", "nothing"),
        ("add",),
        ("diff", "own"),
        ("list", "--version", "v1"),
        ("update", "--accept=markers"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_code_2(run: Run, world: Path, arguments: tuple[str, ...]) -> None:
    with unchanged(world):
        outcome = run(*arguments, cwd=world)
        assert outcome.code == 2, outcome
        assert "Traceback" not in outcome.err


def test_outside_of_a_workspace_one_begins_and_the_message_names_init(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    (tmp_path / "here").mkdir()
    done = run("add", "../one", cwd=tmp_path / "here")
    assert (done.code, "skillbag init" in done.out) == (0, True)
    assert (tmp_path / "here/.skills/a/SKILL.md").is_file()
    assert "skillbag init" in error_of(run, "verify", cwd=tmp_path)


def test_every_outcome_follows_its_schema(run: Run, world: Path) -> None:
    import jsonschema

    schema = json.loads((PROJECT / "schemas/outcome.schema.json").read_text("utf-8"))
    make_source(world.parent / "bad", {"d": "no front matter\n"})
    for arguments in (
        ("install",),
        ("install", "d", "--source", "../bad"),
        ("install", "nowhere"),
        ("install", "Bad Name"),
        ("install", "x", "--source", "../missing"),
        ("update", "--dry-run"),
        ("list",),
        ("list", "--source", "../one"),
        ("tree",),
        ("why", "b"),
        ("outdated",),
        ("verify",),
        ("diff", "a"),
        ("self", "sync"),
        ("remove", "b"),
        ("cache", "dir"),
        ("cache", "prune"),
    ):
        outcome = run(*arguments, "--json", cwd=world)
        values = json.loads(outcome.out)
        jsonschema.validate(values, schema)
        assert values["exit"] == outcome.code


def test_the_example_is_as_its_lock_says(run: Run) -> None:
    workspace = PROJECT / "examples" / "workspace"
    assert call(run, workspace, "verify")[0] == 0
    code, values = call(run, workspace, "install", "--frozen", "--dry-run")
    assert (code, values["changed"]) == (0, [])


def test_a_lost_lock_is_found_again_from_what_is_there(run: Run, world: Path) -> None:
    assert call(run, world, "add", "c", "--source", "../one")[0] == 0
    lock = lock_of(world)
    write(world, {".skills/own/SKILL.md": skill_text("own"), ".skills/a/extra.md": "Mine.\n"})
    (world / "skillbag.lock").unlink()
    values = values_of(run, world, "install", code=0)
    assert statuses(values) == {"a": "skipped", "b": "skipped", "c": "current"}
    assert lock_of(world)["c"]["tree"] == lock["c"]["tree"]
    assert "a" not in lock_of(world)
    (world / ".skills/a/extra.md").unlink()
    assert call(run, world, "update")[0] == 0
    assert lock_of(world)["a"] == lock["a"]
    assert statuses(call(run, world, "install")[1]) == {"a": "current", "b": "current", "c": "current"}
