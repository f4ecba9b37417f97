"""The files around skills that agents read, found by their places: of plugins, of catalogs, and of projects.

Places and kinds are those of `hosts/*.yaml`. A plugin is a folder with a manifest, or one that a catalog lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.hosts.places import BESIDE, IN_CURSOR_PLUGINS, IN_PLUGINS, IN_PROJECTS, PLUGIN_MANIFESTS
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.target import MARKETPLACE, HostFilePath
from skillbag.kernel.workspace.tree import FILE, list_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY = ("memory", "claude-rule", "cursor-rule")
"""The kinds of files that agents read at the start of each session."""


AGENT_PLUGINS = "https://agent-plugins.org/schemas/"
"""What the `$schema` of a manifest of Agent Plugins begins with."""

_ROOT_MANIFEST = "plugin.json"
_BESIDE = frozenset({"skills", "commands", "agents", "hooks", "mcp.json", ".mcp.json"})
"""One of these beside a `plugin.json` shows that it is a plugin of agents: many programs have such a file."""

_ALL = (*PLUGIN_MANIFESTS, *IN_PROJECTS)
_MARKERS = frozenset({pattern.partition("/")[0] for pattern, _ in _ALL} | {_ROOT_MANIFEST})
"""A folder without one of these names has no such file, unless it is the folder of a plugin."""

_COMPONENTS = {
    "hooks": "claude-hooks",
    "mcpServers": "claude-servers",
    "agents": "claude-agent",
    "commands": "claude-command",
}
"""The keys of a manifest that name files or folders, and what these are."""


def host_paths(folder: str, names: frozenset[str], *, has_skills: bool) -> list[HostFilePath]:
    """The files of the plugin or project whose folder has these `names`, and of plugins that its catalogs list."""
    found = [] if _MARKERS.isdisjoint(names) else [*_marked(folder, names)]
    return [*found, *_at(folder, names, BESIDE)] if found or has_skills else found


def _marked(folder: str, names: frozenset[str]) -> Iterator[HostFilePath]:
    yield from _at(folder, names, IN_PROJECTS)
    manifests = _manifests(folder, names)
    if manifests:
        yield from _plugin(folder, names, manifests)
    if ".claude-plugin" in names:
        for plugin, entry in _listed(folder):
            yield from _named(entry, plugin)
            try:
                inner = frozenset(tracked.names(plugin))
            except OSError:
                continue
            # One with a manifest is met by itself.
            if not _manifests(plugin, inner):
                yield from _plugin(plugin, inner, [])


def _manifests(folder: str, names: frozenset[str]) -> list[HostFilePath]:
    return [*_at(folder, names, PLUGIN_MANIFESTS), *_root_manifest(folder, names)]


def _root_manifest(folder: str, names: frozenset[str]) -> Iterator[HostFilePath]:
    """A `plugin.json` at the root: of Agent Plugins by its schema, else in the form of Copilot."""
    if _ROOT_MANIFEST not in names:
        return
    path = os.path.join(folder, _ROOT_MANIFEST)
    value = _json(path, folder)
    written = value.get("$schema") if isinstance(value, dict) else None
    if isinstance(written, str) and written.startswith(AGENT_PLUGINS):
        yield HostFilePath(path, "agent-plugin", folder)
        if "mcp.json" in names:
            yield HostFilePath(os.path.join(folder, "mcp.json"), "agent-plugin-servers", folder)
    elif names & _BESIDE:
        yield HostFilePath(path, "copilot-plugin", folder)


def _plugin(folder: str, names: frozenset[str], manifests: list[HostFilePath]) -> Iterator[HostFilePath]:
    """The files of a plugin: its manifests, what they name, and what is in the usual places."""
    yield from manifests
    kinds = {manifest.kind for manifest in manifests}
    if kinds <= {"agent-plugin", "gemini-extension"} and kinds:
        return
    for manifest in manifests:
        if manifest.kind == "claude-plugin":
            yield from _named(_json(manifest.path, manifest.root), manifest.root)
    yield from _at(folder, names, IN_CURSOR_PLUGINS if kinds == {"cursor-plugin"} else IN_PLUGINS)


def _named(value: Any, root: str) -> Iterator[HostFilePath]:
    """The files that a manifest or an entry of a catalog names, as far as they are there and inside."""
    for key, kind in _COMPONENTS.items() if isinstance(value, dict) else ():
        given = value.get(key)
        for path in given if isinstance(given, list) else [given]:
            if not isinstance(path, str):
                continue
            place = os.path.normpath(os.path.join(root, *path.split("/")))
            if not tracked.within(root, place):
                continue
            if tracked.is_file(place):
                yield HostFilePath(place, kind, root)
            elif kind == "claude-command" and tracked.is_folder(place):
                yield from (HostFilePath(inner, kind, root) for inner in _files_below(place, ".md", deep=True))


def _listed(repository: str) -> Iterator[tuple[str, Any]]:
    """The folders of the repository that its catalog lists as plugins, each with its entry."""
    value = _json(os.path.join(repository, *MARKETPLACE.split("/")), repository)
    plugins = value.get("plugins") if isinstance(value, dict) else None
    for plugin in plugins[:1000] if isinstance(plugins, list) else ():
        source = plugin.get("source") if isinstance(plugin, dict) else None
        if isinstance(source, str):
            place = os.path.normpath(os.path.join(repository, *source.split("/")))
            if tracked.is_folder(place) and tracked.within(repository, place):
                yield place, plugin


def _json(path: str, root: str) -> Any:
    """The value of a JSON file; None where it can't be read, which rules report."""
    return HostFile(HostFilePath(path, "", root), root).value


def _at(folder: str, names: frozenset[str], places: tuple[tuple[str, str], ...]) -> Iterator[HostFilePath]:
    """The files in these places of a folder with these names."""
    for pattern, kind in places:
        first, _, rest = pattern.partition("/")
        if first not in names or (rest and not tracked.within(folder, os.path.join(folder, first))):
            continue
        path = os.path.join(folder, *pattern.split("/"))
        if "*" in rest:
            inner, _, last = pattern.partition("/*")
            found = _files_below(os.path.join(folder, *inner.split("/")), pattern.rpartition("*")[2], deep="*/" in last)
            yield from (HostFilePath(file, kind, folder) for file in found)
        elif tracked.is_file(path):
            yield HostFilePath(path, kind, folder)


def _files_below(folder: str, ending: str, *, deep: bool) -> Iterator[str]:
    """The files in a folder with this ending, those in its folders too if `deep`."""
    if not tracked.is_folder(folder) or tracked.is_link(folder):
        return
    for entry in list_tree(folder).entries:
        if entry.kind is FILE and entry.relative.endswith(ending) and (deep or "/" not in entry.relative):
            yield entry.path
