"""Keys of further vendors, bearer tokens, passwords in code and key files; placeholders are left alone."""

from __future__ import annotations

import random
import string
from base64 import b64encode
from pathlib import Path

import pytest

from skillbag.secrets.detection import find_secrets, mask
from tests.checks.rule_runs import in_skill

_DRAW = random.Random(18)


def drawn(size: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_DRAW.choices(alphabet, k=size))


HEX = "0123456789abcdef"
UUID = "-".join(drawn(size, HEX) for size in (8, 4, 4, 4, 12))
SECRETS = [
    ("Supabase Secret Key", "sb_" + "secret_" + drawn(22) + "_" + drawn(8)),
    ("Supabase Access Token", "sb" + "p_" + drawn(40, HEX)),
    ("Replicate API Token", "r8" + "_" + drawn(37)),
    ("Heroku key", "HEROKU_API_" + "KEY=" + UUID),
    ("Heroku API Key", "HRKU" + "-AA" + drawn(58)),
    ("ElevenLabs key", "ELEVENLABS_API_" + "KEY=" + drawn(32, HEX)),
    ("API Key", '"s' + "k_" + drawn(48, HEX) + '"'),
    ("API Key", "'ke" + "y_" + drawn(40, HEX) + "'"),
    ("Bearer Token", "Authorization: Bear" + "er " + drawn(40)),
    ("Password", "pass" + 'word = "t7Gz' + 'Qm2xLw9v"'),
    ("Password", "DB_PASS" + "WORD=t7Gz" + "Qm2xLw9v"),
    ("Basic Auth Credentials", "DATABASE_URL=postgres://app:t7Gz" + "Qm2xLw9v@db.corp.net/x"),
    ("AWS Access Key", "AK" + "IA" + "QWZPLMXKTRBNVCSD"),
    # The name of an account that every example has says nothing against a random password.
    ("Password in a Command", "curl -u admin:t7Gz" + "Qm2xLw9v https://corp.net/x"),
    ("Password in a Command", "curl --user 'root:t7Gz" + "Qm2xLw9v' https://corp.net/x"),
    ("Basic Authorization", "Authorization: Basic " + b64encode(b"postgres:t7Gz" + b"Qm2xLw9v").decode()),
]
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
    *("HEROKU_API_KEY=your-key", "ELEVENLABS_API_KEY=", 'password = "correct-horse-battery"', "xi-api-key: YOUR_KEY"),
]


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_found_and_masked(kind: str, text: str) -> None:
    (found,) = find_secrets(text)
    assert found.kind == kind
    value = text[found.start : found.end]
    assert value not in mask(f"x {text} y")
    assert mask(text).count("****") == 1


@pytest.mark.parametrize("text", HONEST)
def test_placeholders(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize("name", ["id_rsa", "assets/id_ed25519", ".env", ".env.local", "scripts/deploy", ".netrc"])
def test_files_without_an_extension_are_read(name: str, tmp_path: Path) -> None:
    key = "gh" + "p_" + drawn(36)
    block = "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + drawn(64) + "\n-----END OPENSSH PRIVATE " + "KEY-----\n"
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
