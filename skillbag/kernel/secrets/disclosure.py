"""Secrets that a name or a sentence discloses, however weak they are: `root-pw`, "my password is …", `--token …`.

Those of a known form are found by `detection`. Here nothing is repeated, and references to a secret are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets import words
from skillbag.kernel.secrets.names import ABOUT, BOOLEAN, DETERMINED, Noun, folded, nouns, secret_class
from skillbag.kernel.secrets.placeholders import is_called_sample, is_placeholder, is_stand_in
from skillbag.kernel.secrets.words import ANY, CODE, KEY

_ELSEWHERE = late(
    r"""\$\w+ | \$[{(].* | \{+[^{}]*\}*+ | <[^<>]*>? | %\w+% | \*+ | \.{3} | … | \S*x{3,} | \[[^\]]*\]?
      | (?:env|vault|op|secrets?|ref|file|keyring|keychain|ssm|arn|doppler|pass|bw):.+
      | \$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+
      | (?:~|\.{1,2})?/.* | [A-Za-z]:\\.*
      | [\w./\\-]+\.(?:json|ya?ml|toml|env|txt|key|pem|ini|cfg|conf|kdbx|gpg|age)
      | https?://[^\s@]* | id_(?:rsa|dsa|ecdsa|ed25519)(?:\.pub)? | v?\d+(?:\.\d+)+
      | (?:os|process|import\.meta)\.\w.* | \w[\w.]*\(.* | \S*(?:\.{3}|…)""",
    re.VERBOSE,
)
"""A reference to a secret that is kept elsewhere: a variable, an entry of a store, a file, a placeholder."""

_ABOUT = frozenset(words.KEPT.split())
"""Words about a secret, or for where it is kept."""

_MADE = (
    r"(?!(?:sha|base|utf|md|u?int|float|ed|iso|rfc|arm|amd|aes|win)[-_]?\d)(?!\S{0,80}\.[a-z]{2,5}\b)(?=\S{0,80}[^\W\d_])"
    r"(?=\S{0,80}\d\S{0,80}\d|\S{0,80}\d\S{0,80}[!@#$%^&*?+])"
)
"""Before a word: it has letters and digits, as passwords do, and is no algorithm or name of a file."""
_MADE_UP = late(rf"{_MADE}\S{{4,}}")
_DIGITS = late(r"\d[\d -]{1,14}\d")
_QUOTES = ".!?,;:*_`\"'()[]“”«»「」"


def is_disclosed(text: str) -> bool:
    """Whether a text is the secret itself, not a reference to it or words about it."""
    text = text.strip()
    if not text or _ELSEWHERE().fullmatch(text):
        return False
    return not all(_is_about(word) for word in folded(text).split())


def _is_about(word: str) -> bool:
    word = word.strip(_QUOTES)
    return not word or word in _ABOUT


def is_named_secret(name: str, value: str, *, is_number: bool = False) -> bool:
    """Whether a value is a secret by its name, and no reference to one."""
    kind = secret_class(name)
    return bool(kind) and is_disclosed(value) and _may_be(kind, value.strip(), is_number)


def _may_be(kind: str, value: str, is_number: bool = False) -> bool:
    """Whether a value can be a secret of a class."""
    if kind == ANY:
        return True
    if kind == KEY:
        return not is_number and any(map(str.isalpha, value))
    return bool(_MADE_UP().match(value) and not is_number) or (kind == CODE and bool(_DIGITS().fullmatch(value)))


_FOR = rf"(?:[ ](?:{'|'.join(words.OF.split())})\b(?:[ ][\w.-]{{1,40}}){{1,4}}?|[ ]?d[’'][\w-]{{1,40}}"
_FOR += rf"|(?:[ ](?:{'|'.join(words.QUALIFIERS.split())})\b){{1,2}}|码|碼|コード|番号)?"
_GIVEN = late(
    rf"(?:['’]s[ ]|(?:[\"`*_”»]|'(?!s[ ]))*+{_FOR}(?:[ \t]*(?P<sign>=>|[-=]>|[→–—|]|:=|[:=]|>(?=[^<>\s]+</))"
    r"|[ ](?:is|was|will[ ]be|are|ist|lautet|war|heisst|est|c'est|es|era|è|é|sara|sera|luidt|это|jest)\b:?"
    r"|[ \t]*(?P<cjk>は|是|为|為|는|은)))"
    r"(?P<quote>[ \t\"'`*“«「_]*+)(?P<value>[^\s|\"'`,;”»」。、<]{1,256}+)(?P<more>[ ]`?[^\W\d_]{1,40}+)?"
)
"""What the noun opens, a sign or "is", and the secret."""
_HAS = r"(?:[ ](?:was|has|been|set|changed|reset|to|now|still)){0,4}"
_SPOKEN = late(
    rf"[\"'`*]*{_HAS}(?:[ \t]+|[ \t]*(?:[-=]>|[→–—])[ \t]*)[\"'`*“«]*"
    rf"(?P<value>{_MADE}[^\s\"'`,;”»/\\=<>(){{}}-][^\s\"'`,;”»/\\=<>(){{}}]{{4,256}}|\d{{4,8}}(?![\w.-]))"
)
"""The secret, right behind the noun or "was changed to"."""
_AS, _IS = ("as", "als", "como", "comme", "come", "jako", "как"), ("is", "ist", "es", "est", "è", "é", "это", "jest")
_LIKE, _BE, _SAID = f"(?:{'|'.join(_AS)})", f"(?:{'|'.join(_IS)})", frozenset((*_AS, *_IS))
_THE = r"(?:(?:the|an?|my|our|your|das|mein|unser|la|le|el|il|mi|mon|minha|mia|notre|nuestra|het|mijn)[ ]+)"
_NAMED_BEFORE = late(
    rf"(?:(?<!\S)[\"'`*“«]*(?:(?<=use )(?=\w)|{_MADE})(?P<value>[\w!@#$%^&*?+.-]{{6,}}?)"
    rf"[\"'`*”»]*[ ]+(?:{_LIKE}|{_BE})[ ]+{_THE}?"
    r"|^[\"'`*“«]*(?!(?:th(?:is|at|ese|ere|ose)|here|wh\w+|how|dies\w*|das|was|wer|wo|hier|welch\w+|est[eoa]|es[eoa]"
    r"|qu\w+|cual|celui|cela|voici|quest[oa]|is[st]o|что|где|neither|none|nothing|nobody)\b)"
    rf"(?P<stated>[^\W\d_][^\s\"'`]{{3,}})[\"'`*”»]*[ ]+{_BE}[ ]+{_THE})(?:\w+[ ]+)?\Z",
    re.MULTILINE,
)
"""A word before the noun: `use … as the password`, or a sentence that begins with it and says that it is."""
_END = late(r"[\"'`*]*(?:[.,;:!?)]|$|[ ]+(?:for|of|to|in|on|at|and|fur|para|pour|per|voor)\b)", re.MULTILINE)
_USER = late(
    r"\b(?:user|(?:log|sign)[ ]?in)(?:[ ]?name|[ ]as|[ ]is)*[ :=]+\S+,?[ ]"
    r"(?:(?:with|and|mit|avec|con|com|met)[ ])?(?:the[ ])?\Z"
)
_LAST = late(r"[ ][\"'`]?(?P<value>[^\s\"'`.,;]{4,})[\"'`]?(?=[.,;]|$)", re.MULTILINE)
"""The name of an account before the noun, and the password, at the end."""
_AND = frozenset(words.AND.split())
_WHOSE = ("client", "app", "consumer", "shared", "webhook")
_PHRASES = ("phrase", "mnemonic", "seed", "frase", "wachtzin", "satz")
_REACH = 100


def _around(text: str, small: str, noun: Noun) -> Iterator[tuple[int, int]]:
    """The spans of what stands around a noun, and is a secret."""
    before = _before(small, noun.start)
    is_part = noun.start > 0 and small.startswith(("/", "\\", "$"), noun.start - 1)
    if is_part or before in DETERMINED or (noun.kind == KEY and before in BOOLEAN):
        return
    if (match := _GIVEN().match(small, noun.end)) and _is_given(text, noun, match, before):
        yield match.span("value")
    if (match := _SPOKEN().match(small, noun.end)) and _is_spoken(text, noun, match):
        yield match.span("value")
    start = max(0, noun.start - _REACH)
    is_said = not _SAID.isdisjoint(small[start : noun.start].split()[-3:])
    if is_said and _END().match(small, noun.end) and (match := _NAMED_BEFORE().search(small, start, noun.start)):
        span = match.span("value" if match["value"] else "stated")
        if _is_disclosed(text, span):
            yield span
    match = _USER().search(small, start, noun.start) and _LAST().match(small, noun.end)
    if match and match["value"] not in ABOUT and _is_disclosed(text, match.span("value")):
        yield match.span("value")


def _is_spoken(text: str, noun: Noun, match: re.Match[str]) -> bool:
    """Whether a made-up word right behind a noun is the secret; one passes options and models as well."""
    value = match["value"]
    if (noun.kind != CODE and value.isdigit()) or (noun.word == "pass" and "-" in value):
        return False
    return _is_disclosed(text, match.span("value"))


def _is_given(text: str, noun: Noun, match: re.Match[str], before: str) -> bool:
    """Whether what follows a noun is the secret."""
    value = _word(text, match.span("value"))
    if len(value) < 3 or (noun.kind == ANY and _NUMBER().fullmatch(value)):
        return False
    if not (is_disclosed(value) and _may_be(noun.kind, value)) or (match["cjk"] and not value[:3].isascii()):
        return False
    if _MADE_UP().match(value) or _DIGITS().fullmatch(value) or match["cjk"]:
        return noun.kind == ANY or not match["cjk"] or not value.isalpha()
    more, is_phrase = (match["more"] or "").strip(" `"), any(word in noun.word for word in _PHRASES)
    is_last = not more or more in _AND or is_phrase or not {*'`"'}.isdisjoint(match["quote"])
    if value in ("correct", "invalid", "valid") and not is_phrase:
        return False
    return _is_set(text, noun, match, before, is_last) if match["sign"] else _is_stated(noun, value, before, is_last)


def _is_set(text: str, noun: Noun, match: re.Match[str], before: str, is_last: bool) -> bool:
    """Whether an ordinary word after a sign is the secret, and not the beginning of a sentence about it."""
    if match["sign"] not in (":", "=", ":=", "=>", ">"):
        return False
    if noun.word == "pass":
        return not (match["more"] or (before and text[noun.start - 1].isspace()))
    is_plural = noun.kind == KEY and noun.word.endswith("s")
    return not is_plural and (is_last or (match["sign"] == "=" and not match["quote"].isspace()))


def _is_stated(noun: Noun, value: str, before: str, is_last: bool) -> bool:
    """Whether an ordinary word after "is" is the secret: a participle, "is changed", is likelier about it."""
    if noun.kind != ANY or (noun.word in ("pass", "secret", "secrets") and before not in _WHOSE):
        return False
    return is_last and not value.lower().endswith(("ed", "secret"))


def _before(text: str, at: int) -> str:
    """The word right before an offset."""
    found = _WORDS().findall(text[max(0, at - 20) : at].rpartition("\n")[2])
    return found[-1] if found else ""


def _is_disclosed(text: str, span: tuple[int, int]) -> bool:
    """Whether a word is the secret, not a word about it or where it is kept."""
    word = _word(text, span)
    return len(word) > 2 and any(map(str.isalnum, word)) and not _NUMBER().fullmatch(word) and is_disclosed(word)


def _word(text: str, span: tuple[int, int]) -> str:
    """The text of a span without marks around it; empty for a reference that has such marks."""
    raw = text[slice(*span)]
    return "" if _ELSEWHERE().fullmatch(raw) else raw.strip(_QUOTES)


def is_sample(text: str, span: tuple[int, int]) -> bool:
    """Whether a value is one that documents make up, or the name of a variable: `your-password`, `refreshToken`.

    A weak password with digits is one: a context file holds settings, and few samples.
    """
    value, rest = _word(text, span), text[span[1] : span[1] + 30]
    if not value or is_called_sample(value, rest):
        return True
    if _MADE_UP().match(value):
        return False
    if is_placeholder(value) or is_stand_in(value, "", rest):
        return True
    return not any(map(str.isdigit, value)) and bool(secret_class(value))


_WORDS = late(r"[^\W_]+")
_NUMBER = late(r"\d{1,3}(?::\d+)?")
_SETTING = late(
    r"(?<![\w-])(?P<name>[A-Za-z][\w.-]{0,60})(?P<sign>=|[\"'`]?:[ ])[ ]?[\"'`]?(?P<value>[^\s&;,\"'`]{3,})"
)
_ACCOUNT = late(
    r"(?<!\w)(?:(?:basic[ -]auth\w*|log[ -]?in|sign[ -]?in|cred(?:ential)?s|anmeld\w+|zugangsdaten|identifiants?"
    r"|credenciales|credenciais|credenziali|логин)"
    rf"{_FOR}[ \t]{{0,4}}[:=]?(?:[ ](?:with|as|are|is|mit|als|avec|con|com|sind|sont|son|user))?\s{{1,4}}"
    r"|(?:user|auth|account)[:=]\s*)[\"'`]?[\w.@+-]+(?::|[ ]?/[ ]?"
    rf"|[ ](?:and|with|und|et|y)[ ](?:the[ ])?(?:password[ ])?){_MADE}([^\s\"'`,;/\\<>(){{}}]{{6,}})",
    re.IGNORECASE,
)
"""The name of an account, and its password."""
_PAIR = late(
    r"^(?!(?:e-?mail|mail|mailto|contact|author|acct|sip|xmpp|from|to|cc|by|npm|jsr|pypi|gem|pkg|docker|oci|file|link"
    r"|workspace|patch|github|git|go):)(?:(?:ssh|ftp|sftp|scp)[ ])?[\w.+-]{1,40}:([^\s/@:]{3,})@[\w.-]+(?:[:/]\S*)?$"
)
"""`user:password@host` without a scheme."""
_HEADER = late(
    r"\bauthorization[\"'`]*\s*[:=]\s*[\"'`]?(?:(?:bearer|basic|token|api-?key|digest|negotiate|bot)\s+)([^\s\"'`,;]{3,})"
    r"|\bauthorization[\"'`]*\s*[:=]\s*[\"'`]?(?=\S*\d)([^\s\"'`,;]{4,})|\bbearer\s+(?=\S*\d)([^\s\"'`,;]{4,})"
    r"|\bcookie[\"'`]?\s*[:=]\s*[\"'`]?[\w.-]+=([^\s\"'`,;]{3,})",
    re.IGNORECASE,
)
_OPTION = late(
    r"(?<!\S)(?:-[a-zA-Z]{0,6}[uU]|--(?:proxy-)?user|--auth)[ =]?[\"']?[\w.@-][\w.@+%-]*:"
    r"(?!%|\d+(?!\S))([^\s\"'`/][^\s\"'`]{2,})"
    r"|(?<![^\s\"'\[])--?(?:(?:store|key)?pass(?:word|wd|phrase)?|pwd?|pin|otp"
    r"|(?:api|access|auth|client|private|secret)[-_]?key"
    r"|(?:[a-z]{2,20}-){0,2}(?:token|secret))(?:[ =]|[\"'],[ ]?)[\"']?([^\s\"'`-][^\s\"'`]*)"
    r"|[ ]-pass(?:in|out)?[ ]pass:(\S+)"
)
_COMMAND = late(
    r"\b(?:sshpass|mysql\w*|mariadb\w*|mongo\w*|cqlsh|(?<=[ ])login(?=[ ])|7z\w?|(?:un)?rar)\b[^\n]{0,160}?"
    r"[ ]-p[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\b(?:(?:un)?zip|sqlcmd|bcp|mosquitto_\w+)\b[^\n]{0,160}?[ ]-P[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\bhttps?[ ](?:\S{1,80}[ ]){0,9}?-a[ ][\"']?[\w.-]+:([^\s\"'`:]\S*)"
    r"|\bredis-cli\b[^\n]{0,160}?[ ]-a[ ][\"']?([^\s\"'`-]\S*)"
    r"|\bldap\w+\b[^\n]{0,160}?[ ]-w[ ]?[\"']?([^\s\"'`-]\S*)"
    r"|\bsmbclient\b[^\n]{0,160}?[ ](?:-U|--user)[ =]?[\"']?[^\s%]+%([^\s\"'`]+)"
    r"|\bhtpasswd[ ](?:[^\n]{0,160}?[ ])?-\w*b\w{0,8}[ ][^\n]{0,160}?(\S+)$|\bvault[ ]login[ ]([^\s-]\S*)$"
    r"|(?i:\bIDENTIFIED[ ]BY)[ ][\"']([^\"'\s]+)|\bsqlplus[ ][\w.]{1,40}/([^\s@]+)"
    r"|\bnet[ ]use\b[^\n]{0,160}?[ ]/user:\S+[ ]([^\s/]\S*)|\bnet[ ]user[ ]\S+[ ](?!/)(\S+)"
)
_LOGIN = late(r"[A-Za-z][\w+.-]{0,30}://[^\s/?#@:]*:([^\s/?#@]+)@|https?://(?=[^\s/@]*\d)([\w-]{16,})@")
_SEED = late(r"\bseed\W{1,3}((?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})\b", re.IGNORECASE)
"""The words that restore a wallet."""
_IN_SIGNS = (
    (_ACCOUNT, ("log", "sign", "cred", "auth", "user", "account", "anmeld", "zugangs", "identif", "лог")),
    (_SEED, ("seed",)),
    (_LOGIN, ("://",)),
    (_PAIR, ("@",)),
    (_HEADER, ("authorization", "bearer", "cookie")),
    (_OPTION, ("-u", "--", "-p", "-otp", "token", "secret", "key")),
    (_COMMAND, ("-p", "-a ", "-w", "-u", "user", "htpasswd", "vault", "identified", "sqlplus")),
)
"""Each with what a text has, in small letters, that it may match: others need not be compiled."""


def disclosures(text: str) -> Iterator[tuple[int, int]]:
    """The spans of secrets that a text (in form NFC) names as such, in no order."""
    small, found = folded(text), False
    for noun in nouns(small):
        found = True
        yield from _around(text, small, noun)
    for match in _SETTING().finditer(text) if found else ():
        name, value = match["name"], _word(text, match.span("value"))
        is_value = match["sign"] == "=" or _MADE_UP().match(value)
        if is_value and not name.isalpha() and is_named_secret(name, value):
            yield match.span("value")
    for form, hints in _IN_SIGNS:
        if any(hint in small for hint in hints):
            for match in form().finditer(text):
                if _is_disclosed(text, span := match.span(match.lastindex or 0)):
                    yield span
