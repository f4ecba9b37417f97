"""Scripts that a text runs directly, but that lack the executable bit."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator

from skillbag.base import clock
from skillbag.base.lazy_regex import late
from skillbag.checks.path_references import is_shell
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.checks.prefilter import fences_of, glance_at, line_around, span_at
from skillbag.fs import tracked
from skillbag.fs.read import read
from skillbag.model.findings import MakeExecutable
from skillbag.workspace.extras import modes_count
from skillbag.workspace.skill import Skill
from skillbag.workspace.text import TextFile

# A path that is the first word of a line or of a code span, and may have arguments.
_COMMAND = late(
    r"(?P<lead>`|^[ \t]*(?:[$>%][ \t]+)?(?:[A-Z_]+=\S*[ \t]+)*|(?:&&|;)[ \t]*)"
    r"(?P<dot>\./)?(?P<path>[\w-][\w.-]*(?:/[\w-][\w.-]*)*)(?=(?P<arguments>[ \t]+[^\n`#|&;]*)?)(?![\w/*<{$.])",
    re.MULTILINE,
)
_RUN_WORD = late(r"\b(?:run|runs|running|execute|executes|invoke|invokes|call|calls)\b[^.`(]{0,20}\Z", re.IGNORECASE)
# An arrow in front: a step of a chart, which names a script and sketches its options.
_STEP = late(r"(?:→|->|=>)[ \t]*\Z")
# A text that once runs a script by an interpreter always means it so.
_INTERPRETED = late(r"\b(?:python3?|node|bash|sh|zsh|uv run|tsx|bun|ruby|perl|Rscript)[ \t]+[\"']?([^\s\"'`]++)")
_CHMOD = late(r"\bchmod\b([^\n]*)")


@Predicate("run-without-bit", Subject.TEXT, values=("target",))
def run_without_bit(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """Scripts with a shebang and without the executable bit that a line of commands or a code span runs directly.

    There are no findings on Windows and in repositories with `core.fileMode` off.
    """
    skill = text.skill
    if skill is None or text.language != "markdown" or os.name == "nt":
        return ()
    glance = glance_at(text)
    # What a link names is not run.
    if not glance.paths or not _may_run(glance.rest, skill):
        return ()
    return list(_runs(text, skill))


_NAMED = late(r"/([\w.-]++)")
_PATH_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./"


def _may_run(source: str, skill: Skill) -> bool:
    """Whether a script without the bit is at the place of a command; most are in links or after `python`."""
    return any(
        _is_at_command(name, source) and any(_lacks_bit(path, skill.root) for path in skill.named[name])
        for name in skill.named.keys() & set(_NAMED().findall(source))
        if not name.endswith(".md")
    )


def _is_at_command(name: str, source: str) -> bool:
    at = source.find(name)
    while at >= 0:
        head = source[max(0, at - 80) : at].rstrip(_PATH_CHARACTERS)
        if head.rstrip(" \t")[-1:] in _LEADS or "=" in head.rpartition("\n")[2]:
            return True
        at = source.find(name, at + len(name))
    return False


_LEADS = frozenset(("", "\n", "\r", "`", "$", ">", "%", "&", ";"))


def _runs(text: TextFile, skill: Skill) -> Iterator[Match]:
    source = text.document.text
    made_executable = " ".join(_CHMOD().findall(source))
    interpreted = {os.path.basename(named) for named in _INTERPRETED().findall(source)}
    seen: set[str] = set()
    for match in _COMMAND().finditer(source, text.body):
        beside = os.path.normpath(os.path.join(os.path.dirname(text.relative), match["path"])).replace(os.sep, "/")
        path = next((path for path in (beside, match["path"]) if path in skill.paths), None)
        if path is None or path in seen or not (match["dot"] or "/" in match["path"]):
            continue
        script = os.path.join(skill.directory, path)
        # Checking the file is cheaper than parsing the structure of the text.
        if os.path.basename(path) in interpreted or not _lacks_bit(script, skill.root):
            seen.add(path)
        elif _is_run(match, text):
            seen.add(path)
            start = match.start("dot") if match["dot"] else match.start("path")
            if match["path"] not in made_executable:
                yield Match(text.document.path, start, match.end("path"), {"target": path}, (MakeExecutable(script),))


def _is_run(match: re.Match[str], text: TextFile) -> bool:
    start = match.start("path")
    arguments = (match["arguments"] or "").strip()
    if fence := span_at(fences_of(text), start):
        # A fence without a language may be a list of files with remarks.
        remark = arguments.startswith(("- ", "-- ", "#", "—", "–", "←", "(", ":"))
        commands = is_shell(fence) or (not fence.info and bool(match["dot"] or (arguments and not remark)))
        return match["lead"] != "`" and commands
    if match["lead"] != "`" or not span_at(text.markdown.code_spans, start):
        return False
    before, _ = line_around(text.document.text, *match.span())
    if _STEP().search(before):
        return False
    # With plain arguments it may be the subject of a sentence: "`scripts/x tally` reads the ledger".
    return bool(match["dot"] or arguments.startswith("-") or _RUN_WORD().search(before))


def _lacks_bit(path: str, root: str) -> bool:
    mode = tracked.mode(path)
    if mode is None or not stat.S_ISREG(mode) or mode & 0o111:
        return False
    raw = clock.timed("read", read, path, root) if clock.timed else read(path, root)
    return isinstance(raw, bytes) and raw.startswith(b"#!") and modes_count(root)
