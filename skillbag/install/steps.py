"""The extra installation steps of a source: prose in its `AGENTS.md`, shown and agreed to, never executed.

Whether there are any is judged so that what is in doubt is shown: a plain sentence must say that there are none, and
nothing else in the text may sound like something to be done. Agreement is remembered for each content of the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag import files
from skillbag.documents.markdown import scan
from skillbag.documents.source import Document, read_document
from skillbag.install.fetched import Fetched
from skillbag.user_folders import state_folder
from skillbag.workspace.target import AGENTS


def extra_steps(fetched: Fetched) -> str | None:
    """The whole text of `AGENTS.md`, unless it says that there are no extra steps, and nothing of any.

    Clauses source.extra-steps, bootstrap.extra-steps. Of a file that can't be read there is None: `verify_source`
    refuses such a source. That of a plain repository speaks to those who work on it.
    """
    if fetched.plain is not None:
        return None
    document = read_document(os.path.join(fetched.root, AGENTS), fetched.root)
    if not isinstance(document, Document) or _has_none(document.text):
        return None
    return document.text


def steps_key(text: str) -> str:
    """The name under which agreement to a text is remembered; line ends do not count."""
    from hashlib import sha256

    return sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def accepted(text: str) -> bool:
    """Whether the user has agreed to this text before."""
    return os.path.isfile(_remembered(text))


def accept(text: str) -> None:
    """Remember the user's agreement to this text; it is kept as it was read.

    Raises:
        OSError: it can't be written.
    """
    files.write_atomic(_remembered(text), text.encode(), root=state_folder())


def _remembered(text: str) -> str:
    return os.path.join(state_folder(), "accepted-steps", steps_key(text))


_KIND = r"(?:(?:additional|extra|further|special|other|more|manual|separate|custom|specific|particular)(?:\ or)?\ )*"
_TOPIC = r"(?:(?:installation|install|set-?up|configuration|bootstrap(?:ping)?|post-install(?:ation)?)\ )?"
_NOUN = r"(?:steps?|instructions?|actions?|procedures?|requirements?|prerequisites?|installation|set-?up|configuration)"
_NEED = r"(?:\ (?:required|needed|necessary|defined|to\ (?:follow|run|perform|take)))"
_HERE = r"(?:\ (?:for|in|by|of)\ (?:this|these|the|any|all|our)(?:\ [\w-]+){1,2})"
_BARE = r"(?:none|no|nothing|n/?a|not\ (?:applicable|required|needed)|there\ are\ none)"
_THINGS = rf"{_KIND}{_TOPIC}{_NOUN}"
_SUBJECT = r"(?:it|(?:this|the|our)\ [\w-]+(?:\ [\w-]+)?|installation|installing(?:\ [\w-]+){0,3})"

_SAYS_NONE = re.compile(
    rf"""(?:there\ (?:is|are)\ )? (?:currently\ )? no\ {_THINGS} (?:\ (?:is|are))? {_NEED}? {_HERE}?
       | {_SUBJECT}\ (?:needs|requires|has|have|defines|takes|involves)\ no\ {_THINGS} {_NEED}? {_HERE}?
       | {_SUBJECT}\ (?:does\ not|doesn'?t)\ (?:need|require|have|define|take|involve)\ any\ {_THINGS} {_NEED}? {_HERE}?
       | nothing\ (?:else|more|further|extra|special|additional)\ (?:is\ )?
         (?:required|needed|necessary|to\ (?:do|install|set\ up|configure)) {_HERE}?
       | {_THINGS}\ ?(?::|-|–|—)\ ?{_BARE} {_NEED}?
       | {_THINGS}\ (?:is|are)\ not\ (?:required|needed|necessary) {_HERE}?
    """,
    re.VERBOSE,
)
_TITLE = re.compile(_THINGS, re.VERBOSE)
_NONE_BELOW = re.compile(rf"{_BARE}{_NEED}?", re.VERBOSE)

# What sounds like something to be done, or to be had. A word too many here costs its reader one question.
_DOING = re.compile(
    r"""instal | \bset(?:s|ting)?[ -]?up\b | \bsteps?\b | prerequisit | \brequir | \bneed | \bdepend | bootstrap
      | \bconfigur | \bcustomi[sz] | \benvironment | \benv\b | \bAPI\b | \btokens?\b | \bcredential | \bpassword
      | \blog[ -]?in\b | \bsign[ -]?in\b | authenticat | authori[sz] | \bdownload | \bclon(?:e|ing)\b | \bfetch
      | \bcompil | \bbuild | \binit(?:iali[sz]e|iali[sz]ing)?\b | \bmigrat | \bcop(?:y|ied|ying)\b | \brenam
      | \bsymlink | \blink\b | \bappend | \bpaste\b | \benabl | \bactivat | \bregister | \bto\ your\b | \bserver
      | \bdaemon | \bmanual | \bupgrad | \brun\b | \brun(?:s|ning)\b | \bexecut | \binvok | \bstart\b | \blaunch
      | \bfirst\b | \bbefore\b | \bafter | \bmake\b | \bpatch\b | \bexcept | \bunless\b | \bchmod\b | \bsudo\b
      | \bexport\b | \bcurl\b | \bwget\b | \b(?:pip3?|pipx|uvx?|npm|npx|pnpm|yarn|brew|apt|cargo|conda|docker|podman)\b
      | [\w/-]\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|js|mjs|ts|rb|pl|exe|toml|cfg|ini|service)\b
      | (?m:^[ \t]*(?:\$|%|PS>)\ ) | (?-i:\b(?!USER_CONTEXT\b)[A-Z][A-Z0-9]*_[A-Z0-9_]+\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHELLS = frozenset(("sh", "bash", "shell", "console", "zsh", "fish", "terminal", "powershell", "pwsh", "bat", "cmd"))


class _Sentence(NamedTuple):
    """A sentence or a title as it is written, and as it is compared."""

    text: str
    plain: str
    title: bool


def _has_none(text: str) -> bool:
    """Whether a text says that there are no extra steps, and nothing of anything to be done."""
    if any(fence.info.partition(" ")[0].lower() in _SHELLS for fence in scan(text).fences):
        return False
    sentences = list(_sentences(text))
    denials = {number for number, sentence in enumerate(sentences) if _denies(number, sentences)}
    titles = {
        number - 1
        for number in denials
        if number and sentences[number - 1].title and _TITLE.fullmatch(sentences[number - 1].plain)
    }
    rest = "\n".join(s.text for number, s in enumerate(sentences) if number not in denials | titles)
    return bool(denials) and not _DOING.search(rest)


def _denies(number: int, sentences: list[_Sentence]) -> bool:
    sentence = sentences[number]
    if _SAYS_NONE.fullmatch(sentence.plain):
        return True
    before = sentences[number - 1] if number else None
    below_title = before is not None and before.title and _TITLE.fullmatch(before.plain)
    return bool(below_title and _NONE_BELOW.fullmatch(sentence.plain))


_TITLE_MARK = re.compile(r"[ ]{0,3}#{1,6}[ \t]+")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MARKUP = re.compile(r"[*_`]+")


def _sentences(text: str) -> Iterator[_Sentence]:
    """The sentences of a text in order; lines of one paragraph are joined, titles and list items stand alone."""
    paragraph = ""
    for line in (*text.splitlines(), ""):
        title, item = _TITLE_MARK.match(line), _ITEM_MARK.match(line)
        if (title or item or not line.strip()) and paragraph:
            yield from (_sentence(part, False) for part in _SENTENCE_END.split(paragraph))
            paragraph = ""
        if title:
            yield _sentence(line[title.end() :].rstrip("# \t"), True)
        elif line.strip():
            paragraph += ("\n" if paragraph else "") + (line[item.end() :] if item else line).rstrip()


def _sentence(text: str, title: bool) -> _Sentence:
    plain = " ".join(_MARKUP.sub("", text).split()).lower().rstrip(".!:")
    return _Sentence(text, plain.replace("’", "'"), title)
