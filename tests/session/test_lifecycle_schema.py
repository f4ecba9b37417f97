"""`schemas/lifecycle.schema.json`: what the commands of the lifecycle print with `--json` follows it, mistakes too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.session.bags import bag, context, parameters, skill_md
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

SCHEMA = json.loads((PROJECT / "schemas/lifecycle.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COMMANDS = ("enter", "resolve", "run", "order", "winner", "refresh", "turn", "remember", "forget")

RICH = parameters(
    """
required:
  - name: input-path
    discover: "docs/*.md"
    description: What to convert.
  - {name: title, type: string}
optional:
  - {name: format, values: [pdf, html], default: pdf, confirm: html}
  - {name: page-size, required-if: {format: html}}
  - {name: margins, type: list, default: [1, 2.5]}
  - {name: options, default: {deep: true}}
  - {name: output-dir, persist: true}
confirm: It writes a file.
"""
)
PROJECT_CONTEXT = context(
    'parameters: {convert: {format: docx, title: 1.10, nothing: 1}, "*": {page-size: A4}}',
    "dependencies: [{name: lint-docs, version: v1.0.0, source: 'https://me:pw@example.com/org/repo.git'}]",
    "overrides: {lint-docs: {version: v2.0.0}}",
    "conflict-resolution: [{skills: [convert, tidy], winner: tidy}, {skills: [convert, tidy], winner: convert}]",
    "tags: {tidy: {add: ['#run/always']}}",
)
USER_CONTEXT = context(
    "parameters: {convert: {title: null, margins: [3]}}",
    'prohibit: {skills: [banned], parameters: {"*": {format: docx}}}',
    "tags: {greet: {remove: ['#run/always']}, tidy: {add: ['#run/last']}}",
)
SKILLS = {
    "convert": "Converts files. #use/check-links",
    "check-links": "Checks links.",
    "greet": "Greets. #run/always",
    "careful": "Takes care. #run/always",
    "banned": "Is banned. #run/always",
    "tidy": "Tidies.",
}
CAREFUL = parameters("required:\n  - name: mood\nconfirm: It takes long.")


@pytest.fixture
def rich(tmp_path: Path) -> Path:
    """A workspace in which there is something to say of everything."""
    skills = {
        ".skills/convert/SKILL.md": skill_md("convert", SKILLS["convert"], RICH, "allowed-tools: Read Write\n"),
        ".skills/convert/scripts/convert.py": "print()\n",
        ".skills/careful/SKILL.md": skill_md("careful", SKILLS["careful"], CAREFUL),
        "docs/a.md": "# A\n",
        "docs/b.md": "# B\n",
    }
    return bag(tmp_path / "w", SKILLS, {"CONTEXT.md": PROJECT_CONTEXT, "USER_CONTEXT.md": USER_CONTEXT, **skills})


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A workspace in which nothing is in the way."""
    text = skill_md("convert", "Converts files.", parameters("optional: [{name: languages}]"))
    skills = {"convert": "Converts files.", "greet": "Greets. #run/always"}
    return bag(tmp_path / "p", skills, {".skills/convert/SKILL.md": text})


def said(run: Run, root: Path, *arguments: object) -> dict[str, Any]:
    """What a command prints with `--json`, held to the schema."""
    outcome = run(*arguments, "--json", cwd=root)
    values: dict[str, Any] = json.loads(outcome.out)
    check(values)
    assert (values["command"], values["exit"]) == (arguments[0], outcome.code)
    return values


def check(values: object) -> None:
    """Hold a value to the schema; the mistake is told of the form that was meant."""
    error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(values))
    assert error is None, f"{error.json_path}: {error.message}"


def test_the_schema_is_one_and_knows_each_command() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert sorted(SCHEMA["oneOf"][-1]["properties"]["command"]["enum"]) == sorted(COMMANDS)


def objects(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)


def test_every_object_names_all_of_its_keys() -> None:
    for object_ in objects(SCHEMA):
        assert object_["additionalProperties"] is False
        assert set(object_["properties"]) - set(object_["required"]) <= {"trace"}


def test_entry(run: Run, rich: Path) -> None:
    first = said(run, rich, "enter", "--session", "s1", "--trace")
    assert (first["status"], first["exit"], first["install"]) == ("entered", 3, "skillbag install")
    assert {setting["kind"] for setting in first["settings"]} == {
        "parameter", "prohibited-value", "prohibited-skill", "tag", "winner", "override"
    }  # fmt: skip
    for key in ("read", "prose", "catalog", "order", "disabled", "always", "missing", "questions", "notes", "trace"):
        assert first[key], key
    assert said(run, rich, "enter", "--session", "s1")["status"] == "already"
    assert said(run, rich, "enter", "--session", "s1", "--again")["status"] == "again"


def test_entry_where_nothing_is_in_the_way(run: Run, plain: Path) -> None:
    values = said(run, plain, "enter", "--without", "convert")
    assert (values["exit"], values["questions"], values["missing"]) == (0, [], [])
    (plain / "CONTEXT.md").write_text(context("dependencies: [x]"), "utf-8")
    assert said(run, plain, "enter")["exit"] == 2


