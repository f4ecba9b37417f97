"""Whether what a literal at an offset gives may run: what stands beside it."""

from __future__ import annotations

from collections.abc import Callable

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.literals import JOINS, PACKAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    _Look: TypeAlias = Callable[[str, int], bool]

_CALLS = ("child_process", "system(", "subprocess", "Popen(", "popen(", "exec(", "eval(", "execSync", "spawn")
_PIPED = late(
    r"\|[ \t]*(?:\\?\r?\n[ \t>]*)?(?:[A-Z_]\w*=\S*[ \t]+)*"
    r"(?:sudo|env|xargs|[\w/]*(?<!pu)(?<!hu)(?:ba|z|da|k|fi|a)?sh\b|python|node\b"
    r"|perl|ruby|php|deno|bun\b|busybox|(?i:iex|invoke-ex)|pwsh|powershell|tee\b|tar\b|source|while\b)"
)
_SUBSTITUTED = late(
    r"\$\(|<\(|(?:[=\"][ \t]?|-c[ \t]+|\A[ \t]*)`|\beval\b|(?i:\biex\b|-expression|scriptblock\]|\bfor[ \t]+/f\b)"
)
_ASSIGNED = late(r"(?:\A|[\s;&({])(?P<name>[A-Za-z_]\w*)=\"?\$\([^()]{0,200}\Z")
_USED = late(
    r"\b(?:eval|(?:ba|z|da|k)?sh|source|exec|node|perl|ruby|php|xargs|tee|base64|export|declare|local|printf)\b|\bpython"
    r"|[ \t]-[ce]\b|<<<|<\(|(?<!2)>(?!&|[ \t]*/dev/)|=[\"']?\$|\A[ \t]*\"?\$|[;&|][ \t]*\"?\$"
)
"""What a line has that may run a variable, keep it or hand it on."""
_STORED = late(
    r"[ \t](?:-\w*[oO](?![ \t]*/dev/null)\b|--output|--remote-name|(?i:-outfile))"
    r"|(?<!2)>[ \t]*(?!/dev/null|&)[\w./~$\"'(]"
)
_DECODED = late(
    r"base64_decode|base(?:64|32)[ \t]+(?:-\w+[ \t]+){0,2}(?:-\w*[dD]|--d)"
    r"|(?:xxd|gzip)[ \t]+[^\n|]{0,40}-\w*[rd]|openssl[ \t][^\n|]{0,80}-d\b|gunzip|zcat|uudecode"
)
_DECODERS = ("base64", "base32", "xxd", "openssl", "gunzip", "zcat", "gzip", "uudecode")
_SHORT = ("irm", "iwr")
_HOSTS_OF_CODE = r"(?://(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/|@git(?:hub|lab)\.com:)"
"""Hosts whose repositories are cloned every day: what is run of them is no finding."""
_LINE = 600
_BEFORE = 5_000


def _beside(after: str, before: str = "") -> _Look:
    """A look at what follows from the literal on, and one at what ends before it, which must not be there."""
    following, preceding = late(after), late(f"(?:{before})\\Z") if before else None

    def look(text: str, at: int) -> bool:
        if preceding is not None and preceding().search(text, max(0, at - 20), at):
            return False
        return following().match(text, at, at + _LINE) is not None

    return look


def _is_joined(text: str, at: int) -> bool:
    return any(call in text[max(0, at - 200) : at + 200] for call in _CALLS)


def _is_filter(text: str, at: int) -> bool:
    return _PIPED().search(text, at + 1, at + 300) is not None


def _is_command(text: str, at: int) -> bool:
    """Whether what a command prints may run: in a pipe, a substitution, a variable or a file."""
    before = text[max(0, at - 1) : at]
    if before.isalnum() or before in ("_", "-"):
        return False
    if before == "(" and text.startswith(_SHORT, at):
        return True
    if before in ("'", '"') and any(call in text[max(0, at - 60) : at] for call in _CALLS):
        return True
    if text.startswith(_DECODERS, at) and not _DECODED().match(text, at):
        return False
    start, end = max(text.rfind("\n", 0, at) + 1, at - _BEFORE), text.find("\n", at, at + _LINE)
    is_stored = _STORED().search(text, at, at + _LINE if end < 0 else end) is not None
    if _PIPED().search(text, at, at + 500) or is_stored or text.startswith(("wget", "git"), at):
        return True
    if assigned := _ASSIGNED().search(text[start:at]):
        return _is_used(text, assigned["name"])
    return _SUBSTITUTED().search(text[start:at]) is not None


