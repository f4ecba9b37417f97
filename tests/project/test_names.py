"""Names of the code: one meaning each, in the words of the field."""

from __future__ import annotations

import re
import tokenize
from collections import defaultdict
from pathlib import Path

from tests.support import PROJECT


def classes(file: Path) -> list[str]:
    return re.findall(r"^class (\w+)", file.read_text("utf-8"), re.MULTILINE)


def test_a_public_class_name_is_defined_in_one_module() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for file in sorted((PROJECT / "skillbag").rglob("*.py")):
        for name in classes(file):
            modules[name].append(str(file.relative_to(PROJECT)))
    assert "Session" in modules
    assert {name: files for name, files in modules.items() if len(files) > 1 and not name.startswith("_")} == {}


ODD = frozenset({"MOST", "manner", "heed", "heeded", "keeping", "speak", "told", "asked", "noted", "drawn"})
"""Words that say nothing to a reader: the field says `MAX`, `style`, `set`, `reported`, `requested`, `rendered`."""
SOME_ODD = re.compile("|".join(ODD), re.IGNORECASE)
PUBLISHED = frozenset({"asked_by"})
"""Fields of records that are keys of published JSON."""


def odd_names(file: Path) -> set[str]:
    """Names in the code that are or contain one of these words; those of tests are sentences."""
    # Few texts have such a word at all, and to take one apart takes long.
    if not SOME_ODD.search(file.read_text("utf-8")):
        return set()
    with file.open("rb") as lines:
        names = {token.string for token in tokenize.tokenize(lines.readline) if token.type == tokenize.NAME}
    return {name for name in names - PUBLISHED if not name.startswith("test_") and not ODD.isdisjoint(words(name))}


def words(name: str) -> list[str]:
    """The words of a name in any of Python's styles, as they are and in small letters."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).split("_")
    return [*parts, *map(str.lower, parts)]


def test_names_use_the_words_of_the_field() -> None:
    files = [
        file for folder in ("skillbag", "tests", "tools", "benchmarks") for file in (PROJECT / folder).rglob("*.py")
    ]
    assert {str(file.relative_to(PROJECT)): names for file in files if (names := odd_names(file))} == {}


def test_the_glossary_names_classes_where_they_are() -> None:
    page = (PROJECT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w ]+) \| `(\w+)` \| `([\w/]+\.py)` \|$", page, re.M)
    assert [row for row in rows if row[1] not in classes(PROJECT / row[2])] == []
    assert {file.split("/")[1] for _, _, file in rows} >= {"kernel", "lint", "supply", "session", "runtime", "agents"}
