"""Faulty texts with the names of their files, and edits that change their form and hardly their sense."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from skillbag.kernel.base.package_data import folder
from skillbag.kernel.workspace.text import language_of
from skillbag.lint.rules.loader import read_folder
from tests.lint.checks.test_malice_variants import filled
from tests.support import PROJECT

_START = "---\nname: tidy\ndescription: Tidy a folder.\n---\n\n"
_SHORTEST = 20
_SIGNS = ("é", "\u200b", "“", "`", "**", '"', "\n", " ", "not ", "the ", "curl ", "https://")


def attack_texts() -> list[tuple[str, str]]:
    """The name and text of each failing example, of each case in a table, and of each changed file of a malicious
    skill of the benchmarks."""
    found = [*_examples(), *_cases(), *_mutations()]
    return list(dict.fromkeys([(name, text if name != "SKILL.md" else _with_start(text)) for name, text in found]))


def _with_start(text: str) -> str:
    return text if text.startswith("---") else _START + text


def _examples() -> Iterator[tuple[str, str]]:
    for rule_file in read_folder(folder("rules")):
        for example in rule_file.written.examples.fail:
            for path, text in example.files.items():
                name = path.rpartition("tidy/")[2].removeprefix("SKILL.md/")
                yield name if "tidy/" in path and _is_name(name) else "SKILL.md", text


def _is_name(text: str) -> bool:
    """Whether a text is the name of a file that rules read, in the folder of a skill."""
    return ".." not in text and not text.startswith("/") and language_of(text) is not None


def _cases() -> Iterator[tuple[str, str]]:
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        yield from _texts_in(tomllib.loads(path.read_text("utf-8")))


def _texts_in(value: Any) -> Iterator[tuple[str, str]]:
    """The texts in the value of a table: with a name before them, or long strings alone."""
    match value:
        case [*_, str(name), str(text)] if _is_name(name):
            yield name, filled(text)
        case str() if len(value) > _SHORTEST:
            yield "SKILL.md", filled(value)
        case dict() | list():
            for part in value.values() if isinstance(value, dict) else value:
                yield from _texts_in(part)


def _mutations() -> Iterator[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(PROJECT / "benchmarks")])
        from mutations import MALICE
        from verdicts_ground import generated, mutations

        good = sorted(generated(20), key=lambda skill: sum(map(len, skill.files.values())))[:10]
        for made in mutations(MALICE, good, 18):
            for name, data in made.broken.skill.files.items():
                if made.good.files.get(name) != data:
                    yield name, data.decode("utf-8", "replace")


def _reworded(text: str) -> str:
    """The text with a few small random edits, the same ones for the same text."""
    random = Random(text)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(text) + 1)
        removed = random.choice((0, 0, 1, 2, 12))
        text = text[:at] + random.choice(("", *_SIGNS)) + text[at + removed :]
    return text


def _wrapped(text: str, end: str, every: int) -> str:
    pieces = text.split(" ")
    ends = [end if number % every == 0 else " " for number in range(1, len(pieces))]
    return "".join(piece + blank for piece, blank in zip(pieces, [*ends, ""], strict=True))


EDITS: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: f"\ufeff{text}",
    "upper case": str.upper,
    "lower case": str.lower,
    "title case": str.title,
    "two blanks": lambda text: text.replace(" ", "  "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "some tabs": lambda text: _wrapped(text, "\t", 3),
    "short lines": lambda text: _wrapped(text, "\n", 2),
    "one word a line": lambda text: _wrapped(text, "\n", 1),
    "indented lines": lambda text: _wrapped(text, "\r\n  ", 3),
    "quoted lines": lambda text: _wrapped(text, "\n> ", 4),
    "continued lines": lambda text: _wrapped(text, " \\\n  ", 3),
    "other quotes": lambda text: text.translate(str.maketrans("'\"", "\"'")),
    "reworded": _reworded,
}
