"""Values that code takes and passes on to where they do not belong (MITRE ATT&CK TA0009, TA0010)."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.flow_signs import ENVIRONMENT, PASSWORDS, SECRETS
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged
from skillbag.lint.checks.theft import secret_requests
from skillbag.lint.facts import literals
from skillbag.lint.facts.flows import UnitFlow, text_flows
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.roles import is_shown, is_taught, is_test
from skillbag.lint.facts.signs import FlowSigns
from skillbag.lint.facts.values import LOGIN, ActKind, Origin, OriginKind
from skillbag.lint.signals.addresses import AddressTrait, kind_of
from skillbag.lint.signals.hosts import is_local

_SECRETS = frozenset([OriginKind.SECRET_FILE, OriginKind.LOGIN_FILE, OriginKind.KEYCHAIN])
_OUT = frozenset([ActKind.SENDS, ActKind.RESOLVES])
_MAX = 20
"""Flows of one kind in one text that are reported."""


@Predicate(
    "environment-flow",
    Subject.TEXT,
    values=("source", "act", "host"),
    literals=literals.ENVIRONMENT,
    needs="flow_signs.sends_environment",
)
def environment_flow(text: TextFile, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Code that sends all variables of the environment, or those whose names tell a secret."""
    yield from Unjudged.each(text.document.path, text_flows(text, ENVIRONMENT).unread)
    yield from _matches(text, ENVIRONMENT, frozenset([OriginKind.ENVIRONMENT]))


@Predicate(
    "secret-file-sent",
    Subject.TEXT,
    values=("path", "means"),
    literals=literals.SECRETS,
    needs="flow_signs.sends_secrets",
)
def secret_file_sent(text: TextFile, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Secret files, keychains and secrets of clusters that code reads and sends, and prose that asks for it."""
    yield from Unjudged.each(text.document.path, text_flows(text, SECRETS).unread)
    yield from secret_requests(text)
    for match in _matches(text, SECRETS, _SECRETS):
        values = {"path": match.values["source"], "means": match.values["act"]}
        is_login = secret_kind(match.values["source"]) is OriginKind.LOGIN_FILE
        yield match._replace(
            values=values, raised=match.raised and not (is_login and not _collects(match.values["host"]))
        )


def passwords_sent(text: TextFile) -> Iterator[Match]:
    """Passwords that code asks the user for and sends; weaker for those typed at a terminal, where logins are."""
    for match in _matches(text, PASSWORDS, frozenset([OriginKind.PASSWORD])):
        asks = text.document.text[match.start or 0 : match.end].lower()
        is_dialog = any(word in asks for word in _DIALOGS)
        yield match._replace(values={"what": "a password that it sends"}, raised=match.raised and is_dialog)


_DIALOGS = ("hidden answer", "zenity", "kdialog", "askstring")


def _collects(host: str) -> bool:
    """Whether a host is a raw public address, or one where anybody collects data."""
    traits = kind_of(host.partition(":")[0].lower(), "/")
    return bool(traits & (AddressTrait.RAW | AddressTrait.COLLECTOR | AddressTrait.CHAT))


def _matches(text: TextFile, signs: FlowSigns, sources: frozenset[OriginKind]) -> Iterator[Match]:
    seen = set[int]()
    for found in text_flows(text, signs).found:
        flow = found.flow
        if flow.source.kind is OriginKind.PASSWORD and flow.act.means.endswith(LOGIN):
            continue
        if flow.source.kind not in sources or flow.act.kind not in _OUT or flow.source.start in seen:
            continue
        end = max(flow.source.end, flow.act.end)
        if len(seen) < _MAX and not (is_local(flow.act.to) or is_shown(text, flow.source.start, end)):
            seen.add(flow.source.start)
            yield _match(text, found)


def _match(text: TextFile, found: UnitFlow) -> Match:
    flow = found.flow
    host = flow.act.to or "an address that is only known at run time"
    values = {"source": flow.source.what, "act": flow.act.means, "host": host}
    raised = not (is_taught(text, flow.source.start, flow.source.end) or is_taught(text, flow.act.start, flow.act.end))
    start, end = _named(text, flow.source)
    return Match(text.document.path, start, end, values, raised=raised and not is_test(text))


def _named(text: TextFile, source: Origin) -> tuple[int, int]:
    """Where a source is named: its path, or the last part of that, if it stands there; or the call or command."""
    for name in (source.what, source.what.rpartition("/")[2]):
        at = text.document.text.find(name, source.start, source.end) if name else -1
        if at >= 0:
            return at, at + len(name)
    return source.start, source.end
