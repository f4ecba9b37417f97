"""Cache entries: the result of linting one skill, with the file-system queries that it depends on.

Verdicts, results and summaries of skills are kept as JSON, which is harmless to read even if it was tampered with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.fs.trace import Trace, recording
from skillbag.kernel.model.findings import (
    Edit,
    Finding,
    MakeExecutable,
    Moved,
    Rename,
    Severity,
    Suppression,
    TextEdit,
    WriteFile,
)
from skillbag.kernel.model.result import Aside, CheckedTarget, CheckResult, RuleInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.workspace.summary import SkillSummary
    from skillbag.kernel.workspace.target import SkillFolder
    from skillbag.lint.engine.verdict import Verdict

SETTLED = 2_000_000_000
"""Nanoseconds without a change after which a file's times are relied on: those of some systems are coarse."""

SEPARATOR = "\0"
"""Between two questions: no path has it."""

STAMP = tracked.WIDTH * 8
"""Bytes of a stamp."""


class CacheEntry(NamedTuple):
    """One entry: `questions`, joined, with `stamps` and a `digest` of the answers; a `verdict`, empty if all is well.

    The digest is in hex digits; `files` counts the files that were read; `summary` is that of a skill, packed. An entry
    without a digest is valid only in the process that made it: its dependencies are unknown, or it holds something that
    must not be stored.
    """

    questions: str
    stamps: bytes
    files: int
    digest: bytes
    verdict: bytes
    summary: bytes

    @property
    def subject(self) -> str:
        """The path of the first question: for a skill its folder, whose names are asked for first."""
        return self.questions.partition(SEPARATOR)[0][1:]


def split_questions(joined: Iterable[str]) -> Iterator[str]:
    """The questions of several entries, in order."""
    return (question for text in joined if text for question in text.split(SEPARATOR))


def entry_of(trace: Trace, verdict: Verdict, summary: bytes = b"") -> CacheEntry:
    """The entry for a verdict and a packed summary, with the questions of which they are made."""
    packed = b"" if verdict.is_empty else pack(verdict)
    is_sure = trace.sure and trace.touched <= trace.begun - SETTLED
    if is_sure and not holds_secrets(b"[%b,%b,%b]" % (dump(trace.questions), packed or b"0", summary or b"0")):
        stamps, digest = _settled(trace), trace.digest
    else:
        stamps, digest = _unknown(len(trace.questions)), b""
    return CacheEntry(SEPARATOR.join(trace.questions), stamps, verdict.files, digest, packed, summary)


def _settled(trace: Trace) -> bytes:
    if os.name == "nt" or max(trace.stamps[:: tracked.WIDTH], default=0) > trace.begun - SETTLED:
        # Windows has no time that a program could not set back.
        return _unknown(len(trace.questions))
    return trace.stamps.tobytes()


def _unknown(questions: int) -> bytes:
    """Stamps that differ from those of every file."""
    return b"\xff" * (questions * STAMP)


def holds_secrets(line: bytes) -> bool:
    """Whether something in a line of JSON would be masked in output; that is never stored."""
    from skillbag.kernel.secrets.detection import mask, may_tell

    if not may_tell(line):
        return False
    text = "\n".join(_texts(json.loads(line)))
    return mask(text) != text


