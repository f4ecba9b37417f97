"""What manifests of plugins and catalogs name: paths that are there, plugins that are listed as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.host_file import HostFile, objects_in
from skillbag.kernel.workspace.host_files import MEMORY
from skillbag.kernel.workspace.host_folders import HostFolder
from skillbag.kernel.workspace.target import MARKETPLACE, HostFilePath
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MANIFEST = ".claude-plugin/plugin.json"
_CONFIG = late(r"\$\{user_config\.(?P<name>[^}]*)\}")


class NamedPaths(NamedTuple):
    """`keys`: by kind of manifest, the keys that name paths, with what each must be: `folder`, an ending, or `any`."""

    keys: Mapping[str, Any] = {}


@Predicate("manifest-names", Subject.HOST_FILE, values=("key", "path", "fault"), options=NamedPaths)
def manifest_names(file: HostFile, options: NamedPaths) -> Iterator[Match]:
    """Paths in a manifest that are not there, lead out, or are of another kind than the host takes."""
    for key, wanted in options.keys.get(file.kind, {}).items():
        found = file.value
        for part in key.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        many = isinstance(found, list)
        for number, path in enumerate(found if isinstance(found, list) else [found]):
            if isinstance(path, str) and (fault := _path_fault(file, path, wanted)):
                place = file.place(*key.split("."), *([number] if many else []))
                values = {"key": key, "path": path[:200], "fault": fault}
                yield Match(file.path, *place, values, raised=file.kind == "claude-plugin")


def _path_fault(file: HostFile, path: str, wanted: str) -> str:
    """What is wrong with a path of a manifest, as a clause; empty if nothing is."""
    is_claude = file.kind == "claude-plugin"
    if not path or "://" in path or "$" in path or ("*" in path and not is_claude):
        return ""
    if ".." in path.split("/") or path.startswith("/"):
        return "leads out of the plugin's folder, which alone is installed: the host refuses it"
    if is_claude and not path.startswith("./") and path != ".":
        return "does not begin with `./`, which Claude Code refuses"
    place = os.path.normpath(os.path.join(file.file.root, *path.split("/")))
    if not tracked.within(file.root, place):
        return "leads out of the checked tree"
    if is_claude and place == os.path.join(file.file.root, "hooks", "hooks.json"):
        return "is loaded without being named, so that Claude Code refuses it as a duplicate"
    if "*" in path and not tracked.target_exists(place):
        return "is no path: Claude Code expands no `*`"
    if not tracked.target_exists(place):
        # The usual folder may be missing: other hosts then find no skills, and load the rest.
        return "" if path.strip("./") == "skills" and not is_claude else "is not there"
    is_folder = tracked.is_folder(place)
    if wanted == "folder" and not is_folder:
        parent = path.rpartition("/")[0]
        return f"is a file; name its folder{f', `{parent}`' if '/' in parent else ''}"
    if wanted.startswith(".") and is_folder:
        return f"is a folder; name its `{wanted}` files"
    return ""


class Entry(NamedTuple):
    """A plugin in a catalog, as written there: its keys, its place in the list, and its folder if it is local."""

    value: Mapping[str, Any]
    number: int
    folder: str

    @property
    def name(self) -> str:
        """Its name; empty where it is no text."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""


def entries_of(catalog: HostFile) -> Iterator[Entry]:
    """The plugins of a catalog, as far as they can be read."""
    value = catalog.value if isinstance(catalog.value, dict) else {}
    for number, plugin in objects_in(value, "plugins"):
        yield Entry(plugin, number, _local(catalog, value, plugin.get("source")))


def _local(catalog: HostFile, value: Mapping[str, Any], source: object) -> str:
    """The absolute folder of a local source; empty for others."""
    if isinstance(source, dict) and source.get("source") == "local":
        source = source.get("path")
    if not isinstance(source, str) or "://" in source or ".." in source.split("/"):
        return ""
    metadata = value.get("metadata")
    top = metadata.get("pluginRoot") if isinstance(metadata, dict) and not source.startswith("./") else ""
    return os.path.normpath(os.path.join(catalog.file.root, top if isinstance(top, str) else "", *source.split("/")))


