"""Plain slips in code that a text shows, by language: faults that no excerpt, sketch or template has."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
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


def _json(code: str) -> Slip | None:
    found = json_slip(code)
    return _at(code, *found) if found else None


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


_STAND_IN = late(r"<[A-Za-z][\w |./-]*>")
_NO_COMMAND = late(r"[ \t]*+(?:[\w|*-]++\)[ \t]*\Z|\d+[.)][ \t]|[-*][ \t]|\w+://|.*[A-Za-z]'[a-z])")


def _shell(code: str) -> Slip | None:
    found = shell_fault(_STAND_IN().sub(lambda match: "_" * len(match[0]), code))
    if found is None or _NO_COMMAND().match(code.split("\n")[found[0] - 1]):
        return None
    return Slip(found[0], 1, found[1].removeprefix("warning: "))


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


READERS: Mapping[str, tuple[str, Callable[[str], Slip | None]]] = {
    "json": ("JSON", _json),
    **dict.fromkeys(("python", "py", "python3"), ("Python", _python)),
    **dict.fromkeys(("yaml", "yml"), ("YAML", _yaml)),
    **dict.fromkeys(("bash", "sh", "shell"), ("shell", _shell)),
    **dict.fromkeys(("javascript", "js"), ("JavaScript", _javascript)),
    "jsx": ("JavaScript", partial(_javascript, markup=True)),
    **dict.fromkeys(("typescript", "ts"), ("TypeScript", _javascript)),
    "tsx": ("TypeScript", partial(_javascript, markup=True)),
}
"""The name of each language, and what finds the first slip in its code."""
