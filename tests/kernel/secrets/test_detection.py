"""Secrets: which texts hold one, which only seem to, and what is left of one in an output.

The tokens are put together here, from pieces that mean nothing alone, so that no scanner finds one in this file.
"""

from __future__ import annotations

import base64
import itertools
import json
import random
import string
import subprocess
import sys
import time

import pytest

from skillbag.kernel.secrets.detection import LITERALS, find_secrets, looks_secret, mask
from tests.rows import each_row
from tests.support import PROJECT

pytestmark = pytest.mark.boundary

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
_generator = random.Random(20260615)


def sample(size: int, alphabet: str = ALNUM) -> str:
    """Characters as a generator of tokens draws them: the same in every run, with a digit and of many kinds."""
    return "".join(_generator.choice(alphabet) for _ in range(size - 1)) + "7"


def web_token(claims: dict[str, object]) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, sample(43)])


def key_block(kind: str, body: str | None = None) -> str:
    lines = body or "\n".join(sample(64) for _ in range(4))
    return f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{lines}\n-----END {kind}PRIVATE" + " KEY-----"


TOKENS = {
    "aws key id": "AK" + "IA" + sample(16, UPPER),
    "aws temporary": "AS" + "IA" + sample(16, UPPER),
    "github": "gh" + "p_" + sample(36),
    "github oauth": "gh" + "o_" + sample(36),
    "github app": "gh" + "s_" + sample(36),
    "github fine-grained": "github" + "_pat_" + sample(22) + "_" + sample(59),
    "gitlab": "gl" + "pat-" + sample(20),
    "gitlab trigger": "gl" + "ptt-" + sample(40, HEX),
    "gitlab runner": "gl" + "rt-" + sample(20),
    "slack bot": "xo" + "xb-" + f"{sample(12, string.digits)}-{sample(12, string.digits)}-{sample(24)}",
    "slack app": "xa" + "pp-1-" + sample(11, UPPER) + "-" + sample(13, string.digits) + "-" + sample(64, HEX),
    "slack hook": "https://hooks.slack.com/services/T" + sample(8, UPPER) + "/B" + sample(8, UPPER) + "/" + sample(24),
    "stripe": "sk" + "_live_" + sample(24),
    "stripe restricted": "rk" + "_live_" + sample(24),
    "json web token": web_token({"sub": sample(12), "iss": "accounts"}),
    "npm": "np" + "m_" + sample(36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + sample(90),
    "openai": "s" + "k-" + sample(20) + "T3Blbk" + "FJ" + sample(20),
    "openai project": "s" + "k-proj-" + sample(74) + "T3Blbk" + "FJ" + sample(74),
    "anthropic": "sk" + "-ant-api03-" + sample(93) + "-" + sample(6) + "AA",
    "openrouter": "sk" + "-or-v1-" + sample(64, HEX),
    "sendgrid": "S" + "G." + sample(22) + "." + sample(43),
    "square": "sq0" + "csp-" + sample(43),
    "square access": "sq0" + "atp-" + sample(22),
    "google key": "AI" + "za" + sample(35),
    "google oauth": "GOC" + "SPX-" + sample(28),
    "google access": "ya" + "29." + sample(120),
    "hugging face": "h" + "f_" + sample(33, string.ascii_letters)[:-1] + "kQ",
    "digitalocean": "do" + "p_v1_" + sample(64, HEX),
    "shopify": "shp" + "at_" + sample(32, HEX),
    "linear": "lin" + "_api_" + sample(40),
    "notion": "nt" + "n_" + sample(46),
    "groq": "gs" + "k_" + sample(52),
    "tavily": "tv" + "ly-dev-" + sample(32),
    "docker": "dck" + "r_pat_" + sample(27),
    "hugging face with digits": "h" + "f_" + sample(34),
    "replicate": "r" + "8_" + sample(37),
    "vault service": "hv" + "s." + sample(24),
    "vault service, long": "hv" + "s.CAES" + sample(90),
    "vault batch": "hv" + "b." + sample(120),
    "digitalocean oauth": "do" + "o_v1_" + sample(64, HEX),
    "digitalocean refresh": "do" + "r_v1_" + sample(64, HEX),
    "slack session": "xo" + "xc-" + f"{sample(12, string.digits)}-{sample(12, string.digits)}-{sample(64, HEX)}",
    "slack cookie": "xo" + "xd-" + sample(120),
    "stripe webhook": "wh" + "sec_" + sample(32),
    "shopify shared": "shp" + "ss_" + sample(32, HEX),
    "shopify custom app": "shp" + "ca_" + sample(32, HEX),
    "figma": "fi" + "gd_" + sample(40),
    "postman": "PM" + "AK-" + sample(24, HEX) + "-" + sample(34, HEX),
    "databricks": "da" + "pi" + sample(32, HEX),
    "doppler": "dp" + ".pt." + sample(43),
    "grafana": "gl" + "sa_" + sample(32) + "_" + sample(8, HEX),
    "pulumi": "pu" + "l-" + sample(40, HEX),
    "netlify": "nf" + "p_" + sample(36),
    "supabase": "sb" + "p_" + sample(40, HEX),
    "planetscale": "psc" + "ale_tkn_" + sample(43),
    "new relic": "NR" + "AK-" + sample(27, UPPER),
    "sentry": "snt" + "rys_" + sample(80),
    "atlassian": "AT" + "ATT3xFfGF0" + sample(180),
    "rubygems": "ruby" + "gems_" + sample(48, HEX),
    "nvidia": "nv" + "api-" + sample(64),
    "langsmith": "ls" + "v2_pt_" + sample(32, HEX) + "_" + sample(10, HEX),
    "1password service account": "op" + "s_eyJ" + sample(250),
    "private key": key_block(""),
    "rsa key": key_block("RSA "),
    "openssh key": key_block(
        "OPENSSH ", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlwAAAAdz\n" + sample(70)
    ),
}
"""Tokens that are secrets wherever they stand."""

BESIDE = {
    "aws secret": ("aws_secret_access_key = ", sample(40), ""),
    "aws secret quoted": ("AWS_KEY: '", sample(40), "'"),
    "login in an address": ("git clone https://bob:", sample(14), "@git.corp.net/x.git"),
    "database login": ("postgres://app:", sample(18), "@db.internal.net:5432/main"),
    "azure": ("", "Account" + "Key=" + sample(86) + "==", ";EndpointSuffix=core.windows.net"),
    "twilio": ("TWILIO_API_KEY=", "S" + "K" + sample(32, HEX), ""),
    "mailchimp": ("mailchimp key: ", sample(32, HEX) + "-us" + "12", ""),
    "telegram": ("bot ", sample(9, "123456789") + ":A" + "A" + sample(33), ""),
    "telegram, any letters": (
        "https://api.telegram.org/bot",
        sample(10, "123456789") + ":" + sample(35),
        "/getMe",
    ),
    "telegram in a variable": ("TELEGRAM_BOT_TOKEN=", sample(10, "123456789") + ":" + sample(35), ""),
    "discord webhook": (
        "POST https://discord.com/api/webhooks/",
        sample(18, string.digits) + "/" + sample(68, ALNUM + "-_"),
        "",
    ),
    "discord webhook, old and versioned": (
        "https://canary.discordapp.com/api/v10/webhooks/",
        sample(19, string.digits) + "/" + sample(68, ALNUM + "-_"),
        "?wait=true",
    ),
    "terraform": ("token = ", sample(14) + ".atlasv1." + sample(67), ""),
    "discord": ("DISCORD_TOKEN=", "M" + sample(24) + "." + sample(6) + "." + sample(27), ""),
    "npm registry": ("//registry.npmjs.org/:_authToken=", "3f2b8c1e-77ad-4d5c-9e0b-" + sample(12, HEX), ""),
}
"""Secrets that what stands beside them gives away: text before, secret, text after."""


@each_row("name", TOKENS)
def test_a_token_is_found_exactly_and_masked(name: str) -> None:
    token = TOKENS[name]
    text = f'Été 🎉\nTOKEN="{token}"\nend\n'
    (secret,) = find_secrets(text)
    assert text[secret.start : secret.end] == token
    assert token[8:] not in mask(text)
    assert mask(text).count("\n") == text.count("\n")
    assert token not in secret.kind


@each_row("name", BESIDE)
def test_a_secret_recognised_by_the_text_beside_it(name: str) -> None:
    before, token, after = BESIDE[name]
    text = f"x\n{before}{token}{after}\ny\n"
    (secret,) = find_secrets(text)
    assert text[secret.start : secret.end] == token
    assert find_secrets(text.splitlines()[1])
    assert token[6:] not in mask(text)


CLAIMS: list[dict[str, object]] = [
    {"sub": "8f31c", "email": "bob@test.org"},
    {"iss": "https://auth.example.com/", "sub": "42"},
    {"sub": "latest", "scope": "your:account"},
    {"sub": "demo", "iat": 1716239022},
]


@each_row("claims", CLAIMS, ids=str)
def test_a_signed_web_token_is_masked_whatever_it_says_of_itself(claims: dict[str, object]) -> None:
    token = web_token(claims)
    for text in (token, f"Authorization: Bearer {token}", f'{{"jwt": "{token}"}}', f"https://x.test/?t={token}&a=b"):
        masked = mask(text)
        assert "****" in masked
        assert token[20:] not in masked
        assert token.rpartition(".")[2] not in masked


@each_row("name", [*TOKENS, *BESIDE])
def test_every_secret_has_a_literal(name: str) -> None:
    text = TOKENS[name] if name in TOKENS else "".join(BESIDE[name])
    assert any(literal in text.encode() for literal in LITERALS)


def test_the_public_beginning_stays_in_sight() -> None:
    assert mask(f"use {TOKENS['github']}!") == "use ghp_****!"
    assert mask("".join(BESIDE["login in an address"])) == "git clone https://bob:****@git.corp.net/x.git"


def test_a_key_in_json_and_one_without_its_end() -> None:
    escaped = key_block("").replace("\n", "\\n")
    assert mask(f'{{"private_key": "{escaped}"}}') == '{"private_key": "****"}'
    cut = key_block("RSA ").rpartition("\n")[0]
    assert mask(f"{cut}\n\nText — after it.") == "\n".join(["****"] * 5) + "\n\nText — after it."


def test_several_secrets_come_in_order_and_apart() -> None:
    text = f"{TOKENS['github']} {key_block('')} {TOKENS['stripe']}"
    found = find_secrets(text)
    assert [secret.kind for secret in found] == ["GitHub Token", "Private Key", "Stripe Access Key"]
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api-key", sample(24)),
        ("password", "Tr0ub4dor&3xQ"),
        ("client_secret", sample(32, HEX)),
        ("auth-token", "550e8400-e29b-41d4-a716-446655440000"),
        ("anything", TOKENS["github"]),
    ],
)
def test_a_secret_by_name_and_value(name: str, value: str) -> None:
    assert looks_secret(name, value)
    assert value not in mask(f"  default: {value}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 300_000,
        "sk-" * 200_000 + "T3BlbkFJ",
        "://a:" * 200_000 + "@" * 100_000,
        "aws" * 100_000 + "'" * 300_000,
        "-----BEGIN PRIVATE" + " KEY-----\n",
        ("-----BEGIN PRIVATE" + " KEY-----") * 30_000,
        "//" * 250_000 + "_authToken=" * 40_000,
        "token" * 200_000,
        "ghp_" * 250_000,
    ],
)
def test_hostile_text_costs_linear_time(text: str) -> None:
    begun = time.process_time()
    mask(text)
    assert time.process_time() - begun < 20


def test_of_very_many_secrets_the_same_are_found_in_every_run() -> None:
    letters = string.ascii_letters + string.digits
    tokens = ["".join(random.Random(number).choices(letters, k=36)) for number in range(2_200)]
    text = " ".join(f"{'ghp_' if number % 2 else 'npm_'}{token}" for number, token in enumerate(tokens))
    script = (
        "import sys; from skillbag.kernel.secrets.detection import find_secrets\n"
        "print([secret.start for secret in find_secrets(sys.stdin.read(), None, 1001)])\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=text,
            env={"PYTHONHASHSEED": seed},
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("5", "6", "7", "8")
    }
    (starts,) = found
    assert starts.count(",") == 1_000
