"""Values that code takes and passes on to where they do not belong (MITRE ATT&CK TA0009, TA0010)."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.fact_conditions import flows_of, is_elsewhere, match_of, strongest, unread
from skillbag.lint.checks.flow_signs import SECRET_KINDS
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged, short
from skillbag.lint.checks.theft import secret_requests, secrets_in_words
from skillbag.lint.facts import literals
from skillbag.lint.facts.values import ActKind, OriginKind, PlaceRole
from skillbag.lint.signals.addresses import AddressTrait, kind_of

_LOGINS = frozenset([OriginKind.LOGIN_FILE.value, OriginKind.TOKEN.value])
"""What programs send where they log in: an error only if the host collects."""
_PASSWORDS = frozenset([OriginKind.PASSWORD])
_OUT = dict.fromkeys((ActKind.SENDS, ActKind.RESOLVES), is_elsewhere)


@Predicate(
    "secret-file-sent",
    Subject.TEXT,
    values=("path", "means"),
    literals=literals.SECRETS,
    needs="flow_signs.sends_secrets",
)
def secret_file_sent(text: TextFile, _: NoOptions) -> Iterator[Match | Unjudged]:
    """Secret files, keychains and secrets of clusters that code reads and sends, and prose that asks for it."""
    yield from unread(text, SECRET_KINDS, _OUT)
    yield from (found := [*secret_requests(text)])
    if not found:
        yield from secrets_in_words(text)
    for match in _matches(text, SECRET_KINDS):
        host, act = match.values["host"], match.values["act"]
        if any(name in match.values["source"] and host in known for name, known in _OWN_HOSTS):
            continue
        means = f"{act} to `{short(host)}`" if "." in host and host not in act else act
        values = {"path": match.values["source"], "means": means}
        is_login = match.values["kind"] in _LOGINS
        yield match._replace(
            values=values, raised=match.raised and not (is_login and not _collects(match.values["host"]))
        )


_OWN_HOSTS = (
    (".claude/.credentials.json", ("api.anthropic.com", "platform.claude.com", "console.anthropic.com")),
    (".codex/auth.json", ("api.openai.com", "auth.openai.com", "chatgpt.com")),
    (".gemini/oauth_creds.json", ("oauth2.googleapis.com", "cloudcode-pa.googleapis.com")),
    ("kaggle.json", ("www.kaggle.com", "api.kaggle.com")),
)
"""Files of logins, and the hosts that they are for, where nobody else is sent anything."""
_CAPTURED = {"the clipboard": OriginKind.CLIPBOARD, "the screen": OriginKind.SCREEN}


def is_sent(text: TextFile, what: str) -> bool:
    """Whether code of a text sends what it captures."""
    kind = _CAPTURED.get(what)
    return kind is not None and next(_matches(text, frozenset([kind]), quick=False), None) is not None


def passwords_sent(text: TextFile) -> Iterator[Match]:
    """Passwords that code asks the user for and sends; weaker for those typed at a terminal, where logins are."""
    for match in _matches(text, _PASSWORDS):
        start = match.start or 0
        asks = text.document.text[start : max(match.end or 0, text.document.bounds(start)[1])][:_LONGEST].lower()
        # The words of a dialog may stand in a variable.
        asks += text.document.text if "osascript" in asks and _DIALOGS[0] in text.document.text else ""
        is_dialog = any(word in asks for word in _DIALOGS)
        yield match._replace(values={"what": "a password that it sends"}, raised=match.raised and is_dialog)


_LONGEST = 2_000
_DIALOGS = ("hidden answer", "zenity", "kdialog", "askstring")


def _collects(host: str) -> bool:
    """Whether a host is a raw public address, or one where anybody collects data."""
    traits = kind_of(host.partition(":")[0].lower(), "/")
    return bool(traits & (AddressTrait.RAW | AddressTrait.COLLECTOR | AddressTrait.CHAT))


def _matches(text: TextFile, sources: frozenset[OriginKind], *, quick: bool = True) -> Iterator[Match]:
    """The flows out, but for those that are shown or data; raised where the agent is to do it."""
    for match in strongest(match_of(text, fact) for fact in flows_of(text, sources, _OUT, quick=quick)):
        if match.role not in (PlaceRole.SHOWN, PlaceRole.DATA):
            yield match._replace(raised=match.role is PlaceRole.MEANT)