def test_inputs(run: Run, rich: Path) -> None:
    values = said(run, rich, "resolve", "convert", "--set", "format=html", "--set", "page-size=null", "--trace")
    assert [question["kind"] for question in values["questions"]] == ["ambiguous", "confirm", "confirm"]
    assert {item["level"] for item in values["parameters"]} > {"conversation", "user-context", "skill", None}
    assert any(item["dropped"] for parameter in values["parameters"] for item in parameter["hidden"])
    assert values["notes"]
    assert [question["kind"] for question in said(run, rich, "resolve", "careful")["questions"]] == [
        "missing",
        "confirm",
    ]
    arguments = ("--set", "input-path=docs/a.md", "--set", "title=A", "--set", "confirm=convert")
    assert said(run, rich, "resolve", "convert", *arguments)["ready"]
    needed = said(run, rich, "resolve", "convert", "--set", "format=html", "--prohibit", "page-size=A4")
    assert "condition" in [question["kind"] for question in needed["questions"]]
    invalid = said(run, rich, "resolve", "convert", *arguments, "--set", "format=odt", "--set", 'options={"a": [1]}')
    assert [question["candidates"] for question in invalid["questions"]] == [["pdf", "html"]]


def test_runs(run: Run, rich: Path, plain: Path) -> None:
    requested = said(run, rich, "run", "convert", "--trace")
    assert (requested["ready"], requested["instructions"]) == (False, "")
    assert {"dependency", "confirm"} <= {question["kind"] for question in requested["questions"]}
    said(run, rich, "enter", "--session", "s1")
    (rich / "CONTEXT.md").write_text(context("parameters: {convert: {title: B}}"), "utf-8")
    arguments = ("--set", "input-path=docs/a.md", "--set", "confirm=convert", "--set", "output-dir=out", "--incomplete")
    done = said(run, rich, "run", "convert", *arguments, "--session", "s1", "--trace")
    for key in ("instructions", "files", "companions", "remember", "pending", "trace"):
        assert done[key], key
    assert done["allowed_tools"] == "Read Write"
    assert said(run, plain, "run", "greet")["pending"] is None


def test_orders(run: Run, rich: Path) -> None:
    values = said(run, rich, "order", "convert", "--trace")
    assert {turn["phase"] for turn in values["order"]} == {"always", "chosen", "companion", "last"}
    assert values["disabled"]
    said(run, rich, "enter", "--session", "s1")
    assert said(run, rich, "order", "--without", "careful", "--session", "s1")["pending"]["nothing"] is True


def test_winners(run: Run, rich: Path) -> None:
    assert said(run, rich, "winner", "convert", "tidy", "--trace")["level"] == "context"
    preferred = said(run, rich, "winner", "convert", "tidy", "--prefer", "tidy")
    assert (preferred["level"], bool(preferred["hidden"])) == ("conversation", True)
    assert said(run, rich, "winner", "tidy", "check-links")["level"] == "alphabet"
    assert [question["kind"] for question in said(run, rich, "winner", "careful", "tidy")["questions"]] == ["winner"]


def test_refreshes(run: Run, plain: Path) -> None:
    said(run, plain, "enter", "--session", "s1")
    assert said(run, plain, "refresh", "--session", "s1", "--trace")["nothing"] is True
    write(plain, {"CONTEXT.md": "# Context\n", ".skills/new/SKILL.md": skill_md("new", "New. #run/always")})
    said(run, plain, "refresh", "--session", "s1")
    run("self", "sync", cwd=plain)
    changed = said(run, plain, "refresh", "--session", "s1", "convert")
    assert (changed["added"], changed["always"], "convert" in str(changed["read"])) == (["new"], ["new"], True)


def test_what_is_kept(run: Run, plain: Path) -> None:
    kept = said(run, plain, "remember", "language=en", "--trace")
    assert (kept["created"], kept["before"], kept["file"]) == (True, None, "USER_CONTEXT.md")
    assert said(run, plain, "remember", "languages=[de, 1, true]", "--skill", "convert")["skill"] == "convert"
    assert said(run, plain, "remember", "language=fr")["before"] == "en"
    gone = said(run, plain, "forget", "language")
    assert (gone["value"], gone["line"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("enter", "--session", " "), 2),
        (("resolve", "nothing"), 2),
        (("resolve", "convert", "--set", "x=1"), 2),
        (("run", "a_b-c"), 2),
        (("run", "convert", "--session", "unknown"), 2),
        (("order", "nothing"), 2),
        (("winner", "convert"), 2),
        (("refresh", "--session", "unknown"), 2),
        (("remember", "api-key=AKIA" + "Q7RT3VWX9YZ2B4CD"), 2),
        (("forget", "nothing"), 2),
        *(((command, *rest, "--workspace", "/nowhere"), 2) for command, rest in {
            "enter": (), "resolve": ("a",), "run": ("a",), "order": (), "winner": ("a", "b"), "refresh": (),
            "remember": ("a=b",), "forget": ("a",),
        }.items()),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_mistakes(arguments: tuple[str, ...], code: int, run: Run, plain: Path) -> None:
    values = said(run, plain, *arguments)
    assert (values["exit"], bool(values["error"])) == (code, True)
    assert "Q7RT3VWX9YZ2B4CD" not in json.dumps(values)


@pytest.mark.parametrize("change", ["drop", "add", "retype"])
def test_the_schema_refuses_what_deviates(change: str, run: Run, rich: Path) -> None:
    for command in ("enter", "resolve convert", "run convert", "order", "winner convert tidy"):
        arguments = command.split()
        values = said(run, rich, *arguments)
        for key in [*values] if change != "add" else ["surplus"]:
            changed = {**values, key: 4.5}
            if change == "drop":
                del changed[key]
            assert list(VALIDATOR.iter_errors(changed)), (arguments[0], key)
