"""The facts about hosts that the program reads: a part of what `hosts/*.yaml` says, with sources and dates.

`schemas/host.schema.json` tells what each field means. `certainty` is A (documentation, specification, measured), B
(source of the host, text inside its program) or C (second hand); of a record that stands for several groups of facts,
the weakest. None: not known.
"""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.hosts.listing import ListingFacts as ListingFacts


class FolderFact(NamedTuple):
    """A folder in which the host looks for skills; `scope` is project, nested, user, admin, plugin or bundled."""

    path: str
    scope: str


class DiscoveryFacts(NamedTuple):
    """How it finds skills in these folders; `depth` counts folders below them down to SKILL.md, 1000 means any."""

    depth: int | None = None
    certainty: str = ""


class PrecedenceFacts(NamedTuple):
    """Of two skills with one name, which one `wins` in the `order`: first, last, or all of them."""

    wins: str = ""
    order: tuple[str, ...] = ()


class KeyFact(NamedTuple):
    """A key of front matter; `file` is skill, agent, command or another kind."""

    name: str
    file: str = "skill"


class ToolFact(NamedTuple):
    """Names of a tool; `state` is present, alias or gone."""

    names: tuple[str, ...]
    state: str = "present"


class EventFact(NamedTuple):
    """An event of hooks. Without `matcher` it ignores matchers; `values` are what these are compared with."""

    name: str
    matcher: bool = True
    values: tuple[str, ...] = ()


class MemoryFacts(NamedTuple):
    """Files that it reads at the start of each session."""

    names: tuple[str, ...] = ()
    import_mark: str = ""
    import_depth: int | None = None
    max_bytes: int | None = None
    file_max_bytes: int | None = None
    advised_lines: int | None = None


class HostFacts(NamedTuple):
    """What the program needs to know of a host."""

    id: str
    title: str
    folders: tuple[FolderFact, ...] = ()
    discovery: DiscoveryFacts = DiscoveryFacts()
    precedence: PrecedenceFacts = PrecedenceFacts()
    keys: tuple[KeyFact, ...] = ()
    tools: tuple[ToolFact, ...] = ()
    events: tuple[EventFact, ...] = ()
    listing: ListingFacts = ListingFacts()
    memory: MemoryFacts = MemoryFacts()
