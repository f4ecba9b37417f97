"""A skill that a context file prohibits: choosing it is no answer to that; only the conversation can give one."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool
from tests.session.bags import bag, context, session
from tests.supply.install.worlds import call
from tests.support import Completed, Run

SKILLS = {"deploy-site": "Deploy the site. #use/check-links", "check-links": "Check links.", "tidy": "Tidy."}
PROHIBITS = context("prohibit: {skills: [deploy-site]}")
FILES = ["USER_CONTEXT.md", "CONTEXT.md"]


@pytest.mark.proves("tags", "precedence.prohibition")
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("identifier", ["deploy_site", "deploy-site"])
def test_to_run_it_is_a_question(tmp_path: Path, run: Run, file: str, identifier: str) -> None:
    root = bag(tmp_path, SKILLS, {file: PROHIBITS})
    code, values = call(run, root, "run", identifier)
    assert (code, values["ready"], values["instructions"], values["files"]) == (3, False, "", [])
    (question,) = values["questions"]
    assert (question["kind"], question["about"]) == ("prohibited", "deploy-site")
    assert (question["clause"], question["answer"]) == ("precedence.prohibition", "--allow deploy-site")
    assert (question["file"], question["line"]) == (file, 4)
    outcome = run("run", identifier, cwd=root)
    assert outcome.code == 3
    assert outcome.out.startswith(f"deploy-site can't run yet: 1 question\nAsk: {file} prohibits the skill ")
    assert "Do it." not in outcome.out


@pytest.mark.proves("tags", "precedence.prohibition")
@pytest.mark.parametrize("file", FILES)
def test_to_choose_it_for_a_response_is_a_question(tmp_path: Path, run: Run, file: str) -> None:
    root = bag(tmp_path, SKILLS, {file: PROHIBITS})
    code, values = call(run, root, "order", "tidy", "deploy_site")
    assert (code, [turn["name"] for turn in values["order"]]) == (3, ["tidy"])
    assert [(item["kind"], item["about"]) for item in values["questions"]] == [("prohibited", "deploy-site")]
    outcome = run("order", "tidy", "deploy_site", cwd=root)
    assert outcome.code == 3
    # No name on a line of its own: nothing is to run before it is answered.
    assert outcome.out.splitlines()[0].startswith(f"Ask: {file} prohibits the skill deploy-site")
    assert outcome.out.splitlines()[1:] == ["  answer: --allow deploy-site"]


@pytest.mark.proves("tags", "precedence.prohibition")
@pytest.mark.parametrize("file", FILES)
def test_the_conversation_may_allow_it(tmp_path: Path, run: Run, file: str) -> None:
    root = bag(tmp_path, SKILLS, {file: PROHIBITS})
    code, values = call(run, root, "run", "deploy_site", "--allow", "deploy_site")
    assert (code, values["ready"], values["questions"]) == (0, True, [])
    assert run("order", "deploy-site", "--allow", "deploy-site", cwd=root).out.split() == ["check-links", "deploy-site"]
    # Each time anew, and of the skill that is named alone.
    assert run("run", "deploy_site", cwd=root).code == 3
    assert run("run", "deploy_site", "--allow", "tidy", cwd=root).code == 3


def test_no_context_file_can_answer_it(tmp_path: Path, run: Run) -> None:
    says = PROHIBITS + context("parameters: {deploy-site: {allow: deploy-site, confirm: true}}")
    root = bag(tmp_path, SKILLS, {"USER_CONTEXT.md": says, "CONTEXT.md": says})
    assert run("run", "deploy_site", cwd=root).code == 3
    assert run("order", "deploy_site", cwd=root).code == 3


def test_a_misspelt_allowed_skill_is_refused(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, SKILLS, {"USER_CONTEXT.md": PROHIBITS})
    for command in ("run", "order"):
        outcome = run(command, "deploy-site", "--allow", "deploy-sit", cwd=root)
        assert (outcome.code, "did you mean deploy-site?" in outcome.err) == (2, True)


@pytest.mark.proves("tags", "precedence.prohibition", "tags.user-override")
def test_what_the_users_own_tag_brings_in_is_not_asked_about(tmp_path: Path, run: Run) -> None:
    files = {
        "CONTEXT.md": PROHIBITS,
        "USER_CONTEXT.md": context("tags: {deploy-site: {add: ['#run/last']}, tidy: {add: ['#use/deploy-site']}}"),
    }
    root = bag(tmp_path, SKILLS, files)
    assert run("order", cwd=root).out.split() == ["check-links", "deploy-site"]
    assert run("run", "deploy_site", cwd=root).code == 0


TAGGED = {"aa": "Does a. #run/always", "bb": "Does b. #use/aa", "cc": "Does c. #use/aa #run/last", "dd": "Does d."}
LEFT_OUT = "note: left out: aa, which {}:4 prohibits; --allow aa lets it run this once\n"


@pytest.mark.parametrize("file", FILES)
def test_what_a_prohibition_leaves_out_is_reported_once(tmp_path: Path, run: Run, file: str) -> None:
    root = bag(tmp_path, TAGGED, {file: context("prohibit: {skills: [aa]}")})
    reported = LEFT_OUT.format(file)
    assert run("order", cwd=root) == Completed(0, "cc\n", reported)
    assert run("order", "bb", cwd=root) == Completed(0, "bb\ncc\n", reported)
    outcome = run("run", "bb", cwd=root)
    assert (outcome.code, outcome.err, "Do it." in outcome.out) == (0, reported, True)
    # What has nothing to do with it says nothing; what is asked or answered is not told besides.
    assert run("run", "dd", cwd=root).err == ""
    assert run("order", "aa", cwd=root).err == ""
    assert run("order", "bb", "--without", "aa", cwd=root).err == ""
    assert run("order", "bb", "--json", cwd=root).err == ""


@pytest.mark.parametrize("file", FILES)
def test_a_tag_brings_in_what_the_conversation_allows(tmp_path: Path, run: Run, file: str) -> None:
    root = bag(tmp_path, TAGGED, {file: context("prohibit: {skills: [aa]}")})
    assert run("order", "--allow", "aa", cwd=root) == Completed(0, "aa\ncc\n", "")
    assert run("order", "--allow", "aa", "--without", "cc", "bb", cwd=root) == Completed(0, "aa\nbb\n", "")
    outcome = run("run", "bb", "--allow", "aa", cwd=root)
    assert (outcome.code, outcome.err, "skillbag run aa" in outcome.out) == (0, "", True)
    assert call(run, root, "order", "--allow", "aa")[1]["disabled"] == []


def test_an_unused_tag_leaves_nothing_out(tmp_path: Path, run: Run) -> None:
    root = bag(
        tmp_path, {"aa": "A.", "bb": "B. #use/aa", "dd": "D."}, {"CONTEXT.md": context("prohibit: {skills: [aa]}")}
    )
    assert run("order", "dd", cwd=root) == Completed(0, "dd\n", "")


def test_a_skill_that_is_ruled_out_as_well_is_not_asked_about(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, SKILLS, {"USER_CONTEXT.md": PROHIBITS})
    assert run("order", "deploy-site", "--without", "deploy-site", cwd=root).code == 0


@pytest.mark.parametrize("file", FILES)
def test_the_tool_asks_as_well(tmp_path: Path, file: str) -> None:
    scope = Scope(str(bag(tmp_path, SKILLS, {file: PROHIBITS})), None, None)
    requested = call_tool(scope, "skill_deploy-site", {})
    assert requested.asks
    assert "Do it." not in requested.text
    assert 'answer: once the user has agreed, call the tool again with {"allow": true}' in requested.text
    done = call_tool(scope, "skill_deploy-site", {"allow": True})
    assert (done.asks, "Do it." in done.text) == (False, True)


def test_a_personal_skill_is_asked_about_where_the_workspace_prohibits_it(tmp_path: Path) -> None:
    root = bag(tmp_path / "w", ["tidy"], {"USER_CONTEXT.md": PROHIBITS})
    mine = tmp_path / "mine"
    skill = mine / "deploy-site" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: deploy-site\ndescription: Deploys.\n---\n\nDo it.\n")
    scope = Scope(str(root), str(mine), None)
    assert call_tool(scope, "skill_deploy-site", {}).asks
    assert not call_tool(scope, "skill_deploy-site", {"allow": True}).asks
    assert not call_tool(Scope(None, str(mine), None), "skill_deploy-site", {}).asks


def test_a_script_of_it_runs_once_the_skill_was_allowed(tmp_path: Path) -> None:
    script = {".skills/deploy-site/scripts/go.py": "print('deployed')\n", "USER_CONTEXT.md": PROHIBITS}
    scope = Scope(str(bag(tmp_path, SKILLS, script)), None, "s1")
    call_tool(scope, "enter", {})
    given = {"skill": "deploy-site", "script": "scripts/go.py"}
    requested = call_tool(scope, "run_skill_script", given)
    assert requested.asks
    assert requested.text.startswith("Ask: USER_CONTEXT.md prohibits the skill deploy-site;")
    assert call_tool(scope, "run_skill_script", {**given, "allow": True}).text == "deployed\n"
    assert call_tool(scope, "run_skill_script", given).asks
    call_tool(scope, "skill_deploy-site", {"allow": True})
    assert call_tool(scope, "run_skill_script", given).text == "deployed\n"


def test_from_python(tmp_path: Path) -> None:
    root = bag(tmp_path, SKILLS, {"USER_CONTEXT.md": PROHIBITS})
    assert [item.about for item in session(root).order(["deploy-site"]).questions] == ["deploy-site"]
    assert session(root).run("deploy_site", allow=["deploy-site"]).invocation.ready
