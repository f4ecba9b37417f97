"""Case files: read strictly, with the place of whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conformance_cases import BadCaseError, read_cases, sentences

from skillbag.fleet.conformance.kit import CaseStep, ConformanceCase, case_of
from tests.rows import each_row

CLAUSES = frozenset({"precedence.order", "inputs.order"})
EXTENSIONS = ("opened", "types")
TEXTS = Path(__file__).with_name("texts")
SOUND = (TEXTS / "sound_case.yaml").read_text("utf-8")


def cases(folder: Path, text: str) -> list[ConformanceCase]:
    path = folder / "file.yaml"
    path.write_text(text, "utf-8")
    return [case_of(case) for case in read_cases(path, "area/file", CLAUSES, EXTENSIONS)]


def test_all_that_a_case_can_have_is_read(tmp_path: Path) -> None:
    (case,) = cases(tmp_path, (TEXTS / "whole_case.yaml").read_text("utf-8"))
    assert case.id == "area/file/whole"
    assert case.clauses == ("precedence.order", "inputs.order")
    assert (case.kind, case.why, case.needs) == ("edge", "unknown", ("opened", "types"))
    assert case.files == {"SKILLBAG.md": "SkillBag v0.3.0\n", "docs/a.md": ""}
    assert case.bytes == {"data.bin": "AAE="}
    assert case.links == {"docs/b.md": "a.md"}
    assert case.git == {".": ["SKILLBAG.md"]}
    assert case.sources == {"utils": {"AGENTS.md": "text"}}
    inputs = {"run": "convert", "set": {"limit": 3, "name": "3", "on": True}}
    assert case.steps == (
        CaseStep("run", "s1", inputs, {"status": "done", "values": {"limit": 3}}),
        CaseStep(write={"CONTEXT.md": "new", "../utils/AGENTS.md": "newer"}),
        CaseStep(delete=["docs", "../utils/AGENTS.md"]),
    )
    assert case.after == {"CONTEXT.md": {"contains": "new"}, "docs": "absent"}


MISTAKES = [
    *json.loads((TEXTS / "mistakes.json").read_text("utf-8")),
    (SOUND, "case: one\n", 1, "is not of type 'array'"),
    (SOUND, "", 1, "the file is empty"),
    (SOUND, SOUND + SOUND, 11, "there is a case 'one' above"),
    ("  kind:", "  needs: [typs]\n  kind:", 3, "extensions.yaml has no extension 'typs'; did you mean 'types'?"),
]
"""A part of the sound case, the mistake instead of it, its line, and words of the message."""


@each_row(("old", "new", "line", "words"), MISTAKES)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    text = SOUND.replace(old, new)
    assert text != SOUND
    with pytest.raises(BadCaseError) as raised:
        cases(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'file.yaml'}:{line}: ")
    assert words in str(raised.value)


def test_a_file_that_is_no_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_bytes(b"- case: one\n  why: \xff\n")
    with pytest.raises(BadCaseError, match=r"file\.yaml:2: byte 0xff is not UTF-8"):
        list(read_cases(tmp_path / "file.yaml", "area/file", CLAUSES))


@each_row(
    ("text", "words"),
    [
        ("inputs.ordr: An agent does it.\n", "reasons.yaml:1: the standard has no clause 'inputs.ordr'"),
        ("inputs.order: Yes.\nprecedence.order: 3\n", "reasons.yaml:2: a sentence is wanted"),
        ("inputs.order: ''\n", "reasons.yaml:1: a sentence is wanted"),
        ("- inputs.order\n", "reasons.yaml:1: it is a mapping"),
    ],
)
def test_a_mistaken_reason_is_reported_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "reasons.yaml").write_text(text, "utf-8")
    with pytest.raises(BadCaseError) as raised:
        sentences(tmp_path / "reasons.yaml", CLAUSES)
    assert words in str(raised.value)


def test_without_reasons_there_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(BadCaseError, match=r"reasons\.yaml:1: there is no such file"):
        sentences(tmp_path / "reasons.yaml", CLAUSES)
