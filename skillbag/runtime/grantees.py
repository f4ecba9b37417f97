"""Skills as the broker knows them, and what the user must be asked about them (skill runtime, section 5)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from skillbag.base.errors import format_error
from skillbag.runtime.backends.launching import unconfined
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.settings import McpServer
from skillbag.runtime.skill import FoundSkill, Grantee, SkillSource
from skillbag.workspace.tree_hash import tree_hash


def grantee_of(found: FoundSkill, servers: Iterable[McpServer] = ()) -> Grantee:
    """The skill with the hash of its content as it is now. One without permissions needs no hash. That of an MCP server
    is of its settings.

    Raises:
        RuntimeFaultError: its folder can't be read.
    """
    declared = frozenset(found.manifest.permissions)
    try:
        if found.source is SkillSource.MCP:
            content = _server_hash(found, servers)
        else:
            content = tree_hash(found.directory, others=True) if declared else ""
    except OSError as error:
        raise RuntimeFaultError(f'skill "{found.name}" can\'t be read: {format_error(error)}') from error
    return Grantee(found.name, found.origin, content, found.source, declared)


def what_is_not_held(found: FoundSkill) -> tuple[str, ...]:
    """Sentences about what the system can't hold the skill's process to."""
    implementation = found.manifest.implementation
    return unconfined(implementation.backend, frozenset(found.manifest.permissions)) if implementation else ()


def _server_hash(found: FoundSkill, servers: Iterable[McpServer]) -> str:
    name = found.manifest.implementation.entrypoint if found.manifest.implementation else ""
    plain = [server._asdict() for server in servers if server.name == name]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
