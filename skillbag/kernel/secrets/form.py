"""The form of a credential, and the kinds that have none of their own."""

from __future__ import annotations

import re
from collections.abc import Callable

from skillbag.kernel.base.lazy_regex import Late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.secrets import looks

Judge = Callable[[re.Match[str]], bool]
"""Whether a match is a secret; its value is the last group that took part, or all of it."""


Look = Callable[[bytes], bool]
"""Whether the bytes of a line may have a credential."""


class Beside(NamedTuple):
    """A credential without a prefix of its own, which is searched for in the line of one of `literals`.

    `pattern` has a group around the secret where it matches more than that. It is compiled, and tried, only where
    `look` holds: of the line, or (`follows`) of what stands behind the literal. Without a `judge`, all but placeholders
    count.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: Late
    look: Look = looks.has_key
    judge: Judge | None = None
    follows: bool = False

    def may_be(self, literal: bytes, line: bytes) -> bool:
        """Whether it may stand in the line of a literal."""
        return self.look(line.partition(literal)[2] if self.follows else line)


BEARER, PASSWORD, COMMAND = "Bearer Token", "Password", "Password in a Command"
NAMED = " key"
"""The end of kinds that only the name of their vendor tells."""
LOGIN, BASIC, API_KEY, WEB_TOKEN = "Basic Auth Credentials", "Basic Authorization", "API Key", "JSON Web Token"

_LOOSE = (
    *("Stripe Test Key", "JSON Web Token in base64", "Twilio API Key", "Artifactory Credentials", "Azure Shared Key"),
    *("NuGet Password", "Mailgun API Key"),
)
"""Kinds that also include identifiers, what opens nothing, or what is often over."""


def value_of(match: re.Match[str]) -> str:
    """The secret of a match."""
    return match[match.lastindex or 0]


def is_uncertain(kind: str) -> bool:
    """Whether other texts have the form as well, such as passwords that examples make up."""
    return kind in _UNCERTAIN or kind.endswith(NAMED)


_UNCERTAIN = frozenset({LOGIN, BASIC, API_KEY, BEARER, WEB_TOKEN, PASSWORD, COMMAND, *_LOOSE})
