"""Code that collects the environment, keys, the screen or wallets, and sends it (MITRE ATT&CK TA0009, TA0010)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import Region, region_at, without_comments
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import some, windows
from skillbag.lint.checks.second_signs import is_taught
from skillbag.lint.signals.addresses import addresses
from skillbag.lint.signals.sending import first_sending, sendings

_ENVIRON = r"(?:os\.)?environ\b"
_LOOPED = late(
    rf"""\bfor\s+[\w, ()]{{1,40}}?\s+in\s+(?:sorted\(|list\(|dict\()*{_ENVIRON}(?:\.(?:items|keys|copy)\(\))?
      | \bObject\.(?:entries|keys)\([ \t]*process\.env[ \t]*\) | \bin\s+process\.env\b (?!\.)
      | (?i:get-childitem|gci|dir|ls)[ \t]+(?:-Path[ \t]+)?(?i:env:)""",
    re.VERBOSE,
)
_FILTERED = late(r"(?i:[\"'/|\\b]_?(?:api_?)?(?:key|token|secret|passw|credential|auth)s?[\"'_|/\\*])")
_ANY_OF = late(r"\bany\([^\n]{0,80}?\bin[ \t]+([A-Za-z_]\w{0,40})[ \t]*\)")
_JOINED = late(r"""(["'])[ \t]*\+?[ \t]*\1""")
"""Where two parts of a text in code are put together."""
_HARMLESS = late(
    r"\bnot\s+(?:in|any|k\b|key\b|name\b|re\.)|![\w.(]+\.(?:test|includes|match|startsWith)\(|\bpop\(|\bdel\s|\bdelete\s"
    r"|\.replace\(|\bredact|\bmask|\*{3}|\bstartswith\([ \t]*[\"'][A-Z]+_|\blen\(v|\bbool\(|\bset\b[\"']?\)?$|not set",
    re.IGNORECASE,
)
_WHOLE = late(
    rf"""(?:\bdumps|\burlencode|\bb64encode|\bstr|\brepr)\([ \t]*(?:dict\(|str\(|\*\*)?[ \t]*{_ENVIRON}(?![.\[])
      | \b(?:json|data|params|body|content)[ \t]*[=:][ \t]*(?:dict\(|str\(|\{{[^\n}}]{{0,80}}\*\*
        |[^\n]{{0,60}}:[ \t]*dict\()?[ \t]*
        {_ENVIRON}(?!\.get|\[)
      | ["']\w{{1,20}}["'][ \t]*:[ \t]*(?:dict|str)\([ \t]*{_ENVIRON}[ \t]*\)
      | \bJSON\.stringify\([ \t]*(?:process\.env(?![.\[])|\{{[^\n}}]{{0,80}}(?:\.\.\.process\.env(?![.\[])
        |\benv:[ \t]*process\.env(?![.\[])))
      | \b(?:data|body|json)[ \t]*:[ \t]*process\.env(?![.\[])""",
    re.VERBOSE,
)
_DUMPED = late(r"(?<![\w./$-])(?:env|printenv|export[ \t]+-p|declare[ \t]+-x|set)[ \t]*(?:\||\)|`|>)")
_DUMP_FILE = late(r"(?<![\w./$-])(?:env|printenv)[ \t]*(?:\|[^\n>]{0,80})?>[ \t]*[\"']?([\w./~${}-]{3,80})")
_ENVIRON_WORDS = (
    *(b"environ.items", b"environ.keys", b"environ)", b"in os.environ", b"in environ", b"=os.environ", b"= os.environ"),
    *(
        b": os.environ",
        b"**os.environ",
        b"(process.env)",
        b"in process.env",
        b"...process.env",
        b"stringify(process.env",
    ),
    *(b": process.env", b"env |", b"env|", b"env\t|", b"printenv", b"$(env", b"(env)", b"env >", b"env\t>", b"`env`"),
    *(b"nv:", b"export -p"),
)
_PIECE, _MAX = 100_000, 100
_STOP = late(r"&&|\|\||;")
_READ_LINES = late(r"\A[^&;]*\|?[ \t]*while[ \t](?:IFS=\S*[ \t]+)?read\b")


@Predicate("environment-sent", Subject.TEXT, literals=_ENVIRON_WORDS, needs="before_theft.sends_environment")
def environment_sent(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """All variables, or those whose names tell a secret, in code that sends data."""
    body = text.document.text
    seen: dict[Region, int] = {}
    sends: dict[Region, bool] = {}
    for start, end in windows(body, some(text.places.of(_ENVIRON_WORDS), 10_000), 120, 500):
        for match in _harvests(body, start, end):
            region = region_at(text, match.start())
            if region is None or seen.get(region, 0) >= _MAX:
                continue
            # One finding a region is enough, and so are some attempts.
            seen[region] = seen.get(region, 0) + 1
            if _DUMPED().fullmatch(match[0]):
                sent = _is_dump_sent(body, region, match)
            else:
                if region not in sends:
                    sends[region] = (
                        first_sending(body, region.start, min(region.end, region.start + _PIECE)) is not None
                    )
                sent = sends[region]
            if sent:
                seen[region] = _MAX
                yield Match(text.document.path, *match.span(), raised=not is_taught(text, *match.span()))


def _harvests(body: str, start: int, end: int) -> Iterator[re.Match[str]]:
    for match in _LOOPED().finditer(body, start, end):
        # A comprehension has its value before the loop.
        first = max(match.start() - 200, 0)
        line = max(body.rfind("\n", first, match.start()) + 1, first)
        near = without_comments(body[line : match.end() + 300] + _names_of_filter(body, match))
        near = _JOINED().sub("", near)
        if _FILTERED().search(near) and not _HARMLESS().search(near):
            yield match
    yield from _WHOLE().finditer(body, start, end)
    yield from _DUMPED().finditer(body, start, end)


def _names_of_filter(body: str, loop: re.Match[str]) -> str:
    """The words that a filter in a loop takes from a variable set before it."""
    named = _ANY_OF().search(body, loop.end(), loop.end() + 160)
    if named is None:
        return ""
    assigned = re.compile(rf"(?<![\w.]){named[1]}[ \t]*=[ \t]*[\[({{][^\n]{{0,300}}")
    return "".join(match[0] for match in islice(assigned.finditer(body, max(0, loop.start() - 4_000), loop.start()), 4))


def _is_dump_sent(body: str, region: Region, match: re.Match[str]) -> bool:
    end = body.find("\n", match.end(), match.end() + 600)
    end = match.end() + 600 if end < 0 else end
    start = max(body.rfind("\n", max(0, match.start() - 400), match.start()) + 1, match.start() - 400, region.start)
    for sending in sendings(body, start, min(end, region.end)):
        # A command substitution must be within the command that sends; a pipe must lead to it.
        if sending.start < match.start() < sending.end:
            return True
        if match[0].endswith("|") and sending.start > match.start():
            between = body[match.end() : sending.start]
            return not _STOP().search(between) or _READ_LINES().search(between) is not None
    file = _DUMP_FILE().match(body, match.start())
    if file is None:
        return False
    later = sendings(body, match.end(), min(region.end, match.end() + 4_000))
    return any(file[1] in body[sending.start : sending.end] for sending in later)


_INPUTS = (
    ("keys", (b"pynput", b"keyboard.on_press", b"keyboard.hook", b"GetAsyncKeyState", b"SetWindowsHookEx", b"iohook")),
    (
        "the clipboard",
        (b"pyperclip.paste", b"clipboard.readText", b"pbpaste", b"Get-Clipboard", b"xclip -o", b"xsel -o"),
    ),
    ("the screen", (b"ImageGrab.grab", b"pyautogui.screenshot", b"mss.mss(", b"screencapture ", b"CopyFromScreen")),
)
_INPUT_WORDS = tuple(word for _, words in _INPUTS for word in words)
_MODEL_HOSTS = (
    *("openai.com", "anthropic.com", "googleapis.com", "openrouter.ai"),
    *("azure.com", "amazonaws.com", "localhost"),
)


@Predicate("input-captured", Subject.TEXT, values=("what",), literals=_INPUT_WORDS)
def input_captured(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code that reads keys, the clipboard or the screen, stronger where it sends data."""
    body = text.document.text
    for what, words in _INPUTS:
        places = ((at, region_at(text, at)) for at in text.places.of(words)[:_MAX])
        for at, region in places:
            if region is not None:
                raised = region.is_script and _sends_to_others(body, region, what)
                yield Match(text.document.path, at, at, {"what": what}, raised=raised)
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


@Predicate("wallet-key-sent", Subject.TEXT, values=("name",), literals=_WALLET_WORDS, needs="before_theft.sends_wallet")
def wallet_key_sent(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Private keys and seed phrases of wallets in the body of a request."""
    body = text.document.text
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
        held = _HELD().findall(body, region.start, min(region.end, region.start + _PIECE))
        end = min(region.end, region.start + _PIECE)
        is_wallet = bool(_WALLET().search(body, region.start, end))
        for sending in sendings(body, region.start, end):
            value = _WALLET_VALUE().search(body, sending.start, min(sending.end + 300, end))
            if value and (is_wallet or not value["key"]):
                name = value[0].strip("\"' \t:,=})]")
                yield Match(text.document.path, *value.span(), {"name": name})
                break
            words = set(_WORD().findall(body, sending.end, min(sending.end + 300, end))) & set(held)
            if words:
                yield Match(
                    text.document.path, sending.start, sending.end, {"name": f"the seed phrase in {min(words)}"}
                )
                break


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
