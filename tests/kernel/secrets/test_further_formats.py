"""Keys of further vendors, bearer tokens, passwords in code and key files; placeholders are left alone."""

from __future__ import annotations

import random
import string
from base64 import b64encode
from pathlib import Path

import pytest

from skillbag.kernel.secrets.detection import find_secrets, mask
from tests.lint.checks.rule_runs import in_skill
from tests.rows import each_row

_DRAW = random.Random(18)


def sample(size: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_DRAW.choices(alphabet, k=size))


HEX = "0123456789abcdef"
UUID = "-".join(sample(size, HEX) for size in (8, 4, 4, 4, 12))
SECRETS = [
    ("Supabase Secret Key", "sb_" + "secret_" + sample(22) + "_" + sample(8)),
    ("Supabase Access Token", "sb" + "p_" + sample(40, HEX)),
    ("Replicate API Token", "r8" + "_" + sample(37)),
    ("Heroku key", "HEROKU_API_" + "KEY=" + UUID),
    ("Heroku API Key", "HRKU" + "-AA" + sample(58)),
    ("ElevenLabs key", "ELEVENLABS_API_" + "KEY=" + sample(32, HEX)),
    ("API Key", '"s' + "k_" + sample(48, HEX) + '"'),
    ("API Key", "'ke" + "y_" + sample(40, HEX) + "'"),
    ("Bearer Token", "Authorization: Bear" + "er " + sample(40)),
    ("Password", "pass" + 'word = "t7Gz' + 'Qm2xLw9v"'),
    ("Password", "DB_PASS" + "WORD=t7Gz" + "Qm2xLw9v"),
    ("Basic Auth Credentials", "DATABASE_URL=postgres://app:t7Gz" + "Qm2xLw9v@db.corp.net/x"),
    ("AWS Access Key", "AK" + "IA" + "QWZPLMXKTRBNVCSD"),
    # The name of an account that every example has says nothing against a random password.
    ("Password in a Command", "curl -u admin:t7Gz" + "Qm2xLw9v https://corp.net/x"),
    ("Password in a Command", "curl --user 'root:t7Gz" + "Qm2xLw9v' https://corp.net/x"),
    ("Basic Authorization", "Authorization: Basic " + b64encode(b"postgres:t7Gz" + b"Qm2xLw9v").decode()),
    ("Basic Authorization", "Authorization: Basic " + b64encode(b"admin:kXhTqZvB" + b"mWpLrY").decode()),
    ("Pinecone API Key", "pc" + "sk_" + sample(6) + "_" + sample(63)),
    ("Docker Access Token", "dckr" + "_oat_" + sample(32)),
    ("PostHog API Key", "ph" + "x_" + sample(47)),
    ("Vercel Token", "vercel_" + "blob_rw_" + sample(16) + "_" + sample(30)),
    ("Apify API Token", "apify" + "_api_" + sample(36)),
    ("Jina API Key", "ji" + "na_" + sample(32, HEX) + sample(28)),
    ("Neon API Key", "na" + "pi_" + sample(64)),
    ("Honeycomb API Key", "hca" + "ik_" + sample(58, string.ascii_lowercase + string.digits)),
    ("Firecrawl API Key", "f" + "c-" + sample(32, HEX)),
    ("Langfuse Secret Key", "sk" + "-lf-" + UUID),
    ("Resend API Key", 'Resend("r' + "e_" + sample(8) + "_" + sample(24) + '")'),
    ("HubSpot Access Token", "pa" + "t-na2-" + UUID),
    ("Render API Key", "rn" + "d_" + sample(28)),
    ("Browserbase API Key", "bb" + "_live_" + sample(27)),
    ("E2B API Key", "e2" + "b_" + sample(40, HEX)),
    ("Cerebras API Key", "cs" + "k-" + sample(48, string.ascii_lowercase + string.digits)),
    ("Fireworks API Key", "f" + "w_" + sample(24)),
    ("Cloudflare Token", "cf" + "ut_" + sample(40) + sample(8, HEX)),
    ("NuGet API Key", "oy" + "2" + sample(43, string.ascii_lowercase + string.digits)),
    ("Azure DevOps Token", sample(76) + "AZ" + "DO" + sample(4)),
    ("Azure Key", sample(52) + "JQQ" + "J99BKACAAAAAAAAAAAAAAACOG" + sample(4)),
    ("Okta API Token", "SS" + "WS 00" + sample(40)),
    ("Google API Key", "AQ" + ".Ab8RN6" + sample(44)),
]
PASSWORD, KEY = "t7Gz" + "Qm2xLw9v", sample(24)
COMMANDS = [
    *(f"curl -su bob:{PASSWORD} https://corp.net/x", f"curl -fsSLu 'admin:{PASSWORD}' https://corp.net/x"),
    *(
        f"curl https://corp.net/x -kubob:{PASSWORD}",
        f"  -u bob:{PASSWORD} \\",
        f"curl --proxy-user bob:{PASSWORD} corp.net",
    ),
    *(f"echo {PASSWORD} | docker login -u bob --password-stdin", f"docker login --password-stdin <<< '{PASSWORD}'"),
    *(f"printf '%s' \"{PASSWORD}\" | podman login --password-stdin", f"echo -n {PASSWORD} | sudo -S reboot"),
    *(f"mongosh -u bob -p {PASSWORD} main", f"oras login corp.net -u bob -p {PASSWORD}", f"sqlcmd -U sa -P {PASSWORD}"),
    *(
        f"gpg --batch --passphrase {PASSWORD} -d x",
        f"openssl enc -pass pass:{PASSWORD}",
        f"tool --password '{PASSWORD}'",
    ),
    *(f"tool --api-key {KEY}", f"tool --api-key={KEY}", f"tool --token '{KEY}'", f'["--token", "{KEY}"]'),
    *(
        f"tool --auth-token {KEY}",
        f"tool --client-secret {KEY}",
        f"tool --secret-access-key={KEY}",
        f"tool -token {KEY}",
    ),
]
"""Lines that give a program a password or a key."""
HONEST = [
    *('password = "changeme"', 'password = "your-password"', "PASSWORD=xxxxxxxx", 'password = os.environ["PASSWORD"]'),
    *(
        "password=$DB_PASSWORD",
        'password: "${PASSWORD}"',
        'password = getpass.getpass("Password")',
        "password=example1",
    ),
    *("postgres://postgres:postgres@localhost:5432/x", "postgres://user:password@host/db", "Bearer $TOKEN"),
    *(
        "Bearer YOUR_ACCESS_TOKEN_GOES_HERE",
        "Bearer ${process.env.API_TOKEN}",
        "Bearer <token>",
        "Bearer authentication",
    ),
    *("Bearer eyJhbGciOiJIUzI1NiJ9.example.signature", "'key_" + "0" * 40 + "'", "AKIAIOSFODNN7EXAMPLE"),
    *("curl -u admin:password https://corp.net/x", "curl -u admin:admin123 https://corp.net/x"),
    *(
        "curl -su admin:password https://corp.net/x",
        'curl -sSLu "$USER:$TOKEN" https://corp.net/x',
        "  -u 1000:1000 \\",
    ),
    *("  --user www-data:www-data \\", "curl -Lso out -H a:b https://corp.net/u:1", "tool --token $API_TOKEN run"),
    *("tool --api-key YOUR_API_KEY", "tool --token=<your token>", "tool --api-key xxxxxxxxxxxxxxxxxxxxxxxx"),
    *(
        'tool --token "${{ secrets.DEPLOY_TOKEN_2 }}"',
        "tool --client-secret your-client-secret",
        "--token-file /run/token7",
    ),
    *(
        "the --secret option takes client_secret_1234567890",
        "tool --token my-token-2024-abcdef",
        "tool --no-token a1b2",
    ),
    *("echo $TOKEN | docker login --password-stdin", 'echo "<password>" | docker login --password-stdin'),
    *("echo YOUR_PASSWORD | podman login --password-stdin", "aws ecr get-login-password | oras login --password-stdin"),
    *("docker run --name mongo -p 27017:27017 -d mongo", "mongosh -u admin -p password", "cat pw | sudo -S reboot"),
    *("mongosh -u cassandra -p cassandra", "gpg --passphrase-file /run/x1y2z3", "gpg --passphrase '' -d x"),
    *(
        "openssl enc -pass env:PASSWORD",
        "openssl enc -pass pass:$PASSWORD",
        "re_compile_validate_InternalConfiguration",
    ),
    *("fw_ConfigurationManagerImpl", "rnd_generateUniformDistribution0", "pcsk_" + "x" * 70, "SSWS ${api_token}"),
    *("oy2" + "a" * 43, "fc-" + "0" * 32, "pat-na1-12345678-1234-1234-1234-123456789012", "jina_your_api_key"),
    *("HEROKU_API_KEY=your-key", "ELEVENLABS_API_KEY=", 'password = "correct-horse-battery"', "xi-api-key: YOUR_KEY"),
]


