"""Values of the conversation, and odd or enormous ones: what is taken, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lifecycle.cli_inputs import BadAnswerError
from tests.lifecycle.parameters import (
    effective,
    make,
    resolve,
)
from tests.support import Tree

_FORMAT = "optional:\n  - name: format\n    default: html\n"


def test_settings_of_parameters_that_there_are_not_are_remarked_upon(tmp_path: Path) -> None:
    context = """
parameters: {convert: {formt: pdf, persist-nonsecret-parameters: false}, "*": {anything: 1}}
prohibit: {parameters: {convert: {fromat: docx}, "*": {other: 1}}}
"""
    resolution = resolve(make(tmp_path, _FORMAT, context=context))
    assert [(str(one.place), one.text) for one in resolution.remarks] == [
        ("CONTEXT.md:4", "convert has no parameter formt; this has no effect"),
        ("CONTEXT.md:5", "convert has no parameter fromat; this has no effect"),
    ]
    assert resolution.ready


def test_values_of_the_conversation_come_as_text_and_as_plain_values(tmp_path: Path) -> None:
    root = make(tmp_path, "optional:\n  - {name: a}\n  - {name: b}\n  - {name: c, type: string}")
    plain = {"a": [1, "x", {"y": None}], "b": 1.5, "c": "plain"}
    assert effective(resolve(root, values=plain)) == plain
    said = resolve(root, "a=first", "b= [x, 1.10]", "a=last", "c=[draft] 1", values=plain)
    assert effective(said) == {"a": "last", "b": ["x", 1.1], "c": "[draft] 1"}
    assert effective(resolve(root, "c=[draft]")) == {"c": "[draft]"}
    assert effective(resolve(root, "a=b=c", "b==")) == {"a": "b=c", "b": "="}


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("format", "--set format: write --set NAME=VALUE"),
        ("=pdf", "--set =pdf: write --set NAME=VALUE"),
        ("", '--set "": write --set NAME=VALUE'),
        ("inputpath=a", "convert has no parameter inputpath (did you mean input-path?); it has input-path, format"),
        ("input_path=a", "convert has no parameter input_path (did you mean input-path?); it has input-path, format"),
        ("qq=a", "convert has no parameter qq; it has input-path, format"),
        ("*=a", "convert has no parameter *; it has input-path, format"),
        ("__proto__=a", "convert has no parameter __proto__; it has input-path, format"),
        ("confirm=yes", "yes: convert has no such risk to accept; confirm takes format, convert"),
    ],
)
def test_an_answer_that_fits_nothing_is_refused_in_a_sentence(tmp_path: Path, says: str, message: str) -> None:
    root = make(tmp_path, "confirm: why\nrequired: [{name: input-path}]\noptional: [{name: format, confirm: pdf}]")
    with pytest.raises(BadAnswerError) as refusal:
        resolve(root, says)
    assert str(refusal.value) == message
    if "confirm" not in says:
        with pytest.raises(BadAnswerError) as refusal:
            resolve(root, prohibits=[says])
        assert str(refusal.value) == message.replace("--set", "--prohibit")


def test_answers_that_are_not_plain_are_refused(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: a}]")
    with pytest.raises(BadAnswerError, match="the value of a can't be used"):
        resolve(root, values={"a": object()})
    with pytest.raises(BadAnswerError, match="convert has no parameter b"):
        resolve(root, values={"b": 1})
    with pytest.raises(BadAnswerError, match="it asks before nothing"):
        resolve(root, "confirm=a-risk")
    with pytest.raises(BadAnswerError, match="convert has no parameter a; it has none"):
        resolve(make(tmp_path / "none", "optional: []"), "a=1")


def test_a_skill_without_parameters_is_ready(tmp_path: Path, tree: Tree) -> None:
    root = make(tmp_path, "")
    assert resolve(root).inputs == ()
    assert resolve(root).ready


def test_odd_names_and_values_are_names_and_values(tmp_path: Path) -> None:
    names = ["*", "__proto__", "constructor", "größe", "a b", "[x]", "1.10", "null", "💥", "a\\x1b[31m"]
    text = "optional:\n" + "".join(f'  - name: "{name}"\n' for name in names)
    given = "".join(f'    "{name}": "\\u202e{name}"\n' for name in names)
    root = make(tmp_path, text, context=f"parameters:\n  convert:\n{given}")
    plain = [name.replace("\\x1b", "\x1b") for name in names]
    assert effective(resolve(root)) == {name: f"\u202e{name}" for name in plain}
    assert effective(resolve(root, *(f"{name}=1" for name in plain))) == dict.fromkeys(plain, 1)


@pytest.mark.parametrize("size", [10_000])
def test_enormous_declarations_and_settings_are_resolved(tmp_path: Path, size: int) -> None:
    """What would take minutes if each parameter were compared with each setting, or each item with each value."""
    numbers = ", ".join(f"v{number}" for number in range(size))
    text = f"optional:\n  - {{name: big, values: [{numbers}], default: [{numbers}]}}\n" + "".join(
        f"  - name: p{number}\n" for number in range(size)
    )
    settings = "".join(f"    p{number}: {number}\n" for number in range(size))
    bars = ", ".join(f"w{number}" for number in range(size))
    context = f"parameters:\n  convert:\n{settings}\nprohibit: {{parameters: {{convert: {{big: [{bars}]}}}}}}"
    resolution = resolve(make(tmp_path, text, context=context))
    assert resolution.ready
    assert len(resolution.inputs) == size + 1
    assert resolution.values["p777"].value == 777
