"""Made-up credentials of every form in `secret_forms.toml`, as texts hold them; the same in every run.

They are put together here, so that no scanner finds one in a file.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from skillbag.kernel.secrets.detection import find_secrets, mask

_FORMS = Path(__file__).with_name("secret_forms.toml")
_HEX = "0123456789abcdef"
_ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "hex": _HEX,
    "digits": string.digits,
    "url": string.ascii_letters + string.digits + "-_",
    "password": string.ascii_letters + string.digits,
}
_FIELD = re.compile(r"\{(\w+)(?::(\d+))?\}")
_PLACES = {
    "text": "Use {} for this step.",
    "text, named": "{name}: {value}",
    "backticks": "Set `{}` first.",
    "quotes": 'print("{}")',
    "address": "see https://example.com/a/b?{name}={value}&page=2",
    "error": "error: https://example.com/{value}/x?{name}={value}: 404 Not Found",
    "YAML": "  {name}: {value}",
    "code": '{name} = "{value}"',
    "JSON": '{{"{name}": "{value}", "b": 1}}',
    "shell": "export {name}={value}",
}
_NAMED = {
    "text": "{words} API key: {value}",
    "backticks": "Set `{NAME}_API_KEY={value}` first.",
    "quotes": "'{name}_token': '{value}'",
    "address": "https://example.com/a?{name}_api_key={value}&page=2",
    "error": "error: https://example.com/a?{name}_token={value}: 404 Not Found",
    "YAML": "  {name}_api_token: {value}",
    "code": 'const {name}ApiKey = "{value}";',
    "shell": "export {NAME}_SECRET={value}",
    "option": "--{name}-api-key {value}",
}
_LINES = {
    "text": "{}",
    "backticks": "Then `{}` and so on.",
    "quotes": "run('{}')",
    "YAML": "  - run: {}",
    "code": 'call("{}")',
    "error": "error: {}: refused",
}


class Sample(NamedTuple):
    """A text with a credential of a kind, and where it stands."""

    kind: str
    place: str
    text: str
    value: str


class Recall(NamedTuple):
    """Of so many texts of a kind, how many credentials were found, and how many were masked."""

    kind: str
    texts: int
    found: int
    masked: int


def samples(draws: int) -> Iterator[Sample]:
    """Texts of every kind: each form in each place, so many times."""
    with _FORMS.open("rb") as file:
        forms: dict[str, dict[str, list[str]]] = tomllib.load(file)
    chance = random.Random(20261128)
    for group, make in (("tokens", _of_token), ("named", _of_name), ("lines", _of_line), ("further", _of_token)):
        for kind, patterns in forms[group].items():
            for _ in range(draws):
                for pattern in patterns:
                    yield from make(kind, pattern, chance)


def recalls(draws: int) -> list[Recall]:
    """How much of each kind is found and masked."""
    counts: dict[str, list[int]] = {}
    for sample in samples(draws):
        row = counts.setdefault(sample.kind, [0, 0, 0])
        found = [sample.text[secret.start : secret.end] for secret in find_secrets(sample.text)]
        row[0] += 1
        row[1] += any(sample.value in one or one in sample.value for one in found)
        row[2] += sample.value[4:] not in mask(sample.text)
    return [Recall(kind, *row) for kind, row in counts.items()]


def _of_token(kind: str, pattern: str, chance: random.Random) -> Iterator[Sample]:
    for place, frame in _PLACES.items():
        if "{}" in frame or not pattern.startswith(("{pem", "http")):
            value = sample(pattern, chance)
            yield Sample(kind, place, frame.format(value, name="token", value=value), value)


def _of_name(kind: str, pattern: str, chance: random.Random) -> Iterator[Sample]:
    for place, frame in _NAMED.items():
        value = sample(pattern, chance)
        text = frame.format(name=kind, NAME=kind.upper(), words=kind.replace("_", " ").capitalize(), value=value)
        yield Sample(f"{kind.replace('_', ' ')}, named", place, text, value)


def _of_line(kind: str, pattern: str, chance: random.Random) -> Iterator[Sample]:
    for place, frame in _LINES.items():
        line = sample(pattern, chance)
        secret = max(re.split(_FIELD, pattern)[0::3], key=len)
        yield Sample(kind, place, frame.format(line), _secret_of(pattern, line) or secret)


def _secret_of(pattern: str, line: str) -> str:
    """The part of a drawn line that the last field of its pattern stands for."""
    fields = list(_FIELD.finditer(pattern))
    after = pattern[fields[-1].end() :]
    before = pattern[: fields[0].start()]
    return line[len(before) : len(line) - len(after)]


def sample(pattern: str, chance: random.Random) -> str:
    """A pattern with made-up characters in its fields."""
    return _FIELD.sub(lambda field: _field(field[1], int(field[2] or 0), chance), pattern)


def _field(name: str, size: int, chance: random.Random) -> str:
    if name in _ALPHABETS:
        return "".join(chance.choices(_ALPHABETS[name], k=size))
    return _WHOLE[name](chance)


def _uuid(chance: random.Random) -> str:
    return "-".join(_field("hex", size, chance) for size in (8, 4, 4, 4, 12))


def _jwt(chance: random.Random) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": _field("alnum", 12, chance), "iat": chance.randrange(10**9)})
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*coded, _field("alnum", 43, chance)])


def _pem(chance: random.Random) -> str:
    lines = "\\n".join(_field("alnum", 64, chance) for _ in range(4))
    return f"-----BEGIN RSA PRIVATE {'KEY-----'}\\n{lines}\\n-----END RSA PRIVATE {'KEY-----'}"


def _basic(chance: random.Random) -> str:
    user = chance.choice(("deploy", "admin", "root"))
    return base64.b64encode(f"{user}:{_field('password', 14, chance)}".encode()).decode()


def _discord_id(chance: random.Random) -> str:
    digits = str(chance.randrange(10**16, 10**20))
    return base64.b64encode(digits.encode()).decode().rstrip("=")


_WHOLE: dict[str, Callable[[random.Random], str]] = {
    "uuid": _uuid,
    "jwt": _jwt,
    "pem": _pem,
    "basic": _basic,
    "discord_id": _discord_id,
}
