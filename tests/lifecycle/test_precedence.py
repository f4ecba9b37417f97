"""Precedence, held to a model of ten lines: levels, the last definition, names over `*`, prohibitions."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.lifecycle.parameters import block, make, resolve

_FILES = ("USER_CONTEXT.md", "CONTEXT.md", "SKILLBAG.md")
_LEVELS = ("conversation", "user-context", "context", "entrypoint", "skill")
_NAMES = ("format", "size")
_Definition = tuple[str, str, str | None]  # of a skill or `*`, a parameter, a value (None takes it back)


def _chosen(
    name: str,
    said: dict[str, str | None],
    files: list[list[_Definition]],
    default: str | None,
    barred: list[list[_Definition]],
) -> tuple[str, str] | None:
    """The model: the value that counts, with its level; `barred`: what the conversation prohibits, then each file."""
    levels = [said.get(name)]
    for definitions in files:
        own = [value for skill, of, value in definitions if (skill, of) == ("convert", name)]
        of_all = [value for skill, of, value in definitions if (skill, of) == ("*", name)]
        levels.append((of_all + own or [None])[-1])
    levels.append(default)
    for number, value in enumerate(levels):
        higher = [one for level in barred[:number] for one in level]
        if value is not None and not any((skill, name, value) in higher for skill in ("convert", "*")):
            return _LEVELS[number], value
    return None


_values = st.sampled_from(["pdf", "html", "docx"])
_skills = st.sampled_from(["convert", "*", "other"])
_defined = st.tuples(_skills, st.sampled_from(_NAMES), st.none() | _values)
_barred = st.tuples(_skills, st.sampled_from(_NAMES), _values)


def _text(definitions: list[_Definition], barred: list[_Definition]) -> str:
    """A file in which each definition has a block of its own, in its order, and each prohibition too."""
    own = [json.dumps({"parameters": {skill: {name: value}}}) for skill, name, value in definitions]
    bars = [json.dumps({"prohibit": {"parameters": {skill: {name: value}}}}) for skill, name, value in barred]
    return "\n".join(map(block, own + bars))


@given(
    said=st.dictionaries(st.sampled_from(_NAMES), st.none() | _values),
    files=st.tuples(*[st.lists(_defined, max_size=4)] * 3),
    defaults=st.fixed_dictionaries({name: st.none() | _values for name in _NAMES}),
    ruled_out=st.lists(st.tuples(st.just("convert"), st.sampled_from(_NAMES), _values), max_size=2),
    barred=st.tuples(*[st.lists(_barred, max_size=2)] * 3),
)
@example(
    {},
    ([("convert", "format", "pdf")],) * 3,
    {"format": "html", "size": None},
    [("convert", "format", "pdf")],
    ([], [], []),
)
@example({}, ([("*", "size", None)], [("*", "size", "pdf")], []), {"format": None, "size": None}, [], ([], [], []))
@pytest.mark.proves(
    "inputs", "precedence.order", "precedence.last-wins", "precedence.prohibition", "precedence.conversation-supplies",
    "inputs.order",
)  # fmt: skip
def test_the_value_that_counts_is_that_of_the_model(
    said: dict[str, str | None],
    files: tuple[list[_Definition], ...],
    defaults: dict[str, str | None],
    ruled_out: list[_Definition],
    barred: tuple[list[_Definition], ...],
) -> None:
    parameters = [{"name": name, **({"default": value} if value else {})} for name, value in defaults.items()]
    texts = {name: _text(*both) for name, *both in zip(_FILES, files, barred, strict=True)}
    texts["SKILLBAG.md"] = "SkillBag v0.3.0\n\n" + texts["SKILLBAG.md"]
    with tempfile.TemporaryDirectory() as folder:
        root = make(Path(folder), json.dumps({"optional": parameters}), files=texts)
        resolution = resolve(
            root,
            *(f"{name}={value or 'null'}" for name, value in said.items()),
            prohibits=[f"{name}={value}" for _, name, value in ruled_out],
        )
    assert resolution.ready
    given = {one.name: one.effective for one in resolution.inputs}
    found = {name: one and (one.level.label, one.value.value) for name, one in given.items()}
    bars = [ruled_out, *barred]
    assert found == {name: _chosen(name, said, list(files), defaults[name], bars) for name in _NAMES}
