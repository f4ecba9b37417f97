"""What context files and skills declare, and what is said of declarations that can't be used."""

from __future__ import annotations

import pytest

from skillbag.kernel.standard.declarations import (
    BadContextError,
    Declarations,
    Level,
    Override,
    Place,
    read_declarations,
    skill_wants,
)
from skillbag.kernel.workspace.model import Workspace, take_inventory
from skillbag.kernel.workspace.target import TargetKind, installed
from tests.rows import each_row
from tests.support import Tree, skill

REPO = "https://example.com/org/repo.git"
DEPENDENCIES = f"""# Project

```yaml
dependencies:
  - name: one # first
    version: 1.0
    source: {REPO}
  - {{name: two, version: main, source: ../two, required: false}}
```

Prose between them.

~~~yml
parameters: {{one: {{a: b}}}}
dependencies:
  - name: three
    version: "v3"
    source: 'git@example.com:org/three.git'
~~~
"""


def declared(tree: Tree, context: str = "", user: str = "") -> Declarations:
    root = tree({"SKILLBAG.md": "# SkillBag v0.3.0\n", "CONTEXT.md": context, "USER_CONTEXT.md": user})
    return read_declarations(Workspace(installed(TargetKind.WORKSPACE, str(root))))


def fenced(yaml: str) -> str:
    return f"```yaml\n{yaml}\n```\n"


def test_dependencies_come_from_all_blocks_in_order_with_their_places(tree: Tree) -> None:
    found = declared(tree, DEPENDENCIES).dependencies
    assert [(item.name, item.source, item.version, item.required, str(item.place)) for item in found] == [
        ("one", REPO, "1.0", True, "CONTEXT.md:5"),
        ("two", "../two", "main", False, "CONTEXT.md:8"),
        ("three", "git@example.com:org/three.git", "v3", True, "CONTEXT.md:16"),
    ]


def test_a_workspace_without_context_declares_nothing(tree: Tree) -> None:
    root = tree({"SKILLBAG.md": "# SkillBag v0.3.0\n"})
    assert read_declarations(Workspace(installed(TargetKind.WORKSPACE, str(root)))) == Declarations((), {}, {})


def test_dependencies_of_the_users_context_and_of_other_tools_are_none(tree: Tree) -> None:
    conda = "name: env\nchannels: [main]\ndependencies:\n  - numpy\n"
    assert declared(tree, fenced(conda), DEPENDENCIES).dependencies == ()


def test_the_users_override_beats_the_projects_and_the_last_of_a_file_beats_those_before(tree: Tree) -> None:
    project = fenced("overrides:\n  one: {version: v1}\n  two: {version: v1}") + fenced(
        "overrides:\n  one: {version: v2}"
    )
    user = fenced("overrides:\n  two:\n    source: ../mine\n")
    assert declared(tree, project, user).overrides == {
        "one": Override("one", None, "v2", Place("CONTEXT.md", 8)),
        "two": Override("two", "../mine", None, Place("USER_CONTEXT.md", 3)),
    }


def test_overrides_of_a_package_manager_are_none_of_ours(tree: Tree) -> None:
    assert declared(tree, fenced("packages: [a]\noverrides:\n  Foo: ^1.0.0")).overrides == {}


def test_a_prohibition_binds_lower_levels_alone(tree: Tree) -> None:
    found = declared(
        tree, fenced("prohibit: {skills: [one, both]}"), fenced("prohibit:\n  skills:\n    - both\n    - two")
    )
    bound = {
        name: [
            str(one.place) if (one := found.prohibits(name, level)) else None
            for level in (Level.CONVERSATION, Level.USER_CONTEXT, Level.CONTEXT, Level.SKILL)
        ]
        for name in ("one", "both", "two", "three")
    }
    assert bound == {
        "one": [None, None, None, "CONTEXT.md:2"],
        "both": [None, None, "USER_CONTEXT.md:4", "USER_CONTEXT.md:4"],
        "two": [None, None, "USER_CONTEXT.md:5", "USER_CONTEXT.md:5"],
        "three": [None, None, None, None],
    }


def test_a_later_block_takes_no_prohibition_back(tree: Tree) -> None:
    found = declared(tree, fenced("prohibit: {skills: [one]}") + fenced("prohibit: {skills: []}"))
    assert found.prohibits("one", Level.SKILL)


