"""Texts that are decoded in one statement or command and run in a later one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.checks.prefilter import lines_of
from skillbag.lint.signals.programs import MADE_EXECUTABLE

_REACH = 3_000
"""How far after it a decoded text is searched for, in code points."""

_NAMED = late(
    r"""(?<![\w.])(?P<name>[A-Za-z_]\w{0,40})[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*(?![=])[^\n;]{0,300}?
        \b(?:b(?:64|32|85)decode|a85decode|unhexlify|fromhex|decompress|atob|base64_decode|(?:strict_|urlsafe_)?decode64
            |decode_base64|FromBase64String|base64[ \t]+(?:-d|-D|--d\w*)|xxd[ \t]+-r|Buffer\.from)\b
        (?P<rest>[^\n]{0,400})""",
    re.VERBOSE,
)
"""A variable that gets a decoded text."""
_COPIED = r"(?<![\w.])(?P<name>[A-Za-z_]\w{{0,40}})[ \t]*=[ \t]*(?!=)[^\n=]{{0,60}}?(?<![\w.])\$?{name}\b"
_RUN = (
    r"(?<![\w.])(?:exec|eval|Function|os\.system|os\.popen|execSync|child_process\.\w+|spawnSync|system|shell_exec|passthru)"
    r"[ \t]*\([ \t]*(?:compile\(|str\(|bytes\(|codecs\.\w+\()?[ \t]*\$?{name}\b"
    r"|subprocess\.\w+\([ \t]*(?:\[[ \t]*)?"
    r"(?:[\"'](?:/bin/)?(?:ba|z)?sh[\"'],[ \t]*[\"']-\w*c[\"'],[ \t]*)?{name}\b(?!\s*=)"
    r"|(?<![\w.-])(?:eval|(?:ba|z|da)?sh[ \t]+-\w*c|python3?[ \t]+-c|iex|Invoke-Expression|source)"
    r"[ \t]+[\"']?\$\{{?{name}\b"
    r"|(?:echo|printf|<<<)[^\n|;]{{0,20}}\$\{{?{name}\b[\"'}}]*[ \t]*\|[ \t]*(?:sudo[ \t]+)?(?:ba|z|da)?sh\b"
)
_WRITTEN = late(
    r"\b(?:base64[ \t]+(?:-\w+[ \t]+){0,2}?(?:-d\w?|-D|--d\w*)|xxd[ \t]+-r"
    r"|openssl[ \t]+(?:enc|base64)[^|\n>]{0,80}-d)\b"
    r"[^|;\n>&]{0,200}>[ \t]*[\"']?(?P<file>[\w./~$-]{1,80})"
    r"|\bcertutil(?:\.exe)?[ \t]+-decode[ \t]+\S+[ \t]+(?P<out>[\w.\\/:%~-]{1,80})"
)
"""A decoded text that is written to a file."""
_INTERPRETED = rf"(?<![\w./-])(?:(?:ba|z|da)?sh|source|\.|python3?|node|perl|ruby|{MADE_EXECUTABLE})[ \t]+"
_OPENED = r"|(?<![\w./-])(?:open|start)[ \t]+|[;&|][ \t]*(?:sudo[ \t]+)?|^[ \t>$]*(?:sudo[ \t]+)?(?:\./)?"
_DATA = late(
    r".*\.(?:png|jpe?g|gif|svg|webp|ico|pdf|pem|key|crt|cer|p12|pfx|jks|keystore|txt|json|ya?ml|toml|csv|xml|html?|md"
    r"|mp[34]|wav|ttf|woff2?)"
)
"""Names of files that are opened or named, and never run by that."""

_WORDS = (
    *("64decode", "32decode", "85decode", "unhexlify", "fromhex", "decompress", "atob", "base64_decode", "decode64"),
    *("decode_base64", "FromBase64String", "base64 -", "xxd -r", "Buffer.from", "openssl", "certutil"),
)


def run_later(text: str, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The bounds of statements near ordered offsets that decode a text which a later statement runs."""
    for start, end in lines_of(text, offsets):
        if end - start > 5_000:
            continue
        line = text[start:end]
        if not any(word in line for word in _WORDS):
            continue
        for match in _NAMED().finditer(text, start, end):
            if _is_data(match["rest"], match[0]):
                continue
            if _is_run(text[match.end() : match.end() + _REACH], match["name"]):
                yield match.start("name"), match.end()
        for match in _WRITTEN().finditer(text, start, end):
            file = match["file"] or match["out"]
            ways = _INTERPRETED if _DATA().fullmatch(file) else _INTERPRETED + _OPENED
            started = rf"(?:{ways})[\"']?{re.escape(file)}(?![\w.])"
            if re.search(started, text[match.end() : match.end() + 600], re.MULTILINE):
                yield match.span()


def _is_data(rest: str, statement: str) -> bool:
    """Whether a buffer is made of plain data: `Buffer.from(x)` decodes only with an encoding."""
    return statement.rstrip().find("Buffer.from") >= 0 and not re.search(r"[\"'](?:base64|hex)", rest)


def _is_run(after: str, name: str, hops: int = 2) -> bool:
    """Whether a variable is run in a text, by its own name or by that of another that it is copied to."""
    if name not in after:
        return False
    if re.search(_RUN.format(name=re.escape(name)), after):
        return True
    others = {match["name"] for match in re.finditer(_COPIED.format(name=re.escape(name)), after, re.MULTILINE)}
    return hops > 0 and any(_is_run(after, other, hops - 1) for other in sorted(others - {name})[:5])
