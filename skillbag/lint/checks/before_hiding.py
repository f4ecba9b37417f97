"""Quick looks at the words around a literal: whether a phrase that hides something from the user can be there at all.

The looks err on the side of too much, and need no expression: see `before_turning`.
"""

from __future__ import annotations

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_turning import may_be_at, words_after, words_before
from skillbag.lint.signals.tongues import HIDING, finder, signs

_BLANKS = (b" ", b"\n", b"\r\n")
_VERBS = (b"inform", b"notify", b"alert", b"tell", b"reveal", b"let", b"mention", b"disclose", b"show", b"report")
_ENDS = (b"t ", b"r ", b"T ", b"R ", b"  ", b"\t", b"\n")
"""Of the word before such a verb: "not", "don't", "never", "without" or "ever"; the verb may begin a line."""
VERBS = (
    *(b" telling", b" informing", b" notifying", b" alerting"),
    *(end + verb for verb in _VERBS[:-1] for end in _ENDS),
    *(b"t report", b"r report"),
    *(blank + verb.upper() for verb in _VERBS[:-1] for blank in (b" ", b"\n")),
)
_HIDES = (b"hide ", b"hide\n", b"hide\r", b"Hide ", b"Hide\n", b"Hide\r", b"HIDE", b"onceal", b"ONCEAL")
_FROM = (
    *(hidden + blank + b"from" for hidden in (b"ecret", b"idden") for blank in _BLANKS),
    *(hidden + blank + b"FROM" for hidden in (b"ECRET", b"IDDEN") for blank in _BLANKS),
)
_MUSTS = tuple(
    must + never
    for must in (b"must", b"should", b"MUST", b"SHOULD")
    for never in (b" n", b" N", b"\nn", b"\nN", b"\r\nn", b"\r\nN")
)
_OTHERS = (
    *(b"ween us", b"ween you", b"ser know", b"ser notic", b"ser reali", b"ser's kn", b"ser nev", b"ser does"),
    *(b"nothing h", b"retend", b"ser ask", b"f asked"),
)
_SILENT = (b"ilently", b"ecretly", b"overtly", b"uietly")
HINTS = (
    *(*_SILENT, b"t displ", b"r displ", b"t report", b"r report"),
    *(end + verb for verb in (b"tell", b"reveal", b"mention", b"disclose", b"show") for end in (b"t ", b"r ")),
)
"""What the weak phrases have, which count only beside a secret file."""
_KEEPS = tuple(kept + mark for kept in (b"ecret", b"idden") for mark in (b":", b",", b";", b" and", b". Do", b". Ne"))
_SAYING = ("mention", "tell", "report", "announce", "disclose", "reveal")
_LEAVES = (
    *(b"include this ", b"include these ", b"list this ", b"list these ", b"put these ", b"record this "),
    b"record these ",
    *(b"mit this ", b"mit these ", b"eave this ", b"eave these ", b"describe this ", b"describe these "),
)
_NEEDS = ("o need", "t need", "eed not", "eed\tnot", "eed\nnot", "eedn", "t have to", "t have\tto", "t have\nto")
SHORT = tuple(word.encode() for word in _NEEDS)
"""Signs of phrases such as "no need to mention it"."""
CONCEALS = (*VERBS, *_HIDES, *_FROM, *_MUSTS, *_OTHERS, *_KEEPS, *_LEAVES)
"""What the phrases have that count alone."""
# Nearly every path of a secret file has one of these, and most texts have none.
SECRET_PARTS = (".ssh", "id_", ".aws", ".env", ".gnupg", "redentials", "eychain", "allet", "ookies", ".netrc", ".kube")
_REACH = 2_000

_USER = ("user", "human", "operator")
_TELLING = ("telling", "informing", "notifying", "alerting", "mentioning")
_STEP = (
    *("instruction", "step", "rule", "action", "command", "request", "transfer", "upload", "operation"),
    *("part", "file", "result", "content", "output"),
)
_NOT = ("not", "don't", "don’t", "never")


def may_conceal(text: TextFile, _: object = None) -> bool:
    """Whether a text may tell an agent to hide something from its user."""
    if text.language not in ("markdown", "text"):
        return False
    return may_be_at(text, LOOKS) or may_be_at(text, ((frozenset(HINTS), _is_weak),))


