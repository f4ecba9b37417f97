"""The extra installation steps of a source: the prose of its `AGENTS.md`, shown and agreed to, never executed.

There are none if a plain sentence denies them and the text has no command, prerequisite or instruction; describing the
skills (`Installed media skills live under .skills/`) is none of these. In doubt the text is shown.
`kernel/transaction/agreed_steps.py` records what was agreed to in which workspace.
"""

from __future__ import annotations

import os
import re
from itertools import takewhile

from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.sentences import Sentence, read_sentences, without_code, without_comments
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.workspace.target import AGENTS
from skillbag.supply.sources.fetched import Fetched

_KIND = (
    r"(?:(?:additional|extra|further|special|other|more|manual|separate|custom|specific|particular|required)"
    r"(?:\ or)?\ )*"
)
_TOPIC = r"(?:(?:installation|install|set[\ -]?up|configuration|bootstrap(?:ping)?|(?:pre|post)-install(?:ation)?)\ )?"
_NOUN = (
    r"(?:steps?|instructions?|actions?|procedures?|requirements?|prerequisites?|installation|set[\ -]?up|configuration)"
)
_NEED = r"(?:\ (?:required|needed|necessary|defined|to\ (?:follow|run|perform|take)))"
_WHOLE = r"(?:skills|repository|repo|source|collection|package|bag|catalog|workspace)"
# After `these`, the media skills of a source may be all that it has; after `the` they are a part of it.
_ALL = rf"(?:(?:the|all(?:\ of)?\ (?:the|these))\ |(?:this|these|any|all|our)\ (?:[\w-]+\ )?){_WHOLE}(?:\ source)?"
_ACT = r"(?:installation|installing|set[\ -]?up|use)"
_WHEN = rf"(?:to\ (?:install|use|set\ up)|(?:for|on|during|before|after)\ (?:the\ )?{_ACT})"
_HERE = rf"(?:\ (?:(?:for|in|by|of)\ (?:{_ALL}|it|them)|{_WHEN}(?:\ (?:of\ )?(?:{_ALL}|it|them))?)){{0,2}}"
_BARE = r"(?:none|no|nothing|n/?a|not\ (?:applicable|required|needed)|there\ are\ none)"
_THINGS = rf"{_KIND}{_TOPIC}{_NOUN}"
_MORE = r"(?:\ (?:else|more|further|extra|special|additional))?"
_SUBJECT = rf"(?:it|they|skills|{_ALL}|installation|installing(?:\ (?:them|it|skills|{_ALL}))?)"

_SAYS_NONE = re.compile(
    rf"""(?:there\ (?:is|are)\ )? (?:currently\ )? no\ {_THINGS} (?:\ (?:is|are))? {_NEED}? {_HERE}
       | there\ (?:isn't|aren't|is\ not|are\ not)\ any\ {_THINGS} {_NEED}? {_HERE}
       | (?:{_SUBJECT}\ )?(?:needs?|requires?|has|have|defines?|takes?|involves?)\ no\ {_THINGS} {_NEED}? {_HERE}
       | {_SUBJECT}\ do(?:es)?(?:\ no|n'?)t\ (?:need|require|have|define|take|involve)\ (?:any\ )?{_THINGS}
         {_NEED}? {_HERE}
       | (?:there\ is\ |there's\ )?nothing{_MORE}
         \ (?:is\ |needs\ to\ be\ )? (?:required|needed|necessary|done|installed|set\ up|configured
         |to\ (?:do|be\ done|install|set\ up|configure)) {_HERE}
       | {_SUBJECT}\ (?:needs?|requires?|takes?)\ nothing{_MORE} {_HERE}
       | you\ do(?:\ no|n'?)t\ (?:need|have)\ to\ (?:do|set\ up|configure)\ anything{_MORE} {_HERE}
       | {_THINGS}\ ?(?::|-|–|—)\ ?{_BARE} {_NEED}? {_HERE}
       | {_THINGS}\ (?:is|are)\ (?:not|none)(?:\ (?:required|needed|necessary))? {_HERE}
       | (?:none|nothing)\ (?:is|are)\ (?:required|needed|necessary) {_HERE}
    """,
    re.VERBOSE,
)
_TITLE = re.compile(_THINGS, re.VERBOSE)
_NONE_BELOW = re.compile(rf"{_BARE}(?:\ (?:is|are))?{_NEED}?{_HERE}", re.VERBOSE)

# A description in a sentence about skills, an instruction elsewhere.
_DOES = r"""instal | \bsteps?\b | bootstrap | \bbuild | \brun\b | \brun(?:s|ning)\b | \bexecut | \binvok | \bstart\b
      | \bcop(?:y|ied|ying)\b | \bconfigur | \bcustomi[sz] | \bfirst\b | \bfetch | \blink\b | \bupgrad
      | \binit(?:iali[sz]e|iali[sz]ing)?\b"""
