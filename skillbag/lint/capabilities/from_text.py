"""Facts that are words of a text, in any language: secret files, persistence, files of agents, encoded texts, input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.literals import LiteralPlaces, Literals
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.places import shortened
from skillbag.lint.signals import persistence, secret_paths
from skillbag.lint.signals.encoded import LITERALS as ENCODED
from skillbag.lint.signals.encoded import encoded_texts
from skillbag.lint.signals.programs import ProgramRun, plain_name

_AGENT_FILES = (
    *(b"SOUL.md", b"MEMORY.md", b"IDENTITY.md", b"HEARTBEAT.md", b"AGENTS.md", b"CLAUDE.md", b"GEMINI.md"),
    *(b".cursorrules", b"copilot-instructions.md", b".claude/settings", b".claude.json", b".mcp.json"),
    b".codex/config",
    *(b"claude_desktop_config.json", b".cursor/mcp.json", b".gemini/settings.json", b"openclaw.json"),
    b".windsurfrules",
)
_SETTINGS = ("settings", "config", ".mcp.json", "mcp.json", ".claude.json", "openclaw.json")
_WROTE = late(
    r"""(?: >>?[ \t]*["']?[\w./~$\{}-]*\Z | \btee[ \t]+(?:-a[ \t]+)?["']?[\w./~$\{}-]*\Z
          | \b(?:cp|mv|ln)\b[^\n|;&]{1,100}[ \t]["']?[\w./~$\{}-]*\Z | \bsed[ \t]+-i\b[^\n|;&]{0,100}\Z
          | \bopen\([^\n)]{0,60}\Z | write(?:_text|File(?:Sync)?)?\([^\n]{0,60}\Z
          | appendFile(?:Sync)?\([^\n]{0,60}\Z )""",
    re.VERBOSE,
)
_WROTE_AFTER = late(r"[\w./-]{0,40}[\"']?[)\]]{0,3}(?:,[ \t]*[\"'][wa]|\.write_text\(|\.open\([ \t]*[\"'][wa])")

_INSTRUCTIONS = (b".md", b"nstructions")
_REMOTE = late(
    r"(?i)\b(?:fetch|download|load|read|get|curl|wget|open|visit|retrieve|pull)\b[^\n]{0,80}?"
    r"(https?://[^\s\"'`)>\]]{3,200}(?:\.md|/instructions?|/prompt))\b[^\n]{0,80}?"
    r"\b(?:and|then)\b[^\n]{0,30}?\b(?:follow|obey|execute|apply|adopt|do what)\b"
)
_SAVED = late(
    r"(?i)\b(?:curl|wget)\b[^\n|;&]{0,200}?(https?://[^\s\"'`)>\]]{3,200})[^\n|;&]{0,120}?"
    r"(?:>|-o|-O|--output)[ \t]*[\"']?[\w./~$\{}-]{0,80}(?:SKILL|AGENTS|CLAUDE|SOUL|HEARTBEAT|MEMORY)\.md"
)

_INPUTS: dict[bytes, str] = {
    b"pyautogui": "screen and input",
    b"pynput": "keyboard and mouse",
    b"pyperclip": "clipboard",
    b"ImageGrab": "screen",
    b"import mss": "screen",
    b"screencapture": "screen",
    b"navigator.clipboard.read": "clipboard",
    b"getDisplayMedia": "screen",
    b"getUserMedia": "camera and microphone",
    b"pbpaste": "clipboard",
    b"xclip": "clipboard",
    b"wl-paste": "clipboard",
    b"Get-Clipboard": "clipboard",
    b"xdotool": "keyboard and mouse",
    b"GetAsyncKeyState": "keyboard",
    b"sounddevice": "microphone",
    b"cv2.VideoCapture(0": "camera",
}
_WALLETS: dict[bytes, str] = {
    b"seed phrase": "seed phrase",
    b"recovery phrase": "seed phrase",
    b"seedPhrase": "seed phrase",
    b"seed_phrase": "seed phrase",
    b"SEED_PHRASE": "seed phrase",
    b"WALLET_PRIVATE_KEY": "private key of a wallet",
    b"wallet private key": "private key of a wallet",
    b"privateKeyToAccount": "private key of a wallet",
    b"new ethers.Wallet(": "private key of a wallet",
    b"Account.from_key(": "private key of a wallet",
    b"Keypair.fromSecretKey": "private key of a wallet",
    b"eth_sendTransaction": "sends transactions",
    b"sendTransaction(": "sends transactions",
    b"sendRawTransaction": "sends transactions",
    b"send_raw_transaction": "sends transactions",
    b"PaymentIntent.create": "charges a card",
    b"paymentIntents.create": "charges a card",
    b"x402": "pays for calls (x402)",
}
_COMMAND = late(
    r"\b(?:ba|z)?sh[ \t]+-c\b|\bcurl\b|\bwget\b|/dev/tcp/|\bsubprocess\b|\bos\.system\b"
    r"|\bchild_process\b|\bpowershell\b"
    r"|\b(?:exec|eval)\(|Invoke-Expression|\bIEX\b"
)
_SHOWN = 80


@cache
def _literals() -> Literals:
    known = (*secret_paths.LITERALS, *persistence.LITERALS, *_AGENT_FILES, *_INSTRUCTIONS, *_INPUTS, *_WALLETS)
    return Literals(dict.fromkeys((*known, *ENCODED)))


def text_facts(file: TextFile) -> Iterator[FoundFact]:
    """The facts of one text."""
    places = _literals().search(file.document.body)
    text = file.document.text
    for secret in secret_paths.secret_paths(text, places.of(secret_paths.LITERALS)):
        value = secret.path.strip("\"'`.,;:()") or secret.kind
        if "://" in value or value.startswith("/path/"):
            continue
        # A sentence beside a word such as `read` tells nothing about what is read.
        read = (secret.read and file.language != "markdown") or (secret.read and _in_fence(file, secret.start))
        yield _found(file, FactKind.SECRET_FILE, value, secret.start, "read" if read else "named", detail=secret.kind)
    for step in persistence.persistences(text, places.of(persistence.LITERALS)):
        if file.language != "markdown" or file.markdown.in_code(step.start):
            yield _found(file, FactKind.PERSISTENCE, step.mechanism, step.start)
    yield from _agent_files(file, places.of(_AGENT_FILES))
    yield from _instructions(file, places.of(_INSTRUCTIONS))
    yield from _named(file, places, FactKind.INPUT, _INPUTS)
    yield from _named(file, places, FactKind.WALLET, _WALLETS)
    if places.of(ENCODED):
        for encoded in encoded_texts(text):
            command = bool(_COMMAND().search(encoded.decoded))
            if not command and len(encoded.decoded) < 24:
                continue
            size = f"{encoded.end - encoded.start} characters of {encoded.kind}"
            detail = f"decodes to: {shortened(encoded.decoded, _SHOWN)}"
            yield _found(file, FactKind.ENCODED_TEXT, size, encoded.start, "command" if command else "", detail=detail)


def _found(file: TextFile, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
    return FoundFact(
        kind, value, FactPlace(file.relative, *file.document.position(at)), tuple(filter(None, marks)), detail
    )


def _in_fence(file: TextFile, at: int) -> bool:
    return any(fence.start <= at < fence.end for fence in file.markdown.fences)


def _agent_files(file: TextFile, offsets: Iterable[int]) -> Iterator[FoundFact]:
    text = file.document.text
    for at in offsets:
        name = next(name for name in map(bytes.decode, _AGENT_FILES) if text.startswith(name, at))
        if at and (text[at - 1].isalnum() or text[at - 1] in "_-"):
            continue
        in_code = file.language != "markdown" or _in_fence(file, at)
        line = file.document.bounds(at)[0]
        writes = in_code and (
            _WROTE().search(text, max(line, at - 160), at) or _WROTE_AFTER().match(text, at + len(name), at + 200)
        )
        settings = any(word in name for word in _SETTINGS)
        mark = ("settings-written" if settings else "written") if writes else "named"
        yield _found(file, FactKind.AGENT_FILE, name, at, mark)


def _instructions(file: TextFile, offsets: Iterable[int]) -> Iterator[FoundFact]:
    text, seen = file.document.text, -1
    for at in offsets:
        start, end = file.document.bounds(at)
        if start <= seen:
            continue
        start, end = max(start, at - 400), min(end, at + 400)
        if "http" not in text[start:end]:
            continue
        for form in (_REMOTE(), _SAVED()):
            if match := form.search(text, start, end):
                seen = end
                yield _found(file, FactKind.REMOTE_INSTRUCTIONS, match[1], match.start(1))
                break


def _named(file: TextFile, places: LiteralPlaces, kind: FactKind, words: dict[bytes, str]) -> Iterator[FoundFact]:
    """What is named by a call or a command: in Markdown within code, but for phrases of wallets."""
    text = file.document.text
    for word, what in words.items():
        for at in places.of((word,)):
            if file.language == "markdown" and kind is FactKind.INPUT and not file.markdown.in_code(at):
                continue
            after = text[at + len(word) : at + len(word) + 1]
            if (at and (text[at - 1].isalnum() or text[at - 1] == "_")) or (after.isalnum() and word[-1:].isalnum()):
                continue
            yield _found(file, kind, what, at, detail=word.decode().rstrip("("))


_SHEBANG = late(r"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?([\w./+-]+)")


def shebang_facts(file: TextFile) -> Iterator[FoundFact]:
    """The program that the first line of a script names."""
    text = file.document.text
    if text.startswith("#!") and (match := _SHEBANG().match(text)):
        name = plain_name(ProgramRun(match[1], (), (), 0))
        place = FactPlace(file.relative, *file.document.position(match.start(1)))
        yield FoundFact(FactKind.PROGRAM, name, place, ("shebang",))
