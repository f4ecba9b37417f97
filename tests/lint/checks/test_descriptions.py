"""Descriptions by which no agent can choose, and those that only look like one."""

from __future__ import annotations

from pathlib import Path

from tests.lint.checks.rule_runs import findings, in_skill, messages
from tests.rows import each_row
from tests.support import Tree

RULES = ("description-vague", "description-first-person", "description-when-missing", "placeholder-description")


def found(root: Path, description: str) -> list[str]:
    text = f"---\nname: tidy\ndescription: >-\n  {description}\n---\n\nSort.\n"
    return [finding.rule.removeprefix("description-") for finding in in_skill(root, text, *RULES)]


@each_row(
    ("description", "rules"),
    [
        ("Helps with documents", ["vague"]),
        ("Useful things for all kinds of work.", ["vague"]),
        ("true", ["vague"]),
        ("Test.", ["vague"]),
        ("Helps with documents when a user asks for minutes.", []),
        ("I can help you with tables. Use when tables occur.", ["first-person"]),
        ("I'm an expert for tables; use me when tables occur.", ["first-person"]),
        ("You can use this to extract tables when they occur.", ["first-person"]),
        ("Extracts tables. I will sort them when asked.", ["first-person"]),
        ("Forms to help me write when my company asks.", ["first-person"]),
        ('Use when the user says "I can help" or "We need a table".', []),
        ("I/O of Rust and World War I sources, when asked.", []),
        ("You are an expert for tables. Use when tables occur.", []),
        ("Extracts tables from the pages of PDF files.", ["when-missing"]),
        ("Extracts tables from PDF files. Use it before a review.", []),
        ("从文件中提取表格并整理成册", []),
        ("Extrait les tableaux de fichiers PDF pour les équipes", []),
        ("[Insert what the skill does and when]", ["placeholder-description"]),
        ("Use when <your condition> holds.", ["placeholder-description"]),
    ],
)
def test_a_description(description: str, rules: list[str], tmp_path: Path) -> None:
    assert found(tmp_path, description) == rules


def test_a_megabyte_of_openings_takes_no_time(tmp_path: Path) -> None:
    assert found(tmp_path, "[insert <your " * 70_000 + "when") == []
    assert found(tmp_path, "Use when. I " * 80_000) == []


@each_row(
    ("line", "count"),
    [
        ("license: '[Insert license]'", 1),
        ("license: TODO", 1),
        ("metadata: {author: '<your name>', team: 'TBD: ask'}", 2),
        ("license: todo", 0),
        ("argument-hint: '[your topic]'", 0),
        ("metadata: {about: Lists of TODO comments, range: '[0, 1]'}", 0),
    ],
)
def test_a_placeholder_in_another_value(line: str, count: int, tmp_path: Path) -> None:
    text = f"---\nname: tidy\ndescription: Tidy.\n{line}\n---\n\nSort.\n"
    assert len(in_skill(tmp_path, text, "placeholder-value")) == count


def test_reserved_words_of_names_are_whole_words(tree: Tree) -> None:
    names = ("claude", "my-claude-tool", "claudia", "anthropics")
    root = tree({f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: Tidy.\n---\n\nSort.\n" for name in names})
    said = messages(root, "skill-name-reserved")
    assert [message.split("`")[1] for message in said] == ["claude", "my-claude-tool"]


def test_a_name_of_an_official_skill_is_a_warning_and_one_for_its_users_a_note(tree: Tree) -> None:
    names = ("anthropic", "anthropic-tidy", "claude", "claude-official-tidy", "claude-tidy", "tidy-claude-code")
    root = tree({f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: Tidy.\n---\n\nSort.\n" for name in names})
    levels = {finding.message.split("`")[1]: str(finding.level) for finding in findings(root, "skill-name-reserved")}
    assert [levels[name] for name in names] == ["warning"] * 4 + ["note"] * 2
