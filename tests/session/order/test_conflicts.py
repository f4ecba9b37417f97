"""Which of several contradicting skills wins, who says so, and when it is asked instead."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from skillbag.session.inputs.questions import Question
from skillbag.session.order.conflicts import Winner
from tests.rows import each_row
from tests.session.bags import bag, context, parameters, session, skill_md

ASKS = parameters('required:\n  - name: target\nconfirm: "It publishes the page."')
ASKS_OF_A_VALUE = parameters("optional:\n  - name: format\n    confirm: html")


def rule(winner: str, *skills: str) -> str:
    return f"conflict-resolution:\n  - {{skills: [{', '.join(skills)}], winner: {winner}}}"


def verdict(
    folder: Path, *skills: str, user: str = "", project: str = "", risky: str = "", preferred: str | None = None
) -> Winner:
    """The verdict about these skills; `user` and `project` are context files, `risky` asks before it runs."""
    files: dict[str, str | bytes] = {"USER_CONTEXT.md": user, "CONTEXT.md": project}
    if risky:
        files[f".skills/{risky}/SKILL.md"] = skill_md(risky, "Does it.", ASKS)
    return session(bag(folder, skills, files)).winner(*skills, preferred=preferred)


def said(found: Winner) -> tuple[str | None, str | None, str]:
    """The winner, the level and the place."""
    return found.winner, found.level.label if found.level else None, str(found.place)


def question(found: Winner) -> Question:
    """The question in place of a winner."""
    assert found.question is not None
    return found.question


A_WINS, B_WINS = rule("a", "a", "b"), rule("b", "a", "b")


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@pytest.mark.parametrize(
    ("user", "project", "preferred", "expected"),
    [
        ("", "", None, ("a", None, "None")),
        ("", context(B_WINS), None, ("b", "context", "CONTEXT.md:5")),
        (context(B_WINS), "", None, ("b", "user-context", "USER_CONTEXT.md:5")),
        (context(B_WINS), context(A_WINS), None, ("b", "user-context", "USER_CONTEXT.md:5")),
        (context(A_WINS), context(B_WINS), None, ("a", "user-context", "USER_CONTEXT.md:5")),
        (context(A_WINS), context(A_WINS), "b", ("b", "conversation", "None")),
        ("", "", "b", ("b", "conversation", "None")),
    ],
)
def test_the_highest_level_with_a_rule_decides(
    tmp_path: Path, user: str, project: str, preferred: str | None, expected: tuple[str | None, ...]
) -> None:
    for skills in (("a", "b"), ("b", "a")):
        found = verdict(tmp_path, *skills, user=user, project=project, preferred=preferred)
        assert said(found) == expected
        assert found.skills == skills


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@pytest.mark.parametrize("level", ["user", "project"])
def test_within_a_file_the_last_rule_wins(tmp_path: Path, level: str) -> None:
    two = f"{B_WINS}\n  - {{skills: [b, a], winner: a}}"
    assert verdict(tmp_path, "a", "b", **{level: context(two)}).winner == "a"
    assert verdict(tmp_path, "a", "b", **{level: context(A_WINS, B_WINS)}).winner == "b"


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@pytest.mark.parametrize(
    ("block", "winner"),
    [
        (rule("b", "a", "b", "c"), "b"),
        (rule("c", "a", "b", "c"), "a"),
        (rule("c", "b", "c"), "a"),
        (rule("d", "c", "d"), "a"),
    ],
    ids=["of-three", "won-by-another", "about-one", "about-others"],
)
def test_a_rule_counts_where_it_covers_the_skills_and_names_one_of_them(
    tmp_path: Path, block: str, winner: str
) -> None:
    assert verdict(tmp_path, "a", "b", user=context(block)).winner == winner


def test_the_alphabet_is_that_of_code_points(tmp_path: Path) -> None:
    assert verdict(tmp_path, "b", "a-b", "a1", "a").winner == "a"
    assert verdict(tmp_path, "a1", "a-b").winner == "a-b"


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@each_row(
    ("user", "project", "expected"),
    [
        # A rule about all of them decides, whatever those about some say.
        (context(rule("c", "a", "b", "c"), rule("b", "b", "c")), "", ("c", "user-context")),
        # The loser of a pair is out; the first name of those that are left wins.
        (context(rule("b", "a", "b")), "", ("b", None)),
        (context(rule("c", "a", "c"), rule("c", "b", "c")), "", ("c", "user-context")),
        (context(rule("c", "b", "c"), rule("b", "a", "b")), "", ("c", "user-context")),
        # The last rule about a pair counts.
        (context(rule("b", "a", "b"), rule("a", "a", "b")), "", ("a", None)),
        # Who is out at the user's level stays out.
        (context(rule("b", "a", "b")), context(rule("a", "a", "b", "c")), ("b", None)),
        (context(rule("b", "a", "b")), context(rule("c", "b", "c")), ("c", "context")),
        (context(rule("b", "a", "b")), context(rule("c", "a", "b", "c")), ("c", "context")),
        ("", context(rule("c", "a", "c"), rule("b", "a", "b")), ("b", None)),
    ],
)
def test_of_three_skills_those_that_lose_to_another_are_out(
    tmp_path: Path, user: str, project: str, expected: tuple[str, str | None]
) -> None:
    for skills in permutations("abc"):
        assert said(verdict(tmp_path, *skills, user=user, project=project))[:2] == expected


CIRCLE = context(rule("a", "a", "b"), rule("b", "b", "c"), rule("c", "a", "c"))


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_rules_that_go_round_in_a_circle_are_a_question(tmp_path: Path) -> None:
    for skills in permutations("abc"):
        found = verdict(tmp_path, *skills, user=CIRCLE, project=context(rule("a", "a", "b", "c")))
        assert (found.winner, found.level) == (None, None)
        assert question(found).text == "The rules about a, b and c go round in a circle; which one is to win?"
        assert str(question(found).place) == "USER_CONTEXT.md:19"


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_a_circle_among_some_is_a_question_about_all_that_are_left(tmp_path: Path) -> None:
    found = verdict(tmp_path, "a", "b", "c", "d", "e", user=f"{CIRCLE}\n{context(rule('c', 'c', 'd'))}")
    assert question(found).text.startswith("The rules about a, b and c go round")
    assert [candidate.value for candidate in question(found).candidates] == ["a", "b", "c", "d", "e"]


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
def test_the_rule_that_is_named_is_the_one_that_settles_it(tmp_path: Path) -> None:
    user, project = context(rule("b", "a", "b")), context(rule("b", "b", "c"))
    found = verdict(tmp_path, "a", "b", "c", user=user, project=project)
    assert said(found) == ("b", "context", "CONTEXT.md:5")
    assert found.hidden == ()


def test_a_circle_is_no_question_where_a_later_rule_covers_all(tmp_path: Path) -> None:
    assert verdict(tmp_path, "a", "b", "c", user=f"{CIRCLE}\n{context(rule('b', 'a', 'b', 'c'))}").winner == "b"


@pytest.mark.proves("lifecycle", "resolution.ask")
@pytest.mark.parametrize("risky", ["a", "b"])
def test_the_alphabet_does_not_decide_about_a_skill_that_declares_a_risk(tmp_path: Path, risky: str) -> None:
    found = verdict(tmp_path, "b", "a", risky=risky)
    assert (found.winner, found.level) == (None, None)
    assert question(found).text == (
        f"No rule decides between a and b, and {risky} asks first (It publishes the page); which one is to win?"
    )
    assert [candidate.value for candidate in question(found).candidates] == ["a", "b"]
    assert (question(found).answer, question(found).clause) == ("--prefer SKILL", "resolution.ask")
    assert str(question(found).place) == f".skills/{risky}/SKILL.md:11"


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_a_value_that_asks_first_is_a_risk_as_well(tmp_path: Path) -> None:
    bag(tmp_path, ["a", "b"], {".skills/b/SKILL.md": skill_md("b", "Does it.", ASKS_OF_A_VALUE)})
    found = session(tmp_path).winner("a", "b")
    assert "b asks first (it asks before some values of format)" in question(found).text


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_a_rule_or_the_conversation_decides_about_a_risky_skill(tmp_path: Path) -> None:
    assert verdict(tmp_path, "a", "b", risky="b", project=context(B_WINS)).winner == "b"
    assert verdict(tmp_path, "a", "b", risky="b", preferred="b").winner == "b"
    # A risky skill that a rule has put out is none of those between which the alphabet decides.
    assert verdict(tmp_path, "a", "b", "c", risky="a", user=context(rule("b", "a", "b"))).winner == "b"


@pytest.mark.proves("inputs", "precedence.prohibition")
@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@pytest.mark.parametrize(
    ("user", "project", "expected"),
    [
        ("prohibit: {skills: [a]}", "", ("b", "user-context", "USER_CONTEXT.md:4")),
        ("", "prohibit: {skills: [a]}", ("b", "context", "CONTEXT.md:4")),
        # No lower level brings in what a higher one prohibits; its own level may.
        ("prohibit: {skills: [a]}", A_WINS, ("b", "user-context", "USER_CONTEXT.md:4")),
        (f"{A_WINS}\nprohibit: {{skills: [a]}}", "", ("a", "user-context", "USER_CONTEXT.md:5")),
        (A_WINS, "prohibit: {skills: [a]}", ("a", "user-context", "USER_CONTEXT.md:5")),
    ],
)
def test_a_prohibited_skill_wins_only_at_the_level_that_prohibits_it_or_above(
    tmp_path: Path, user: str, project: str, expected: tuple[str, str, str]
) -> None:
    assert said(verdict(tmp_path, "a", "b", user=context(user), project=context(project))) == expected


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_if_all_are_prohibited_it_is_asked(tmp_path: Path) -> None:
    found = verdict(tmp_path, "a", "b", user=context("prohibit: {skills: [b, a]}"))
    assert question(found).text == "a and b are prohibited; which one is to win?"


def test_hidden_rules_are_listed_best_first(tmp_path: Path) -> None:
    user, project = context(A_WINS, B_WINS, rule("c", "a", "c")), context(A_WINS, rule("b", "a", "b", "c"))
    found = verdict(tmp_path, "a", "b", user=user, project=project)
    places = [str(item.place) for item in found.hidden]
    assert places == ["USER_CONTEXT.md:5", "CONTEXT.md:12", "CONTEXT.md:5"]
    assert len(verdict(tmp_path, "a", "b", user=user, project=project, preferred="a").hidden) == 4
