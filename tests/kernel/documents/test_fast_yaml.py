"""The fast reader compared with libyaml: equal values and places where it answers, and it answers the usual texts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.kernel.documents.libyaml import read_any
from skillbag.kernel.documents.yaml_values import YamlError
from tests.kernel.documents.yaml_texts import LINES, SIGNS, TEXTS, changed, corpus_texts, written
from tests.rows import each_row
from tests.sampling import NIGHTLY
from tests.support import CORPUS, table

pytestmark = pytest.mark.boundary


def answered(text: str, offset: int = 4) -> bool:
    """Whether the quick reader answers; if it does, it says what libyaml says, classes included."""
    quick = read_plain(text, offset)
    assert quick is None or repr(quick) == repr(read_any(text, offset)), text
    return quick is not None


USUAL = (Path(__file__).parent / "usual_yaml.txt").read_text("utf-8").split("=====\n")


@each_row("text", USUAL)
@each_row("newline", ["\n", "\r\n"])
def test_usual_texts_are_read_quickly(text: str, newline: str) -> None:
    assert answered(text.replace("\n", newline))
    assert answered(text.rstrip("\n").replace("\n", newline), 0)


@each_row(
    "text",
    [
        *table(__file__, "fast_yaml.toml")["left"],
        "a: " + "[" * 101 + "]" * 101 + "\n",
        "".join(" " * n + "a:\n" for n in range(101)),
        "k" * 2000 + ": b\n",
        "a: {'" + "k" * 2000 + "': b}\n",
        "{" * 20_000,
        "- " * 20_000,
    ],
)
def test_the_rest_is_left_to_libyaml(text: str) -> None:
    assert read_plain(text, 0) is None


def test_usual_texts_need_no_parser_to_be_imported() -> None:
    code = """
import sys
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.source import decode
found = front_matter(decode("SKILL.md", b"---\\nname: a\\ndescription: >-\\n  b\\n  c\\n---\\n"))
assert found.mapping.keys() == ("name", "description"), found
assert "yaml" not in sys.modules
assert front_matter(decode("SKILL.md", b"---\\na: *b\\n---\\n")).kind == "anchor"
assert "yaml" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


CHOSEN = ("agent-skills-superpowers", "awesome-skills", "skillbag-utils")
"""Archives that shares are counted in; whatever else lies beside them holds for the differences alone."""


def neighbours(text: str, signs: list[str]) -> Iterator[str]:
    """Each beginning of a text, and the text with a character taken out, put in or replaced, at every place."""
    for at in range(len(text) + 1):
        yield text[:at]
        yield text[:at] + text[at + 1 :]
        for sign in signs:
            yield text[:at] + sign + text[at:]
            yield text[:at] + sign + text[at + 1 :]


def readable(text: str) -> bool:
    """Whether it is YAML of the dialect; more than half of what the quick reader leaves out is not."""
    return not isinstance(read_any(text, 4), YamlError)


@each_row("name", sorted(path.stem for path in CORPUS.glob("*.zip")) or CHOSEN)
def test_published_texts(name: str) -> None:
    if not (CORPUS / f"{name}.zip").is_file():
        pytest.skip(f"the corpus {name}.zip is not beside the project (../shared/corpus)")
    texts = [text for _, text in corpus_texts(CORPUS / f"{name}.zip")]
    quick = [text for text in texts if answered(text)]
    signs = SIGNS if NIGHTLY else ["\n", ":", " ", "\t"]
    beside = [answered(near) for text in sorted(texts, key=len)[:5] for near in neighbours(text, signs)]
    if name in CHOSEN:
        assert len(quick) > 0.9 * len(list(filter(readable, texts)))
        assert sum(beside) > 0.3 * len(beside)


@each_row("text", USUAL)
def test_texts_beside_the_usual(text: str) -> None:
    signs = SIGNS if NIGHTLY else SIGNS[:: len(SIGNS) // 4]
    beside = list(neighbours(text, signs))
    assert sum(map(answered, beside)) > 0.1 * len(beside)


@given(written(TEXTS | LINES))
def test_generated_texts(text: str) -> None:
    answered(text)


@given(changed())
def test_changed_texts(text: str) -> None:
    answered(text, 0)
