"""Plain slips in code that a text shows, by language: faults that no excerpt, sketch or template has.

A parser for each block that most texts have would cost a check several per cent of its time. So signs are counted
first, and expressions look for lines that seem to lack something; they err on the side of too much.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.lint.checks.javascript import first_unbalanced
from skillbag.lint.checks.json_slips import json_slip
from skillbag.lint.checks.scripts import is_newer, python_words, yaml_fault
from skillbag.lint.checks.shell import shell_fault


class Slip(NamedTuple):
    """A fault in a piece of code: its line and column, both from 1, and what is wrong."""

    line: int
    column: int
    detail: str


def _at(code: str, offset: int, detail: str) -> Slip:
    return Slip(code.count("\n", 0, offset) + 1, offset - code.rfind("\n", 0, offset), detail)


_NO_SIGNS = bytes(set(range(256)) - set(b"()[]{}\"'`"))
"""Few signs are counted far faster than those of a text."""
_APOSTROPHE = late(r"[A-Za-z]'[a-z]")


def _has_odd_signs(code: str) -> bool:
    """Whether brackets or quotes cannot all be in pairs, by their numbers alone; an apostrophe is no quote."""
    signs = code.encode("utf-8", "surrogatepass").translate(None, _NO_SIGNS)
    count = signs.count
    quotes = count(b"'")
    quotes -= len(_APOSTROPHE().findall(code)) if quotes & 1 else 0
    is_paired = count(b"(") == count(b")") and count(b"[") == count(b"]") and count(b"{") == count(b"}")
    return not is_paired or bool((count(b'"') | quotes | count(b"`")) & 1)


def _json(code: str) -> Slip | None:
    found = json_slip(code)
    return _at(code, *found) if found else None


_PYTHON_SIGNS = ("&&", "||", "\t", "\\ ", "else if ", 'print "', "print '")
_PYTHON_LINE = late(
    r"\n(?:[ ]{4})*+(?:[ ]{1,3}+\w|(?:def|class|for|with|if|elif|else|while|try|except|finally|async)\b"
    r"[^\n:]*+(?<![:,(\[{\\\r])\r?(?=\n)|(?:async[ ]+)?def\b[^\n#]*+(?<![:,(\[{\\\r.])(?=\n))"
)
_ASSIGNED = late(r"if [\w.]+ = ")
_NO_INDENT = late(r":\n(?=\w)")
_NO_COMMA = late(r"""\n[^\n#]*+(?<=[\w"')\]}])(?=\n[ \t]++(?:(?P<key>["'])[^"'\n]*(?P=key):|\w++=[^=\s]))""")


def _may_be_no_python(code: str) -> bool:
    return (
        _has_odd_signs(code)
        or any(sign in code for sign in _PYTHON_SIGNS)
        or any(look().search(code) for look in (_PYTHON_LINE, _NO_INDENT, _ASSIGNED, _NO_COMMA))
        or (not code.isascii() and _TYPOGRAPHIC().search(code) is not None)
        or ("try:" in code and code.count("try:") > code.count("except") + code.count("finally:"))
    )


_TYPOGRAPHIC = late(r"[“”‘’]")
_NO_PYTHON = late(r"(?m)^[ \t]*(?:>>>|[%!]|In \[|\$ )")
"""Sessions, and commands of notebooks."""
_SURE = (
    *("unmatched ", "closing parenthesis ", "Missing parentheses in call to "),
    *("unindent does not match", "unexpected character after line continuation"),
    *("positional argument follows keyword", "expected 'else' after", "invalid syntax. Maybe you meant '==' or ':='"),
    *(f"invalid character '{quote}'" for quote in "“”‘’"),
)
_CODE_SIGN = late(r"[=({\[]")
_CONDITION = late(r"[ \t]*(?:if|elif|while)\b")
_STATEMENT = late(
    r"[ \t]*(?:(?:el|else[ ]+)?if|import|from|return|def|class|for|while|with|async|await|print|assert|raise"
    r"|[\w.]+[ \t]*(?:=|\+\+|--))"
)


def _python(code: str) -> Slip | None:
    """Statements in a wrong place are sound in an excerpt: `await`, `return`."""
    if _NO_PYTHON().search(code):
        return None
    error = _syntax_error(_dedented(code))
    if error is None or error.lineno is None:
        return None
    lines = code.split("\n")
    at = min(error.lineno, len(lines))
    if is_newer(lines[at - 1]) or not _is_sure(error, lines, at):
        return None
    return Slip(at, (error.offset or 1) + _margin(code.lstrip("\n").partition("\n")[0]), python_words(error))


def _dedented(code: str) -> str:
    """Code whose first line is indented, without that indentation."""
    margin = _margin(code.lstrip("\n").partition("\n")[0])
    if not margin:
        return code
    return "\n".join([line[margin:] if not line[:margin].strip() else line for line in code.split("\n")])


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


_ONLY_TREE = 0x400
"""`ast.PyCF_ONLY_AST`, without a module that takes long to import."""


def _syntax_error(code: str) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "block", "exec", _ONLY_TREE, dont_inherit=True)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        pass
    return None


