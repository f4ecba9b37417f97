"""Addresses of hosts that collect what others leave, and prose that asks to send secret files."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks import disclosure
from skillbag.lint.checks.code_regions import Region, region_at
from skillbag.lint.checks.instruction import sentence_before
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import lines_of
from skillbag.lint.facts.literals import SECRETS_IN_WORDS
from skillbag.lint.facts.roles import is_listed, is_test, line_at
from skillbag.lint.signals import hosts, secret_paths
from skillbag.lint.signals.addresses import Address, AddressTrait, addresses
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.sending import sendings
from skillbag.lint.signals.tongues import asks_to_send

_COLLECTORS = tuple(sorted({name.partition("/")[0].encode() for name in hosts.COLLECTORS | hosts.CHAT_HOOKS}))
_FORMS = (
    *("hooks.zapier.com", "maker.ifttt.com", "formsubmit.co", "formspree.io"),
    *("getform.io", ".make.com", ".integromat.com"),
)
"""Services for web forms and automation, which honest pages use too."""


@Predicate("collector-host", Subject.TEXT, values=("host",), literals=_COLLECTORS)
def collector_host(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses of request bins, of hosts for out-of-band tests, and of web hooks of chats with an id."""
    body = text.document.text
    places = list(some(text.places.of(_COLLECTORS), 10_000))
    for line in lines_of(body, places):
        for address in _near(body, *line, places):
            region = region_at(text, address.start)
            # Prose names such hosts in lists of what to look for, and so does code.
            if is_listed(text, address.start) if region else _is_named(text, address.start):
                continue
            is_used = region is not None and _is_used(text, region, address)
            if not is_used and (not is_inbox(address) or is_made_up(address) or is_test(text)):
                continue
            raised = is_used and not address.host.endswith(_FORMS)
            yield Match(text.document.path, address.start, address.end, {"host": address.host[:80]}, raised=raised)


def _is_used(text: TextFile, region: Region, address: Address) -> bool:
    """Whether code delivers to somebody: to an inbox in a script or in data, or in a sample that sends something to it.

    Tests of a program that finds such hosts name them as well.
    """
    body = text.document.text
    if address.host == _BOTS and _BOT_TOKEN().search(body, region.start, min(region.end, region.start + _PIECE)):
        return region.is_script
    if not is_inbox(address) or is_made_up(address):
        return False
    return (region.is_script and not is_test(text)) or _is_sent_to(body, region, address)


_BOTS = "api.telegram.org"
_BOT_TOKEN = late(r"(?<!\d)\d{8,10}:[\w-]{35}(?![\w-])")


def _is_sent_to(body: str, region: Region, address: Address) -> bool:
    """Whether a call or command of the region that sends data has the address, in the same or the next lines."""
    first = max(region.start, address.start - _REACH)
    return any(
        sending.start <= address.start < max(sending.end, sending.start + _CALL)
        for sending in sendings(body, first, min(region.end, address.end + _REACH))
    )


_REACH, _CALL = 300, 120
_PIECE = 200_000


def _near(body: str, start: int, end: int, places: list[int]) -> Iterator[Address]:
    """The collectors in a line; a long one is read near the literals alone."""
    last = -1
    spans = [(start, end)] if end - start < 4_000 else [(p - _REACH, p + _REACH) for p in places if start <= p < end]
    for first, limit in spans:
        for address in addresses(body, max(first, start, last), min(limit, end)):
            if address.kind & (AddressTrait.COLLECTOR | AddressTrait.CHAT) and not _is_sample(address.path):
                yield address
            last = address.end


_SAMPLE = late(r"(?i:your|example|xxx|placeholder|\.\.\.|…|T0{3,}|<|\{|\$|/(?:T|B|X)\w{0,4}/)")


_ID = late(r"(?i)/(?!0{8}|12345678)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")


def _is_sample(path: str) -> bool:
    """Whether a path is a placeholder; words beside an id make none of it."""
    return bool(_SAMPLE().search(path)) and not _ID().search(path)


def _is_named(text: TextFile, at: int) -> bool:
    """Whether the line is a table row, a quotation, or a sentence that forbids such hosts or says to look for them."""
    line = line_at(text.document, at)
    return line.head.lstrip().startswith(("|", ">")) or disclosure.is_exempt(sentence_before(text.document.text, at))


_TRIES = 500
"""Paths of one text beside which words that ask to send are looked for: each costs as much as its surroundings."""


