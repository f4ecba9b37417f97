"""Renames: everything that names a thing follows, and a check finds nothing new."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lint.symbols.plan import RenameRefusedError
from skillbag.lint.symbols.rename import check_renamable, plan_rename
from skillbag.lint.symbols.values import Symbol, parameter_symbol, skill_symbol, tag_symbol
from tests.lint.symbols.worlds import carry_out, found, index_of, places, words_workspace
from tests.supply.install.worlds import skill_text, write


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


def renamed(folder: Path, symbol: Symbol, name: str) -> None:
    """Rename, and see that a check finds nothing new."""
    before = found(folder)
    carry_out(plan_rename(index_of(folder), symbol, name))
    assert not found(folder, symbol.name, name) - before


def test_a_skill_is_renamed_everywhere(words: Path) -> None:
    renamed(words, skill_symbol("tidy-words"), "clean")
    assert not (words / ".skills/tidy-words").exists()
    assert (words / ".skills/clean/references/rules.md").is_file()
    left = {path for path in words.rglob("*") if path.is_file() and b"tidy-words" in path.read_bytes()}
    assert not left
    text = (words / ".skills/draft-text/SKILL.md").read_text("utf-8")
    for piece in ("#use/clean", "- name: clean", "`run clean`", "(../clean/references", ".skills/clean/scripts"):
        assert piece in text


def test_an_invocation_is_written_with_underscores(words: Path) -> None:
    renamed(words, skill_symbol("tidy-words"), "make-words-tidy")
    text = (words / ".skills/draft-text/SKILL.md").read_text("utf-8")
    assert "`run make_words_tidy`" in text
    assert "\nrun make_words_tidy\n" in text


@pytest.mark.parametrize("name", ["aaa", "e", "publish-page-2", "zzz"])
@pytest.mark.parametrize("old", ["draft-text", "publish-page", "tidy-words"])
def test_the_catalog_stays_in_order(words: Path, old: str, name: str) -> None:
    renamed(words, skill_symbol(old), name)
    lines = (words / ".skills/SKILLS.md").read_text("utf-8").splitlines()
    assert [line.partition(":")[0] for line in lines] == sorted(line.partition(":")[0] for line in lines)
    assert len(lines) == 3


@pytest.mark.parametrize("old", ["draft-text", "tidy-words"])
def test_a_catalog_that_is_out_of_order_gets_no_worse(words: Path, old: str) -> None:
    catalog = words / ".skills/SKILLS.md"
    lines = catalog.read_text("utf-8").splitlines()
    catalog.write_text("\r\n".join([lines[2], "", lines[0], lines[1]]), newline="")
    renamed(words, skill_symbol(old), "q")
    assert catalog.read_text("utf-8").count(": ") == 3


def test_what_begins_with_the_name_is_left_alone(tmp_path: Path) -> None:
    body = "Use `doc-more`, `.skills/doc-more/SKILL.md` and `run doc_more`; then `run doc`."
    write(
        tmp_path,
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            ".skills/SKILLS.md": "doc: D\ndoc-more: D\n",
            ".skills/doc/SKILL.md": skill_text("doc", body=body),
            ".skills/doc-more/SKILL.md": skill_text("doc-more"),
        },
    )
    renamed(tmp_path, skill_symbol("doc"), "paper-2")
    text = (tmp_path / ".skills/paper-2/SKILL.md").read_text("utf-8")
    assert body.replace("run doc`", "run paper_2`") in text


def test_a_quoted_an_escaped_and_a_differently_spelt_name_follow(words: Path) -> None:
    path = words / ".skills/draft-text/SKILL.md"
    text = path.read_text("utf-8")
    path.write_text(text.replace("- name: tidy-words", "- name: \"tidy\\u002Dwords\"\n  - name: 'Tidy_Words'"), "utf-8")
    renamed(words, skill_symbol("tidy-words"), "clean")
    assert "- name: clean\n  - name: 'clean'\n" in path.read_text("utf-8")


def test_settings_for_the_folder_follow(words: Path) -> None:
    path = words / ".skills/tidy-words/SKILL.md"
    path.write_text(path.read_text("utf-8") + "\nSee [nothing](references/nothing.md).\n", "utf-8")
    rules = {rule for rule, file in found(words) if "tidy-words" in file}
    assert rules
    settings = words / "skillbag.toml"
    settings.write_text(f'[paths.".skills/tidy-words/**"]\nignore = {sorted(rules)}\n'.replace("'", '"'))
    assert not any("tidy-words" in file for _, file in found(words))
    renamed(words, skill_symbol("tidy-words"), "clean")
    assert ".skills/clean/**" in settings.read_text("utf-8")


def test_mentions_in_words_are_not_certain(words: Path) -> None:
    plan = plan_rename(index_of(words), skill_symbol("publish-page"), "release")
    words_only = [edit for edit in plan.edits if not edit.certain]
    assert [Path(edit.path).parent.name for edit in words_only] == ["draft-text"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Clean", "has a capital letter; write `clean`"),
        ("", "is empty"),
        ("a--b", "two hyphens in a row"),
        ("a" * 65, "65 characters"),
        ("../x", "the character"),
        ("draft-text", "there is a skill `draft-text` already"),
        ("true", "YAML reads it"),
        ("skillbag-get-skills", "reserves"),
    ],
)
def test_a_bad_name_is_refused_with_the_rule(words: Path, name: str, why: str) -> None:
    with pytest.raises(RenameRefusedError) as refused:
        plan_rename(index_of(words), skill_symbol("tidy-words"), name)
    assert why in str(refused.value)


def test_a_name_in_the_way_is_refused(words: Path) -> None:
    (words / ".skills/clean").mkdir()
    with pytest.raises(RenameRefusedError, match="exists already"):
        plan_rename(index_of(words), skill_symbol("tidy-words"), "clean")


LOCKED = (
    '{"version": 1, "skills": {"tidy-words": {"source": "../s", "kind": "folder", "requested": null,'
    ' "resolved": null, "tree": "sha256:%s", "asked_by": ["draft-text"]}}}\n'
)


def test_an_installed_skill_is_not_renamed_but_who_asked_for_it_is(words: Path) -> None:
    (words / "skillbag.lock").write_text(LOCKED % ("0" * 64))
    with pytest.raises(RenameRefusedError, match=r"installed from \.\./s"):
        check_renamable(index_of(words), skill_symbol("tidy-words"))
    renamed(words, skill_symbol("draft-text"), "draft")
    assert '"asked_by": ["draft"]' in (words / "skillbag.lock").read_text("utf-8")


def test_a_skill_that_is_linked_for_agents_is_unlinked_first(words: Path) -> None:
    links = '"links": {"agents": ["claude"], "copy": false, "folders": [], "made": {".claude/skills/tidy-words": null}}'
    (words / "skillbag.lock").write_text('{"version": 1, "skills": {}, ' + links + "}\n")
    with pytest.raises(RenameRefusedError, match="skillbag agent unlink"):
        check_renamable(index_of(words), skill_symbol("tidy-words"))


def test_a_skill_whose_front_matter_is_broken_is_not_renamed(words: Path) -> None:
    (words / ".skills/tidy-words/SKILL.md").write_text("---\nname: 'tidy-words\n---\n")
    with pytest.raises(RenameRefusedError, match="correct that first"):
        check_renamable(index_of(words), skill_symbol("tidy-words"))


def test_of_two_skills_with_one_name_none_is_renamed(tmp_path: Path) -> None:
    write(tmp_path, {f"{root}/a-b/SKILL.md": skill_text("a-b") for root in ("skills", ".claude/skills")})
    with pytest.raises(RenameRefusedError, match="several skills"):
        check_renamable(index_of(tmp_path), skill_symbol("a-b"))


def test_a_parameter_follows_in_its_skill_and_in_settings(words: Path) -> None:
    renamed(words, parameter_symbol("tone", "draft-text"), "voice")
    text = (words / ".skills/draft-text/SKILL.md").read_text("utf-8")
    assert "- name: voice" in text
    assert "`voice=plain`" in text
    assert (words / "CONTEXT.md").read_text("utf-8").count("voice: ") == 2


@pytest.mark.parametrize(
    ("name", "why"),
    [("topic", "parameter of `draft-text` already"), ("a b", "can't be"), ("confirm", "can't be"), ("no", "can't be")],
)
def test_a_bad_name_of_a_parameter_is_refused(words: Path, name: str, why: str) -> None:
    with pytest.raises(RenameRefusedError, match=why):
        plan_rename(index_of(words), parameter_symbol("tone", "draft-text"), name)


def test_a_value_for_every_skill_that_another_one_reads_keeps_the_name(words: Path) -> None:
    (words / "USER_CONTEXT.md").write_text('```yaml\nparameters: {"*": {tone: cold}}\n```\n')
    renamed(words, parameter_symbol("tone", "draft-text"), "voice")
    assert "{voice: cold}" in (words / "USER_CONTEXT.md").read_text("utf-8")
    path = words / ".skills/publish-page/SKILL.md"
    path.write_text(path.read_text("utf-8") + "\n## Parameters\n\n```yaml\noptional:\n  - name: voice\n```\n")
    with pytest.raises(RenameRefusedError, match=r"USER_CONTEXT.md:2 sets `voice` for every skill"):
        check_renamable(index_of(words), parameter_symbol("voice", "draft-text"))


def test_a_tag_is_renamed_in_all_descriptions(words: Path) -> None:
    renamed(words, tag_symbol("#team/docs"), "#group/writing")
    assert "#group/writing" in (words / ".skills/SKILLS.md").read_text("utf-8")
    assert "#group/writing'" in (words / ".skills/tidy-words/SKILL.md").read_text("utf-8")
    index = index_of(words)
    assert len(places(words, index.references(tag_symbol("#group/writing")))) == 2


@pytest.mark.parametrize("name", ["group/x", "#run/x", "#group", "#a/b c", "#a/b'"])
def test_a_bad_tag_is_refused(words: Path, name: str) -> None:
    with pytest.raises(RenameRefusedError, match="can't be the new tag"):
        plan_rename(index_of(words), tag_symbol("#team/docs"), name)


def test_a_tag_of_the_standard_keeps_its_name(words: Path) -> None:
    with pytest.raises(RenameRefusedError, match="of the standard"):
        check_renamable(index_of(words), tag_symbol("#run/last"))
