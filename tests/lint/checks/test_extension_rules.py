"""Rules for the extensions of the standard: they report exactly what a run refuses."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.standard.declarations import BadContextError
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import TargetKind, installed
from skillbag.session.inputs.inputs import resolve_inputs
from skillbag.session.inputs.interface import read_interface
from skillbag.session.inputs.questions import QuestionKind
from skillbag.session.settings.settings import NO_SETTINGS
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.skills.skills import BadSkillError
from tests.lint.checks.rule_runs import RULES, findings, messages, places
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import Tree, table

BLOCKS = table(__file__, "extensions.toml")

FAMILY = [rule.id for rule in RULES.values() if rule.family == "extensions"]
KEYS = [name for name in FAMILY if name.startswith("parameter-") and RULES[name].level.value == "error"]
ENTRYPOINT = "SkillBag v0.3.0\n"


def fenced(*blocks: str) -> str:
    return "".join(f"```yaml\n{block}\n```\n\n" for block in blocks)


def skill(parameters: str, name: str = "a", description: str = "Do it.") -> str:
    return f'---\nname: {name}\ndescription: "{description}"\n---\n\n## Parameters\n\n{fenced(parameters)}'


def flow(value: object) -> str:
    """A value in flow style; text stands as it is, with or without quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value)


SCALARS = """a "a" A true "true" True false yes 1 "1" 1.0 1.10 "1.10" 0 -3 ~ null "" "\\t" "*" docs/*.md ../x
"#run/last" "#Run/x" /etc"""
scalars = st.sampled_from(SCALARS.split())
values: st.SearchStrategy[object] = st.one_of(
    scalars, st.lists(scalars, max_size=3), st.just([["a"]]), st.just({"a": "b"}), st.just({})
)


@pytest.mark.parametrize("setting", [False, True])
@given(
    value=values, allowed=st.none() | values, kind=st.none() | st.sampled_from(["string", "number", "boolean", "list"])
)
def test_a_default_or_setting_is_reported_exactly_where_a_run_asks_about_it(
    value: object, allowed: object, kind: str | None, *, setting: bool
) -> None:
    item = {"name": "x"} | ({} if allowed is None else {"values": allowed}) | ({} if kind is None else {"type": kind})
    item |= {} if setting else {"default": value}
    context = fenced(f"parameters: {flow({'a': {'x': value}})}") if setting else ""
    with tempfile.TemporaryDirectory() as folder:
        files = {".skills/a/SKILL.md": skill(f"optional: [{flow(item)}]"), "CONTEXT.md": context}
        root = write(Path(folder), {"SKILLBAG.md": ENTRYPOINT, **files})
        found = findings(root, "setting-value-invalid" if setting else "parameter-value-invalid")
        interface = read_interface(read_skill(f"{root}/.skills/a", f"{root}/.skills", str(root)))
        settings = read_settings(Workspace(installed(TargetKind.WORKSPACE, str(root)))) if setting else NO_SETTINGS
        requested = resolve_inputs(interface, settings, str(root)).questions
    assert bool(found) == any(question.kind is QuestionKind.INVALID for question in requested), (
        f"{flow(item)} {context}"
    )


extended = st.fixed_dictionaries(
    {"name": st.sampled_from(["x", "y", "confirm"])},
    optional=dict.fromkeys(("discover", "confirm", "persist"), values)
    | {"required-if": st.one_of(values, st.dictionaries(st.sampled_from(["x", "y", "z"]), values, max_size=2))},
)


@given(items=st.lists(extended, max_size=2, unique_by=lambda item: str(item["name"])), risk=st.none() | values)
def test_keys_are_reported_exactly_where_a_run_refuses_the_skill(items: list[object], risk: object) -> None:
    block = f"optional: {flow(items)}" + ("" if risk is None else f"\nconfirm: {flow(risk)}")
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {".skills/a/SKILL.md": skill(block)})
        found = findings(root, *KEYS, "frontmatter-yaml-invalid", "parameter-invalid")
        text = read_skill(f"{root}/.skills/a", f"{root}/.skills", str(root))
        try:
            read_interface(text)
            refused: list[str] = []
        except BadSkillError as error:
            refused = str(error).splitlines()
    assert len(found) == len(refused), block


names = st.sampled_from(["a", "b-c", "*", "A_b", "parameters", "add", "remove", "skills", "type", "default", "x"])
nested = st.recursive(values, lambda inner: st.dictionaries(names, inner, max_size=2), max_leaves=4)


@given(
    block=st.dictionaries(st.sampled_from(["parameters", "tags", "prohibit", "title", "on"]), nested, max_size=3),
    file=st.sampled_from(["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md"]),
)
def test_settings_are_reported_exactly_where_entry_refuses_the_file(block: dict[str, object], file: str) -> None:
    text = fenced("\n".join(f"{key}: {flow(value)}" for key, value in block.items()))
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {"SKILLBAG.md": ENTRYPOINT, "CONTEXT.md": "", "USER_CONTEXT.md": ""})
        (root / file).write_text(f"{ENTRYPOINT}\n{text}", "utf-8")
        found = findings(root, "setting-invalid")
        try:
            read_settings(Workspace(installed(TargetKind.WORKSPACE, str(root))))
            refused: set[str] = set()
        except BadContextError as error:
            refused = {line.split(": ")[0] for line in str(error).splitlines()}
    # What `prohibit` says of skills is a matter of the declarations, and has no rule.
    refused -= {f"{file}:{number}" for number, line in enumerate(text.split("\n"), 3) if "skills" in line}
    assert {f"{file}:{finding.line}" for finding in found if "skills" not in finding.excerpt} == refused, text


