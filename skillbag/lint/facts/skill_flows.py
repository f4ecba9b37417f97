"""Flows that begin in one text of a skill and end in another: along imports, programs that are started, and files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.lint.facts.flow import carried
from skillbag.lint.facts.flows import SHARED, TextFlows, UnitReader, candidates, text_flows, with_inner
from skillbag.lint.facts.roles import is_test
from skillbag.lint.facts.signs import CODE, FlowSigns, WordSearch, source_places
from skillbag.lint.facts.units import Unit, is_script, language_of_script, units, units_at
from skillbag.lint.facts.values import SHARED_MEMBER, Flow, OriginKind
from skillbag.lint.facts.word_steps import places

_MAX_SOURCES = 20
"""Sources of a text that are followed into other files."""
_MAX_REACHED = 40
"""Scripts around a text that are searched for an act."""
_MAX_FILES = 12
"""Files that are read together."""
_MAX_SCRIPTS = 200
"""Scripts of a skill that are looked at."""
_MANY = f"flows into more than {_MAX_SCRIPTS} scripts of the skill were not followed"
_LARGEST = 200_000
"""Characters of a text that is looked at."""
_SHORTEST = 4
_FEW = 2
_PASSED_ON = late(r"[^\n|`]{0,200}(?:\|(?!\|)|>[ \t]*[\w./~$\"'])")
_TAKEN = late(r"[$<]\([^\n()]{0,200}\Z")
"""What a script prints goes on, or gets into a command."""
_KEEPS = WordSearch(
    (
        *(" -o", "--output", "open(", "writefile", "createwritestream", "write_text", "write_bytes", "urlretrieve"),
        *(" > ", ">/", ">~", "tee ", "utfile", "ut-file", "set-content", "tar ", "zip ", "cp ", "mv "),
    )
)
"""What keeps something in a file."""
_MAX_LINE = 200
_MAX_NAMED = 50
"""Places of a page where one file is named."""
_IMPORTED = late(
    r"(?m)^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+)?import[ \t]+(?P<names>[\w., \t*()]{1,200})"
    r"|(?:\bfrom|\brequire\(|\bimport\()[ \t]*[\"'](?P<path>\.[^\"'\n]{1,200})[\"']"
)
_STARTS = ("subprocess", "os.system", "popen", "runpy", "child_process", "spawn", "execa", "fork(")
"""What code has that starts other programs."""
_DATA = frozenset("json txt log dat zip tgz gz tar csv db out enc tar.gz md html xml pdf png".split())  # noqa: SIM905
"""Endings of files that are not started."""
_WORD = late(r"\w[\w-]*")
_KEPT = late(
    r"(?:~|\$HOME|/tmp|/var/tmp|/dev/shm)/[\w./-]{1,80}"
    r"|(?<=[\"'\s>=/])[\w-]{2,60}\.(?:json|txt|log|dat|bin|zip|tgz|gz|tar|b64|csv|db|tmp|out|enc|sh|py|m?js|ps1|exe)(?![\w(.])"
)
"""Names of files that one program may write and another read."""


class _Texts:
    """The scripts and pages of a skill, and which scripts name each other."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill
        self._links: dict[str, list[str]] = {}
        self._acting: dict[WordSearch, frozenset[str]] = {}
        found = [text for text in text_files(skill) if isinstance(text, TextFile)]
        known = [text for text in found if len(text.document.text) <= _LARGEST]
        self.pages = [text for text in known if text.language == "markdown"]
        self.scripts = {text.relative: text for text in known if is_script(text) and not is_test(text)}
        self.is_cut = len(self.scripts) > _MAX_SCRIPTS
        self.scripts = dict(islice(self.scripts.items(), _MAX_SCRIPTS))

    def named(self, text: str, *, starts: bool = True) -> list[str]:
        """The scripts that a text imports, or names while it `starts` programs."""
        imported = _imported(text)
        names = ((path, path.rpartition("/")[2]) for path in self.scripts)
        return [path for path, name in names if (starts and name in text) or name.partition(".")[0] in imported]

    def links(self, path: str) -> list[str]:
        """The scripts that one imports or starts, and those that import or start it."""
        if path not in self._links:
            code = self.scripts[path].document.text if path in self.scripts else ""
            found = dict.fromkeys(self.named(code, starts=_starts(path, code)))
            name = path.rpartition("/")[2]
            stem = name.partition(".")[0]
            for other, text in self.scripts.items():
                code = text.document.text
                if stem in code and ((name in code and _starts(other, code)) or stem in _imported(code)):
                    found[other] = None
            found.pop(path, None)
            self._links[path] = [*found]
        return self._links[path]

    def acting(self, acts: WordSearch) -> frozenset[str]:
        """The scripts that have an act."""
        if acts not in self._acting:
            self._acting[acts] = frozenset(
                path for path, text in self.scripts.items() if acts.finds(text.document.text)
            )
        return self._acting[acts]

    def ways(self, first: Iterable[str], own: str, signs: FlowSigns) -> set[str]:
        """The scripts on the shortest ways to those that have an act."""
        before, found = dict.fromkeys(first, ""), set[str]()
        reached = [(path, 0) for path in before]
        for path, steps in reached:
            if path != own and path in self.acting(signs.linked_acts):
                way = path
                while way:
                    found.add(way)
                    way = before[way]
            for other in self.links(path) if steps < signs.most_links and len(before) < _MAX_REACHED else ():
                if other not in before:
                    before[other] = path
                    reached.append((other, steps + 1))
        return found

    def users(self, name: str, read: Container[str]) -> Iterator[str]:
        """The scripts that a name leads to from those that are read."""
        if not name.startswith(SHARED_MEMBER):
            kept = name.partition(":")[2]
            last = kept.rpartition("/")[2]
            kept = last if len(last) > _SHORTEST else kept
            yield from (path for path, text in self.scripts.items() if kept and kept in text.document.text)
            return
        _, path, member = name.split(":", 2)
        if path not in read:
            yield path
            return
        word = _WORD().search(member)
        for other in self.links(path):
            text = self.scripts[other].document.text
            if member in ("stdout", "default()", "default") or (word and (word[0] in text or "import *" in text)):
                yield other


