"""The command `order`: its text, its JSON, and what it opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.standard.declarations import Place
from tests.session.agents import answer
from tests.session.bags import bag, context, session
from tests.supply.install.worlds import call
from tests.support import Run

SKILLS = {
    "check-links": "Check. #run/always #use/tidy",
    "convert-to-pdf": "Convert. #use/check-links #use/sign-off #use/page-size #use/absent",
    "page-size": "Size.",
    "sign-off": "Sign. #run/last",
    "tidy": "Tidy.",
}


@pytest.mark.proves("tags", "tags.run-last", "tags.use", "tags.comply")
def test_the_command_prints_one_name_a_line(tmp_path: Path, run: Run) -> None:
    outcome = run("order", "convert_to_pdf", cwd=bag(tmp_path, SKILLS))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "tidy\ncheck-links\npage-size\nconvert-to-pdf\nsign-off\n"


@pytest.mark.proves("lifecycle", "tags.run-always")
def test_without_a_choice_the_command_prints_what_runs_before_every_response(tmp_path: Path, run: Run) -> None:
    assert run("order", cwd=bag(tmp_path, SKILLS)).out == "tidy\ncheck-links\nsign-off\n"


def test_nothing_to_run_is_said_beside_the_empty_list(tmp_path: Path, run: Run) -> None:
    outcome = run("order", cwd=bag(tmp_path, ["a"]))
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "note: no skill has to run before the response\n"


def test_the_json_has_the_reasons(tmp_path: Path, run: Run) -> None:
    user = context('tags: {tidy: {add: ["#run/last"]}, check-links: {remove: ["#run/always"]}}')
    values = answer(run, bag(tmp_path, SKILLS, {"USER_CONTEXT.md": user}), "order", "check-links")
    removed = {"why": "removed by USER_CONTEXT.md", "file": "USER_CONTEXT.md", "line": 4}
    assert values == {
        "version": 1,
        "command": "order",
        "exit": 0,
        "order": [
            turn("check-links", "chosen", "the conversation", None, None),
            turn("sign-off", "last", "#run/last", ".skills/SKILLS.md", 4),
            turn("tidy", "last", "#run/last", "USER_CONTEXT.md", 4),
        ],
        "disabled": [{"skill": "check-links", "tag": "#run/always", **removed}],
        "questions": [],
        "session": None,
        "pending": None,
    }


def turn(name: str, phase: str, because: str, file: str | None, line: int | None) -> dict[str, Any]:
    run = name.replace("-", "_")
    return {"name": name, "run": run, "phase": phase, "because": because, "file": file, "line": line}


@pytest.mark.proves("tags", "precedence.prohibition")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("convert_to_pdf", "--without", "check_links"), ["page-size", "convert-to-pdf", "sign-off"]),
        (("--without", "sign-off"), ["tidy", "check-links"]),
        (("--without", "sign-off", "--without", "tidy"), ["check-links"]),
        (("page-size", "--without", "page-size"), ["tidy", "check-links", "sign-off"]),
    ],
)
def test_the_conversation_rules_skills_out(
    tmp_path: Path, run: Run, arguments: tuple[str, ...], expected: list[str]
) -> None:
    assert run("order", *arguments, cwd=bag(tmp_path, SKILLS)).out.split() == expected


def test_a_skill_that_is_chosen_and_ruled_out_is_disabled(tmp_path: Path, run: Run) -> None:
    _, values = call(run, bag(tmp_path, SKILLS), "order", "page-size", "--without", "page-size")
    assert [(tag["skill"], tag["tag"], tag["why"]) for tag in values["disabled"]] == [
        ("page-size", "", "ruled out by the conversation")
    ]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_a_skill_that_the_user_prohibits_runs_if_the_conversation_allows_it(tmp_path: Path, run: Run) -> None:
    user = context("prohibit: {skills: [check-links]}")
    bag(tmp_path, SKILLS, {"USER_CONTEXT.md": user})
    assert run("order", "convert_to_pdf", cwd=tmp_path).out.split() == ["page-size", "convert-to-pdf", "sign-off"]
    allowed = run("order", "check_links", "--allow", "check-links", cwd=tmp_path)
    assert allowed.out.split() == ["tidy", "check-links", "sign-off"]


@pytest.mark.proves("tags", "tags.use")
@pytest.mark.parametrize("gone", ["unlisted", "no folder", "no SKILL.md"])
def test_a_companion_that_is_not_there_is_silently_left_out(tmp_path: Path, run: Run, gone: str) -> None:
    bag(tmp_path, SKILLS)
    if gone == "unlisted":
        catalog = tmp_path / ".skills/SKILLS.md"
        catalog.write_text("".join(line for line in catalog.open() if not line.startswith("page-size")))
    else:
        (tmp_path / ".skills/page-size/SKILL.md").unlink()
        if gone == "no folder":
            (tmp_path / ".skills/page-size").rmdir()
    outcome = run("order", "convert-to-pdf", cwd=tmp_path)
    assert (outcome.out.split(), outcome.err) == (["tidy", "check-links", "convert-to-pdf", "sign-off"], "")


def test_a_mistake_is_one_sentence_and_nothing_on_standard_output(tmp_path: Path, run: Run) -> None:
    outcome = run("order", "page_siz", cwd=bag(tmp_path, SKILLS))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: page_siz: there is no such skill here; did you mean page-size?\n"
    assert run("order", "--without", "nothing", cwd=tmp_path).code == 2


def test_pending_changes_of_a_session_are_on_standard_error(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, SKILLS)
    session(tmp_path, "s1").enter()
    assert run("order", "--session", "s1", cwd=tmp_path).err == ""
    (tmp_path / "CONTEXT.md").write_text("New words.\n")
    outcome = run("order", "--session", "s1", cwd=tmp_path)
    assert outcome.out == "tidy\ncheck-links\nsign-off\n"
    assert outcome.err == (
        "note: changed since this session read it: CONTEXT.md (new); skillbag turn --session s1 prints what is new.\n"
    )
    _, values = call(run, tmp_path, "order", "--session", "s1")
    assert values["session"] == "s1"
    assert values["pending"]["changed"] == [{"path": "CONTEXT.md", "what": "new"}]


def test_user_added_tags_outrank_those_of_descriptions(tmp_path: Path) -> None:
    bag(tmp_path, {"a": "Do. #run/last"}, {"USER_CONTEXT.md": context('tags: {a: {add: ["#run/last"]}}')})
    (only,) = session(tmp_path).order().order.turns
    assert only.place == Place("USER_CONTEXT.md", 4)
