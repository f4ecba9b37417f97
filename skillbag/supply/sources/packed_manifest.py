"""The manifests of a packed skill, compared with what was asked for, before the skill is unpacked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbag.kernel.documents import nodes
from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.nodes import Scalar, YamlError, parse_yaml
from skillbag.kernel.documents.source import DocumentProblem, decode
from skillbag.kernel.manifest.versions import is_version
from skillbag.kernel.workspace.target import MANIFEST_FILE, SKILL_FILE
from skillbag.supply.sources.entry_names import quoted

MANIFESTS = (MANIFEST_FILE, SKILL_FILE)
MAX_MANIFEST = 1 << 20
"""Largest manifest that is read, in bytes."""


def manifest_faults(files: Mapping[str, bytes], name: str, version: str) -> Iterator[str]:
    """Why the manifests of a skill (by file name) are not those of `name` at `version`; a sentence each.

    A `SKILL.md` need not state a version.
    """
    if not any(file in files for file in MANIFESTS):
        yield f"the archive holds no `{MANIFEST_FILE}` and no `{SKILL_FILE}`, at its root or in a single folder"
    for file in MANIFESTS:
        if file in files:
            yield from _faults(file, files[file], name, version)


def _faults(file: str, raw: bytes, name: str, version: str) -> Iterator[str]:
    found = _mapping(file, raw)
    if isinstance(found, str):
        yield f"`{file}` can't be read: {found}"
        return
    stated_name, stated_version = _text(found, "name"), _text(found, "version")
    if stated_name != name:
        yield f"`{file}` is of the skill {quoted(stated_name)}, and {name} was asked for"
    if stated_version != version and (file == MANIFEST_FILE or is_version(stated_version)):
        yield f"`{file}` is of the version {quoted(stated_version)}, and {version} was asked for"


def _mapping(file: str, raw: bytes) -> nodes.Mapping | str:
    """The values of a manifest, or why it has none."""
    document = decode(file, raw)
    if isinstance(document, DocumentProblem):
        return document.detail
    if file == SKILL_FILE:
        matter = front_matter(document)
        return matter.detail if isinstance(matter, DocumentProblem) else matter.mapping
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        return node.detail
    return node if isinstance(node, nodes.Mapping) else "it is not a list of `key: value`"


def _text(mapping: nodes.Mapping, key: str) -> str:
    node = mapping.get(key)
    return collapse(node.value) if isinstance(node, Scalar) else ""
