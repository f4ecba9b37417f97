"""Skills as the broker knows them, and what the user must be asked about them (skill runtime, section 5)."""

from __future__ import annotations

from skillbag.base.errors import format_error
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import FoundSkill, Grantee
from skillbag.workspace.tree_hash import tree_hash


def grantee_of(found: FoundSkill) -> Grantee:
    """The skill with the hash of its content as it is now. One without permissions needs no hash.

    Raises:
        RuntimeFaultError: its folder can't be read.
    """
    declared = frozenset(found.manifest.permissions)
    try:
        content = tree_hash(found.directory, others=True) if declared else ""
    except OSError as error:
        raise RuntimeFaultError(f'skill "{found.name}" can\'t be read: {format_error(error)}') from error
    return Grantee(found.name, found.origin, content, found.source, declared)