# An instruction or a prerequisite in any sentence. A false match costs one question.
_ASKING = r"""\bset(?:s|ting)?[ -]?up\b | prerequisit | \brequir | \bneed | \bdepend
      | \benvironment | \benv\b | \bAPI\b | \btokens?\b | \bcredential | \bpassword
      | \blog[ -]?in\b | \bsign[ -]?in\b | authenticat | authori[sz] | \bdownload | \bclon(?:e|ing)\b
      | \bcompil | \bmigrat | \brenam
      | \bsymlink | \bappend | \bpaste\b | \benabl | \bactivat | \bregister | \bto\ your\b | \bserver
      | \bdaemon | \bmanual | \blaunch
      | \bbefore\b | \bafter | \bmake\b | \bpatch\b | \bexcept | \bunless\b | \bchmod\b | \bsudo\b
      | \bexport\b | \bcurl\b | \bwget\b | \b(?:pip3?|pipx|uvx?|npm|npx|pnpm|yarn|brew|apt|cargo|conda|docker|podman)\b
      | [\w/-]\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|js|mjs|ts|rb|pl|exe|toml|cfg|ini|service)\b
      | (?m:^[ \t]*(?:\$|%|PS>)\ ) | (?-i:\b(?!USER_CONTEXT\b)[A-Z][A-Z0-9]*_[A-Z0-9_]+\b) | (?-i:\bPATH\b)"""
# Makes a sentence about skills a condition or a duty.
_BINDING = r"""\b(?:must|should|shall|ha(?:s|ve)\ to|had\ to|ensure|sure|please|you|your|yourself|then|until|if|provided
      |once(?!\ installed) | when(?!\ installed) | only | expect(?:s|ed)? | assum(?:e|es|ed|ing) | rel(?:y|ies) | wants?
      | by\ (?:running|installing|using|hand) | using | through | via
      | with(?!\ (?:their|its)\b) | against | plus | and\ also)\b"""
_DOING = re.compile(f"{_DOES} | {_ASKING}", re.VERBOSE | re.IGNORECASE)
_BOUND = re.compile(f"{_ASKING} | {_BINDING}", re.VERBOSE | re.IGNORECASE)

_OF_SKILLS = re.compile(
    r"""(?:(?:once|when)\ installed,?\ )?
        (?:(?:the|these|this|all|each|every|our|its|any|both|currently)\ (?:of\ the\ )?)*
        (?!(?:install|build|run|execute|invoke|start|copy|configure|customi[sz]e|fetch|link|upgrade)\ )
        (?:[\w-]+\ ){0,2}?
        (?:skills?|repository|repo|source|catalog|collection|bag|everything|they|it|\.skills/(?:skills\.md)?)
        (?:\ (?:of|in|from|installed\ from)\ (?:this|the|our)\ (?:repository|repo|source|collection))?
        \ (?:(?:can|may|will)\ (?:all\ )?)?
        (?:is|are|be|gets?|lives?|lies?|resides?|sits?|stays?|goe?s?|belongs?|contains?|holds?|lists?|describes?
          |ha(?:s|ve)|helps?|covers?|provides?|offers?|distributes?|works?|runs?|appears?|comes?|installs?)\b .*""",
    re.VERBOSE | re.DOTALL,
)
_LONGEST = 300
_SHELLS = frozenset(("sh", "bash", "shell", "console", "zsh", "fish", "terminal", "powershell", "pwsh", "bat", "cmd"))


def extra_steps(fetched: Fetched) -> str | None:
    """The whole text of `AGENTS.md`; None if it denies extra steps and has none.

    Clauses source.extra-steps, bootstrap.extra-steps. None if the file can't be read, as `verify_source` refuses such a
    source, and for a plain repository, where the file is for its developers.
    """
    if fetched.plain is not None:
        return None
    document = read_document(os.path.join(fetched.root, AGENTS), fetched.root)
    return document.text if isinstance(document, Document) and not denies_steps(document.text) else None


def denies_steps(text: str) -> bool:
    """Whether the text says that there are no extra steps, and has none."""
    if any(fence.info.partition(" ")[0].lower() in _SHELLS for fence in scan(text).fences):
        return False
    sentences = list(read_sentences(text))
    # An example and a comment deny nothing.
    stated = {sentence.plain for sentence in read_sentences(without_code(without_comments(text)))}
    denials = {number for number, each in enumerate(sentences) if each.plain in stated and _denies(number, sentences)}
    if not denials:
        return False
    done = denials | {number for number, sentence in enumerate(sentences) if _describes_skills(sentence)}
    done |= {number for number in range(len(sentences)) if _heads(number, sentences, done)}
    rest = [sentence.text for number, sentence in enumerate(sentences) if number not in done]
    return not _DOING.search("\n".join(rest))


def _describes_skills(sentence: Sentence) -> bool:
    """Whether a sentence describes the skills, without a prerequisite or an instruction."""
    return (
        not sentence.title
        and len(sentence.plain) < _LONGEST
        and _OF_SKILLS.fullmatch(sentence.plain) is not None
        and not _BOUND.search(sentence.text)
    )


def _heads(number: int, sentences: list[Sentence], done: set[int]) -> bool:
    """Whether a sentence is a title about steps, and all sentences below it, up to the next title, are `done`."""
    sentence = sentences[number]
    if not sentence.title or not _TITLE.fullmatch(sentence.plain):
        return False
    below = list(takewhile(lambda other: not sentences[other].title, range(number + 1, len(sentences))))
    return bool(below) and done.issuperset(below)


def _denies(number: int, sentences: list[Sentence]) -> bool:
    sentence = sentences[number]
    if _SAYS_NONE.fullmatch(sentence.plain):
        return True
    before = sentences[number - 1] if number else None
    below_title = before is not None and before.title and _TITLE.fullmatch(before.plain)
    return bool(below_title and _NONE_BELOW.fullmatch(sentence.plain))
