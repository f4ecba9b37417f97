"""The formats of credentials compared with those of detect-secrets."""

from __future__ import annotations

import importlib
import random
import re
import string
from collections.abc import Iterator
from typing import Any

import pytest

from skillbag.kernel.secrets.beside import BESIDE
from skillbag.kernel.secrets.formats import PREFIXES, pattern_of
from tests.sampling import EXAMPLES

pytestmark = pytest.mark.boundary

_DETECTORS = (
    ("aws", "AWSKeyDetector"), ("github_token", "GitHubTokenDetector"), ("gitlab_token", "GitLabTokenDetector"),
    ("slack", "SlackDetector"), ("stripe", "StripeDetector"), ("jwt", "JwtTokenDetector"),
    ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"), ("square_oauth", "SquareOAuthDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"), ("openai", "OpenAIDetector"),
    ("basic_auth", "BasicAuthDetector"), ("twilio", "TwilioKeyDetector"), ("mailchimp", "MailchimpDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("discord", "DiscordBotTokenDetector"),
    ("artifactory", "ArtifactoryDetector"),
)  # fmt: skip
"""Those whose formats we have."""

_RUNS = (
    *(string.ascii_letters + string.digits, string.digits, string.ascii_uppercase + string.digits),
    "0123456789abcdef",
)
_SIZES = (6, 16, 20, 22, 24, 26, 27, 32, 35, 36, 40, 43, 64, 70, 88)
_SIGNS = (
    "-",
    "_",
    ".",
    ":",
    "/",
    "@",
    "://",
    "'",
    '"',
    " ",
    "=",
    "\n",
    "-us12",
    "T3BlbkFJ",
    "sk-",
    "AC",
    "SK",
    "AKC",
    "AP1",
    "aws key",
    "é",
)
_HEADS = (*PREFIXES, "", "https://bob:", "services/T", "/B", "pypi-AgEIcHlwaS5vcmc", "M", "aws_token = '", ' "AKC')


def texts() -> Iterator[str]:
    """Texts that are nearly tokens."""
    generated = random.Random(20261123)
    for _ in range(40 * EXAMPLES):
        parts = [generated.choice(_HEADS)]
        for _ in range(generated.randint(1, 4)):
            letters = generated.choice(_RUNS)
            parts += ["".join(generated.choices(letters, k=generated.choice(_SIZES))), generated.choice(_SIGNS)]
        yield "".join(parts)


def theirs(text: str, patterns: dict[str, list[re.Pattern[str]]]) -> set[tuple[str, str]]:
    return {
        (kind, match[match.lastindex or 0]) for kind in patterns for p in patterns[kind] for match in p.finditer(text)
    }


def test_what_the_library_finds_has_the_same_format_here() -> None:
    found = 0
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for module, name in _DETECTORS:
        plugin: Any = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
        patterns[plugin.secret_type] = [
            re.compile(
                p.pattern.replace("(ghp|", "(?:ghp|")
                .replace("(glpat|", "(?:glpat|")
                .replace("([0-9a-fA-F]{2}_)?", "(?:[0-9a-fA-F]{2}_)?"),
                p.flags,
            )
            for p in plugin.denylist
        ]
    for text in texts():
        ours = {
            (PREFIXES[prefix][0], match[0])
            for prefix in PREFIXES
            for at in re.finditer(re.escape(prefix), text)
            if (match := pattern_of(prefix).match(text, at.start()))
        }
        ours |= {(form.kind, match[match.lastindex or 0]) for form in BESIDE for match in form.pattern().finditer(text)}
        expected = theirs(text, patterns)
        assert expected <= {(kind, value) for kind, value in ours}, text
        found += len(expected)
    assert found > EXAMPLES
