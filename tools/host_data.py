"""The files of `hosts/`, read: what each says of a host, with the source, date and certainty of each fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from skillbag.kernel.documents.nodes import Mapping as YamlMapping
from skillbag.kernel.documents.nodes import core_value, parse_yaml

OTHERS = "others"
"""The file about agents of which little is known."""


class FactGroup(NamedTuple):
    """Facts of one section of a host that share a source, a date and a certainty; rows of a table, or one record."""

    section: str
    source: str
    date: str
    certainty: str
    rows: tuple[Mapping[str, Any], ...]


class HostFileData(NamedTuple):
    """A file of `hosts/`: its head, its sources with their dates, and its facts."""

    id: str
    title: str
    version: str
    sources: tuple[tuple[str, str, str], ...]
    groups: tuple[FactGroup, ...]

    def rows(self, section: str) -> Iterator[tuple[FactGroup, Mapping[str, Any]]]:
        """The rows of a section, each with its group; one for several names is a row for each."""
        for group in self.groups:
            for row in group.rows if group.section == section else ():
                names = row.get("name")
                for name in names if isinstance(names, list) else [names]:
                    yield group, row if name is None else {**row, "name": name}


def yaml_value(path: Path) -> Any:
    """The value of a YAML file."""
    node = parse_yaml(path.read_text("utf-8"))
    if not isinstance(node, YamlMapping):
        raise SystemExit(f"{path.name}: it can't be read: {node}")
    return core_value(node)


def read_hosts(root: Path) -> tuple[HostFileData, ...]:
    """All hosts in the order of their files, other agents last."""
    found = (_host(yaml_value(path)) for path in sorted((root / "hosts").glob("*.yaml")))
    return tuple(sorted(found, key=lambda host: host.id == OTHERS))


def _host(value: Mapping[str, Any]) -> HostFileData:
    sources = {key: (source["title"], source["date"]) for key, source in value["sources"].items()}
    groups = tuple(
        FactGroup(section, *_evidence(group, sources), _listed(group["facts"]))
        for section, written in value.items()
        if isinstance(written, list)
        for group in written
    )
    return HostFileData(
        value["id"], value["title"], value["version"], tuple((key, *pair) for key, pair in sources.items()), groups
    )


def _evidence(group: Mapping[str, Any], sources: Mapping[str, tuple[str, str]]) -> tuple[str, str, str]:
    return group["source"], group.get("date") or sources[group["source"]][1], group["certainty"]


def _listed(facts: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(facts) if isinstance(facts, list) else (facts,)
