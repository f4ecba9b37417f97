"""Paths that a text names without a link: `scripts/x.py`, `references/y.md`, `assets/z`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple, cached_property
from skillbag.checks.path_resolution import SUBFOLDERS, Kind, Locator, is_sample
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.checks.prefilter import fences_of, glance_at, in_outer_fence, line_around, span_at
from skillbag.documents.markdown import Fence
from skillbag.fs import tracked
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import SKILL_FILE
from skillbag.workspace.text import TextFile

SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"})
"""First words of the info strings of fences of commands."""

_PATH = late(
    r"(?<![\w./\\~@%*:>}\])-])(?:\./|\$\{CLAUDE_SKILL_DIR\}/|\{baseDir\}/)?"
    r"(?P<path>(?:scripts|references|assets)/[\w.-]+(?:/[\w.-]+)*)(?P<next>[^\s]?)"
)
# The same paths and more, from the slash on that the machine can search for.
_QUICK = late("/(?:" + "|".join(f"(?<=({folder})/)" for folder in sorted(SUBFOLDERS)) + r")[\w./-]+")
_FILE = late(r".*[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_RUNNER = (
    r"(?:sudo|time|exec|source|\.|bash|sh|zsh|python3?(?:\.\d+)?|py|uv\s+run|poetry\s+run|pipenv\s+run|node|deno\s+run"
    r"|bun(?:\s+run)?|(?:npx\s+)?tsx|npx\s+ts-node|ruby|perl|php|Rscript|pwsh|chmod\s+\+x|cat)"
)
_RUN = late(rf"(?:[$>%]\s+)?(?:[A-Z_]+=\S*\s+)*(?:{_RUNNER}\s+(?:-{{1,2}}[\w-]+\s+)*)*[\"']?\Z")
_USED = late(
    r"\b(?:run|runs|running|execute|executes|use|using|invoke|call|launch|see|read|load|open|consult|follow|check|review"
    r"|refer\s+to|details\s+in|described\s+in|documented\s+in)\s*:?\s*(?:the\s+)?(?:script\s+|file\s+)?[`*_\"'\[(]*\s*\Z",
    re.IGNORECASE,
)
# An example or a supposition, anywhere in the line.
_SUPPOSED = late(
    r"\b(?:e\.g|for (?:example|instance)|examples?\b(?!/)|such as|(?:something|things?|files?|scripts?) like|would"
    r"|could|might|imagine|suppose|optional|optionally|if (?:it |they |one )?(?:exists?|present|available)"
    r"|does not exist|doesn't exist|missing|coming soon|planned|not yet \w+|to be (?:added|written))\b"
    r"|❌|✗|✘|→|├|└|│|例如|比如|（如|例えば|たとえば|예를 들",
    re.IGNORECASE,
)
# Every match of `_SUPPOSED` contains one of these words, and searching for them takes a tenth of the time.
_SUPPOSING = (
    *("e.g", "exampl", "instance", "such as", "like", "would", "could", "might", "imagine", "suppose", "optional"),
    *("exist", "present", "available", "missing", "coming", "planned", "not yet", "to be", "❌", "✗", "✘", "→"),
    *("├", "└", "│", "例", "比如", "（如", "たとえば", "예를 들"),
)
# Words before the name of a file that is yet to be created, to be left alone, or in another project.
_NOT_OURS = late(
    r"\b(?:creat\w*|add\w*|writ\w*|sav\w*|generat\w*|outputs?|stor\w*|put|plac\w*|mov\w*|export\w*|produc\w*|renam\w*"
    r"|scaffold\w*|extract\w*|new|never|don't|do not|avoid|instead of|user's|your (?:own )?(?:project|repo\w*|code\w*)"
    r"|their|repo's|repository's|project's|plugin's)\b",
    re.IGNORECASE,
)
# The name of another skill, in code right before the path: "`artist` references/styles.md".
_OF_ANOTHER = late(r"`[a-z0-9]+(?:-[a-z0-9]+)*`(?:['’]s|\s+skill(?:['’]s)?)?[\s:]+[`*_(]*\Z")
_THEIRS = late(
    r"\b(?:your (?:own )?(?:project|repo\w*|code\w*)|user's|their|(?:repo|repository|project)'s)\b[^.:]*\Z"
    r"|\bif (?:there is |you have )?(?:an? )?[`\"'*]*\Z",
    re.IGNORECASE,
)
_INSTALLS = late(r"\bgit clone\b|\b(?:pip3?|uv pip|conda|mamba|npm|pnpm|yarn|brew|cargo|go) (?:install|i|add)\b")
_ELSEWHERE = late(r"\bgit clone\b|(?:^|&&|;)[ \t]*(?:cd|pushd)[ \t]", re.MULTILINE)
# A program in a folder that no skill has by custom: the commands around it run in the folder of another project.
_OTHER_PROGRAM = late(r"^[ \t]*(?:sudo[ \t]+)?\./(?!(?:scripts|references|assets)/)([\w.-]+)/", re.MULTILINE)
_NEXT_COMMAND = late(r"&&|\|\|?|;|\$\(")
_WRITES = late(r"(?:>>?|-o|--out(?:put|file|-file)?|--dest|\btee)[ \t=]{0,3}[\"']?(?:\./)?\Z")
_TEACHES = late(
    r"(?:creat|writ|author|develop|build|adapt|modif|design|improv|mak|teach|scaffold|generat|optimi|review|audit"
    r"|template|plugin)\w*-(?:\w+-)*?skills?\b|\bskills?-(?:\w+-)*?(?:creat|writ|author|develop|build|design|improv"
    r"|mak|teach|scaffold|generat|optimi|review|audit|guide|template)",
)


class Mention(NamedTuple):
    """A path that a text names: `path` relative, its offsets, and the text of its line on both sides."""

    path: str
    start: int
    end: int
    before: str
    after: str


@Predicate("path-mention", Subject.TEXT, values=("target", "detail"))
def path_missing(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """Bare paths into a skill's own folders that lead to no file although the text means an existing one."""
    skill = text.skill
    if skill is None or text.language != "markdown":
        return ()
    glance = glance_at(text)
    if not glance.paths or is_sample(text.relative):
        return ()
    others = _named(glance.rest) - skill.paths
    if not others:
        return ()
    locator = Locator(text)
    # Most of them are no files, or files elsewhere in the repository; finding that out is cheaper than parsing.
    if not any(_may_be_file(path) and locator.find(path).kind in _FAULTS for path in sorted(others)):
        return ()
    return _missing(text, skill, locator)


