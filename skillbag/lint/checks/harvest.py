"""Code that collects keys, the screen or wallets, and sends it (MITRE ATT&CK TA0009, TA0010)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import Region, region_at
from skillbag.lint.checks.flows import is_sent, passwords_sent
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.facts.literals import CLIPBOARDS, PASSWORDS, SCREENS
from skillbag.lint.facts.roles import is_meant
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.addresses import addresses
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.sending import first_sending, sendings

_PIECE, _MAX = 100_000, 100
_INPUTS = (
    ("keys", (b"pynput", b"keyboard.on_press", b"keyboard.hook", b"GetAsyncKeyState", b"SetWindowsHookEx", b"iohook")),
    ("the clipboard", CLIPBOARDS),
    ("the screen", SCREENS),
)
_INPUT_WORDS = tuple(word for _, words in _INPUTS for word in words)
_MODEL_HOSTS = (
    *("openai.com", "anthropic.com", "googleapis.com", "openrouter.ai"),
    *("azure.com", "amazonaws.com", "localhost"),
)


_DIALOGS = (b"hidden answer", b"zenity", b"kdialog", b"Get-Credential", b"ForCredential(", b"askstring(")
_DIALOG = late(
    r"(?i)display dialog[^\n]{0,300}hidden answer[^\n]{0,200}|zenity[^\n]{0,300}--(?:password|hide-text)[^\n]{0,200}"
    r"|kdialog[^\n]{0,40}--password[^\n]{0,200}|(?:Get-|PromptFor)Credential[^\n]{1,200}|askstring\([^\n]{0,200}show="
)
_ACCOUNT = r"(?:mac(?:os|book)?|system|login|computer|user(?:name)?|account|admin\w*|windows|sudo|keychain|device)"
_PURPOSE = r"(?:install\w*|updat\w+|continue|set-?up|permission\w*|unlock\w*|authenticat\w+|changes)"
_OF_ACCOUNT = late(
    rf"(?i)\b{_ACCOUNT}(?:['’]s)?(?:[ ]account)?[ ]password"
    rf"|\byour[ ]password\b[^\n\"']{{0,40}}\b{_PURPOSE}\b|\b{_PURPOSE}\b[^\n\"']{{0,80}}\byour[ ]password\b"
)
"""What asks for the password of the user's account on the machine."""


@Predicate("input-captured", Subject.TEXT, values=("what",), literals=(*_INPUT_WORDS, *PASSWORDS, b"ForCredential("))
def input_captured(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code that reads keys, the clipboard or the screen, stronger where it sends data, and passwords it asks for."""
    body = text.document.text
    for what, words in _INPUTS:
        places = ((at, region_at(text, at)) for at in text.places.of(words)[:_MAX])
        for at, region in places:
            if region is not None:
                raised = is_sent(text, what) or (region.is_script and _sends_to_others(body, region, what))
                yield Match(text.document.path, at, at, {"what": what}, raised=raised, role=PlaceRole.TAUGHT)
                break
    sent = [*passwords_sent(text)] if text.places.of(PASSWORDS) else []
    yield from (match._replace(role=PlaceRole.TAUGHT) for match in sent)
    for at in text.places.of(_DIALOGS)[:_MAX] if not sent else ():
        start, end = text.document.bounds(at)
        dialog = _DIALOG().search(body, max(start, at - 400), min(end, at + 400))
        if dialog and _OF_ACCOUNT().search(dialog[0]) and region_at(text, at) and is_meant(text, at, at + 1):
            yield Match(text.document.path, *dialog.span(), {"what": "the password of the user's account"})
            break


def _sends_to_others(body: str, region: Region, what: str) -> bool:
    """Whether the code sends data; pictures of the screen may go to a language model."""
    end = min(region.end, region.start + _PIECE)
    if first_sending(body, region.start, end) is None:
        return False
    hosts = [address.host for address in addresses(body, region.start, end)]
    return what != "the screen" or not hosts or not all(host.endswith(_MODEL_HOSTS) for host in hosts)


_WALLET_VALUE = late(
    r"[\"']?\b(?:mnemonic|seed_?phrase|recovery_?phrase|seedPhrase|wallet_?secret|(?P<key>private_?key|privateKey|secret_?key))\b"
    r"[\"']?[ \t]*(?:[:,})\]]|=(?!=))",
    re.IGNORECASE,
)
_WALLET = late(r"\b(?:wallet|solana|ethereum|web3|ethers|bitcoin|metamask|keypair|eth_account)\b", re.IGNORECASE)
_WALLET_WORDS = (
    *(b"mnemonic", b"Mnemonic", b"MNEMONIC", b"seed_phrase", b"seedPhrase", b"recovery_phrase", b"recoveryPhrase"),
    *(b"eed phrase", b"SEED_PHRASE", b"ecovery phrase", b"RECOVERY_PHRASE", b"rivate key of"),
    *(b"private_key", b"privateKey", b"wallet_secret", b"secretKey", b"secret_key"),
)


@Predicate("wallet-key-sent", Subject.TEXT, values=("name",), literals=_WALLET_WORDS)
def wallet_key_sent(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Private keys and seed phrases of wallets in the body of a request."""
    seen: set[Region] = set()
    tries = 0
    for at in some(text.places.of(_WALLET_WORDS)):
        region = region_at(text, at)
        if region is None and tries < _MAX_REQUESTS and text.language in ("markdown", "text"):
            tries += 1
            if request := _request_to_send(text, at):
                yield Match(text.document.path, *request, {"name": "a seed phrase or key"})
        if region is None or region in seen:
            continue
        seen.add(region)
        end = min(region.end, region.start + _PIECE)
        if (sent := next(_wallet_keys(text, region.start, end), None)) is not None:
            yield sent


def _wallet_keys(text: TextFile, start: int, end: int) -> Iterator[Match]:
    """What sends the key of a wallet by its name, or the variable that holds a seed phrase."""
    body, held = text.document.text, set[str]()
    for number, sending in enumerate(sendings(body, start, end)):
        value = _WALLET_VALUE().search(body, sending.start, min(sending.end + 300, end))
        if value and (not value["key"] or _WALLET().search(body, start, end)):
            yield Match(text.document.path, *value.span(), {"name": value[0].strip("\"' \t:,=})]")})
        held = held if number else {*_HELD().findall(body, start, end)}
        if words := held.intersection(_WORD().findall(body, sending.end, min(sending.end + 300, end))):
            yield Match(text.document.path, sending.start, sending.end, {"name": f"the seed phrase in {min(words)}"})


_HELD = late(
    r"^[ \t]*(?:(?:const|let|var|export)[ \t]+)?(\w{1,40})[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[^\n]{0,120}?"
    r"(?i:\b\w{0,20}(?:seed|recovery)[_ ]?phrase|\bmnemonic)",
    re.MULTILINE,
)
"""The variable that gets a seed phrase."""
_WORD = late(r"\b\w{1,40}\b")
_OWNED = ("wallet", "crypto", "solana", "ethereum", "bitcoin", "metamask")
_MAX_REQUESTS = 1_000
"""Mentions in prose that are looked around."""


def _request_to_send(text: TextFile, at: int) -> tuple[int, int] | None:
    """The span of prose that asks to send a seed phrase, or the private key of a wallet."""
    from skillbag.lint.checks.disclosure import request_to_send_key

    body = text.document.text
    is_key = body.startswith("rivate", at)
    if is_key and not any(word in body[at : at + 60].lower() for word in _OWNED):
        return None
    return request_to_send_key(text, at) if is_key or "phrase" in body[at : at + 24] else None
