"""The one reader of manifests, for `check` and for the runtime (skill runtime, sections 1 and 2)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from operator import attrgetter

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.kernel.manifest.names import MANIFEST_FILE, BackendKind, ExecutionMode, SkillType
from skillbag.kernel.manifest.paths import SkillFiles
from skillbag.kernel.manifest.shapes import FaultKind, ManifestFault, quoted, record
from skillbag.kernel.manifest.values import Implementation, Manifest
from skillbag.kernel.manifest.walk import NamedFile, Walk, Where, shown
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import MAX_NAME, SKILL_FILE

_MODULE = late(r"([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*):[A-Za-z_][A-Za-z0-9_]*")
_PROGRAM = late(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_BACKEND: Where = (((), "implementation"), "backend")
_ENTRYPOINT: Where = (((), "implementation"), "entrypoint")
NOTHING_STATED = Manifest("", "", "", ())
"""A manifest without values."""

_FORKED = {SkillType.PROMPT, SkillType.TOOL}


def check_conditions(walk: Walk, root: Mapping, found: Manifest) -> None:
    """Add what is wrong between the usable values `found` of a manifest, whose node is `root`."""
    _backend(walk, root, found)
    _entrypoint(walk, root, found.implementation)
    types = set(found.types)
    if found.execution_mode is ExecutionMode.FORK and not types <= _FORKED:
        message = "execution_mode fork is for the skill types prompt and tool alone"
        walk.fault(FaultKind.VALUE, message, ((), "execution_mode"), root.get("execution_mode"))
    for name in _dependency_names(root.get("dependencies")):
        if name.value == found.name:
            walk.fault(FaultKind.VALUE, f"skill {quoted(name.value)} depends on itself", ((), "dependencies"), name)


def _dependency_names(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar):
            yield name


def _backend(walk: Walk, root: Mapping, found: Manifest) -> None:
    implementation = root.get("implementation")
    if implementation is not None and not isinstance(implementation, Mapping):
        return
    if implementation is not None and implementation.entry("backend") is not None:
        return
    place = implementation or root.get("types")
    coded = [kind for kind in found.types if kind is not SkillType.PROMPT and not _is_data(kind, found)]
    for kind in coded:
        message = f"implementation.backend is required for non-prompt skill type {quoted(kind)}"
        walk.fault(FaultKind.MISSING, message, _BACKEND, place)
    if implementation is not None and not coded:
        walk.fault(FaultKind.MISSING, "implementation.backend is required", _BACKEND, place)


def _is_data(kind: SkillType, found: Manifest) -> bool:
    """Whether a type has no code: security rules of a file alone."""
    rules = found.security_rules
    return kind is SkillType.SECURITY_RULE and rules is not None and bool(rules.sast_rules_file) and not rules.scanners


def _entrypoint(walk: Walk, root: Mapping, implementation: Implementation | None) -> None:
    node = root.get("implementation")
    if implementation is None or not isinstance(node, Mapping) or implementation.backend is BackendKind.MCP:
        return
    text, place = implementation.entrypoint, node.get("entrypoint")
    if not text.strip():
        if not isinstance(place, Scalar | None):
            return
        message = "implementation.entrypoint is required when backend is specified"
        walk.fault(FaultKind.MISSING, message, _ENTRYPOINT, place or node)
    elif place is not None:
        _entrypoint_file(walk, implementation.backend, text, place)


def _entrypoint_file(walk: Walk, backend: BackendKind, text: str, place: Node) -> None:
    """Note the file that an entrypoint names: a module may be a folder, and a program be found on the PATH."""
    if backend is BackendKind.PLUGIN and ":" in text:
        module = _MODULE().fullmatch(text)
        if module is None:
            message = f"invalid entrypoint {quoted(text)} (must be a file of the skill, or module:NAME)"
            walk.fault(FaultKind.VALUE, message, _ENTRYPOINT, place)
        else:
            path = module[1].replace(".", "/")
            walk.files.append(NamedFile(_ENTRYPOINT, f"{path}.py", place, f"{path}/__init__.py"))
    elif backend is not BackendKind.PROCESS or not _PROGRAM().fullmatch(text):
        walk.files.append(NamedFile(_ENTRYPOINT, text, place))


MANIFEST = record(Manifest)
"""Every field of `SKILL.yaml`."""

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
    found: Manifest = walk.fields(MANIFEST, node, otherwise=NOTHING_STATED)
    check_conditions(walk, node, found)
    check_files(walk, directory)
    body = _compare(walk, node, found, read_document(os.path.join(directory, SKILL_FILE), root))
    return made(document, node, walk, found, "" if found.prompt and found.prompt.system_prompt_file else body)


def unreadable(problem: DocumentProblem, document: Document | None = None, offset: int = 0) -> ManifestFile:
    """What was read of a manifest that has no values."""
    place = Position(problem.line, problem.column)
    fault = ManifestFault(FaultKind.UNREADABLE, problem.detail, "", offset, offset, place)
    return ManifestFile(problem.path, None, (fault,), document)


def made(document: Document, node: Mapping, walk: Walk, found: Manifest, instructions: str) -> ManifestFile:
    """What was read of a manifest whose usable values are `found`."""
    faults = tuple(sorted(walk.faults, key=attrgetter("start")))
    manifest = None if any(fault.is_error for fault in faults) else found
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


def _compare(walk: Walk, node: Mapping, found: Manifest, document: Document | DocumentProblem) -> str:
    """Add what differs from the `SKILL.md` beside the manifest; its body, empty where there is none."""
    if isinstance(document, DocumentProblem):
        return ""
    matter = front_matter(document)
    if isinstance(matter, DocumentProblem):
        return ""
    for key, value in _stated(matter):
        mine = found.name if key == "name" else found.description
        if mine and collapse(mine) != collapse(value):
            message = f"{key} differs from the one in {SKILL_FILE} beside it, {quoted(collapse(value))}"
            walk.fault(FaultKind.MISMATCH, message, ((), key), node.get(key))
    if len(found.name) > MAX_NAME:
        message = f"name exceeds the maximum length beside a {SKILL_FILE} ({len(found.name)} > {MAX_NAME})"
        walk.fault(FaultKind.MISMATCH, message, ((), "name"), node.get("name"))
    return document.text[matter.body :]


def _stated(matter: FrontMatter) -> Iterator[tuple[str, str]]:
    for key in ("name", "description"):
        value = matter.mapping.get(key)
        if isinstance(value, Scalar):
            yield key, value.value


class ActiveSkill(NamedTuple):
    """A skill with a `SKILL.yaml`, and what was read of that."""

    skill: Skill
    file: ManifestFile

    @cached_property
    def found(self) -> dict[str, object]:
        """What rules found out about the skill for each other, by their own keys."""
        return {}


def read_active_skill(skill: Skill) -> ActiveSkill:
    """The skill with its manifest."""
    return ActiveSkill(skill, read_manifest(skill.directory, skill.root))
