"""Which facts of a text meet a condition of a rule, and in which role they stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.lint.checks.flow_signs import ANY, OUT, kinds_of, listed, quick_groups
from skillbag.lint.checks.predicate import Match, Unjudged, short
from skillbag.lint.facts.flows import TextFacts, TextFlows, UnitFlow, text_facts, with_inner
from skillbag.lint.facts.readers import commands_of
from skillbag.lint.facts.roles import role_of
from skillbag.lint.facts.skill_flows import all_flows
from skillbag.lint.facts.units import Unit, units
from skillbag.lint.facts.uses import UNKNOWN
from skillbag.lint.facts.values import BESIDE, LOGIN, Act, ActKind, Origin, OriginKind, PlaceRole
from skillbag.lint.signals.hosts import CHAT_HOOKS, gives_securely, is_local, is_vendor
from skillbag.lint.signals.programs import begins_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.documents.source import Document

_MAX = 20
"""Facts of one kind in one text that are reported."""
_ROLES = (PlaceRole.MEANT, PlaceRole.TEST, PlaceRole.TAUGHT, PlaceRole.SHOWN, PlaceRole.DATA)
"""From the worst on."""


class CodeFact(NamedTuple):
    """A source, an act, or a flow from one to the other, and the unit that it is in. `is_at_act`: that is reported.

    `begins` is the unit of the source if that is in another file.
    """

    source: Origin | None
    act: Act | None
    unit: Unit
    is_at_act: bool = False
    begins: Unit | None = None

    @property
    def start(self) -> int:
        """Where it is reported."""
        first = self.source or self.act
        return first.start if first else 0

    @property
    def language(self) -> str:
        """The language that does it: that of a command within a call is a shell."""
        is_command = self.act and self.act.nested and (not self.source or self.act.start == self.source.start)
        return "shell" if is_command else self.unit.language

    @property
    def end(self) -> int:
        """The end of all of it."""
        return max(each.end for each in (self.source, self.act) if each)


def strongest(matches: Iterable[Match]) -> list[Match]:
    """The matches at different places, a limited number: where one source flows to several acts, the worst."""
    found: dict[tuple[str, int], Match] = {}
    for match in matches:
        known = found.get((match.path, match.start))
        if known is None and len(found) == _MAX:
            break
        if known is None or _ROLES.index(match.role) < _ROLES.index(known.role):
            found[match.path, match.start] = match
    return list(found.values())


def match_of(file: TextFile, fact: CodeFact) -> Match:
    """The match of a fact, with its role: at what is read or at the act."""
    source, act = fact.source, fact.act
    start, end = _named(file, source) if source else (fact.start, fact.end)
    if act and fact.is_at_act:
        start, end = act.start, act.end
    host = act.to if act else ""
    if act and act.kind in OUT and not host:
        host = "an address that is only known at run time"
    call = " ".join(file.document.text[act.start : act.end].split()) if act else ""
    said = {"source": _shown(source) if source else "", "kind": source.kind.value if source else ""}
    said["act"] = act.means if act else ""
    values = {**said, "host": host, "call": short(call)}
    if source and act and fact.begins:
        return _match_beyond(file, fact.unit.file, source, act, values)
    spans = [(each.start, each.end) for each in (source, act) if each]
    role = role_of(file, fact.start, fact.end, spans)
    if role is PlaceRole.MEANT and act and act.means.endswith(BESIDE):
        role = PlaceRole.TAUGHT
    return Match(file.document.path, start, end, values, role=role)


def _shown(source: Origin) -> str:
    """What is read, with a mark for each part that is only known at run time."""
    return source.what.replace(UNKNOWN, "…")


def _match_beyond(file: TextFile, beyond: TextFile, source: Origin, act: Act, values: Mapping[str, str]) -> Match:
    """The match of a flow that ends in another file: there, in the weaker of the roles."""
    role = role_of(file, source.start, source.end, [(source.start, source.end)])
    end_role = role_of(beyond, act.start, act.end, [(act.start, act.end)])
    role = max(role, end_role, key=_ROLES.index)
    if role is PlaceRole.MEANT and source.kind is OriginKind.DOWNLOAD and not source.what.startswith("http"):
        # Over files, functions with several callers mix values: without an address it is a weak sign.
        role = PlaceRole.TEST
    place = f"{_shown(source)} in {file.relative}:{file.document.position(source.start).line}"
    call = short(" ".join(beyond.document.text[act.start : act.end].split()))
    values = {**values, "source": place, "call": call}
    return Match(beyond.document.path, act.start, act.end, values, role=role)


def _named(text: TextFile, source: Origin) -> tuple[int, int]:
    """Where a source is named: its path, or the last part of that, if it stands there; or the call or command."""
    for name in (source.what, source.what.rpartition("/")[2]):
        at = text.document.text.find(name, source.start, source.end) if name else -1
        if at >= 0:
            return at, at + len(name)
    return source.start, source.end


def flows_of(
    file: TextFile, kinds: frozenset[OriginKind], acts: Mapping[ActKind, Callable[[Act], bool]], *, quick: bool = True
) -> Iterator[CodeFact]:
    """The flows of a text from sources of these kinds to acts that fit; `quick`: its literals are known."""
    for found in (found for flows in _flows(file, kinds, frozenset(acts), quick) for found in flows.found):
        flow = found.flow
        logs_in = flow.act.means.endswith(LOGIN)
        is_login = (flow.source.kind in _OWN and (logs_in or not _is_direct(file, found))) or (found.leaves and logs_in)
        if flow.source.kind is OriginKind.TOKEN and "." in flow.act.to:
            homes = _HOMES.get(flow.source.what.replace(".", " ").split(" ")[0], ())
            is_login = any(home in flow.act.to for home in homes) if homes else is_login
        is_request = flow.source.kind is OriginKind.DOWNLOAD and flow.act.start == flow.source.start
        if is_login or (is_request and flow.act.kind is ActKind.SENDS):
            continue
        fits = acts.get(flow.act.kind)
        if fits and flow.source.kind in kinds and fits(flow.act):
            yield CodeFact(flow.source, flow.act, found.unit, begins=found.origin if found.leaves else None)


_HOMES = {
    **dict.fromkeys(("gh", "glab"), ("git", "ghcr.io", "ghe.com")),
    **dict.fromkeys(("aws", "boto3", "botocore"), ("amazonaws", "aws")),
    "az": ("azure", "microsoft", "windows", "visualstudio"),
}
"""Parts of the hosts that the logins of a program are for; on others they are no login."""
_OWN = frozenset([OriginKind.PASSWORD, OriginKind.TOKEN, OriginKind.KEYCHAIN])
"""What a program of the user is given to log in with."""


def _is_direct(file: TextFile, found: UnitFlow) -> bool:
    """Whether what prints a login is in the command that sends it; a variable of a shell may be its login."""
    if found.flow.source.kind is not OriginKind.TOKEN or found.unit.language != "shell":
        return True
    start, end = sorted((found.flow.source.start, found.flow.act.start))
    return "\n" not in file.document.text[start:end]


def _flows(file: TextFile, kinds: frozenset[OriginKind], acts: frozenset[ActKind], quick: bool) -> Iterable[TextFlows]:
    groups = quick_groups(kinds, acts) if quick else None
    return [_facts(file, kinds).flows] if groups is None else [all_flows(file, signs) for signs in groups]


def _facts(file: TextFile, kinds: frozenset[OriginKind]) -> TextFacts:
    return text_facts(file, OriginKind.VARIABLE in kinds)


def unread(file: TextFile, kinds: frozenset[OriginKind], acts: Iterable[ActKind]) -> Iterator[Unjudged]:
    """What of a text was not followed."""
    for flows in _flows(file, kinds, frozenset(acts), quick=True):
        yield from Unjudged.each(file.document.path, flows.unread)


def is_elsewhere(act: Act) -> bool:
    """Whether an act reaches another machine, or may: it is not known to stay on this one."""
    return not is_local(act.to)


def meeting(file: TextFile, when: Mapping[str, Any], *, quick: bool = True) -> Iterator[CodeFact]:
    """The facts of a text that meet a condition; `quick`: the places of its literals are known."""
    languages = listed(when.get("in", ()))
    for fact in _meeting(file, when, quick):
        if not languages or fact.language in languages:
            yield fact._replace(is_at_act=fact.is_at_act or when.get("at") == "act")


def _meeting(file: TextFile, when: Mapping[str, Any], quick: bool) -> Iterator[CodeFact]:
    if "all" in when:
        yield from _together(file, when, quick)
    elif "any" in when:
        for each in when["any"]:
            yield from meeting(file, each, quick=quick)
    elif "flows-to" in when:
        for fact in flows_of(file, kinds_of(when["reads"]), _acts(when["flows-to"]), quick=quick):
            if fact.source and _is_named(fact.source, when) and not _is_vouched(fact, when):
                yield fact
    elif "reads" in when:
        kinds = kinds_of(when["reads"])
        for unit, step in _facts(file, kinds).steps:
            for source in step.sources:
                if source.kind in kinds and _is_named(source, when):
                    yield CodeFact(source, None, unit)
    elif "commands" in when:
        yield from _commands(file, listed(when["commands"]))
    else:
        acts = _acts(when["does"])
        for unit, step in text_facts(file).steps:
            for act in step.acts:
                if act.kind in acts and acts[act.kind](act):
                    yield CodeFact(None, act, unit)


def _commands(file: TextFile, wanted: tuple[str, ...]) -> Iterator[CodeFact]:
    """The commands of a text whose first words are wanted."""
    for unit in (inner for outer in units(file) for inner in with_inner(outer)):
        for words, start, end in commands_of(unit):
            if any(begins_with(words, each) for each in wanted):
                act = Act(ActKind.STARTS, "", " ".join(words), unit.start + start, unit.start + end)
                yield CodeFact(None, act, unit)


def _is_named(source: Origin, when: Mapping[str, Any]) -> bool:
    """Whether what is read has a name that is meant: of an address also its host."""
    what = source.what.lower()
    names = (what, what.partition("://")[2].partition("/")[0])
    return "named" not in when or any(
        fnmatchcase(name, each.lower()) for each in listed(when["named"]) for name in names
    )


def _is_vouched(fact: CodeFact, when: Mapping[str, Any]) -> bool:
    """Whether a known vendor, or nobody known, gives or gets it, where only unknown `hosts` are meant."""
    if when.get("hosts") != "unknown":
        return False
    if fact.act and fact.act.kind in OUT:
        host = fact.act.to.lower().rpartition("@")[2].partition(":")[0]
        return "." not in host or (is_vendor(host) and host not in CHAT_HOOKS)
    return fact.source is not None and gives_securely(fact.source.what)


def _acts(given: Mapping[str, Any]) -> Mapping[ActKind, Callable[[Act], bool]]:
    """The kinds of acts that are meant, and which hosts or programs are."""
    spared = listed(given.get("except", ()))
    kinds = {ActKind(kind): listed(to) for kind, to in given.items() if kind != "except"}
    return {kind: partial(_fits, kind in OUT, wanted, spared) for kind, wanted in kinds.items()}


def _fits(is_out: bool, wanted: tuple[str, ...], spared: tuple[str, ...], act: Act) -> bool:
    """Whether an act is one that is wanted, by its host or program; `any` host is one of another machine."""
    name = act.to.lower().rpartition("@")[2].partition(":")[0] if is_out else act.means.lower()
    if any(fnmatchcase(name, each.lower()) for each in spared):
        return False
    if ANY in wanted:
        return is_elsewhere(act) or not is_out
    return any(fnmatchcase(name, each.lower()) for each in wanted)


def _together(file: TextFile, when: Mapping[str, Any], quick: bool) -> Iterator[CodeFact]:
    """The facts that meet the first condition, where the others are met as well: in the unit, file or skill."""
    first, *others = sorted(when["all"], key=lambda each: "not" in each)
    found = list(meeting(file, first, quick=quick))
    if not found:
        return
    beside = [(each, list(_in_scope(file, each.get("not", each), when, quick))) for each in others]
    for fact in found:
        if all(
            any(_is_beside(file, fact, other, when) for other in some) is not ("not" in each) for each, some in beside
        ):
            yield fact


def _in_scope(
    file: TextFile, each: Mapping[str, Any], when: Mapping[str, Any], quick: bool
) -> Iterator[CodeFact | None]:
    """The facts of a text that meet a condition, and None for one of another file of the skill."""
    yield from meeting(file, each, quick=quick)
    if when.get("same") == "skill" and file.skill is not None:
        for other in text_files(file.skill):
            if isinstance(other, TextFile) and other.relative != file.relative:
                yield from (None for _ in islice(meeting(other, each, quick=False), 1))


def _is_beside(file: TextFile, fact: CodeFact, other: CodeFact | None, when: Mapping[str, Any]) -> bool:
    if other is None:
        return True
    if when.get("same") == "unit" and fact.unit.start != other.unit.start:
        return False
    lines = when.get("near")
    return lines is None or abs(_line(file.document, fact) - _line(file.document, other)) <= lines


def _line(document: Document, fact: CodeFact) -> int:
    return document.position(fact.start).line
