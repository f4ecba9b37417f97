"""Names of packages that look like those of well-known ones: whoever mistypes installs a stranger's code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.read import read
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.tree import FILE, in_samples, left_out
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_PYPI_WORDS = """
    numpy flask scipy torch requests urllib3 pandas matplotlib tensorflow pytorch scikit-learn django fastapi uvicorn
    gunicorn aiohttp pydantic sqlalchemy selenium playwright beautifulsoup4 cryptography paramiko colorama python-dotenv
    pyyaml botocore setuptools pytest pillow opencv-python transformers langchain anthropic openai streamlit openpyxl
    tabulate jsonschema markdown networkx seaborn plotly celery pymongo psycopg2 werkzeug certifi python-dateutil"""
_NPM_WORDS = """
    react axios chalk express lodash typescript webpack prettier mongoose commander nodemon puppeteer playwright dotenv
    jquery eslint esbuild rollup cheerio tailwindcss react-dom react-router nodemailer jsonwebtoken socket.io cross-env
    body-parser sequelize winston underscore bluebird passport graphql cypress discord.js ethers electron openai"""
_OTHER_WORDS = """
    network ttypescript ttorch pplotly fastai tailwindscss nodaemon node-mailer react-route react-do reach-router nodemo
    understore socketio socket-io discordjs bodyparser cheero scippy botcore botocove botscore tablate pymono pmongo
    commandeer faastapi panddas panndas prettierr pettier markudown markdawn mackdown marpdown pydbantic pydjantic
    pydrantic pydastic pydentic pymantic pidantic pedantic python-edotenv pksycopg2 pyppeteer requtests recuests
    requezts scikit-qlearn scikits-learn json-schema matprotlib maxplotlib madplotlib mabplotlib matplotlab longchain
    opencc-python planwright streamkit streamlat streamlet tensorslow sylenium election elektron passwort sequelise"""
_PYPI, _NPM = tuple(_PYPI_WORDS.split()), tuple(_NPM_WORDS.split())
_OTHERS = frozenset(_OTHER_WORDS.split())
"""Words, and packages of their own, that are as near."""
_INSTALL = late(r"(?:pip3? install|poetry add|uv add|npm (?:install|i|add)|yarn add) ([^\n`|;&#]{1,300})")
_WORD = late(r"(?<![^\s\"'])(?P<name>[A-Za-z][\w.-]{4,40})(?=[\[=<>~!@\s\"',]|\Z)")
_ENTRY = late(r"(?m)(?:^[ \t]*|[\"'])(?P<name>[A-Za-z][\w.-]{4,40})(?=[ \t]*(?:[=<>~!\[;#\"']|\r?$))")
_FILES = (("requirements", _PYPI), ("pyproject.toml", _PYPI), ("package.json", _NPM))


@Predicate("package-lookalike", Subject.SKILL, values=("name", "other"), needs="packages")
def package_lookalike(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Packages that a command of SKILL.md installs, or a file of dependencies names, under a look-alike name."""
    for path, word, index in _named(skill):
        name = word["name"].lower().replace("_", "-")
        other = next((known for known in index if known[0] == name[0] and _is_near(name, known)), None)
        if other and name not in index and name not in _OTHERS:
            yield Match(path, *word.span("name"), {"name": word["name"], "other": other})


def _named(skill: Skill) -> Iterator[tuple[str, re.Match[str], tuple[str, ...]]]:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    for command in _INSTALL().finditer(text):
        index = _PYPI if command[0][0] in "pu" else _NPM
        yield from ((skill.path, word, index) for word in _WORD().finditer(text, *command.span(1)))
    for entry in skill.listing.entries:
        name = entry.relative.rpartition("/")[2].lower()
        index = next((index for start, index in _FILES if name.startswith(start)), ())
        if index and entry.kind is FILE and not (left_out(entry.relative) or in_samples(entry.relative)):
            raw = read(entry.path, skill.root)
            text = raw[:100_000].decode("utf-8", "replace") if isinstance(raw, bytes) else ""
            yield from ((entry.path, word, index) for word in _ENTRY().finditer(text))


def _is_near(name: str, known: str) -> bool:
    """Whether a typing error makes one of the other: one letter, or two that changed places."""
    start = next((at for at, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known)))
    one, other = name[start:], known[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    # Numbers are versions and successors, `name2`. What is added at the end is a name of its own, or a plural.
    if (one + other).isdigit() or (known == f"{name}s" and name[-1] != "s"):
        return False
    is_swapped = len(one) == 2 and one == other[::-1]
    is_doubled = len(one) == 1 and not other and one == name[start - 1]
    is_inner = max(len(one), len(other)) == 1 and start < len(known) - len(one and other)
    return is_swapped or is_doubled or (is_inner and min(len(name), len(known)) >= 6 + 2 * len(one))
