"""One finding for one cause: the same message of a rule that says `once`, or paths that are broken in the same way."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult


def reported_once(result: CheckResult) -> CheckResult:
    """The result with the first of all findings in a target that have one cause; it stands for their `places`.

    Installed skills are counted apart.
    """
    once = {rule.id for rule in result.rules if rule.once}
    return result._replace(findings=by_cause(result.findings, once))


def by_cause(findings: Iterable[Finding], once: Container[str]) -> tuple[Finding, ...]:
    """The findings as `reported_once` has them; the rules of which a message is said `once` are ids."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        cause: object = _rewriting(finding) or finding.cause or (finding.message if finding.rule in once else number)
        key = (finding.root, finding.rule, finding.level, finding.installed, cause)
        groups.setdefault(key, []).append(finding)
    return tuple([_whole(group) for group in groups.values()])


def _rewriting(finding: Finding) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What a path begins with and what it should begin with: both end alike."""
    if finding.moved is None:
        return None
    written, found = finding.moved.written.split("/"), finding.moved.found.split("/")
    same = len(os.path.commonprefix([written[::-1], found[::-1]]))
    return tuple(written[: len(written) - same]), tuple(found[: len(found) - same])


def _whole(group: Sequence[Finding]) -> Finding:
    """The finding for all of a group."""
    first, files = group[0], len({finding.path for finding in group})
    if len(group) == 1:
        return first
    folder = os.path.relpath(first.cause or ".", first.root).replace(os.sep, "/")
    message = first.message + (f", and {len(group) - 1:,} more in `{folder}`" if first.cause else "")
    message += f" (in {files:,} files)" if files > 1 else ""
    if first.moved is None:
        return first._replace(message=message, places=tuple(group))
    written, found = _from_to(group)
    noun = "links lead" if first.moved.link else "paths lead"
    return first._replace(
        message=f"{len(group):,} {noun} to `{written}`, which is at `{found}`" + message[len(first.message) :],
        fix=f"Write `{found}` for `{written}`.",
        edits=tuple([edit for finding in group for edit in finding.edits]),
        places=tuple(group),
    )


def _from_to(group: Sequence[Finding]) -> tuple[str, str]:
    """What the paths of a group and those they mean have in common, up to the part that differs."""
    pairs = [(finding.moved.written, finding.moved.found) for finding in group if finding.moved]
    written, found = map(_common, zip(*pairs, strict=True))
    return written, found


def _common(paths: Sequence[str]) -> str:
    same = os.path.commonprefix([path.split("/") for path in paths])
    return paths[0] if len(set(paths)) == 1 else "/".join([*(same or ["."]), "…"])
