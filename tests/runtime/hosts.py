"""The host functions of a skill in a world of its own, with a record of what was demanded of the broker."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.errors import NotPermittedError, RuntimeFaultError
from skillbag.runtime.host.functions import FUNCTIONS, HostContext, HostLimits, host_functions
from skillbag.runtime.skill import Json
from tests.supply.install.worlds import write

FILES = {
    "secret": "secret",
    "skill/SKILL.yaml": "name: s\n",
    "skill/data/own.txt": "own",
    "skill/both.txt": "the skill's",
    "work/both.txt": "the workspace's",
    "work/src/a.py": "a = 1\n",
    "work-b/secret": "secret",
}


@dataclass
class World:
    """A skill and a workspace in a folder; `call` is what the skill calls. Permissions in `denied` are refused."""

    top: Path
    context: HostContext
    demands: list[tuple[str, str]] = field(default_factory=list)
    logged: list[tuple[str, str]] = field(default_factory=list)
    denied: set[Permission] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.functions = host_functions(self.context)

    @property
    def skill(self) -> Path:
        return self.top / "skill"

    @property
    def work(self) -> Path:
        return self.top / "work"

    def call(self, function: str, /, *positional: Json, **arguments: Json) -> Any:
        """Call a function; positional arguments are those of its first parameters, the rest those of `args`."""
        names = [parameter.name for parameter in FUNCTIONS[function].parameters]
        if "args" in names:
            first = names.index("args")
            positional = (*positional[:first], list(positional[first:]))
        return self.functions(function, {**dict(zip(names, positional, strict=False)), **arguments})


def make_world(top: Path, **changes: Any) -> World:
    """A world below the folder; `changes` are of the context, `limits` as a dict."""
    write(top, FILES)
    top = top.resolve()
    context = HostContext(
        str(top / "skill"),
        str(top / "work"),
        demand=lambda permission, detail: demand(permission, detail),
        completer=None,
        invoke=lambda name, value: {"name": name, "input": value},
        log=lambda level, message: world.logged.append((level, message)),
        project_language=lambda: "python",
    )
    limits = HostLimits(**changes.pop("limits", {}))
    world = World(top, context._replace(limits=limits, **changes))

    def demand(permission: Permission, detail: str) -> None:
        world.demands.append((permission, detail))
        if permission in world.denied:
            raise NotPermittedError(f'permission "{permission}" not declared in skill "s" manifest')

    return world


def refusal(world: World, function: str, *arguments: str) -> str:
    """What is said to a skill that may not do this."""
    with pytest.raises(RuntimeFaultError) as raised:
        world.call(function, *arguments)
    assert str(raised.value).startswith(f"{function}: ")
    assert str(raised.value).isprintable()
    assert "secret" not in str(raised.value).replace(repr(arguments[0]), "")
    return str(raised.value)