def secret_requests(text: TextFile) -> Iterator[Match]:
    """Prose that asks to read secret files and to send what is in them."""
    body = text.document.text
    tried = 0
    for path in secret_paths.secret_paths(body, some(text.places.of(secret_paths.LITERALS), 10_000)):
        region = region_at(text, path.start)
        in_prose = region is None or (body[region.start - 1 : region.start] == "`" and not region.is_script)
        if not in_prose or tried >= _TRIES or _IS_GIVEN().search(body, max(0, path.start - 80), path.start):
            continue
        tried += 1
        if request := disclosure.request_to_send(text, path.start, path.end):
            yield Match(text.document.path, *request, {"path": path.path, "means": "a request"})


def secrets_in_words(text: TextFile) -> Iterator[Match]:
    """Prose that asks to send secrets that it names without a path, to an address that is no vendor's."""
    body, last = text.document.text, -1
    for at in list(some(text.places.of(SECRETS_IN_WORDS), _TRIES)):
        if at < last or "http" not in body[max(0, at - 300) : at + 500]:
            continue
        request = disclosure.request_to_send(text, at, at + 1)
        if request is None or _is_code(text, at):
            continue
        sentence = body[request[0] : min(len(body), request[1] + 200)].partition("\n\n")[0]
        found = next((each for each in addresses(sentence) if not hosts.is_vendor(each.host)), None)
        if found is not None and (_GIVES_AWAY().search(sentence) or asks_to_send(body, at, at + 1)):
            last = request[0] + len(sentence)
            named = _IN_WORDS().search(body, body.rfind(" ", max(0, at - 20), at) + 1)
            values = {"path": named[0] if named else "secrets", "means": "a request"}
            yield Match(text.document.path, *request, values, raised=False)


def _is_code(text: TextFile, at: int) -> bool:
    region = region_at(text, at)
    return region is not None and not text.document.text.startswith("`", region.start - 1)


_IN_WORDS = late(r"`?[\w.-]{1,40}(?: (?:keys?|credentials?|passwords?|cookies?|tokens?|file))?")
_GIVES_AWAY = late(r"(?i)\b(?:send|pass|upload|submit|post|transmit|exfiltrat\w*|forward|e-?mail)\b")
_IS_GIVEN = late(r"\bssh-(?:add|keygen|copy-id)\b[^\n]*\Z|(?<!\S)-i[ \t]*\Z")
"""A program is given the file as its own login."""


_CHAT_ID = late(
    r"\A/(?:api/webhooks/\d{8,}/[\w-]{16,}|(?:services|workflows|triggers)/[TE]\w{6,}/|bot\d{6,}:[\w-]{16,}"
    r"|webhook\w*/[\w@-]{20,}|open-apis/bot/v2/hook/[\w-]{8,}|robot/send\?\S*[0-9a-f]{16}|cgi-bin/webhook/send\?\S*[0-9a-f-]{16})"
)
"""The path of a hook that delivers to somebody. Without an id it is the beginning of an address, or a name."""
_SERVICE = late(
    r"\A(?:/(?:token|generate|download|manage|history|webhook|api|docs?|dashboard|register|login|search)?+)?+(?:[/?#]|\Z)"
)
"""Pages of the service itself, where inboxes are made and read."""
_LABELS = (
    r"(?:[\w-]*(?:collaborator|example|placeholder|subdomain|attacker|evil|victim|payload|canary|spoofed|unique|random"
    r"|your|my-?server|confirm|xxx|abc123|test))\w*"
)
_MADE_UP = late(rf"(?i)\A(?:[\w-]+\.)*{_LABELS}\.")
_MADE_UP_PATH = late(
    r"(?i)\A/(?:[a-z]+-)*(?:unique|your|uuid|test|example|placeholder|sample|dummy)(?:-[a-z]+)*(?:[/?]|\Z)"
)
_CAPITALS = late(r"(?:/|\A(?:https?://)?(?:[\w-]+\.)*)[A-Z][A-Z_-]{2,}(?:[/.?]|\Z)")


def is_inbox(address: Address) -> bool:
    """Whether an address delivers to somebody: a hook with its id, a bin with its path or its own name."""
    if address.kind & AddressTrait.CHAT:
        return _CHAT_ID().match(address.path) is not None
    name = next((name for name in hosts.COLLECTORS if address.host == name or address.host.endswith(f".{name}")), "")
    has_label = address.host != name and address.host.removesuffix(f".{name}") != "www"
    return bool(address.kind & AddressTrait.COLLECTOR) and (has_label or not _SERVICE().match(address.path))


def is_made_up(address: Address) -> bool:
    """Whether a text that teaches has such an address: `abc123.…`, `COLLABORATOR.…`, `…/TOKEN`, `…/unique-uuid`."""
    is_path = address.kind & AddressTrait.COLLECTOR and _MADE_UP_PATH().match(address.path)
    return bool(_MADE_UP().match(address.host) or is_path or _CAPITALS().search(address.text))