def _is_sure(error: SyntaxError, lines: list[str], at: int) -> bool:
    """Whether a fault is one that sketches and excerpts do not have."""
    message, line = str(error.msg), lines[at - 1]
    above = next((other for other in reversed(lines[: at - 1]) if other.strip()), "")
    below = "\n".join(lines[at:]).strip()
    if message.startswith(_SURE):
        return not line.lstrip().startswith(("- ", "* "))
    if message.startswith("expected ':'"):
        # A signature alone has no body; what does lacks only the colon.
        following = next((other for other in lines[at:] if other.strip()), "")
        return _margin(following) > _margin(line)
    if message.startswith(("unterminated string", "unterminated f-string")):
        # An apostrophe in prose is no fault of Python.
        return bool(_CODE_SIGN().search(line))
    if message.endswith("was never closed"):
        return bool(below)
    if message.startswith(("expected an indented block", "expected 'except'")):
        # A list of conditions, or what a comment stands for.
        is_excerpt = line.rstrip().endswith(":") or any(one.lstrip().startswith("#") for one in (line, above))
        return bool(line.strip()) and not is_excerpt
    if message.startswith("unexpected indent"):
        return bool(above.strip()) and not above.lstrip().startswith("#")
    if message.startswith("invalid syntax. Perhaps you forgot a comma"):
        return (error.end_lineno or at) > at
    if "Maybe you meant '==' " in message:
        return bool(_CONDITION().match(line))
    return message == "invalid syntax" and _is_python_but_for(lines, at)


def _is_python_but_for(lines: list[str], at: int) -> bool:
    """Whether a line is a statement of Python by its first words, and all others are Python, too."""
    line = lines[at - 1]
    if not _STATEMENT().match(line) or sum(bool(other.strip()) for other in lines) < 3:
        return False
    indent = line[: _margin(line)]
    rest = [*lines[: at - 1], f"{indent}if _:" if line.rstrip().endswith(":") else f"{indent}_", *lines[at:]]
    return _syntax_error(_dedented("\n".join(rest))) is None


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


def _may_be_no_yaml(code: str) -> bool:
    odd = _has_odd_signs(code) or _YAML().search(code) is not None or _has_odd_indent(code)
    return odd and read_plain(code, 0) is None


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


_SURE_YAML = (
    *("this line is indented with a tab", "found a tab character", "a value cannot begin with", "the value holds `: `"),
    *("a key cannot follow the value above", "this quote is never closed", "did not find expected ',' or"),
    *("did not find expected key", "did not find expected '-' indicator", "did not find expected alphabetic"),
)
_PLACEHOLDER = late(r"\[[ xX]?\]|\[[^\]\n,\"']*[ |][^\]\n,\"']*\]|\*\*|\[--|\[\w+\][-\w]")
_YAML_LINE = late(r"[ \t]*(?:#|- ?|[\w\"'./-]+[ \t]*:(?:[ \t]|\Z)|\}|\]|\Z|---)")


