"""Symbolic links within a source: each must stay within its skill, by whatever other links it leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbag.sources.agent_skills_layout import PlainParts
from skillbag.sources.entry_names import folded, quoted, target_fault

SKILLS = ".skills"
_MOST_HOPS = 40
"""As many as Linux follows."""


def scope(path: str, plain: PlainParts | None = None) -> str:
    """The folder that a link at `path` may not leave: its skill, which moves on its own, or `.skills`, or the source
    (an empty string). `plain` are the parts of a plain repository.
    """
    if plain is not None:
        return plain.scope(path)
    parts = path.split("/")
    if parts[0] != SKILLS:
        return ""
    return "/".join(parts[:2]) if len(parts) > 2 else SKILLS


def link_faults(links: Mapping[str, str], plain: PlainParts | None = None) -> Iterator[tuple[str, str]]:
    """The links (path to target) that may not be as they are, each with its reason."""
    targets = {folded(path): target for path, target in links.items()}
    for path, target in links.items():
        if fault := target_fault(target) or _way_fault(path, target, targets, scope(path, plain)):
            yield path, fault


def _way_fault(path: str, target: str, targets: Mapping[str, str], inside: str) -> str | None:
    """Why the way from `path` to `target` is refused: followed name by name, as the system would, links and all."""
    depth = len(inside.split("/")) if inside else 0
    here = path.split("/")[:-1]
    ahead = target.split("/")[::-1]
    hops = 0
    while ahead:
        name = ahead.pop()
        if name == "..":
            if len(here) <= depth:
                return _leaving(target, inside)
            here.pop()
        elif name not in ("", "."):
            here.append(name)
            if (next_ := targets.get(folded("/".join(here)))) is not None:
                hops += 1
                if hops > _MOST_HOPS:
                    return f"the link to {quoted(target)} leads in a circle"
                here.pop()
                ahead += next_.split("/")[::-1]
    return None


def _leaving(target: str, inside: str) -> str:
    if inside in ("", SKILLS):
        return f"the link to {quoted(target)} leaves {inside or 'the source'}"
    return f"the link to {quoted(target)} leaves its skill, which is installed on its own; a copy has to stand there"
