"""What a skill asks for, with the keys that extend the standard; what is malformed is refused, not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag import open_workspace
from skillbag.session.inputs.interface import Condition, Interface, read_interface
from skillbag.session.settings.value import Value
from skillbag.session.skills.skills import BadSkillError, load_skill
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.session.parameters import make
from tests.session.tables import toml_table


def _read(root: Path, parameters: str) -> Interface:
    make(root, parameters)
    return read_interface(load_skill(open_workspace(str(root)), "convert", "a test"))


def _under(root: Path, heading: str, block: str) -> Interface:
    """The interface of a skill with this block under another heading."""
    make(root, block)
    path = root / ".skills/convert/SKILL.md"
    path.write_text(path.read_text("utf-8").replace("## Parameters", heading), "utf-8")
    return read_interface(load_skill(open_workspace(str(root)), "convert", "a test"))


def _refusal(root: Path, parameters: str) -> list[str]:
    with pytest.raises(BadSkillError) as refused:
        _read(root, parameters)
    return str(refused.value).splitlines()


def test_every_key_is_read_with_its_place(tmp_path: Path) -> None:
    interface = _read(
        tmp_path,
        """
required:
  - name: input-path
    description: The file
    discover: ["docs/*.md", "*.txt"]
optional:
  - name: format
    type: string
    default: 1.10
    values: [1.10, pdf]
    confirm: [pdf, true]
    persist: true
  - name: page-size
    required-if: {format: [pdf, 1.10], input-path: "*"}
    confirm: "*"
    persist: false
    type: whatever