def _yaml(code: str) -> Slip | None:
    code = _only_front_matter(code)
    found = yaml_fault(code)
    lines = code.split("\n")
    if found is None or found.line > len(lines) or _PLACEHOLDER().search(lines[found.line - 1]):
        return None
    if found.detail.startswith(_SURE_YAML):
        return Slip(*found)
    if "could not find expected ':'" in found.detail and _lacks_colon(lines):
        return Slip(*found)
    return None


def _only_front_matter(code: str) -> str:
    """The front matter of a Markdown text that is called YAML."""
    if not code.startswith("---\n"):
        return code
    end = code.find("\n---", 4)
    return code[: end + 1] if end > 0 else code


def _lacks_colon(lines: list[str]) -> bool:
    """Whether all lines but one look like YAML."""
    return sum(not _YAML_LINE().match(line) for line in lines) == 1


_SHELL_SIGNS = ("then", "done", "esac", "\nfi\n", "; do", " do\n", "<<")
_GOES_ON_ABOVE = late(r"\n[ \t]*+(?:&&|\|\|)")


def _may_be_no_shell(code: str) -> bool:
    return (
        _has_odd_signs(code)
        or any(sign in code for sign in _SHELL_SIGNS)
        or ("&&" in code and _GOES_ON_ABOVE().search(code) is not None)
    )


_STAND_IN = late(r"<[A-Za-z][\w |./-]*>")
_NO_COMMAND = late(r"[ \t]*+(?:[\w|*-]++\)[ \t]*\Z|\d+[.)][ \t]|[-*][ \t]|\w+://|.*[A-Za-z]'[a-z])")


def _shell(code: str) -> Slip | None:
    found = shell_fault(_STAND_IN().sub(lambda match: "_" * len(match[0]), code))
    if found is None or _NO_COMMAND().match(code.split("\n")[found[0] - 1]):
        return None
    return Slip(found[0], 1, found[1].removeprefix("warning: "))


def _may_be_no_javascript(code: str) -> bool:
    """An excerpt begins or ends within a block."""
    if not _has_odd_signs(code) and not code.count("'") & 1:
        return False
    first, last = code.lstrip("\r\n").partition("\n")[0], code.rstrip().rpartition("\n")[2]
    return not last.endswith(_GOES_ON) and _margin(first) == _margin(last)


_GOES_ON = ("{", "(", "[", ",")
_PROSE = late(r"[ \t]*(?:[|#>-]|\d+[.)])[ \t]")


def _javascript(code: str, *, markup: bool = False) -> Slip | None:
    """Only what is not closed or not opened, and only where the code does not begin or end within a block."""
    lines = [line for line in code.split("\n") if line.strip()]
    margins = [_margin(line) for line in lines]
    if not lines or min(margins) < margins[0]:
        return None
    found = first_unbalanced(code, markup=markup or "</" in code or "/>" in code)
    if found is None or _PROSE().match(code, code.rfind("\n", 0, found[0]) + 1):
        return None
    return _at(code, *found)


class Language(NamedTuple):
    """The name of a language, what finds the first slip in its code, and a quick look whether there may be one.

    The code that is looked at follows a line feed.
    """

    name: str
    slip: Callable[[str], Slip | None]
    may_have_slip: Callable[[str], bool]


_MARKUP = partial(_javascript, markup=True)
LANGUAGES: Mapping[str, Language] = {
    "json": Language("JSON", _json, bool),
    **dict.fromkeys(("python", "py", "python3"), Language("Python", _python, _may_be_no_python)),
    **dict.fromkeys(("yaml", "yml"), Language("YAML", _yaml, _may_be_no_yaml)),
    **dict.fromkeys(("bash", "sh", "shell"), Language("shell", _shell, _may_be_no_shell)),
    **dict.fromkeys(("javascript", "js"), Language("JavaScript", _javascript, _may_be_no_javascript)),
    "jsx": Language("JavaScript", _MARKUP, _may_be_no_javascript),
    **dict.fromkeys(("typescript", "ts"), Language("TypeScript", _javascript, _may_be_no_javascript)),
    "tsx": Language("TypeScript", _MARKUP, _may_be_no_javascript),
}
"""The languages whose code is read, by the word after the marks of a fence."""