@lru_cache(maxsize=256)
def _imported(code: str) -> frozenset[str]:
    return frozenset(word for match in _IMPORTED().finditer(code) for word in _WORD().findall(match[0]))


def _starts(path: str, code: str) -> bool:
    return language_of_script(path) not in CODE or any(word in code for word in _STARTS)


_LAST: list[_Texts] = []
"""The texts of the skill that is linted: each text asks for them."""


def _beside(skill: Skill) -> _Texts:
    if not _LAST or _LAST[0].skill is not skill:
        _LAST[:] = [_Texts(skill)]
    return _LAST[0]


class _Start(NamedTuple):
    """What a flow may begin in: units of a text; the units of pages, and the scripts, that it may go through."""

    texts: _Texts
    own: tuple[Unit, ...]
    pages: tuple[Unit, ...]
    ways: frozenset[str]


@lru_cache(maxsize=8)
def leaving(file: TextFile, signs: FlowSigns) -> _Start | None:
    """What of a text may get to an act in another file of its skill; None if nothing may."""
    is_own = is_script(file)
    if (
        file.skill is None
        or not signs.most_links
        or not (is_own or file.language == "markdown")
        or not source_places(file, signs)
    ):
        return None
    if is_test(file):
        return None
    texts = _beside(file.skill)
    if len(texts.scripts) + (not is_own or bool(texts.pages)) < _FEW:
        return None
    body = file.document.text
    # A download is handed on in a file; other values also as arguments and by imports.
    if not is_own and OriginKind.DOWNLOAD in signs.kinds and not _KEEPS.finds(body):
        return None
    own = tuple(units(file) if is_own else units_at(file, source_places(file, signs)))
    code = "\n".join(unit.text for unit in own)
    if len(code) > _LARGEST:
        return None
    kept = _kept(code, signs, file.skill) if _KEEPS.finds(code) else set()
    ways = set[str]()
    if texts.acting(signs.linked_acts) - {file.relative}:
        ways = texts.ways(
            [file.relative] if file.relative in texts.scripts else texts.named(code), file.relative, signs
        )
    for path, text in texts.scripts.items() if kept else ():
        if any(each in text.document.text for each in kept):
            acts = signs.code_acts if language_of_script(path) in CODE else signs.acts
            ways.update([path] if path in texts.acting(acts) else [])
    name = file.relative.rpartition("/")[2] if is_own else ""
    pages = [page for page in texts.pages if page.relative != file.relative]
    naming = tuple(unit for page in pages for unit in _naming(page, kept, name, signs))
    return _Start(texts, own, naming, frozenset(ways)) if ways or naming else None


