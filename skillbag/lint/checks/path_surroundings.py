"""What stands around the line of a missing path: its sentence, the list that it is in, and what the text is about."""

from __future__ import annotations

import os
import re
from itertools import takewhile

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import SUBFOLDERS, is_changelog
from skillbag.lint.checks.path_wording import Mention, is_elsewhere, is_theirs, is_used, span_is_command, supposes

_BEFORE = 1_000
"""Characters before a path that are looked at."""
# A copy says where it was fetched, an entry of a diary begins with its day.
_COPIED = late(r"---\n(?:[^\n]*\n){0,12}?(?:source|origin|upstream|url|fetched)[\w-]*:[ \t]*[\"']?https?://")
_DATED = late(r"\d{4}-\d\d-\d\d")
_ITEM = late(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|[ \t]*\|")
# A sentence, item, row or block of its own.
_BEGINS = late(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]|[|>#A-Z]|\*\*|```|\Z)")
# Lines that go on in no other: blank ones, headings, rows, fences.
_ENDS = late(r"[ \t]*(?:\Z|#|\||```).*")
_SENTENCE_END = late(r"[.!?][*_`)]*\s")
_ASIDE = late(r"\([^()]*\)")
_WORD = late(r"[A-Za-z0-9][\w-]{1,63}")
_NAME = late(r"`([a-z0-9]+(?:-[a-z0-9]+)*)`|\b([a-z0-9]+(?:-[a-z0-9]+)*)\s+skill\b")
_LIST_OF_OTHERS = late(
    r"""\b(?:deleted|removed|dropped|retired|superseded)\b | \A\W*examples?\b(?!\s+(?:files?|are|is)\b)
      | \b(?:in|from|of|by|these)\s+`[a-z0-9]+(?:-[a-z0-9]+)+`""",
    re.IGNORECASE | re.VERBOSE,
)
# Orders to make the files of a list, where nothing is used to make them.
_LIST_TO_MAKE = late(
    r"(?:\A\W*(?:\d+\W+)?|\b(?:also|should|must|then)\s+|[,;]\s+)(?:creat|generat|writ|produc|output|sav|author|add)\w*\b"
    r"(?!.*\b(?:with|by|using|from|run|read|use|see)\b)",
    re.IGNORECASE,
)
# Commands on folders of another project. A script of a skill may be given them.
_PROJECT = late(
    r"^(?!.*\b(?:scripts|references|assets)/)(?:\S.*[\s=/](src|tests?|k8s|charts|packages)/|\s*(?:sudo\s+)?\./([\w.-]+)/)",
    re.MULTILINE,
)
_LEFT = late(r"\bgit clone\b|(?:^|&&|[;'\"])[ \t]*(?:cd|pushd)[ \t]", re.MULTILINE)
_OTHER_SKILLS = late(r"#+[ \t].*\b(?:related|other|companion)\s+skills?\b", re.IGNORECASE)
# The content of a file, in a block below its name.
_SHOWN = late(r"[`*_:)]*\s*\n\s*```(?:py|js|java|ts|type|(?:ba)?sh\n#!)")
_LEAVES = late(r"`cd\b|\bcd\s+into\b|\bgit clone\b|--clone\b|\bclone\s+(?:the|it|its|their)\b", re.IGNORECASE)


def is_foreign(text: TextFile) -> bool:
    """Whether a text is a copy of another project's, or tells what was done: its files are there, or were there."""
    name = text.relative.rpartition("/")[2]
    is_output = not {"outputs", "runs"}.isdisjoint(text.relative.split("/"))
    is_log = (
        is_output
        or is_changelog(text.relative)
        or name.lower().endswith(("-log.md", "_log.md"))
        or _DATED().match(name)
    )
    return bool(is_log or (name != SKILL_FILE and _COPIED().match(text.document.text)))


def widened(text: str, mention: Mention) -> Mention:
    """A mention with its whole sentence around it, where a paragraph or an item breaks its lines."""
    *above, _ = text[max(0, mention.start - _BEFORE) : mention.start].split("\n")
    _, *below = text[mention.end : mention.end + _BEFORE].split("\n")
    first = [mention.before]
    while above and not _BEGINS().match(first[0] or "x") and not _ENDS().fullmatch(above[-1]):
        first.insert(0, above.pop())
    rest = [mention.after]
    if not _ENDS().match(first[0]):
        rest += takewhile(lambda line: not _BEGINS().match(line), below)
    wrapped = _SENTENCE_END().split(" ".join([*map(str.strip, first[:-1]), ""]))[-1]
    return mention._replace(before=f"{wrapped}{mention.before}", after=_SENTENCE_END().split(" ".join(rest))[0])


def is_listed_elsewhere(text: str, mention: Mention, skill: str) -> bool:
    """Whether the words over the list of a path, an earlier step or a block below say that it is no file of `skill`."""
    heading = text[text.rfind("\n#", 0, mention.start) + 1 : mention.start].partition("\n")[0]
    lead, steps = _list_above(text[max(0, mention.start - _BEFORE) : mention.start])
    is_below = f"/{mention.path.partition('/')[0]}/" in heading + lead and skill not in heading + lead
    if is_below or (steps and _LEAVES().search(steps)) or ("kills" in heading and _OTHER_SKILLS().match(heading)):
        return True
    if (
        "```" in text[mention.end : mention.end + 20]
        and _SHOWN().match(text, mention.end)
        and not is_used(mention.before)
        and not span_is_command(mention.before)
    ):
        return True
    if not lead.rstrip("*_ ").endswith(":"):
        return False
    said = _ASIDE().sub("", lead).rstrip("*_: ")
    if supposes(said.casefold()) or is_elsewhere(said, "", skill) or is_theirs(said):
        return True
    others = not mention.path.startswith("examples/") and _LIST_OF_OTHERS().search(said)
    return bool(others or (not is_used(mention.before) and _LIST_TO_MAKE().search(said)))


def _list_above(text: str) -> tuple[str, str]:
    """The line that introduces the list or table whose item a text ends in, and the items before."""
    *above, own = text.split("\n")
    steps: list[str] = []
    if _ITEM().match(own):
        indent = len(own) - len(own.lstrip())
        for line in reversed(above):
            depth = len(line) - len(line.lstrip())
            if line.strip() and depth <= indent and (depth < indent or not _ITEM().match(line)):
                return line, "\n".join(steps)
            steps.append(line)
    return "", "\n".join(steps)


def is_of_other_commands(text: str, fence: Fence, start: int, skill: Skill) -> bool:
    """Whether the comment above a command, the lines above its block, or other commands say that it runs elsewhere."""
    *above, _ = text[fence.body_start : start].split("\n")
    lead = text[max(0, fence.start - _BEFORE) : fence.start].rstrip().rpartition("\n\n")[2]
    comments = [line.strip() for line in above[-1:] if line.lstrip().startswith("#")]
    if any(is_elsewhere(said, "", skill.folder) or is_theirs(said) for said in (lead, *comments)):
        return True
    commands = text[fence.body_start : fence.body_end]
    if commands.startswith("#!") or (
        (any(word in commands for word in ("cd ", "clone", "pushd "))) and _LEFT().search(text, fence.body_start, start)
    ):
        return True
    folders = {match[match.lastindex or 0] for match in _PROJECT().finditer(commands)}
    return not skill.paths.issuperset(folders)


def is_of_named_sibling(text: TextFile, mention: Mention) -> bool:
    """Whether another skill has the file: one that the line, paragraph or list names, or one of the same plugin."""
    skill, body, path, at = text.skill, text.document.text, mention.path, mention.start
    if skill is None or ".." in path:
        return False
    is_plugin = SKILL_FILE not in skill.paths and skill.nearest(text.relative) is skill
    if is_plugin and any(own.endswith(f"/{path}") for own in skill.paths):
        return True
    # A line that introduces a list stands before a blank one.
    lead_in = body.rfind("\n\n", 0, max(0, body.rfind("\n\n", 0, at)))
    near = _WORD().findall(f"{mention.before[-80:]} {mention.after[:80]}")
    above = [match[1] or match[2] for match in _NAME().finditer(body, max(lead_in, at - _BEFORE, 0), at)]
    named = {*near, *above} - {skill.folder} - SUBFOLDERS
    return any(tracked.exists(os.path.join(skill.skills_root, name, path)) for name in named)
