"""What a driver must know to be held to the core: the text of the standard, the protocol, and a little YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.rows import each_row
from tests.support import PROJECT

Case = dict[str, Any]

DOCUMENT: Any = json.loads((PROJECT / "conformance" / "cases.json").read_text("utf-8"))
CASES: list[Case] = DOCUMENT["cases"]

IN_CONTEXTS = {name: f"{name}-block" for name in ("parameters", "tags", "prohibit", "overrides")}
IN_SKILLS = {
    **{name: name for name in ("discover", "required-if", "confirm", "persist")},
    "type": "types",
    "values": "types",
}
IN_OUTCOMES = {"opened": "opened", "hidden": "hidden", "dropped": "hidden", "settings": "settings", "text": "text"}

_SCALAR = r"""\[\]|\[[^\[\]{}"'&*]+\]|"[^"\\]*"|(?!- )[^\s\[\]{}"'&*!|>%@`#?](?:[^#:]|:(?=[^ ])|(?<=[^ ])#)*?"""
_LINE = re.compile(rf" *(?:- )?(?:[\w-]+:(?: +(?:{_SCALAR}))?|{_SCALAR})? *(?:#.*)?")


def yaml_lines(case: Case) -> Iterator[tuple[str, str]]:
    """The name of each file of the case with each line of its YAML."""
    texts = [*case["files"].items(), *(item for files in case.get("sources", {}).values() for item in files.items())]
    texts += [item for step in case["steps"] for item in step.get("write", {}).items()]
    for path, text in texts:
        name = path.rpartition("/")[2]
        front, closing, body = text.removeprefix("---\n").partition("\n---\n")
        blocks = [front] if name == "SKILL.md" and closing else []
        if name.endswith(".md"):
            blocks += re.findall(r"^```ya?ml\r?\n(.*?)^```\r?$", body or text, re.DOTALL | re.MULTILINE)
        for block in blocks:
            yield from ((name, line) for line in block.splitlines())


def used(case: Case) -> Iterator[str]:
    """The extensions that a case uses."""
    for name, line in yaml_lines(case):
        key = re.match(r" *(?:- )?([\w-]+):", line)
        if key and name == "SKILL.md" and (line.startswith(" ") or key[1] == "confirm"):
            yield from [IN_SKILLS[key[1]]] if key[1] in IN_SKILLS else []
        elif key and name in ("CONTEXT.md", "USER_CONTEXT.md", "SKILLBAG.md") and not line.startswith(" "):
            yield from [IN_CONTEXTS[key[1]]] if key[1] in IN_CONTEXTS else []
    for step in case["steps"]:
        yield from (IN_OUTCOMES[name] for name in step.get("expect", {}) if name in IN_OUTCOMES)
        yield from ("hook" for name in step.get("inputs", {}) if name == "hook")


@each_row("case", CASES, ids=lambda case: case["id"])
def test_a_case_needs_the_extensions_that_it_uses(case: Case) -> None:
    assert set(case.get("needs", ())) >= set(used(case))
    assert set(case.get("needs", ())) <= set(DOCUMENT["extensions"])


def test_core_cases_use_no_other_yaml_than_the_standard_shows() -> None:
    core = [case for case in CASES if not case.get("needs")]
    assert [(case["id"], line) for case in core for _, line in yaml_lines(case) if not _LINE.fullmatch(line)] == []


def test_what_a_line_of_that_yaml_is() -> None:
    sound = (
        "dependencies:",
        "  - name: other-skill # required",
        "    source: https://example.com/a#b",
        "default: []",
        "skills: [a, b]",
        'description: "Tidy. #run/last"',
        "- x",
        "",
    )
    assert [line for line in sound if not _LINE.fullmatch(line)] == []
    other = ("a: {b: c}", "- {a: b}", "a: 'b'", "a: >", "a: &b c", "a: *b", '"*":', "a: [{b: c}]", "? a", "a: b: c")
    assert [line for line in other if _LINE.fullmatch(line)] == []
