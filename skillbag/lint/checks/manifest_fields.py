"""Faults of a manifest by kind, unknown keys with their fix, and values that are valid and probably not meant."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.fs import tracked
from skillbag.kernel.manifest.names import MODES, SkillType
from skillbag.kernel.manifest.reader import ActiveSkill, ManifestFile
from skillbag.kernel.manifest.shapes import FaultKind, ManifestFault
from skillbag.kernel.model.findings import TextEdit
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_OBVIOUS = 0.85
"""How alike a key and the one that it is meant to be are where it is renamed without a question."""


class FaultKinds(NamedTuple):
    """`kinds`: the kinds of fault to report."""

    kinds: tuple[str, ...] = ()


@Predicate("manifest-fault", Subject.MANIFEST, values=("detail",), options=FaultKinds)
def manifest_fault(active: ActiveSkill, options: FaultKinds) -> Iterator[Match]:
    """The faults of a manifest of some kinds."""
    for fault in active.file.faults:
        if fault.kind in options.kinds:
            yield _match(active.file, fault, {"detail": fault.message})


@Predicate("manifest-key-unknown", Subject.MANIFEST, values=("key", "nearest"))
def unknown_key(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Keys that a manifest does not have; an obvious misspelling is corrected."""
    for fault in active.file.faults:
        if fault.kind is FaultKind.KEY:
            meant = fault.suggestion
            nearest = f"; did you mean `{meant}`?" if meant else ""
            match = _match(active.file, fault, {"key": fault.where[:80], "nearest": nearest})
            yield match._replace(edits=_renaming(active.file, fault))


def _match(file: ManifestFile, fault: ManifestFault, values: dict[str, str]) -> Match:
    at = fault.position if file.document is None else None
    return Match(file.path, fault.start, fault.end, values, at=at)


def _renaming(file: ManifestFile, fault: ManifestFault) -> tuple[TextEdit, ...]:
    from difflib import SequenceMatcher

    written = file.document.text[fault.start : fault.end] if file.document else ""
    plain = written.lower().replace("-", "_")
    if not fault.suggestion or SequenceMatcher(None, plain, fault.suggestion).ratio() < _OBVIOUS:
        return ()
    return (TextEdit(file.path, fault.start, fault.end, fault.suggestion),)


_COMMON = (
    "0BSD AFL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.1 Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause"
    " BSL-1.0 BUSL-1.1 CC-BY-4.0 CC-BY-NC-4.0 CC-BY-NC-SA-4.0 CC-BY-SA-4.0 CC0-1.0 CDDL-1.0 ECL-2.0 EPL-1.0 EPL-2.0"
    " EUPL-1.2 GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later ISC LGPL-2.1-only LGPL-2.1-or-later"
    " LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MPL-1.1 MPL-2.0 MS-PL NCSA OFL-1.1 OSL-3.0 PostgreSQL Python-2.0"
    " Unlicense UPL-1.0 WTFPL Zlib ZPL-2.1"
)
LICENSES = frozenset(_COMMON.split())
"""Common licences; others of their form may exist."""

_MEANT = {name.lower().replace("-", "").replace(".", ""): name for name in LICENSES} | {
    "apache2": "Apache-2.0",
    "apachelicense20": "Apache-2.0",
    "mitlicense": "MIT",
    "bsd": "BSD-3-Clause",
    "gplv2": "GPL-2.0-only",
    "gplv3": "GPL-3.0-only",
    "gpl30": "GPL-3.0-only",
    "gpl20": "GPL-2.0-only",
    "agplv3": "AGPL-3.0-only",
    "lgplv3": "LGPL-3.0-only",
    "cc0": "CC0-1.0",
    "mpl2": "MPL-2.0",
}
_ID = r"(?:(?:DocumentRef-[A-Za-z0-9.-]+:)?[A-Za-z0-9][A-Za-z0-9.-]*\+?)"
_EXPRESSION = late(rf"\(*{_ID}\)*(?: (?:AND|OR|WITH) \(*{_ID}\)*)*")
_IDS = late(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_URL = late(r"https?://[^\s/?#@]+(?:[/?#]\S*)?")


def _node(active: ActiveSkill, key: str) -> Node | None:
    return active.file.mapping.get(key) if active.file.mapping else None


@Predicate("manifest-folder-mismatch", Subject.MANIFEST, values=("name", "folder"))
def folder_mismatch(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A name that differs from the folder's; with a `SKILL.md`, other rules compare them."""
    skill, manifest, node = active.skill, active.file.manifest, _node(active, "name")
    if manifest is None or node is None or "SKILL.md" in skill.paths or manifest.name == skill.folder:
        return
    # A skill that is a whole repository may be cloned into a folder of any name.
    if skill.directory == skill.root and tracked.exists(os.path.join(skill.directory, ".git")):
        return
    yield match_at(active.file.path, node, {"name": manifest.name, "folder": skill.folder})


@Predicate("manifest-license-unknown", Subject.MANIFEST, values=("license", "hint"))
def unknown_license(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A licence that is no SPDX expression, or a common one in another spelling."""
    manifest, node = active.file.manifest, _node(active, "license")
    if manifest is None or node is None or not manifest.license:
        return
    text = manifest.license
    meant = _MEANT.get(text.lower().replace("-", "").replace(".", "").replace(" ", ""), "")
    names = [] if len(text) > 500 or not _EXPRESSION().fullmatch(text) else _IDS().findall(text)
    respelled = [
        name for name in names if name not in LICENSES and name.lower().replace("-", "").replace(".", "") in _MEANT
    ]
    if names and not respelled:
        return
    hint = f"; did you mean `{meant}`?" if meant else ""
    yield match_at(active.file.path, node, {"license": short(text), "hint": hint})


@Predicate("manifest-homepage-invalid", Subject.MANIFEST, values=("homepage",))
def invalid_homepage(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A homepage that is no address of a web page."""
    manifest, node = active.file.manifest, _node(active, "homepage")
    if manifest and node and manifest.homepage and not _URL().fullmatch(manifest.homepage):
        yield match_at(active.file.path, node, {"homepage": short(manifest.homepage)})


@Predicate("manifest-prompt-missing", Subject.MANIFEST)
def missing_prompt(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A skill of the type prompt that has neither files of a prompt nor a `SKILL.md`."""
    manifest, node = active.file.manifest, _node(active, "types")
    if manifest is None or node is None or SkillType.PROMPT not in manifest.types:
        return
    prompt = manifest.prompt
    if not active.file.instructions and not (prompt and (prompt.system_prompt_file or prompt.context_files)):
        yield match_at(active.file.path, node)


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
