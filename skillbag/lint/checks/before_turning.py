"""Quick looks at the words around a literal: whether a phrase that turns an agent can be there at all.

Most texts have a verb such as "ignore" or "inform", and hardly any has the phrase. The modules of the rules, and their
expressions, are only loaded for texts that pass. The looks err on the side of too much, and need no expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.tongues import IGNORING, finder, signs

Looks = tuple[tuple[Iterable[bytes], Callable[[str, int], bool]], ...]
MANY = 1_000
"""Places of literals above which a text is not looked at here: hostile texts go to the rules, which have bounds."""
_NEAR = 420
_BLANKS = (b" ", b"\n", b"\r\n")

VERBS = (
    *(b"gnore", b"GNORE", b"isregard", b"ISREGARD", b"orget", b"ORGET", b"iscard", b"ISCARD", b"verride", b"VERRIDE"),
    *(b"ypass", b"YPASS", b"isable", b"ISABLE", b"OU ARE NOW"),
    *(b"ou" + blank + b"are" + other + b"now" for blank in _BLANKS for other in _BLANKS),
)
"""What the phrases of `override` begin with, mostly without the first letter, which may be a capital."""
OVERRIDDEN = (
    *("previous", "prior", "earlier", "preceding", "above", "foregoing", "your", "system", "safety", "developer"),
    *("polic", "told", "instructed", "taught", "ordered", "commanded", "are now", "are\nnow", "are\r\nnow"),
)
"""Words of which each phrase that begins with `VERBS` has one."""
_RULES = (
    *("instruction", "prompt", "rules", "guideline", "directive", "guardrail", "training", "restriction", "safeguard"),
    "polic",
)
_WHOLE = ("all", "any", "every", "the", "your", "of", "these", "those", "my", "and")
_EVERYTHING = ("everything", "anything", "whatever", "what", "all")
_FREES = ("dan", "jailbr", "unrestr", "god")
_ORDERS = ("instructions", "rules", "directives", "orders")
_NEGATED = ("not ", "n't ", "n’t ", "never ", "stop ")
_OBSOLETE = ("out of date", "outdated", "obsolete", " void", "superseded", "no longer")
_GIVEN = ("you were ", "you have been ", "you got ", "you received ", "developer", "operator")
_OUTRANKED = ("system prompt", "system instr", "system mess", "developer", "operator", "safety")
_UNSAFE = ("safety confirm", "safety check", "safety rul", "safety guid", "safety pol", "safety filter", "safeguard")
_BESIDE = {
    b"system prompt": _OBSOLETE,
    b"afety guid": _OBSOLETE,
    b"afety rul": _OBSOLETE,
    b"afety pol": _OBSOLETE,
    b"cted mode": ("unrestricted",),
    b"eveloper m": ("operating", "running", "acting", "working", "ignor", "disregard", "bypass", " no ", "without"),
    b"DAN m": (" mode", "-mode"),
    b"god mo": (" mode", "-mode"),
    b"rom now": ("from now on",),
    b"upersed": tuple(f"{word} supersed" for word in _ORDERS),
    b"ons over": ("instructions overr",),
    b"les over": ("rules overr",),
    b"no longer appl": _GIVEN,
    b"not apply": _GIVEN,
    b"le wins": _GIVEN,
    b"ll wins": _GIVEN,
    b"age wins": _GIVEN,
    b"ent wins": _GIVEN,
    b"precedence over": _OUTRANKED,
    b"priority over": _OUTRANKED,
    b"ched off": _UNSAFE,
    b"rned off": _UNSAFE,
    b"uspended": _UNSAFE,
    b"lifted": _UNSAFE,
    b"bound by": ("not bound by", "longer bound by"),
    b"follow your": tuple(f"{word}follow" for word in _NEGATED),
    b"owing your": ("stop following", "never following"),
    b"obey": (*(f"{word}obey" for word in _NEGATED), "from now on"),
    b"ew instr": ("your new ",),
    b"eal instr": ("your real ",),
    b"rue instr": ("your true ",),
}
"""Other signs of such phrases; each needs one of the words beside it, in lower case and with single blanks."""
SIGNS = tuple(_BESIDE)
_FOLDED = tuple((sign.decode().casefold().rstrip(), words) for sign, words in _BESIDE.items())


def may_override(text: TextFile, _: object = None) -> bool:
    """Whether a text may tell an agent to ignore its instructions."""
    if text.language not in ("markdown", "text"):
        return False
    return may_be_at(text, LOOKS)


def may_be_at(text: TextFile, looks: Looks) -> bool:
    """Whether one of the looks finds something at a place of its literals, or there are too many of them to look."""
    for literals, look in looks:
        places = text.places.of(literals)
        if len(places) > MANY or any(look(text.document.text, at) for at in places):
            return True
    return False


def _overrides(body: str, at: int) -> bool:
    words = words_after(body, at, 11)
    if words is None:
        return True
    verb, rest = words[0], words[1:]
    if verb in ("ou", "you"):
        return any(word.startswith(_FREES) for word in rest[2:5])
    if verb in ("gnore", "isregard", "orget", "iscard"):
        if rest[0] in _EVERYTHING and any(word.startswith("you") for word in rest[1:3]):
            return True
        begins = rest[0] in _WHOLE or rest[0].startswith(OVERRIDDEN) or verb == "isregard"
        joined = " ".join(rest)
        return begins and any(word in joined for word in OVERRIDDEN) and any(word in joined for word in _RULES)
    if verb not in ("verride", "ypass", "isable"):
        return False
    while rest[0] in ("all", "any", "of"):
        rest = rest[1:]
    return rest[0] in ("the", "your", "system") and any(word.startswith(_RULES) for word in rest[1:4])


def _has_companion(body: str, at: int) -> bool:
    """Whether one of the words that the sign at an offset needs is beside it."""
    window = body[max(0, at - 160) : at + 160]
    near = " ".join(window.casefold().split())
    if len(near) < len(window) // 2:
        return True
    # The rule searches all of this window, so every sign in it counts, in any case and over line ends.
    return any(sign in near and any(word in near for word in words) for sign, words in _FOLDED)


LOOKS = (
    (frozenset(VERBS), _overrides),
    (frozenset(SIGNS), _has_companion),
    (frozenset(signs(IGNORING)), finder(IGNORING)),
)
"""Literals, and what tells whether a phrase can be at an offset of one."""


FOLLOWING = (
    *(b"follow it", b"ollow the i", b"ollow th", b"do what it", b"ons from h", b"obey", b"carry out", b"xecute it"),
    *(b"o whatever", b"act on it", b"act on them", b"verything it s", b"verything they s", b"go with the "),
)
"""What stands where a text says to follow a fetched page."""
WRITES = (b".md > ", b".md -o", b".md | t", b".md h", b"-o SKI", b"-o ~/.", b"> SKI")
_PAGES = (
    *(".md", ".txt", ".prompt", ".skill", ".yaml", ".yml", "/raw", "/prompt", "/instruction", "/skill", "/agent"),
    *("pastebin.com", "rentry.co", "githubusercontent.com"),
)


def may_follow(text: TextFile, _: object = None) -> bool:
    """Whether a text may tell to follow a fetched page, or may fetch a file of instructions."""
    body = text.document.text
    for at in text.places.of(WRITES):
        near = body[max(0, at - 300) : at + 300]
        if ("curl" in near or "wget" in near) and "http" in near:
            return True
    if text.language not in ("markdown", "text"):
        return False
    return may_be_at(text, ((FOLLOWING, _follows),))


def _follows(body: str, at: int) -> bool:
    near = body[max(0, at - 460) : at + 300].casefold()
    if "http" not in near or not any(page in near for page in _PAGES):
        return False
    words = words_after(body, at, 5)
    if words is None or words[0] not in ("ollow", "follow") or words[1] != "the":
        return True
    return any(word.startswith(("instruction", "step", "directive", "command")) for word in words[2:4])


def words_after(body: str, at: int, count: int) -> list[str] | None:
    """The first words of a text from an offset on, in lower case; None if a gap or a long word hides some of them."""
    words = body[at : at + _NEAR].casefold().split(None, count)
    if len(words) <= count and at + _NEAR < len(body):
        return None
    return [*words[:count], "", ""]


def words_before(body: str, at: int, count: int) -> list[str] | None:
    """The last words of a text before an offset, in lower case; None if a gap or a long word hides some of them."""
    words: list[str] = []
    # Code is indented: most of what is near may be blanks.
    for reach in (160, 1_000):
        words = body[max(0, at - reach) : at].casefold().split()
        if len(words) > count or at <= reach:
            return ["", "", *words[-count:]]
    return None