SOUND = f"- {{name: one, version: v1, source: {REPO}}}"
MALFORMED = {
    "dependencies:\n  one: v1": "CONTEXT.md:3: `dependencies` is a mapping, not a list; write `- {name: a-skill",
    "dependencies: [one]\nparameters: {one: {a: b}}": "CONTEXT.md:2: an item is text, not a mapping with `name`",
    "dependencies: [one]": "CONTEXT.md:2: an item is text, not a mapping with `name`, `version` and `source`",
    f"dependencies:\n- {{name: one, source: {REPO}}}": "CONTEXT.md:3: a dependency has no `version`; write `- {name",
    "dependencies:\n- {name: one, version: v1}": "CONTEXT.md:3: a dependency has no `source`; write",
    "dependencies:\n- {name: one, version: v1, source: [a]}": "CONTEXT.md:3: the `source` of a dependency is a list",
    f"dependencies:\n- name: one\n  version: ''\n  source: {REPO}": "CONTEXT.md:4: the `version` of a dependency is",
    f"dependencies:\n- {{name: Two_Words, version: v1, source: {REPO}}}": (
        "CONTEXT.md:3: `Two_Words` is not a skill's name in its canonical form; write `two-words`"
    ),
    f"dependencies:\n- {{name: ../one, version: v1, source: {REPO}}}": "CONTEXT.md:3: `../one` is not a skill's name",
    f'dependencies:\n- {{name: one, version: "v\\n1", source: {REPO}}}': "CONTEXT.md:3: the `version` has a control",
    "dependencies: [": "CONTEXT.md:2: the block is not valid YAML: ",
    f"dependencies:\n{SOUND}\ndependencies: []": "CONTEXT.md:2: the block is not valid YAML: the key 'dep",
    "overrides: [one]": "CONTEXT.md:2: `overrides` is a list, not a mapping of skills; write `overrides: {a-skill",
    "overrides: {one: v1}": "CONTEXT.md:2: the override of `one` gives no `source` or `version`; write",
    "overrides:\n  one: {}": "CONTEXT.md:3: the override of `one` gives no",
    "overrides: {One: {version: v1}}": "CONTEXT.md:2: `One` is not a skill's name in its canonical form; write `one`",
    "overrides: {one: {verison: v1}}": "CONTEXT.md:2: an override has no `verison`, only `source` and `version`",
    "overrides: {one: {version: [v1]}}": "CONTEXT.md:2: the `version` of an override is not text",
    'overrides: {one: {source: "a\\0b"}}': "CONTEXT.md:2: the `source` has a control character",
    "prohibit: [one]": "CONTEXT.md:2: `prohibit` is a list, not a mapping; write `prohibit: {skills: [a-skill",
    "prohibit: {skills: one}": "CONTEXT.md:2: `skills` is text, not a list of names; write `prohibit",
    "prohibit: {skills: [[one]]}": "CONTEXT.md:2: an item of `skills` is a list, not a name; write",
    "prohibit: {skills: [O n e]}": "CONTEXT.md:2: `O n e` is not a skill's name in its canonical form; write `o-n-e`",
    "prohibit: {skills: [é]}": "CONTEXT.md:2: `é` is not a skill's name in its canonical form; use a-z",
}


@each_row("yaml", MALFORMED)
def test_a_malformed_declaration_is_refused_with_its_line_and_what_to_write(tree: Tree, yaml: str) -> None:
    with pytest.raises(BadContextError) as error:
        declared(tree, fenced(yaml))
    assert str(error.value).startswith(MALFORMED[yaml])
    assert "\n" not in str(error.value)


def test_all_faults_are_reported_at_once(tree: Tree) -> None:
    context = fenced("dependencies: [one]") + fenced("prohibit: [one]")
    with pytest.raises(BadContextError) as error:
        declared(tree, context, fenced("overrides: [one]"))
    places = [line.split(": ")[0] for line in str(error.value).splitlines()]
    assert places == ["CONTEXT.md:2", "CONTEXT.md:5", "USER_CONTEXT.md:2"]


def test_empty_and_foreign_values_declare_nothing(tree: Tree) -> None:
    for yaml in (
        "dependencies:",
        "overrides: ''",
        "prohibit:",
        "prohibit: {skills: }",
        "prohibit: {parameters: {a: [b]}}",
    ):
        assert declared(tree, fenced(yaml)) == Declarations((), {}, {})
    assert declared(tree, fenced("steps: [")) == Declarations((), {}, {})
    assert declared(tree, "dependencies: [one]\n\n```json\n{'overrides': [\n```\n") == Declarations((), {}, {})


def test_a_context_that_cannot_be_read_is_refused_since_it_may_forbid_something(tree: Tree) -> None:
    root = tree({"SKILLBAG.md": "# SkillBag v0.3.0\n"})
    (root / "USER_CONTEXT.md").write_bytes(b"a\n\xff")
    with pytest.raises(BadContextError, match=r"^USER_CONTEXT.md:2: .*it may forbid"):
        read_declarations(Workspace(installed(TargetKind.WORKSPACE, str(root))))


def test_a_skill_requires_the_dependencies_of_front_matter_and_blocks(tree: Tree) -> None:
    listed = f"dependencies:\n  - name: one\n  - {{name: two, source: {REPO}, required: no}}\n"
    front = f"---\nname: a\ndescription: A.\n{listed}---\n"
    block = "\n## Dependencies\n\n```yaml\n- name: three\n  version: v3\n- name: ../four\n- name: Five\n- six\n```\n"
    root = tree({"SKILLBAG.md": "", ".skills/a/SKILL.md": front + block, ".skills/b/SKILL.md": skill("b")})
    cards = take_inventory(Workspace(installed(TargetKind.WORKSPACE, str(root)))).by_folder
    assert [(*skill_want[:4], str(skill_want.place)) for skill_want in skill_wants(cards["a"])] == [
        ("one", None, None, True, ".skills/a/SKILL.md:5"),
        ("two", REPO, None, False, ".skills/a/SKILL.md:6"),
        ("three", None, "v3", True, ".skills/a/SKILL.md:12"),
    ]
    assert skill_wants(cards["b"]) == ()