def _is_used(text: str, name: str) -> bool:
    """Whether a variable of a shell may run, or get into another one or a file."""
    for sign in (f"${name}", f"${{{name}"):
        at = text.find(sign)
        while at >= 0:
            end = text.find("\n", at, at + _LINE)
            line = text[max(text.rfind("\n", 0, at) + 1, at - _LINE) : at + _LINE if end < 0 else end]
            is_whole = not text[at + len(sign) : at + len(sign) + 1].isalnum()
            if is_whole and (_USED().search(line) or _calls_function(text, line)):
                return True
            at = text.find(sign, at + len(sign))
    return False


def _calls_function(text: str, line: str) -> bool:
    """Whether a line begins with a function of the script, which may run what it gets."""
    name = line.split(None, 1)[0]
    return f"{name}()" in text or f"function {name}" in text


_LOOKS: tuple[tuple[tuple[str, ...], _Look], ...] = (
    (tuple(map(bytes.decode, JOINS)), _is_joined),
    (("|rev", "| rev", "|tr ", "| tr "), _is_filter),
    (("|",), _beside(r"\| ?(?:ba|z)?sh(?![\w-])")),
    (("requests.",), _beside(r"requests\.(?:get|pos|put|pat|req|[sS]es|hea|opt|del)")),
    (
        ("fetch(",),
        _beside(r"fetch\((?![`'\"]/(?!/))", r"(?:def|function|async) |(?<!This)(?<!window)(?<!undici)(?<!net)\."),
    ),
    (("fetch -",), _beside("", "git ")),
    (("session.get", "client.get", "http.get", "https.get"), _beside(r"[\w.]+get(?!\w)")),
    (("axios",), _beside(r"axios(?![\w-]|[\"']?[ \t]*:)", r"[\w-]")),
    (("c\\u",), _beside(r"c\\u(?![0-9a-fA-F]{4})")),
    (("base64_decode",), _beside("")),
    (PACKAGES, _beside(r"[^\n]{0,300}?(?:\w+://|git\+|[\w-]\.[a-z]{2,}/[\w./-]+@)")),
    (("mshta", "msiexec", "regsvr32", "rundll32", "wscript", "cscript"), _beside(r"[^\n]{0,300}?(?://|\\\\|script:)")),
    (("aws s3",), _beside(r"(?=[^\n]*? cp )[^\n]*?(?: - |\|)")),
    (("git clone",), _beside(rf"(?![^\n]{{0,100}}?{_HOSTS_OF_CODE})")),
    (("owershell", "pwsh"), _beside(r"[^\n]{0,160}?[ \t]-(?i:e|ec|enc\w{0,12})[ \t]")),
    (("nvoke-",), _beside(r"nvoke-(?i:web|res|exp)")),
    (("curl", "wget", *_SHORT, "aria2c", *_DECODERS), _is_command),
)
"""What stands beside each literal that alone says too little."""


def _by_head() -> dict[str, list[tuple[str, _Look]]]:
    heads: dict[str, list[tuple[str, _Look]]] = {}
    for literals, look in _LOOKS:
        for literal in literals:
            heads.setdefault(literal[0], []).append((literal, look))
    return heads


_BY_HEAD = _by_head()
"""They are asked for at each literal of a text."""


def is_run_near(text: str, at: int) -> bool:
    """Whether what a command at an offset gives may run: in a pipe, a substitution or a file. Calls always may."""
    for literal, look in _BY_HEAD.get(text[at], ()):
        if text.startswith(literal, at):
            return look(text, at)
    return True
