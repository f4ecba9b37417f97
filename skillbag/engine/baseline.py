"""The baseline: findings that a repository had when it adopted the tool, so that only new ones count."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable

from skillbag.base.errors import UserError
from skillbag.fs.atomic import write_atomic
from skillbag.fs.read import Unreadable, read
from skillbag.model.findings import Finding, fingerprinted


class BadBaselineError(UserError):
    """A baseline that can't be used; the message begins with its path."""


def write_baseline(path: str, findings: Iterable[Finding]) -> int:
    """Write the findings' fingerprints to `path` (JSON, sorted, stable); returns how many.

    Paths in it are relative to each target's root, so that the file is the same from any working directory.
    """
    entries = sorted(
        (
            {"rule": f.rule, "path": os.path.relpath(f.path, f.root).replace(os.sep, "/"), "fingerprint": f.fingerprint}
            for f in fingerprinted(findings)
        ),
        key=lambda entry: (entry["path"], entry["rule"], entry["fingerprint"]),
    )
    text = json.dumps({"version": 1, "findings": entries}, indent=1, ensure_ascii=False) + "\n"
    write_atomic(path, text.encode("utf-8"), root=os.path.dirname(os.path.abspath(path)))
    return len(entries)


def read_baseline(path: str) -> Counter[str]:
    """The fingerprints of a baseline, with how often each is in it.

    Raises:
        BadBaselineError: it can't be read or is not a baseline.
    """
    data = read(path, os.path.dirname(os.path.abspath(path)))
    if isinstance(data, Unreadable):
        raise BadBaselineError(f"{path}: it can't be read: {data.reason.value}; make it with --write-baseline")
    try:
        content = json.loads(data)
        if content["version"] != 1:
            raise BadBaselineError(f"{path}: version {content['version']!r} is not known; write it anew")
        return Counter(str(entry["fingerprint"]) for entry in content["findings"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadBaselineError(f"{path}: this is not a baseline of skillbag; write it anew") from error


def subtract(findings: Iterable[Finding], known: Counter[str]) -> list[Finding]:
    """The findings that the baseline does not know."""
    left = Counter(known)
    new = []
    for finding in fingerprinted(findings):
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
        else:
            new.append(finding)
    return new
