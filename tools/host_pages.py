"""The pages about hosts: one for each, with the certainty and the date of each fact, and their list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from host_data import OTHERS, HostFileData
from tables import table

_MADE = "<!-- Made by tools/generate.py from the files in hosts/: change those, then run `make generate`. -->"
_HEAD = """\
# {title}

{made}

What {title} ({version}) does with skills and the files around them, as far as it is known. *Sure* is how certain a fact
is: **A** is documentation, a specification or a measurement, **B** the source of the host or text inside its program,
**C** second hand. What is not here is not known. [All hosts](../hosts.md).
"""
_INDEX = f"""\
# Hosts

{_MADE}

Each agent that loads skills (a *host*) finds, names, cuts and hides them in its own way. These pages say how, each fact
with its certainty and date. `skillbag check`, `init`, `agent link` and `agent hook` take names of tools, places of
files, keys and folders from the same data, the files in `hosts/` of the project. In a checkout, `python
tools/try_host_facts.py` tries facts on the validators of hosts that are installed.

"""
_AFTER = """
Two of them are one product: GitHub Copilot in its command line and in Visual Studio Code. Of
[other agents](hosts/others.md) the names of tools and the folders are known. [Agent folders](agent-folders.md) lists
all that `skillbag agent link` knows.
"""


def host_pages(root: Path, hosts: tuple[HostFileData, ...]) -> Iterator[tuple[Path, str]]:
    """The list, and a page for each host."""
    schema = json.loads((root / "schemas/host.schema.json").read_text("utf-8"))["properties"]
    yield root / "docs/hosts.md", f"{_INDEX}{_index(hosts)}{_AFTER}"
    for host in hosts:
        yield root / f"docs/hosts/{host.id}.md", "".join(_page(host, schema))


def _index(hosts: Iterable[HostFileData]) -> str:
    rows = (
        (f"[{host.title}](hosts/{host.id}.md)", _folders(host), _value(_first(host, "discovery", "depth")), _last(host))
        for host in hosts
        if host.id != OTHERS
    )
    return table(("Host", "Folders of a project", "Depth", "Newest source"), *rows)


def _folders(host: HostFileData) -> str:
    return ", ".join(f"`{row['path']}`" for _, row in host.rows("folders") if row["scope"] == "project")


def _first(host: HostFileData, section: str, key: str) -> Any:
    return next((row[key] for _, row in host.rows(section) if key in row), "?")


def _last(host: HostFileData) -> str:
    return max(group.date for group in host.groups)


def _page(host: HostFileData, schema: Mapping[str, Any]) -> Iterator[str]:
    yield _HEAD.format(title=host.title, version=host.version, made=_MADE)
    for section, groups in groupby(host.groups, lambda group: group.section):
        yield f"\n## {section.capitalize()}\n\n{schema[section]['description']}\n\n"
        rows = [(row, group.certainty, group.date, group.source) for group in groups for row in group.rows]
        is_single = "one" in schema[section]["$ref"]
        yield table(*(_single(rows) if is_single else _many(rows)))
    yield "\n## Sources\n\n"
    yield table(("Name", "Source", "Date"), *host.sources)


def _single(rows: list[tuple[Mapping[str, Any], str, str, str]]) -> Iterator[tuple[str, ...]]:
    yield "Fact", "Value", "Sure", "Date", "Source"
    for row, *evidence in rows:
        yield from ((_words(key), _value(value, key), *evidence) for key, value in row.items())


def _many(rows: list[tuple[Mapping[str, Any], str, str, str]]) -> Iterator[tuple[str, ...]]:
    keys = [*dict.fromkeys(key for row, *_ in rows for key in row if key != "note")]
    keys += ["note"] if any("note" in row for row, *_ in rows) else []
    yield *(_words(key).capitalize() for key in keys), "Sure", "Date", "Source"
    for row, *evidence in rows:
        yield *(_value(row.get(key, ""), key) for key in keys), *evidence


def _words(key: str) -> str:
    return key.replace("-", " ")


def _value(value: Any, key: str = "") -> str:
    if isinstance(value, list):
        return ", ".join(_value(each, key) for each in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == 1000 and key in ("", "depth"):
        return "any"
    if isinstance(value, str) and key != "note" and value not in ("", "?"):
        return f"`` {value} ``" if "`" in value else f"`{value}`"
    return f"{value:,}" if isinstance(value, int) else str(value)