def _named(rest: str) -> set[str]:
    """The paths into the customary folders that a text may name outside of the targets of its links."""
    return {f"{match[match.lastindex or 0]}{match[0]}".rstrip(".-/") for match in _QUICK().finditer(rest)}


def _may_be_file(path: str) -> bool:
    return "//" in path or bool(_FILE().match(path))


_FAULTS = (Kind.MISSING, Kind.WRONG_CASE)


def _missing(text: TextFile, skill: Skill, locator: Locator) -> Iterator[Match]:
    # The paths in a skill about skills are those of skills to come.
    about_skills = getattr(skill.document, "text", "").count(SKILL_FILE) >= 5
    if about_skills or _TEACHES().search(skill.folder.lower()):
        return
    context = _Context(text, skill)
    named: dict[str, list[Mention]] = {}
    for mention in mentions(text):
        named.setdefault(mention.path, []).append(mention)
    # Skipped: files that a command writes, and links, which have their own rule.
    written = set(_written(text.document.text)) if named else set()
    for path, found in named.items():
        if path in skill.paths or path in written or not _FILE().match(path):
            continue
        place = locator.find(path)
        meant = next(filter(context.is_meant, found), None) if place.kind in _FAULTS else None
        if meant and path not in context.linked and not any(map(context.is_theirs, found)):
            detail = "does not exist" if place.kind is Kind.MISSING else f"is named `{os.path.basename(place.path)}`"
            yield match_at(text.document.path, meant, {"target": path, "detail": detail})


def mentions(text: TextFile) -> Iterator[Mention]:
    """The bare paths of a Markdown text outside front matter and what looks like an inline link, in order."""
    source = text.document.text
    for match in _paths(source, text.body):
        start, path = match.start("path"), match["path"].rstrip(".-")
        end = start + len(path)
        # `<name>`, `{name}`, `*` and others right after it make the path a pattern.
        if match["next"] and match["next"] in "<{*$[…/\\%":
            continue
        before, after = line_around(source, match.start(), end)
        if not _is_in_link(before, after):
            yield Mention(path, start, end, before, after)


_LEADS = ("./", "${CLAUDE_SKILL_DIR}/", "{baseDir}/", "")


def _paths(source: str, begin: int) -> Iterator[re.Match[str]]:
    """The matches of `_PATH` from `begin` on, found by their folders."""
    for found in _QUICK().finditer(source, begin):
        at = found.start() - len(found[found.lastindex or 0])
        lead = next(lead for lead in _LEADS if source.endswith(lead, begin, at))
        if at >= begin and (match := _PATH().match(source, at - len(lead))):
            yield match


def _written(source: str) -> Iterator[str]:
    """The paths that a command writes."""
    for found in _QUICK().finditer(source):
        folder = found[found.lastindex or 0]
        at = found.start() - len(folder)
        if _WRITES().search(source, max(0, at - 30), at):
            yield f"{folder}{found[0]}".rstrip(".-")


def _is_in_link(before: str, after: str) -> bool:
    """Whether a path is a link's label, or the target of a link that is shown in code."""
    return bool(re.search(r"\]\([^)\]\[]*\Z", before)) or ("[" in before and bool(re.match(r"[^\[\]]*\]\(", after)))


