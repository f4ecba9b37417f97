"""The index after changes: what is read again, and that it is as if everything had been."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.in_text import collect_text
from skillbag.lint.symbols.values import Role, skill_symbol
from tests.lint.symbols.worlds import index_of, places, words_workspace
from tests.supply.install.worlds import skill_text


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


def test_after_a_change_only_the_changed_file_is_searched(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(words)
    searched: list[str] = []

    def recorded(found: Collector, *rest: object) -> None:
        searched.append(Path(found.document.path).name)
        collect_text(found, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("skillbag.lint.symbols.units.collect_text", recorded)
    path = words / ".skills/tidy-words/references/rules.md"
    index.changed([str(path)])
    index.refresh({str(path): b"# Rules\n\nThen `draft-text`.\n"})
    assert searched == ["rules.md"]
    uses = [each for each in index.references(skill_symbol("draft-text")) if each.path == str(path)]
    assert [(each.line, each.column) for each in uses] == [(3, 7)]
    index.refresh({})
    assert searched == ["rules.md"]


def test_a_new_skill_makes_symbols_of_earlier_mentions(words: Path) -> None:
    path = words / ".skills/draft-text/SKILL.md"
    path.write_text(path.read_text("utf-8") + "\nNext the `check-spelling` skill.\n", "utf-8")
    index = index_of(words)
    assert not index.references(skill_symbol("check-spelling"))
    new = words / ".skills/check-spelling/SKILL.md"
    new.parent.mkdir()
    new.write_text(skill_text("check-spelling"))
    index.changed([str(new)])
    index.refresh()
    assert len(index.references(skill_symbol("check-spelling"))) == 1
    new.unlink()
    new.parent.rmdir()
    index.changed([str(new)])
    index.refresh()
    assert not index.references(skill_symbol("check-spelling"))


def test_changes_one_by_one_are_as_good_as_a_new_index(words: Path) -> None:
    index = index_of(words)
    replacements = {
        ".skills/draft-text/SKILL.md": ("name: draft-text", "name: other"),
        ".skills/SKILLS.md": ("tidy-words: ", "tidy_words: "),
        "CONTEXT.md": ("winner: draft-text", "winner: publish-page"),
        ".skills/tidy-words/SKILL.md": ("#team/docs", "#use/publish-page"),
    }
    for name, (old, new) in replacements.items():
        path = words / name
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
        index.changed([str(path)])
        index.refresh()
        fresh = index_of(words)
        for symbol in map(skill_symbol, ("draft-text", "tidy-words", "publish-page", "other")):
            assert places(words, index.occurrences(symbol)) == places(words, fresh.occurrences(symbol))


def test_a_parameter_that_is_declared_makes_uses_in_all_files_of_the_skill(words: Path) -> None:
    rules = words / ".skills/tidy-words/references/rules.md"
    rules.write_text("# Rules\n\nAs `strict` says.\n")
    index = index_of(words)
    assert not list(index.in_file(str(rules)))
    main = words / ".skills/tidy-words/SKILL.md"
    block = "\n## Parameters\n\n```yaml\nrequired:\n  - name: strict\n```\n"
    index.changed([str(main)])
    index.refresh({str(main): (main.read_text("utf-8") + block).encode()})
    assert [each.role for each in index.in_file(str(rules))] == [Role.MENTION]


def test_a_change_outside_of_the_target_reads_nothing(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(words)
    monkeypatch.setattr("skillbag.lint.symbols.index.read_unit", None)
    monkeypatch.setattr("skillbag.lint.symbols.index.read_top", None)
    index.changed([str(words / "README.md"), str(words.parent / "x" / "SKILL.md"), str(words / ".skills/new/SKILL.md")])
    index.refresh()
    assert len(list(index.skills)) == 3
