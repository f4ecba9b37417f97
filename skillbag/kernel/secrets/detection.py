"""Secrets in text: their places and kinds, without placeholders; and text with the secrets masked.

A secret is found by its own line (a private key: by its block), so that a line alone has the same secrets as within its
file. Messages name the kind and never contain the secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.literals import LiteralPlaces, Literals
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.secrets import private_keys, vendors
from skillbag.kernel.secrets.address_secrets import address_secrets
from skillbag.kernel.secrets.beside import BESIDE
from skillbag.kernel.secrets.form import WEB_TOKEN, Beside, Judge, is_uncertain
from skillbag.kernel.secrets.formats import PREFIXES, pattern_of
from skillbag.kernel.secrets.judges import (
    LOCATION,
    claims_of,
    is_aws_key,
    is_random_value,
    is_unsigned,
    is_web_token,
    named_secret,
)
from skillbag.kernel.secrets.looks import WORDS, is_generated
from skillbag.kernel.secrets.placeholders import is_placeholder, is_random


class Secret(NamedTuple):
    """The span (in code points) and kind of a secret, and how many of its first characters are public."""

    start: int
    end: int
    kind: str
    public: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether its form is that of one vendor's keys, which nothing else has."""
        return not is_uncertain(self.kind)


_PREFIXES = {prefix.encode(): prefix for prefix in PREFIXES}
_BESIDE: dict[bytes, list[Beside]] = {}
for _form in BESIDE:
    for _literal in _form.literals:
        _BESIDE.setdefault(_literal.encode(), []).append(_form)

_VENDORS = {literal.encode(): literal for literal in vendors.LITERALS}

LITERALS = tuple({**_PREFIXES, **_BESIDE, **_VENDORS, **dict.fromkeys(map(str.encode, private_keys.LITERALS))})
"""Text without any of these contains no secret that `find_secrets` knows."""

_PREFIX_JUDGES = {
    "eyJ": is_web_token,
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), is_aws_key),
    # Names of functions begin like these.
    **dict.fromkeys(("fw_", "rnd_"), is_random_value),
}

_WORD_BEFORE = late(r"(?<=[A-Za-z0-9_-])(?<!\\[nrt])|(?<=[A-Za-z0-9+/]{40})")
"""What precedes a prefix within a word, or within data in base64; in strings, an escaped line end may stand before."""
_TAIL = late(r"[\w-]*")
_LONGEST = 8192
_BEFORE, _AFTER, _STEP = 200, 300, 100
"""Distance of a secret from its literal; literals less than `_STEP` apart share a window."""


def find_secrets(text: str, places: LiteralPlaces | None = None, most: int | None = None) -> tuple[Secret, ...]:
    """The secrets of `text` except placeholders and references, sorted and without overlaps.

    `places` is where the `LITERALS` are in it, if that is known. With `most`, it ends soon after so many.
    """
    if places is None:
        places = _search().search(text.encode("utf-8", "surrogatepass"))
    if not places.found:
        return ()
    found = [*islice(_by_prefix(text, places), most), *islice(_by_text_beside(text, places), most)]
    if any(literal.encode() in places for literal in private_keys.LITERALS):
        found += (Secret(start, end, "Private Key") for start, end in private_keys.private_keys(text))
    return tuple(_without_overlaps(found))


def mask(text: str) -> str:
    """`text` with `****` for each secret; the public beginning of a token and the line ends of a block stay.

    It also masks random values that are assigned to a default, a password or a key, signed web tokens whose claims call
    them samples (a server may accept them all the same), and all passwords and tokens in addresses.
    """
    parts, at = [], 0
    in_addresses = (Secret(start, end, "") for start, end in address_secrets(text))
    for secret in _without_overlaps([*find_secrets(text), *_assigned(text), *_signed(text), *in_addresses]):
        kept = text[secret.start : secret.start + min(secret.public, 4)]
        lines = text[secret.start : secret.end].count("\n")
        parts += [text[at : secret.start], kept, "****", "\n****" * lines]
        at = secret.end
    return "".join([*parts, text[at:]]) if parts else text


@cache
def _may_be_assigned() -> re.Pattern[bytes]:
    return re.compile(rb"[:=](?:[ \t]|\\t)*(?:\\?\"|')?[^\s\"',}]{8}")


def may_tell(raw: bytes) -> bool:
    """Whether `mask` may change a text (UTF-8, or JSON of it); a quick test with false positives only."""
    if (b":" in raw or b"=" in raw) and _may_be_assigned().search(raw):
        return True
    return bool(_search().search(raw).found)


_ASSIGNED = ("default", "pass", "secret", "token", "key", "credential")
_ASSIGNMENT = late(
    rf"(?:{'|'.join(_ASSIGNED)})[\w-]{{0,30}}[\"'`]?[ \t]*[:=][ \t]*[\"'`]?([^\s\"',`}}]{{8,256}})",
    re.IGNORECASE,
)


