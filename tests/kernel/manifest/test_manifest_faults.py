"""Each error of a manifest has the specified message and its place; all of them are told at once."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.manifest.shapes import MAX_FAULTS
from tests.kernel.manifest.manifests import FILES, FULL, PLAIN, messages, read
from tests.rows import each_row

REQUIRED = "name: tidy\nversion: 1.0.0\ndescription: Tidies up.\ntypes: [prompt]\n"
TOOL = "name: tidy\nversion: 1.0.0\ndescription: Tidies up.\ntypes: [tool]\n"
NAME = "(must match ^[a-z][a-z0-9]*(-[a-z0-9]+)*$)"
STEERING = "(must be a name, or a path from the workspace, without blanks and wildcards)"

VALIDATED = [
    ("{}", "name is required"),
    ("version: 1.0.0\ndescription: d\ntypes: [prompt]\n", "name is required"),
    ("name:\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\n", "name is required"),
    (REQUIRED.replace("tidy", "x" * 129), "name exceeds maximum length (129 > 128)"),
    (REQUIRED.replace("tidy", "Tidy_Up"), f'invalid name "Tidy_Up" {NAME}'),
    (REQUIRED.replace("tidy", '"a\\u001b[0m"'), f'invalid name "a\ufffd[0m" {NAME}'),
    (REQUIRED.replace("version: 1.0.0", "version:"), "version is required"),
    (REQUIRED.replace("1.0.0", "1.0.0.0"), 'invalid version "1.0.0.0"'),
    (REQUIRED.replace("1.0.0", "01.0.0"), 'invalid version "01.0.0"'),
    (REQUIRED.replace("1.0.0", "1.0"), "version must be text, not a number: put it in quotes"),
    (REQUIRED.replace("Tidies up.", "' '"), "description is required"),
    (REQUIRED.replace("Tidies up.", "x" * 1025), "description exceeds maximum length (1025 > 1024)"),
    (REQUIRED.replace("[prompt]", "[]"), "types is required (at least one skill type)"),
    (REQUIRED.replace("[prompt]", "[prompt, magic]"), 'unknown skill type "magic"'),
    (REQUIRED.replace("[prompt]", "[prompt, prompt]"), 'duplicate skill type "prompt"'),
    (REQUIRED.replace("[prompt]", "prompt"), "types must be a list, not text"),
    (REQUIRED + "category: cooking\n", 'invalid category "cooking"'),
    (REQUIRED + "triggers: {files: ['']}\n", "triggers.files[0] is empty"),
    (REQUIRED + "triggers: {keywords: [a, ' ']}\n", "triggers.keywords[1] is empty"),
    (REQUIRED + "triggers: [a]\n", "triggers must be a mapping, not a list"),
    (REQUIRED + "permissions: [file:eat]\n", 'unknown permission "file:eat"'),
    (REQUIRED + "permissions: [file:read, file:read]\n", 'duplicate permission "file:read"'),
    *(
        (REQUIRED + f"steering_files: ['{path}']\n", f'invalid steering file "{path}" {STEERING}')
        for path in (
            "/AGENTS.md",
            "../x",
            "a/../b",
            "./a",
            "..",
            ".",
            "/",
            "*.md",
            "a?",
            "a//b",
            "C:\\x",
            "a, b",
            "a b",
        )
    ),
    (REQUIRED + f"steering_files: [{'x' * 201}]\n", "steering_files[0] exceeds maximum length (201 > 200)"),
    (REQUIRED + "dependencies: [{name: A}]\n", 'invalid dependency name "A"'),
    (REQUIRED + "dependencies: [{version: 1.0.0}]\n", 'invalid dependency name ""'),
    (REQUIRED + "dependencies: [{name: a, version: newest}]\n", 'invalid version range "newest"'),
    (REQUIRED + "dependencies: [{name: tidy}]\n", 'skill "tidy" depends on itself'),
    (REQUIRED + "dependencies: [{name: a}, {name: a}]\n", 'duplicate dependency "a"'),
    (REQUIRED + "priority: high\n", "priority must be a whole number, not text"),
    (REQUIRED + "priority: 1.5\n", "priority must be a whole number, not a number"),
    (REQUIRED + "priority: 9999999999\n", "priority must be from -2147483647 up to 2147483647"),
    (REQUIRED + "execution_mode: spoon\n", 'unknown execution_mode "spoon" (must be inline or fork)'),
    (
        REQUIRED.replace("prompt", "security-rule")
        + "execution_mode: fork\nsecurity_rules: {sast_rules_file: SKILL.yaml}\n",
        "execution_mode fork is for the skill types prompt and tool alone",
    ),
    (TOOL + "implementation: {backend: lua, entrypoint: a}\n", 'unknown backend "lua"'),
    (TOOL + "implementation: {backend: process}\n", "implementation.entrypoint is required when backend is specified"),
    (TOOL, 'implementation.backend is required for non-prompt skill type "tool"'),
    (
        REQUIRED.replace("prompt", "security-rule")
        + "security_rules: {sast_rules_file: SKILL.yaml, scanners: [{name: a, entrypoint: SKILL.yaml}]}\n",
        'implementation.backend is required for non-prompt skill type "security-rule"',
    ),
    (TOOL + "implementation: {entrypoint: a}\n", 'implementation.backend is required for non-prompt skill type "tool"'),
    (REQUIRED + "implementation: {entrypoint: a}\n", "implementation.backend is required"),
    (
        TOOL + "implementation: {backend: process, entrypoint: sh, timeout: 0}\n",
        "implementation.timeout must be greater than 0 and up to 2147483647",
    ),
    (
        TOOL + "implementation: {backend: process, entrypoint: sh, timeout: .inf}\n",
        "implementation.timeout must be greater than 0 and up to 2147483647",
    ),
    (
        TOOL + "implementation: {backend: process, entrypoint: sh, limits: {cpu_s: 0}}\n",
        "implementation.limits.cpu_s must be from 1 up to 2147483647",
    ),
    (
        TOOL + "implementation: {backend: plugin, entrypoint: 'a:b:c'}\n",
        'invalid entrypoint "a:b:c" (must be a file of the skill, or module:NAME)',
    ),
    (REQUIRED + "tools: [{name: 1st}]\n", 'invalid tool name "1st" (must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$)'),
    (REQUIRED + "tools: [{description: d}]\n", "tool name is required"),
    (REQUIRED + "tools: [{name: a}, {name: a}]\n", 'duplicate tool name "a"'),
    (
        REQUIRED + "tools: [{name: a, requires_approval: 1}]\n",
        "tools[0].requires_approval must be true or false, not a number",
    ),
    (REQUIRED + "commands: [{description: d}]\n", "command name is required"),
    (REQUIRED + "commands: [{name: a}, {name: a}]\n", 'duplicate command name "a"'),
    (REQUIRED + "commands: [{name: a, arguments: [{}]}]\n", "command argument name is required"),
    (REQUIRED + "agents: [{}]\n", "agent name is required"),
    (REQUIRED + "security_rules: {scanners: [{entrypoint: SKILL.yaml}]}\n", "scanner name is required"),
    (REQUIRED + "security_rules: {scanners: [{name: a}]}\n", "scanner entrypoint is required"),
    (REQUIRED + "wiki: {sections: [{}]}\n", "wiki section title is required"),
    (REQUIRED + "wiki: {diagrams: [{}]}\n", "wiki diagram type is required"),
    (REQUIRED + "compatibility: {platforms: [plan9]}\n", 'unknown platform "plan9"'),
    (REQUIRED + "compatibility: {agent_version: new}\n", 'invalid version range "new"'),
    (REQUIRED + "author:\n", "author is empty: give it a value, or leave it out"),
    (REQUIRED + "author: 7\n", "author must be text, not a number: put it in quotes"),
    (REQUIRED + "author: [Ada]\n", "author must be text, not a list"),
    (REQUIRED + f"tags: [{'a,' * 256}a]\n", "tags has more than 256 entries"),
]

PARSED = [
    ("", "the manifest is empty", (1, 1)),
    ("# nothing\n", "the manifest is empty", (1, 1)),
    ("- a\n", "the manifest is not a list of `key: value`", (1, 1)),
    ("name: a\nname: b\n", "the key 'name' is given twice", (2, 1)),
    ("name: &a b\n", "an anchor (`&name`) is not allowed; quote the value if `&` is part of it", (1, 7)),
    ("name: a\n---\nname: b\n", "a second document begins here, and only one is read", (2, 1)),
    ("name: [a\n", "did not find expected ',' or ']'", (1, 7)),
    (b"name: \xff\n", "byte 0xff is not UTF-8", (1, 7)),
    (b"name: a\0\n", "it holds a NUL character, so it is not text", (1, 8)),
    (REQUIRED + "#" * 256 * 1024, "the manifest is larger than 256 KiB", (1, 1)),
    ("a: " + "[" * 200 + "]" * 200, "values are nested more than 100 levels deep", (1, 102)),
]


@each_row(("text", "message"), VALIDATED)
def test_an_error_has_its_message(text: str, message: str, tmp_path: Path) -> None:
    found = read(tmp_path, text)
    assert f"manifest validation: {message}" in messages(found)
    assert found.manifest is None
    if text != "{}":
        assert len(found.faults) == 1, messages(found)


@each_row(("text", "message", "place"), PARSED)
def test_a_manifest_that_cannot_be_parsed(
    text: str | bytes, message: str, place: tuple[int, int], tmp_path: Path
) -> None:
    found = read(tmp_path, text)
    (fault,) = found.faults
    assert fault.text.startswith(f"parse manifest: {message}")
    assert fault.position == place
    assert found.manifest is None
    assert found.mapping is None


def test_all_faults_are_told_by_place(tmp_path: Path) -> None:
    text = "name: Tidy\nversion: one\npermissions:\n  - file:read\n  - file:eat\ntypes: [magic]\ntool: []\nmoods: []\n"
    found = read(tmp_path, text)
    assert [(fault.position, fault.message.split(" (")[0], fault.where) for fault in found.faults] == [
        ((1, 1), "description is required", "description"),
        ((1, 7), 'invalid name "Tidy"', "name"),
        ((2, 10), 'invalid version "one"', "version"),
        ((5, 5), 'unknown permission "file:eat"', "permissions[1]"),
        ((6, 9), 'unknown skill type "magic"', "types[0]"),
        ((7, 1), 'unknown key "tool"; did you mean tools?', "tool"),
        ((8, 1), 'unknown key "moods"', "moods"),
    ]
    assert [fault.suggestion for fault in found.faults if fault.suggestion] == ["tools"]
    document = found.document
    assert document is not None
    invalid = found.faults[1]
    assert document.text[invalid.start : invalid.end] == "Tidy"


def test_an_unknown_key_is_a_remark(tmp_path: Path) -> None:
    found = read(tmp_path, {**PLAIN, "trigers": {}, "prompt": {"max_tokens": 3}})
    assert messages(found) == [
        'remark: manifest validation: unknown key "trigers"; did you mean triggers?',
        'remark: manifest validation: unknown key "prompt.max_tokens"',
    ]
    assert found.manifest is not None
    assert found.manifest.name == "tidy"


def test_every_field_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, FULL, *FILES)
    assert messages(found) == []
    assert plain(found.manifest) == FULL


def plain(value: object) -> object:
    """A manifest as the data that it was read from."""
    if hasattr(value, "_asdict"):
        return {key: plain(inner) for key, inner in value._asdict().items()}
    if isinstance(value, tuple):
        return [plain(inner) for inner in value]
    return str(value) if isinstance(value, str) else value


def test_a_flood_of_faults_is_cut_off(tmp_path: Path) -> None:
    found = read(tmp_path, REQUIRED + "".join(f"k{number}: 1\n" for number in range(20_000)))
    assert len(found.faults) == MAX_FAULTS


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "SKILL.yaml").write_text(REQUIRED, "utf-8")
    inside = tmp_path / "tree"
    inside.mkdir()
    (inside / "SKILL.yaml").symlink_to("../SKILL.yaml")
    from skillbag.kernel.manifest.reader import read_manifest

    found = read_manifest(str(inside), str(inside))
    assert messages(found) == ["parse manifest: it is a link that leaves the tree"]
    assert messages(read_manifest(str(tmp_path / "none"), str(tmp_path))) == ["parse manifest: there is no such file"]
