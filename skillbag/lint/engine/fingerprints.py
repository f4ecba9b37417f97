"""Fingerprints, by which findings are known again after lines, files and folders have moved."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.workspace.skill_folders import SkillFolders


def fingerprinted(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with their fingerprints: of the rule, the skill and file by their names, and the line's content.

    What is equal in all of these is numbered. A line, a file within its skill, a skill's folder and a target can move;
    a skill, a file or a line that is called otherwise is another one.
    """
    return _with_prints(findings, _Names().of)


def fingerprinted_by_path(findings: Iterable[Finding]) -> list[Finding]:
    """The same with the path within the target for the names, as baselines of version 1 have it."""
    return _with_prints(findings, lambda finding: os.path.relpath(finding.path, finding.root).replace(os.sep, "/"))


def _with_prints(findings: Iterable[Finding], place: Callable[[Finding], str]) -> list[Finding]:
    seen: dict[str, int] = {}
    # Many findings may be on one long line.
    words: dict[str, str] = {}
    result = []
    for finding in findings:
        if finding.excerpt not in words:
            words[finding.excerpt] = " ".join(finding.excerpt.split())
        text = "\0".join((finding.rule, place(finding), words[finding.excerpt]))
        seen[text] = seen.get(text, -1) + 1
        digest = hashlib.sha256(f"{text}\0{seen[text]}".encode("utf-8", "surrogateescape")).hexdigest()
        result.append(finding._replace(fingerprint=digest[:32]))
    return result


class _Names:
    """The names of files, after those of the skills that they are in."""

    def __init__(self) -> None:
        self._skills = SkillFolders()

    def of(self, finding: Finding) -> str:
        skill = self._skills.of(finding.path, finding.root)
        # A skill that is the target itself has no name: a checkout may have any.
        name = os.path.basename(skill) if skill.startswith(os.path.join(finding.root, "")) else ""
        return f"{name}/{os.path.basename(finding.path)}"
