"""The report of an entry: short enough for an agent, and complete in what it must know."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.session.agents import ALL, SESSION, enter, tagged
from tests.session.bags import bag, context, skill_md
from tests.supply.install.worlds import call
from tests.support import Run


def _settings(values: dict[str, object]) -> list[tuple[object, ...]]:
    rows = values["settings"]
    assert isinstance(rows, list)
    return [
        (row["kind"], row["skill"], row["name"], row["value"], row["level"], row["line"], row["effective"])
        for row in rows
    ]


@pytest.mark.proves("lifecycle", "entry.order")
def test_every_setting_has_its_place_and_says_whether_it_counts(run: Run, tmp_path: Path) -> None:
    project = """
parameters: {greet: {tone: cool, words: 3}, "*": {language: en}}
tags: {greet: {add: ["#run/last"]}}
conflict-resolution:
  - {skills: [greet, tidy], winner: greet}
  - {skills: [greet, sign-off], winner: greet}
  - {skills: [sign-off, greet], winner: sign-off}
overrides: {lint-docs: {version: v2}}
prohibit: {skills: [tidy]}"""
    user = """
parameters: {greet: {tone: warm, words: 4}}
tags: {greet: {add: ["#run/last"]}, tidy: {remove: ["#run/first"]}}
conflict-resolution:
  - {skills: [tidy, greet], winner: tidy}
