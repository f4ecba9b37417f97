"""No setting of active skills is read in vain, and a workspace only makes the user's stricter."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skillbag.kernel.base.package_data import schema
from skillbag.runtime.triggers.settings import RuntimeSettings, Sandbox, WorkspaceLimits, limited
from tests.doors.cli.runtime_worlds import values
from tests.runtime import small_mcp
from tests.runtime.fields import setting_worlds as look
from tests.runtime.fields.setting_worlds import Look, World, make_world
from tests.runtime.worlds_active import manifest
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

SETTINGS = json.loads(schema("settings"))["properties"]["runtime"]
CONFIG = json.loads(schema("config"))["properties"]["runtime"]


class Case(NamedTuple):
    """`look` sees the first of `seen` with the first of `values` at `path`, and the second with the second. The second
    value is the stricter one."""

    path: str
    values: tuple[Any, Any]
    look: Look
    seen: tuple[Any, Any]
    settings: Mapping[str, Any] = {}

    def with_value(self, value: Any) -> dict[str, Any]:
        """The settings with a value; None for those without it."""
        return _merged(self.settings, self.path.split("."), value) if value is not None else dict(self.settings)


def _merged(node: Any, path: list[str], value: Any) -> dict[str, Any]:
    key, *rest = path
    return {**node, key: _merged(node.get(key, {}), rest, value) if rest else value}


COMMAND = {"llm": {"command": ["cat"]}}
LIMITED = ("unlimited", "limited")

STRICTER = (
    Case("denied_skills", (None, ["child"]), look.activation("child"), (0, 1)),
    Case("activation_threshold", (80, 81), look.triggered, (["word"], [])),
    Case("max_llm_calls_per_turn", (2, 1), look.workflow("ask", 2), LIMITED, COMMAND),
    Case("max_shell_exec_per_turn", (2, 1), look.workflow("run", 2), LIMITED),
    Case("max_net_fetch_per_turn", (1, 0), look.workflow("get", 1), LIMITED),
    Case("budget.total", (150, 100), look.tokens, (150, 100)),
    Case("budget.skill", (150, 100), look.tokens, (150, 100)),
    Case("budget.descriptions", (40, 20), look.index, (20, 12)),
    Case("sandbox", ("best-effort", "require"), look.unconfined, (0, 1)),
)
"""What a workspace can set, too."""

PROGRAM = [sys.executable, small_mcp.__file__]
NOWHERE = "http://127.0.0.1:9"
SERVER = {"mcp_servers": {"far": {"command": PROGRAM}}}
USERS = (
    Case("approved_skills", (["own"], ["use"]), look.own_activation, ([0, 3], [3, 0])),
    Case("dirs", (["MORE"], None), look.listed, (["child", "far", "use", "word"], ["child", "use", "word"])),
    Case("llm.command", (["echo", "one"], ["echo", "two"]), look.completion, (["one"], ["two"])),
    Case(
        "mcp_servers.far.command",
        ([*PROGRAM, "a"], [*PROGRAM, "b"]),
        look.mcp_tool,
        ("['a'] -", "['b'] -"),
    ),
    Case("mcp_servers.far.environment", ({"LAMP": "on"}, {"LAMP": "off"}), look.mcp_tool, ("[] on", "[] off"), SERVER),
    Case("mcp_servers.far.url", ("URL/one", "URL/two"), look.mcp_tool, ("/one", "/two")),
    Case("registry_url", (f"{NOWHERE}/one", f"{NOWHERE}/two"), look.registry, (f"{NOWHERE}/one", f"{NOWHERE}/two")),
)
"""What only the user can set."""


@pytest.fixture
def world(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path / "ws", run, monkeypatch)
    make_world(made.root)
    return made


def leaves(node: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """The paths of all settings; servers, which have any name, are called `far`."""
    further = {**node.get("properties", {})}
    if isinstance(node.get("additionalProperties"), dict) and "properties" in node["additionalProperties"]:
        further["far"] = node["additionalProperties"]
    for name, inner in further.items():
        yield from leaves(inner, f"{where}.{name}".removeprefix("."))
    if not further:
        yield where


def test_every_setting_of_the_schemas_has_a_case() -> None:
    assert {case.path for case in (*STRICTER, *USERS)} == set(leaves(SETTINGS))
    assert {case.path for case in STRICTER} == set(leaves(CONFIG))


@pytest.mark.parametrize("case", [*STRICTER, *USERS], ids=lambda case: case.path)
def test_a_setting_of_the_user_has_an_effect(world: World, case: Case) -> None:
    with small_mcp.over_http() as url:
        known = {"URL": url, "MORE": str(world.root.parent / "more")}
        seen = []
        for value in case.values:
            world.set(_named(case.with_value(value), known))
            seen.append(case.look(world))
    assert tuple(seen) == case.seen
    assert seen[0] != seen[1]


def _named(node: Any, known: Mapping[str, str]) -> Any:
    """The settings with the paths and addresses of this test."""
    text = json.dumps(node)
    for name, value in known.items():
        text = text.replace(name, value)
    return json.loads(text)


@pytest.mark.parametrize("case", STRICTER, ids=lambda case: case.path)
def test_a_workspace_only_makes_it_stricter(world: World, case: Case) -> None:
    loose, strict = case.values
    path = case.path.split(".")
    world.set(case.with_value(loose), _merged({}, path, strict))
    assert case.look(world) == case.seen[1]
    if loose is not None:
        world.set(case.with_value(strict), _merged({}, path, loose))
        assert case.look(world) == case.seen[1]


def test_a_workspace_denies_its_own_skills_alone(world: World) -> None:
    approved = {"approved_skills": ["own", "use"]}
    world.set(approved, {"denied_skills": ["own", "use"]})
    assert look.own_activation(world) == [0, 1]
    listed = values(world.run, world.root, "list")
    assert [remark for remark in listed["remarks"] if remark.startswith('the skill "own" is not the project\'s (user)')]
    world.set({**approved, "denied_skills": ["own"]}, {"denied_skills": ["own"]})
    assert look.own_activation(world) == [1, 0]


def test_the_threshold_of_a_workspace_is_for_its_own_skills(world: World) -> None:
    mine = {"types": "[prompt]", "implementation": None, "prompt": "{system_prompt_file: a.md}"}
    own = world.root.parent / "own-skills"
    write(own / "mine", {"SKILL.yaml": manifest("mine", **mine, triggers="{keywords: [word]}"), "a.md": "Mine.\n"})
    world.monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(own))
    world.set({}, {"activation_threshold": 81})
    assert look.triggered(world) == ["mine"]
    thresholds = [values(world.run, world.root, "why", name)["threshold"] for name in ("mine", "word")]
    assert thresholds == [1, 81]
    assert "from 1 on, skills of the project from 81 on" in world.run("runtime", "trace", cwd=world.root).out


@pytest.mark.parametrize("path", [case.path for case in USERS])
def test_a_workspace_can_t_set_what_is_the_user_s(world: World, path: str) -> None:
    world.set({}, _merged({}, path.split("."), ["use"]))
    done = world.run("runtime", "list", cwd=world.root)
    assert done.code == 2
    assert path.split(".")[0] in done.err


def test_the_variables(world: World) -> None:
    world.set({})
    assert look.triggered(world) == ["word"]
    world.monkeypatch.setenv("SKILLBAG_SKILLS", "child, use")
    assert look.triggered(world) == ["child", "use", "word"]
    found = values(world.run, world.root, "list")["skills"]
    assert [each["name"] for each in found if each["inline"]] == ["child", "use"]
    world.monkeypatch.setenv("SKILLBAG_SKILLS", "gone")
    assert world.run("runtime", "list", cwd=world.root).code == 2
    world.monkeypatch.setenv("SKILLBAG_RUNTIME", "off")
    done = world.run("runtime", "list", cwd=world.root)
    assert (done.code, "SKILLBAG_RUNTIME" in done.err) == (2, True)


def test_a_workspace_requires_no_sandbox_of_the_user_s_own_skills() -> None:
    for users, own in ((Sandbox.BEST_EFFORT, False), (Sandbox.REQUIRE, True)):
        settings = limited(RuntimeSettings(sandbox=users), WorkspaceLimits(sandbox=Sandbox.REQUIRE))
        assert (settings.requires_sandbox("user:/home/me/skills"), settings.requires_sandbox("project:/w")) == (
            own,
            True,
        )
