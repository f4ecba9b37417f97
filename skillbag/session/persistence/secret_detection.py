"""Values that are secrets, by their name or by what they look like."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.detection import find_secrets, looks_secret
from skillbag.kernel.secrets.random_strings import is_random_string
from skillbag.session.settings.value import Value

Leaf = str | int | float


def leaves(name: str, value: Value) -> Iterator[tuple[str, Leaf]]:
    """The texts and numbers of a value, each with its name: that of the parameter, or its key in a mapping."""
    if value.items:
        for item in value.items:
            yield from leaves(name, item)
    elif isinstance(value.value, int | float) and not _is_count(value.written):
        yield name, value.written
    else:
        yield from _leaves(name, value.value)


def _leaves(name: str, value: object) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield name, key
            yield from _leaves(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


_DECIMAL = late(r"true|false|[-+]?[\d.]+(?:e[-+]?\d+)?", re.IGNORECASE)
_LONGEST_COUNT = 20
"""Digits of the largest number that programs count with, 2**64."""


def _is_count(written: str) -> bool:
    """Whether a number is only a number: `0x…` and very long digits may encode text."""
    return _DECIMAL().fullmatch(written) is not None and not (written.isdigit() and len(written) > _LONGEST_COUNT)


OTHER_LANGUAGES = (
    r"passwort|kennwort|парол\w{0,3}|contrase[ñn]a|(?<!palabra.)clave|mot[-_. ]?de[-_. ]?passe|senha|palavra-?passe"
    r"|wachtwoord|l[öo]senord|has[łl]o|parola|[şs]ifre|mật[-_. ]khẩu|密[码碼]|口令|パスワード|비밀번호|암호"
)
"""The word for a password, as `check` knows it."""

OTHER_WORDS = (
    r"(?:seed|recovery|backup)[-_. ](?:phrase|words?|codes?)|(?:access|security|unlock)[-_. ]codes?"
    r"|(?:wi-?fi|wlan|wpa2?)[-_. ]key"
)
"""Names of what opens something, and is no password by its name."""

_NAMED = late(
    rf"""(?: pass[-_. ]?(?:word|wd|phrase|code)s? | secrets? | secret[-_. ](?:word|phrase) | credentials?
          | {OTHER_LANGUAGES} | {OTHER_WORDS}
          | (?:access|api|auth|bearer|refresh|session)[-_. ]?tokens?
          | (?:access|api|auth|encryption|license|private|secret|signing)[-_. ]?keys? )$""",
    re.VERBOSE | re.IGNORECASE,
)
"""The end of a name whose value is a secret, however weak."""

_NAMED_TEXT = late(
    r"(?:(?i:(?:^|[-_. ]|db|sql|ftp|smtp|root|admin|user)(?:token|pass|pwd?)|(?:git(?:hub|lab)|gh|gl|ado)[-_. ]?pat)"
    r"|[a-z](?:Token|Pass|Pwd))$"
)
"""Likewise, but a number of that name is none."""

_NAMED_DIGITS = late(r"(?:^|[-_. ])(?:pin|otp|cvv|cvc)$", re.IGNORECASE)

_ELSEWHERE = late(
    r"""\$\w+ | \$?\{+[^{}]*\}+ | <[^<>]*> | %\w+% | \*+ | \.{3} | …
      | (?:env|vault|op|secrets?|ref|file|keyring|keychain|ssm|arn|doppler|pass|bw):.+
      | \$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+
      | (?:~|\.{1,2})?/.* | [A-Za-z]:\\.*
      | [\w./\\-]+\.(?:json|ya?ml|toml|env|txt|key|pem|ini|cfg|conf|kdbx|gpg|age)""",
    re.VERBOSE,
)
"""A reference to a secret that is kept elsewhere: a variable, an entry of a store, a file."""


def is_named_secret(name: str, leaf: Leaf) -> bool:
    """Whether a text or number is a secret by its name, and no reference to one."""
    if _NAMED_DIGITS().search(name) and str(leaf).strip().isdigit():
        return True
    if isinstance(leaf, str):
        return bool(_NAMED().search(name) or _NAMED_TEXT().search(name)) and is_disclosed(leaf)
    return _NAMED().search(name) is not None


def is_disclosed(text: str) -> bool:
    """Whether a text is the secret itself, not a reference to it."""
    return bool(text.strip()) and not _ELSEWHERE().fullmatch(text.strip())


_DEPTH = 3
"""Levels of nested encodings that are decoded."""


def why_secret(name: str, value: Value) -> str | None:
    """Why a value must never be written down, in words that follow "it"; None if it is no secret.

    The reason repeats nothing of the value. (Clause inputs.no-secrets.)
    """
    return next(filter(None, (_why(key, leaf) for key, leaf in leaves(name, value))), None)


def is_secret(text: str) -> bool:
    """Whether a text without a name is or contains a secret."""
    return _why("", text) is not None


def _why(name: str, leaf: Leaf) -> str | None:
    if is_named_secret(name, leaf):
        return "is a secret by its name; name a file or an environment variable that holds it instead"
    if not isinstance(leaf, str):
        return None
    # A name beside it reveals some credentials; blanks and invisible characters within hide them.
    for text in (leaf, f"{name}={leaf}", "".join(char for char in leaf if char.isprintable() and char != " ")):
        if secrets := find_secrets(text):
            return f"holds what looks like a credential ({secrets[0].kind})"
    if looks_secret(name, leaf):
        return "is a secret: its name says so, and a generator wrote it"
    return _why_text(leaf, _DEPTH)


def _why_text(text: str, depth: int) -> str | None:
    if any(is_disclosed(match[1]) for match in _LOGIN().finditer(text)):
        return "holds an address with a password in it"
    if any(is_named_secret(match[1], match[2]) for match in _SETTING().finditer(text)):
        return "holds a setting that is a secret by its name"
    if any(
        _tells(match[match.lastindex or 0])
        for pattern in (_ASSIGNED, _SPOKEN, _USED, _STATED, _CODE, _ACCOUNT, _HEADER, _OPTION, _COMMAND)
        for match in pattern().finditer(text)
    ):
        return "tells a password or another secret"
    for word in _WORD().findall(text):
        decoded = _decoded(word) if depth else None
        if decoded is None:
            if is_random_string(word):
                return "looks like a secret: only a generator writes such a word"
        elif find_secrets(decoded) or _CODED_LOGIN().fullmatch(decoded) or _why_text(decoded, depth - 1):
            return "holds a credential in coded form"
    return None


def _tells(value: str) -> bool:
    """Whether the word after the name of a secret is the secret, not a word about it or where it is kept."""
    word = value.strip(".!?*_`\"'()[]“”«»")
    return len(word) > 2 and not _ABOUT().fullmatch(word) and is_disclosed(word)


_NAME_OF_SECRET = (
    r"(?:(?:client|consumer|app|shared|webhook|x|db|database|smtp|ssh|admin|root|user)[-_ ])?"
    r"(?:pass[- ]?(?:word|wd|phrase|code)|pwd?|pin|secret(?:[ -](?:word|phrase|code))?"
    rf"|(?:api|access|auth)[-_ ]?(?:key|token)|token|geheim(?:wort|code)|(?:mot|code|phrase)[ ]secr[eè]te?"
    rf"|{OTHER_WORDS}|(?:{OTHER_LANGUAGES})(?:[ ]secret[ao])?)"
)
_FOR = r"(?:[ ]+(?:for|of|to|für|para|pour|per)(?:[ ]+[\w.-]+){1,3})?"
_MADE_UP = (
    r"(?!(?:sha|base|utf|md|u?int|float|ed|iso|rfc|arm|amd|aes|win)[-_]?\d)(?!\S*\.[a-z]{2,5}\b)(?=\S*[^\W\d_])"
    r"(?=\S*\d\S*\d|\S*\d\S*[!@#$%^&*?+])"
)
"""Before a word: it has letters and digits, as passwords do, and is no algorithm or name of a file."""
_ASSIGNED = late(
    rf"(?<![\w$-]){_NAME_OF_SECRET}[\"'`*]*{_FOR}"
    r"(?:\s*[:：=]\s*|\s+(?:is|was|ist|lautet|es|est|è|é|это|jest)\s+|\s*[是为為は]\s*)[\"'`*“«]*([^\s\"'`,;”»]+)",
    re.IGNORECASE,
)
_SPOKEN = late(
    rf"(?<![\w$-])(?:{_NAME_OF_SECRET}[\"'`*]*(?:[ ](?:was|has|been|set|changed|reset|to|now|still)){{0,4}}"
    rf"(?:\s+|\s*(?:[-=]>|[→–—])\s*)|(?:\w{{1,20}}_)?pass(?:[ ]|\s*[:=]\s*|[ ]is[ ])(?!\w*-))[\"'`*“«]*"
    rf"{_MADE_UP}([^\s\"'`,;”»/\\=<>(){{}}-][^\s\"'`,;”»/\\=<>(){{}}]{{5,}})",
    re.IGNORECASE,
)
_USED = late(
    rf"(?<!\S)[\"'`*“«]*{_MADE_UP}([\w!@#$%^&*?+.-]{{6,}}?)[\"'`*”»]*\s+(?:as|als|como|comme|come|jako|как|is|ist|es|est|è|é|это)\s+"
    r"(?:(?:the|an?|my|our|your|das|mein|unser|la|le|el|il|mi|mon|minha|mia|notre|nuestra)\s+)?"
    rf"(?:\w+\s+)?{_NAME_OF_SECRET}(?=[\"'`*]*(?:[.,;:!?)]|$|\s+(?:for|of|to|in|on|at|and|für|para|pour|per)\b))",
    re.IGNORECASE,
)
"""A made-up word before the name: `use … as the password`."""
_STATED = late(
    r"^[\"'`*“«]*(?!(?:th(?:is|at|ese|ere|ose)|here|wh\w+|how|dies\w*|das|was|wer|wo|hier|welch\w+|est[eoa]|es[eoa]"
    r"|qu\w+|cu[aá]l|celui|cela|voici|quest[oa]|is[st]o|что|где|neither|none|nothing|nobody)\b)"
    r"([^\W\d_][^\s\"'`]{3,})[\"'`*”»]*\s+(?:is|ist|es|est|è|é|это|jest)\s+"
    r"(?:the|my|our|your|das|mein|unser|la|le|el|il|mi|mon|minha|mia|notre|nuestra|a)\s+"
    rf"(?:\w+\s+)?{_NAME_OF_SECRET}(?=[\"'`*]*(?:[.,;:!?)]|$|\s+(?:for|of|to|für|para|pour|per)\b))",
    re.IGNORECASE | re.MULTILINE,
)
"""A sentence that begins with a word and says that it is the password."""
_CODE = late(
    r"(?<![\w-])(?:t?otp|one[- ]time[- ](?:code|password)|(?-i:PIN|TAN)"
    r"|(?:2fa|verification|access|security|sms)[ ]code)"
    r"(?:\s*[:=]\s*|\s+(?:is\s+)?)(\d{4,8})(?![\w.-])",
    re.IGNORECASE,
)
_ACCOUNT = late(
    r"(?<!\w)(?:basic[ -]auth\w*|log[ -]?in|sign[ -]?in|cred(?:ential)?s|anmeld\w+|zugangsdaten|identifiants?"
    r"|credenciales|credenciais|credenziali|логин)"
    rf"{_FOR}\s*[:=]?(?:[ ](?:with|as|are|is|mit|als|avec|con|com|sind|sont|son|user))?\s+"
    rf"[\"'`]?[\w.@+-]+(?::|[ ]?/[ ]?){_MADE_UP}([^\s\"'`,;/\\<>(){{}}]{{6,}})",
    re.IGNORECASE,
)
"""The name of an account, and its password."""
_HEADER = late(r"(?:\bauthorization\s*[:=]\s*[\"']?(?:\w+\s+)?|\bbearer\s+(?=\S*\d))([^\s\"'`,;]{4,})", re.IGNORECASE)
_OPTION = late(
    r"(?<!\S)(?:-[a-zA-Z]{0,6}[uU]|--(?:proxy-)?user)[ =]?[\"']?[\w.@+%-]*:([^\s\"'`]{3,})"
    r"|(?<![^\s\"'\[])--?(?:(?:store|key)?pass(?:word|wd|phrase)?|pwd?"
    r"|(?:(?:api|access|auth|client|private|secret)[-_]?)?key"
    r"|(?:[a-z]{2,20}-){0,2}(?:token|secret))(?:[ =]|[\"'],[ ]?)[\"']?([^\s\"'`-][^\s\"'`]*)"
    r"|[ ]-pass(?:in|out)?[ ]pass:(\S+)"
)
_COMMAND = late(
    r"\b(?:sshpass|mysql\w*|mariadb\w*|mongo\w*|cqlsh|login|7z\w?|(?:un)?rar)\b.*?[ ]-p[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\b(?:(?:un)?zip|sqlcmd|bcp|mosquitto_\w+)\b.*?[ ]-P[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\bredis-cli\b.*?[ ]-a[ ][\"']?([^\s\"'`-]\S*)|\bldap\w+\b.*?[ ]-w[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\bsmbclient\b.*?[ ](?:-U|--user)[ =]?[\"']?[^\s%]+%([^\s\"'`]+)"
    r"|\bhtpasswd[ ](?:.*?[ ])?-\w*b\w*[ ].*?(\S+)$|\bvault[ ]login[ ]([^\s-]\S*)$"
    r"|\bnet[ ]use\b.*?[ ]/user:\S+[ ]([^\s/]\S*)"
)
_ABOUT = late(
    r"(?:in|on|at|from|by|see|not|no|none|never|always|the|a|an|my|your|our|their|its|it|to|of|for|and|or|if|is|are|be|kept"
    r"|stored|saved|set|required|optional|needed|mandatory|managed|rotated|expired|wrong|secret|random|empty|unknown|ask(?:ed)?"
    r"|read|taken|manager|policy|true|false|null|yes|auto|prompt|keychain|keyring|bitwarden|1password|vault|environment|env"
    r"|flag|option|argument|parameter|with|via|as|when|only|bearer|basic|token|header|headers|\d{1,3})",
    re.IGNORECASE,
)
_LOGIN = late(r"[A-Za-z][\w+.-]{0,30}://[^\s/?#@:]*:([^\s/?#@]+)@")
_SETTING = late(r"(?<!\w)([A-Za-z][\w.-]{0,60})=([^\s&;,\"']+)")
_CODED_LOGIN = late(r"[\w.@+-]+:\S{4,}")
_WORD = late(r"[^\s\"'`,;()<>]+")
_BASE64 = late(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = late(r"(?:[0-9A-Fa-f]{2}){8,}")


def _decoded(word: str) -> str | None:
    """The decoded text of a word; None if it encodes none."""
    if "%" in word and (text := unquote(word)) != word:
        return text
    try:
        if _HEX().fullmatch(word):
            text = bytes.fromhex(word).decode()
        elif _BASE64().fullmatch(word):
            plain = word.rstrip("=").replace("-", "+").replace("_", "/")
            text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
        else:
            return None
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.replace("\n", " ").isprintable() else None
