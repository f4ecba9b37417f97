"""Paths that a text names without a link: `scripts/x.py`, `references/y.md`, `assets/z`, `resources/u.md`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import cached_property
from skillbag.kernel.model.findings import Moved
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks import path_surroundings as around
from skillbag.lint.checks.own_paths import own_missing
from skillbag.lint.checks.path_resolution import (
    FAULTS,
    FURTHER,
    SUBFOLDERS,
    Locator,
    PathStatus,
    ResolvedPath,
    is_sample,
)
from skillbag.lint.checks.path_wording import (
    Mention,
    is_command,
    is_elsewhere,
    is_of_others,
    is_supposed,
    is_theirs,
    is_used,
    span_is_command,
)
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at
from skillbag.lint.checks.prefilter import LinkPrefilter, glance_at, in_outer_fence, line_around
from skillbag.lint.signals.fences import fences_of, is_shell, span_at

_TEXTS = (".md", ".mdx", ".txt")
_FOLDERS = (*sorted(SUBFOLDERS), *sorted(FURTHER))
_PATH = late(
    r"(?<![\w./\\~@%*:>}\])-])(?:\./)?"
    r"(?P<path>(?:scripts|references|assets|resources|reference|rules|guides|templates|examples)/[\w.-]+(?:/[\w.-]+)*)(?P<next>[^\s]?)"
)
# The slash after a name of a folder, as in `own_paths`, and a part of each such name.
_OWN = late(r"/(?<=[}>\"'RTH]/)\w")
_OWN_PARTS = ("KILL_", "kill_", "kill-dir", "kill-path", "kill-root", "baseDir", "PLUGIN_ROOT")
# The same paths and more, from the slash on that the machine can search for.
_QUICK = late(rf"/(?<=[se]/)(?:{'|'.join(rf'(?<={folder}/)' for folder in _FOLDERS)})[\w./-]+")
_WRITES = late(
    r"(?:>>?|-o|--out(?:put|file|-file)?|--dest|\btee|\b(?:cp|mv)[ \t]+(?:-\w+[ \t]+)?[^\s`]+)[ \t=]{0,3}[\"']?"
    r"(?:\./)?\Z"
)
_COMMENTS = ("\n# ", "\n// ", "\n-- ")
_WRITING = (">", "-o", "--out", "--dest", "tee", "cp ", "mv ")
_FILE = late(r".*[\w-]\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_BLANK = late(r"YYYY|NNN|XXX|(?<![a-z])(?:foo|bar|baz|xxx)\.|/\.[^/]*\Z")
_INSTALLS = late(r"\bgit clone\b|\b(?:pip3?|uv pip|conda|mamba|npm|pnpm|yarn|brew|cargo|go) (?:install|i|add|create)\b")
_TAUGHT = ("-skill", "skill-", "skills-")
_TEACHES = late(
    r"(?:creat|writ|author|develop|build|adapt|modif|design|improv|mak|teach|scaffold|generat|optimi|review|audit"
    r"|template|plugin)[a-z]*-(?:[a-z0-9]+-)*?skills?\b|\bskills?-(?:[a-z0-9]+-)*?(?:creat|writ|author|develop|build"
    r"|design|improv|mak|teach|scaffold|generat|optimi|review|audit|guide|template)"
)


@Predicate("path-mention", Subject.TEXT, values=("target", "detail", "advice"))
def path_missing(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """Paths that a text names without a link, and that lead to no file although it means one that is there."""
    if text.language != "markdown":
        return ()
    glance = glance_at(text)
    if not glance.paths or is_sample(text.relative):
        return ()
    below = glance.rest if _OWN().search(glance.rest) else ""
    installed = f"skills/{text.skill.folder}/" if text.skill else SKILL_FILE
    own = any(part in below for part in _OWN_PARTS) or installed in glance.rest
    return [*(own_missing(text, _match) if own else ()), *(_missing_bare(text, glance) if text.skill else ())]


def _missing_bare(text: TextFile, glance: LinkPrefilter) -> Iterable[Match]:
    """The paths into the customary folders of the skill."""
    if (skill := text.skill) is None:
        return ()
    others = _named(glance.rest) - skill.paths
    if not others:
        return ()
    locator = Locator(text)
    # Most of them are no files, or files elsewhere in the repository; finding that out is cheaper than parsing.
    if not any(_may_be_meant(path, skill) and locator.near(path).kind in FAULTS for path in sorted(others)):
        return ()
    return _missing(text, skill, locator)


def _may_be_meant(path: str, skill: Skill) -> bool:
    """Whether a path may be a file, in one of the folders that the skill has or may be meant to have."""
    folder = path.partition("/")[0]
    is_ours = folder in SUBFOLDERS or path.endswith(_TEXTS) or folder in skill.paths
    return is_ours and ("//" in path or bool(_FILE().match(path)))


def _missing(text: TextFile, skill: Skill, locator: Locator) -> Iterator[Match]:
    # The paths in a skill about skills are those of skills to come.
    if getattr(skill.document, "text", "").count(SKILL_FILE) >= 5:
        return
    context = _Context(text, skill)
    places: dict[str, list[Mention]] = {}
    for mention in mentions(text):
        places.setdefault(mention.path, []).append(mention)
    # Skipped: files that a command writes, and links, which have their own rule.
    made = set(_written(text.document.text)) if places else set()
    number = 0
    for path, found in places.items():
        if path in skill.paths or path in made or not _FILE().match(path) or _BLANK().search(path):
            continue
        # The question that looks furthest comes last.
        meant = [*filter(context.is_meant, found)] if locator.near(path).kind in FAULTS else []
        place = locator.find(path)
        is_gone = place.kind in FAULTS and not context.is_linked(path) and not any(map(context.is_theirs, found))
        if meant and is_gone and (first := context.missed(meant)):
            number += 1
            yield _match(text, first, place, number)


def _match(text: TextFile, mention: Mention, place: ResolvedPath, number: int) -> Match:
    """The match for the first mention of a missing path, with the file that it means."""
    path, values = mention.path, {"target": mention.path, "detail": "", "advice": ""}
    match = match_at(text.document.path, mention, values)
    if place.kind is PathStatus.WRONG_CASE:
        values["detail"] = f"is named `{os.path.basename(place.path)}`"
        return match
    # Most texts have no fault.
    from skillbag.lint.checks.path_advice import MAX_ADVISED, advice, as_written, looked, missing_folder, place_of

    values["detail"] = f"does not exist{looked(text, path)}"
    if text.skill and (found := place_of(text, path)):
        better = as_written(text, text.skill, found)
        values["advice"] = f"Did you mean `{better}`? "
        return match._replace(moved=Moved(path, better, link=False))
    values["advice"] = advice(text, path) if number <= MAX_ADVISED else ""
    base = text.skill.directory if text.skill else os.path.dirname(text.document.path)
    return match._replace(cause="" if values["advice"] else missing_folder(base, path))


def _named(rest: str) -> set[str]:
    """The paths into the customary folders that a text may name outside of the targets of its links."""
    return {path.rstrip(".-/") for _, path in _seeming(rest)}


def _seeming(source: str, begin: int = 0) -> Iterator[tuple[int, str]]:
    """What looks like a path into one of the folders, with its offset."""
    for found in _QUICK().finditer(source, begin):
        at = found.start()
        folder = next((folder for folder in _FOLDERS if source.endswith(folder, begin, at)), None)
        if folder:
            yield at - len(folder), folder + found[0]


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


def _paths(source: str, begin: int) -> Iterator[re.Match[str]]:
    """The matches of `_PATH` from `begin` on, found by their folders."""
    for at, _ in _seeming(source, begin):
        if match := _PATH().match(source, at - 2 if source.endswith("./", begin, at) else at):
            yield match


def _written(source: str) -> Iterator[str]:
    """The paths that a command writes, and those of files that a block shows with their name as a comment."""
    for at, path in _seeming(source):
        before = source[max(0, at - 80) : at]
        is_made = any(sign in before for sign in _WRITING) and _WRITES().search(before)
        if is_made or (before.endswith(_COMMENTS) and source.startswith("\n", at + len(path))):
            yield path.rstrip(".-")


def _is_in_link(before: str, after: str) -> bool:
    """Whether a path is a link's label, or the target of a link that is shown in code."""
    return bool(re.search(r"\]\([^)\]\[]*\Z", before)) or ("[" in before and bool(re.match(r"[^\[\]]*\]\(", after)))


