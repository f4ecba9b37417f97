"""Texts that lead their reader to run a file or a command of unknown origin; each sign alone may be honest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.facts.roles import line_at
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.addresses import DOWNLOADS, Address, AddressTrait, addresses
from skillbag.lint.signals.delivery import (
    COPY_OR_RUN,
    NEEDED,
    RUN_FILE,
    TERMINAL_PASTE,
    downloads,
    has_locked_archive,
    has_paste_page,
    password_of,
)
from skillbag.lint.signals.fences import fences_of, some, span_at
from skillbag.lint.signals.hosts import FREE_SITES, answers_for, is_vendor
from skillbag.lint.signals.nearness import around, windows
from skillbag.lint.signals.needs import asks_for, is_documentation, need_near
from skillbag.lint.signals.passwords import Password, passwords, speaks_of_unpacking

_NEAR_BINARY, _NEAR_PAGE, _NEAR_TERMINAL = 8, 3, 8
"""Lines between the signs that belong together."""
_LONGEST = 300
"""Longest address that is looked behind, in code points."""
_MAX_ADVICE = 3_000
"""Advice of a text whose surroundings are looked at."""
_MAX_FILES = 100
"""Most addresses of files in one text that are compared with the words around them."""

_ENDINGS = '.zip .rar .7z .msi .dmg .tar. .tgz .deb .ZIP .RAR .EXE .DMG .appimage .exe) .exe` .exe" .pkg) .jar) .iso)'
_SHARED = "mediafire mega.nz gofile.io catbox.moe pixeldrain drive.google.com/uc dropbox.com/s discordapp.com/att"
_FILES = (
    *_ENDINGS.encode().split(),
    *(b".exe ", b".exe\n", b".exe\r", b".pkg ", b".pkg\n"),
    *(b".pkg\r", b"/releases/down", b"/releases/late", b"/-/releases"),
    *_SHARED.encode().split(),
)
_PAGE_HOSTS = (
    "pastebin. paste.ee paste.gg paste.rs paste.sh paste.deb bpa.st dpaste. hastebin rentry. glot.io ghostbin."
    " controlc. justpaste telegra.ph privatebin. //ix.io sprunge.us termbin. pastes.dev snippet.host teletype.in"
    " pastelink cl1p.net notes.io pst.moe codepad. //write.as txt.fyi 0bin.net textbin. nekobin. spacebin. //graph.org"
)
_PAGES = tuple(_PAGE_HOSTS.encode().split())
"""What the address of a page that anybody fills has."""


@Predicate("locked-archive", Subject.TEXT, values=("file", "password"), literals=_FILES)
def locked_archive(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses of files with a password for them near by, in texts for readers."""
    if text.language not in ("markdown", "text", "yaml", "json"):
        return
    body, places = text.document.text, _addressed(text)
    keys = sorted({found for part in _surroundings(body, places) for found in passwords(body, *part)})
    keys = [key for key in keys if not (_is_refused(body, key.start) or _is_of_code(text, key))]
    for file in _files(body, places) if keys else ():
        key = password_of(body, file, keys)
        if key and not _is_refused(body, file.start):
            yield _match(text, file, password=key.masked)


def _is_of_code(text: TextFile, key: Password) -> bool:
    """Whether a password in data or in the code of a fence is that of a program: its line does not unpack anything."""
    if text.language == "markdown":
        fence = span_at(fences_of(text), key.start)
        if fence is None or fence.info.strip().lower() in ("", "text", "txt", "plain", "markdown", "md"):
            return False
    elif text.language == "text":
        return False
    line = text.document.bounds(key.start)
    return not speaks_of_unpacking(text.document.text, max(line[0], key.start - 200), min(line[1], key.end + 200))


_ADDRESSES = tuple(f"{mark}http".encode() for mark in " (<*`>:\t。：")
"""How an address begins in prose."""