def is_shell(fence: Fence) -> bool:
    """Whether a fence contains commands, by its info string."""
    return fence.info.partition(" ")[0].lower() in SHELLS


class _Context:
    """Decides whether a mention means a file that should exist: not one to create, an example or the reader's own."""

    def __init__(self, text: TextFile, skill: Skill) -> None:
        self.text = text.document.text
        self.file = text
        self.fences = fences_of(text)
        self.skill = skill
        # References, and texts that install a program, mostly name files of other projects.
        self.is_about_itself = text.relative == SKILL_FILE and not _INSTALLS().search(self.text)
        self.left_from: dict[int, int] = {}
        self.lacking: dict[int, bool] = {}
        self.siblings: dict[str, bool] = {}

    def _is_prose(self, mention: Mention) -> bool:
        """Whether a mention is in no comment and in no link. It takes a parser: ask last."""
        markdown = self.file.markdown
        return not (markdown.in_comment(mention.start) or span_at(markdown.links, mention.start))

    @cached_property
    def linked(self) -> frozenset[str]:
        """The paths that links lead to."""
        return frozenset(link.target.partition("#")[0].removeprefix("./") for link in self.file.markdown.links)

    def is_meant(self, mention: Mention) -> bool:
        """Whether a mention is no sample, and in no comment and no link."""
        return self._may_be_meant(mention) and not in_outer_fence(self.file, mention.start) and self._is_prose(mention)

    def _may_be_meant(self, mention: Mention) -> bool:
        folder_is_there = mention.path.partition("/")[0] in self.skill.paths
        if fence := span_at(self.fences, mention.start):
            commands = is_shell(fence) or (not fence.info and folder_is_there)
            here = mention.start < self._left_from(fence) and (folder_is_there or self._may_lack_folder(fence))
            return commands and here and is_command(mention.before)
        if _is_supposed(f"{mention.before} {mention.after}"):
            return False
        is_used = span_is_command(mention.before) or self._is_named_as_ours(mention, folder_is_there)
        return is_used and not self._is_of_sibling(mention)

    def _is_named_as_ours(self, mention: Mention, folder_is_there: bool) -> bool:
        if _NOT_OURS().search(mention.before[-80:]) or _OF_ANOTHER().search(mention.before[-80:]):
            return False
        kept_by_skills = mention.path.startswith("references/") and mention.path.endswith(".md")
        return folder_is_there or kept_by_skills or bool(_USED().search(mention.before))

    def _is_of_sibling(self, mention: Mention) -> bool:
        """Whether the line names another skill that has the file."""
        words = set(re.findall(r"[A-Za-z0-9][\w-]{1,63}", f"{mention.before[-80:]} {mention.after[:80]}"))
        return any(self._has_sibling(name, mention.path) for name in words - SUBFOLDERS)

    def _has_sibling(self, name: str, path: str) -> bool:
        place = os.path.join(self.skill.skills_root, name, path)
        if place not in self.siblings:
            self.siblings[place] = tracked.exists(place)
        return self.siblings[place]

    def is_theirs(self, mention: Mention) -> bool:
        """Whether the line gives a path to the project that the skill is used in: "your project has `scripts/x`"."""
        if mention.path.partition("/")[0] in self.skill.paths or span_at(self.fences, mention.start):
            return False
        return bool(_THEIRS().search(mention.before[-80:])) and self._is_prose(mention)

    def _may_lack_folder(self, fence: Fence) -> bool:
        """Whether the commands of a fence may mean a folder that the skill should have."""
        if fence.start not in self.lacking:
            programs = _OTHER_PROGRAM().findall(self.text, fence.body_start, fence.body_end)
            self.lacking[fence.start] = self.is_about_itself and self.skill.paths.issuperset(programs)
        return self.lacking[fence.start]

    def _left_from(self, fence: Fence) -> int:
        """The offset from which the commands of a fence run in another folder, where paths mean other files."""
        if fence.start not in self.left_from:
            match = _ELSEWHERE().search(self.text, fence.body_start, fence.body_end)
            self.left_from[fence.start] = match.start() if match else fence.body_end
        return self.left_from[fence.start]


def is_command(before: str) -> bool:
    """Whether the text before a path in a line of commands makes the path a command, or an interpreter's script."""
    return bool(_RUN().match(_NEXT_COMMAND().split(before)[-1].lstrip()))


def span_is_command(before: str) -> bool:
    """Whether a path is in a code span after an interpreter, by the text before it in the line."""
    span = before.rpartition("`")[2]
    return before.count("`") % 2 == 1 and bool(span.strip()) and is_command(span)


def _is_supposed(line: str) -> bool:
    """Whether a line gives an example, or supposes something."""
    folded = line.casefold()
    return any(word in folded for word in _SUPPOSING) and bool(_SUPPOSED().search(line))
