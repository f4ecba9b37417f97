"""A skill of a registry as a personal skill: fetched and judged, then copied like any folder.

Personal skills have no lock. What each version was is in the user's state folder, which outlives the cache.
"""

from __future__ import annotations

import os
from contextlib import closing

from skillbag.agents.personal.skills import PersonalChange, add_personal_skill
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.transaction.locations import Notice
from skillbag.supply.install.confirmation import Prompter
from skillbag.supply.install.request import is_of_registry, parse_origin
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.cache import Cache
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import HASH
from skillbag.supply.sources.registry_fetch import replaced


def add_personal(
    root: str | None,
    given: str,
    *,
    dry_run: bool = False,
    notice: Notice | None = None,
    accept_moved: bool = False,
    prompter: Prompter | None = None,
) -> PersonalChange:
    """As `add_personal_skill`, for a folder or for `registry:NAME@RANGE`.

    With `accept_moved` a version of a registry may be another one than was fetched or added before.

    Raises:
        ChangedVersionError: it is another one.
        UserError: also where the range is malformed, or the archive is broken or hostile.
        OSError: also where the skill can't be fetched.
    """
    if not is_of_registry(given):
        return add_personal_skill(root, given, dry_run=dry_run, notice=notice, prompter=prompter)
    origin = parse_origin(given)
    source = parse_source(origin.source or "", "/")
    with closing(Fetcher(own=True, accept_moved=accept_moved)) as fetcher:
        fetched = fetcher.fetch(source, origin.version)
        if fetched.plain is None or origin.name not in fetched.plain.folders:
            raise UserError(f"{source.declared}: it has no `SKILL.md`, which a personal skill must have")
        version, _, digest = (fetched.resolved or "").partition(f"@{HASH}")
        record, identity = Cache(os.path.join(state_folder(), "personal")), f"{source.identity}@{version}"
        known = record.remembered(identity)
        if known not in (None, digest) and not accept_moved:
            raise replaced(source, version, known, digest)
        folder = fetched.plain.folders[origin.name]
        change = add_personal_skill(root, folder, dry_run=dry_run, notice=notice, prompter=prompter)
        if not dry_run:
            record.remember(identity, digest)
        return change