def _kept(code: str, signs: FlowSigns, skill: Skill) -> set[str]:
    """The names of files in code that another program may read, or start where programs are what is downloaded."""
    unwanted = _DATA if OriginKind.DOWNLOAD in signs.kinds else frozenset[str]()
    found = ((name, name.rpartition("/")[2]) for name in _KEPT().findall(code) if len(name) > _SHORTEST)
    # What the skill brings along is not left by its code.
    return {name for name, last in found if last.partition(".")[2] not in unwanted and last not in skill.named}


def _naming(page: TextFile, kept: Iterable[str], name: str, signs: FlowSigns) -> Iterator[Unit]:
    """The units of a page that use a file which is left for them, or what a script prints."""
    text = page.document.text
    left = sorted(at for each in kept for at in islice(places(text, each), _MAX_NAMED))
    named = islice(places(text, name), _MAX_NAMED) if name else ()
    printed = [at for at in named if _PASSED_ON().match(text, at) or _TAKEN().search(text, max(0, at - _MAX_LINE), at)]
    for offsets, acts in ((left, signs.acts), (printed, signs.linked_acts)):
        yield from (unit for unit in (units_at(page, offsets) if offsets else ()) if acts.finds(unit.text))


@lru_cache(maxsize=8)
def skill_flows(file: TextFile, signs: FlowSigns) -> TextFlows:
    """The flows that begin in a text and end in another file of its skill."""
    start = leaving(file, signs)
    if start is None:
        return TextFlows()
    reader, read = UnitReader(is_linked=True), {file.relative}
    reader.read(inner for unit in (*start.own, *start.pages) for inner in with_inner(unit))
    texts, takes = start.texts, _takes(reader, signs)
    if not takes and OriginKind.DOWNLOAD in signs.kinds:
        # An address that another program is given is unknown there, and reported so.
        return TextFlows(unread=tuple(reader.unread))
    further = [] if takes else texts.links(file.relative)
    while len(read) < _MAX_FILES:
        names = sorted(name for name in carried(reader.steps, signs.kinds) if name.startswith(SHARED))
        further += [path for name in names for path in texts.users(name, read)]
        added = [path for path in dict.fromkeys(further) if path not in read and path in start.ways]
        added = added[: _MAX_FILES - len(read)]
        if not added:
            break
        read.update(added)
        added_units = (unit for path in added for unit in units(texts.scripts[path]))
        reader.read((inner for unit in added_units for inner in with_inner(unit)), with_sources=not takes)
    flows = reader.flows(_MAX_SOURCES)
    found = tuple(each for each in flows.found if _leaves(each.flow, each.origin, each.unit, file))
    return TextFlows(found, (*flows.unread, *((_MANY,) if texts.is_cut else ())))


def _takes(reader: UnitReader, signs: FlowSigns) -> bool:
    """Whether something is taken in the text itself, and not only named for another file."""
    return any(source.kind in signs.kinds for step in reader.steps for source in step.sources)


def _leaves(flow: Flow, origin: Unit, unit: Unit, file: TextFile) -> bool:
    """Whether a flow begins in a text and ends elsewhere; a name that the text gives to another file begins in it."""
    path = file.document.path
    if origin.file.document.path == path:
        return unit.file.document.path != path
    name = flow.source.what.rpartition("/")[2]
    return name in file.document.text and name not in origin.file.document.text


def all_flows(file: TextFile, signs: FlowSigns) -> TextFlows:
    """The flows that begin in a text."""
    is_linked = leaving(file, signs) is not None
    within = text_flows(file, signs, is_linked)
    beyond = skill_flows(file, signs) if is_linked else TextFlows()
    return TextFlows(within.found + beyond.found, within.unread + beyond.unread)


def may_begin(file: TextFile, signs: FlowSigns) -> bool:
    """Whether a flow may begin in a text: it has units that may have one, or something that may leave it."""
    return bool(candidates(file, signs)) or leaving(file, signs) is not None
