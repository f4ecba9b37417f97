"""Runs of a skill with companions, and in a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.worlds import call
from tests.lifecycle.bags import bag, context, parameters, session, skill_md
from tests.lifecycle.test_run import DESCRIPTION, FILE, NAME, SKILLS, workspace
from tests.support import Run


@pytest.mark.proves("tags", "tags.use", "tags.user-override", "precedence.prohibition")
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('tags: {convert-to-pdf: {remove: ["#use/check-links"]}}', ["sign-off"]),
        ('tags: {check-links: {add: ["#use/tidy"]}}', ["check-links", "tidy", "sign-off"]),
        ("prohibit: {skills: [check-links]}", ["sign-off"]),
        ('tags: {check-links: {add: ["#run/last"]}}', ["check-links", "sign-off"]),
        ('tags: {sign-off: {remove: ["#run/last"]}}', ["check-links", "sign-off"]),
    ],
)
def test_companions_follow_the_users_tags(tmp_path: Path, run: Run, block: str, expected: list[str]) -> None:
    bag(tmp_path, {**SKILLS, "tidy": "Tidy."}, {"USER_CONTEXT.md": context(block)})
    _, values = call(run, tmp_path, "run", NAME)
    assert [one["name"] for one in values["companions"]] == expected


# In a session.


def test_a_run_counts_the_skill_as_loaded_and_tells_what_has_changed(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"])
    session(tmp_path, "s 1").enter()
    before = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert (before["session"], before["pending"]["nothing"]) == ("s 1", True)
    (tmp_path / ".skills/a/SKILL.md").write_text(skill_md("a", "Does it.", "Do it anew."))
    assert [one.path for one in session(tmp_path, "s 1").refresh().changed] == [".skills/a/SKILL.md"]
    (tmp_path / "CONTEXT.md").write_text("Words.\n")
    outcome = run("run", "a", "--session", "s 1", cwd=tmp_path)
    assert outcome.out == (
        "# Skill: a\n\nDo it anew.\n\nChanged since this session read it: CONTEXT.md (new); "
        "skillbag refresh --session 's 1' tells what to read again.\n"
    )
    after = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert after["pending"]["changed"] == [{"path": "CONTEXT.md", "what": "new"}]


def test_a_skill_that_cannot_run_yet_is_not_loaded(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path)
    session(tmp_path, "s1").enter()
    assert run("run", NAME, "--session", "s1", cwd=tmp_path).code == 3
    (tmp_path / FILE).write_text(skill_md(NAME, DESCRIPTION, "Other."))
    assert session(tmp_path, "s1").refresh().is_nothing


def test_a_session_that_has_not_entered_runs_nothing(tmp_path: Path, run: Run) -> None:
    outcome = run("run", "a", "--session", "s1", cwd=bag(tmp_path, ["a"]))
    assert (outcome.code, outcome.out) == (2, "")
    assert "skillbag enter --session s1" in outcome.err


@pytest.mark.proves("lifecycle", "files.catalog-first")
def test_no_other_skill_is_opened(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path)
    outcome = run("run", NAME, "--set", "input-path=a.md", "--trace", cwd=tmp_path)
    opened = [line.removeprefix("opened ").partition(":")[0] for line in outcome.err.splitlines()]
    assert [path for path in opened if path.endswith("/SKILL.md")] == [FILE]
    assert f"opened {FILE}: it is run\n" in outcome.err


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("USER_CONTEXT.md", context("tags: {a: {add: [run-last]}}"), "USER_CONTEXT.md:4: "),
        ("CONTEXT.md", context("dependencies: [{name: b}]"), "CONTEXT.md:4: "),
        (".skills/a/SKILL.md", skill_md("a", "Does it.", parameters("required: x")), ".skills/a/SKILL.md:9: "),
    ],
)
def test_a_malformed_file_is_a_mistake_with_its_place(
    tmp_path: Path, run: Run, file: str, text: str, place: str
) -> None:
    outcome = run("run", "a", cwd=bag(tmp_path, ["a"], {file: text}))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"skillbag: {place}")


def test_outside_of_a_workspace_it_says_so(tmp_path: Path, run: Run) -> None:
    outcome = run("run", "a", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1


def test_a_skill_root_that_leads_out_of_the_workspace_holds_no_skill(tmp_path: Path, run: Run) -> None:
    outside = workspace(tmp_path / "outside")
    root = tmp_path / "w"
    root.mkdir()
    (root / "SKILLBAG.md").write_bytes((outside / "SKILLBAG.md").read_bytes())
    (root / ".skills").symlink_to(outside / ".skills")
    assert run("run", "convert_to_pdf", cwd=outside).code == 3
    outcome = run("run", "convert_to_pdf", cwd=root)
    assert outcome.code == 2
    assert "leaves the workspace" in outcome.err or "no such skill" in outcome.err
