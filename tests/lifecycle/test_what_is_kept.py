"""What `remember` keeps: preferences that last; what rarely does if it is asked to; secrets never, nor a trace."""

from __future__ import annotations

import base64
import json
import random
import re
import string
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from skillbag.lifecycle.keeping import why_not_kept
from skillbag.lifecycle.remember import NotKeptError, remember
from skillbag.lifecycle.value import parse_value, typed
from tests.checks.test_secrets import BESIDE, TOKENS
from tests.install.worlds import call, contents, make_workspace, write
from tests.lifecycle.parameters import make
from tests.support import Outcome, Run

_drawn = random.Random(20260616)


def drawn(size: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """What a generator draws, the same in every run; with a digit, as nearly all of that length have."""
    return "".join(_drawn.choice(alphabet) for _ in range(size - 1)) + "7"


def parts(secret: str) -> list[str]:
    """The pieces of a secret that nothing may repeat; its public beginning and what people write is not among them."""
    return [piece for piece in re.findall(r"[A-Za-z0-9]{12,}", secret) if not piece.isalpha()] or [secret[-8:]]


def refused(run: Run, workspace: Path, *arguments: str, secret: str = "") -> Outcome:
    """The refusal of `remember ARGUMENTS`; whatever the options, no file and no output has anything of the secret."""
    before = contents(workspace)
    outcomes = [run("remember", *arguments, *more, cwd=workspace) for more in ((), ("--explicit",), ("--json",))]
    for outcome in outcomes:
        assert outcome.code == 2, outcome
        for piece in parts(secret) if secret else ():
            assert piece not in outcome.out + outcome.err
    assert contents(workspace) == before
    assert json.loads(outcomes[-1].out)["exit"] == 2
    return outcomes[0]


@pytest.mark.proves("inputs", "inputs.no-secrets", "bootstrap.persist")
@pytest.mark.parametrize("family", TOKENS)
def test_a_known_token_is_refused_wherever_it_hides(run: Run, tmp_path: Path, family: str) -> None:
    token = TOKENS[family]
    line = token if token.isprintable() else json.dumps(token)[1:-1]
    workspace = make_workspace(tmp_path)
    outcome = refused(run, workspace, f"note={token}", secret=token)
    assert outcome.err.endswith("nothing was written, and no option changes that\n")
    hidden = [
        f"see {line} for it",
        f"[one, two, {json.dumps(token)}]",
        f"{{a: {{b: [{json.dumps(token)}]}}}}",
        json.dumps(token),
        base64.b64encode(token.encode()).decode(),
        base64.urlsafe_b64encode(f"{token}\n".encode()).decode().rstrip("="),
        token.encode().hex(),
        f"https://example.com/?q={quote(token, safe='')}",
        f"https://bob:{quote(token, safe='')}@example.com/",
        f"{line[:12]} {line[12:]}",
        f"{line[:7]}\u200b{line[7:]}",
    ]
    for value in hidden:
        with pytest.raises(NotKeptError, match="no option changes that"):
            remember(str(workspace), "note", parse_value(value), explicit=True)
    assert not (workspace / "USER_CONTEXT.md").exists()


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("family", BESIDE)
def test_a_secret_that_words_beside_it_give_away(run: Run, tmp_path: Path, family: str) -> None:
    text = "".join(BESIDE[family])
    refused(run, make_workspace(tmp_path), f"note={text}", secret=BESIDE[family][1])


DRAWN = {
    **{f"letters and digits {size}": drawn(size) for size in (24, 32, 40, 64)},
    "small letters and digits": drawn(32, string.ascii_lowercase + string.digits),
    "capitals and digits": drawn(32, string.ascii_uppercase + "234567"),
    "base64": base64.b64encode(bytes(_drawn.randrange(256) for _ in range(33))).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(bytes(_drawn.randrange(256) for _ in range(33))).decode(),
    "with separators": f"{drawn(20)}.{drawn(16)}_{drawn(20)}",
    "a password with signs": "Tr0ub4" + "dor&3xQ",
    "within a sentence": f"the key is {drawn(24)}, do not lose it",
    "within a list": f"[a, {drawn(24)}]",
    "within a mapping": f"{{a: {{b: {drawn(24)}}}}}",
    "a relative path": f"{drawn(20)}/{drawn(20)}",
}


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("name", ["output-dir", "note", "x"])
def test_what_a_generator_drew_is_refused_under_an_innocent_name(
    run: Run, tmp_path: Path, kind: str, name: str
) -> None:
    refused(run, make_workspace(tmp_path), f"{name}={DRAWN[kind]}", secret=DRAWN[kind])


@pytest.mark.parametrize("alphabet", ["ascii_letters+digits", "ascii_lowercase+digits", "ascii_uppercase+digits"])
def test_nearly_all_that_is_drawn_is_told(alphabet: str) -> None:
    letters = "".join(getattr(string, part) for part in alphabet.split("+"))
    chance = random.Random(7)
    words = ["".join(chance.choice(letters) for _ in range(24)) for _ in range(400)]
    missed = [word for word in words if why_not_kept("note", typed(word)) is None]
    assert len(missed) <= 12


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize(
    "pair",
    [
        "password=hunter2",
        "password=12345678",
        "db_password=correct-horse",
        "smtp.passwd=abc",
        "api-key=abc",
        "apiKeys=[abc, def]",
        "githubToken=zzz",
        "auth-token=550e8400-e29b-41d4-a716-446655440000",
        "client_secret=x y z",
        "passphrase=open sesame",
        "pin=4821",
        "credentials={user: bob, it: pw}",
        "login={user: bob, password: hunter2}",
        "database=Server=db;User=bob;Password=abc;",
        "call=--user bob --token=abc",
        "where=https://bob:hunter2@example.com/x",
        "where=postgres://app:letmein@db:5432/main",
        "where=https://example.com/?access_token=abcd",
        "header=Basic dXNlcjpodW50ZXIy",
    ],
)
def test_a_weak_secret_is_one_by_its_name_or_its_place(run: Run, tmp_path: Path, pair: str) -> None:
    outcome = refused(run, make_workspace(tmp_path), pair)
    for word in ("hunter2", "12345678", "horse", "sesame", "4821", "letmein", "abcd", "dXNlcj"):
        if word in pair:
            assert word not in outcome.out + outcome.err


@pytest.mark.parametrize(
    "pair",
    [
        "max-tokens=4096",
        "token=4096",
        'max-tokens="4096"',
        "token-budget=200000",
        "tokenizer=cl100k_base",
        "token-model=claude-3-5-sonnet-20241022",
        "use-password=true",
        "password-manager=bitwarden",
        "password-file=~/.config/pw",
        "password=${DB_PASSWORD}",
        "password=~/.config/pw",
        "api-key=OPENAI_API_KEY",
        "api-key=env:OPENAI_API_KEY",
        "token=op://vault/item/field",
        "credentials=config/credentials.json",
        "private-key=~/.ssh/id_ed25519",
        "secret-name=build-secrets",
        "key-size=2048",
        "sort-key=title",
        "passing=yes",
        "pin=v1.2",
        "author=Anna",
    ],
)
def test_where_a_secret_is_kept_is_none(run: Run, tmp_path: Path, pair: str) -> None:
    workspace = make_workspace(tmp_path)
    outcome = run("remember", pair, cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.proves("inputs", "inputs.no-secrets")
def test_a_secret_in_the_wrong_place_is_not_repeated_either(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    word = drawn(32)
    for arguments in (
        ["api-key", word],
        [word],
        [f"{word}=1"],
        [f"{TOKENS['github']}=1"],
        ["x=1", f"y={word}"],
        ["a=b", "--skill", TOKENS["github"]],
        ["--no-such-option", f"a={TOKENS['github']}"],
    ):
        outcome = run("remember", *arguments, cwd=workspace)
        assert outcome.code == 2
        for secret in (word, TOKENS["github"][8:]):
            assert secret not in outcome.out + outcome.err
    for arguments in ([word], [f"api-key={word}"], [TOKENS["github"]], ["a", "--skill", TOKENS["github"]]):
        outcome = run("forget", *arguments, cwd=workspace)
        assert outcome.code == 2
        assert word not in outcome.err
        assert TOKENS["github"][8:] not in outcome.err


def test_a_secret_that_stands_there_already_is_not_repeated(run: Run, tmp_path: Path) -> None:
    word = drawn(32)
    text = f'```yaml\nparameters: {{"*": {{note: {word}, password: hunter2}}}}\n```\n'
    workspace = make_workspace(tmp_path, user_context=text)
    outcome = run("remember", "note=short", cwd=workspace)
    assert outcome.out == "USER_CONTEXT.md:2: note = short (was ****)\n"
    outcome = run("forget", "password", "--json", cwd=workspace)
    assert json.loads(outcome.out)["before"] == "****"
    write(workspace, {"USER_CONTEXT.md": text})
    for arguments in (("remember", "note=short", "--json"), ("forget", "note"), ("forget", "password")):
        outcome = run(*arguments, cwd=workspace)
        assert outcome.code == 0
        assert word not in outcome.out + outcome.err
        assert "hunter2" not in outcome.out + outcome.err


ORDINARY = """\
docs/out
~/Documents/Reports
/opt/homebrew/bin
/Users/anna/Library/Mobile Documents/com~apple~CloudDocs/Notes
C:\\Users\\anna\\Documents
../shared/templates
./build
templates/tmp.md
attempt/template
src/**/*.ts
.*\\.md$
node_modules/.bin/eslint
claude-3-5-sonnet-20241022
gpt-4o-2024-08-06
llama3.1:8b-instruct-q4_K_M
BAAI/bge-large-en-v1.5
Qwen2.5-72B-Instruct
main
feature/JIRA-1234-add-export
release-1.2
origin/develop
HEAD~1
1a2b3c4
deadbeef
v1.2.3
1.10
3.12.1-rc1
^1.4.0
>=2,<3
2024.1
en_US.UTF-8
de-DE
Europe/Berlin
UTF-8
SHA-256
ISO-8601
YYYY-MM-DD
%Y-%m-%d
{title}_{date:%Y}
10:30
every Monday
A4
#ff8800
#333
50%
10 MB
1073741824
localhost:8080
192.168.1.10
us-east-1
m5.xlarge
c6gn.16xlarge
ubuntu-22.04
x86_64-unknown-linux-gnu
nginx:1.25-alpine
utf8mb4_unicode_ci
aes-256-gcm
C++17
iPhone15ProMax256GB
Times New Roman
black --line-length 100
text/html; charset=utf-8
one, two & three
Grüße aus Köln 🎉
Write short sentences, put the conclusion first, and never use the passive voice.
Keep headings in title case, and wrap lines at 80 characters so that diffs stay small; tables may be wider.
true
5
[pdf, html]
{format: pdf, margins: [1, 2]}
"""


@pytest.mark.proves("inputs", "inputs.persist-stable", "bootstrap.persist")
@pytest.mark.parametrize("value", ORDINARY.splitlines())
def test_ordinary_values_are_kept_unasked(run: Run, tmp_path: Path, value: str) -> None:
    workspace = make_workspace(tmp_path)
    outcome = run("remember", f"note={value}", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert why_not_kept("note", parse_value(value)) is None


PASSING = {
    "is a temporary path": [
        "/tmp/out",
        "/var/tmp/a b",
        "/private/tmp/x",
        "/var/folders/zz/abc/T/out",
        "/dev/shm/x",
        "/run/user/1000/x",
        "$TMPDIR/out",
        "${TMPDIR}/out",
        "C:\\Temp\\x",
        "C:/Windows/Temp/x",
        "C:\\Users\\anna\\AppData\\Local\\Temp\\a.txt",
        "%TEMP%\\x",
        "tmp/out",
        "build/tmp",
        "draft.tmp",
        "[docs, /tmp/docs]",
    ],
    "holds a URL": [
        "https://example.com/a",
        "see http://example.com",
        "www.example.com",
        "ftp://example.com/b",
        "s3://bucket/key",
        "file:///home/anna/a",
        "mailto:anna@example.com",
        "{a: [https://example.com]}",
    ],
    "holds the address of a repository": ["git@example.com:org/repo.git"],
    "holds an e-mail address": ["anna@example.com", "Anna <anna.b+c@mail.example.co.uk>"],
    "holds a phone number": ["+49 170 1234567", "call +1 (555) 010-9999"],
    "holds a date": [
        "2024-01-15",
        "2024-01-15T10:00:00Z",
        "2024-01-15 10:00",
        "15.01.2024",
        "01/15/2024",
        "2024/1/15",
        "20240115T103000Z",
        "Jan 15, 2024",
        "15 January 2024",
        "notes of the meeting on 2024-01-15",
        "1718000123",
        "1718000123456",
    ],
    "holds a UUID": ["3f2b8c1e-77ad-4d5c-9e0b-1234567890ab", "{3F2B8C1E-77AD-4D5C-9E0B-1234567890AB}"],
    "holds a hash": [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "d41d8cd98f00b204e9800998ecf8427e",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4",
        "at 3f2b8c1e77ad4d5c",
    ],
    "names an issue or a change request": ["#123", "PROJ-1234", "org/repo#12", "issue 42", "PR #7", "!45", "GH-12"],
    "is as long as pasted text": ["one\ntwo", "a word " * 60, json.dumps(["x"] * 41), json.dumps({"a": "one\ntwo"})],
}


@pytest.mark.proves("inputs", "inputs.persist-not")
@pytest.mark.parametrize(("reason", "value"), [(reason, value) for reason in PASSING for value in PASSING[reason]])
def test_what_rarely_lasts_is_kept_only_if_asked(run: Run, tmp_path: Path, reason: str, value: str) -> None:
    workspace = make_workspace(tmp_path)
    before = contents(workspace)
    outcome = run("remember", f"note={value}", cwd=workspace)
    assert (outcome.code, outcome.out) == (2, "")
    said = "holds a point in time or an identifier" if value.isdigit() else reason
    assert outcome.err == (
        f"skillbag: note: it {said}, which rarely lasts; nothing was written; --explicit keeps it all the same\n"
    )
    assert contents(workspace) == before
    assert run("remember", f"note={value}", "--explicit", cwd=workspace).code == 0
    assert call(run, workspace, "remember", f"note={value}", "--explicit")[1]["changed"] is False


def test_the_folder_for_temporary_files_may_be_anywhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/scratch/anna/")
    workspace = make_workspace(tmp_path)
    assert run("remember", "out=/scratch/anna/out", cwd=workspace).code == 2
    assert run("remember", "out=/scratch/annabel", cwd=workspace).code == 0


DECLARED = """\
optional:
  - name: report
    persist: true
  - name: draft
    persist: false
  - name: other
"""


@pytest.mark.proves("inputs", "inputs.skill-persistence")
def test_a_skill_says_which_of_its_parameters_last(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    convert = ("--skill", "convert")
    # It permits what would be taken for passing.
    assert run("remember", "report=https://example.com/report", *convert, cwd=workspace).code == 0
    assert run("remember", "other=https://example.com/report", *convert, cwd=workspace).code == 2
    # It says no, and the user may all the same.
    outcome = run("remember", "draft=docs", *convert, cwd=workspace)
    assert outcome.code == 2
    assert outcome.err == (
        "skillbag: draft: .skills/convert/SKILL.md:14 says that it is not to be kept (persist: false); "
        "nothing was written; --explicit keeps it all the same\n"
    )
    assert run("remember", "draft=docs", *convert, "--explicit", cwd=workspace).code == 0


@pytest.mark.proves("inputs", "inputs.no-secrets", "inputs.skill-persistence")
def test_no_skill_makes_a_secret_last(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    refused(run, workspace, f"report={TOKENS['github']}", "--skill", "convert", secret=TOKENS["github"])
    refused(run, workspace, f"report={DRAWN['base64']}", "--skill", "convert", secret=DRAWN["base64"])


NO, YES, NEITHER = (f"persist-nonsecret-parameters: {value}" for value in ("false", "true", "null"))


@pytest.mark.proves("inputs", "precedence.persist", "bootstrap.persist")
@pytest.mark.parametrize(
    ("user", "for_all", "for_convert"),
    [
        (f'parameters: {{"*": {{{NO}}}}}', False, False),
        (f"parameters: {{convert: {{{NO}}}}}", True, False),
        (f'parameters: {{"*": {{{NO}}}, convert: {{persist-nonsecret-parameters: true}}}}', False, True),
        (f"parameters: {{other: {{{NO}}}}}", True, True),
        ('parameters: {"*": {persist-nonsecret-parameters: "false"}}', False, False),
        ('parameters: {"*": {persist-nonsecret-parameters: true}}', True, True),
        (
            f'parameters: {{"*": {{{NO}}}}}\n```\n\n```yaml\nparameters: {{"*": {{persist-nonsecret-parameters: ~}}}}',
            1,
            1,
        ),
    ],
)
def test_nothing_is_kept_where_the_user_says_no(
    run: Run, tmp_path: Path, user: str, for_all: bool, for_convert: bool
) -> None:
    workspace = make(tmp_path, DECLARED, user=user)
    for arguments, is_kept in ((["other=x"], for_all), (["report=x", "--skill", "convert"], for_convert)):
        outcome = run("remember", *arguments, cwd=workspace)
        assert outcome.code == (0 if is_kept else 2)
        if not is_kept:
            assert "persist-nonsecret-parameters is false (USER_CONTEXT.md:4); nothing was written" in outcome.err
            assert run("remember", *arguments, "--explicit", cwd=workspace).code == 0


@pytest.mark.proves("inputs", "bootstrap.persist")
def test_a_skill_with_that_parameter_keeps_nothing_where_it_is_false(run: Run, tmp_path: Path) -> None:
    own = "optional:\n  - name: persist-nonsecret-parameters\n    default: false\n  - name: skills\n"
    workspace = make(tmp_path, own)
    convert = ("--skill", "convert")
    outcome = run("remember", "skills=lint", *convert, cwd=workspace)
    assert outcome.code == 2
    assert "(.skills/convert/SKILL.md:" in outcome.err
    assert run("remember", "skills=lint", cwd=workspace).code == 0
    # The setting itself can be kept, or nobody could change it.
    assert run("remember", "persist-nonsecret-parameters=true", *convert, cwd=workspace).code == 0
    assert run("remember", "skills=lint", *convert, cwd=workspace).code == 0


def test_the_setting_can_be_made_for_any_skill(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    convert = ("--skill", "convert")
    assert run("remember", NO.replace(": ", "="), *convert, cwd=workspace).code == 0
    assert run("remember", "other=x", *convert, cwd=workspace).code == 2
    assert run("forget", "persist-nonsecret-parameters", *convert, cwd=workspace).code == 0
    assert run("remember", "other=x", *convert, cwd=workspace).code == 0


@pytest.mark.parametrize("unit", ["://a:", "a=", "%25", "[", "QUFB", "a@", "#1 ", "a-", "1.", "/tmp", "sk-", "A1b2"])
def test_hostile_values_cost_little(unit: str) -> None:
    text = unit * (7_000 // len(unit))
    begun = time.process_time()
    why_not_kept("note", typed(text))
    assert time.process_time() - begun < 2
