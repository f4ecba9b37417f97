"""The files that a `security-rule` skill names: rules for texts, and what overrides them (skill runtime, section 8)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping as Lookup
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, NamedTuple

from skillbag.kernel.documents.nodes import Mapping, Node, Sequence, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.manifest.shapes import MAX_ENTRIES, Choice, FaultKind, ListOf, ManifestFault, Text, quoted, record
from skillbag.kernel.manifest.walk import Walk, Where, shown

LONGEST_MATCH = 1000
"""Characters of a regular expression."""

MAX_WIDE_RANGES = 200
"""Ranges such as `\\u0100-\\uffff` in all expressions of a file: Python takes milliseconds to read each."""

RULE_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"

_is_rule_id = re.compile(RULE_ID).fullmatch


class ScanSeverity(StrEnum):
    """How severe a finding of a scan is, the worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


class PatternType(StrEnum):
    """How a pattern is written. `tree-sitter` is known, and not supported."""

    REGEX = "regex"
    TREE_SITTER = "tree-sitter"


def _is_glob(text: str) -> bool:
    return bool(text.strip("/")) and not text.startswith(("!", "#")) and len(text) <= LONGEST_MATCH


_SEVERITY = Choice(ScanSeverity, "unknown severity {} (must be critical, high, medium, low or info)")
_TYPE = Choice(PatternType, "unknown pattern type {} (must be regex)")
_GLOBS = ListOf(Text(_is_glob, "{} is no glob of files, such as docs/**"))
_ID = Text(_is_rule_id, f"invalid rule id {{}} (must match ^{RULE_ID}$)")
_WEAKNESS = Text(re.compile(r"CWE-[0-9]{1,6}").fullmatch, "invalid cwe {} (must be such as CWE-79)")


class RulePattern(NamedTuple):
    """What a rule finds: `match` is a regular expression of Python, `exclude_paths` are globs of files left out."""

    type: Annotated[PatternType, _TYPE, "pattern type is required"]
    match: Annotated[str, Text(), "pattern match is required"]
    exclude_paths: Annotated[tuple[str, ...], _GLOBS] = ()


class ScanRule(NamedTuple):
    """A rule for the texts of a workspace."""

    id: Annotated[str, _ID, "rule id is required"]
    title: Annotated[str, Text(most=1000), "rule title is required"]
    severity: Annotated[ScanSeverity, _SEVERITY, "rule severity is required"]
    pattern: Annotated[RulePattern, "rule pattern is required"]
    category: str = ""
    cwe: Annotated[str, _WEAKNESS] = ""
    remediation: str = ""


class RuleOverride(NamedTuple):
    """What is changed about a rule. `paths` are globs: it is for these files alone; empty for all."""

    severity: Annotated[ScanSeverity | None, _SEVERITY] = None
    enabled: bool = True
    paths: Annotated[tuple[str, ...], _GLOBS] = ()


_RULE, _OVERRIDE = record(ScanRule), record(RuleOverride)


class ScanRules(NamedTuple):
    """The rules of a file that can be used, and what is wrong with the file."""

    rules: tuple[ScanRule, ...]
    faults: tuple[ManifestFault, ...]


class Overrides(NamedTuple):
    """The overrides of a file that can be used by the rule's id, and what is wrong with the file."""

    by_rule: Lookup[str, RuleOverride]
    faults: tuple[ManifestFault, ...]


def read_rules(document: Document | DocumentProblem) -> ScanRules:
    """The rules of a `sast_rules_file`. A bad rule is left out, the others count."""
    root = _root(document)
    if isinstance(root, ManifestFault) or isinstance(document, DocumentProblem):
        return ScanRules((), (root,) if isinstance(root, ManifestFault) else ())
    walk = Walk(document)
    found: dict[str, ScanRule] = {}
    for key, _ in root.entries:
        if key.value != "rules":
            walk.fault(FaultKind.KEY, f"unknown key {quoted(key.value)}", ((), key.value), key)
    node = root.get("rules")
    if not isinstance(node, Sequence):
        walk.fault(FaultKind.MISSING, "rules is required, a list", ((), "rules"), node or root)
        return ScanRules((), _faults(walk))
    if len(node.items) > MAX_ENTRIES:
        walk.fault(FaultKind.VALUE, f"rules has more than {MAX_ENTRIES} entries", ((), "rules"), node)
    wide = 0
    for number, item in enumerate(node.items[:MAX_ENTRIES]):
        where: Where = (((), "rules"), number)
        rule = walk.read(_RULE, item, where)
        wide += len(_WIDE_RANGE.findall(rule.pattern.match)) if isinstance(rule, ScanRule) else 0
        if wide > MAX_WIDE_RANGES:
            message = f"there are more than {MAX_WIDE_RANGES} ranges of characters that are not ASCII; split the file"
            walk.fault(FaultKind.VALUE, message, where, item)
            break
        if isinstance(rule, ScanRule) and _is_usable(walk, rule, item, where):
            if rule.id in found:
                walk.fault(FaultKind.VALUE, f"duplicate rule id {quoted(rule.id)}", where, item)
            found.setdefault(rule.id, rule)
    return ScanRules(tuple(found.values()), _faults(walk))


