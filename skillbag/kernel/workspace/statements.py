"""What the `AGENTS.md` of a source must state: its identity, where its skills are, its extra steps (clauses source.*).

A comment and an example state nothing, and neither does a sentence that denies, asks or supposes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.sentences import Sentence, read_sentences, without_code, without_comments

_IDENTITY = re.compile(r"(?<![\w./-])SKILLBAG(?!\.md|[\w/-])")
"""The identity of a source in `AGENTS.md`: the word `SKILLBAG`, not as part of a path."""

_QUOTED = late(r"~~[^~]{0,300}~~|`[^`]{0,300}`|\"[^\"]{0,300}\"|“[^”]{0,300}”")
_CLAUSE_END = late(
    r"(?i)(?<!anything )\bbut\b|:\s(?!(?:no|not|none|false)\b)|,\s(?=(?:this|it|the|our|we|you)\b)"
    r"|\band\s(?=(?:is|it|this)\b)"
)
_OWN = late(
    r"(?i)(?<!not )(?<!n't )(?<!longer )\b(?:this|our) (?:(?:public|private|team|own|local|shared|official|new) )?\W*\Z"
)
_USED = late(
    r"""(?ix:\b(?:with|using|uses?|via|through|by|about|against|requires?|needs?|supports?|follows?|install(?:s|ed|ing)?
          |runs?|running|see|read|from|for|like|per|under|of\ (?:other|another|some|any)
          |(?<!welcome\ )(?<!conforms\ )(?<!according\ )to
          |adopt\w*|creat(?:es?|ing)|makes?|making|builds?|building|adds?|adding|becom\w+|into
          |(?:document|explain|describe|implement|test|lint|check|validate|manage|mention|call|know|discuss|cover)s?)
        \ (?:(?:a|an|the|any|other|another|some|your|its|their)\ )?(?:[\w-]+\ )?\W*\Z)"""
)
"""Before the word: it is something that the repository uses, makes or speaks of."""

_DENIED = late(
    r"""(?ix:\b(?:(?:make|turn|convert|migrate)s?\ (?:this|it|the)|if|whether|when|unless|until|once|would|should|will
          |someday|todo|fixme|planned|example|instance|write|e\.g|formerly|used\ to|stopped|ceased
          |(?:was|were)\ (?:once|never|a|an|the|our)|instead\ of|rather\ than|nothing\ to\ do|anything\ but)\b
        |\b(?:not(?!\ only)|never|neither|nor|no\ longer|cannot|nobody|without|hardly)\b|n't\b
        |\b(?:kein\w*|nicht|pas|não|nunca|non|no\ es|no\ é)\b|\bno\ (?:[\w-]+\ )?\W*\Z)"""
)
"""Before the word: the sentence denies it, or says only what could be."""

_OTHER = late(
    r"""(?ix:\W*\ (?:tools?|tooling|cli|standards?|spec\w*|formats?|documentation|docs|commands?|installers?
          |conventions?|rules?|users?|support|integrations?|compat\w*|ecosystem|workflows?|plugins?|agents?|sources|repositories|repos
          |workspaces|defines?|(?:is|are)\ (?:a|an|the|not|no|never))\b|\W*:\s(?:no|not|none|false)\b)"""
)
"""After the word: it is the standard, or something else of its name."""

_LOCATION = late(r"(?<![\w./-])(?:\./)?\.skills(?:/(?!SKILLS\.md)|(?![\w/-]))")
_LAYOUT = late(r"(?m)^[ \t│├└─|+`-]*\.skills/?[ \t]*(?:#.*)?$")
"""The folder in a drawing of the repository, which is in a fence mostly."""

_ELSEWHERE = late(
    r"(?i)(?:\bnot|n't|\bnever|\bno longer)\s(?:\w+\s)?"
    r"(?:live|lie|reside|stored|kept|located|found|in|under|below|at)\b"
)
_STEPS = late(r"\b(?:instal|set(?:ting)?[ -]?up\b|steps?\b|prerequisites?\b|bootstrap)", re.IGNORECASE)
_UNDERLINED = late(r"(?m)^(?![#>\-*+\s])([^\n]+)\n(?:=+|-+)[ \t]*$")


_NEAR = 200
_MANY = 100
"""Characters before the word, and words in a clause, that are looked at: a hostile text could have very many."""

_USUAL = late(r"(?m)^(?:This repository is a|A) `?SKILLBAG`? source[.;:]")
"""As nearly every source says it, so that nothing else has to be compiled."""


def states_identity(text: str) -> bool:
    """Whether an `AGENTS.md` says of its repository that it is a `SKILLBAG`."""
    if _IDENTITY.search(text) is None:
        return False
    if _USUAL().search(text) and not any(mark in text for mark in ("<!--", "```", "~~~")):
        return True
    return any(map(_identifies, _clauses(text)))


def _clauses(text: str) -> Iterator[str]:
    for sentence in read_sentences(without_code(without_comments(text))):
        if not sentence.text.endswith("?"):
            plain = " ".join(sentence.text.replace("’", "'").replace("*", "").replace("_", "").split())
            yield from _CLAUSE_END().split(_QUOTED().sub(_unquoted, plain))


def _unquoted(quoted: re.Match[str]) -> str:
    """A word or two in quotes or backticks; a longer quotation is an example."""
    return quoted[0].strip("`") if quoted[0][0] != "~" and len(quoted[0].split()) < 3 else ""


def _identifies(clause: str) -> bool:
    for word in islice(_IDENTITY.finditer(clause), _MANY):
        before = clause[max(0, word.start() - _NEAR) : word.start()]
        if not _OTHER().match(clause, word.end()) and (
            _OWN().search(before) or not (_USED().search(before) or _DENIED().search(before))
        ):
            return True
    return False


def states_location(text: str) -> bool:
    """Whether it says that its skills are in `.skills/`; the catalog alone does not say where the skills are."""
    text = without_comments(text)
    if _LAYOUT().search(text):
        return True
    for sentence in read_sentences(without_code(text)):
        place = _LOCATION().search(sentence.text)
        if place and not _ELSEWHERE().search(sentence.text, 0, place.start()):
            return True
    return False


def states_steps(text: str) -> bool:
    """Whether it has any word about installation, and not only in a title with nothing below."""
    text = _UNDERLINED().sub(r"# \1", without_comments(text))
    found = [*read_sentences(text)]
    return any(_STEPS().search(each.text) and not _is_empty(number, found) for number, each in enumerate(found))


def _is_empty(number: int, found: list[Sentence]) -> bool:
    """Whether a title, or a line that ends like one, has no sentence below."""
    here = found[number]
    if not here.title and not here.text.rstrip("*_").endswith(":"):
        return False
    below = takewhile(lambda other: not 0 < other.level <= (here.level or 7), islice(found, number + 1, None))
    return not any(not other.title for other in below)
