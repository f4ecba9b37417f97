"""The part of `skillbag.lock` that says what `skillbag link` made. Read back, it is hostile until checked."""

from __future__ import annotations

from typing import Any

from skillbag.workspace.agent_links import AGENT_FOLDERS, Links, is_link_folder, is_link_path

_KEYS = {"agents", "copy", "folders", "made"}


def links_values(links: Links) -> dict[str, Any]:
    """As the lock has it: equal for equal links."""
    made = dict(sorted(links.made.items()))
    return {"agents": sorted(links.agents), "copy": links.copy, "folders": list(links.folders), "made": made}


def links_fault(value: object) -> str | None:
    """What is wrong with the lock's `links`, in a few words; None where it is what `links_values` gives."""
    if not isinstance(value, dict) or value.keys() != _KEYS:
        return f"must have {', '.join(f'`{key}`' for key in sorted(_KEYS))}, and nothing else"
    if not isinstance(value["copy"], bool):
        return "must say true or false for `copy`"
    if not _are_texts(value["agents"]) or not set(value["agents"]) <= AGENT_FOLDERS.keys():
        return f"must list agents of {', '.join(AGENT_FOLDERS)}"
    if not _are_texts(value["folders"]) or not all(map(is_link_folder, value["folders"])):
        return "must list folders of agents, and no others"
    made = value["made"]
    if not isinstance(made, dict) or not all(is_link_path(path) and _is_made(tree) for path, tree in made.items()):
        return "must name paths in the folders of agents, each with null or the hash of a copy"
    return None


def links_of(value: dict[str, Any]) -> Links:
    """The links of a value without fault."""
    return Links(tuple(value["agents"]), value["copy"], value["made"], tuple(value["folders"]))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_made(value: object) -> bool:
    if value is None:
        return True
    digits = value.removeprefix("sha256:") if isinstance(value, str) and value.startswith("sha256:") else ""
    return len(digits) == 64 and set(digits) <= set("0123456789abcdef")