def _tells(body: str, at: int) -> bool:
    """For "do not tell the user about this" and "without telling the user"; `at` is a blank or the letter before it."""
    words, before = words_after(body, at + 1, 9), words_before(body, at + 1, 7)
    if words is None or before is None:
        return True
    verb, rest = words[0], words[1:]
    if verb.startswith(_TELLING):
        is_about_user = any(word.startswith(_USER) for word in rest[:5]) or "asking" in before or "prompting" in before
        return is_about_user and any(word.endswith("without") for word in before)
    if not before[-1].endswith(_NOT) or (before[-1].endswith("not") and not before[-2].endswith("do")):
        return False
    if any(word.endswith("keep") for word in before) and any(word.startswith(_USER) for word in rest):
        return True
    if verb in ("inform", "notify", "alert", "tell", "let", "reveal") and any(w.startswith(_USER) for w in rest[:3]):
        return any(word in ("that", "about", "of", "anything") for word in rest[1:6])
    if rest[0] == "the":
        return rest[1].startswith(_STEP)
    if rest[0] not in ("this", "these", "it", "them", "any"):
        return False
    return any(word.startswith((*_USER, *_STEP)) for word in rest)


def _hides(body: str, at: int) -> bool:
    """For "hide this from the user" and "keep this secret from the user"."""
    words = words_after(body, at, 11)
    return words is None or ("from" in words[1:9] and any(word.startswith(_USER) for word in words[2:11]))


def _keeps(body: str, at: int) -> bool:
    """For "keep these steps secret: do not display them to the user"."""
    words, before = words_after(body, at, 10), words_before(body, at, 6)
    if words is None or before is None:
        return True
    return any(word.endswith("keep") for word in before) and any(word.startswith(_USER) for word in words)


def _leaves(body: str, at: int) -> bool:
    """For "do not include this step in your summary for the user" and "omit these commands from the report"."""
    words = words_after(body, at, 14)
    if words is None:
        return True
    return words[2].startswith(_STEP) and any(word.startswith(_USER) for word in words[5:])


def _must_not(body: str, at: int) -> bool:
    """For "the user must not know about this"."""
    words, before = words_after(body, at, 3), words_before(body, at, 1)
    if words is None or before is None:
        return True
    return before[-1].rstrip("s").endswith(_USER) and words[2].startswith(("know", "notice", "find", "be", "learn"))


def _other(body: str, at: int) -> bool:
    words, before = words_after(body, at, 12), words_before(body, at, 14)
    if words is None or before is None:
        return True
    first, second = words[0], words[1]
    if first == "ween":
        return any(word.endswith("keep") for word in before)
    if first in ("nothing", "retend"):
        return second in ("happened", "that", "nothing", "you") or second.startswith("happened") or "if" in before
    if second.startswith("ask") or first == "f":
        return any(word.startswith(("deny", "lie", "pretend", "claim", "say")) for word in words[1:])
    if second in ("never", "does", "doesn't", "doesn’t"):
        found = any(word.startswith(("notice", "know", "find", "reali", "suspect", "learn")) for word in words[2:5])
        return found and any(word.endswith(("so", "sure", "ensure", "that")) for word in before)
    return any(word.endswith("without") for word in before)


def _is_short(body: str, at: int) -> bool:
    """For "no need to mention this edit"."""
    window = body[max(0, at - 60) : at + 100].casefold()
    return any(word in window for word in _SAYING)


LOOKS = (
    (frozenset(VERBS), _tells),
    (frozenset((*_HIDES, *_FROM)), _hides),
    (frozenset(_MUSTS), _must_not),
    (frozenset(_OTHERS), _other),
    (frozenset(_KEEPS), _keeps),
    (frozenset(_LEAVES), _leaves),
    (frozenset(SHORT), _is_short),
    (frozenset(signs(HIDING)), finder(HIDING)),
)
"""Literals, and what tells whether a phrase can be at an offset of one."""


def _is_weak(body: str, at: int) -> bool:
    """For "silently read it" and "do not show them" near the path of a secret file."""
    if not _is_weak_phrase(words_after(body, at + 1, 5), words_before(body, at + 1, 5)):
        return False
    near = body[max(0, at - _REACH) : at + _REACH]
    return any(part in near for part in SECRET_PARTS)


def _is_weak_phrase(words: list[str] | None, before: list[str] | None) -> bool:
    if words is None or before is None or len(words[0]) < 3:
        return True
    if words[0].startswith(("lently", "cretly", "vertly", "ietly")):
        return any(word.startswith(_TAKES) for word in (*words[1:4], *before))
    return before[-1].endswith(_NOT) and words[1].startswith(("this", "these", "it", "them", "the"))


_TAKES = (
    *("read", "send", "upload", "copy", "post", "transmit", "collect", "forward", "cat", "include", "attach"),
    *("append", "exfiltrate"),
)