def _assigned(text: str) -> Iterator[Secret]:
    folded = text.casefold()
    for match in _ASSIGNMENT().finditer(text) if any(name in folded for name in _ASSIGNED) else ():
        if not LOCATION().match(match[1]) and is_random(match[1]):
            yield Secret(*match.span(1), "")


_SIGNED = late(r"(?<![\w-])eyJ[\w-]{8,2048}\.(eyJ[\w-]{4,8192})\.[\w-]{32,2048}")
_DOCUMENTED = late(r"1234567890|John Doe")
"""Claims of the web token that is copied from documentation."""


def _signed(text: str) -> Iterator[Secret]:
    if "eyJ" not in text:
        return
    for match in _SIGNED().finditer(text):
        if not is_unsigned(match[0]) and not _DOCUMENTED().search(claims_of(match[1])):
            yield Secret(*match.span(), WEB_TOKEN, 3)


def looks_secret(name: str, value: str) -> bool:
    """Whether a parameter or setting is a secret: a known token, or a random value under the name of a secret."""
    return bool(find_secrets(value)) or named_secret(name, value)


@cache
def _search() -> Literals:
    return Literals(LITERALS)


def _by_prefix(text: str, places: LiteralPlaces) -> Iterator[Secret]:
    """Tokens with a known prefix at the start of a word; each pattern is tried only there."""
    for literal in places.found:
        if (prefix := _PREFIXES.get(literal)) is None:
            continue
        for start in places.of((literal,)):
            if not _may_begin(text, start + len(prefix)) or _WORD_BEFORE().match(text, start):
                continue
            match = pattern_of(prefix).match(text, start, min(len(text), start + _LONGEST))
            kind = PREFIXES[prefix][0]
            if match and (secret := _secret(match, kind, len(prefix), _PREFIX_JUDGES.get(prefix))):
                yield secret


def _may_begin(text: str, at: int) -> bool:
    """Whether a token may go on behind its prefix: ten characters or more, not of words."""
    word = text[at : at + 60].encode("utf-8", "surrogatepass").translate(WORDS).partition(b" ")[0]
    return len(word) >= 10 and (is_generated(word) or word.isupper())


def _by_text_beside(text: str, places: LiteralPlaces) -> Iterator[Secret]:
    """Secrets that are recognised by a word beside them or by a part of them."""
    for form, windows in suspected(text, places):
        last = -1
        for window in windows:
            for match in form.pattern().finditer(text, *window):
                # Windows overlap.
                if match.start() > last and (secret := _secret(match, form.kind, 0, form.judge)):
                    yield secret
                last = max(last, match.start())


def suspected(text: str, places: LiteralPlaces) -> Iterator[tuple[Beside, list[tuple[int, int]]]]:
    """The forms that something near a literal looks like, and where; only their expressions are compiled."""
    for literal in places.found:
        forms, vendor = _BESIDE.get(literal, ()), _VENDORS.get(literal)
        offsets = places.of((literal,)) if forms or vendor else []
        if literal == b"@":
            # Of addresses alone: most are of mail, packages and decorators.
            offsets = [at for at in offsets if text.rfind("://", max(0, at - _BEFORE), at) >= 0]
        windows = [*_windows(text, offsets)] if forms else []
        lines = [_raw(text, *window) for window in windows]
        for form in forms:
            if near := [window for window, line in zip(windows, lines, strict=True) if form.may_be(literal, line)]:
                yield form, near
        if vendor and (
            likely := [at for at in offsets if vendors.may_follow(_raw(text, at + len(vendor), at + _AFTER))]
        ):
            yield vendors.named_key(vendor), [*_windows(text, likely)]


def _raw(text: str, start: int, end: int) -> bytes:
    """The part of a line, in bytes, which are looked at faster."""
    return text[start:end].partition("\n")[0].encode("utf-8", "surrogatepass")


def _windows(text: str, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The parts of lines around a literal, of limited length, so that long lines cost no more than short ones."""
    following = 0
    for at in offsets:
        if at >= following:
            first = at - _BEFORE if at > _BEFORE else 0
            end = text.find("\n", at, at + _AFTER)
            yield text.rfind("\n", first, at) + 1 or first, end if end >= 0 else at + _AFTER
            following = at + _STEP if not 0 <= end < at + _STEP else end


def _secret(match: re.Match[str], kind: str, public: int, judge: Judge | None) -> Secret | None:
    group = match.lastindex or 0
    start, end = match.span(group)
    if not (judge(match) if judge else not is_placeholder(match.string[start + public : end])):
        return None
    if not group and (tail := _TAIL().match(match.string, end)):
        end = tail.end()
    return Secret(start, end, kind, public)


def _without_overlaps(found: list[Secret]) -> Iterator[Secret]:
    end = -1
    for secret in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if secret.start >= end:
            end = secret.end
            yield secret
