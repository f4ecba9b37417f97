"""Texts that only seem to hold a secret: placeholders, prose, names and values.

The examples are put together here, from pieces that mean nothing alone, so that no scanner finds one in this file.
"""

from __future__ import annotations

from skillbag.kernel.secrets.detection import find_secrets, looks_secret, mask
from tests.kernel.secrets.test_detection import sample
from tests.rows import each_row

QUIET = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AWS_KEY='" + "x" * 40 + "'",
    "AKIA" + "XXXXXXXXXXXXXXXX",
    "AKIA" + "1234567890ABCDEF",
    "export GITHUB_TOKEN=ghp_" + "x" * 36,
    "ghp_" + "your_token_here_your_token_here_12345",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "ghp_" + "1234567890abcdef1234567890abcdef1234",
    "ghp_" + "0" * 36,
    "ghp_…",
    "ghp_" + "a1b2c3d4e5f6g7h8i9j0a1b2c3d4e5f6g7h8",
    "glpat-" + "xxxxxxxxxxxxxxxxxxxx",
    "glpat-your-access-token-goes-here",
    "sk-ant-api03-...",
    "sk-ant-api03-" + "your-key-here-" * 4,
    "ANTHROPIC_API_KEY=sk-ant-...",
    "sk-proj-...T3BlbkFJ...",
    "hf_" + "x" * 34,
    "AIza" + "SyEXAMPLEexampleEXAMPLEexample12345",
    "sk_" + "test_4eC39HqLyjWDarjtT1zdp7dc",
    "sk_live_" + "x" * 24,
    "xoxb-your-token",
    "fund --token 0x" + "A0b86991c6218b36" + "c1d19D4a2e9Eb0cE3606eB48",
    "xoxb-" + "123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://hooks.slack.com/services/T00/B00/xxx...",
    "eyJhbGciOiJIUzI1NiIs...",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.abc",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "//registry.npmjs.org/:_authToken=" + "00000000-0000-0000-0000-000000000000",
    "https://user:password@host/path",
    "https://user:pass@example.com",
    "postgres://postgres:postgres@localhost:5432/db",
    "postgresql://user:secret@db/app",
    "mysql://root:root@127.0.0.1/test",
    "https://${USER}:${TOKEN}@github.com/x/y.git",
    "https://x-access-token:$GH_TOKEN@github.com",
    "https://<user>:<token>@host",
    "https://oauth2:{token}@gitlab.com",
    "redis://:changeme@cache:6379",
    "redis://default:abc123xyz@redis.internal:6379",
    "ftp://bob:p4ssw0rd9x@files.corp.net",
    "AIza" + "SyDOCAbC123dEf456GhI789jKl01-MnOpq4",
    "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "ghr_" + "1B4a2e77838347a7E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498",
    "x" * 9 + "kLIAMgBDYCGCADIAk2AhQgCCABQRRqKAIAQQN0aiIBKAIAIANBDGog/" + "AKIA" + "3HRA7T6MVC4EBVOG",
    "AKIA" + "IOSFOLQUICKSTART",
    "AGAINST('+mysql +optimization -postgres' IN BOOLEAN MODE)",
    "postgres://user:p%40ssw%24rd@host:5432/db",
    "mongodb+srv://admin:hunter2@cluster0.mongodb.net",
    "-----BEGIN RSA PRIVATE KEY-----",
    "grep for `-----BEGIN OPENSSH PRIVATE KEY-----` and `-----BEGIN PRIVATE KEY-----` in the diff",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUA...\n-----END OPENSSH PRIVATE KEY-----",
    '"-----BEGIN PRIVATE KEY-----\\nMIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBH..."',
    "xoxb-1-2-realtokenlike",
    "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n-----END PRIVATE KEY-----",
    "AccountKey=<storage-account-key>",
    "task-list-for-disk-usage and risk-based T3 thinking",
    "SG.send_message is a method, MSG.text another",
    "twilio: the account id has the form AC" + "x" * 32,
    "Bot MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GhXk2p.aQ9zLw3RtYb7VnKc5MfJe8HsDu2",
    "MTc2NDMxOTk4NzY1NDMyMTA5 alone is a number, as is OTk4NzY1NDMyMTA5MTc2NDM.",
    "MTc2NDMxOTk4NzY1NDMyMTA5" + ".GhXk2p.xxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "NEXT_STEPS_OF_INSTALLATION.module.configuration_of_the_library_a1",
    "| 123456789012345|a-cell-of-a-table-with-words-only",
    "|176431998765432|configuration_of_the_library2",
    "176431998765432|" + "x" * 27,
    "key-" + "0" * 32 + " key-d41d8cd98f00b204e9800998ecf8 key-management-of-the-service-and-more",
    "discord.js and Discord.Client.login.method_name_goes_here",
    "mail bob@example.com at http://example.com:8080/a@b",
    "git@github.com:owner/repository.git and ssh://git@host:22/x",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "npm_config_registry_and_other_settings_for_all",
    "hf_hub_download_and_other_functions_of_it",
    "hf_" + "your_token_here",
    "r8_" + "x" * 37,
    "r8_some_register_or_other_name_in_assembly_code",
    "the suffix hvs.example.com and hvs." + "x" * 24,
    "dapi" + "0" * 32,
    "pul-" + "0" * 40,
    "https://discord.com/api/webhooks/123456789012345678/your-webhook-token",
    "https://discord.com/api/webhooks/{id}/{token}",
    "https://discord.com/developers/docs/resources/webhook#create-webhook/webhooks/",
    "https://api.telegram.org/bot<token>/getMe",
    "TELEGRAM_BOT_TOKEN=123456789:" + "x" * 35,
    "telegram at 1716239022:30 and 16:9 in 2026-01-01T00:00:00",
    "op" + "s_eyJ...",
]


@each_row("text", QUIET)
def test_placeholders_and_prose_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == ()
    assert mask(text) == text


@each_row(
    ("name", "value"),
    [
        ("output", sample(24)),
        ("max-tokens", "4096"),
        ("token-budget", "200000"),
        ("api-key", ""),
        ("api-key", "none"),
        ("api-key", "your-api-key"),
        ("api-key", "${API_KEY}"),
        ("api-key", "OPENAI_API_KEY"),
        ("api-key", "env:OPENAI_API_KEY_2"),
        ("api-key", "op://vault/item/field9"),
        ("api-key-file", "k3y9x8w7v6u5t4s3"),
        ("secret-name", "projects/p1/secrets/s3cr3t1"),
        ("private-key", "~/.ssh/id_ed25519"),
        ("token", "false"),
        ("token", "a short sentence with 3 words"),
        ("tokenizer", "cl100k_base"),
        ("token-model", "claude-3-5-sonnet-20241022"),
        ("password", "correct-horse-battery-staple"),
        ("secret", "hello123"),
        ("credentials", "config/credentials.json"),
        ("auth-key", "MySecretStoreName"),
    ],
)
def test_names_and_values_that_are_no_secret(name: str, value: str) -> None:
    assert not looks_secret(name, value)


def test_the_id_of_a_key_in_a_log_opens_nothing() -> None:
    event = '"accessKeyId": "' + "AKIA" + '3HRA7T6MVC4EBVOG", '
    assert find_secrets(event + '"userName": "a"') == ()
    assert len(find_secrets(event + '"secretAccessKey": "' + sample(40) + '"')) >= 1
    assert len(find_secrets("AWS_ACCESS_KEY_ID=" + "AKIA" + "3HRA7T6MVC4EBVOG")) == 1
