"""The constraints of the Agent Skills format: values, keys, and names across skills."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.hosts.keys import ELSEWHERE
from skillbag.kernel.model.findings import Severity, TextEdit
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.checks.agent_skills import FORMAT_KEYS
from skillbag.lint.checks.key_readers import VENDOR_KEYS, readers
from tests.lint.checks.rule_runs import RULES, findings, messages, places
from tests.rows import each_row
from tests.support import Tree, skill

FAMILY = [rule.id for rule in RULES.values() if rule.family == "agent-skills" or rule.plain]
SKILL = "skills/tidy/SKILL.md"


def write(
    root: Path, *lines: str, path: str = SKILL, name: str = "name: tidy", about: str = "description: Tidy."
) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(filter(None, ["---", name, about, *lines, "---", "", "Sort the files.", ""]))
    (root / path).write_text(text, encoding="utf-8")
    return root


@each_row("name", ["a", "tidy", "a1", "1", "x" * 64, "pdf-2-text"])
def test_a_good_name(name: str, tmp_path: Path) -> None:
    write(tmp_path, path=f"skills/{name}/SKILL.md", name=f"name: '{name}'")
    assert places(tmp_path, *FAMILY) == []


@each_row(
    ("name", "fault"),
    [
        ("Tidy", "has a capital letter"),
        ("tidy_up", "has an underscore"),
        ("-tidy", "begins with a hyphen"),
        ("tidy-", "ends with a hyphen"),
        ("a--b", "has two hyphens in a row"),
        ("x" * 65, "has 65 characters, more than 64"),
        ("tidy up", "has a space"),
        ("ti.dy", "has the character `.`"),
        ("Tïdy", "has a capital letter and the character `ï`"),
        ("My New_skill-", "has a capital letter, a space and an underscore and ends with a hyphen"),
    ],
)
def test_a_bad_name_is_one_finding(name: str, fault: str, tmp_path: Path) -> None:
    write(tmp_path, name=f"name: {name}")
    (finding,) = findings(tmp_path, *FAMILY)
    assert (finding.rule, finding.level, finding.line, finding.column) == ("skill-name-invalid", Severity.ERROR, 2, 7)
    assert finding.message.endswith(f"` {fault}")


@each_row("name", ["größe", "整理", "мой-навык", "ﬁles", "x²"])
def test_a_name_in_another_script_is_a_warning_in_plain_trees_alone(name: str, tmp_path: Path) -> None:
    write(tmp_path / "plain", path=f"skills/{name}/SKILL.md", name=f"name: {name}")
    (warning,) = findings(tmp_path / "plain", *FAMILY)
    assert (warning.rule, warning.level, warning.line) == ("skill-name-not-ascii", Severity.WARNING, 2)
    assert "the format allows them, but some programs take a-z" in warning.message
    write(tmp_path / "own", path=f".skills/{name}/SKILL.md", name=f"name: {name}")
    (error,) = findings(tmp_path / "own", *FAMILY)
    assert (error.rule, error.level) == ("skill-name-invalid", Severity.ERROR)


def test_folders_and_names_of_other_scripts_are_compared_after_normalization(tmp_path: Path) -> None:
    write(tmp_path, path="skills/gro\u0308ße/SKILL.md", name="name: gr\u00f6ße")
    assert messages(tmp_path, "name-folder-mismatch") == []
    write(tmp_path, path="skills/other/SKILL.md", name="name: gr\u00f6ße")
    assert places(tmp_path, "name-folder-mismatch") == ["skills/other/SKILL.md:2:7"]


@each_row(
    ("lines", "own", "plain"),
    [
        (("name: Other",), "name-folder-mismatch error", "skill-name-invalid error"),
        (("name: other",), "name-folder-mismatch error", "name-folder-mismatch error"),
        (("name: tidy", "metadata: {a: [b]}"), "metadata-not-text error", "metadata-not-text note"),
        (("name: tidy", "metadata: [a]"), "metadata-not-text error", "metadata-not-text warning"),
        (("name: tidy", "allowed-tools: [a]"), "allowed-tools-not-text error", "allowed-tools-not-text note"),
        (("name: tidy", "allowed-tools: {a: b}"), "allowed-tools-not-text error", "allowed-tools-not-text warning"),
    ],
)
def test_a_rule_of_the_standard_and_the_format_has_a_clause_in_workspaces_alone(
    lines: tuple[str, ...], own: str, plain: str, tmp_path: Path
) -> None:
    for path, expected in ((".skills/tidy/SKILL.md", own), (SKILL, plain)):
        root = tmp_path / path[:2]
        write(root, *lines[1:], path=path, name=lines[0])
        (finding,) = findings(root, *FAMILY)
        assert (f"{finding.rule} {finding.level}", bool(finding.clause)) == (expected, path != SKILL)


def test_a_repository_that_is_a_skill_may_lie_in_any_folder(tmp_path: Path) -> None:
    folder = tmp_path / "clone-of-it"
    write(folder, path="SKILL.md")
    (folder / ".git").mkdir()
    assert places(folder, *FAMILY) == []
    write(tmp_path, path="skills/other/SKILL.md")
    assert places(tmp_path / "skills" / "other", *FAMILY) == ["SKILL.md:2:7"]


def test_a_skill_that_is_named_itself_is_held_to_its_folder_as_in_its_tree(tmp_path: Path) -> None:
    write(tmp_path / "stuff", path="my-skill/SKILL.md")
    assert places(tmp_path / "stuff", *FAMILY) == ["my-skill/SKILL.md:2:7"]
    assert places(tmp_path / "stuff" / "my-skill", *FAMILY) == ["SKILL.md:2:7"]


@each_row(
    ("key", "expected"),
    [
        ("allowed_tools", "did you mean `allowed-tools`?"),
        ("Description", "did you mean `description`?"),
        ("licence", "did you mean `license`?"),
        ("argumentHint", "did you mean `argument-hint`?"),
        ("when-to-use", "did you mean `when_to_use`?"),
        ("zzz", "`zzz` is not part of the Agent Skills format, and no known program reads it"),
        ("flavour", "no known program reads it"),
    ],
)
def test_an_unknown_key(key: str, expected: str, tmp_path: Path) -> None:
    write(tmp_path, f"{key}: x")
    (message,) = messages(tmp_path, *FAMILY)
    assert message.endswith(expected)


@each_row("key", sorted({*VENDOR_KEYS}))
def test_every_vendor_key_is_a_note_that_names_who_reads_it(key: str, tmp_path: Path) -> None:
    assert key not in FORMAT_KEYS
    write(tmp_path, f"{key}: 'x'")
    (finding,) = findings(tmp_path, *FAMILY)
    assert finding.level is Severity.NOTE
    assert (readers(key) or "?") in finding.message


@each_row("key", sorted(ELSEWHERE))
def test_a_key_of_other_files_has_no_effect_in_a_skill(key: str, tmp_path: Path) -> None:
    assert readers(key) is None
    write(tmp_path, f"{key}: 'x'")
    where = ELSEWHERE[key]
    assert messages(tmp_path, "key-unknown") == [
        f"`{key}` is not part of the Agent Skills format, and no known program reads it in a skill: {where}"
    ]


@each_row(
    ("key", "level"),
    [("flavour", "note"), ("owner", "note"), ("engines", "note"), ("tools", "warning"), ("allowed_tools", "warning")],
)
def test_an_unknown_key_is_a_warning_where_another_was_meant(key: str, level: str, tmp_path: Path) -> None:
    write(tmp_path, f"{key}: 'x'")
    (finding,) = findings(tmp_path, "key-unknown")
    assert str(finding.level) == level


def test_all_programs_that_read_a_key_are_named() -> None:
    assert readers("paths") == "only Claude Code, Cursor and OpenHands read it"
    assert readers("argument-hint") == ("only Claude Code, GitHub Copilot CLI and GitHub Copilot in VS Code read it")
    assert readers("version") == "only OpenHands and Hermes Agent read it"
    assert readers("dependencies") == "only SkillBag reads it"
    assert readers("modeSlugs") == "only Roo Code reads it"
    assert readers("origin") == "agents ignore it, and only some catalogs of skills show it"


def test_dependencies_belong_to_a_workspace(tmp_path: Path) -> None:
    write(tmp_path, "dependencies: []", path=".skills/tidy/SKILL.md")
    assert places(tmp_path, *FAMILY) == []


@each_row(
    ("line", "kind"),
    [
        ("license: 2.0", "number"),
        ("license: no", "boolean"),
        ("license: ~", "null"),
        ("compatibility: 2026-01-01", "date"),
        ("metadata: {version: 1.10}", "number"),
        ("allowed-tools: on", "boolean"),
    ],
)
def test_a_value_that_others_read_otherwise_is_quoted(line: str, kind: str, tmp_path: Path) -> None:
    write(tmp_path, line)
    (finding,) = findings(tmp_path, "value-unquoted")
    assert f"a {kind} to other YAML readers" in finding.message
    (edit,) = finding.edits
    assert isinstance(edit, TextEdit)
    text = (tmp_path / SKILL).read_text(encoding="utf-8")
    assert edit.text == f'"{text[edit.start : edit.end]}"'
    fixed = text[: edit.start] + edit.text + text[edit.end :]
    (tmp_path / SKILL).write_text(fixed, encoding="utf-8")
    assert findings(tmp_path, "value-unquoted") == []


@each_row("value", ["true", "no", "12", "~", "2026-01-01"])
def test_a_description_of_another_type_is_not_fixed_by_quotes(value: str, tmp_path: Path) -> None:
    (finding,) = findings(write(tmp_path, about=f"description: {value}"), "value-unquoted")
    assert finding.edits == ()
    assert finding.fix == "Put the value in quotes, or better: write what the skill does, and when to use it."


QUIET = ('license: "2.0"', "license: MIT-0", "license: 1.2.3", "metadata: {a: b1, c: {d: 1}}", "user-invocable: true")
BRACKETS = ("a -> b", "x <= 3", "<3", "a < b and c > d", "see <https://example.com>", "1 <2> 3", "mail <a@b.example>")


@each_row(("line", "about"), [*((line, "Tidy.") for line in QUIET), *(("", text) for text in BRACKETS)])
def test_valid_values(line: str, about: str, tmp_path: Path) -> None:
    write(tmp_path, line, about=f"description: '{about}'")
    assert places(tmp_path, "value-unquoted", "angle-bracket-tag") == []


@each_row("tag", ["<b>", "</b>", "<br/>", "<system-reminder>", "<a href=''x''>", "<your name>"])
def test_a_tag(tag: str, tmp_path: Path) -> None:
    assert places(write(tmp_path, about=f"description: 'Tidy {tag}.'"), "angle-bracket-tag") in (
        [f"{SKILL}:3:20"],
        [f"{SKILL}:3:14"],
    )


def test_one_name_in_three_folders(tmp_path: Path) -> None:
    for folder in ("a", "b", "tidy"):
        write(tmp_path, path=f"skills/{folder}/SKILL.md")
    write(tmp_path, path=".claude/skills/x/SKILL.md")
    assert places(tmp_path, "skill-name-duplicate") == ["skills/a/SKILL.md:2:7", "skills/b/SKILL.md:2:7"]
    assert set(messages(tmp_path, "skill-name-duplicate")) == {"The name `tidy` is also used by the skill in `tidy`"}


def test_lengths_count_characters_as_the_reader_sees_them(tmp_path: Path) -> None:
    assert places(write(tmp_path, about="description: " + "é" * 1024), "description-too-long") == []
    assert places(write(tmp_path, about="description: " + "é" * 1025), "description-too-long") == [f"{SKILL}:3:14"]
    assert places(write(tmp_path, "compatibility: " + "x" * 500), "compatibility-length-invalid") == []
    assert places(write(tmp_path, "compatibility: " + "x" * 501), "compatibility-length-invalid") == [f"{SKILL}:4:16"]
    assert places(write(tmp_path, "compatibility: ' '"), "compatibility-length-invalid") == [f"{SKILL}:4:1"]


def test_an_unreadable_skill_has_no_findings_here(tmp_path: Path) -> None:
    (tmp_path / "skills" / "tidy").mkdir(parents=True)
    (tmp_path / SKILL).write_text("---\nname: [\n", encoding="utf-8")
    assert findings(tmp_path, *FAMILY, kind=TargetKind.SKILLS) == []


def test_a_message_about_metadata_names_the_expected_type(tmp_path: Path) -> None:
    write(tmp_path, "metadata: [a]")
    assert messages(tmp_path, *FAMILY) == ["`metadata` is a list; the format wants a mapping of keys to texts"]
    assert [finding.level for finding in findings(tmp_path, *FAMILY)] == [Severity.WARNING]
    write(tmp_path, "metadata: {a: [b]}")
    assert [finding.level for finding in findings(tmp_path, *FAMILY)] == [Severity.NOTE]
    assert messages(tmp_path, *FAMILY) == ["`metadata.a` is a list; the format wants text"]


@pytest.mark.parametrize(("lines", "level"), [(549, "note"), (550, "warning")])
def test_a_body_slightly_too_long_is_a_note(lines: int, level: str, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": skill("tidy").split("\n---\n")[0] + "\n---\n" + "a\n" * lines})
    assert [finding.level for finding in findings(root, "body-too-long")] == [level]
