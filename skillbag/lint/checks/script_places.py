"""Commands that name a script of the skill without the folder that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.source import Document
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_wording import is_command, is_supposed, span_is_command
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence, line_around
from skillbag.lint.signals.fences import fences_of, is_shell, span_at

_SCRIPTS = "scripts/"
# The commands run in the folder of the scripts, or on copies of them.
_MOVED = late(
    r"\b(?:cd|pushd|cp|copy|copied)\b[^\n]{0,200}\bscripts?\b|\bPATH=|\bscripts/? (?:folder|directory)\b|\bcd [\"'$~]"
)


@Predicate("script-elsewhere", Subject.SKILL, values=("target", "path"), needs="bare-script")
def script_elsewhere(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Commands such as `python x.py` in `SKILL.md` where the skill has `scripts/x.py` and no `x.py`; each script once.

    There are none in a text that changes to the folder of the scripts, or copies them.
    """
    document = skill.document
    if not isinstance(document, Document):
        return
    names = [name for name in _script_names(skill) if name in document.text]
    if not names or _MOVED().search(document.text):
        return
    text = TextFile(document, skill.file, "markdown", skill.body_start, skill)
    for name in names:
        pattern = re.compile(rf"(?<![\w./\\-])(?:\./)?{re.escape(name)}(?![\w./-])")
        found = [match for match in islice(pattern.finditer(document.text, text.body), MAX) if _is_run(text, match)]
        if found:
            edits = tuple([TextEdit(document.path, *match.span(), _SCRIPTS + name) for match in found])
            yield Match(document.path, *found[0].span(), {"target": found[0][0], "path": _SCRIPTS + name}, edits)


def _script_names(skill: Skill) -> list[str]:
    """The names of the scripts directly in `scripts/` that no file beside `SKILL.md` has."""
    below = (path[len(_SCRIPTS) :] for path in sorted(skill.paths) if path.startswith(_SCRIPTS))
    return [name for name in below if "." in name and "/" not in name and name not in skill.paths]


def _is_run(text: TextFile, match: re.Match[str]) -> bool:
    before, after = line_around(text.document.text, *match.span())
    is_direct = match[0].startswith("./")
    if in_outer_fence(text, match.start()):
        return False
    if fence := span_at(fences_of(text), match.start()):
        return is_shell(fence) and bool(is_direct or before.strip(" $>")) and is_command(before)
    runs = span_is_command(before) or (is_direct and before.endswith("`"))
    return runs and not is_supposed(f"{before} {after}") and not text.markdown.in_comment(match.start())
