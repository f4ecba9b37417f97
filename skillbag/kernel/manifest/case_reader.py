"""The one reader of test cases, for `check` and for `runtime test` (skill runtime, section 13)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.documents.nodes import Mapping, Node, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.manifest.cases import ABSENT, CASES_FOLDER, SkillTestCase
from skillbag.kernel.manifest.shapes import MAX_FAULTS, FaultKind, ManifestFault, quoted, record
from skillbag.kernel.manifest.walk import UNUSABLE, Walk, Where

CASE = record(SkillTestCase)
"""Every field of a case."""

ACTS = ("call", "run", "scan", "hook", "trigger")
"""The fields of which a case has one."""


class CaseFile(NamedTuple):
    """A file of cases at `path` (absolute): its usable cases, what is wrong with others, and its text and root node
    where they can be read. Every fault is an error."""

    path: str
    cases: tuple[SkillTestCase, ...]
    faults: tuple[ManifestFault, ...]
    document: Document | None = None
    root: Node | None = None


def case_files(directory: str) -> list[str]:
    """The absolute paths of the files of cases in the folder of a skill, sorted."""
    folder = os.path.join(directory, CASES_FOLDER)
    try:
        names = sorted(entry.name for entry in tracked.entries(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".yaml")]


def read_cases(path: str, directory: str) -> CaseFile:
    """Read a file of cases of the skill in `directory`: one mapping, or a list of them."""
    document = read_document(path, directory)
    if isinstance(document, DocumentProblem):
        return _unreadable(path, document.detail, Position(document.line, document.column))
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        return _unreadable(path, node.detail, document.position(node.offset), document, node.offset)
    if not isinstance(node, Mapping | Sequence):
        detail = "the file holds no case" if node is None else "a case is a mapping with `name` and `expect`"
        return _unreadable(path, detail, Position(1, 1), document)
    walk = Walk(document)
    cases = tuple(_cases(walk, node, document))
    return CaseFile(path, cases, tuple(sorted(walk.faults, key=lambda fault: fault.start)), document, node)


def _unreadable(path: str, detail: str, place: Position, document: Document | None = None, offset: int = 0) -> CaseFile:
    return CaseFile(path, (), (ManifestFault(FaultKind.UNREADABLE, detail, "", offset, offset, place),), document)


def _cases(walk: Walk, root: Mapping | Sequence, document: Document) -> Iterator[SkillTestCase]:
    nodes = [root] if isinstance(root, Mapping) else root.items
    names: set[str] = set()
    for number, node in enumerate(nodes):
        if len(walk.faults) >= MAX_FAULTS:
            return
        where: Where = () if isinstance(root, Mapping) else ((), number)
        before = len(walk.faults)
        case = walk.read(CASE, node, where)
        if case is UNUSABLE or len(walk.faults) > before:
            continue
        if message := _conflict(case, node) or (f"duplicate case name {quoted(case.name)}" * (case.name in names)):
            walk.fault(FaultKind.VALUE, message, where, node)
            continue
        names.add(case.name)
        yield case._replace(line=document.position(node.start).line, number=number)


def _conflict(case: SkillTestCase, node: Node) -> str:
    """What does not go together in a case; empty if all does."""
    keys = set(node.keys()) if isinstance(node, Mapping) else set()
    acts = [act for act in ACTS if act in keys and getattr(case, act)]
    if len(acts) != 1:
        return f"a case has one of {', '.join(ACTS)}, and this one has {' and '.join(acts) or 'none'}"
    expect, (act,) = case.expect, acts
    if expect == type(expect)():
        return "the case expects nothing: `expect` is empty"
    if expect.score is not None and act != "trigger":
        return "`score` belongs to a case with `trigger`"
    if expect.cancel is not None and act != "hook":
        return "`cancel` belongs to a case with `hook`"
    if act == "trigger" and (expect.value is not ABSENT or expect.contains):
        return "triggers give no value: expect a `score` or a `state`"
    return _host_conflict(case) or _files_conflict(case)


def _host_conflict(case: SkillTestCase) -> str:
    for number, call in enumerate(case.host):
        if not isinstance(call.args, dict):
            return f"host[{number}].args must be a mapping of names to values"
    if case.hook is not None and not isinstance(case.hook.data, dict):
        return "hook.data must be a mapping of names to values"
    return ""


def _files_conflict(case: SkillTestCase) -> str:
    for path in case.files:
        if any(other.startswith(f"{path}/") for other in case.files):
            return f"files: {path} is a file and a folder"
    return ""
