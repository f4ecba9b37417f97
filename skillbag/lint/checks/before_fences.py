"""A quick look at code in fences: whether it may be broken. It errs on the side of too much.

A parser for each fence of Python or of shell commands, which most texts have, would cost a check several per cent of
its time. So characters are counted, and one expression looks for lines that seem to lack something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.kernel.workspace.text import TextFile

_NO_SIGNS = bytes(set(range(256)) - set(b"()[]{}\"'`&|\\"))
_PYTHON = late(
    r"\n(?:[ ]{4})*+(?:[ ]{1,3}+\w|(?:def|class|for|with|if|elif|else|while|try|except|finally|async)\b"
    r"[^\n:]*+(?<![:,(\[{\\\r])\r?(?=\n)|(?:async[ ]+)?def\b[^\n#]*+(?<![:,(\[{\\\r.])(?=\n))"
)
_ASSIGNED = late(r"if [\w.]+ = ")
_NO_INDENT = late(r":\n(?=\w)")
_NO_COMMA = late(r"""\n(?<=[\w"')\]}]\n)[ \t]++(?:(?P<key>["'])[^"'\n]*(?P=key):|\w++=[^=\s])""")
_YAML = late(
    r"""\n(?:[ ]*\t
      | [ -]*[\w."'-]++:[ \t]++(?:[*@`%&][^\s\w]|[@`%]|(?P<q>["'])[^"'\n]*(?P=q)[ \t]*[^\s#,:\]}]
        | [^"'|>{\[&*!\#\s][^\n\#]*:[ ])
      | [ ]*-[ ]++[*@`%][^\s\w]
      | [ ]*\w[\w-]*+(?:[ ][\w.-]++|:[\w"'][^\n:]*+)?\r?\n[ ]*[\w-]++:[ \r\n]
      | (?P<deep>[ ]*)(?:(?P<item>-[ ])|)[\w.-]++:[ \t]++[^\s|>&!\#{\["'][^\n]*\n(?P=deep)
        (?:[ ]{3,}|[ ]|(?(item)(?!)|[ ]{2}))(?:-[ ])?[\w.-]++:[ \n])""",
    re.VERBOSE,
)
_SHELL_WORD = late(r"(?<![\w$.=-])(?:if|then|elif|fi|do|done|case|esac)(?![\w.=-])")
_SHELL_LINE = late(r"\n[ \t]*+(?:&&|\|\|)")
_HERE = late(r"<<-?[ \t]*[\"']?(\w+)")
_TYPOGRAPHIC = late(r"[“”‘’]")
_APOSTROPHE = late(r"[A-Za-z]'[a-z]")


def _signs(raw: bytes) -> bytes:
    """The brackets and quotes of a text, which are counted far faster than in the text; apostrophes are no quotes."""
    signs = raw.translate(None, _NO_SIGNS)
    return signs + b"'" * len(_APOSTROPHE().findall(_text(raw))) if signs.count(b"'") % 2 else signs


def _has_odd_brackets(signs: bytes) -> bool:
    count = signs.count
    return count(b"(") != count(b")") or count(b"[") != count(b"]") or count(b"{") != count(b"}")


def _has_odd_quotes(signs: bytes) -> bool:
    return bool((signs.count(b'"') | signs.count(b"'")) & 1)


def _json(raw: bytes) -> bool:
    import json

    try:
        json.loads(_text(raw))
    except json.JSONDecodeError:
        return True
    except (ValueError, RecursionError):
        pass
    return False


def _python(raw: bytes) -> bool:
    signs = _signs(raw)
    if _has_odd_brackets(signs) or _has_odd_quotes(signs) or b"&&" in signs or b"||" in signs:
        return True
    body = _text(raw)
    if "\t" in body or "else if " in body or (b"\\" in signs and "\\ " in body):
        return True
    if _PYTHON().search(body) or _NO_INDENT().search(body) or _ASSIGNED().search(body):
        return True
    if 'print "' in body or "print '" in body or (len(body) < len(raw) and _TYPOGRAPHIC().search(body)):
        return True
    if "try:" in body and body.count("try:") > body.count("except") + body.count("finally:"):
        return True
    return any("#" not in _line_above(body, match.start()) for match in _NO_COMMA().finditer(body))


def _line_above(body: str, end: int) -> str:
    return body[body.rfind("\n", 0, end) + 1 : end]


def _yaml(raw: bytes) -> bool:
    signs, body = _signs(raw), _text(raw)
    odd = _has_odd_brackets(signs) or _has_odd_quotes(signs)
    return (odd or _YAML().search(body) is not None or _has_odd_indent(body)) and read_plain(body, 0) is None


def _has_odd_indent(body: str) -> bool:
    """Whether a line is indented less than the one above it, and as no line before."""
    known, above = {0}, 0
    for line in body.replace("- ", "  ").split("\n"):
        bare = line.lstrip(" ")
        if bare and bare[0] != "#":
            indent = len(line) - len(bare)
            if indent < above and indent not in known:
                return True
            known.add(indent)
            above = indent
    return False


def _shell(raw: bytes) -> bool:
    signs = _signs(raw)
    if _has_odd_brackets(signs) or _has_odd_quotes(signs) or signs.count(b"`") & 1:
        return True
    if b"&&" in signs and _SHELL_LINE().search(_text(raw)):
        return True
    has_blocks = (
        b"then" in raw or b"done" in raw or b"esac" in raw or b"\nfi" in raw or b"; do" in raw or b" do\n" in raw
    )
    if has_blocks and _has_open_block(_SHELL_WORD().findall(_text(raw))):
        return True
    if b"<<" not in raw:
        return False
    body = _text(raw)
    lines = {line.strip() for line in body.split("\n")}
    return not lines.issuperset(_HERE().findall(body))


def _has_open_block(words: list[str]) -> bool:
    is_even = words.count("then") == words.count("if") + words.count("elif")
    return not is_even or any(words.count(opening) != words.count(end) for opening, end in _SHELL_BLOCKS)


_SHELL_BLOCKS = (("if", "fi"), ("do", "done"), ("case", "esac"))


def _javascript(raw: bytes) -> bool:
    signs = raw.translate(None, _NO_SIGNS)
    odd = _has_odd_brackets(signs) or signs.count(b"`") & 1
    if not odd and not _has_odd_quotes(signs):
        return False
    body = _text(raw)
    # What is an apostrophe in a comment is a fault in a string.
    if not odd and "//" in body and not _has_odd_quotes(_LINE_COMMENT().sub("", body).encode("utf-8", "replace")):
        return False
    # An excerpt begins or ends within a block.
    first, last = body.lstrip("\r\n").partition("\n")[0], body.rstrip().rpartition("\n")[2]
    return not last.endswith(("{", "(", "[", ",")) and _margin(first) == _margin(last)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


_LINE_COMMENT = late(r"(?<![:\"'`])//[^\n]*")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


_LOOKS: Mapping[bytes, Callable[[bytes], bool]] = {
    b"json": _json,
    **dict.fromkeys((b"python", b"py", b"python3"), _python),
    **dict.fromkeys((b"yaml", b"yml"), _yaml),
    **dict.fromkeys((b"bash", b"sh", b"shell"), _shell),
    **dict.fromkeys((b"javascript", b"js", b"jsx", b"typescript", b"ts", b"tsx"), _javascript),
}
"""What may be wrong with the code of a fence, by the word after its marks."""
LITERALS = tuple([b"```" + word for word in _LOOKS if not word.startswith(tuple(_LOOKS.keys() - {word}))])
"""What a fence begins with: of words that begin with another one, that one, so that no place comes twice."""
_LITERALS = frozenset(LITERALS)


def may_be_broken(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a fence that one of the literals opens may have a fault that `fence_syntax` finds."""
    return text.language == "markdown" and bool(suspects(text))


@lru_cache(maxsize=1)
def suspects(text: TextFile) -> Sequence[int]:
    """Where the fences of a text begin that may have a fault."""
    raw, found = text.document.body, []
    for at in text.places.in_raw(_LITERALS):
        start = raw.find(b"\n", at)
        word = raw[at + 3 : start]
        look = _LOOKS.get(word) or _LOOKS.get(word.strip().lower())
        if start >= 0 and look is not None and look(raw[start : raw.find(b"```", start)]):
            found.append(at)
    return text.places.in_text(found)
