"""The links in folders of agents after a change of the personal skills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.supply.links.reconcile import LinkAct
from skillbag.supply.links.user_links import known_record, link_user


def relink_personal(root: str, skills: Callable[[], Mapping[str, str]]) -> str:
    """Update the links to the skills (folders by name) in this root, if there are any.

    Returns a sentence about it, empty where nothing is linked.
    """
    record = known_record()
    if record is None or record.root != root or not record.agents:
        return ""
    try:
        rows = link_user(root, skills()).links
    except (UserError, OSError) as error:
        return f"The links in folders of agents were not updated ({format_error(error)}); skillbag link --user does it."
    counts = Counter(row.act for row in rows if row.act not in (LinkAct.KEPT, LinkAct.LEFT))
    changes = ", ".join(f"{number} {act.value}" for act, number in sorted(counts.items()))
    return f"Links in folders of agents: {changes}." if changes else ""
