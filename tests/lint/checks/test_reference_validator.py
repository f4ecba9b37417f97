"""Differences from the reference validator of the Agent Skills format (skills-ref), each with its reason.

What it refuses is an error here, in a plain tree, and nothing else is. Keys outside the format are a matter of programs
here: they are reported, at whatever level.
"""

from __future__ import annotations

import random
from pathlib import Path

from skills_ref.validator import validate

from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from tests.lint.checks.rule_runs import findings
from tests.rows import each_row

KEYS = ("key-unknown", "key-vendor-specific")
NAMES = ("skill-name-invalid", "name-folder-mismatch")
LONG = "x" * 64

CASES = {
    "my-skill": "name: my-skill\ndescription: A test skill",
    "capital": "name: MySkill\ndescription: A test skill",
    "too-long": f"name: {LONG}x\ndescription: A test skill",
    LONG: f"name: {LONG}\ndescription: A test skill",
    "first-hyphen": "name: -my-skill\ndescription: A test skill",
    "doubled-hyphen": "name: my--skill\ndescription: A test skill",
    "underscore": "name: my_skill\ndescription: A test skill",
    "mismatch": "name: correct-name\ndescription: A test skill",
    "further-key": "name: further-key\ndescription: A test skill\nflavour: plain",
    "vendor-key": "name: vendor-key\ndescription: A test skill\nmodel: opus",
    "all-keys": "name: all-keys\ndescription: A\nlicense: M\ncompatibility: x\nmetadata:\n  a: b\nallowed-tools: Read",
    "技能": "name: 技能\ndescription: A test skill",
    "мой-навык": "name: мой-навык\ndescription: A test skill",
    "НАВЫК": "name: НАВЫК\ndescription: A test skill",
    "café": "name: cafe\u0301\ndescription: A test skill",
    "no-name": "description: A test skill",
    "no-description": "name: no-description",
    "empty-name": "name: ''\ndescription: A test skill",
    "empty-description": "name: empty-description\ndescription:",
    "long-description": f"name: long-description\ndescription: {'x' * 1025}",
    "full-description": f"name: full-description\ndescription: {'x' * 1024}",
    "long-compatibility": f"name: long-compatibility\ndescription: A\ncompatibility: {'x' * 501}",
    "duplicate": "name: duplicate\nname: duplicate\ndescription: A test skill",
    "colon": "name: colon\ndescription: Tidy: sort",
    "anchor": "name: &a anchor\ndescription: A test skill",
    "list-of-names": "name:\n  - a\ndescription: A test skill",
    "sequence": "- name: sequence",
    "tab": "name: tab\n\tdescription: A test skill",
    "true-description": "name: true-description\ndescription: true",
    "metadata-list": "name: metadata-list\ndescription: A\nmetadata:\n  - a",
    "tools-list": "name: tools-list\ndescription: A\nallowed-tools:\n  - Read",
    "blanks": "name: ' blanks '\ndescription: A test skill",
    "empty-compatibility": "name: empty-compatibility\ndescription: A\ncompatibility: ''",
    "flow": "name: flow\ndescription: A\nmetadata: {a: b}",
    "dashes": "name: dashes\ndescription: A --- B\nlicense: MIT",
}

STRICTER = {
    "dashes": "Claude Code ends the front matter at the first `---`, wherever it stands",
    "blanks": "the reference validator drops blanks around a name; programs that compare names do not",
    "empty-compatibility": "the format's text asks for 1 to 500 characters",
}
LAXER = {
    "flow": "StrictYAML refuses flow style, which the YAML readers of agents take",
}


def judged(root: Path) -> tuple[set[str], set[str]]:
    """The folders of the skills with an error, and of those with a key outside the format."""
    every = findings(root, kind=TargetKind.SKILLS)
    folders = [(Path(finding.path).parent.name, finding) for finding in every]
    wrong = {folder for folder, finding in folders if finding.level is Severity.ERROR}
    return wrong, {folder for folder, finding in folders if finding.rule in KEYS}


def write(root: Path, folder: str, front: str) -> Path:
    directory = root / "skills" / folder
    directory.mkdir(parents=True)
    (directory / "SKILL.md").write_text(f"---\n{front}\n---\n\nSort the files.\n", encoding="utf-8")
    return directory


def test_the_cases_of_the_reference_validator(tmp_path: Path) -> None:
    refused, keyed = set(), set()
    for folder, front in CASES.items():
        faults = validate(write(tmp_path, folder, front))
        keyed |= {folder for fault in faults if fault.startswith("Unexpected fields")}
        refused |= {folder for fault in faults if not fault.startswith("Unexpected fields")}
    wrong, reported = judged(tmp_path)
    assert wrong - refused == set(STRICTER)
    assert refused - wrong == set(LAXER)
    assert reported == keyed


@each_row("seed", range(4))
def test_mutated_names(seed: int, tmp_path: Path) -> None:
    generated = random.Random(seed)
    names = set()
    for _ in range(100):
        name = list(generated.choice(["tidy", "tidy-up", "整理", "größe-2", "a", "x" * 63]))
        for _ in range(generated.randrange(3)):
            name.insert(generated.randrange(len(name) + 1), generated.choice("aZ9--__ .ßÄä整²ﬁ!Ωω\u0301"))
        # Hidden folders are no skills here, and blanks around a name are an exception above.
        names.add("".join(name).strip(" ."))
    refused = {name for name in names if validate(write(tmp_path, name, f"name: '{name}'\ndescription: A test skill"))}
    wrong = {Path(finding.path).parent.name for finding in findings(tmp_path, *NAMES, kind=TargetKind.SKILLS)}
    assert wrong == refused
