"""Values of the conversation, prohibited values, and precedence, held to a model of ten lines."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbag.session.inputs.cli_inputs import BadAnswerError
from tests.rows import each_row
from tests.session.parameters import block, effective, make, resolve
from tests.supply.install.worlds import call
from tests.support import Run, Tree

_FORMAT = "optional:\n  - name: format\n    default: html\n"


def test_settings_of_parameters_that_there_are_not_are_remarked_upon(tmp_path: Path) -> None:
    context = """
parameters: {convert: {formt: pdf, persist-nonsecret-parameters: false}, "*": {anything: 1}}
prohibit: {parameters: {convert: {fromat: docx}, "*": {other: 1}}}
"""
    resolution = resolve(make(tmp_path, _FORMAT, context=context))
    assert [(str(remark.place), remark.text) for remark in resolution.remarks] == [
        ("CONTEXT.md:4", "convert has no parameter formt; this has no effect"),
        ("CONTEXT.md:4", "convert has no parameter persist-nonsecret-parameters; this has no effect"),
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


@each_row(
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


@pytest.mark.slow
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


_CITY = "optional: [{name: city, default: Wien}, {name: input-path, discover: docs/*.md}]"
_COMPOSED, _DECOMPOSED = "Z\u00fcrich", "Zu\u0308rich"


def _effective(root: Path, *prohibits: str) -> dict[str, object]:
    return {name: value.value for name, value in resolve(root, prohibits=prohibits).values.items()}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_star_prohibits_every_value_of_the_levels_below(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _CITY,
        user='prohibit: {parameters: {convert: {city: "*", input-path: ["*"]}}}',
        context="parameters: {convert: {city: [Bern, 1]}}",
        files={"docs/a.md": ""},
    )
    resolution = resolve(root)
    assert resolution.values == {}
    city, path = resolution.inputs
    assert [item.dropped for item in (*city.hidden, *path.hidden)] == ["prohibited by USER_CONTEXT.md:4"] * 3
    assert resolve(root, "city=Bern").values["city"].value == "Bern"


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_the_conversation_prohibits_every_value_as_well(tmp_path: Path) -> None:
    root = make(tmp_path, _CITY, user="parameters: {convert: {city: Bern}}")
    assert _effective(root, "city=Bern") == {"city": "Wien"}
    assert _effective(root, "city=*") == {}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_entry_shows_that_a_prohibited_setting_has_no_effect(run: Run, tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _CITY,
        user='prohibit: {parameters: {"*": {city: "*"}}}',
        context="parameters: {convert: {city: Bern}}",
    )
    settings = call(run, root, "enter")[1]["settings"]
    assert [setting["effective"] for setting in settings if setting["kind"] == "parameter"] == [False]


@pytest.mark.proves("inputs", "precedence.prohibition")
@pytest.mark.parametrize(("barred", "given"), [(_COMPOSED, _DECOMPOSED), (_DECOMPOSED, _COMPOSED)])
def test_two_spellings_of_one_letter_are_one_value(tmp_path: Path, barred: str, given: str) -> None:
    root = make(
        tmp_path,
        _CITY,
        user=f"prohibit: {{parameters: {{convert: {{city: {barred}, input-path: docs/{barred}.md}}}}}}",
        context=f"parameters: {{convert: {{city: [{given}]}}}}",
        files={f"docs/{given}.md": "", "docs/a.md": ""},
    )
    assert _effective(root) == {"city": "Wien", "input-path": "docs/a.md"}


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
        higher = [item for level in barred[:number] for item in level]
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
    given = {input_.name: input_.effective for input_ in resolution.inputs}
    found = {name: one and (one.level.label, one.value.value) for name, one in given.items()}
    bars = [ruled_out, *barred]
    assert found == {name: _chosen(name, said, list(files), defaults[name], bars) for name in _NAMES}
