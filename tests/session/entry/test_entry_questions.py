"""What entry asks first: missing dependencies, open questions, disabled skills."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.agents import SESSION, answer, enter, tagged
from tests.session.bags import bag, context, parameters, skill_md
from tests.session.entry.test_enter import DEPENDENCY
from tests.supply.install.worlds import call
from tests.support import Run


@pytest.mark.proves("lifecycle", "entry.missing")
def test_missing_dependencies_come_first_with_the_command_that_installs_them(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w", {"CONTEXT.md": context(DEPENDENCY)})
    values = enter(run, root)
    assert (values["exit"], values["ready"], values["install"]) == (3, False, "skillbag install")
    assert values["missing"] == [
        {
            "name": "lint-docs",
            "source": "https://example.com/org/repo.git",
            "version": "v1.0.0",
            "file": "CONTEXT.md",
            "line": 5,
        }
    ]
    (question,) = values["questions"]
    assert (question["kind"], question["about"], question["clause"]) == ("dependency", "lint-docs", "entry.missing")
    outcome = run("enter", "--session", "s2", cwd=root)
    assert outcome.code == 3
    paragraphs = outcome.out.split("\n\n")
    assert paragraphs[1] == "## Missing skills: ask the user, then: skillbag install"
    assert paragraphs[2] == "- lint-docs v1.0.0 from https://example.com/org/repo.git (CONTEXT.md:5)"
    # It has entered all the same, once: the question is the user's, not another entry.
    assert enter(run, root)["status"] == "already"


@pytest.mark.proves("lifecycle", "entry.missing")
@pytest.mark.parametrize(("skills", "user"), [(["lint-docs"], ""), ([], context("prohibit: {skills: [lint-docs]}"))])
def test_an_installed_or_prohibited_skill_is_not_missing(
    run: Run, tmp_path: Path, skills: list[str], user: str
) -> None:
    root = bag(tmp_path / "w", skills, {"CONTEXT.md": context(DEPENDENCY), "USER_CONTEXT.md": user})
    values = enter(run, root)
    assert (values["exit"], values["missing"], values["questions"], values["install"]) == (0, [], [], None)


@pytest.mark.proves("lifecycle", "entry.missing")
def test_before_skill_dependent_work_what_is_missing_is_asked(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w", {"CONTEXT.md": context(DEPENDENCY)})
    enter(run, root)
    code, values = call(run, root, "run", "tidy", "--session", SESSION)
    assert (code, values["instructions"], values["questions"][0]["kind"]) == (3, "", "dependency")


@pytest.mark.proves("lifecycle", "entry.missing")
@pytest.mark.parametrize("declared_by", ["project", "skill"])
def test_entry_and_run_agree_whether_something_must_be_asked_first(run: Run, tmp_path: Path, declared_by: str) -> None:
    more = "dependencies:\n  - name: lint-docs\n" if declared_by == "skill" else ""
    greet = skill_md("greet", "Greets. #run/always #use/tidy", "Greet them.", more)
    files = {".skills/greet/SKILL.md": greet} | ({"CONTEXT.md": context(DEPENDENCY)} if not more else {})
    root = bag(tmp_path / "w", {"greet": "Greets. #run/always #use/tidy", "tidy": "Tidies."}, files)
    values = enter(run, root)
    code, ran = call(run, root, "run", "greet", "--session", SESSION)
    assert code == 3
    (always,) = values["always"]
    assert (always["ready"], always["instructions"], always["questions"]) == (False, "", ran["questions"])
    # Each question once, however many skills wait for its answer.
    assert values["questions"] == ran["questions"]
    text = run("enter", "--session", "s2", cwd=root).out
    assert "Run now" not in text
    assert "greet can't run yet: 1 question\nAsk: The skill lint-docs is declared" in text
    assert "Greet them." not in text
    tidy = "ask first about the missing skills, then: " if declared_by == "project" else ""
    steps = f"- tidy: {tidy}skillbag run tidy --session s2\n- greet: ask first, as said below\n"
    assert f"## Run in this order, once what is asked is answered\n\n{steps}" in text
    assert (run("run", "tidy", cwd=root).code == 3) == (declared_by == "project")


@pytest.mark.proves("lifecycle", "entry.missing")
def test_the_skill_that_installs_what_is_missing_is_not_kept_back(run: Run, tmp_path: Path) -> None:
    user = context("tags: {skillbag-get-skills: {add: ['#run/always']}}")
    root = tagged(tmp_path / "w", {"CONTEXT.md": context(DEPENDENCY), "USER_CONTEXT.md": user})
    assert run("init", cwd=root).code == 0
    ready = {skill["skill"]: skill["ready"] for skill in enter(run, root)["always"]}
    assert ready["skillbag-get-skills"] is True
    assert not any(is_ready for name, is_ready in ready.items() if name != "skillbag-get-skills")


@pytest.mark.proves("lifecycle", "tags.run-always")
@pytest.mark.proves("tags", "tags.user-override")
def test_a_disabled_skill_does_not_run_and_the_line_that_says_so_is_named(run: Run, tmp_path: Path) -> None:
    user = context("tags:\n  greet: {remove: ['#run/always']}\nprohibit: {skills: [sign-off]}")
    root = tagged(tmp_path / "w", {"USER_CONTEXT.md": user})
    values = enter(run, root)
    assert values["always"] == []
    assert values["read"] == ["SKILLBAG.md", "USER_CONTEXT.md", ".skills/SKILLS.md"]
    rows = {(tag["skill"], tag["tag"], tag["file"], tag["line"]) for tag in values["disabled"]}
    assert rows == {("greet", "#run/always", "USER_CONTEXT.md", 5), ("sign-off", "", "USER_CONTEXT.md", 6)}
    text = run("enter", "--session", "s2", cwd=root).out
    assert "- greet #run/always: removed by USER_CONTEXT.md (USER_CONTEXT.md:5)" in text
    assert "(USER_CONTEXT.md:6)" in text


@pytest.mark.proves("lifecycle", "tags.run-always")
def test_the_conversation_rules_a_skill_out(run: Run, root: Path) -> None:
    values = enter(run, root, "--without", "greet")
    assert [skill["skill"] for skill in values["always"]] == ["sign-off"]
    assert ("greet", "") in {(tag["skill"], tag["tag"]) for tag in values["disabled"]}
    values = answer(run, root, "enter", "--without", "gret", "--session", "s2", code=2)
    assert "did you mean greet?" in values["error"]


def test_an_added_tag_makes_a_skill_run_at_entry(run: Run, tmp_path: Path) -> None:
    user = context("tags: {check-links: {add: ['#run/always']}}")
    values = enter(run, tagged(tmp_path / "w", {"USER_CONTEXT.md": user}))
    assert [skill["skill"] for skill in values["always"]] == ["check-links", "greet", "sign-off"]
    tags = {card["name"]: card["tags"] for card in values["catalog"]}
    assert tags["check-links"] == ["#run/always"]


@pytest.mark.proves("inputs", "inputs.before-run", "inputs.ask")
def test_an_always_run_skill_with_an_open_question_asks_instead_of_running(run: Run, tmp_path: Path) -> None:
    body = parameters("required:\n  - name: tone\n    values: [warm, cool]", "Secretly greet.")
    root = tagged(tmp_path / "w", {".skills/greet/SKILL.md": skill_md("greet", "Greets. #run/always", body)})
    values = enter(run, root)
    assert (values["exit"], values["ready"]) == (3, False)
    requested, signed = values["always"]
    assert (requested["skill"], requested["ready"], requested["instructions"]) == ("greet", False, "")
    assert signed["ready"] is True
    (question,) = values["questions"]
    assert (question["kind"], question["about"], question["candidates"]) == ("missing", "tone", ["warm", "cool"])
    text = run("enter", "--session", "s2", cwd=root).out
    assert "- greet: ask first, as said below" in text
    assert "greet can't run yet: 1 question" in text
    assert "Secretly greet." not in text


def test_an_always_run_skill_that_needs_a_skill_which_is_not_there_asks(run: Run, tmp_path: Path) -> None:
    more = "dependencies:\n  - name: words\n"
    root = bag(
        tmp_path / "w",
        {"greet": "Greets. #run/always"},
        {".skills/greet/SKILL.md": skill_md("greet", "Greets. #run/always", more=more)},
    )
    values = enter(run, root)
    assert (values["exit"], values["always"][0]["instructions"], values["missing"]) == (3, "", [])
    assert [item["about"] for item in values["questions"]] == ["words"]


def test_a_listed_skill_without_a_file_is_disabled_and_does_not_stop_the_entry(run: Run, root: Path) -> None:
    (root / ".skills/greet/SKILL.md").unlink()
    values = enter(run, root)
    assert [skill["skill"] for skill in values["always"]] == ["sign-off"]
    assert [(tag["skill"], tag["file"], tag["line"]) for tag in values["disabled"]] == [
        ("greet", ".skills/SKILLS.md", 3)
    ]
