"""What the fields of a manifest ask of each other (skill runtime, section 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.manifest.faults import FaultKind, quoted
from skillbag.kernel.manifest.names import BackendKind, ExecutionMode, SkillType
from skillbag.kernel.manifest.values import Implementation, SecurityRules
from skillbag.kernel.manifest.walk import NamedFile, Walk, Where

_MODULE = late(r"([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*):[A-Za-z_][A-Za-z0-9_]*")
_PROGRAM = late(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_BACKEND: Where = (((), "implementation"), "backend")
_ENTRYPOINT: Where = (((), "implementation"), "entrypoint")
_FORKED = {SkillType.PROMPT, SkillType.TOOL}


def check_conditions(walk: Walk, root: Mapping, found: dict[str, Any]) -> None:
    """Add what is wrong between the usable values `found` of a manifest, whose node is `root`."""
    _backend(walk, root, found)
    _entrypoint(walk, root, found.get("implementation"))
    types = set(found.get("types", ()))
    if found.get("execution_mode") is ExecutionMode.FORK and not types <= _FORKED:
        message = "execution_mode fork is for the skill types prompt and tool alone"
        walk.fault(FaultKind.VALUE, message, ((), "execution_mode"), root.get("execution_mode"))
    for name in _dependency_names(root.get("dependencies")):
        if name.value == found.get("name"):
            walk.fault(FaultKind.VALUE, f"skill {quoted(name.value)} depends on itself", ((), "dependencies"), name)


def _dependency_names(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar):
            yield name


def _backend(walk: Walk, root: Mapping, found: dict[str, Any]) -> None:
    implementation = root.get("implementation")
    if implementation is not None and not isinstance(implementation, Mapping):
        return
    if implementation is not None and implementation.entry("backend") is not None:
        return
    place = implementation or root.get("types")
    coded = [kind for kind in found.get("types", ()) if kind is not SkillType.PROMPT and not _is_data(kind, found)]
    for kind in coded:
        message = f"implementation.backend is required for non-prompt skill type {quoted(kind)}"
        walk.fault(FaultKind.MISSING, message, _BACKEND, place)
    if implementation is not None and not coded:
        walk.fault(FaultKind.MISSING, "implementation.backend is required", _BACKEND, place)


def _is_data(kind: SkillType, found: dict[str, Any]) -> bool:
    """Whether a type has no code: security rules of a file alone."""
    rules: SecurityRules | None = found.get("security_rules")
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
