"""Code that sends what it must not: secret files to anywhere, anything to hosts that collect what others leave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks import disclosure
from skillbag.lint.checks.code_regions import Region, region_at, without_comments
from skillbag.lint.checks.instruction import sentence_before
from skillbag.lint.checks.intent import is_listed, line_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import lines_of, some
from skillbag.lint.signals import hosts, secret_paths
from skillbag.lint.signals.addresses import Address, AddressTrait, addresses
from skillbag.lint.signals.inboxes import is_inbox, is_made_up
from skillbag.lint.signals.secret_paths import SecretPath
from skillbag.lint.signals.sending import Sending, sendings

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
            raised = region is not None and not address.host.endswith(_FORMS) and _is_used(text, region, address)
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
    return (region.is_script and not _TESTS().search(text.relative)) or _is_sent_to(body, region, address)


_BOTS = "api.telegram.org"
_BOT_TOKEN = late(r"(?<!\d)\d{8,10}:[\w-]{35}(?![\w-])")
_TESTS = late(r"(?:\A|/)(?:tests?|__tests__|spec|fixtures)/|(?:\A|/)test_[^/]*\.py\Z|[._](?:test|spec)\.[a-z]{1,3}\Z")
"""Files that test a program."""


def _is_sent_to(body: str, region: Region, address: Address) -> bool:
    """Whether a call or command of the region that sends data has the address, in the same or the next lines."""
    first = max(region.start, address.start - _REACH)
    return any(
        sending.start <= address.start < max(sending.end, sending.start + _CALL)
        for sending in sendings(body, first, min(region.end, address.end + _REACH))
    )


_REACH, _CALL = 300, 120
_PIECE, _MAX = 200_000, 50


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


@Predicate(
    "secret-file-sent",
    Subject.TEXT,
    values=("path", "means"),
    literals=secret_paths.LITERALS,
    needs="before_theft.sends_file",
)
def secret_file_sent(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Secret files that a script, a fence or a command reads and sends, and prose that asks for it."""
    body = text.document.text
    regions: dict[Region, list[SecretPath]] = {}
    tried = 0
    for path in secret_paths.secret_paths(body, some(text.places.of(secret_paths.LITERALS), 10_000)):
        region = region_at(text, path.start)
        is_login = _is_identity(body, path)
        in_prose = region is None or (body[region.start - 1 : region.start] == "`" and not region.is_script)
        asks = in_prose and not is_login and tried < _TRIES
        request = disclosure.request_to_send(text, path.start, path.end) if asks else None
        tried += asks
        if request:
            yield Match(text.document.path, *request, {"path": path.path, "means": "a request"})
        elif region and not is_login:
            regions.setdefault(region, []).append(path)
    for region, paths in regions.items():
        yield from _in_region(text, region, paths)


def _in_region(text: TextFile, region: Region, paths: list[SecretPath]) -> Iterator[Match]:
    body = text.document.text
    opens = bool(region.is_script and _OPENS().search(body, region.start, min(region.end, region.start + _PIECE)))
    paths = [path for path in paths[:_MAX] if _is_taken(body, region, path, opens)]
    limit = min(region.end, region.start + _PIECE)
    sent = list(islice(sendings(body, region.start, limit), _MAX)) if paths else []
    if not sent:
        return
    if not region.is_script and not any(_is_joined(body, path, sending) for path in paths for sending in sent):
        return
    raised = len({path.kind for path in paths}) > 2 or any(
        address.kind & AddressTrait.RAW
        or (is_inbox(address) and not is_made_up(address) and not _is_sample(address.path))
        for address in addresses(body, region.start, min(region.end, region.start + _PIECE))
    )
    values = {"path": paths[0].path, "means": f"`{sent[0].means}`"}
    yield Match(text.document.path, paths[0].start, paths[0].end, values, raised=raised)


_IDENTITY = late(
    r"(?:(?<!\S)-i[ \t]*|IdentityFile[ \t=]+|(?:key_?file\w*|pkey|private_?key\w*|identity\w*|KUBECONFIG|kubeconfig\w*)"
    r"[\"']?[ \t]*[=:][ \t]*(?:[\w.]+\()*|--private-key[ \t=]|--kubeconfig[ \t=]|--netrc-file[ \t=]|ssh-(?:add"
    r"|keygen|copy-id)\b[^\n]*"
    r"|\bchmod\b[^\n]*|\bmkdir\b[^\n]*|(?<!\S)-v[ \t]+|\bls\b[^\n|;&]*|\bIdentityAgent[ \t]+)[\"']?\Z"
)


def _is_identity(body: str, path: SecretPath) -> bool:
    """Whether a program is given the file as its own login, or the file is only made or listed."""
    first = max(0, path.start - 160)
    before = body[first : path.start].rpartition("\n")[2]
    return bool(_IDENTITY().search(before))


_OPENS = late(
    r"\bopen\(|\bread_(?:text|bytes)\(|\breadFile(?:Sync)?\(|\bFile\.read|\b(?:cat|tar|zip|base64|gzip)[ \t]"
    r"|(?i:get-content)"
    r"|\bcreateReadStream\(|\bopen\b[^\n]{0,40}[\"']r|file_get_contents\(|\bcopyfile\(|\bcopy2?\(|\bcopytree\(|=@|sqlite3"
)
_PICKS = late(
    r"""startswith\(|\.split\([ \t]*["']=|partition\([ \t]*["']=|\.get\([ \t]*["'][A-Z][A-Z0-9_]+["']
      |\[["'][A-Z][A-Z0-9_]+["']\]
      | \bgrep\b | \bre\.(?:search|match|findall|compile)\( | getenv\( | \bprocess\.env\.[A-Z]
        | \bmatch\([ \t]*/ | \bjq[ \t]
      | load_dotenv\( | (?:\bsource|(?<!\S)\.)[ \t]+\S*\.env""",
    re.VERBOSE,
)


def _is_taken(body: str, region: Region, path: SecretPath, opens: bool) -> bool:
    """Whether the code reads the file, and not one key of its own from it."""
    if path.kind == "keychain" and "find-" in body[path.start : path.end]:
        return False
    if body[path.start - 1 : path.start] == "\\" or not (path.read or opens):
        return False
    if path.kind != "agent's credentials" and not path.path.endswith((".netrc", ".kube/config", ".docker/config.json")):
        return True
    near = body[max(region.start, path.start - 800) : min(region.end, path.end + 1_200)]
    return not _PICKS().search(without_comments(near))


_LINE, _BETWEEN = 2_000, 20_000
"""Most of a line, and of the text between a file and what sends it, that is looked at."""
_FILE = late(r"(?<![\w.-])[/~$\w.{}-]*[\w}](?:\.[\w.]+)?")


def _is_joined(body: str, path: SecretPath, sending: Sending) -> bool:
    """Whether a fence sends the file itself, what a pipe makes of it, or an archive that it went into."""
    first, last = sorted((path.start, sending.start))
    between = body[first : min(last, first + _BETWEEN)]
    if "\n" not in between.replace("\\\n", "").replace("\\\r\n", "").strip():
        return True
    if "def " in between or "=" in between.partition("\n")[0]:
        return True
    start = max(body.rfind("\n", max(0, path.start - _LINE), path.start) + 1, path.start - _LINE)
    line = body[max(0, start) : path.start + _LINE].partition("\n")[0]
    made = {word for word in _FILE().findall(line) if len(word) > 3 and word not in path.path}
    command = body[sending.start : sending.end]
    return any(word in command for word in made - {"tar", "curl", "base64"})
