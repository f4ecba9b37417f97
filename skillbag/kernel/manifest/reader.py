"""The one reader of manifests, for `check` and for the runtime (skill runtime, sections 1 and 2)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.nodes import Mapping, Scalar, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.kernel.manifest.conditions import check_conditions
from skillbag.kernel.manifest.faults import FaultKind, ManifestFault, quoted
from skillbag.kernel.manifest.fields import MANIFEST
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.manifest.paths import SkillFiles
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.manifest.walk import Walk, shown
from skillbag.kernel.workspace.target import MAX_NAME, SKILL_FILE

LIMIT = 256 * 1024
"""The largest manifest, in bytes."""


class ManifestFile(NamedTuple):
    """What was read of the manifest at `path` (absolute): the `manifest`, or the errors for which there is none.

    `faults` are all errors and remarks, by place. `document` and `mapping` are the text and its root where they can be
    read. `instructions` is the body of `SKILL.md`, if there is one and the manifest names no other prompt. `files` are
    the paths that were looked for in the skill's folder.
    """

    path: str
    manifest: Manifest | None
    faults: tuple[ManifestFault, ...]
    document: Document | None = None
    mapping: Mapping | None = None
    instructions: str = ""
    files: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[ManifestFault, ...]:
        """The faults for which the skill can't be used."""
        return tuple(fault for fault in self.faults if fault.is_error)


def read_manifest(directory: str, root: str) -> ManifestFile:
    """Read `SKILL.yaml` in the folder `directory` of the tree at `root`; what is wrong with it becomes a fault."""
    path = os.path.join(directory, MANIFEST_FILE)
    document = read_document(path, root)
    if isinstance(document, DocumentProblem):
        return unreadable(document)
    if len(document.raw) > LIMIT:
        detail = f"the manifest is larger than {LIMIT >> 10} KiB"
        return unreadable(DocumentProblem(path, "too-large", detail))
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        problem = DocumentProblem(path, node.kind, node.detail, *document.position(node.offset))
        return unreadable(problem, document, node.offset)
    if not isinstance(node, Mapping):
        offset = node.start if node else 0
        detail = "the manifest is not a list of `key: value`" if node else "the manifest is empty"
        return unreadable(DocumentProblem(path, "not-a-mapping", detail, *document.position(offset)), document, offset)
    walk = Walk(document)
    found = walk.fields(MANIFEST, node)
    check_conditions(walk, node, found)
    check_files(walk, directory)
    body = _compare(walk, node, found, read_document(os.path.join(directory, SKILL_FILE), root))
    prompt = found.get("prompt")
    return made(document, node, walk, found, "" if prompt and prompt.system_prompt_file else body)


def unreadable(problem: DocumentProblem, document: Document | None = None, offset: int = 0) -> ManifestFile:
    """What was read of a manifest that has no values."""
    place = Position(problem.line, problem.column)
    fault = ManifestFault(FaultKind.UNREADABLE, problem.detail, "", offset, offset, place)
    return ManifestFile(problem.path, None, (fault,), document)


def made(document: Document, node: Mapping, walk: Walk, found: dict[str, Any], instructions: str) -> ManifestFile:
    """What was read of a manifest whose usable values are `found`."""
    faults = tuple(sorted(walk.faults, key=attrgetter("start")))
    manifest = None if any(fault.is_error for fault in faults) else Manifest(**found)
    files = tuple(path for file in walk.files for path in (file.path, file.otherwise) if path)
    return ManifestFile(document.path, manifest, faults, document, node, instructions, files)


def check_files(walk: Walk, directory: str) -> None:
    """Add the paths that name no file of the skill in `directory`."""
    files = SkillFiles(directory)
    for file in walk.files:
        reason = files.fault(file.path)
        if reason and (not file.otherwise or files.fault(file.otherwise)):
            text = file.node.value if isinstance(file.node, Scalar) else file.path
            walk.fault(FaultKind.PATH, f"{shown(file.where)}: {quoted(text)} {reason}", file.where, file.node)


def _compare(walk: Walk, node: Mapping, found: dict[str, Any], document: Document | DocumentProblem) -> str:
    """Add what differs from the `SKILL.md` beside the manifest; its body, empty where there is none."""
    if isinstance(document, DocumentProblem):
        return ""
    matter = front_matter(document)
    if isinstance(matter, DocumentProblem):
        return ""
    for key, value in _stated(matter):
        mine = found.get(key)
        if mine is not None and collapse(mine) != collapse(value):
            message = f"{key} differs from the one in {SKILL_FILE} beside it, {quoted(collapse(value))}"
            walk.fault(FaultKind.MISMATCH, message, ((), key), node.get(key))
    if len(found.get("name", "")) > MAX_NAME:
        message = f"name exceeds the maximum length beside a {SKILL_FILE} ({len(found['name'])} > {MAX_NAME})"
        walk.fault(FaultKind.MISMATCH, message, ((), "name"), node.get("name"))
    return document.text[matter.body :]


def _stated(matter: FrontMatter) -> Iterator[tuple[str, str]]:
    for key in ("name", "description"):
        value = matter.mapping.get(key)
        if isinstance(value, Scalar):
            yield key, value.value
