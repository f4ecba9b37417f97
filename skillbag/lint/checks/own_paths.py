"""Paths below the name of a folder: the skill's own (`$SKILL_DIR/x`), its place once installed, its plugin's."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks import path_surroundings as around
from skillbag.lint.checks.path_resolution import BUILT, FAULTS, FURTHER, SUBFOLDERS, Locator, ResolvedPath, root_of
from skillbag.lint.checks.path_wording import Mention, is_elsewhere, is_of_others, is_supposed
from skillbag.lint.checks.predicate import Match, match_at
from skillbag.lint.checks.prefilter import in_outer_fence, line_around
from skillbag.lint.signals.fences import fences_of, is_shell, span_at

_LEAD = late(
    r"(?P<name>\$\{?\w++\}?|\{\{?[\w-]++\}\}?|<[\w-]++>|(?:(?:~|\$\{?HOME\}?)/)?\.\w++/skills/[\w-]++)[\"']?"
    r"/(?:\./)?(?P<path>[\w.-]++(?:/[\w.-]++)*+)(?P<next>\S?)"
)
_WORDS = frozenset(f"skill_{word}" for word in ("dir", "root", "path", "folder")) | {"basedir", "claude_skill_dir"}
_AGENTS = frozenset({".claude", ".agents", ".codex", ".gemini", ".opencode", ".cursor", ".openclaw"})
_PATTERN = frozenset("<{*$[…/\\%")
_ENDINGS = (
    *(".md", ".mdx", ".txt", ".html", ".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl"),
    *(".ps1", ".php", ".R", ".go"),
)
"""Of files that come with a skill. Others, such as data, may be made while it is used."""
_KEPT = SUBFOLDERS | FURTHER
_STAND_INS = frozenset({"script", "script_name", "script-name", "name", "file", "example", "foo", "helper"})
_MADE = late(r"(?:>>?|-o|--out\S*|--dest|\b(?:tee|touch|mkdir|cp|mv|ln|curl|wget|rm)\b[^`\n|;&]{0,200})[ \t=]*[\"']?\Z")
_TEACHES = late(
    r"(?:skill|plugin|command|agent|hook)s?\b.*(?:creat|writ|author|develop|build|design|guide|audit|review)"
)


class OwnPath(NamedTuple):
    """A path in the folder `base` (absolute) that a text names; `mention.path` has the folder's name in front."""

    base: str
    path: str
    mention: Mention

    @property
    def prefix(self) -> str:
        """The name in front, with its slash."""
        return self.mention.path.removesuffix(self.path)

    @property
    def is_there(self) -> bool:
        """Whether it leads to something."""
        return tracked.exists(os.path.join(self.base, *self.path.split("/")))


def read_own(text: TextFile, target: str) -> OwnPath | None:
    """The path that a link leads to, if it begins so; None for other links."""
    target = target.partition("#")[0] if target.startswith(("$", "{", "~")) else ""
    match = _LEAD().match(target) if target else None
    base = _base(text, match) if match and match.end("path") == len(target) else None
    return OwnPath(base, match["path"], Mention(target, 0, len(target), "", "")) if match and base else None


def own_missing(text: TextFile, match_of: Callable[[TextFile, Mention, ResolvedPath, int], Match]) -> Iterator[Match]:
    """The matches for the paths below a name of a folder that lead to no file; `match_of` makes those of the skill."""
    locator = Locator(text)
    for number, own in enumerate(_missing(text), 1):
        if text.skill is None or own.base != text.skill.directory:
            yield match_at(
                text.document.path, own.mention, {"target": own.mention.path, "detail": "does not exist", "advice": ""}
            )
        elif (place := locator.find(own.path)).kind in FAULTS:
            mention = own.mention._replace(path=own.path, start=own.mention.end - len(own.path))
            yield match_of(text, mention, place, number)


def _missing(text: TextFile) -> Iterator[OwnPath]:
    """The first place of each such path that leads to no file, where the text means one that is there."""
    source, seen = text.document.text, set[str]()
    for match in _LEAD().finditer(source, text.body):
        path = match["path"].rstrip(".-")
        base = None if match["next"] in _PATTERN else _base(text, match)
        start, end = match.start(), match.start("path") + len(path)
        before, after = line_around(source, start, end)
        own = OwnPath(base or "", path, Mention(source[start:end], start, end, before, after))
        if not base or own.mention.path in seen or not _comes_along(path) or own.is_there:
            continue
        if not seen and _is_about_skills(text):
            return
        if _is_meant(text, own):
            seen.add(own.mention.path)
            yield own


def _base(text: TextFile, match: re.Match[str]) -> str | None:
    """The folder that the name before a path means; None if it is unknown."""
    skill, name = text.skill, match["name"]
    word = name.strip("${}<>").lower().replace("-", "_")
    if word == "claude_plugin_root" and name[0] == "$":
        return _plugin(os.path.dirname(text.document.path), root_of(text))
    if skill is None:
        return None
    if "/" in name:
        agent, _, last = name.split("/")[-3:]
        return skill.directory if agent in _AGENTS and last == skill.folder else None
    is_own = word in _WORDS and ("skill" in word or name == "{baseDir}") and _is_own(text, name)
    return skill.nearest(text.relative).directory if is_own else None


def _is_own(text: TextFile, name: str) -> bool:
    """Whether a name means the skill's folder: a text may give a variable of a shell another value."""
    word, source = name.strip("${}"), text.document.text
    at = source.find(f"{word}=") if name[0] == "$" else -1
    value = source[at + len(word) + 1 :].partition("\n")[0].strip("\"'/") if at >= 0 else "<"
    return value.startswith(("<", "$CLAUDE_SKILL_DIR", "${CLAUDE_SKILL_DIR")) or value.endswith(
        f"/{text.skill.folder}" if text.skill else "/"
    )


@lru_cache(maxsize=1)
def _plugin(folder: str, root: str) -> str | None:
    """The nearest folder, from one up to the root of the target, with the manifest of a plugin."""
    while not tracked.exists(os.path.join(folder, ".claude-plugin", "plugin.json")):
        if folder in (root, os.path.dirname(folder)):
            return None
        folder = os.path.dirname(folder)
    return folder


def _comes_along(path: str) -> bool:
    """Whether a path is that of a file that a skill or plugin comes with, and not made later."""
    *folders, name = path.split("/")
    stem, dot, _ = name.rpartition(".")
    if not dot or not stem or stem in _STAND_INS or not BUILT.isdisjoint(folders) or ".." in folders:
        return False
    return name.endswith(_ENDINGS) or (folders[:1] != ["scripts"] and not _KEPT.isdisjoint(folders[:1]))


def _is_about_skills(text: TextFile) -> bool:
    """Whether a text teaches to write skills or plugins: its paths are those of others to come."""
    source, folder = text.document.text, text.skill.folder if text.skill else ""
    about = source.count(SKILL_FILE) >= 5 or "plugin.json" in source or _TEACHES().search(f"{folder} {text.relative}")
    return bool(about) or around.is_foreign(text)


def _is_meant(text: TextFile, own: OwnPath) -> bool:
    """Whether the words and the block around a path mean a file that is there."""
    mention = own.mention
    line = f"{mention.before} {mention.after}"
    if is_supposed(line) or is_elsewhere(mention.before, mention.after, os.path.basename(own.base)):
        return False
    if _MADE().search(mention.before) or is_of_others(mention.before) or in_outer_fence(text, mention.start):
        return False
    if fence := span_at(fences_of(text), mention.start):
        return is_shell(fence) or not fence.info
    return "<!--" not in text.document.text or not text.markdown.in_comment(mention.start)
