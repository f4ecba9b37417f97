"""A quick look at code in fences: whether it may be broken. It errs on the side of too much.

A parser for each fence of Python or of shell commands, which most texts have, would cost a check several per cent of
its time. So characters are counted, and one expression looks for lines that seem to lack something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.kernel.workspace.text import TextFile

_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_NO_SIGNS = bytes(set(range(256)) - set(b"()[]{}\"'`&|\\"))
_PYTHON = late(
    r"\n(?:[ ]{4})*+(?:[ ]{1,3}+\w|(?:def|class|for|with|if|elif|else|while|try|except|finally|async)\b"
    r"[^\n:]*+(?<![:,(\[{\\\r])\r?(?=\n))"
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
_JSON_VALUE = late(
    r'"(?:[^"\\\n]|\\["\\/bfnrtu])*+"|-?\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+|\b(?:true|false|null)\b|\s++'
)
_JSON_PAIR = late(r"[^v,:{}\[\]]|[,:{\[][,:]|[,:][}\]]|\{\]|\[\}|[v}\]][v{\[]|\{[{\[]|[}\]]:")
"""What stands side by side in no JSON, once `v` stands for each value and blanks are gone."""
_SHELL_WORD = late(r"(?<![\w$.=-])(?:if|then|elif|fi|do|done|case|esac)(?![\w.=-])")
_SHELL_LINE = late(r"\n[ \t]*+(?:&&|\|\|)")
_HERE = late(r"<<-?[ \t]*[\"']?(\w+)")
_APOSTROPHE = late(r"[A-Za-z]'[a-z]")


def _signs(body: str) -> bytes:
    """The brackets and quotes of a text, which are counted far faster than in the text; apostrophes are no quotes."""
    signs = body.encode("utf-8", "replace").translate(None, _NO_SIGNS)
    return signs + b"'" * len(_APOSTROPHE().findall(body)) if signs.count(b"'") % 2 else signs


def _is_unbalanced(signs: bytes, quotes: tuple[bytes, ...]) -> bool:
    for opened, closed in _PAIRS:
        if signs.count(opened) != signs.count(closed):
            return True
    return any(signs.count(quote) % 2 for quote in quotes)


def _json(body: str) -> bool:
    bare = _JSON_VALUE().sub(lambda match: "" if match[0].isspace() else "v", body)
    return _is_unbalanced(bare.encode("utf-8", "replace"), ()) or _JSON_PAIR().search(bare) is not None


def _python(body: str) -> bool:
    signs = _signs(body)
    if _is_unbalanced(signs, (b'"', b"'")) or b"&&" in signs or b"||" in signs or not body.isascii():
        return True
    if "\t" in body or "else if " in body or (b"\\" in signs and "\\ " in body):
        return True
    if _PYTHON().search(body) or _NO_INDENT().search(body) or _ASSIGNED().search(body):
        return True
    if 'print "' in body or "print '" in body:
        return True
    if "try:" in body and body.count("try:") > body.count("except") + body.count("finally:"):
        return True
    return any("#" not in _line_above(body, match.start()) for match in _NO_COMMA().finditer(body))


def _line_above(body: str, end: int) -> str:
    return body[body.rfind("\n", 0, end) + 1 : end]


def _yaml(body: str) -> bool:
    odd = _is_unbalanced(_signs(body), (b'"', b"'")) or _YAML().search(body) is not None or _has_odd_indent(body)
    return odd and read_plain(body, 0) is None


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


def _shell(body: str) -> bool:
    signs = _signs(body)
    if _is_unbalanced(signs, (b'"', b"'", b"`")) or (b"&&" in signs and _SHELL_LINE().search(body)):
        return True
    has_blocks = (
        "then" in body or "done" in body or "esac" in body or "\nfi" in body or "; do" in body or " do\n" in body
    )
    if has_blocks and _has_open_block(_SHELL_WORD().findall(body)):
        return True
    if "<<" not in body:
        return False
    lines = {line.strip() for line in body.split("\n")}
    return not lines.issuperset(_HERE().findall(body))


def _has_open_block(words: list[str]) -> bool:
    is_even = words.count("then") == words.count("if") + words.count("elif")
    return not is_even or any(words.count(opening) != words.count(end) for opening, end in _SHELL_BLOCKS)


_SHELL_BLOCKS = (("if", "fi"), ("do", "done"), ("case", "esac"))


def _javascript(body: str) -> bool:
    first, last = body.lstrip("\r\n").partition("\n")[0], body.rstrip().rpartition("\n")[2]
    if last.endswith(("{", "(", "[", ",")) or _margin(first) != _margin(last):
        # An excerpt begins or ends within a block.
        return False
    # What is an apostrophe in a comment is a fault in a string.
    signs = body.encode("utf-8", "replace").translate(None, _NO_SIGNS)
    return _is_unbalanced(signs, (b'"', b"'", b"`"))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


_LOOKS: Mapping[str, Callable[[str], bool]] = {
    "json": _json,
    **dict.fromkeys(("python", "py", "python3"), _python),
    **dict.fromkeys(("yaml", "yml"), _yaml),
    **dict.fromkeys(("bash", "sh", "shell"), _shell),
    **dict.fromkeys(("javascript", "js", "jsx", "typescript", "ts", "tsx"), _javascript),
}
"""What may be wrong with the code of a fence, by the word after its marks."""
LITERALS = tuple([f"```{word}".encode() for word in _LOOKS])
_LITERALS = frozenset(LITERALS)


def may_be_broken(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a fence that one of the literals opens may have a fault that `fence_syntax` finds."""
    return text.language == "markdown" and bool(suspects(text))


@lru_cache(maxsize=1)
def suspects(text: TextFile) -> tuple[int, ...]:
    """Where the fences of a text begin that may have a fault."""
    source = text.document.text
    return tuple([at for at in text.places.of(_LITERALS) if is_suspect(source, at)])


def is_suspect(source: str, at: int) -> bool:
    """Whether the fence whose marks begin at an offset may have a fault."""
    start = source.find("\n", at)
    look = _LOOKS.get(source[at + 3 : start].strip().lower()) if start >= 0 else None
    return look is not None and look(source[start : source.find("```", start)])
