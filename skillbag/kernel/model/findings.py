"""Findings and suppressions as values."""

from __future__ import annotations

from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple


class Severity(StrEnum):
    """The severity of a finding, for the clause's own word: MUST, SHOULD, MAY."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class TextEdit(NamedTuple):
    """Replace the code points `start` to `end` of a file's text (byte order mark not counted)."""

    path: str
    start: int
    end: int
    text: str


class WriteFile(NamedTuple):
    """Write a file's whole text; it may not exist yet."""

    path: str
    text: str


class Rename(NamedTuple):
    """Rename a file within its folder."""

    path: str
    name: str


class MakeExecutable(NamedTuple):
    """Set an executable bit for each readable bit of a file."""

    path: str


Edit = TextEdit | WriteFile | Rename | MakeExecutable
"""A safe change that removes a finding. Paths are absolute."""


class Moved(NamedTuple):
    """The path of a link (or else of a mere mention) that leads nowhere, and the path to the file that it means."""

    written: str
    found: str
    link: bool = True


class Finding(NamedTuple):
    """One violation of one rule at one place.

    `path` is absolute, `root` the absolute root of its target; lines and columns are 1-based (columns in code points),
    `end_line` and `end_column` are exclusive, and equal to the start for a point. `clause` is None for rules beyond the
    standard. `fix` says what to do; `edits` do it, if that is safe. `excerpt` is the raw text of the line, to be masked
    and escaped in output. By its `fingerprint` it is known again (`lint.engine.fingerprints`). `installed` says that it
    lies in an installed skill (`lint.engine.installed_skills`). Those that `moved` rewrites alike have one cause,
    and those of one folder `cause`;
    `places` are the findings that this one stands for in a report, or none (`lint.engine.causes`).
    """

    rule: str
    clause: str | None
    level: Severity
    path: str
    root: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    fix: str | None
    excerpt: str
    fingerprint: str = ""
    edits: tuple[Edit, ...] = ()
    installed: bool = False
    moved: Moved | None = None
    cause: str = ""
    places: tuple[Finding, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """What it has in common with a finding of the same fault, in another target or before a change elsewhere."""
        return self.rule, self.path, self.line, self.column, self.end_line, self.end_column, self.message


class Suppression(NamedTuple):
    """A suppression comment: the rules that it names and the 1-based lines that it applies to (0: the file).

    `until` is the expiry date as written; `start` and `end` are the comment's offsets.
    """

    path: str
    rules: tuple[str, ...]
    first: int
    last: int
    reason: str
    until: str | None
    start: int
    end: int
