"""Languages of files."""

from __future__ import annotations

from skillbag.runtime.triggers.languages import LANGUAGES, languages_of
from tests.rows import each_row


@each_row(
    ("name", "languages"),
    [
        ("Dockerfile", {"dockerfile"}),
        ("Dockerfile.dev", {"dockerfile"}),
        ("main.go", {"go"}),
        ("lib.rs", {"rust"}),
        ("Cargo.toml", {"rust", "toml"}),
        ("a.py", {"python"}),
        ("a.js", {"javascript"}),
        ("a.jsx", {"javascript"}),
        ("a.ts", {"typescript"}),
        ("a.tsx", {"typescript"}),
        ("a.swift", {"swift"}),
        ("Package.swift", {"swift"}),
        ("a.tar.py", {"python"}),
        ("py", set()),
        (".py", set()),
        ("a.PY", set()),
        ("notes", set()),
        ("", set()),
    ],
)
def test_the_language_of_a_file(name: str, languages: set[str]) -> None:
    assert languages_of([name]) == languages


def test_the_table_knows_thirty_languages_and_more() -> None:
    assert len(LANGUAGES) >= 30
    assert all(language == language.lower() for language in LANGUAGES)


def test_all_files_count() -> None:
    assert languages_of(["a.go", "b.py", "c.py"]) == {"go", "python"}
