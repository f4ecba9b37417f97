"""The modules that the package loads instead of `hosts/*.yaml`: a table of all facts, and small ones for what is needed
often."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from host_data import OTHERS, HostFileData

from skillbag.kernel.hosts import model

_SINGLE = {
    "discovery": model.DiscoveryFacts,
    "precedence": model.PrecedenceFacts,
    "listing": model.ListingFacts,
    "memory": model.MemoryFacts,
}
_ROWS = {
    "folders": model.FolderFact,
    "keys": model.KeyFact,
    "tools": model.ToolFact,
    "events": model.EventFact,
}
_MADE = "Made by tools/generate.py from the files in hosts/: change those, then `make generate`."
_TABLE = f'''\
# ruff: noqa: E501
# fmt: off
"""{_MADE}"""

from __future__ import annotations

from skillbag.kernel.hosts import model as m

HOSTS = {{{{
{{hosts}}}}}}
"""What the program needs to know of each host, by its id."""
'''
_PLACES = f'''\
# ruff: noqa: E501
# fmt: off
"""Where files around skills are, and their kinds. {_MADE}"""

from __future__ import annotations

PLUGIN_MANIFESTS = (
{{manifest}})
"""What makes a folder a plugin."""

IN_PROJECTS = (
{{project}})
BESIDE = (
{{beside}})
"""Files of many programs, which count where skills or files of an agent are."""

IN_PLUGINS = (
{{plugin}})
IN_CURSOR_PLUGINS = (
{{cursor}})
'''
_LISTS = f'''\
# ruff: noqa: E501
# fmt: off
"""What of the skills in a folder hosts show to the model. {_MADE}"""

from __future__ import annotations

from skillbag.kernel.hosts import listing as m

LISTINGS = {{{{
{{listings}}}}}}
"""The title of each host with a known budget, and its facts."""

FOLDERS = {{{{
{{folders}}}}}}
"""The hosts that look into a folder of a project for skills."""
'''
_TOOLS = f'''\
# fmt: off
"""Names of tools. {_MADE}"""

from __future__ import annotations

TOOLS = {{{{
{{tools}}}}}}
"""The name in `allowed-tools` of each tool that agents call by another name."""

CLAUDE_TOOLS = frozenset((
{{claude}}))
"""Those of Claude Code, present and gone."""

OTHER_TOOLS = frozenset((
{{others}}))
"""Those of other agents that Claude Code has not, as far as their names have capitals."""
'''
_AGENTS = f'''\
# ruff: noqa: E501
# fmt: off
"""Agents and their folders, as fields of `kernel.workspace.agents.Agent`. {_MADE}"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROWS: tuple[tuple[Any, ...], ...] = (
{{rows}})
'''
_KEYS = f'''\
# ruff: noqa: E501
# fmt: off
"""Keys of front matter beyond the Agent Skills format. {_MADE}"""

from __future__ import annotations

READERS = {{{{
{{readers}}}}}}
"""The programs that read a key in a skill."""

ELSEWHERE = {{{{
{{elsewhere}}}}}}
"""Keys that have no effect in a skill, and where they have one, as a clause of a sentence."""

INERT = frozenset((
{{inert}}))
"""Those that a program knows in a skill, without effect."""

CATALOG = frozenset((
{{catalog}}))
"""Those for people, and for the catalogs that list skills. No agent is known to act on them."""
'''
_EVENTS = f'''\
"""Events of hooks. {_MADE}"""

