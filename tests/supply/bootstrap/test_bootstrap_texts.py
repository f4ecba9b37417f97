"""The texts for the agent carry every clause, and say the fixed interface of the reserved skill exactly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import skillbag.supply.bootstrap
from skillbag import STANDARD_VERSION
from skillbag.kernel.base.package_data import folder
from skillbag.supply.bootstrap.init import InitOptions, plan_init
from skillbag.supply.bootstrap.templates import template

CLAUSES: list[str] = [
    clause["id"] for clause in yaml.safe_load(Path(folder("rules"), "clauses.yaml").read_text("utf-8"))
]
CARRIED: dict[str, dict[str, str]] = yaml.safe_load(
    Path(skillbag.supply.bootstrap.__file__).with_name("carried_clauses.yaml").read_text("utf-8")
)


def collapsed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("text", "families"), [("entrypoint", ""), ("get-skills", ("bootstrap.", "install."))])
def test_a_text_carries_each_of_its_clauses(text: str, families: str | tuple[str, ...]) -> None:
    clauses, written = [clause for clause in CLAUSES if clause.startswith(families)], collapsed(template(f"{text}.md"))
    assert [clause for clause in clauses if collapsed(CARRIED[text][clause]) not in written] == []


@pytest.mark.parametrize("text", ["entrypoint", "get-skills"])
def test_no_phrase_is_for_a_clause_that_does_not_exist(text: str) -> None:
    assert set(CARRIED[text]) <= set(CLAUSES)
    assert len(set(CARRIED["entrypoint"].values())) == len(CARRIED["entrypoint"])


def test_the_entrypoint_begins_with_the_version_and_stays_compact() -> None:
    text = template("entrypoint.md")
    assert text.split("\n")[0] == f"SkillBag {STANDARD_VERSION}"
    assert sum(bool(re.search(r"\w", word)) for word in text.split()) <= 1400


def test_the_examples_of_the_entrypoint_have_the_standards_shapes() -> None:
    blocks: list[Any] = [
        yaml.safe_load(b) for b in re.findall(r"```yaml\n(.*?)```", template("entrypoint.md"), re.DOTALL)
    ]
    parameters, skill, context, conflict = blocks
    assert set(parameters) == {"required", "optional"}
    assert set(parameters["required"][0]) == {"name"}
    assert set(skill["dependencies"][0]) == {"name", "source", "version", "required"}
    assert set(context["dependencies"][0]) == {"name", "source", "version"}
    rule = conflict["conflict-resolution"][0]
    assert rule["winner"] in rule["skills"]


def test_the_reserved_skill_has_the_fixed_interface() -> None:
    _, front, body = template("get-skills.md").split("---\n", 2)
    assert list(yaml.safe_load(front).items()) == [
        ("name", "skillbag-get-skills"),
        ("description", "Install one or more skills into .skills/."),
        ("allowed-tools", "git curl wget tar unzip cp rsync ln"),
    ]
    block = re.search(r"## Parameters\n\n```yaml\n(.*?)```", body, re.DOTALL)
    assert block is not None
    assert yaml.safe_load(block[1]) == {
        "optional": [
            {"name": "skills", "default": []},
            {"name": "destination", "default": ".skills/"},
            {"name": "upgrade", "default": False},
            {"name": "persist-nonsecret-parameters", "default": True},
        ]
    }


def test_nothing_that_is_written_installs_from_the_public_index(tmp_path: Path) -> None:
    everything = InitOptions(("claude", "cursor", "copilot"), pre_commit=True, github=True)
    for repo in (None, "team/skillbag", "https://git.example.com/team/skillbag.git"):
        requested = {**_fields(everything), "repo": repo, "github": repo is not None}
        plan = plan_init(str(tmp_path), InitOptions(**requested))
        text = "\n".join(action.data.decode() for action in plan.actions)
        assert not re.search(r"(pip|pipx|uv|uvx|tool) (install |run )?(-\S+ )*skillbag", text)


def _fields(options: InitOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in options.__dataclass_fields__}
