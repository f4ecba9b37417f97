"""Clients of both eras are notified when skills are added, changed and removed."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated, ToolsListChanged

from skillbag.kernel.documents.catalog import render
from tests.agents.mcp_server.mcp_worlds import Door, Pipe, make_world, over_http, pipe, skill_text, with_client
from tests.agents.mcp_server.messages import MODERN
from tests.processes import eventually
from tests.supply.install.worlds import write

ALL = {f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes are looked for more often, so that less time must pass until there was surely no notification."""
    monkeypatch.setattr("skillbag.agents.mcp_server.watching._TICK", 0.3)
    monkeypatch.setattr("skillbag.agents.mcp_server.watching._DEBOUNCE", 50)
    monkeypatch.setattr("skillbag.agents.mcp_server.notifications._PAUSE", 0.05)


def add_skill(workspace: Path, name: str) -> None:
    """As another program would: neither over the protocol nor by a command."""
    write(workspace / ".skills" / name, {"SKILL.md": skill_text(name)})
    names = sorted(path.parent.name for path in (workspace / ".skills").glob("*/SKILL.md"))
    catalog = render((entry, f"Does what {entry} does.") for entry in names)
    (workspace / ".skills" / "SKILLS.md").write_text(catalog, "utf-8")


def test_a_client_is_notified_of_its_own_changes_and_others_and_of_nothing_else(
    workspace: Path, tmp_path: Path
) -> None:
    with pipe(tmp_path) as server:
        capabilities = server.shake_hands()["result"]["capabilities"]
        assert all(capabilities[kind]["listChanged"] for kind in ("tools", "prompts", "resources"))
        server.ask("tools/list")
        assert server.hear(0.5) == []

        server.tool("skill_add", {"path": str(tmp_path / "own" / "mine")})
        assert eventually(lambda: set(server.hear(0.1)) >= ALL)
        assert {"skill_mine"} <= {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}
        server.hear(0.5)
        assert server.notified.count("notifications/tools/list_changed") == 1

        server.notified.clear()
        server.tool("remember", {"name": "x", "value": 1})
        server.tool("skill_aa")
        assert server.hear(0.5) == []

        add_skill(workspace, "other")
        assert eventually(lambda: set(server.hear(0.1)) >= ALL)
        assert {"skill_other"} <= {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}

        server.notified.clear()
        shutil.rmtree(workspace / ".skills" / "other")
        assert eventually(lambda: set(server.hear(0.1)) >= ALL)

        server.notified.clear()
        write(workspace / ".skills" / "aa", {"references/more.md": "# More\n"})
        assert eventually(lambda: server.hear(0.1) == ["notifications/resources/list_changed"])


def test_a_hundred_skills_that_come_at_once_are_a_few_notifications(workspace: Path, server: Pipe) -> None:
    server.ask("tools/list")
    server.hear(0.5)
    for number in range(100):
        add_skill(workspace, f"many-{number}")
    assert eventually(lambda: len(server.ask("tools/list")["result"]["tools"]) == 112)
    assert eventually(lambda: "notifications/tools/list_changed" in server.hear(0.1))
    assert server.hear(0.7).count("notifications/tools/list_changed") <= 20


@pytest.mark.parametrize("why", ["the system allows no more watches", "there is no folder yet"])
def test_changes_are_found_without_events_of_the_system(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    def watch(*folders: str, **options: object) -> None:
        raise OSError(28, "no more can be watched")

    if why == "there is no folder yet":
        shutil.rmtree(workspace / ".skills")
    else:
        monkeypatch.setattr("watchfiles.watch", watch)
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.ask("tools/list")
        server.hear(0.3)
        add_skill(workspace, "late")
        assert eventually(lambda: set(server.hear(0.1)) >= ALL)


def test_each_client_over_http_is_notified(tmp_path: Path) -> None:
    make_world(tmp_path)
    heard: dict[str, list[str]] = {"one": [], "other": []}

    async def use(door: Door) -> None:
        def listener(name: str):  # type: ignore[no-untyped-def]
            async def hear(message: object) -> None:
                heard[name].append(getattr(message, "method", ""))

            return hear

        async with (
            Client(door.transport(), mode="legacy", message_handler=listener("one")) as one,
            Client(door.transport(), mode="legacy", message_handler=listener("other")) as other,
        ):
            await one.list_tools()
            await other.list_tools()
            await anyio.sleep(0.3)
            await one.call_tool("skill_add", {"path": str(tmp_path / "own" / "mine")})
            with anyio.move_on_after(300):
                while not all(set(methods) >= ALL for methods in heard.values()):
                    await anyio.sleep(0.05)

    with over_http(tmp_path) as door:
        anyio.run(use, door)
    assert all(set(methods) >= ALL for methods in heard.values()), heard


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_of_the_later_era_is_notified_by_its_subscription(tmp_path: Path, transport: str) -> None:
    workspace = make_world(tmp_path)
    guide = "skill://aa/references/guide.md"

    async def use(client: Client) -> None:
        await client.list_tools()
        requested = client.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=[guide],
        )
        async with requested as subscription:
            heard: list[object] = []

            async def until(*wanted: object) -> None:
                with anyio.fail_after(300):
                    async for event in subscription:
                        heard.append(event)
                        if all(entry in heard for entry in wanted):
                            return

            await client.call_tool("skill_add", {"path": str(tmp_path / "own" / "mine")})
            await until(ToolsListChanged(), PromptsListChanged(), ResourcesListChanged())
            await anyio.sleep(1)
            with (workspace / ".skills/aa/references/guide.md").open("a") as file:
                file.write("More.\n")
            await until(ResourceUpdated(guide))

    with_client(tmp_path, transport, "auto", use)


def test_a_folder_that_takes_the_place_of_the_watched_one_is_watched_instead(
    tmp_path: Path, workspace: Path, server: Pipe
) -> None:
    server.ask("tools/list")
    server.hear(0.5)
    (workspace / ".skills").rename(tmp_path / "old")
    shutil.copytree(tmp_path / "old", workspace / ".skills")
    server.hear(1)
    server.notified.clear()
    add_skill(workspace, "later")
    assert eventually(lambda: set(server.hear(0.1)) >= ALL)


def test_a_subscription_comes_to_its_proper_end_with_the_input(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        requested = server.start("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": MODERN})
        assert eventually(lambda: server.hear(0.1) == ["notifications/subscriptions/acknowledged"])
        began = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - began < 50
        assert "result" in server.answer(requested)
