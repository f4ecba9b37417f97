"""Values that are secrets because of their names, however weak they are."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.session.persistence.leaves import Leaf

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
