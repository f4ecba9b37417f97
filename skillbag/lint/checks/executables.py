"""Scripts that a text runs directly, but that lack the executable bit or a shebang."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from skillbag.kernel.base import clock
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.model.findings import MakeExecutable
from skillbag.kernel.workspace.extras import modes_count
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, Predicate, Subject
from skillbag.lint.checks.prefilter import glance_at, line_around
from skillbag.lint.signals.fences import fences_of, is_shell, span_at

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


_Lacks = Callable[[str, str], bool]


class Lacking(NamedTuple):
    """`what` a script that is run directly lacks: its executable `bit`, or the `shebang` that names its interpreter."""

    what: str = "bit"


@Predicate("run-without-bit", Subject.TEXT, values=("target",), options=Lacking)
def run_without_bit(text: TextFile, options: Lacking) -> Iterable[Match]:
    """Scripts without the executable bit or a shebang that a line of commands or a code span runs directly.

    There are no findings on Windows; none about the bit in repositories with `core.fileMode` off, and for scripts
    without a shebang.
    """
    skill = text.skill
    if skill is None or text.language != "markdown" or os.name == "nt":
        return ()
    lacks = lacks_bit if options.what == "bit" else _lacks_shebang
    if not _may_run(text, skill, lacks):
        return ()
    return list(_runs(text, skill, lacks))


_NAMED = late(r"/([\w.-]++)")
_PATH_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./"


def _may_run(text: TextFile, skill: Skill, lacks: _Lacks) -> bool:
    """Whether a script that lacks something is at the place of a command."""
    source = text.document.text
    for path in _at_commands(text):
        name, inner = os.path.basename(path), path[len(skill.directory) + 1 :]
        is_meant = lacks is lacks_bit or f"./{name}" in source or f"./{inner}" in source
        if is_meant and lacks(path, skill.root):
            return True
    return False


# Two rules ask for it in a row.
@lru_cache(maxsize=1)
def _at_commands(text: TextFile) -> list[str]:
    """The scripts at the place of a command; most are in links or after `python`."""
    glance = glance_at(text)
    # What a link names is not run.
    if not glance.paths or text.skill is None:
        return []
    named = text.skill.named
    return [
        path
        for name in named.keys() & set(_NAMED().findall(glance.rest))
        if not name.endswith(".md") and _is_at_command(name, glance.rest)
        for path in named[name]
    ]


def _is_at_command(name: str, source: str) -> bool:
    at = source.find(name)
    while at >= 0:
        head = source[max(0, at - 80) : at].rstrip(_PATH_CHARACTERS)
        if head.rstrip(" \t")[-1:] in _LEADS or "=" in head.rpartition("\n")[2]:
            return True
        at = source.find(name, at + len(name))
    return False


_LEADS = frozenset(("", "\n", "\r", "`", "$", ">", "%", "&", ";"))


def _runs(text: TextFile, skill: Skill, lacks: _Lacks) -> Iterator[Match]:
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
        if os.path.basename(path) in interpreted or not lacks(script, skill.root):
            seen.add(path)
        elif _is_run(match, text):
            seen.add(path)
            start = match.start("dot") if match["dot"] else match.start("path")
            if lacks is _lacks_shebang:
                # "Run `scripts/sort.py`" may mean by its interpreter.
                if match["dot"]:
                    yield Match(text.document.path, start, match.end("path"), {"target": path})
            elif match["path"] not in made_executable:
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


def lacks_bit(path: str, root: str) -> bool:
    mode = tracked.mode(path)
    if mode is None or not stat.S_ISREG(mode) or mode & 0o111:
        return False
    return _raw(path, root).startswith(b"#!") and modes_count(root)


def _raw(path: str, root: str) -> bytes:
    raw = clock.timed("read", read, path, root) if clock.timed else read(path, root)
    return raw if isinstance(raw, bytes) else b""


_NEED_SHEBANG = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".rb", ".pl")


def _lacks_shebang(path: str, root: str) -> bool:
    name = os.path.basename(path)
    if "." in name.lstrip(".") and not name.endswith(_NEED_SHEBANG):
        return False
    raw = _raw(path, root)
    # One in a wrong place has another rule; a program in machine code has zeros.
    return bool(raw.strip()) and b"#!" not in raw[:500] and b"\0" not in raw[:1000]