confirm: It sends mail
""",
    )
    assert interface.skill == "convert"
    assert (interface.risk, str(interface.risk_place)) == ("It sends mail", ".skills/convert/SKILL.md:27")
    path, kind, size = interface.parameters
    assert [(item.name, item.required, item.place.line) for item in interface.parameters] == [
        ("input-path", True, 12), ("format", False, 16), ("page-size", False, 22),
    ]  # fmt: skip
    assert (path.description, path.discover) == ("The file", ("docs/*.md", "*.txt"))
    assert (path.confirm, path.persist) == (None, None)
    assert (kind.type, kind.default, kind.default_place) == ("string", Value(1.1, "1.10"), kind.place._replace(line=18))
    assert kind.values == (Value(1.1, "1.10"), Value("pdf", "pdf"))
    assert (kind.confirm, kind.persist) == ((Value("pdf", "pdf"), Value(True, "true")), True)
    assert (size.confirm, size.persist, size.type, size.default) == ((), False, None, None)
    assert size.required_if == (
        Condition("format", (Value("pdf", "pdf"), Value(1.1, "1.10"))),
        Condition("input-path", ()),
    )
    assert interface.parameter("format") is kind
    assert interface.parameter("nothing") is None


@each_row(
    ("written", "default"),
    [
        ("html", "html"), ("[]", []), ("[a, 1]", ["a", 1]), ("true", True), ("0", 0), ("''", ""), ('"007"', "007"),
        ("{a: b}", {"a": "b"}), (".nan", ".nan"),
    ],
)  # fmt: skip
def test_defaults_are_typed_as_they_are_written(tmp_path: Path, written: str, default: object) -> None:
    parameter = _read(tmp_path, f"optional: [{{name: a, default: {written}}}]").parameters[0]
    assert parameter.default is not None
    assert parameter.default.value == default


@each_row("nothing", ["default: null", "default: ~", "default: ", "type: string"])
def test_no_default_and_a_default_of_null_are_the_same(tmp_path: Path, nothing: str) -> None:
    assert _read(tmp_path, f"optional:\n  - name: a\n    {nothing}").parameters[0].default is None


def test_a_default_of_a_required_parameter_does_not_count(tmp_path: Path) -> None:
    assert _read(tmp_path, "required: [{name: a, default: b}]").parameters[0].default is None


def test_a_skill_without_parameters_has_none(tmp_path: Path) -> None:
    assert _read(tmp_path, "").parameters == ()
    assert _read(tmp_path, "required: []\noptional: []").parameters == ()
    assert _read(tmp_path, "something: else\nconfirm: {foreign: key}") == Interface("convert", ())


def test_a_risk_can_stand_alone(tmp_path: Path) -> None:
    assert _read(tmp_path, "confirm: It sends mail").risk == "It sends mail"


def test_parameters_of_several_blocks_and_odd_names_are_taken_in_order(tmp_path: Path) -> None:
    names = ["*", "__proto__", "größe", "a b", "1.10", "true"]
    text = "\n```\n\n```yaml\n".join(f'optional: [{{name: "{name}"}}]' for name in names)
    assert [item.name for item in _read(tmp_path, text).parameters] == names


_HEADINGS = (
    *("## Parameters:", "## **Parameters**", "## `Parameters`", "## Parameter", "### Params ###"),
    *("## 2. Parameters (optional)", "## Inputs", "## Input parameters", "## Optional inputs & arguments", "## Args"),
    *(
        "Inputs\n------",
        "**Parameters:**",
        "Parameters:",
        "- Inputs:",
        "## \u2699 Parameters",
        "## Inputs\n\n### Required",
    ),
)


@each_row("heading", _HEADINGS)
def test_a_plain_declaration_counts_under_any_heading_of_its_meaning(tmp_path: Path, heading: str) -> None:
    interface = _under(tmp_path, heading, "required:\n  - name: folder")
    assert [item.name for item in interface.parameters] == ["folder"]
    (finding,) = findings(tmp_path, "declaration-heading")
    assert "read as if under `Parameters`" in finding.message


@each_row(
    ("heading", "block", "rules"),
    [
        ("## Usage", "required:\n  - name: folder", ["declaration-heading"]),
        ("## Inputs\n\n### Call", "optional:\n  - name: folder", ["declaration-heading"]),
        ("It takes inputs.", "required:\n  - name: folder", ["declaration-heading"]),
        ("## Example inputs", "required:\n  - name: folder", []),
        ("## Inputs", "required: [folder]", []),
        ("## Inputs", "required:\n  folder: {name: x}", []),
        ("## Inputs", "- name: folder\n  required: true", []),
        ("## Inputs", "options:\n  - name: folder", []),
        ("## Inputs", "required:\n  - folder\n  - name: x", []),
    ],
)
def test_other_blocks_declare_nothing(tmp_path: Path, heading: str, block: str, rules: list[str]) -> None:
    interface = _under(tmp_path, heading, block)
    assert interface.parameters == ()
    assert len(interface.remarks) == len(rules)
    assert [finding.rule for finding in findings(tmp_path, "declaration-heading")] == rules


@each_row(
    ("old", "new", "words"),
    [
        ("required:", "Required:", "`Required` has no effect; write `required`"),
        ("default:", "defualt:", "`defualt` has no effect; write `default`"),
        ("```yaml", "```", "`required` is not in a `yaml` block, so it is ignored"),
        ("---\n\n", "parameters:\n  - name: x\n---\n\n", "`parameters` is no key of the front matter"),
        ("---\n\n", "Dependencies:\n  - name: x\n---\n\n", "so it is ignored; write `dependencies`"),
        ("---\n\n", "dependencies:\n  - {name: x, requird: no}\n---\n\n", "so it is ignored; write `required`"),
        ("type: text", "required: true", "`required: true` of `b` contradicts the list `optional`"),
    ],
)
def test_what_has_no_effect_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    make(tmp_path, "required:\n  - name: a\noptional:\n  - {name: b, type: text, default: c}")
    path = tmp_path / ".skills/convert/SKILL.md"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    remarks = read_interface(load_skill(open_workspace(str(tmp_path)), "convert", "a test")).remarks
    assert [words in remark.text for remark in remarks][:1] == [True]


def test_a_broken_declaration_under_such_a_heading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSkillError, match=":13: "):
        _under(tmp_path, "## Inputs", "required:\n  - name: a\n   default: b")


@each_row(("text", "words"), toml_table("malformed")["parameters"])
def test_what_is_malformed_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    (message,) = _refusal(tmp_path, text)
    place, _, rest = message.partition(": ")
    assert place.startswith(".skills/convert/SKILL.md:1")
    assert int(place.rpartition(":")[2]) >= 10
    assert words in rest


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    text = "required:\n  - {name: a, discover: /x}\n  - {name: a}\noptional:\n  - {name: c, persist: 1}\n  - x"
    lines = [line.split(": ")[0].rpartition(":")[2] for line in _refusal(tmp_path, text)]
    assert sorted(lines) == ["12", "13", "15", "16"]


def test_of_very_many_faults_the_first_are_reported(tmp_path: Path) -> None:
    messages = _refusal(tmp_path, "optional:\n" + "  - x\n" * 1_000)
    assert len(messages) == 21
    assert messages[-1] == "and 980 more; skillbag check reports all of them"
