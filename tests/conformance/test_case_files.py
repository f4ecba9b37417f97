"""Case files: read strictly, with the place of whatever is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.conformance.case import BadCaseError, Case, Delete, Operation, Write, read_cases
from skillbag.conformance.suite import load_suite

CLAUSES = frozenset({"precedence.order", "inputs.order"})
TEXTS = Path(__file__).with_name("texts")
SOUND = (TEXTS / "sound_case.yaml").read_text("utf-8")


def cases(folder: Path, text: str) -> list[Case]:
    path = folder / "file.yaml"
    path.write_text(text, "utf-8")
    return list(read_cases(str(path), "area/file", CLAUSES))


def test_all_that_a_case_can_have_is_read(tmp_path: Path) -> None:
    (case,) = cases(tmp_path, (TEXTS / "whole_case.yaml").read_text("utf-8"))
    assert case.id == "area/file/whole"
    assert case.clauses == ("precedence.order", "inputs.order")
    assert (case.kind, case.why) == ("edge", "unknown")
    assert case.files == {"SKILLBAG.md": b"SkillBag v0.3.0\n", "docs/a.md": b"", "data.bin": b"\x00\x01"}
    assert case.links == {"docs/b.md": "a.md"}
    assert case.repositories == {".": ("SKILLBAG.md",)}
    assert case.sources == {"utils": {"AGENTS.md": b"text"}}
    inputs = {"run": "convert", "set": {"limit": 3, "name": "3", "on": True}}
    assert case.steps == (
        Operation("run", "s1", inputs, {"status": "done", "values": {"limit": 3}}),
        Write({"CONTEXT.md": b"new", "../utils/AGENTS.md": b"newer"}),
        Delete(("docs", "../utils/AGENTS.md")),
    )
    assert case.after == {"CONTEXT.md": {"contains": "new"}, "docs": "absent"}


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("case: one", "case: One", 1, "'One' does not match"),
        ("kind: plain", "kind: plane", 3, "'plane' is not one of ['plain', 'edge', 'breach']"),
        ("kind: plain", "kinds: plain", 1, "'kinds' was unexpected"),
        ("  kind: plain\n", "", 1, "'kind' is a required property"),
        ("precedence.order", "precedence.ordre", 2, "no clause 'precedence.ordre'; did you mean 'precedence.order'?"),
        ("clauses: [precedence.order]", "clauses: []", 2, "clauses: []"),
        ("operation: resolve", "operation: resolv", 8, "'resolv' is not one of"),
        ("{skill: convert}", "{skil: convert}", 9, "skil"),
        ("{skill: convert}", "{skill: [convert]}", 9, "is not of type 'string'"),
        ("      inputs: {skill: convert}\n", "", 8, "'inputs' is a required property"),
        ("{status: done}", "{status: fine}", 10, "'fine' is not one of"),
        ("{status: done}", "{value: {a: 1}}", 10, "'value' is not one of"),
        ("{status: done}", "{}", 10, "steps.expect: {}"),
        ("    SKILLBAG.md: |\n      SkillBag v0.3.0", "    SKILLBAG.md: [text]", 5, "is not of type 'string'"),
        ("    SKILLBAG.md:", "    /SKILLBAG.md:", 5, "'/SKILLBAG.md' does not match"),
        ("    SKILLBAG.md:", "    ../SKILLBAG.md:", 5, "'../SKILLBAG.md' does not match"),
        ("    SKILLBAG.md:", "    a/../../SKILLBAG.md:", 5, "does not match"),
        ("- operation: resolve", "- write: {../scratch/x: y}\n    - operation: resolve", 8, "does not match"),
        ("- operation: resolve", "- {write: {a: b}, delete: [c]}\n    - operation: resolve", 8, "too many properties"),
        ("  steps:", "  bytes: {a: no base64!}\n  steps:", 7, "this is not base64"),
        ("  steps:", "  after: {a: {has: b}}\n  steps:", 7, "after.a: "),
        ("kind: plain", "kind: &a plain", 3, "an anchor"),
        ("kind: plain", "kind: plain\n  kind: edge", 4, "the key 'kind' is given twice"),
        (SOUND, "case: one\n", 1, "is not of type 'array'"),
        (SOUND, "", 1, "the file is empty"),
        (SOUND, SOUND + SOUND, 11, "there is a case 'one' above"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    text = SOUND.replace(old, new)
    assert text != SOUND
    with pytest.raises(BadCaseError) as raised:
        cases(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'file.yaml'}:{line}: ")
    assert words in str(raised.value)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_bytes(b"- case: one\n  why: \xff\n")
    with pytest.raises(BadCaseError, match=r"file\.yaml:2: byte 0xff is not UTF-8"):
        list(read_cases(str(tmp_path / "file.yaml"), "area/file", CLAUSES))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("inputs.ordr: An agent does it.\n", "reasons.yaml:1: the standard has no clause 'inputs.ordr'"),
        ("inputs.order: Yes.\nprecedence.order: 3\n", "reasons.yaml:2: a reason is a sentence"),
        ("inputs.order: ''\n", "reasons.yaml:1: a reason is a sentence"),
        ("- inputs.order\n", "reasons.yaml:1: reasons are a mapping"),
    ],
)
def test_a_mistaken_reason_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "reasons.yaml").write_text(text, "utf-8")
    with pytest.raises(BadCaseError) as raised:
        load_suite(str(tmp_path))
    assert words in str(raised.value)


def test_without_reasons_there_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(BadCaseError, match=r"reasons\.yaml:1: there is no such file"):
        load_suite(str(tmp_path))