def _texts(value: object) -> Iterator[str]:
    """The strings in a value of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def redact_for_cache(entry: CacheEntry) -> CacheEntry:
    """The entry as it is stored: without a digest, no more than its subject."""
    if entry.digest:
        return entry
    first = entry.questions.partition(SEPARATOR)[0]
    return CacheEntry(first, _unknown(bool(first)), 0, b"", b"", b"")


_QUERIES: dict[str, Callable[[str], object]] = {
    tracked.NAMES: tracked.probe_dir,
    tracked.MODE: tracked.mode,
    tracked.KIND: tracked.exists,
    tracked.REAL: tracked.real,
    tracked.LINK: tracked.link,
    tracked.VERSION: tracked.version,
}


def revalidate(root: str, entries: Sequence[CacheEntry]) -> list[CacheEntry | None]:
    """The entries whose questions still have the same answers, with new stamps; None for the others.

    Files are read within `root`.
    """
    found: list[CacheEntry | None] = []
    queries: dict[str, Callable[[str], object]] = {**_QUERIES, tracked.CONTENT: partial(read, root=root)}
    for entry in entries:
        with recording() as trace:
            for question in split_questions([entry.questions] if entry.digest else []):
                queries[question[0]](question[1:])
        is_same = entry.digest and trace.sure and trace.digest == entry.digest
        found.append(entry._replace(stamps=_settled(trace)) if is_same else None)
    return found


_EDITS: dict[str, type[Edit]] = {kind.__name__: kind for kind in (TextEdit, WriteFile, Rename, MakeExecutable)}
_encode = json.JSONEncoder(separators=(",", ":")).encode


def dump(value: object) -> bytes:
    """A value as one line of JSON."""
    return _encode(value).encode()


def pack(verdict: Verdict) -> bytes:
    """A verdict as one line."""
    lines: dict[str, int] = {}
    findings = [_pack_finding(finding, [finding.root], lines) for finding in verdict.findings]
    return dump([findings, [*lines], verdict.suppressions, verdict.files, verdict.aside])


def unpack(data: bytes, root: str) -> Verdict:
    """The verdict of a line, on files of the target at `root`."""
    from skillbag.lint.engine.verdict import Verdict

    findings, lines, raw_suppressions, files, aside = json.loads(data)
    suppressions = tuple([Suppression(raw[0], tuple(raw[1]), *raw[2:]) for raw in raw_suppressions])
    found = tuple([_unpack_finding(raw, [root], lines) for raw in findings])
    return Verdict(found, suppressions, files, tuple([Aside(*raw) for raw in aside]))


def _pack_finding(finding: Finding, roots: Sequence[str], lines: dict[str, int]) -> list[Any]:
    """A finding as a plain list, with the numbers of its root and its line.

    `lines` gets the line: a thousand findings may be on one of a megabyte.
    """
    edits = [[type(edit).__name__, *edit] for edit in finding.edits]
    line = lines.setdefault(finding.excerpt, len(lines))
    return [*finding[:4], roots.index(finding.root), *finding[5:11], line, finding.fingerprint, edits, *finding[15:17]]


def _unpack_finding(raw: Sequence[Any], roots: Sequence[str], lines: Sequence[str]) -> Finding:
    rule, clause, level, path, root, *rest, line, fingerprint, raw_edits, moved, cause = raw
    edits = tuple([_EDITS[kind](*fields) for kind, *fields in raw_edits])
    late = (edits, False, Moved(*moved) if moved else None, cause, ())
    return Finding._make((rule, clause, Severity(level), path, roots[root], *rest, lines[line], fingerprint, *late))


class PackedResult(NamedTuple):
    """The fields of a result in values that JSON has; its findings have the numbers of their roots and lines."""

    targets: Sequence[Sequence[Any]]
    findings: Sequence[Sequence[Any]]
    rules: Sequence[Sequence[Any]]
    suppressed: int
    baselined: int
    aside: Sequence[Sequence[Any]]
    roots: Sequence[str]
    lines: Sequence[str]


def pack_result(result: CheckResult) -> PackedResult:
    """A result as it is stored."""
    roots = list(dict.fromkeys(finding.root for finding in result.findings))
    lines: dict[str, int] = {}
    findings = [_pack_finding(finding, roots, lines) for finding in result.findings]
    targets, _, *others, _ = result
    return PackedResult._make((targets, findings, *others, roots, [*lines]))


def unpack_result(packed: PackedResult) -> CheckResult:
    """The result of which `pack_result` made this."""
    return CheckResult(
        tuple([CheckedTarget(*raw) for raw in packed.targets]),
        tuple([_unpack_finding(raw, packed.roots, packed.lines) for raw in packed.findings]),
        tuple([_rule(raw) for raw in packed.rules]),
        packed.suppressed,
        aside=tuple([Aside(*raw) for raw in packed.aside]),
    )


def _rule(raw: Sequence[Any]) -> RuleInfo:
    *known, level, title, why, fix, page, tags, score, once, url = raw
    return RuleInfo._make((*known, Severity(level), title, why, fix, page, tuple(tags), score, once, url))


def pack_summary(summary: SkillSummary) -> bytes:
    """A summary as one line, without the folder of its skill."""
    return dump(_plain_summary(summary))


def unpack_summary(data: bytes, folder: SkillFolder) -> SkillSummary:
    """The summary of a line, for the skill in a folder."""
    return _summary(json.loads(data), folder.path, folder.skills_root)


def _plain_summary(summary: SkillSummary) -> list[Any]:
    inner = [[os.path.relpath(skill.directory, summary.directory), _plain_summary(skill)] for skill in summary.inner]
    return [os.path.basename(summary.path), *summary[4:10], inner]


def _summary(raw: list[Any], directory: str, skills_root: str) -> SkillSummary:
    from skillbag.kernel.documents.source import DocumentProblem
    from skillbag.kernel.workspace.summary import Dependency, Description, Located, SkillSummary

    file, name, description, dependencies, problem, when, unlisted, inner = raw
    if description:
        value, start, end, hidden, counts = description
        description = Description(value, start, end, Located(*hidden) if hidden else None, counts)
    return SkillSummary(
        os.path.basename(directory),
        directory,
        os.path.join(directory, file),
        skills_root,
        Located(*name) if name else None,
        description or None,
        tuple([Dependency(Located(*raw[0]), *raw[1:]) for raw in dependencies]),
        DocumentProblem(*problem) if problem else None,
        when,
        unlisted,
        tuple([_summary(skill, os.path.join(directory, relative), skills_root) for relative, skill in inner]),
    )
