"""Where skills, parameters and tags are defined and used, with exact places."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lint.symbols.values import Role, SymbolKind, parameter_symbol, skill_symbol, tag_symbol
from tests.lint.symbols.worlds import index_of, places, words_workspace
from tests.rows import each_row
from tests.supply.install.worlds import skill_text, write


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


def test_a_skill_is_defined_by_its_name_and_used_wherever_it_is_named(words: Path) -> None:
    index = index_of(words)
    symbol = skill_symbol("tidy-words")
    assert places(words, index.definitions(symbol)) == [".skills/tidy-words/SKILL.md:2:7 tidy-words"]
    assert places(words, index.references(symbol)) == [
        ".skills/SKILLS.md:1:66 tidy-words",
        ".skills/SKILLS.md:3:1 tidy-words",
        ".skills/draft-text/SKILL.md:3:68 tidy-words",
        ".skills/draft-text/SKILL.md:5:11 tidy-words",
        ".skills/draft-text/SKILL.md:21:61 tidy_words",
        ".skills/draft-text/SKILL.md:22:20 tidy-words",
        ".skills/draft-text/SKILL.md:25:17 tidy-words",
        ".skills/draft-text/SKILL.md:26:5 tidy_words",
    ]


def test_context_files_use_skills_and_parameters(words: Path) -> None:
    index = index_of(words)
    uses = [place for place in places(words, index.references(skill_symbol("draft-text"))) if "CONTEXT" in place]
    assert uses == [f"CONTEXT.md:{place} draft-text" for place in ("5:3", "8:14", "9:13", "10:25")]
    tone = parameter_symbol("tone", "draft-text")
    assert places(words, index.definitions(tone)) == [".skills/draft-text/SKILL.md:16:11 tone"]
    assert places(words, index.references(tone)) == [
        ".skills/draft-text/SKILL.md:21:38 tone",
        "CONTEXT.md:6:5 tone",
        "CONTEXT.md:10:38 tone",
    ]


def test_a_condition_uses_the_other_parameter(words: Path) -> None:
    index = index_of(words)
    uses = index.references(parameter_symbol("topic", "draft-text"))
    assert places(words, uses) == [".skills/draft-text/SKILL.md:18:19 topic", ".skills/draft-text/SKILL.md:21:14 topic"]


def test_a_key_of_a_file_is_not_the_parameter_of_its_name(words: Path) -> None:
    path = words / ".skills/draft-text/SKILL.md"
    path.write_text(path.read_text("utf-8") + "\nThe `tone`\nfield, the `tone` key and `--tone`.\n", "utf-8")
    uses = places(words, index_of(words).references(parameter_symbol("tone", "draft-text")))
    assert [place for place in uses if place.startswith(".skills")][1:] == [".skills/draft-text/SKILL.md:30:30 tone"]


def test_the_entrypoint_defines_the_tags_that_it_explains(words: Path) -> None:
    index = index_of(words)
    last = tag_symbol("#run/last")
    assert places(words, index.definitions(last)) == ["SKILLBAG.md:5:4 #run/last"]
    assert places(words, index.references(last)) == [
        ".skills/SKILLS.md:3:53 #run/last",
        ".skills/tidy-words/SKILL.md:3:55 #run/last",
    ]
    assert {symbol.name for symbol in index.symbols(SymbolKind.TAG)} == {"#run/last", "#team/docs"}


@pytest.mark.parametrize(
    ("description", "used"),
    [(">\n  Read files #team/docs", ["#team/docs"]), ("Read files. # see #team/docs", [])],
    ids=["at the end", "in a comment"],
)
def test_tags_of_a_description(tmp_path: Path, description: str, used: list[str]) -> None:
    write(tmp_path, {".skills/a/SKILL.md": f"---\nname: a\ndescription: {description}\n---\n\nRead.\n"})
    assert [symbol.name for symbol in index_of(tmp_path).symbols(SymbolKind.TAG)] == used


def test_the_occurrence_at_an_offset_is_found_at_both_of_its_ends(words: Path) -> None:
    index = index_of(words)
    path = str(words / ".skills/SKILLS.md")
    text = Path(path).read_text("utf-8")
    start = text.index("publish-page")
    for offset in (start, start + 5, start + len("publish-page")):
        found = index.at(path, offset)
        assert found is not None
        assert found.symbol == skill_symbol("publish-page")
    assert index.at(path, start + len("publish-page") + 3) is None


@each_row(
    ("words", "written"),
    [
        ("Use the tidy-words skill.", "tidy-words"),
        ("The skill tidy-words helps.", "tidy-words"),
        ("Then `tidy-words`.", "tidy-words"),
        ("Then `@tidy-words`.", "tidy-words"),
        ("Use superpowers:tidy-words now.", "tidy-words"),
        ("Use **tidy-words** now.", "tidy-words"),
        ("See ~/.claude/skills/tidy-words/SKILL.md there.", "tidy-words"),
        ("Use the `docs` skill.", "docs"),
        ("😀 `run tidy_words --now`", "tidy_words"),
        ("With `#use/tidy-words` it runs.", "tidy-words"),
    ],
)
def test_words_that_name_a_skill(tmp_path: Path, words: str, written: str) -> None:
    skills = {name: skill_text(name) for name in ("tidy-words", "docs")} | {"other": skill_text("other", body=words)}
    write(tmp_path, {f"skills/{name}/SKILL.md": text for name, text in skills.items()})
    index = index_of(tmp_path)
    path = str(tmp_path / "skills/other/SKILL.md")
    uses = [each for each in index.in_file(path) if each.role is not Role.DEFINITION]
    column = words.index(written) + 1
    assert places(tmp_path, uses) == [f"skills/other/SKILL.md:8:{column} {written}"]


@each_row(
    "words",
    [
        "Put it in `docs`, or in docs.",
        "The tidy-words-more skill and `my-tidy-words`.",
        "See https://host.example/skills/tidy-words.",
        "```\nname: tidy-words\n```",
        "<!-- the tidy-words skill -->",
        "It is tidy-words all the way.",
        "Open ../../docs/index.html and ../../tidy-words/x.",
    ],
)
def test_words_that_name_no_skill(tmp_path: Path, words: str) -> None:
    skills = {name: skill_text(name) for name in ("tidy-words", "docs")} | {"other": skill_text("other", body=words)}
    write(tmp_path, {f"skills/{name}/SKILL.md": text for name, text in skills.items()})
    path = str(tmp_path / "skills/other/SKILL.md")
    assert [each for each in index_of(tmp_path).in_file(path) if each.role is not Role.DEFINITION] == []


def test_an_active_skill_names_others_in_its_manifest(tmp_path: Path) -> None:
    manifest = "name: one\nversion: 1.0.0\ndescription: One\ntypes: [tool]\ntags: [web]\ndependencies: [{name: two}]\n"
    agents = "agents: [{name: a, extra_skills: ['two']}]\n"
    other = "name: two\nversion: 1.0.0\ndescription: Two\ntypes: [tool]\n"
    write(tmp_path, {"skills/one/SKILL.yaml": manifest + agents, "skills/two/SKILL.yaml": other})
    write(tmp_path, {"skills/plain/SKILL.md": skill_text("plain")})
    index = index_of(tmp_path)
    assert places(tmp_path, index.definitions(skill_symbol("two"))) == ["skills/two/SKILL.yaml:1:7 two"]
    assert places(tmp_path, index.references(skill_symbol("two"))) == [
        "skills/one/SKILL.yaml:6:23 two",
        "skills/one/SKILL.yaml:7:36 two",
    ]
    assert places(tmp_path, index.references(tag_symbol("web"))) == ["skills/one/SKILL.yaml:5:8 web"]


def test_the_lock_names_installed_skills_and_who_asked_for_them(tmp_path: Path) -> None:
    words_workspace(tmp_path)
    entry = '{"source": "../s", "kind": "folder", "requested": null, "resolved": null, "tree": "x", "asked_by": [%s]}'
    write(tmp_path, {"skillbag.lock": '{"version": 1, "skills": {\n"tidy-words": ' + entry % '"draft-text"' + "}}\n"})
    index = index_of(tmp_path)
    (name,) = [place for place in places(tmp_path, index.references(skill_symbol("tidy-words"))) if "lock" in place]
    (asker,) = [place for place in places(tmp_path, index.references(skill_symbol("draft-text"))) if "lock" in place]
    assert name == "skillbag.lock:2:2 tidy-words"
    assert asker.startswith("skillbag.lock:2:")
    assert asker.endswith(" draft-text")


def test_a_skill_that_is_called_otherwise_than_its_folder_is_known_by_both_names(tmp_path: Path) -> None:
    body = "See `../tools-pdf/SKILL.md` and the `read-pdf` skill."
    write(
        tmp_path,
        {"skills/tools-pdf/SKILL.md": skill_text("read-pdf"), "skills/b/SKILL.md": skill_text("b", body=body)},
    )
    index = index_of(tmp_path)
    both = ["skills/b/SKILL.md:8:9 tools-pdf", "skills/b/SKILL.md:8:38 read-pdf"]
    assert places(tmp_path, index.references(skill_symbol("read-pdf"))) == both
    assert places(tmp_path, index.definitions(skill_symbol("tools-pdf"))) == ["skills/tools-pdf/SKILL.md:2:7 read-pdf"]


def test_a_skill_with_broken_front_matter_is_still_defined(tmp_path: Path) -> None:
    words_workspace(tmp_path)
    (tmp_path / ".skills/tidy-words/SKILL.md").write_text("---\nname: 'tidy-words\n---\n")
    index = index_of(tmp_path)
    assert places(tmp_path, index.definitions(skill_symbol("tidy-words"))) == [".skills/tidy-words/SKILL.md:1:1 "]
    assert len(index.references(skill_symbol("tidy-words"))) == 8
