"""Rules as their files have them: records whose fields are the keys of `schemas/rule.schema.json`."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind


class RuleExample(NamedTuple):
    """An example of a rule file: the files to write, and what is to be found in them.

    `bytes_` are files in base64, `links` symbolic links by path, `git` the files that a repository tracks. `fixed`
    are files as they are after the safe fixes.
    """

    files: Mapping[str, str]
    bytes_: Mapping[str, str] = {}
    links: Mapping[str, str] = {}
    executable: tuple[str, ...] = ()
    git: tuple[str, ...] | None = None
    target: TargetKind | None = None
    options: Mapping[str, Any] = {}
    expect: tuple[str, ...] = ()
    fixed: Mapping[str, str] | None = None
    title: str = ""

    def contents(self) -> dict[str, bytes]:
        """The contents of its files by path, of text and not."""
        texts = {name: text.encode("utf-8") for name, text in self.files.items()}
        return texts | {name: base64.b64decode(text) for name, text in self.bytes_.items()}


class RuleExamples(NamedTuple):
    """The examples of a rule file: those where it finds nothing, and those where it finds what they expect."""

    pass_: tuple[RuleExample, ...]
    fail: tuple[RuleExample, ...]


class RaisedLevel(NamedTuple):
    """The level of stronger matches, and when one is such a match: it completes a sentence that begins with `where`."""

    level: Severity
    when: str


class WrittenRule(NamedTuple):
    """A rule file, not bound; `family` follows from its folder; `plain` has the keys that differ in plain skills."""

    id: str
    summary: str
    targets: tuple[TargetKind, ...]
    check: str
    message: str
    why: str
    examples: RuleExamples
    family: str = ""
    clause: str | None = None
    level: Severity | Mapping[str, str] | None = None
    when: Mapping[str, Any] | None = None
    heuristic: bool = False
    raised: RaisedLevel | None = None
    owasp: tuple[str, ...] = ()
    sign: str = ""
    once: bool = False
    default: bool = True
    url: str | None = None
    options: Mapping[str, Any] = {}
    fix: str | None = None
    plain: Mapping[str, Any] = {}
