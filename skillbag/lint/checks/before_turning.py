"""Quick looks at the words around a literal: whether a text can tell an agent to follow a fetched page at all.

The modules of the rules, and their expressions, are only loaded for texts that pass. The looks err on the side of too
much, and need no expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skillbag.kernel.workspace.text import TextFile

Looks = tuple[tuple[Iterable[bytes], Callable[[str, int], bool]], ...]
MANY = 1_000
"""Places of literals above which a text is not looked at here: hostile texts go to the rules, which have bounds."""
_NEAR = 420


def may_be_at(text: TextFile, looks: Looks) -> bool:
    """Whether one of the looks finds something at a place of its literals, or there are too many of them to look."""
    for literals, look in looks:
        places = text.places.of(literals)
        if len(places) > MANY or any(look(text.document.text, at) for at in places):
            return True
    return False


FOLLOWING = (
    *(
        b"follow it",
        b"xecute them",
        b"reat it as",
        b"reat them as",
        b"ollow the i",
        b"ollow th",
        b"do what it",
        b"ons from h",
        b"obey",
        b"carry out",
        b"xecute it",
    ),
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
