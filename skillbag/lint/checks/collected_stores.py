"""Scripts that go through the stores of browsers, wallets and messengers, as stealers do (MITRE ATT&CK T1555.003)."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.facts.units import is_script

_STORES: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("passwords of Chromium", (b"Login Data",)),
    ("cookies of a browser", (b"Network\\Cookies", b"Network/Cookies", b"cookies.sqlite", b"\\Cookies", b"/Cookies")),
    ("the key of a browser's store", (b"os_crypt", b"CryptUnprotectData", b"Local State", b"PK11SDR_Decrypt")),
    ("passwords of Firefox", (b"logins.json", b"key4.db", b"key3.db", b"signons.sqlite")),
    ("cards and forms of a browser", (b"Web Data", b"formhistory.sqlite")),
    (
        "wallets in a browser",
        (b"Local Extension Settings", b"nkbihfbeogaeaoehlefnkodbefgpgknn", b"bfnaelmomeimhlpmgjnjophhpkkoljpa"),
    ),
    ("wallets", (b"exodus.wallet", b"wallet.dat", b"Electrum", b"\\atomic\\", b"Atomic/Local Storage", b"Coinomi")),
    ("sessions of Telegram", (b"tdata",)),
    ("tokens of Discord", (b"discordcanary", b"discordptb", b"dQw4w9WgXcQ")),
    ("saved logins of Windows", (b"CredEnumerate", b"vaultcmd", b"lsass.dmp", b"SAM\\Domains")),
)
_FEW, _MANY = 2, 4
"""Kinds of stores that one script needs for another reason at the most, and those that are no coincidence."""


@Predicate(
    "stores-collected", Subject.TEXT, values=("stores",), literals=tuple(word for _, words in _STORES for word in words)
)
def stores_collected(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts that name stores of more than two kinds; raised from four kinds on."""
    if not is_script(text):
        return
    found = [(kind, text.places.of(words)) for kind, words in _STORES]
    there = [(kind, places[0]) for kind, places in found if places]
    if len(there) > _FEW:
        first = min(place for _, place in there)
        stores = ", ".join(kind for kind, _ in there[:4])
        yield Match(text.document.path, first, first, {"stores": stores}, raised=len(there) >= _MANY)
