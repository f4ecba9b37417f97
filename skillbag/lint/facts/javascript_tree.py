"""JavaScript and TypeScript as nested groups of tokens: enough to follow names, in broken code as well."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_TOKEN = late(
    r"""(?P<blank>[ \t\r\f\v]+|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z))
      | (?P<line>\n)
      | (?P<string>"(?:[^"\\\n]|\\[\s\S])*+"?|'(?:[^'\\\n]|\\[\s\S])*+'?)
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<number>\d[\w.]*)
      | (?P<sign>=>|\?\.|\.\.\.|[=!]==?|[<>]=|&&|\|\||\?\?=?|[-+*/%&|^]=|[\s\S])""",
    __import__("re").VERBOSE,
)
_REGEX = late(r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*")
_BEFORE_REGEX = frozenset("return typeof case in of delete void throw new do else yield await".split())  # noqa: SIM905
"""Words after which a slash begins an expression of its own."""
_CLOSING = {")": "(", "]": "[", "}": "{"}
_DEPTH = 200
_TEMPLATES = 4
"""Templates within each other whose expressions are read."""
_CONTINUES = frozenset(", . ?. = + - * / % && || ?? ? : => ( [ { ! & | < > == === != !== += ...".split())  # noqa: SIM905
_LEADS = frozenset(". ?. + - * / % && || ?? ? : , ) ] } = => == === != !==".split())  # noqa: SIM905


class ScriptToken(NamedTuple):
    """A name, string, number, sign, `regex` or group. `kind` of a group is its bracket; `inner` is what stands in it.

    `text` of a string is its value as written, without quotes. Of a template, `inner` has its expressions.
    `begins`: it is the first of a statement.
    """

    kind: str
    text: str
    start: int
    end: int
    inner: tuple[ScriptToken, ...] = ()
    begins: bool = False


def tokens(text: str, depth: int = 0) -> tuple[ScriptToken, ...]:
    """The tokens of a text, groups within groups to a depth of `_DEPTH`."""
    return _Reader(text, depth).read()


class _Reader:
    def __init__(self, text: str, depth: int) -> None:
        self.text, self.depth = text, depth
        self.open: list[tuple[str, int, list[ScriptToken], bool]] = []
        self.found: list[ScriptToken] = []
        self.begins = True

    def read(self) -> tuple[ScriptToken, ...]:
        at, text = 0, self.text
        while at < len(text):
            if text[at] == "`":
                at = self._template(at)
                continue
            if text[at] == "/" and self._is_regex() and (regex := _REGEX().match(text, at)):
                self._put("regex", regex[0], regex.span())
                at = regex.end()
                continue
            match = _TOKEN().match(text, at)
            if match is None:
                break
            at = match.end()
            kind, value = match.lastgroup or "", match[0]
            if kind == "line":
                last = self.found[-1] if self.found else None
                self.begins = self.begins or last is None or last.kind != "sign" or last.text not in _CONTINUES
            elif kind == "string":
                self._put(
                    "string", value[1:-1] if value[-1:] == value[0] and len(value) > 1 else value[1:], match.span()
                )
            elif kind == "sign":
                self._sign(value, match.span())
            elif kind != "blank":
                self._put(kind, value, match.span())
        while self.open:
            self._close(len(text))
        return tuple(self.found)

    def _is_regex(self) -> bool:
        """Whether a slash is none of a division: no value stands before it."""
        last = self.found[-1] if self.found and not self.begins else None
        return last is None or last.kind == "sign" or last.text in _BEFORE_REGEX

    def _put(self, kind: str, value: str, span: tuple[int, int], inner: tuple[ScriptToken, ...] = ()) -> None:
        self.found.append(ScriptToken(kind, value, *span, inner, self.begins))
        self.begins = False

    def _sign(self, value: str, span: tuple[int, int]) -> None:
        if value in "([{" and len(self.open) < _DEPTH:
            # The body of a function or loop may begin on a line of its own.
            self.begins = self.begins and not (value == "{" and self.found and self.found[-1].kind == "(")
            self.open.append((value, span[0], self.found, self.begins))
            self.found, self.begins = [], True
        elif value in _CLOSING:
            if any(opened[0] == _CLOSING[value] for opened in self.open):
                while self.open[-1][0] != _CLOSING[value]:
                    self._close(span[0])
                self._close(span[1])
        elif value == ";":
            self.begins = True
        else:
            self.begins = self.begins and value not in _LEADS
            self._put("sign", value, span)

    def _close(self, end: int) -> None:
        kind, start, before, begins = self.open.pop()
        inner = tuple(self.found)
        self.found, self.begins = before, begins
        self._put(kind, kind, (start, end), inner)
        self.begins = kind == "{"

    def _template(self, at: int) -> int:
        """A template string; its expressions are read as tokens of their own."""
        start, text = at, self.text
        parts: list[str] = []
        inner: list[ScriptToken] = []
        at += 1
        begin = at
        while at < len(text) and text[at] != "`":
            if text[at] == "\\":
                at += 2
            elif text.startswith("${", at):
                parts.append(text[begin:at])
                end = _template_end(text, at + 2)
                shift = at + 2
                inner += (
                    [_moved(token, shift) for token in tokens(text[shift:end], self.depth + 1)]
                    if self.depth < _TEMPLATES
                    else []
                )
                parts.append("\0")
                at = begin = end + 1
            else:
                at += 1
        parts.append(text[begin:at])
        self._put("string", "".join(parts), (start, min(at + 1, len(text))), tuple(inner))
        return at + 1


def _template_end(text: str, at: int) -> int:
    """The end of an expression in a template, braces within it counted."""
    depth, limit = 0, min(len(text), at + 2_000)
    while at < limit:
        if text[at] == "}":
            if not depth:
                return at
            depth -= 1
        elif text[at] == "{":
            depth += 1
        at += 1
    return limit


def _moved(token: ScriptToken, shift: int) -> ScriptToken:
    inner = tuple(_moved(each, shift) for each in token.inner)
    return token._replace(start=token.start + shift, end=token.end + shift, inner=inner)
