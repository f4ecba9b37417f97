"""The report on installed skills for people: what stands where, how wide, in which colours."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from skillbag.report.folding import Look
from skillbag.report.outcome_text import render_problems, render_question, render_remark, render_text
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status
from tests.rows import each_row

GIT = "https://example.com/Org/skills.git"
OTHER = "../our skills"
COMMIT, LATER = "a" * 40, "b" * 40


def row(name: str, status: Status = Status.INSTALLED, source: str | None = GIT, **more: str) -> SkillRow:
    return SkillRow(name, status, source, **{"version": "main", "resolved": COMMIT, **more})  # type: ignore[arg-type]


def outcome(
    rows: Iterable[SkillRow], command: str = "install", changed: tuple[str, ...] = ("skillbag.lock",)
) -> Outcome:
    return Outcome(command, "/w", tuple(rows), changed=changed)


def problem(**more: object) -> Problem:
    return Problem(**{"kind": ProblemKind.CONFLICT, "message": "it is wrong", **more})  # type: ignore[arg-type]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_line_for_each_skill_with_what_it_is_and_where_it_comes_from() -> None:
    text = render_text(outcome([row("lint-docs"), row("translate", source=OTHER, version="v1")]))
    assert text.splitlines() == [
        f"installed  lint-docs  main (aaaaaaaaaa)  {GIT}",
        f"installed  translate  v1 (aaaaaaaaaa)    {OTHER}",
        "2 installed. Written: skillbag.lock.",
    ]


def test_many_skills_of_one_source_stand_below_it_with_the_version_that_they_share() -> None:
    rows = [*map(row, "abc"), row("d", Status.OWN, None, version="", resolved="")]
    assert render_text(outcome(rows, "list")).splitlines() == [
        f"{GIT}  main (aaaaaaaaaa)",
        "  installed  a",
        "  installed  b",
        "  installed  c",
        "your own",
        "  own        d",
    ]
    lost = render_text(outcome([*rows, row("e", Status.UNKNOWN, None, version="", resolved="")], "adopt"))
    assert "without a known source\n  own        d\n  unknown    e\n" in lost


def test_versions_that_differ_stay_with_their_skills() -> None:
    rows = [row("a"), row("b", version="v1.25"), row("c")]
    lines = render_text(outcome(rows, "list")).splitlines()
    assert lines[:3] == [GIT, "  installed  a  main (aaaaaaaaaa)", "  installed  b  v1.25 (aaaaaaaaaa)"]


def test_an_upgrade_shows_both_commits() -> None:
    text = render_text(outcome([row("a", Status.UPGRADED, was=COMMIT, resolved=LATER)]))
    assert "main (aaaaaaaaaa -> bbbbbbbbbb)" in text


@each_row(
    ("version", "resolved", "seen"),
    [
        (None, COMMIT, "aaaaaaaaaa"),
        (COMMIT, COMMIT, "aaaaaaaaaa"),
        ("1.0", f"sha256:{'c' * 64}", "1.0 (cccccccccc)"),
        ("1.0", None, "1.0"),
        (None, None, ""),
    ],
)
def test_a_version_is_shown_once_and_shortened(version: str | None, resolved: str | None, seen: str) -> None:
    line = render_text(outcome([SkillRow("a", Status.CURRENT, OTHER, version, resolved)], "list"))
    assert line == "  ".join(filter(None, ("current", "a", seen, OTHER))) + "\n"


@each_row("columns", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal_but_for_addresses_in_one_piece(columns: int) -> None:
    why = "edited here, so it stays; --merge joins both, --overwrite lint-docs takes the source's and keeps a copy"
    done = Outcome(
        "install",
        skills=(row("lint-docs", Status.EDITED, f"{GIT}/{'x' * 50}", why=why), row("b")),
        notes=("A sentence of a certain length, so that it does not fit into the width of a narrow terminal.",),
        backups=(".skillbag/backup/lint-docs-1",),
        changed=(".skills/b", "skillbag.lock", ".skills/SKILLS.md"),
    )
    lines = render_text(done, Look(columns)).splitlines()
    assert [line for line in lines if len(line) > columns and GIT not in line] == []
    assert sum(f"{GIT}/{'x' * 50}" in line for line in lines) == 1
    assert " ".join(why.split()) in " ".join(" ".join(lines).split())


def test_a_pipe_gets_a_line_for_each_sentence() -> None:
    sentence = "A sentence of a certain length, with a path like /srv/two  blanks/x. " * 20
    assert render_text(Outcome("install", notes=(sentence,))) == f"{sentence}\n"


def test_colours_change_nothing_but_colours() -> None:
    rows = [row("a"), row("b", Status.MISSING), row("c", Status.EDITED, why="it stays"), row("d", Status.CURRENT)]
    painted = render_text(outcome(rows), Look(80, color=True))
    assert "\x1b[1;32minstalled" in painted
    assert "\x1b[1;31mmissing" in painted
    assert "\x1b[1;33medited" in painted
    assert "\x1b[2mcurrent" in painted
    assert plain(painted) == render_text(outcome(rows), Look(80))
    assert "\x1b" not in render_text(outcome(rows), Look(80))


def test_the_sum_names_every_status_and_the_files_beside_the_skills() -> None:
    rows = [row("a"), row("b", Status.UPGRADED), row("c", Status.CURRENT)]
    changed = (".skills/a", ".skills/b", "CONTEXT.md", "skillbag.lock")
    shown = render_text(outcome(rows, "add", changed)).splitlines()[-1]
    assert shown == "1 installed, 1 upgraded, 1 current. Written: CONTEXT.md, skillbag.lock."


def test_a_plan_is_in_the_words_of_a_plan() -> None:
    done = outcome([row("a"), row("b", Status.UPGRADED)])
    requested = render_text(done, planned=True)
    assert [line.split()[0] for line in requested.splitlines()] == ["install", "upgrade", "Plan:"]
    assert requested.endswith("Plan: 1 to install, 1 to upgrade. To be written: skillbag.lock.\n")
    tried = render_text(Outcome("install", skills=done.skills, dry_run=True))
    assert tried.endswith("Plan: 1 to install, 1 to upgrade. Nothing was written.\n")


@pytest.mark.parametrize(
    ("status", "words"), [(Status.CURRENT, "Nothing to do:"), (Status.EDITED, "Nothing was changed:")]
)
def test_what_was_held_back_is_not_called_nothing_to_do(status: Status, words: str) -> None:
    assert render_text(outcome([row("a", status)], "update", ())).splitlines()[-1].startswith(words)


def test_a_thousand_unchanged_skills_are_counted() -> None:
    rows = [row(f"s{number}", Status.CURRENT) for number in range(1000)]
    lines = render_text(outcome([*rows, row("new")], "install")).splitlines()
    assert lines == [f"installed  new  main (aaaaaaaaaa)  {GIT}", "1 installed, 1000 current. Written: skillbag.lock."]
    assert len(render_text(outcome(rows, "list")).splitlines()) == 1001


@each_row("command", ["list", "tree", "outdated", "verify", "install", "update"])
def test_a_command_that_finds_nothing_says_so(command: str) -> None:
    assert len(render_text(Outcome(command)).splitlines()) == 1
    assert render_text(Outcome(command, problems=(problem(),))) == ""


def test_outdated_names_the_next_step() -> None:
    assert "skillbag update" in render_text(outcome([row("a", Status.OUTDATED)], "outdated", ()))
    assert "skillbag update" not in render_text(outcome([row("a", Status.CURRENT)], "outdated", ()))


def offered(*descriptions: str) -> Outcome:
    rows = (SkillRow(f"s{n}", Status.OFFERED, GIT, description=text) for n, text in enumerate(descriptions))
    return Outcome("list", skills=tuple(rows))


def test_a_long_description_is_cut_on_a_terminal_alone() -> None:
    long = "Read the page and say what it holds. " * 30
    lines = render_text(offered(long, "Short."), Look(60)).splitlines()
    assert lines[0] == "s0"
    assert lines[4:6] == ["s1", "    Short."]
    assert lines[3].endswith("…")
    assert max(map(len, lines)) <= 60
    assert long.strip() in render_text(offered(long))
    assert render_text(offered("Short.")).splitlines()[-1] == f"1 skill in {GIT}"


def test_problems_of_one_source_stand_below_its_address() -> None:
    faults = [problem(kind=ProblemKind.INVALID_SOURCE, source=GIT, path="a.md", line=n, fix="Mend it.") for n in (1, 2)]
    text = render_problems(Outcome("install", problems=(*faults, problem(kind=ProblemKind.FETCH, source=OTHER))))
    assert text.splitlines() == [
        f"error: invalid source: {GIT}",
        "    it is wrong",
        "      a.md:1",
        "      fix: Mend it.",
        "    it is wrong",
        "      a.md:2",
        "      fix: Mend it.",
        f"error: not fetched: {OTHER}",
        "    it is wrong",
    ]


def test_hundreds_of_faults_of_one_source_are_counted() -> None:
    faults = tuple(problem(kind=ProblemKind.INVALID_SOURCE, source=GIT, message=f"fault {n}") for n in range(300))
    lines = render_problems(Outcome("list", problems=faults)).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "    and 280 more; --json has them all"


def test_a_chain_is_broken_between_its_links_only() -> None:
    chain = ("CONTEXT.md:5", "some-skill", "another-skill", f"{OTHER} v1")
    lines = render_problems(Outcome("tree", problems=(problem(chains=(chain,)),)), Look(40)).splitlines()
    assert lines[1:] == ["    CONTEXT.md:5 -> some-skill", "        -> another-skill", f"        -> {OTHER} v1"]
    assert f"    CONTEXT.md:5 -> some-skill -> another-skill -> {OTHER} v1\n" in render_problems(
        Outcome("tree", problems=(problem(chains=(chain,)),))
    )


@pytest.mark.parametrize("path", ["'/home/user/my skills folder/source'", "`/home/user/my skills folder/source`"])
def test_a_quoted_path_with_spaces_stays_in_one_piece(path: str) -> None:
    shown = problem(message=f"git can't read what is there, it says: {path}; look at it")
    assert path in render_problems(Outcome("list", problems=(shown,)), Look(40))


def test_a_question_on_a_terminal_is_shown_with_its_text_and_without_options() -> None:
    requested = problem(
        kind=ProblemKind.QUESTION, source=GIT, fix="--accept steps agrees.", text="1. Run\x1b[2J it.\n\n2. Go."
    )
    text = render_question(requested, Look(60, color=True))
    assert plain(text).splitlines() == [
        f"question: {GIT}",
        "    it is wrong",
        "      | 1. Run\\x1b[2J it.",
        "      |",
        "      | 2. Go.",
    ]


PATCH = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\r\n+two\tand \x0c three\r\n"


def test_a_patch_keeps_its_line_ends_and_is_painted_on_a_terminal() -> None:
    simple = PATCH.replace("\x0c", "form")
    done = Outcome("diff", text=simple)
    assert render_text(done) == simple
    assert render_remark(done) == ""
    painted = render_text(done, Look(80, color=True))
    assert "\x1b[32m+two\tand form three\x1b[0m\r\n" in painted
    assert plain(painted) == simple


def test_a_patch_that_can_not_be_shown_as_it_is_says_that_it_does_not_apply() -> None:
    done = Outcome("diff", text=PATCH)
    assert "\\x0c" in render_text(done)
    assert "does not apply" in render_remark(done)
    assert render_remark(Outcome("diff")) == "there is no difference; --upstream compares with the newest version"
    assert render_remark(Outcome("diff", problems=(problem(),))) == ""
    assert render_remark(Outcome("remove", problems=(problem(),))) == "nothing was written: the workspace is as it was"
    assert render_remark(Outcome("tree")) == ""


HOSTILE = "x\x1b]0;pwn\x07\u202e\x9b31m\r\ny"
"""Sets a title, turns text around, colours it, and begins a line of its own."""


def test_nothing_that_a_terminal_obeys_comes_through_anywhere() -> None:
    texts = (HOSTILE, f"{HOSTILE} " * 9)
    for text in texts:
        rows = tuple(
            SkillRow(text, status, text, text, text, text, why=text, description=text)
            for status in (*Status, Status.OFFERED)
        )
        wrong = Problem(ProblemKind.FETCH, text, text, text, 1, 1, text, text, text, ((text, text),), text)
        for command in ("install", "list", "tree", "diff", "verify"):
            for skills in (rows, rows[:11]):
                done = Outcome(
                    command, text, skills, (wrong, wrong._replace(source="")), (text,), (text,), (text,), text=text
                )
                for look in (Look(), Look(40), Look(80)):
                    shown = render_text(done, look) + render_problems(done, look) + render_question(wrong, look)
                    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown.replace("\r\n", "\n"))


def test_no_line_is_a_command_to_the_log_of_a_github_job() -> None:
    texts = ("::error::x", "a ::error::x")
    for text in texts:
        wrong = problem(kind=ProblemKind.FETCH, message=text, source=GIT, path=text, fix=text, chains=((text, text),))
        done = Outcome("install", skills=(row("a", why=text),), problems=(wrong,), notes=(text,))
        for look in (Look(), Look(40)):
            shown = render_text(done, look) + render_problems(done, look) + render_text(offered(text * 3), look)
            assert [line for line in shown.splitlines() if line.lstrip().startswith("::")] == []


def test_secrets_are_masked_wherever_they_stand() -> None:
    token = "ghp_" + "Zx9Kq2Lm7Vb4Nc8Rt1Yw6Ps3Df5Gh0Jk2Ae7"
    wrong = Problem(ProblemKind.FETCH, token, token, chains=((token,),), fix=token, text=token)
    done = Outcome("install", skills=(row(token, why=token),), problems=(wrong,), notes=(token,), backups=(token,))
    shown = render_text(done) + render_problems(done) + render_text(Outcome("diff", text=f"+{token}\n"))
    assert token not in shown
    assert "****" in shown
