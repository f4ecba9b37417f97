"""Lookups of names that carry what was read to another machine (MITRE ATT&CK T1048)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import region_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.facts.roles import is_taught
from skillbag.lint.signals.hosts import COLLECTORS
from skillbag.lint.signals.phrases import CommandForm, FormTable
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths

_DIG = r"""(?<![\w./-])(?:dig|nslookup)(?:\.exe)?[ \t]+(?:[+@-]\S+[ \t]+|-\w+[ \t]+\w+[ \t]+){0,4}"""
_CODED = r"\w*(?i:enc|b64|hex|data|chunk|secret|token|payload|key)\w*\}"
_LOOKUP_SIGNS = ("nslookup", "dig +", "dig $", "dig `", 'dig "', "dig @", "dig {", "dig -", "dig A", "dig T", "dig '")
_LOOKUPS = FormTable(
    CommandForm(
        _LOOKUP_SIGNS,
        late(
            rf"""{_DIG}
            (?: (?:["']?[^\s|;"'`$()]{{0,60}}?(?:\$\([^\n]{{1,200}}?\)|`[^`\n]{{1,200}}`|\$\{{?{_CODED}?|\{{{_CODED})
                 | ["'][ \t]*\+[ \t]*\w+[ \t]*\+[ \t]*["'])
                ["']?\.[\w${{}}-]+[\w.${{}}-]*
              | (?P<label>["']?\$\{{?(?!(?i:\w*(?:domain|host|name|selector|zone|ip|rev|addr)))[A-Za-z_]\w*\}}?\.
                (?:\$\(\([^\n)]{{0,20}}\)\)\.|\$\{{?\w+\}}?\.)?(?:[\w-]+\.)+[A-Za-z]{{2,}}) )""",
            re.VERBOSE,
        ),
        after=500,
    )
)
"""Lookups of a name that has the output of a command in it, or a variable as its first label, in a fixed domain."""
_ENCODED_BEFORE = 4_000
_ENCODES = ("base32", "base64", "xxd", "od -", "hexdump")
_NAMES = late(
    r"\$\((?:hostname|domainname|uname|date|uuidgen)[^)]{0,20}\)"
    r"|\$\(echo[ ]\"?\$\{?\w*(?i:account|domain|host|region|zone|cluster|service|name)\w*\}?\"?\)"
    r"|(?i:public_?key|key_?(?:id|tag|selector))"
)
_REST = late(r"(?:\([^\n)]*+\)|[\w.${}-])*+")
_PLACEHOLDER = late(r"[A-Z][A-Z_-]{2,}")


@Predicate("dns-exfiltration", Subject.TEXT, values=("command",), literals=_LOOKUPS.signs)
def dns_exfiltration(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Lookups of a name that a command's output is part of."""
    for match in _LOOKUPS.matches(text):
        if match["label"]:
            is_leak = _is_encoded(text, match.start())
        else:
            whole = match[0] + _whole(text.document.text, match.end())
            is_leak = not _is_ordinary(whole) and region_at(text, match.start()) is not None
        if is_leak:
            shown = short(" ".join(match[0].split()))
            yield Match(text.document.path, *match.span(), {"command": shown}, raised=not _is_sample(text, match))


def _is_sample(text: TextFile, match: re.Match[str]) -> bool:
    """Whether a lookup in a text goes to a made-up host, or to a service for such tests without a name of one's own."""
    if text.language != "markdown":
        return False
    name = match[0].rpartition(" ")[2].strip("\"'")
    host = name[max(name.rfind(sign) for sign in (")", "`", "}")) + 1 :].strip(".")
    return is_taught(text, *match.span()) or host in COLLECTORS or bool(_PLACEHOLDER().fullmatch(host))


def _whole(body: str, at: int) -> str:
    """The rest of a name that a match ends within."""
    rest = _REST().match(body, at, at + 300)
    return rest[0] if rest else ""


def _is_ordinary(lookup: str) -> bool:
    """Whether all that a name is made of is the machine's name, the time, or the name of a public key."""
    rest = _NAMES().sub("", lookup)
    return rest != lookup and not any(sign in rest for sign in ("|", "$(", "`"))


def _is_encoded(text: TextFile, at: int) -> bool:
    """Whether the code of a lookup encodes something or reads a secret file before it."""
    region = region_at(text, at)
    if region is None:
        return False
    before = text.document.text[max(region.start, at - _ENCODED_BEFORE) : at]
    if any(word in before for word in _ENCODES):
        return True
    places = sorted(place for literal in LITERALS if (place := before.find(literal.decode())) >= 0)
    return any(path.read for path in secret_paths(before, places))
