"""Paths that work on one machine or one system only: in the home of a named user, and with backslashes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import SUBFOLDERS, is_changelog, is_sample
from skillbag.lint.checks.path_wording import is_command, is_supposed, is_used
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence, line_around
from skillbag.lint.signals.fences import fences_of, is_shell, span_at

_HOMES = (b"/home/", b"/Users/", b":\\Users\\")
_HOME = late(r"(?:/(?:home|Users)/|:\\{1,2}Users\\{1,2})(?P<user>[\w.-]{1,64}+)[/\\][\w./\\-]{1,300}+")
# What may stand right before the path: no longer path or address, and no variable.
_BEGINS = late(r"(?:\bfile://|(?:^|[^\w./\\~$)}>*:-]))(?:[A-Za-z]:)?\Z")
_FILE_LINKS = (b"](file:", b"<file:")
_STAND_IN_NAMES = (
    "user users username user_name user-name youruser yourusername your-username your_username your-user your-"
    " name yourname you me myuser myname myusername name someone somebody alice bob carol dave eve jane john"
    " jane.doe john.doe janedoe johndoe jdoe doe foo bar test tester testuser example demo sample admin"
    " administrator root public default shared guest dev developer devuser agent app appuser node ubuntu debian"
    " ec2-user ec2user centos fedora vagrant pi vscode codespace coder gitpod runner runneradmin circleci jenkins"
    " jovyan sandbox claude codex openclaw git deploy linuxbrew kali steam oai opc azureuser service steve xxx yyy"
    " abc sally mary joe x y u ... ."
)
_STAND_INS = frozenset(_STAND_IN_NAMES.split())
# Output, messages and records show paths of the machine that they come from.
_SHOWN = late(r"\b(?:ready|fail\w*|errors?|traceback|outputs?|prints?|logs?|logged|extracted|found)\b", re.IGNORECASE)
_LEADS = late(
    r"\b(?:in|at|from|under|to|into|is|are|path|folder|directory|file|script|template|with)\s*:?\s*[`*_\"'(<]*\Z",
    re.IGNORECASE,
)
_COUNTEREXAMPLE = late(
    r"❌|✗|✘|\b(?:avoid|bad|wrong|never|don't|do not|not|instead of|backslash\w*|windows|power\s?shell|pwsh)\b",
    re.IGNORECASE,
)


@Predicate("machine-path", Subject.TEXT, values=("target",), literals=(*_HOMES, *_FILE_LINKS))
def machine_path(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """Paths in the home of a named user that a text links to, runs or reads, and `file:` links; a user once a text."""
    if text.skill is None or is_sample(text.relative) or is_changelog(text.relative):
        return ()
    if text.language not in ("markdown", "python", "shell"):
        return ()
    return [*_home_paths(text), *_file_links(text)]


def _home_paths(text: TextFile) -> Iterator[Match]:
    source = text.document.text
    seen: set[str] = set()
    for at in text.places.of(_HOMES)[:MAX]:
        # Of a Windows path, the place is the colon after the letter of the drive.
        start = at - 1 if source[at] == ":" else at
        if _is_stand_in(source, at):
            continue
        match = _HOME().match(source, at)
        if match is None or match["user"] in seen or match["user"].lower() in _STAND_INS:
            continue
        before, after = line_around(source, start, match.end())
        if _BEGINS().search(before) and _is_meant(text, start, before, after):
            seen.add(match["user"])
            yield Match(text.document.path, start, match.end(), {"target": source[start : match.end()]})


def _is_stand_in(source: str, at: int) -> bool:
    """Whether the name of the user in a path at `at` plainly stands for anybody: most do."""
    parts = source[at : at + 40].replace("\\", "/").lstrip(":/").split("/", 2)
    return len(parts) == 3 and parts[1].lower() in _STAND_INS


def _is_meant(text: TextFile, start: int, before: str, after: str) -> bool:
    """Whether a text runs, reads or gives a path, and does not show it as an example or in an output."""
    if is_supposed(f"{before} {after}") or _SHOWN().search(before):
        return False
    if text.language != "markdown":
        return "#" not in before
    if before.endswith(("](", "](<", "](file://", "](<file://")):
        return True
    if in_outer_fence(text, start):
        return False
    if fence := span_at(fences_of(text), start):
        return _runs(fence, before)
    words = before.removesuffix("file://")
    led = is_used(words) or _LEADS().search(words) or is_command(words.rpartition("`")[2])
    return bool(led) and not text.markdown.in_comment(start)


def _runs(fence: Fence, before: str) -> bool:
    command = before.lstrip()
    return not command.startswith("#") and (
        is_shell(fence) or (not fence.info and is_command(command) and command != "")
    )


_FILE_LINK = late(r"(?:\]\((file:[^\s)>]{1,300}+)|<(file:[^\s<>]{1,300}+)>)")


def _file_links(text: TextFile) -> Iterator[Match]:
    """Links to `file:` addresses, but for those in the home of a user, which are reported by name."""
    if text.language != "markdown":
        return
    for at in text.places.of(_FILE_LINKS)[:MAX]:
        match = _FILE_LINK().match(text.document.text, at)
        target = (match[1] or match[2]) if match else ""
        if match and not re.search("/(?:home|Users)/", target) and not text.markdown.in_code(at):
            yield Match(text.document.path, *match.span(match.lastindex or 0), {"target": target})


_FOLDERS = tuple(sorted(SUBFOLDERS))
_BACKSLASHED = tuple(f"{folder}\\".encode() for folder in _FOLDERS)
_BACKSLASH_PATH = late(rf"(?:{'|'.join(_FOLDERS)})(?:\\{{1,2}}[\w.-]{{1,100}}+){{1,8}}+")
_WINDOWS_FENCES = frozenset(
    {"powershell", "pwsh", "ps1", "bat", "batch", "cmd", "dos", "python", "py", "csharp", "js", "ts"}
)
_WINDOWS_SCRIPTS = (".ps1", ".psm1", ".bat", ".cmd")


@Predicate("backslash-path", Subject.TEXT, values=("target", "path"), literals=_BACKSLASHED)
def backslash_path(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Paths with backslashes in a Markdown text that are, with slashes, files of the skill."""
    skill, source = text.skill, text.document.text
    if skill is None or text.language != "markdown" or is_sample(text.relative):
        return
    for at in text.places.of(_BACKSLASHED)[:MAX]:
        match = _BACKSLASH_PATH().match(source, at)
        if match is None or source[at - 1 : at].isalnum():
            continue
        target = match[0].rstrip(".-\\")
        path = re.sub(r"\\+", "/", target)
        before, after = line_around(source, at, at + len(target))
        if path not in skill.paths or path.endswith(_WINDOWS_SCRIPTS) or _COUNTEREXAMPLE().search(f"{before} {after}"):
            continue
        fence = span_at(fences_of(text), at)
        if fence is None or fence.info.partition(" ")[0].lower() not in _WINDOWS_FENCES:
            place = (text.document.path, at, at + len(target))
            yield Match(*place, {"target": target, "path": path}, (TextEdit(*place, path),))
