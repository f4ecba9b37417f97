"""What the three files say, each statement with its place; what is malformed in them is told, not passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag import open_workspace
from skillbag.kernel.standard.declarations import BadContextError
from skillbag.session.settings.settings import SessionSettings
from skillbag.session.settings.settings_reader import read_settings
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.session.parameters import ENTRYPOINT, block
from tests.session.tables import toml_table
from tests.supply.install.worlds import write

_FILES = ("SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md")


def _read(root: Path, **texts: str | bytes) -> SessionSettings:
    """The settings of a workspace with these files, by their names without `.md`."""
    write(root, {"SKILLBAG.md": ENTRYPOINT, **{f"{name}.md": text for name, text in texts.items()}})
    return read_settings(open_workspace(str(root)))


def _refusal(root: Path, **texts: str | bytes) -> str:
    with pytest.raises(BadContextError) as refused:
        _read(root, **texts)
    return str(refused.value)


def _given(settings: SessionSettings) -> list[tuple[str, str, object, str]]:
    return [(item.skill, item.name, item.value and item.value.value, str(item.place)) for item in settings.given]


def test_without_files_there_are_no_settings(tmp_path: Path) -> None:
    assert _read(tmp_path) == SessionSettings((), (), (), (), _read(tmp_path).declarations)


@pytest.mark.proves("inputs", "precedence.order")
def test_user_settings_come_first_and_each_has_its_place(tmp_path: Path) -> None:
    text = "parameters:\n  a-skill:\n    format: {}\n\n    size: 1\n"
    settings = _read(
        tmp_path,
        SKILLBAG=f"{ENTRYPOINT}\n{block(text.format('e'))}",
        CONTEXT=block(text.format("c")).replace("\n", "\r\n"),
        USER_CONTEXT="\ufeff" + block(text.format("u")),
    )
    assert _given(settings) == [
        ("a-skill", "format", "u", "USER_CONTEXT.md:6"), ("a-skill", "size", 1, "USER_CONTEXT.md:8"),
        ("a-skill", "format", "c", "CONTEXT.md:6"), ("a-skill", "size", 1, "CONTEXT.md:8"),
        ("a-skill", "format", "e", "SKILLBAG.md:8"), ("a-skill", "size", 1, "SKILLBAG.md:10"),
    ]  # fmt: skip
    levels = [item.level.label for item in settings.values("a-skill", "format")]
    assert levels == ["user-context", "context", "entrypoint"]
    assert settings.values("a-skill", "nothing") == ()


@pytest.mark.proves("inputs", "precedence.last-wins")
def test_the_best_value_comes_first(tmp_path: Path) -> None:
    texts = [
        'parameters: {"*": {format: all-1}, one: {format: own-1}}', "parameters: {one: {format: own-2}}",
        'parameters: {"*": {format: all-2}}', "parameters: {two: {format: other}}",
    ]  # fmt: skip
    settings = _read(tmp_path, CONTEXT="".join(map(block, texts)))
    best = [item.value and item.value.value for item in settings.values("one", "format")]
    assert best == ["own-2", "own-1", "all-2", "all-1"]


def test_values_keep_their_types_and_spelling(tmp_path: Path) -> None:
    text = 'parameters: {a: {n: 1.10, b: true, l: [a, 007], t: "1.10", e: "", z: null, v: , q: "null", m: {x: 1}}}'
    given = {item.name: item.value for item in _read(tmp_path, CONTEXT=block(text)).given}
    assert {name: value and (value.value, value.written) for name, value in given.items()} == {
        "n": (1.1, "1.10"), "b": (True, "true"), "l": (["a", 7], '["a", 007]'), "t": ("1.10", "1.10"), "e": ("", ""),
        "z": None, "v": None, "q": ("null", "null"), "m": ({"x": 1}, '{"x": 1}'),
    }  # fmt: skip


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_prohibited_values_are_one_or_several(tmp_path: Path) -> None:
    text = 'prohibit: {parameters: {a: {one: x, two: [y, 1.10, [z]]}, "*": {one: true}}}'
    settings = _read(tmp_path, USER_CONTEXT=block(text), CONTEXT=block("prohibit: {parameters: {a: {one: w}}}"))
    assert [(item.value.value, item.level.label) for item in settings.prohibitions("a", "one")] == [
        ("x", "user-context"), (True, "user-context"), ("w", "context"),
    ]  # fmt: skip
    assert [prohibition.value.value for prohibition in settings.prohibitions("a", "two")] == ["y", 1.1, ["z"]]
    assert settings.prohibitions("a", "three") == ()
    assert str(settings.prohibitions("b", "one")[0].place) == "USER_CONTEXT.md:4"


def test_of_the_entrypoint_parameters_and_prohibited_values_count_alone(tmp_path: Path) -> None:
    text = """