def read_overrides(document: Document | DocumentProblem) -> Overrides:
    """The overrides of an `overrides_file`: a mapping of rules' ids."""
    root = _root(document)
    if isinstance(root, ManifestFault) or isinstance(document, DocumentProblem):
        return Overrides({}, (root,) if isinstance(root, ManifestFault) else ())
    walk = Walk(document)
    found: dict[str, RuleOverride] = {}
    for key, value in root.entries[:MAX_ENTRIES]:
        where: Where = ((), key.value)
        if not _is_rule_id(key.value):
            walk.fault(FaultKind.VALUE, f"invalid rule id {quoted(key.value)}", where, key)
        elif isinstance(override := walk.read(_OVERRIDE, value, where), RuleOverride):
            found[key.value] = override
    if len(root.entries) > MAX_ENTRIES:
        walk.fault(FaultKind.VALUE, f"there are more than {MAX_ENTRIES} entries", (), root)
    return Overrides(found, _faults(walk))


def _root(document: Document | DocumentProblem) -> Mapping | ManifestFault:
    if isinstance(document, DocumentProblem):
        place = Position(document.line, document.column)
        return ManifestFault(FaultKind.UNREADABLE, document.detail, "", 0, 0, place)
    node = parse_yaml(document.text)
    if isinstance(node, Mapping):
        return node
    detail, offset = "it is empty", 0
    if isinstance(node, YamlError):
        detail, offset = node.detail, node.offset
    elif node is not None:
        detail, offset = "it is not a mapping of `key: value`", node.start
    return ManifestFault(FaultKind.UNREADABLE, detail, "", offset, offset, document.position(offset))


def _is_usable(walk: Walk, rule: ScanRule, node: Node, where: Where) -> bool:
    """Whether the pattern can be searched for; adds the fault that it has."""
    pattern = node.get("pattern") if isinstance(node, Mapping) else None
    inner = {key: pattern.get(key) if isinstance(pattern, Mapping) else None for key in ("type", "match")}
    if rule.pattern.type is not PatternType.REGEX:
        message = f"pattern type {quoted(rule.pattern.type)} is not supported; write a regex"
        walk.fault(FaultKind.VALUE, message, ((where, "pattern"), "type"), inner["type"])
        return False
    if detail := expression_fault(rule.pattern.match):
        place: Where = ((where, "pattern"), "match")
        walk.fault(FaultKind.VALUE, f"{shown(place)}: {detail}", place, inner["match"])
        return False
    return True


def _faults(walk: Walk) -> tuple[ManifestFault, ...]:
    return tuple(sorted(walk.faults, key=attrgetter("start")))


def expression_fault(match: str) -> str:
    """Why a text is no regular expression that a rule may have; empty if it is one."""
    if len(match) > LONGEST_MATCH:
        return f"it is longer than {LONGEST_MATCH} characters"
    if hint := next((hint for written, hint in _OTHER_DIALECTS if re.search(written, match)), ""):
        return hint
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(match, re.MULTILINE)
    except re.error as error:
        at = f" at position {error.pos}" if error.pos is not None else ""
        return f"it is no regular expression of Python: {error.msg}{at}"
    except (Warning, OverflowError, RecursionError) as error:
        return f"it is no regular expression of Python: {error or 'it nests too deep'}"
    return ""


_WIDE_RANGE = re.compile(r"-(?:\\[uUN]|[^\x00-\x7f])")

_OTHER_DIALECTS = (
    (r"\[\[?:\^?[a-z]+:\]", "classes such as [[:alpha:]] are not supported; write [A-Za-z]"),
    (r"(?<!\\)(?:\\\\)*\\[pP](?:\{|[A-Z])", r"classes such as \p{L} are not supported; write \w, or the characters"),
    (r"(?<!\\)(?:\\\\)*\\[QE]", r"\Q and \E are not supported; escape each character"),
    (r"(?<!\\)(?:\\\\)*\\z", r"\z is not supported; write \Z"),
    (r"(?<!\\)(?:\\\\)*\\x\{", r"\x{…} is not supported; write \xHH, \uHHHH or \UHHHHHHHH"),
    (r"\(\?<[A-Za-z_]", "groups such as (?<name>…) are not supported; write (?P<name>…)"),
    (r"\(\?[a-z]*U", "the flag U is not supported; write *? instead of *"),
)
"""What other dialects have, such as RE2, and how to write it here."""