prohibit: {parameters: {greet: {words: [3]}}}"""
    root = tagged(tmp_path / "w", {"CONTEXT.md": context(project), "USER_CONTEXT.md": context(user)})
    assert _settings(enter(run, root)) == [
        ("parameter", "greet", "tone", "warm", "user-context", 4, True),
        ("parameter", "greet", "words", 4, "user-context", 4, True),
        ("parameter", "greet", "tone", "cool", "context", 4, False),
        ("parameter", "greet", "words", 3, "context", 4, False),
        ("parameter", "*", "language", "en", "context", 4, True),
        ("prohibited-value", "greet", "words", 3, "user-context", 8, True),
        ("prohibited-skill", "tidy", "", None, "context", 11, True),
        ("tag", "greet", "#run/last", "add", "user-context", 5, True),
        ("tag", "tidy", "#run/first", "remove", "user-context", 5, False),
        ("winner", "tidy", "", ["tidy", "greet"], "user-context", 7, True),
        ("winner", "greet", "", ["greet", "tidy"], "context", 7, False),
        ("winner", "greet", "", ["greet", "sign-off"], "context", 8, False),
        ("winner", "sign-off", "", ["sign-off", "greet"], "context", 9, True),
        ("override", "lint-docs", "version", "v2", "context", 10, True),
    ]
    text = run("enter", "--session", "s2", cwd=root).out
    section = text.split("## Settings\n\n")[1].split("\n\n")[0]
    assert section.splitlines() == [
        "- greet.tone = warm (USER_CONTEXT.md:4)",
        "- greet.words = 4 (USER_CONTEXT.md:4)",
        "- *.language = en (CONTEXT.md:4)",
        "- prohibited: greet.words = 3 (USER_CONTEXT.md:8)",
        "- prohibited: the skill tidy (CONTEXT.md:11)",
        "- tags of greet: add #run/last (USER_CONTEXT.md:5)",
        "- tidy wins over greet (USER_CONTEXT.md:7)",
        "- sign-off wins over greet (CONTEXT.md:9)",
        "- override: lint-docs.version = v2 (CONTEXT.md:10)",
    ]
    assert "`tags` has no effect in CONTEXT.md; move it to `USER_CONTEXT.md`" in text


@pytest.mark.proves("inputs", "precedence.order", "precedence.last-wins", "precedence.prohibition")
def test_a_setting_counts_as_precedence_has_it(run: Run, tmp_path: Path) -> None:
    project = "parameters: {greet: {a: 1, b: 1, c: 1, d: 1}}"
    user = context(
        'parameters: {"*": {a: 2}, greet: {c: null, d: 2}}',
        "parameters: {greet: {b: 2}}",
        "parameters: {greet: {b: 3}}",
        "prohibit: {parameters: {greet: {e: [1]}}}",
        'parameters: {"*": {d: 9}}',
    )
    entrypoint = "SkillBag v0.3.0\n\n" + context("parameters: {greet: {c: 0, e: 1}}")
    files = {"CONTEXT.md": context(project), "USER_CONTEXT.md": user, "SKILLBAG.md": entrypoint}
    rows = {
        (name, level, line): effective
        for kind, _, name, _, level, line, effective in _settings(enter(run, tagged(tmp_path / "w", files)))
        if kind == "parameter"
    }
    assert {key for key, effective in rows.items() if effective} == {
        ("a", "user-context", 4),
        ("b", "user-context", 16),
        ("c", "context", 4),
        ("d", "user-context", 4),
        ("d", "user-context", 28),
    }


def test_the_words_of_the_context_files_are_repeated_without_blocks_and_bare_headings(run: Run, tmp_path: Path) -> None:
    block = "## Parameters\n\n```yaml\nparameters: {}\n```\n\n"
    text = f"# Project\n\nWe like tea.\n\n{block}{block}```sh\n# kept\n```\n".replace("\n", "\r\n")
    root = tagged(tmp_path / "w", {"CONTEXT.md": text, "USER_CONTEXT.md": "# Mine\n\n" + "long words " * 500})
    values = enter(run, root)
    assert values["prose"]["CONTEXT.md"] == "# Project\n\nWe like tea.\n\n## Parameters\n\n```sh\n# kept\n```"
    assert values["prose"]["USER_CONTEXT.md"] == "# Mine\n\n" + ("long words " * 500).strip()
    out = run("enter", "--session", "s2", cwd=root).out
    assert "## From CONTEXT.md\n\n# Project\n\nWe like tea." in out


FINAL = "In the end: never publish on a Friday."
LONG = "# Mine\n\n" + "".join(f"- rule number {number} of many\n" for number in range(400)) + f"\n{FINAL}\n"


@pytest.mark.proves("lifecycle", "entry.order")
@pytest.mark.parametrize("file", ["CONTEXT.md", "USER_CONTEXT.md"])
def test_what_a_context_file_says_at_its_end_is_reported(run: Run, tmp_path: Path, file: str) -> None:
    root = tagged(tmp_path / "w", {file: LONG})
    values = enter(run, root)
    assert values["prose"][file] == LONG.strip()
    assert values["cut"] == []
    assert FINAL in run("enter", "--session", "s2", cwd=root).out


def test_a_long_entrypoint_is_not_repeated(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w", {"SKILLBAG.md": "SkillBag v0.3.0\n\n" + "Rule. " * 1000})
    values = enter(run, root)
    assert values["prose"]["SKILLBAG.md"] == "(6,016 characters: read SKILLBAG.md itself, unless you know it)"
    assert values["cut"] == [{"file": "SKILLBAG.md", "line": 1}]


@pytest.mark.proves("agent", "tags.comply")
def test_the_report_has_the_instructions_for_the_agent(run: Run, tmp_path: Path) -> None:
    out = run("enter", "--session", "my session", cwd=tagged(tmp_path / "w")).out
    further = out.split("## How to go on\n\n")[1]
    assert "Comply with the skills' tags" in further
    for said in (
        "skillbag turn [SKILL]... --session 'my session'",
        "skillbag run EXECUTION_ID --session 'my session'",
        "Exit code 3: ask the user",
        "never secrets",
    ):
        assert said in further
    assert "greet: Greets. #run/always" in out


@pytest.mark.proves("lifecycle", "bootstrap.invocation")
def test_the_catalog_says_how_each_skill_is_run(run: Run, tmp_path: Path) -> None:
    rows = enter(run, bag(tmp_path / "w", ["skillbag-get-skills"]))["catalog"]
    assert [(row["name"], row["run"]) for row in rows] == [("skillbag-get-skills", "skillbag_get_skills")]


def test_the_report_of_twenty_skills_is_short(run: Run, tmp_path: Path) -> None:
    description = "Convert documents of one kind into another, with their images. Use when a file has the wrong format."
    skills = {f"skill-number-{number:02}": description for number in range(19)} | {"greet": "Greets. #run/always"}
    root = bag(tmp_path / "w", skills, ALL)
    out = run("enter", "--session", SESSION, cwd=root).out
    catalog = (root / ".skills/SKILLS.md").read_text("utf-8")
    assert len(out) - len(catalog) < 1_600
    assert len(out) < 4_000


def test_a_very_large_catalog_is_shortened_alike_and_says_so(run: Run, tmp_path: Path) -> None:
    skills = {f"skill-{number:04}": "Does something useful with files of all kinds. " * 3 for number in range(1_000)}
    root = bag(tmp_path / "w", skills)
    out = run("enter", "--session", SESSION, cwd=root).out
    assert len(out) < 70_000
    assert all(f"{name}: Does something useful" in out for name in skills)
    assert "(descriptions are shortened here to when to use a skill; skillbag search --here WORDS finds" in out
    assert len(enter(run, root, session="s2")["catalog"][0]["description"]) > 100


MANY = {
    f"skill-{number:03}": f"Makes report {number} of what was found, with all the tables, notes and sources that the "
    f"house wants to have in it. Use when report {number} is due. #team/blue" + (" #run/last" if number == 150 else "")
    for number in range(300)
}


@pytest.mark.proves("tags", "tags.user-override", "tags.comply")
def test_tags_and_when_to_use_a_skill_are_never_cut_from_a_long_catalog(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path / "w", MANY, {"USER_CONTEXT.md": context('tags: {skill-299: {add: ["#run/always"]}}')})
    out = run("enter", "--session", SESSION, cwd=root).out
    for number in range(300):
        assert f"Use when report {number} is due. #team/blue" in out
    assert "#team/blue #run/last\n" in out
    assert "Use when report 299 is due. #team/blue #run/always\n" in out
    read = sum(len((root / path).read_text()) for path in ("SKILLBAG.md", "USER_CONTEXT.md", ".skills/SKILLS.md"))
    assert len(out) < 1.1 * read
    found = run("search", "--here", "report", "299", cwd=root)
    assert found.out.splitlines()[0] == f"skill-299: {MANY['skill-299']} #run/always"
    assert run("search", "--here", "zebra", cwd=root).out == "No skill here has any of these words.\n"
    assert run("search", "--here", "--source", "x", "report", cwd=root).code == 2


def test_of_an_endless_catalog_the_skills_with_tags_stay(run: Run, tmp_path: Path) -> None:
    skills = {
        f"skill-{number:04}": f"Does it. Use when {'it is due, ' * 8}as {number} says." for number in range(3_000)
    }
    skills["skill-2999"] += " #run/last"
    out = run("enter", "--session", SESSION, cwd=bag(tmp_path / "w", skills)).out
    assert len(out) < 100_000
    assert re.search(r"^skill-2999: .*as 2999 says. #run/last$", out, re.MULTILINE)
    assert re.search(r"^By name only: skill-\d{4}, .*\n… and [\d,]+ more$", out, re.MULTILINE)


@pytest.mark.proves("tags", "tags.user-override", "tags.comply")
def test_the_catalog_shows_the_tags_that_hold(run: Run, tmp_path: Path) -> None:
    block = 'tags: {loud: {remove: ["#run/always"]}, calm: {add: ["#run/last"]}, "*": {remove: ["#team/x"]}}'
    prohibits = "prohibit: {skills: [barred]}"
    skills = {
        "barred": "Is barred. #run/last",
        "calm": "Calms. #team/y",
        "loud": "Is #run/always loud. #team/x",
        "user": "Uses it. #use/barred",
    }
    root = bag(tmp_path / "w", skills, {"USER_CONTEXT.md": context(block, prohibits)})
    out = run("enter", "--session", SESSION, cwd=root).out
    lines = out.split("## Skills\n\n")[1].split("\n\n")[0].splitlines()
    assert lines == ["barred: Is barred.", "calm: Calms. #team/y #run/last", "loud: Is loud.", "user: Uses it."]
    described = [each["description"] for each in enter(run, root, session="s2")["catalog"]]
    assert described == [line.partition(": ")[2] for line in lines]


def test_very_many_settings_are_cut_short(run: Run, tmp_path: Path) -> None:
    lines = "\n".join(f"  skill-{number}: {{format: pdf}}" for number in range(5_000))
    root = tagged(tmp_path / "w", {"CONTEXT.md": context("parameters:\n" + lines)})
    out = run("enter", "--session", SESSION, cwd=root).out
    assert "… and 4900 more: --json has them all" in out
    assert len(enter(run, root, session="s2")["settings"]) == 5_000


SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF2hJ5"


def test_nothing_secret_and_no_control_character_gets_out(run: Run, tmp_path: Path) -> None:
    files = {
        "CONTEXT.md": f"token: {SECRET}\x1b[31m\u202e\n\n" + context(f"parameters: {{greet: {{token: {SECRET}}}}}"),
        ".skills/SKILLS.md": f"greet: Greets with {SECRET} \x1b[0m. #run/always\n",
        ".skills/greet/SKILL.md": skill_md("greet", "Greets. #run/always", f"Say {SECRET}\x1b[2J."),
    }
    root = tagged(tmp_path / "w", files)
    out = run("enter", "--session", SESSION, cwd=root).out
    printed = json.dumps(enter(run, root, session="s2"), ensure_ascii=False)
    for text in (out, printed):
        assert SECRET not in text
        assert SECRET[:20] not in text
    assert "\x1b" not in out
    assert "\u202e" not in out


_CATALOG = """\
# Skills
- greet: Greets. #run/always
tidy: Tidies.
tidy: Tidies again. #run/always
Sign_off: Signs. #run/last
"""


def test_entry_names_each_line_that_lists_nothing(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path, ["greet", "sign-off", "tidy"], {".skills/SKILLS.md": _CATALOG})
    _, values = call(run, root, "enter", "--session", "s")
    assert [(note["file"], note["line"]) for note in values["notes"]] == [
        (".skills/SKILLS.md", line) for line in (1, 2, 4, 5, 1)
    ]
    assert "greet, sign-off are in .skills/" in values["notes"][-1]["text"]
    assert [card["name"] for card in values["catalog"]] == ["tidy"]
    text = run("enter", "--session", "s", "--again", cwd=root).out
    assert "Note: .skills/SKILLS.md:2: the line lists no skill; skillbag self sync rewrites the catalog\n" in text
    assert "Note: .skills/SKILLS.md:4: tidy is listed above; skillbag self sync rewrites the catalog\n" in text


def test_the_text_shows_the_first_of_many_such_lines(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path, ["tidy"], {".skills/SKILLS.md": "* no skill\n" * 5_000})
    assert len(run("enter", cwd=root).out) < 20_000