@each_row(
    ("block", "rules"),
    BLOCKS["context-blocks"],
)
def test_keys_of_context_blocks(block: str, rules: list[str], tree: Tree) -> None:
    files = {"SKILLBAG.md": ENTRYPOINT, ".skills/a/SKILL.md": skill("optional: [{name: x}]")}
    root = tree({**files, "CONTEXT.md": fenced(block)})
    assert sorted(finding.rule for finding in findings(root, *FAMILY)) == rules


@each_row(
    ("item", "rules"),
    BLOCKS["parameters"],
)
def test_keys_of_parameters(item: str, rules: list[str], tree: Tree) -> None:
    root = tree({".skills/a/SKILL.md": skill(f"optional: [{item}, {{name: y}}]")})
    assert sorted(finding.rule for finding in findings(root, *FAMILY)) == rules


def test_a_misspelled_name_is_reported_with_a_suggestion(tree: Tree) -> None:
    context = "parameters: {release-note: {x: 1}, a: {out_put: 1}}"
    files = {"SKILLBAG.md": ENTRYPOINT, ".skills/a/SKILL.md": skill("optional: [{name: out-put}]")}
    files[".skills/release-notes/SKILL.md"] = skill("", "release-notes")
    root = tree({**files, "CONTEXT.md": fenced(context)})
    assert messages(root, "setting-skill-unknown") == [
        "The skill `release-note` is neither installed nor declared; did you mean `release-notes`?"
    ]
    assert messages(root, "setting-parameter-unknown") == [
        "The skill has no parameter `out_put`; did you mean `out-put`?"
    ]


def test_a_skill_that_is_there_and_not_looked_at_is_known(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = write(tmp_path_factory.mktemp("elsewhere"), {"b/SKILL.md": skill("", "b")})
    root = tree({"SKILLBAG.md": ENTRYPOINT, ".skills/a/SKILL.md": skill("")})
    (root / "CONTEXT.md").write_text(fenced("parameters: {b: {x: 1}, c: {x: 1}}"), "utf-8")
    (root / ".skills/b").symlink_to(elsewhere / "b")
    assert places(root, "setting-skill-unknown") == ["CONTEXT.md:2:25"]


def test_a_skill_whose_parameters_cannot_be_read_has_none_that_is_missed(tree: Tree) -> None:
    broken = skill("optional: [{name: y}]") + fenced("required: [")
    files = {"SKILLBAG.md": ENTRYPOINT, ".skills/a/SKILL.md": broken, ".skills/b/SKILL.md": "no front matter"}
    root = tree({**files, "CONTEXT.md": fenced("parameters: {a: {x: 1}, b: {x: 1}}")})
    assert findings(root, "setting-parameter-unknown", "setting-value-invalid") == []


def test_only_skills_that_settings_name_are_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillbag.lint.checks import context_skills

    read: list[str] = []

    def recorded(folder: str, skills_root: str, root: str) -> Skill:
        read.append(Path(folder).name)
        return read_skill(folder, skills_root, root)

    monkeypatch.setattr(context_skills, "read_skill", recorded)
    skills = {f".skills/s{number}/SKILL.md": skill("optional: [{name: x}]", f"s{number}") for number in range(9)}
    root = tree({"SKILLBAG.md": ENTRYPOINT, "CONTEXT.md": fenced('parameters: {s3: {x: 1}, "*": {y: 1}}'), **skills})
    assert findings(root, *FAMILY) == []
    assert set(read) == {"s3"}


def test_the_settings_of_the_entrypoint_are_held_to_the_same(tree: Tree) -> None:
    shown = "dependencies: nothing\ntags: {a: wrong}\nparameters: {a: {y: 1}}\nprohibit: {skills: [b]}"
    files = {
        "SKILLBAG.md": ENTRYPOINT + fenced(shown, "parameters: ["),
        ".skills/a/SKILL.md": skill("optional: [{name: x}]"),
    }
    root = tree(files)
    assert places(root, *FAMILY) == ["SKILLBAG.md:4:1", "SKILLBAG.md:5:18", "SKILLBAG.md:6:12", "SKILLBAG.md:11:1"]


def test_a_name_that_some_skill_depends_on_is_known(tree: Tree) -> None:
    text = "---\nname: a\ndescription: Do it.\ndependencies:\n  - name: B_c\n---\n"
    root = tree({"SKILLBAG.md": ENTRYPOINT, ".skills/a/SKILL.md": text})
    (root / "CONTEXT.md").write_text(fenced("parameters: {b-c: {x: 1}}"), "utf-8")
    assert findings(root, "setting-skill-unknown") == []


def test_only_the_first_of_many_unknown_names_get_a_suggestion(tree: Tree) -> None:
    names = ", ".join(f"skil-{number}: {{x: 1}}" for number in range(1000))
    skills = {f".skills/skill-{number}/SKILL.md": skill("", f"skill-{number}") for number in range(30)}
    root = tree({"SKILLBAG.md": ENTRYPOINT, "CONTEXT.md": fenced(f"parameters: {{{names}}}"), **skills})
    reported = messages(root, "setting-skill-unknown")
    assert (len(reported), sum("did you mean" in message for message in reported)) == (1000, 20)