@Predicate("required-unknown-binary", Subject.TEXT, values=("file",), literals=(*_FILES, *_ADDRESSES))
def required_binary(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Files that a text says to download, to run, and to need; raised beside stronger signs."""
    if text.language != "markdown":
        return
    body = text.document.text
    places = [at for at in some(_addressed(text), 1_000) if _is_needed(body, *around(body, at, at, _NEAR_BINARY))]
    for file in islice(_files(body, places), _MAX_FILES):
        if answers_for(file.host, file.path):
            continue
        start, end = around(body, file.start, file.end, _NEAR_BINARY)
        if _is_needed(body, start, end):
            raised = has_locked_archive(body, start, end) or has_paste_page(body, start, end)
            raised = raised or _has_hidden_command(body, start, end)
            yield _match(text, file)._replace(raised=raised, role=_role(text))
    yield from _required_pages(text)


def _is_needed(body: str, start: int, end: int) -> bool:
    """Whether a part of a text says that something is needed, and to start it."""
    return bool(RUN_FILE().search(body, start, end) and NEEDED().search(body, start, end))


def _required_pages(text: TextFile) -> Iterator[Match]:
    """Pages that a program must be downloaded from which the skill needs, at hosts that are no index and no vendor."""
    body = text.document.text
    for at in islice(filter(partial(asks_for, body), text.places.of(_ADDRESSES)), _MAX_FILES):
        at += 1
        if (need := need_near(body, at)) is None:
            continue
        page = next(addresses(body, at, min(len(body), at + _LONGEST)), None)
        if page is None or page.kind & DOWNLOADS or not _is_foreign(page) or span_at(fences_of(text), at):
            continue
        if not _is_refused(body, need):
            near = around(body, page.start, page.end, _NEAR_PAGE)
            raised = page.host.endswith(FREE_SITES) or _has_hidden_command(body, *near) or has_paste_page(body, *near)
            values = {"file": page.host[:60]}
            yield Match(text.document.path, page.start, page.end, values, raised=raised, role=_role(text))


def _role(text: TextFile) -> PlaceRole | None:
    """Weaker in a text that is not read before a skill is used: neither its own, nor about how to get what it needs."""
    return None if _SETUP().search(text.relative.rpartition("/")[2]) else PlaceRole.TAUGHT


_SETUP = late(r"(?i)^(?:skill|readme)\.|install|set-?_?up|prereq|require|depend|start")


def _is_foreign(page: Address) -> bool:
    """Whether an address is on a host that is neither near nor that of a vendor, and no text about a program."""
    is_far = "." in page.host and (not page.host[-1].isdigit() or bool(page.kind & AddressTrait.RAW))
    return is_far and not is_vendor(page.host) and not is_documentation(page)


@Predicate("paste-page", Subject.TEXT, values=("host",), literals=_PAGES)
def paste_page(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Pages that anybody fills and changes; raised where the text says to copy or run what is there."""
    body, last = text.document.text, -1
    for start, end in windows(body, text.places.of(_PAGES), 300, 300):
        for found in addresses(body, start, end):
            if found.kind & AddressTrait.PASTE and found.start > last and _is_lead(text, found):
                last = found.start
                yield Match(
                    text.document.path, found.start, found.end, {"host": found.host}, raised=_is_followed(text, found)
                )


def _is_lead(text: TextFile, page: Address) -> bool:
    """Whether an address leads to a page: a service, a search in it and a host in a table or pattern do not."""
    body = text.document.text
    if _QUERY().search(body, max(0, page.start - 10), page.end) or _is_sender(text, page):
        return False
    in_row = line_at(text.document, page.start).head.lstrip().startswith("|")
    return len(page.path) > 1 and not (in_row and not page.scheme)


def _is_followed(text: TextFile, page: Address) -> bool:
    """Whether words for a reader say to copy or run what a page has. Code does not."""
    body = text.document.text
    if _is_refused(body, page.start):
        return False
    if text.language == "markdown" and span_at(fences_of(text), page.start):
        return False
    first, limit = around(body, page.start, page.end, _NEAR_PAGE)
    near = body[first : page.start] + " " + body[page.end : limit]
    return COPY_OR_RUN().search(near) is not None


_QUERY = late(r"\b(?:site|inurl|domain):|/search\?|/(?:api|login|signup|tools|trends|archive)\b")


@Predicate("terminal-paste", Subject.TEXT, values=("phrase",), literals=TERMINAL_PASTE.signs)
def terminal_paste(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Advice to copy a command into a terminal; raised beside a locked archive, a paste page or a hidden command."""
    if text.language != "markdown":
        return
    body = text.document.text
    for match in islice(TERMINAL_PASTE.matches(text), _MAX_ADVICE):
        first, limit = around(body, *match.span(), _NEAR_TERMINAL)
        raised = (
            has_locked_archive(body, first, limit)
            or has_paste_page(body, first, limit)
            or _has_hidden_command(body, first, limit)
            or any(True for _ in downloads(body, first, limit))
            or _names_free_site(body, *around(body, *match.span(), 1))
        )
        yield Match(text.document.path, *match.span(), {"phrase": short(" ".join(match[0].split()))}, raised=raised)


_LURE = late(
    r"(?i)\b(?:download|install(?:ation)?\s+command|get\s+the|grab)\b"
    r"|\b(?:run|execute|launch|start)\b[^.!?\n]{0,40}\.(?:exe|dmg|msi|pkg)\b"
)
_BAIT = late(r"(?i)\.exe\b|\binstallation\s+command\b|\bexecutable\b|\.(?:zip|rar|7z|dmg|msi|pkg)\b")


def _described(skill: Skill) -> tuple[str, int, int]:
    """The description of a skill and its bounds; its first line where the front matter is invalid."""
    node = skill.field("description")
    if isinstance(node, Scalar):
        return node.value, node.start, node.end
    text = skill.document.text[:2_000] if node is None and isinstance(skill.document, Document) else ""
    start = text.find("\ndescription:") + 1
    end = text.find("\n", start)
    return (text[start:end], start, end) if start and bounds(text) and end > 0 else ("", 0, 0)


@Predicate("description-lure", Subject.SKILL, values=("phrase",), needs="download")
def description_lure(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Descriptions that say to download something, and name a password, a program file or an installation command."""
    value, start, end = _described(skill)
    if not (lure := _LURE().search(value)):
        return
    addressed = any(found.kind & (DOWNLOADS | AddressTrait.PASTE) for found in addresses(value))
    baited = _BAIT().search(value) and (addressed or RUN_FILE().search(value))
    if baited or any(True for _ in passwords(value, 0, len(value))):
        yield Match(skill.path, start, end, {"phrase": short(" ".join(value[lure.start() :].split()))})


def _addressed(text: TextFile) -> list[int]:
    """The places of endings and hosts of files that stand in an address, which has a slash."""
    body = text.document.text
    return [at for at in text.places.of(_FILES) if _is_in_path(body, at)]


def _is_in_path(body: str, at: int) -> bool:
    before = body[max(0, at - 400) : at].rsplit(None, 1)
    if "/" not in (before[-1] if before else "") and "/" not in body[at : at + 40].lstrip().split(None, 1)[0]:
        return False
    return any(sign in body[max(0, at - 400) : at + 200] for sign in _SCHEMES)


def _surroundings(body: str, places: Iterable[int]) -> list[tuple[int, int]]:
    """The lines around the places; pieces that touch are one."""
    found: list[tuple[int, int]] = []
    for at in places:
        start, end = around(body, at, at, _NEAR_BINARY)
        if found and start <= found[-1][1]:
            start, _ = found.pop()
        found.append((start, end))
    return found


_SCHEMES = ("://", "www.", ".com/", ".io/", ".nz/", ".org/", ".net/", ".moe/", ".sh/")
"""What an address has, with a scheme or without; most names of files are none."""


def _files(body: str, places: Iterable[int]) -> Iterator[Address]:
    """The addresses of files around the places, each once."""
    last = -1
    for start, end in windows(body, places, 400, 200):
        for file in downloads(body, start, end):
            if file.start > last:
                last = file.start
                yield file


def _match(text: TextFile, file: Address, **more: str) -> Match:
    name = file.path.rpartition("/")[2].partition("?")[0][:60] or file.host
    return Match(text.document.path, file.start, file.end, {"file": name, **more})


_REFUSES = late(r"(?i)\b(?:never|do\s+not|don['’]t|avoid|refuse\s+to|must\s+not)\b(?:[^.!?\n]|[.!?](?=\S)){0,160}$")


def _is_refused(text: str, offset: int) -> bool:
    """Whether the sentence of a place says not to do what it says."""
    return _REFUSES().search(text[max(0, offset - 200) : offset]) is not None


def _is_sender(text: TextFile, found: Address) -> bool:
    """Whether an address is the bare host in a program or list: a place to send to, or one to recognise."""
    return text.language != "markdown" and not found.path.strip("/")


def _names_free_site(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has the address of a site that anybody publishes."""
    return any(found.host.endswith(FREE_SITES) for found in addresses(text, start, end))


def _has_hidden_command(text: str, start: int, end: int) -> bool:
    """Whether a part of a text decodes and runs something, or holds an encoded command."""
    part = text[start:end]
    if "base64" not in part and not any(len(word) >= 24 for word in part.split()):
        return False
    from skillbag.lint.checks.hidden_payloads import has_payload

    return has_payload(part)
