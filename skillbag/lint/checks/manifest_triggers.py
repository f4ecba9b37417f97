"""Triggers of a manifest that never match, and keywords that match nearly everything."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Scalar, Sequence
from skillbag.kernel.manifest.names import MODES
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_LANGUAGE = late(r"[a-z0-9][a-z0-9+#_-]*")


def _triggers(active: ActiveSkill) -> Iterator[tuple[str, Scalar]]:
    """Every trigger with its list, in file order."""
    mapping = active.file.mapping if active.file.manifest else None
    triggers = mapping.get("triggers") if mapping else None
    for key, value in triggers.entries if isinstance(triggers, Mapping) else ():
        for item in value.items if isinstance(value, Sequence) else ():
            if isinstance(item, Scalar):
                yield key.value, item


@Predicate("manifest-trigger-dead", Subject.MANIFEST, values=("kind", "trigger", "reason"))
def dead_trigger(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Triggers that match nothing, or nothing that an earlier one does not."""
    seen: set[tuple[str, str]] = set()
    for kind, item in _triggers(active):
        text = item.value
        folded = (kind, text.lower() if kind == "keywords" else text)
        reason = "it is there already" if folded in seen else _REASONS.get(kind, _none)(text)
        seen.add(folded)
        if reason:
            yield match_at(active.file.path, item, {"kind": kind, "trigger": short(text), "reason": reason})


def _none(_: str) -> str:
    return ""


def _of_file(pattern: str) -> str:
    """Why a pattern matches no path, which is relative to the workspace and has slashes."""
    if pattern.startswith(("/", "~")):
        return "paths are relative to the workspace"
    if "\\" in pattern:
        return "folders are separated by `/`"
    parts = pattern.removesuffix("/").split("/")
    if ".." in parts or "." in parts or "" in parts:
        return "no path has `.`, `..` or an empty name in it"
    return ""


def _of_mode(mode: str) -> str:
    return "" if mode in MODES else f"the modes are {', '.join(MODES)}"


def _of_language(language: str) -> str:
    return "" if _LANGUAGE().fullmatch(language) else "names of languages are in lower case, such as `python`"


_REASONS = {"files": _of_file, "modes": _of_mode, "languages": _of_language}


class ShortKeyword(NamedTuple):
    """`least`: the fewest characters of a keyword."""

    least: int = 3


@Predicate("manifest-keyword-short", Subject.MANIFEST, values=("keyword",), options=ShortKeyword)
def short_keyword(active: ActiveSkill, options: ShortKeyword) -> Iterator[Match]:
    """Keywords that are a part of many words."""
    for kind, item in _triggers(active):
        if kind == "keywords" and len(item.value.strip()) < options.least:
            yield match_at(active.file.path, item, {"keyword": item.value})
