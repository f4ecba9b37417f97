"""Blocks that commands refuse or ignore are findings of `check`: both read the same blocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.support import Run, Tree, skill

REFUSED = [
    "overrides: 3",
    "overrides: {aa: 3}",
    "overrides: {aa: {}}",
    "overrides: {aa: {sauce: x}}",
    'overrides: {aa: {version: "v\\n1"}}',
    "prohibit: {skills: aa}",
    "prohibit: {skills: [[aa]]}",
    "prohibit: {skills: [A_a]}",
    "prohibit: [aa]",
    "prohibit: {skill: [aa]}",
    'dependencies: [{name: aa, version: "v\\n1", source: https://example.com/x.git}]',
    "x: {dependencies: [}",
    "  tags: [",
]


def workspace(tree: Tree, context: str, body: str = "Do it.\n") -> Path:
    return tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            "CONTEXT.md": context,
            ".skills/SKILLS.md": "tidy: Tidy a folder. Use when files lie about.\n",
            ".skills/tidy/SKILL.md": skill("tidy") + f"\n{body}",
        }
    )


def rules(run: Run, root: Path, level: str = "") -> set[str]:
    outcome = run("check", "--format", "json", "--ignore", "bootstrap-missing", cwd=root)
    return {finding["rule"] for finding in json.loads(outcome.out)["findings"] if level in finding["level"]}


@each_row("yaml", REFUSED)
def test_an_entry_that_a_session_refuses_is_an_error(tree: Tree, run: Run, yaml: str) -> None:
    root = workspace(tree, f"# Context\n\n```yaml\n{yaml}\n```\n")
    assert run("enter", cwd=root).code == 2
    assert rules(run, root, "error")


@each_row("file", ["CONTEXT.md", "USER_CONTEXT.md"])
@each_row(
    "values",
    [
        "{skillbag-get-skills: {destination: /tmp/x}}",
        "{skillbag-get-skills: {upgrade: maybe}}",
        "{skillbag-get-skills: {skills: 3}}",
        "{skillbag-get-skills: {skills: [{name: b, version: 1.10}]}}",
        "{'*': {destination: vendor/}}",
    ],
)
def test_a_value_that_an_installation_refuses_is_an_error(tree: Tree, run: Run, values: str, file: str) -> None:
    root = workspace(tree, "")
    (root / file).write_text(f"```yaml\nparameters: {values}\n```\n", "utf-8")
    outcome = run("install", cwd=root)
    assert outcome.code == 2
    assert f"{file}:2" in outcome.err
    found = json.loads(run("check", "--select", "setting-invalid", "--format", "json", cwd=root).out)["findings"]
    assert [(item["path"], item["line"], item["level"]) for item in found] == [(file, 2, "error")]


@pytest.mark.parametrize(
    "values",
    [
        "{skillbag-get-skills: {destination: .skills/, upgrade: true, skills: [b, {name: c, version: v1}]}}",
        "{skillbag-get-skills: {destination: ~, upgrade: , skills: []}}",
        "{'*': {destination: vendor/}, skillbag-get-skills: {destination: .skills}}",
        "{skillbag-get-skills: {destination: .skills}, '*': {destination: vendor/}}",
        "{tidy: {destination: vendor/, upgrade: maybe, skills: 3}}",
    ],
)
def test_values_of_the_reserved_skill_that_can_be_met_are_no_finding(tree: Tree, run: Run, values: str) -> None:
    root = workspace(tree, f"```yaml\nparameters: {values}\n```\n")
    assert "setting-invalid" not in rules(run, root)


@pytest.mark.parametrize("yaml", ["overrides: [{files: x}]\nrules: {}", "overrides: {left-pad: 1.0}\nname: app"])
def test_overrides_of_other_tools_are_ignored_by_both(tree: Tree, run: Run, yaml: str) -> None:
    root = workspace(tree, f"```yaml\n{yaml}\n```\n")
    assert run("enter", cwd=root).code == 0
    assert rules(run, root) == set()


DECLARED = """dependencies:
  - name: tidy
    version: main
    source: https://example.com/tidy.git
