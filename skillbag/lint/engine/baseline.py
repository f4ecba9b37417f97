"""The baseline: findings that a repository had when it adopted the tool, so that only new ones count.

Version 2 holds fingerprints that survive moves of files. Baselines of version 1, whose fingerprints hold the path
within the target, are still read.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import why_unread
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import Unreadable, read
from skillbag.kernel.model.findings import Finding
from skillbag.lint.engine.fingerprints import fingerprinted, fingerprinted_by_path

_PRINTED = {1: fingerprinted_by_path, 2: fingerprinted}
"""What gives findings the fingerprints of a version."""


class Baseline(NamedTuple):
    """The fingerprints of known findings with their counts, as a version has them."""

    version: int
    known: Counter[str]


class BadBaselineError(UserError):
    """A baseline that can't be used; the message begins with its path."""


def write_baseline(path: str, findings: Iterable[Finding]) -> int:
    """Write the findings' fingerprints to `path` (JSON, sorted, stable); returns how many.

    Paths in it are relative to each target's root, so that the file is the same from any working directory.
    """
    rows = sorted(
        (os.path.relpath(finding.path, finding.root).replace(os.sep, "/"), finding.rule, finding.fingerprint)
        for finding in fingerprinted(findings)
    )
    entries = [{"rule": rule, "path": name, "fingerprint": fingerprint} for name, rule, fingerprint in rows]
    text = json.dumps({"version": 2, "findings": entries}, indent=1, ensure_ascii=False) + "\n"
    write_atomic(path, text.encode("utf-8"), root=os.path.dirname(os.path.abspath(path)))
    return len(entries)


def read_baseline(path: str) -> Baseline:
    """The baseline in a file.

    Raises:
        BadBaselineError: it can't be read or is not a baseline.
    """
    data = read(path, os.path.dirname(os.path.abspath(path)))
    if isinstance(data, Unreadable):
        raise BadBaselineError(
            f"{path}: it can't be read: {why_unread(data)}; skillbag check -o baseline={path} makes it"
        )
    try:
        content = json.loads(data)
        if content["version"] not in _PRINTED:
            raise BadBaselineError(f"{path}: version {content['version']!r} is not known; write it again")
        entries = content["findings"]
        if not isinstance(entries, list):
            raise TypeError(entries)
        return Baseline(content["version"], Counter(str(entry["fingerprint"]) for entry in entries))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadBaselineError(f"{path}: this is not a baseline of skillbag; write it again") from error


def subtract(findings: Iterable[Finding], baseline: Baseline) -> list[Finding]:
    """The findings that are not in the baseline."""
    findings = list(findings)
    left = Counter(baseline.known)
    new = []
    for finding, printed in zip(findings, _PRINTED[baseline.version](findings), strict=True):
        if left[printed.fingerprint] > 0:
            left[printed.fingerprint] -= 1
        else:
            new.append(finding)
    return new