class _Context:
    """Decides whether a mention means a file that should exist: not one to create, an example or the reader's own."""

    def __init__(self, text: TextFile, skill: Skill) -> None:
        self.text = text.document.text
        self.file = text
        self.fences = fences_of(text)
        self.skill = skill

    @cached_property
    def _is_about_itself(self) -> bool:
        # References, and texts that install a program, mostly name files of other projects.
        return self.file.relative == SKILL_FILE and not _INSTALLS().search(self.text)

    def _is_prose(self, mention: Mention) -> bool:
        """Whether a mention is in no comment and in no link. It may take a parser: ask last."""
        if "<!--" not in self.text and not self._may_be_linked(mention.path):
            return True
        markdown = self.file.markdown
        return not (markdown.in_comment(mention.start) or span_at(markdown.links, mention.start))

    def _may_be_linked(self, path: str) -> bool:
        glance = glance_at(self.file)
        return glance.odd or any(path in target for target in glance.targets)

    def is_linked(self, path: str) -> bool:
        """Whether a link leads to a path."""
        return self._may_be_linked(path) and path in self._linked

    @cached_property
    def _linked(self) -> frozenset[str]:
        return frozenset(link.target.partition("#")[0].removeprefix("./") for link in self.file.markdown.links)

    def is_meant(self, mention: Mention) -> bool:
        """Whether a mention is no sample, and in no comment and no link."""
        return self._may_be_meant(mention) and not in_outer_fence(self.file, mention.start) and self._is_prose(mention)

    def _may_be_meant(self, mention: Mention) -> bool:
        folder_is_there = mention.path.partition("/")[0] in self.skill.paths
        if fence := span_at(self.fences, mention.start):
            commands = is_shell(fence) or (not fence.info and folder_is_there)
            here = folder_is_there or self._is_about_itself
            known = folder_is_there or mention.path.partition("/")[0] in SUBFOLDERS
            # What is said of a file below its name is an output.
            is_output = not fence.info and self.text.startswith(("\n ", "\n\t"), mention.end)
            return known and commands and here and not is_output and is_command(mention.before)
        line = f"{mention.before} {mention.after}"
        if is_supposed(line) or is_elsewhere(mention.before, mention.after, self.skill.folder):
            return False
        if mention.path.partition("/")[0] in FURTHER:
            return _is_further_used(mention, folder_is_there)
        return span_is_command(mention.before) or self._is_named_as_ours(mention, folder_is_there)

    def _is_named_as_ours(self, mention: Mention, folder_is_there: bool) -> bool:
        if is_of_others(mention.before):
            return False
        kept_by_skills = mention.path.startswith("references/") and mention.path.endswith(".md")
        return folder_is_there or kept_by_skills or is_used(mention.before)

    def missed(self, meant: Iterable[Mention]) -> Mention | None:
        """The first mention of a missing file, unless words around it say that the file is elsewhere or to be made."""
        folders = f"{self.skill.folder}/{self.file.relative}".lower()
        if around.is_foreign(self.file) or (any(part in folders for part in _TAUGHT) and _TEACHES().search(folders)):
            return None
        first = None
        for mention in meant:
            if around.is_of_named_sibling(self.file, mention):
                return None
            if fence := span_at(self.fences, mention.start):
                is_ours = not around.is_of_other_commands(self.text, fence, mention.start, self.skill)
            else:
                wide = around.widened(self.text, mention)
                if around.is_listed_elsewhere(self.text, wide, self.skill.folder) or self.is_theirs(wide):
                    return None
                is_ours = self._may_be_meant(wide)
            first = first or (mention if is_ours else None)
        return first

    def is_theirs(self, mention: Mention) -> bool:
        """Whether the line gives a path to the project that the skill is used in: "your project has `scripts/x`"."""
        if mention.path.partition("/")[0] in self.skill.paths or span_at(self.fences, mention.start):
            return False
        return is_theirs(mention.before) and self._is_prose(mention)


# An item of a list that says what a file is for: "- `guides/sorting.md` - How to sort".
_ITEM = late(r"\s*(?:[-*+]|\d{1,3}[.)])\s+[`*_]*\Z")
_ITEM_REST = late(r"[`*_]*\s*(?:[-–—:]|\()")


def _is_further_used(mention: Mention, folder_is_there: bool) -> bool:
    """Whether a text reads, opens, runs or lists a file in a folder that other projects may have as well."""
    if is_of_others(mention.before):
        return False
    is_text = mention.path.endswith(_TEXTS)
    if folder_is_there and span_is_command(mention.before):
        return True
    if is_used(mention.before):
        return folder_is_there or is_text
    return is_text and bool(_ITEM().match(mention.before)) and bool(_ITEM_REST().match(mention.after))
