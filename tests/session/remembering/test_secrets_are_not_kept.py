"""No secret is ever kept, by whatever form, name or coding it comes."""

from __future__ import annotations

import base64
import json
import random
import string
from pathlib import Path
from urllib.parse import quote

import pytest

from skillbag.session.persistence.secret_detection import why_secret
from skillbag.session.remembering.memory_policy import why_not_kept
from skillbag.session.remembering.remember import NotKeptError, remember
from skillbag.session.settings.value import parse_value, typed
from tests.kernel.secrets.test_detection import BESIDE, TOKENS
from tests.rows import each_row
from tests.sampling import sample
from tests.session.refusals import GENERATED, generated, refused
from tests.session.tables import lines_of
from tests.supply.install.worlds import make_workspace, write
from tests.support import Run

KNOWN = [(token, token) for token in TOKENS.values()] + [("".join(words), words[1]) for words in BESIDE.values()]


@pytest.mark.proves("inputs", "inputs.no-secrets", "bootstrap.persist")
@pytest.mark.parametrize("family", TOKENS)
def test_a_known_token_is_refused_wherever_it_hides(workspace: Path, family: str) -> None:
    token = TOKENS[family]
    line = token if token.isprintable() else json.dumps(token)[1:-1]
    hidden = [
        token,
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
@pytest.mark.parametrize(("text", "secret"), sample("refused secrets", KNOWN))
def test_a_refused_secret_is_in_no_output(run: Run, workspace: Path, text: str, secret: str) -> None:
    outcome = refused(run, workspace, f"note={text}", secret=secret)
    assert outcome.err.endswith("nothing was written, and no option changes that\n")


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("family", BESIDE)
def test_a_secret_that_words_beside_it_give_away_is_refused(workspace: Path, family: str) -> None:
    with pytest.raises(NotKeptError, match="no option changes that"):
        remember(str(workspace), "note", parse_value("".join(BESIDE[family])), explicit=True)


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("kind", GENERATED)
def test_a_random_string_is_refused_under_an_innocent_name(run: Run, workspace: Path, kind: str) -> None:
    refused(run, workspace, f"note={GENERATED[kind]}", secret=GENERATED[kind])
    for name in ("output-dir", "x"):
        with pytest.raises(NotKeptError, match="no option changes that"):
            remember(str(workspace), name, parse_value(GENERATED[kind]), explicit=True)


@each_row("alphabet", ["ascii_letters+digits", "ascii_lowercase+digits", "ascii_uppercase+digits"])
def test_nearly_all_random_strings_are_recognised(alphabet: str) -> None:
    letters = "".join(getattr(string, part) for part in alphabet.split("+"))
    chance = random.Random(7)
    words = ["".join(chance.choice(letters) for _ in range(24)) for _ in range(400)]
    missed = [word for word in words if why_not_kept("note", typed(word)) is None]
    assert len(missed) <= 12


@pytest.mark.proves("inputs", "inputs.no-secrets")
@each_row("pair", lines_of("secret_pairs"))
def test_a_weak_secret_is_one_by_its_name_or_its_place(run: Run, tmp_path: Path, pair: str) -> None:
    outcome = refused(run, make_workspace(tmp_path), pair)
    for word in ("hunter2", "12345678", "horse", "sesame", "4821", "letmein", "abcd", "dXNlcj"):
        if word in pair:
            assert word not in outcome.out + outcome.err


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("phrase", lines_of("secret_phrases"))
def test_a_secret_in_ordinary_words_is_not_kept(run: Run, workspace: Path, phrase: str) -> None:
    with pytest.raises(NotKeptError, match="no option changes that") as refusal:
        remember(str(workspace), "note", typed(phrase), explicit=True)
    assert "hunter22" not in str(refusal.value)
    assert why_not_kept("style", typed(["short", phrase])) is not None


def judged(row: str) -> str | None:
    name, _, value = row.partition("=")
    return why_secret(name, parse_value(value))


@pytest.mark.proves("inputs", "inputs.no-secrets")
def test_words_in_nine_languages_tell_a_secret_and_nothing_that_looks_like_one() -> None:
    assert [row for row in lines_of("secrets") if judged(row) is None] == []
    assert [row for row in lines_of("no_secrets") if judged(row)] == []


@pytest.mark.parametrize("name", ["Passwort", "contraseña", "пароль", "mot_de_passe", "db-senha", "密码"])
def test_a_name_in_another_language_makes_a_secret(workspace: Path, name: str) -> None:
    with pytest.raises(NotKeptError, match="no option changes that"):
        remember(str(workspace), name, typed("hunter22"), explicit=True)


@pytest.mark.parametrize("pair", lines_of("references_to_secrets"))
def test_where_a_secret_is_kept_is_none(run: Run, workspace: Path, pair: str) -> None:
    outcome = run("remember", pair, cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.proves("inputs", "inputs.no-secrets")
def test_a_secret_in_the_wrong_place_is_not_repeated_either(run: Run, workspace: Path) -> None:
    word = generated(32)
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
    word = generated(32)
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
