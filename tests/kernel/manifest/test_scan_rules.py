"""The files of security skills: the reader and the schemas agree, and each fault has its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema

from skillbag.kernel.base.package_data import schema
from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.manifest.scan_rules import expression_fault, read_overrides, read_rules
from tests.rows import each_row

PATTERN = {"type": "regex", "match": "x+"}
RULE = {"id": "one", "title": "One", "severity": "low", "pattern": PATTERN}
RULES: Mapping[str, tuple[bool, Any]] = {
    "least": (True, [RULE]),
    "none": (True, []),
    "all": (True, [{**RULE, "category": "a", "cwe": "CWE-1", "remediation": "b"}]),
    "excluded": (True, [{**RULE, "pattern": {**PATTERN, "exclude_paths": ["a/**"]}}]),
    "no list": (False, {"one": RULE}),
    "id missing": (False, [{key: RULE[key] for key in ("title", "severity", "pattern")}]),
    "id": (False, [{**RULE, "id": "a b"}]),
    "title": (False, [{**RULE, "title": " "}]),
    "severity": (False, [{**RULE, "severity": "worst"}]),
    "cwe": (False, [{**RULE, "cwe": "79"}]),
    "key": (False, [{**RULE, "fix": "x"}]),
    "type": (False, [{**RULE, "pattern": {**PATTERN, "type": "tree-sitter"}}]),
    "match missing": (False, [{**RULE, "pattern": {"type": "regex"}}]),
    "long match": (False, [{**RULE, "pattern": {**PATTERN, "match": "x" * 1001}}]),
    "glob": (False, [{**RULE, "pattern": {**PATTERN, "exclude_paths": ["!a"]}}]),
    "many": (False, [{**RULE, "id": f"r{number}"} for number in range(257)]),
}
OVERRIDES: Mapping[str, tuple[bool, Any]] = {
    "nothing": (True, {"one": {}}),
    "all": (True, {"one": {"severity": "info", "enabled": False, "paths": ["a/"]}}),
    "id": (False, {"a b": {}}),
    "severity": (False, {"one": {"severity": "worst"}}),
    "enabled": (False, {"one": {"enabled": "no"}}),
    "paths": (False, {"one": {"paths": ["#a"]}}),
    "key": (False, {"one": {"off": True}}),
    "no mapping": (False, {"one": True}),
}


def document(value: Any) -> Document:
    made = decode("x.yaml", json.dumps(value).encode())
    assert isinstance(made, Document)
    return made


def fits(name: str, value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(json.loads(schema(name))).is_valid(value))


@each_row("name", RULES)
def test_rules_are_read_as_their_schema_has_them(name: str) -> None:
    is_valid, rules = RULES[name]
    assert fits("scan-rules", {"rules": rules}) is is_valid
    assert (read_rules(document({"rules": rules})).faults == ()) is is_valid


@each_row("name", OVERRIDES)
def test_overrides_are_read_as_their_schema_has_them(name: str) -> None:
    is_valid, overrides = OVERRIDES[name]
    assert fits("scan-overrides", overrides) is is_valid
    assert (read_overrides(document(overrides)).faults == ()) is is_valid


def test_one_id_twice_is_a_fault_and_the_first_counts() -> None:
    found = read_rules(document({"rules": [RULE, {**RULE, "title": "Two"}]}))
    assert [rule.title for rule in found.rules] == ["One"]
    assert [fault.message for fault in found.faults] == ['duplicate rule id "one"']


@each_row("wide", ["\u0101-\uffff", r"\u0101-\uffff", r"\x01-\U0010ffff"])
def test_a_file_has_so_many_expressions_as_are_read_soon(wide: str) -> None:
    one = {**RULE, "pattern": {"type": "regex", "match": "(?i)" + f"[{wide}]" * 40}}
    found = read_rules(document({"rules": [{**one, "id": f"r{number}"} for number in range(256)]}))
    assert len(found.rules) == 5
    (fault,) = found.faults
    assert fault.message.startswith("there are more than 200 ranges of characters that are not ASCII")


@each_row(
    "match",
    [r"[[:alpha:]]", r"[^[:digit:]]", r"\pL", r"\p{Greek}", r"\Qa\E", r"a\z", r"\x{1F600}", r"(?<name>a)", r"(?U)a"],
)
def test_other_dialects_are_refused_with_what_to_write(match: str) -> None:
    assert "not supported; " in expression_fault(match)


@each_row("match", ["(", "a**", "[b-a]", "(?P<a>x)(?P<a>y)", r"\1", "a{9999999999999}", "(" * 400])
def test_what_is_no_expression_is_refused(match: str) -> None:
    assert expression_fault(match).startswith("it is no regular expression of Python: ")


@each_row("match", [r"\\pL", r"[[a]", r"(?<!a)b", r"(?<=a)b", r"(?i:a)", r"\\z", "[:x]"])
def test_what_looks_like_another_dialect_is_read(match: str) -> None:
    expected = "" if match != "[[a]" else "it is no regular expression of Python: "
    assert expression_fault(match).startswith(expected)
