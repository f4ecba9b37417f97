"""A plain `SKILL.md` folder (Agent Skills) as an active skill of the type prompt (skill runtime, section 2)."""

from __future__ import annotations

import os

from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.manifest.names import SkillType
from skillbag.kernel.manifest.reader import MANIFEST, NOTHING_STATED, ManifestFile, check_files, made, unreadable
from skillbag.kernel.manifest.shapes import FaultKind, quoted
from skillbag.kernel.manifest.values import MAX_DESCRIPTION
from skillbag.kernel.manifest.versions import is_version
from skillbag.kernel.manifest.walk import UNUSABLE, Walk
from skillbag.kernel.workspace.target import SKILL_FILE, is_skill_name

UNVERSIONED = "0.0.0"
"""The version of a skill that states none."""

COUNTED = ("triggers", "permissions", "priority", "tools_allow", "tools_deny", "references", "commands", "agents")
"""The keys of the front matter that mean what they mean in `SKILL.yaml`."""


def prompt_manifest(directory: str, root: str, file: str = SKILL_FILE) -> ManifestFile:
    """The manifest for the `SKILL.md` (named `file`) in the folder `directory` of the tree at `root`.

    Its name and description have to be there. Everything else that is wrong is a remark, and does not count: other
    programs give the same keys other values.
    """
    document = read_document(os.path.join(directory, file), root)
    if isinstance(document, DocumentProblem):
        return unreadable(document)
    matter = front_matter(document)
    if isinstance(matter, DocumentProblem):
        return unreadable(matter, document)
    walk = Walk(document, is_error=False)
    read = {
        key: walk.read(MANIFEST.by_name[key].shape, node, ((), key))
        for key in COUNTED
        if (node := matter.mapping.get(key))
    }
    check_files(walk, directory)
    bad = {fault.where.partition("[")[0] for fault in walk.faults if fault.kind is FaultKind.PATH}
    usable = {key: value for key, value in read.items() if key not in bad and value is not UNUSABLE}
    strict = Walk(document)
    name, description = _named(strict, matter.mapping)
    if len(description) > MAX_DESCRIPTION:
        message = f"description exceeds maximum length ({len(description)} > {MAX_DESCRIPTION})"
        walk.fault(FaultKind.VALUE, message, ((), "description"), matter.mapping.get("description"))
    walk.faults += strict.faults
    version = _version(walk, matter.mapping)
    found = NOTHING_STATED._replace(**usable)._replace(
        name=name, description=description, version=version, types=(SkillType.PROMPT,)
    )
    return made(document, matter.mapping, walk, found, document.text[matter.body :])


def _named(walk: Walk, mapping: Mapping) -> tuple[str, str]:
    """The name, which may be any of the Agent Skills format, and the description."""
    name, description = _text(mapping.get("name")), _text(mapping.get("description"))
    for key, text in (("name", name), ("description", description)):
        if not text:
            place = mapping.get(key) or Scalar("", mapping.start, mapping.start, True)
            walk.fault(FaultKind.MISSING, f"{key} is required", ((), key), place)
    if name and not is_skill_name(name):
        walk.fault(FaultKind.VALUE, f"invalid name {quoted(name)}", ((), "name"), mapping.get("name"))
    return name, description


def _version(walk: Walk, mapping: Mapping) -> str:
    node = mapping.get("version")
    text = _text(node)
    if text and not is_version(text):
        message = f"invalid version {quoted(text)}; {UNVERSIONED} is taken for it"
        walk.fault(FaultKind.VALUE, message, ((), "version"), node)
        return UNVERSIONED
    return text or UNVERSIONED


def _text(node: Node | None) -> str:
    return collapse(node.value) if isinstance(node, Scalar) else ""