"""


@pytest.mark.parametrize("mark", ["> ", "- > ", "> > "])
def test_a_block_in_a_quotation_is_a_finding_and_refused(tree: Tree, run: Run, mark: str) -> None:
    lines = ["```yaml", *DECLARED.splitlines(), "```"]
    quoted = [mark + lines[0], *(mark.replace("-", " ") + line for line in lines[1:])]
    root = workspace(tree, "\n".join(quoted) + "\n")
    assert rules(run, root, "error") == {"context-block-invalid"}
    outcome = run("enter", cwd=root)
    assert outcome.code == 2
    assert "it is in a quotation" in outcome.err


BROKEN = (
    "prohibit:\n  skills: [draw",
    "prohibit:\n\tskills: [draw]",
    "prohibit:\n  skills: [draw]\n skills: [x]",
    "overrides:\n  tidy: {version: v1",
    "dependencies:\n  - name: tidy\n  source: x\n version: y",
    "conflict-resolution:\n  - skills: [a, b\n    winner: a",
    "parameters:\n  tidy:\n    folder: [a",
    "tags:\n  tidy: {add: [run/first}",
)
SHAPELESS = (
    "dependencies:\n  name: x",
    "dependencies: [",
    "dependencies:\n  - numpy: [",
    "dependencies:\n- source: https://example.com/x.git",
    "dependencies: {tidy: v1}",
    "overrides: [",
    "overrides:\n  - name: x",
    "overrides: v1",
    '"overrides": [',
    'parameters:\n  "*": [',
    "parameters:\n  - x",
    "parameters:\n  tidy: pdf",
    "prohibit: [",
    "prohibit: draw",
    "prohibit: {{ everything }}",
    "tags:\n  - a: [",
    'tags: ["#run/last"]',
    "conflict-resolution: {winner",
    "conflict-resolution:\n  winner: a",
)
UNFENCED = {
    "setting-unfenced": (
        f"```\n{DECLARED}```\n",
        DECLARED,
        f"Text.\n\n{DECLARED}\nMore text.\n",
        "".join(f"    {line}\n" for line in DECLARED.splitlines()),
        "~~~\nprohibit: {skills: [aa]}\n~~~\n",
        "overrides: {tidy: {version: v1}}\n",
        "conflict-resolution:\n- skills: [a, b]\n  winner: a\n",
        DECLARED.replace("\n", "\r\n"),
        f"```{{.yaml}}\n{DECLARED}```\n",
        *(f"```\n{broken}\n```\n" for broken in BROKEN),
        *(f"```\n{shapeless}\n```\n" for shapeless in SHAPELESS),
        "```{.yaml}\n\nprohibit: [\n```\n",
        "- Ours:\n\n  ```\n  overrides: [\n  ```\n",
        "```\ntags: []\nprohibit: [\n```\n",
        f"~~~\n{BROKEN[0]}\n~~~\n",
        f"```yaml,linenos\n{BROKEN[0]}\n```\n",
        f"{BROKEN[0]}\n".join(("```\n", "```\n")).replace("\n", "\r\n"),
        f"```\nwords: [\n{DECLARED}```\n",
    ),
    "declaration-unfenced": (
        "## Parameters\n\n```\nrequired:\n  - name: folder\n   default: [\n```\n",
        "## Dependencies\n\n```\ndependencies:\n\t- name: write\n```\n",
        "## Parameters\n\n```\nrequired:\n  - name: folder\n```\n",
        "## Parameters\n\nrequired:\n- name: folder\noptional:\n- name: order\n  default: kind\n",
        "## Dependencies\n\ndependencies:\n  - name: write\n",
        "## Dependencies\n\n```\ndependencies: [{name: write}]\n```\n",
    ),
    "": (
        "dependencies: see the wiki\n",
        "dependencies:\n- numpy\n- pandas\n",
        "Our dependencies:\n\n- name it\n",
        "tags: a, b\n",
        f"<!--\n{DECLARED}-->\n",
        f"```text\n{DECLARED}```\n",
        "parameters: {image: {type: string}}\n",
        "```\nparameters:\n  image: {type: string\n```\n",
        "```\nparameters:\n  image: {type: string}\n```\n",
        "```\nname: app\ndependencies:\n  - numpy: [\n```\n",
        "```\ndependencies: [numpy\nchannels: [conda-forge]\n```\n",
        "```\ndependencies:\n- numpy\n- pandas=2.0\n```\n",
        "```\ndependencies: see the [wiki\n```\n",
        "```\n$ list\ndependencies: [\n```\n",
        "```\ndependencies:\n  - python >= 3.9  # or later\n  - pip:\n    - numpy\n```\n",
        "```\ntags: a, b\n```\n",
        "```\ntags: [a, b]\n```\n",
        "```\ndependencies:\ntags: {}\nprohibit: []\noverrides: ~\n```\n",
        "```text\nprohibit: [\n```\n",
    ),
}


@each_row(("rule", "text"), [(rule, text) for rule, texts in UNFENCED.items() for text in texts])
def test_declarations_outside_of_yaml_blocks(tree: Tree, run: Run, rule: str, text: str) -> None:
    in_skill = rule == "declaration-unfenced"
    root = workspace(tree, "", text) if in_skill else workspace(tree, text)
    assert rules(run, root) == ({rule} if rule else set())


@pytest.mark.parametrize(
    "block", ["[", "- x", "- name: x", "{", "plain: {x: [}\nrequired: [", "parameters: {required: [{name: x}]}"]
)
def test_a_block_of_parameters_in_no_shape_is_an_error_and_refused(tree: Tree, run: Run, block: str) -> None:
    root = workspace(tree, "", f"## Parameters\n\n```yaml\n{block}\n```\n")
    assert rules(run, root, "error") == {"parameter-invalid"}
    assert run("run", "tidy", cwd=root).code == 2


@pytest.mark.parametrize("name", ["awesome-skills", "agent-skills-superpowers", "signed-skills", "skillbag-utils"])
def test_published_skills_have_no_such_block_or_password(corpus: Callable[[str], Path], run: Run, name: str) -> None:
    root = corpus(name)
    if (root / "skills").is_dir():
        # As a source, so that the rules hold which plain trees are not held to.
        (root / "skills").rename(root / ".skills")
        (root / "AGENTS.md").write_text("A SKILLBAG source. Its skills live under .skills/.\n", "utf-8")
    rules = "parameter-invalid,declaration-unfenced,secret"
    value = json.loads(run("check", "--format", "json", "--select", rules, root).out)
    assert value["summary"]["skills"] >= 3
    # Some hold keys that look like real ones, but none a password in an address.
    assert not [
        finding for finding in value["findings"] if finding["rule"] != "secret" or "Basic Auth" in finding["message"]
    ]
