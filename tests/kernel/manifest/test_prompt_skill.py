"""A folder with a `SKILL.md` is a prompt skill; with both files each counts for its part."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.manifest.prompt_skill import prompt_manifest
from skillbag.kernel.manifest.reader import ManifestFile
from tests.kernel.manifest.manifests import PLAIN, messages, read
from tests.rows import each_row

BODY = "\n# Tidy\n\nSort the files.\n"


def prompt(folder: Path, front: str) -> ManifestFile:
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\n{front}---\n{BODY}", "utf-8")
    return prompt_manifest(str(folder), str(folder))


def test_a_plain_skill_has_a_manifest(tmp_path: Path) -> None:
    found = prompt(tmp_path, "name: 3d-print\ndescription: >\n  Prints\n  things.\nlicense: MIT\n")
    assert messages(found) == []
    assert found.instructions == BODY
    manifest = found.manifest
    assert manifest is not None
    assert (manifest.name, manifest.version, manifest.description) == ("3d-print", "0.0.0", "Prints things.")
    assert manifest.types == ("prompt",)
    assert manifest.implementation is None


def test_what_counts_of_the_front_matter(tmp_path: Path) -> None:
    (tmp_path / "more.md").write_text("More.", "utf-8")
    front = (
        "name: tidy\ndescription: Tidies.\nversion: 1.2.3\n"
        "triggers: {keywords: [mess]}\npermissions: [file:read]\npriority: 5\n"
        "tools_allow: [a]\ntools_deny: [b]\nreferences: [{path: more.md}]\n"
        "commands: [{name: tidy}]\nagents: [{name: helper}]\n"
        "types: [tool]\nimplementation: {backend: starlark, entrypoint: more.md}\n"
    )
    manifest = prompt(tmp_path, front).manifest
    assert manifest is not None
    assert (manifest.version, manifest.triggers.keywords, manifest.permissions) == ("1.2.3", ("mess",), ("file:read",))
    assert (manifest.priority, manifest.tools_allow, manifest.tools_deny) == (5, ("a",), ("b",))
    assert [reference.path for reference in manifest.references] == ["more.md"]
    assert [command.name for command in manifest.commands] == ["tidy"]
    assert [agent.name for agent in manifest.agents] == ["helper"]
    assert manifest.types == ("prompt",)
    assert manifest.implementation is None


@each_row(
    ("line", "message"),
    [
        ("triggers: [git]", "triggers must be a mapping, not a list"),
        ("permissions: [file:read, all]", 'unknown permission "all"'),
        ("priority: high", "priority must be a whole number, not text"),
        ("version: 2", 'invalid version "2"; 0.0.0 is taken for it'),
        ("references: [{path: ../x.md}]", 'references[0].path: "../x.md" leads out of its folder with ..'),
        ("agents: {a: b}", "agents must be a list, not a mapping"),
    ],
)
def test_what_other_programs_mean_is_a_remark_and_does_not_count(line: str, message: str, tmp_path: Path) -> None:
    found = prompt(tmp_path, f"name: tidy\ndescription: Tidies.\n{line}\n")
    assert messages(found) == [f"remark: manifest validation: {message}"]
    manifest = found.manifest
    assert manifest is not None
    assert set(manifest.permissions) <= {"file:read"}
    assert (manifest.references, manifest.agents, manifest.priority) == ((), (), 0)
    assert manifest.version == "0.0.0"


@each_row(
    ("front", "message"),
    [
        ("description: Tidies.\n", "manifest validation: name is required"),
        ("name: tidy\n", "manifest validation: description is required"),
        ("name: ../x\ndescription: Tidies.\n", 'manifest validation: invalid name "../x"'),
        ("name: [\n", "parse manifest: did not find expected"),
    ],
)
def test_without_a_name_or_a_description_it_is_none(front: str, message: str, tmp_path: Path) -> None:
    found = prompt(tmp_path, front)
    assert found.manifest is None
    assert len(found.errors) == 1
    assert found.errors[0].text.startswith(message)


def test_a_skill_without_front_matter_or_file(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("# Tidy\n", "utf-8")
    assert prompt_manifest(str(tmp_path), str(tmp_path)).manifest is None
    assert prompt_manifest(str(tmp_path / "none"), str(tmp_path)).manifest is None


def test_with_both_files_the_prompt_is_the_body_of_the_skill_file(tmp_path: Path) -> None:
    prompt(tmp_path, "name: tidy\ndescription: Tidies up.\npriority: 5\n")
    found = read(tmp_path, PLAIN)
    assert found.instructions == BODY
    assert found.manifest is not None
    assert found.manifest.priority == 0
    (tmp_path / "prompt.md").write_text("Tidy.", "utf-8")
    assert read(tmp_path, {**PLAIN, "prompt": {"system_prompt_file": "prompt.md"}}).instructions == ""


def test_both_files_have_the_same_name_and_description(tmp_path: Path) -> None:
    prompt(tmp_path, "name: tidy-up\ndescription: >\n  Tidies\n  up.\n")
    found = read(tmp_path, PLAIN)
    assert messages(found) == [
        'manifest validation: name differs from the one in SKILL.md beside it, "tidy-up"',
    ]
    long = "x" * 65
    prompt(tmp_path, f"name: {long}\ndescription: Tidies.\n")
    assert messages(read(tmp_path, {**PLAIN, "name": long})) == [
        "manifest validation: name exceeds the maximum length beside a SKILL.md (65 > 64)",
        'manifest validation: description differs from the one in SKILL.md beside it, "Tidies."',
    ]
