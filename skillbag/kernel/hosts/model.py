"""Facts about hosts. `hosts/*.yaml` has them with their sources, `schemas/host.schema.json` says what each field means.

`certainty` is A (documentation, specification, measured), B (source of the host, text inside its program) or C (second
hand); of a record that stands for several groups of facts, the weakest. None: not known.
"""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.hosts.listing import ListingFacts as ListingFacts

ANY_DEPTH = 1000
"""The depth of hosts that look into folders of any depth."""


class FolderFact(NamedTuple):
    """A folder in which the host looks for skills; `scope` is project, nested, user, admin, plugin or bundled."""

    path: str
    scope: str
    note: str = ""
    certainty: str = ""


class DiscoveryFacts(NamedTuple):
    """How it finds skills in these folders; `depth` counts folders below them down to SKILL.md."""

    depth: int | None = None
    folder_links: bool | None = None
    file_links: bool | None = None
    upwards: bool | None = None
    hidden: bool | None = None
    max_folders: int | None = None
    max_bytes: int | None = None
    note: str = ""
    certainty: str = ""


class PrecedenceFacts(NamedTuple):
    """Of two skills with one name, which one `wins` in the `order`: first, last, or all of them."""

    wins: str = ""
    order: tuple[str, ...] = ()
    note: str = ""
    certainty: str = ""


class NamingFacts(NamedTuple):
    """Limits of names and descriptions of skills."""

    name_max: int | None = None
    name_pattern: str = ""
    name_required: bool | None = None
    name_is_folder: bool | None = None
    description_max: int | None = None
    description_required: bool | None = None
    note: str = ""
    certainty: str = ""


class KeyFact(NamedTuple):
    """A key of front matter; `file` is skill, agent, command or another kind. `inert`: known there, without effect."""

    name: str
    type: str
    file: str = "skill"
    values: tuple[str, ...] = ()
    default: str = ""
    required: bool = False
    inert: bool = False
    max: int | None = None
    note: str = ""
    certainty: str = ""


class BodyFacts(NamedTuple):
    """What happens to the text of a skill before the model sees it: load `commands` run, `arguments` are put in."""

    commands: bool | None = None
    marks: tuple[str, ...] = ()
    arguments: bool | None = None
    escape: str = ""
    max_characters: int | None = None
    note: str = ""
    certainty: str = ""


class VariableFact(NamedTuple):
    """Words that it replaces `within` a skill, plugin, hooks or servers."""

    text: str
    within: str = "skill"
    note: str = ""
    certainty: str = ""


class ToolFact(NamedTuple):
    """Names of a tool; `means` is the tool of Claude Code that does the same, `state` is present, alias or gone."""

    names: tuple[str, ...]
    means: str = ""
    state: str = "present"
    certainty: str = ""


class HooksFacts(NamedTuple):
    """The `form` of its files of hooks (groups, flat or both), and how `matchers` match: search, whole or ignored."""

    form: str = ""
    top_keys: tuple[str, ...] = ()
    matchers: str = ""
    note: str = ""
    certainty: str = ""


class EventFact(NamedTuple):
    """An event of hooks. Without `matcher` it ignores matchers; `closed`: one bad entry makes the whole file void."""

    name: str
    matcher: bool = True
    values: tuple[str, ...] = ()
    closed: bool = False
    timeout: float | None = None
    note: str = ""
    certainty: str = ""


class HandlerFact(NamedTuple):
    """A type of hook with its fields; `*` stands for all types. `timeout` is the default in seconds."""

    type: str
    required: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    timeout: int | None = None
    runs: bool = True
    note: str = ""
    certainty: str = ""


class ServerFact(NamedTuple):
    """A file that names MCP servers, and the key that they stand under."""

    path: str
    key: str
    types: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    note: str = ""
    certainty: str = ""


class PlaceFact(NamedTuple):
    """Where files around skills are, `within` a project or plugin, `beside` others, or the `manifest` of a plugin."""

    pattern: str
    kind: str
    within: str
    certainty: str = ""


class PluginFacts(NamedTuple):
    """Plugins: where it looks for manifests and catalogs, in order, and which names it takes."""

    manifests: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    name_pattern: str = ""
    name_max: int | None = None
    reserved: tuple[str, ...] = ()
    reserved_beginnings: tuple[str, ...] = ()
    reserved_catalogs: tuple[str, ...] = ()
    unknown_keys: str = ""
    skills: str = ""
    hook_files: tuple[str, ...] = ()
    note: str = ""
    certainty: str = ""


class MemoryFacts(NamedTuple):
    """Files that it reads at the start of each session."""

    names: tuple[str, ...] = ()
    import_mark: str = ""
    import_depth: int | None = None
    max_bytes: int | None = None
    file_max_bytes: int | None = None
    advised_lines: int | None = None
    note: str = ""
    certainty: str = ""


class HostFacts(NamedTuple):
    """What is known of a host."""

    id: str
    title: str
    version: str
    folders: tuple[FolderFact, ...] = ()
    discovery: DiscoveryFacts = DiscoveryFacts()
    precedence: PrecedenceFacts = PrecedenceFacts()
    naming: NamingFacts = NamingFacts()
    keys: tuple[KeyFact, ...] = ()
    body: BodyFacts = BodyFacts()
    variables: tuple[VariableFact, ...] = ()
    tools: tuple[ToolFact, ...] = ()
    hooks: HooksFacts = HooksFacts()
    events: tuple[EventFact, ...] = ()
    handlers: tuple[HandlerFact, ...] = ()
    servers: tuple[ServerFact, ...] = ()
    places: tuple[PlaceFact, ...] = ()
    plugins: PluginFacts = PluginFacts()
    listing: ListingFacts = ListingFacts()
    memory: MemoryFacts = MemoryFacts()