parameters: {a: {format: pdf}}
prohibit: {parameters: {a: {format: docx}}, skills: [b]}
tags: {a: {add: [run-last]}}
overrides: [examples]
conflict-resolution: {no: rules}
dependencies: nothing
"""
    settings = _read(tmp_path, SKILLBAG=ENTRYPOINT + block(text))
    assert _given(settings) == [("a", "format", "pdf", "SKILLBAG.md:5")]
    assert len(settings.prohibited) == 1
    assert (settings.tags, settings.rules, dict(settings.declarations.prohibited)) == ((), (), {})
    assert [(str(place), text) for place, text in settings.remarks] == [
        ("SKILLBAG.md:7", "`tags` has no effect in SKILLBAG.md; move it to `USER_CONTEXT.md`"),
        ("SKILLBAG.md:6", "`skills` has no effect in SKILLBAG.md; move it to `CONTEXT.md` or `USER_CONTEXT.md`"),
    ]
    flow = _read(tmp_path / "flow", SKILLBAG=ENTRYPOINT + block("{parameters: {a: {format: pdf}}}"))
    assert _given(flow) == [("a", "format", "pdf", "SKILLBAG.md:5")]


def test_examples_in_the_entrypoint_are_ignored(tmp_path: Path) -> None:
    examples = [
        "tags: nothing of ours", "overrides: [", "conflict-resolution: - {", "required:\n  - name: parameters\n",
        "openapi: 3.0.0\nparameters: [{in: query}]", "dependencies: x\ntags: [a",
    ]  # fmt: skip
    settings = _read(tmp_path, SKILLBAG=ENTRYPOINT + "".join(map(block, examples)))
    assert (settings.given, settings.remarks) == ((), ())


_SOURCE = "source: 'https://example.com/org/skills.git'"
_OTHERS = "move it to `CONTEXT.md` or `USER_CONTEXT.md`"


@each_row(
    ("file", "text", "remarks"),
    [
        ("SKILLBAG", "conflict-resolution: [{skills: [a, b], winner: a}]", [f"`conflict-resolution` {_OTHERS}"]),
        ("SKILLBAG", "conflict-resolution: [{skills: [skill-a, skill-b], winner: skill-a}]", []),
        ("SKILLBAG", "overrides: {a: {version: v1}}", [f"`overrides` {_OTHERS}"]),
        ("SKILLBAG", f"dependencies: [{{name: a, {_SOURCE}}}]", ["`dependencies` move it to `CONTEXT.md`"]),
        ("SKILLBAG", "dependencies: [{name: other-skill, version: v1.0.0}]", []),
        ("USER_CONTEXT", f"dependencies: [{{name: a, {_SOURCE}}}]", ["`dependencies` move it to `CONTEXT.md`"]),
        ("USER_CONTEXT", "dependencies: [make, gcc]", []),
        ("CONTEXT", "persist-nonsecret-parameters: false", ["write `parameters: "]),
        ("CONTEXT", "parameters: {'*': {persist-nonsecret-parameters: false}}", ["`persist-nonsecret-parameters` "]),
        ("USER_CONTEXT", "parameters: {'*': {persist-nonsecret-parameters: false}}", []),
        ("USER_CONTEXT", "prohibits: {skills: [a]}", ["`prohibits` write `prohibit`"]),
        ("CONTEXT", f"dependencies: [{{name: a, version: v1, {_SOURCE}, branch: x}}]", ["`branch` write `version`"]),
        ("CONTEXT", f"dependencies: [{{name: a, version: v1, {_SOURCE}, requird: x}}]", ["`requird` write `required`"]),
        ("CONTEXT", f"dependencies: [{{name: a, version: v1, {_SOURCE}, x: y}}]", ["`x` is no key of a dependency"]),
        ("CONTEXT", f"plain-dependencies: [{{name: a, version: v1, {_SOURCE}, folder: x}}]", []),
        ("CONTEXT", "conflict-resolution: [{skills: [a, b], winner: a, Winer: b}]", ["`Winer` write `winner`"]),
    ],
)
def test_nothing_is_ignored_in_silence(tmp_path: Path, file: str, text: str, remarks: list[str]) -> None:
    settings = _read(tmp_path, **{file: f"{ENTRYPOINT if file == 'SKILLBAG' else ''}\n{block(text)}"})
    assert len(settings.remarks) == len(remarks)
    for remark, words in zip(settings.remarks, remarks, strict=True):
        name, _, advice = words.partition("` ")
        assert remark.text.startswith(name) or words in remark.text
        assert advice in remark.text
    assert settings.remarks == () or findings(tmp_path, "setting-misplaced", "setting-misspelled", "context-key-unread")


def test_tags_in_project_context_have_no_effect_and_are_remarked_upon(tmp_path: Path) -> None:
    settings = _read(tmp_path, CONTEXT=block('\ntags: {a: {add: ["#run/last"]}}'))
    assert settings.tags == ()
    assert [str(remark.place) for remark in settings.remarks] == ["CONTEXT.md:4"]


def test_blocks_of_other_tools_are_ignored(tmp_path: Path) -> None:
    texts = [
        "on: push\nparameters: {image: {type: string}}",
        "a: [b\n",
        "just text",
        "- a\n- list",
        "tags: [draft, v1]",
    ]
    context = "".join(map(block, texts)) + "```json\n{parameters: 1}\n```\n\nparameters: {a: {b: prose}}\n"
    assert _read(tmp_path, CONTEXT=context).given == ()


@each_row("name", _FILES)
@each_row(
    ("text", "line", "words"),
    [*toml_table("malformed")["blocks"], ("parameters: " + "[" * 200 + "]" * 200, 4, "nested")],
)
def test_a_fault_is_reported_with_its_place_in_any_file(
    tmp_path: Path, name: str, text: str, line: int, words: str
) -> None:
    head = "" if name != "SKILLBAG.md" else ENTRYPOINT
    message = _refusal(tmp_path, **{name.removesuffix(".md"): head + block(text)})
    assert message.count("\n") == 0
    place, _, rest = message.partition(": ")
    # Who reads the declarations of skills tells where the block begins.
    assert place in (f"{name}:{line + bool(head)}", f"{name}:{4 + bool(head)}")
    assert words in rest
    assert "; " in rest


def test_all_faults_of_all_files_are_reported_each_once(tmp_path: Path) -> None:
    message = _refusal(
        tmp_path,
        SKILLBAG=ENTRYPOINT + block("parameters: 1"),
        CONTEXT=block("parameters: [") + block("dependencies: {a: b}") + block("prohibit: {parameters: {a: {b: ["),
        USER_CONTEXT=block("tags: {a: {put: '#run/last'}}\nconflict-resolution: x\nprohibit: {skills: a}"),
    )
    places = [line.split(": ")[0] for line in message.splitlines()]
    assert sorted(places) == [
        "CONTEXT.md:14", "CONTEXT.md:5", "CONTEXT.md:9", "SKILLBAG.md:5",
        "USER_CONTEXT.md:4", "USER_CONTEXT.md:5", "USER_CONTEXT.md:6",
    ]  # fmt: skip


def test_of_very_many_faults_the_first_are_reported(tmp_path: Path) -> None:
    text = "parameters:\n" + "".join(f"  a{number}: wrong\n" for number in range(1_000))
    messages = _refusal(tmp_path, CONTEXT=block(text)).splitlines()
    assert [line.split(": ")[0] for line in messages[:-1]] == [f"CONTEXT.md:{number}" for number in range(5, 25)]
    assert messages[-1] == "and 980 more; skillbag check reports all of them"


@each_row("name", ["CONTEXT", "USER_CONTEXT", "SKILLBAG"])
@each_row(("data", "words"), [(b"\xff\xfe\x00", "UTF-8"), (b"\0", ""), (b"x" * (1 << 20) + b"y", "MiB")])
def test_a_file_that_cannot_be_read_stops_everything(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    message = _refusal(tmp_path, **{name: data})
    assert message.startswith(f"{name}.md:1: ")
    assert words in message
    assert message.count("\n") == 0


@pytest.mark.parametrize("name", ["CONTEXT.md", "USER_CONTEXT.md"])
def test_a_linked_context_file_counts_within_the_workspace_alone(tmp_path: Path, name: str) -> None:
    root = write(tmp_path / "root", {"SKILLBAG.md": ENTRYPOINT, "notes/mine.md": block("parameters: {a: {b: c}}")})
    write(tmp_path, {"outside.md": block("parameters: {a: {b: stolen}}")})
    (root / name).symlink_to("notes/mine.md")
    assert _given(read_settings(open_workspace(str(root)))) == [("a", "b", "c", f"{name}:4")]
    for target in ("../outside.md", name, "notes"):
        (root / name).unlink()
        (root / name).symlink_to(target)
        with pytest.raises(BadContextError) as refused:
            read_settings(open_workspace(str(root)))
        assert str(refused.value).startswith(f"{name}:1: ")


def test_names_of_any_kind_are_names(tmp_path: Path) -> None:
    text = 'parameters: {a: {"*": 1, __proto__: 2, größe: 3, "": 4, "a b": 5, "1": 6, null: 7}}'
    assert [item.name for item in _read(tmp_path, CONTEXT=block(text)).given] == [
        "*", "__proto__", "größe", "", "a b", "1", "null",
    ]  # fmt: skip


@pytest.mark.parametrize("body", ["prohibit:\n  skills: [draw]\n", "prohibit:\n  skills: [draw\n", "prohibit: [\n"])
@pytest.mark.parametrize("file", ["CONTEXT", "USER_CONTEXT"])
def test_what_is_in_a_bare_fence_is_remarked_upon(tmp_path: Path, file: str, body: str) -> None:
    text = f"# Ours\n\n{block('parameters: {a: {x: 1}}')}\n```\n{body}```\n"
    (remark,) = _read(tmp_path, **{file: text}).remarks
    assert str(remark.place) == f"{file}.md:{text[: text.index('prohibit')].count(chr(10)) + 1}"
    assert remark.text == "`prohibit` is not in a `yaml` block, so it is ignored; put it in one"


def test_a_file_whose_settings_are_all_in_blocks_has_no_remark(tmp_path: Path) -> None:
    text = f"{block('prohibit: {skills: [draw]}')}\nWe prohibit: nothing.\n"
    assert _read(tmp_path, CONTEXT=text).remarks == ()