@Predicate("catalog-entry-fault", Subject.HOST_FILE, values=("name", "fault"))
def catalog_entry_fault(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Entries of a catalog whose plugin is not there, or is another one; raised where nobody can install it."""
    if not file.kind.endswith("-marketplace"):
        return
    seen: dict[str, int] = {}
    gone = [entry for entry in entries_of(file) if entry.folder and not tracked.is_folder(entry.folder)]
    if gone:
        values = {"name": gone[0].name[:80], "fault": _all_gone(file, gone)}
        yield Match(file.path, *file.place("plugins", gone[0].number, "source"), values, raised=True)
    for entry in entries_of(file):
        for key, fault, is_fatal in _entry_faults(file, entry, seen):
            place = file.place("plugins", entry.number, key)
            edits = _same_version(file, entry, place) if key == "version" else ()
            yield Match(file.path, *place, {"name": entry.name[:80], "fault": fault}, edits, raised=is_fatal)
    yield from _lost_names(file, seen)


def _lost_names(file: HostFile, names: Container[object]) -> Iterator[Match]:
    """The earlier names of plugins that lead to no plugin of the list; null is for one that is gone."""
    given = file.value.get("renames") if isinstance(file.value, dict) else None
    renames: dict[str, object] = given if isinstance(given, dict) else {}
    for old, new in renames.items():
        # More steps than that, or a circle, lead nowhere.
        for _ in range(20):
            new = renames.get(new, new) if isinstance(new, str) and new not in names else new
        if isinstance(new, str) and new not in names:
            values = {"name": old[:80], "fault": f"is renamed to `{short(new)}`, which the list does not have"}
            yield Match(file.path, *file.place("renames", old), values)


def _entry_faults(file: HostFile, entry: Entry, seen: dict[str, int]) -> Iterator[tuple[str, str, bool]]:
    """The key, the fault as a clause, and whether nobody can install the plugin."""
    source = entry.value.get("source")
    if entry.name in seen:
        yield "name", "stands twice, and the host takes neither for sure", True
    seen.setdefault(entry.name, entry.number)
    if isinstance(source, str) and ".." in source.split("/"):
        yield "source", f"has the source `{source[:80]}`, and hosts refuse `..`", True
        return
    if not entry.folder or not tracked.within(file.root, entry.folder) or not tracked.is_folder(entry.folder):
        return
    manifest = _manifest_of(file, entry)
    own = manifest.value if manifest and isinstance(manifest.value, dict) else {}
    name = own.get("name")
    if isinstance(name, str) and name != entry.name:
        yield "name", f"is `{name[:80]}` in its plugin.json", False
    version = own.get("version")
    written = entry.value.get("version")
    if isinstance(version, str) and isinstance(written, str) and version != written:
        yield "version", f"is {written[:40]} here and {version[:40]} in its plugin.json, which counts", False


def _order(version: str) -> list[int]:
    """The numbers of a version, by which two are compared."""
    return [int(part[:9]) for part in re.findall(r"\d+", version.partition("+")[0])]


def _manifest_of(file: HostFile, entry: Entry) -> HostFile | None:
    """The manifest of a local plugin for the host of a catalog."""
    host = file.kind.partition("-")[0]
    path = os.path.join(entry.folder, f".{host}-plugin", "plugin.json")
    is_own = tracked.is_file(path) and tracked.within(file.root, path)
    return HostFile(HostFilePath(path, f"{host}-plugin", entry.folder), file.root) if is_own else None


def _all_gone(file: HostFile, gone: list[Entry]) -> str:
    """What is wrong with sources that are not there, as one clause: most often they have one cause."""
    root = file.file.root
    others = f", and so have {len(gone) - 1} more of the list" if len(gone) > 1 else ""
    inner = [os.path.relpath(entry.folder, root) for entry in gone]
    for name in sorted(tracked.names(root)):
        if all(tracked.is_folder(os.path.join(root, name, path)) for path in inner):
            return f"has a source that is not there{others}; {'they are' if others else 'it is'} in `{name}/`"
    return f"has a source that is not there, `{inner[0][:80].replace(os.sep, '/')}`{others}"


def _same_version(file: HostFile, entry: Entry, place: tuple[int, int]) -> tuple[TextEdit, ...]:
    """The edit that gives an entry the version of its plugin."""
    manifest = _manifest_of(file, entry)
    version = manifest.value.get("version") if manifest else None
    scalar = file.scalar("plugins", entry.number, "version")
    is_plain = isinstance(version, str) and version.isascii() and '"' not in version and "\\" not in version
    # Of one that is earlier in the manifest, its author may have forgotten that.
    if scalar is None or not is_plain or _order(str(version)) <= _order(str(entry.value.get("version"))):
        return ()
    return (TextEdit(file.path, scalar[0], scalar[1], f'"{version}"'),)


@Predicate("plugin-unlisted", Subject.HOST_FILE, values=("plugin",))
def plugin_unlisted(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Plugins beside those of a catalog, in the same folder, that it does not list."""
    if file.kind != "claude-marketplace":
        return
    listed = {entry.folder for entry in entries_of(file) if entry.folder}
    for parent in sorted({os.path.dirname(folder) for folder in listed} - {os.path.dirname(file.file.root)}):
        for name in sorted(tracked.names(parent)) if tracked.is_folder(parent) else ():
            folder = os.path.join(parent, name)
            if folder not in listed and tracked.is_file(os.path.join(folder, *_MANIFEST.split("/"))):
                plugin = os.path.relpath(folder, file.file.root).replace(os.sep, "/")
                yield Match(file.path, *file.place("plugins"), {"plugin": plugin})


@Predicate("plugin-memory", Subject.HOST_FOLDER, values=("name",))
def plugin_memory(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """A `CLAUDE.md` at the root of a plugin, which is not loaded; that of a whole repository is for its authors."""
    is_repository = any(tracked.exists(os.path.join(folder.root, name)) for name in (".git", MARKETPLACE))
    if is_repository or not folder.of_kind("claude-plugin"):
        return
    for file in folder.of_kind(*MEMORY):
        if file.relative == "CLAUDE.md":
            yield Match(file.path, values={"name": file.relative})


@Predicate("user-config-unknown", Subject.HOST_FOLDER, values=("name", "hint"))
def user_config_unknown(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Settings of a plugin that its hooks and servers take, and that its manifest does not ask the user for."""
    for manifest in folder.of_kind("claude-plugin"):
        given = [manifest.value, *(channel for _, channel in objects_in(manifest.value, "channels"))]
        configs = [each.get("userConfig") for each in given if isinstance(each, dict)]
        known = {key for config in configs if isinstance(config, dict) for key in config}
        for file in folder.of_kind("claude-plugin", "claude-servers", "claude-hooks") if given[0] else ():
            for match in _CONFIG().finditer(getattr(file.document, "text", "")):
                if match["name"] not in known:
                    values = {"name": short(match["name"]), "hint": nearest(match["name"], known, "`{}`")}
                    yield Match(file.path, *match.span(), values)


@Predicate("plugin-part-misplaced", Subject.HOST_FOLDER, values=("part",))
def plugin_part_misplaced(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Skills, commands, agents and hooks beside the manifest of a plugin, where Claude Code does not look for them."""
    for manifest in folder.of_kind("claude-plugin"):
        text = getattr(manifest.document, "text", "")
        for part in ("skills", "commands", "agents", "hooks"):
            is_known = f".claude-plugin/{part}" in text or tracked.exists(os.path.join(folder.root, part))
            if not is_known and tracked.is_folder(os.path.join(folder.root, ".claude-plugin", part)):
                yield Match(manifest.path, values={"part": part})


@Predicate("cursor-hooks-shape", Subject.HOST_FOLDER, values=("file",))
def cursor_hooks_shape(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Hooks in the form of Claude Code that Cursor reads too, since its manifest names no other file."""
    manifests = folder.of_kind("cursor-plugin")
    if not any(isinstance(file.value, dict) and "hooks" not in file.value for file in manifests):
        return
    for file in folder.of_kind("claude-hooks"):
        events = file.value.get("hooks") if isinstance(file.value, dict) else None
        groups = [item for event in events for _, item in objects_in(events, event)] if isinstance(events, dict) else []
        if file.relative == "hooks/hooks.json" and any("hooks" in group for group in groups):
            yield Match(file.path, *file.place("hooks"), {"file": file.relative})