@each_row(("kind", "text"), SECRETS)
def test_found_and_masked(kind: str, text: str) -> None:
    (found,) = find_secrets(text)
    assert found.kind == kind
    value = text[found.start : found.end]
    assert value not in mask(f"x {text} y")
    assert mask(text).count("****") == 1


@each_row("text", COMMANDS)
def test_what_commands_are_given(text: str, tmp_path: Path) -> None:
    assert [finding.line for finding in in_skill(tmp_path, f"{text}\n", "secret", name="references/a.md")] == [1]
    assert PASSWORD not in mask(text)
    assert KEY not in mask(text)


@each_row("text", HONEST)
def test_placeholders(text: str) -> None:
    assert find_secrets(text) == ()


@each_row("name", ["id_rsa", "assets/id_ed25519", ".env", ".env.local", "scripts/deploy", ".netrc"])
def test_files_without_an_extension_are_read(name: str, tmp_path: Path) -> None:
    key = "gh" + "p_" + sample(36)
    block = "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + sample(64) + "\n-----END OPENSSH PRIVATE " + "KEY-----\n"
    text = block if "id_" in name else f"TOKEN={key}\n"
    assert [finding.line for finding in in_skill(tmp_path, text, "secret", name=name)] == [1]


def test_a_password_with_a_sign_after_its_first_character(tmp_path: Path) -> None:
    text = "mysql -pt#7Gz" + "Qm2xLw9v app\n"
    assert [finding.line for finding in in_skill(tmp_path, text, "secret", name="scripts/a.sh")] == [1]


@pytest.mark.parametrize(("password", "in_markdown"), [("t7Gz" + "Qm2xLw9v", 1), ("Sommer" + "2024!x", 0)])
def test_passwords_that_people_make_up_count_in_scripts_only(tmp_path: Path, password: str, in_markdown: int) -> None:
    line = f'password = "{password}"\n'
    assert len(in_skill(tmp_path, line, "secret", name="scripts/a.py")) == 1
    assert len(in_skill(tmp_path, line, "secret", name="references/a.md")) == in_markdown