# fmt: off
EVENTS = (
{{events}})
"""Those of all hosts but `stop` and `notification`, which are words."""
'''
_FILES = {
    "agent": "the files of agents",
    "instructions": "files of instructions",
    "metadata": "`metadata`",
    "openai": "`agents/openai.yaml`",
    "rule": "rules",
    "steering": "steering files",
}


def host_modules(hosts: tuple[HostFileData, ...], format_keys: Collection[str]) -> Iterator[tuple[str, str]]:
    """The modules of `skillbag/kernel/hosts/` that are made of the facts: name and text."""
    yield "table", host_table(hosts)
    yield "places", host_places(hosts)
    yield "lists", host_lists(hosts)
    yield "tools", host_tools(hosts)
    yield "keys", host_keys(hosts, format_keys)
    yield "events", host_events(hosts)
    yield "agents", host_agents(hosts)


def host_table(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/table.py`."""
    records = (f"    {host.id!a}: {_record(host)},\n" for host in hosts if host.id != OTHERS)
    return _TABLE.format(hosts="".join(records))


def host_places(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/places.py`, which every check loads."""
    alone = tuple(host for host in hosts if host.id == "cursor")
    others = tuple(host for host in hosts if host not in alone)
    return _PLACES.format(
        manifest=_placed(hosts, "manifest"),
        project=_placed(hosts, "project"),
        beside=_placed(hosts, "beside"),
        plugin=_placed(others, "plugin"),
        cursor=_placed(alone, "plugin"),
    )


def _placed(hosts: tuple[HostFileData, ...], within: str) -> str:
    """Each place once: several hosts read some of them, as files of one kind."""
    kinds: dict[str, str] = {}
    for host in hosts:
        for _, row in host.rows("places"):
            pattern, kind = row["pattern"], row["kind"]
            if row["within"] == within and kinds.setdefault(pattern, kind) != kind:
                raise SystemExit(f"hosts/{host.id}.yaml: {pattern} is {kind} there, and {kinds[pattern]} elsewhere")
    return "".join(f"    ({pattern!a}, {kind!a}),\n" for pattern, kind in kinds.items())


def host_lists(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/lists.py`."""
    listings, folders = "", dict[str, tuple[str, ...]]()
    for host in hosts:
        facts = _merged(host, "listing") if any(host.rows("listing")) else {}
        listings += f"    {host.id!a}: ({host.title!a}, {_call(_SINGLE['listing'], facts)}),\n" * ("budget" in facts)
        for _, row in host.rows("folders"):
            if row["scope"] == "project":
                folders[row["path"]] = (*folders.get(row["path"], ()), host.id)
    return _LISTS.format(listings=listings, folders="".join(f"    {key!a}: {folders[key]!a},\n" for key in folders))


def host_tools(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/tools.py`."""
    means: dict[str, str] = {}
    names: dict[str, set[str]] = {host.id: set() for host in hosts}
    for host in hosts:
        for _, row in host.rows("tools"):
            names[host.id].update(row["names"])
            for name in row["names"] if "means" in row else ():
                if means.setdefault(name, row["means"]) != row["means"]:
                    raise SystemExit(f"hosts/{host.id}.yaml: {name} is {row['means']} there, {means[name]} elsewhere")
    tools = "".join(f"    {name!a}: {tool!a},\n" for name, tool in sorted(means.items()))
    claude = names.get("claude-code", set())
    others = {name for host in hosts for name in names[host.id] - claude - means.keys() if not name.islower()}
    return _TOOLS.format(tools=tools, claude=_lines(claude), others=_lines(others))


def host_keys(hosts: tuple[HostFileData, ...], format_keys: Collection[str]) -> str:
    """The text of `skillbag/kernel/hosts/keys.py`: keys beyond those of the format."""
    readers: dict[str, dict[str, None]] = {}
    elsewhere: dict[str, str] = {}
    inert, catalog = set[str](), set[str]()
    for host in hosts:
        for _, row in host.rows("keys"):
            name, program, file = row["name"], row.get("program", host.title), row.get("file", "skill")
            if name in format_keys:
                continue
            if file == "catalog":
                catalog.add(name)
            elif file == "skill" and row.get("inert"):
                inert.add(name)
            elif file == "skill":
                readers.setdefault(name, {})[program] = None
            elif file in _FILES:
                elsewhere.setdefault(name, f"{program} reads it in {_FILES[file]} only")
    return _KEYS.format(
        readers="".join(f"    {name!a}: {tuple(readers[name])!a},\n" for name in sorted(readers)),
        elsewhere="".join(f"    {name!a}: {elsewhere[name]!a},\n" for name in sorted(elsewhere.keys() - readers)),
        inert=_lines(inert - readers.keys()),
        catalog=_lines(catalog - readers.keys()),
    )


def host_agents(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/agents.py`: a row for each agent, by name."""
    found = [
        tuple(_frozen(row.get(key, default)) for key, default in {**_AGENT, "title": host.title}.items())
        for host in hosts
        for section in ("agent", "agents")
        for _, row in host.rows(section)
    ]
    return _AGENTS.format(rows="".join(f"    {row!a},\n" for row in sorted(found)))


_AGENT: Mapping[str, Any] = {
    "name": "",
    "title": "",
    "folder": "",
    "user-folders": (),
    "signs": (),
    "aliases": (),
    "copied": False,
    "instructions": "",
    "settings": "",
    "own-settings": "",
    "servers": "",
}
"""The fields of an agent in their order, with what they are where nothing is said."""


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def host_events(hosts: tuple[HostFileData, ...]) -> str:
    """The text of `skillbag/kernel/hosts/events.py`."""
    names = {row["name"] for host in hosts for _, row in host.rows("events")}
    return _EVENTS.format(events=_lines({name for name in names if not name.islower()}))


def _lines(names: set[str]) -> str:
    rows = textwrap.wrap(" ".join(f"{name!a}," for name in sorted(names)), 116, break_on_hyphens=False)
    return "".join(f"    {row}\n" for row in rows)


def _record(host: HostFileData) -> str:
    parts = [ascii(host.id), ascii(host.title)]
    for section in dict.fromkeys(group.section for group in host.groups):
        if section in _SINGLE:
            parts.append(f"{section}={_call(_SINGLE[section], _merged(host, section))}")
        elif section in _ROWS:
            calls = [_call(_ROWS[section], {**row, "certainty": group.certainty}) for group, row in host.rows(section)]
            parts.append(f"{section}=({', '.join(calls)},)")
    return "m.HostFacts({}, {},\n        {})".format(*parts[:2], ",\n        ".join(parts[2:]))


def _merged(host: HostFileData, section: str) -> dict[str, Any]:
    """The facts of all groups, with the weakest certainty."""
    found: dict[str, Any] = {}
    for _, row in host.rows(section):
        found.update(row)
    return {**found, "certainty": max(group.certainty for group, _ in host.rows(section))}


def _call(kind: type, row: Mapping[str, Any]) -> str:
    """A record of the facts that the program reads; what is at its default is left out."""
    fields, defaults = cast(Any, kind)._fields, cast(Any, kind)._field_defaults
    values = {key.replace("-", "_"): _frozen(value) for key, value in row.items()}
    shown = (f"{key}={values[key]!a}" for key in fields if key in values and defaults.get(key, _MADE) != values[key])
    return f"m.{kind.__name__}({', '.join(shown)})"
