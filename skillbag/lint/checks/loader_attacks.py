"""Data that attacks the program which loads it: tags that construct objects, keys that change prototypes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_TAG = late(
    r"!!python/(?:object(?:/(?:apply|new))?:|module:)[\w.]*|!ruby/(?:object|hash|struct):?[\w:]*"
    r"|!!(?:javax?|com\.sun|org\.\w+)\.[\w.]+"
)
_KEY = late(r"(?<![\w.$-])[\"']?__proto__[\"']?[ \t]*:")
_LITERALS = (b"!!python/", b"!ruby/", b"!!java", b"!!com.sun", b"!!org.", b"__proto__")
_QUOTED = re.compile(r"[\"'`#]")


@Predicate("loader-attack", Subject.TEXT, values=("what",), literals=_LITERALS)
def loader_attack(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Tags and keys in front matter, YAML and JSON that make an unsafe loader run code."""
    body = text.document.text
    if text.language not in ("yaml", "json", "markdown"):
        return
    # Front matter that cannot be read counts as well, and what follows `---` on its line: some loaders close it there.
    end = body.find("\n---", 3) if text.language == "markdown" and body.startswith("---") else len(body)
    if text.language == "markdown" and not body.startswith("---"):
        return
    for at in text.places.of(_LITERALS):
        if at >= end:
            return
        start = text.document.bounds(at)[0]
        tag = _TAG().match(body, at)
        if tag and text.language != "json" and not _QUOTED.search(body, max(start, at - 300), at):
            yield Match(text.document.path, *tag.span(), {"what": f"The tag `{tag[0][:60]}` constructs an object"})
        key = _KEY().match(body, at - 1 if at and body[at - 1] in "\"'" else at)
        if key:
            yield Match(text.document.path, *key.span(), {"what": "The key `__proto__` changes every object"})
