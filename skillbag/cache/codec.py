"""What judging gave, as bytes that outlive the run: JSON, which can do no harm whoever wrote it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from skillbag.model.findings import (
    Edit,
    Finding,
    Level,
    MakeExecutable,
    Rename,
    TextEdit,
    WriteFile,
)
from skillbag.model.result import Aside, CheckedTarget, Result, RuleInfo
from skillbag.model.suppression import Suppression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.engine.verdict import Verdict
    from skillbag.workspace.skill import Description, SkillSummary
    from skillbag.workspace.target import SkillFolder

_EDITS: dict[str, type[Edit]] = {kind.__name__: kind for kind in (TextEdit, WriteFile, Rename, MakeExecutable)}


@cache
def _dump() -> Callable[[object], str]:
    import json

    return json.JSONEncoder(separators=(",", ":")).encode


def pack(verdict: Verdict) -> bytes:
    """A verdict as one line."""
    findings = pack_findings(verdict.findings)
    return _dump()([findings, verdict.suppressions, verdict.files, verdict.aside]).encode()


def unpack(data: bytes, root: str) -> Verdict:
    """The verdict of a line, on files of the target at `root`."""
    import json

    from skillbag.engine.verdict import Verdict

    findings, suppressions, files, aside = json.loads(data)
    meant = (Suppression(raw[0], tuple(raw[1]), *raw[2:]) for raw in suppressions)
    return Verdict(tuple(unpack_findings(findings, root)), tuple(meant), files, tuple(Aside(*one) for one in aside))


def pack_findings(findings: Sequence[Finding]) -> list[list[Any]]:
    """Findings as plain lists, without the root that they share."""
    return [[*f[:4], *f[5:13], [_packed(edit) for edit in f.edits]] for f in findings]


def unpack_findings(raw: list[list[Any]], root: str) -> list[Finding]:
    """The findings of plain lists."""
    return [_finding(one, root) for one in raw]


def _finding(raw: list[Any], root: str) -> Finding:
    rule, clause, level, path, *rest, edits = raw
    return Finding._make((rule, clause, Level(level), path, root, *rest, tuple(_edit(one) for one in edits), False))


def _packed(edit: Edit) -> list[Any]:
    return [type(edit).__name__, *edit]


def _edit(raw: list[Any]) -> Edit:
    return _EDITS[raw[0]](*raw[1:])


def pack_result(result: Result) -> dict[str, Any]:
    """A result as plain JSON values."""
    roots = list(dict.fromkeys(finding.root for finding in result.findings))
    return {
        "targets": result.targets,
        "roots": roots,
        "of": [roots.index(finding.root) for finding in result.findings],
        "findings": pack_findings(result.findings),
        "rules": result.rules,
        "suppressed": result.suppressed,
        "aside": result.aside,
    }


def unpack_result(plain: Mapping[str, Any]) -> Result:
    """The result of plain JSON values."""
    roots = plain["roots"]
    pairs = zip(plain["of"], plain["findings"], strict=True)
    findings = [unpack_findings([raw], roots[number])[0] for number, raw in pairs]
    rules = (RuleInfo(raw[0], raw[1], raw[2], Level(raw[3]), *raw[4:]) for raw in plain["rules"])
    targets = (CheckedTarget(*raw) for raw in plain["targets"])
    aside = tuple(Aside(*one) for one in plain["aside"])
    return Result(tuple(targets), tuple(findings), tuple(rules), suppressed=plain["suppressed"], aside=aside)


def pack_card(card: SkillSummary) -> bytes:
    """A card as one line, without the folder that it is about."""
    return _dump()(_plain_card(card)).encode()


def unpack_card(data: bytes, folder: SkillFolder) -> SkillSummary:
    """The card of a line, about the skill in a folder."""
    import json

    return _card(json.loads(data), folder.path, folder.skills_root)


def _plain_card(card: SkillSummary) -> list[Any]:
    inner = [[os.path.relpath(one.directory, card.directory), _plain_card(one)] for one in card.inner]
    return [os.path.basename(card.path), *card[4:8], inner]


def _card(raw: list[Any], directory: str, skills_root: str) -> SkillSummary:
    from skillbag.documents.source import DocumentProblem
    from skillbag.workspace.skill import Dependency, Located, SkillSummary

    file, name, description, dependencies, problem, inner = raw
    return SkillSummary(
        os.path.basename(directory),
        directory,
        os.path.join(directory, file),
        skills_root,
        Located(*name) if name else None,
        _description(description) if description else None,
        tuple(Dependency(Located(*raw[0]), *raw[1:]) for raw in dependencies),
        DocumentProblem(*problem) if problem else None,
        tuple([_card(one, os.path.join(directory, relative), skills_root) for relative, one in inner]),
    )


def _description(raw: list[Any]) -> Description:
    from skillbag.workspace.skill import Description, Located

    value, start, end, hidden, counts = raw
    return Description(value, start, end, Located(*hidden) if hidden else None, counts)
