"""Expressions of JavaScript while its code is read: names, fields, texts and functions that calls get."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.carried import NOTHING, Carried, merged
from skillbag.lint.facts.javascript_links import ScriptLinks
from skillbag.lint.facts.javascript_texts import MAX, put_together
from skillbag.lint.facts.javascript_tree import ScriptToken
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.values import Act, Origin, OriginKind, Step

_NO_CALLS = frozenset("if for while switch catch with function return typeof await new in of".split())  # noqa: SIM905
_HOME = late(r"(?:^|\.)(?:homedir(?:\(\))?|HOME|USERPROFILE)$")
_GLOBALS = frozenset(["globalThis", "global", "window", "self"])
ENVIRONMENTS = ("process.env", "Bun.env")
_ONE_VARIABLE = tuple(f"{name}." for name in ENVIRONMENTS)
_FIELD = frozenset(["env"])
_NAMING = frozenset(["path", "attachments", "source", "url", "uri", "args", "cmd"])
"""Fields of options that say what a call is about: its texts are those of the object."""
LONGEST = 200
"""Characters of the name of what is called that count."""


class ScriptExpressions(ABC):
    """What expressions are made of; calls and statements are for subclasses."""

    def __init__(self, files: FilesBeside) -> None:
        self.files, self.links = files, ScriptLinks(files)
        self.named = set[str]()
        self.found: list[Step] = []
        self.texts: dict[str, tuple[str, ...]] = {}
        self.functions: dict[str, list[tuple[str, ...]]] = {}
        # What variables stand for: modules, their functions, and what these give.
        self.names: dict[str, str] = {}
        # The functions around the place that is read, with the names that each declares.
        self.scopes: list[tuple[str, frozenset[str]]] = []

    def _add(self, defines: Iterable[str], value: Carried, acts: tuple[Act, ...] = ()) -> None:
        if value.uses or value.sources:
            self.found.append(Step(tuple(defines), value.uses, value.sources, acts))

    def _key(self, name: str) -> str:
        """The name of a variable: that of a function has the function before it."""
        for scope, declared in reversed(self.scopes):
            if name in declared:
                return f"{scope}.{name}"
        return name

    @abstractmethod
    def block(self, items: Sequence[ScriptToken], function: str) -> None:
        """Read the statements of a text or of braces."""

    @abstractmethod
    def _function(self, name: str, parameters: Sequence[tuple[str, ...]], body: Sequence[ScriptToken]) -> str:
        """Read the body of a function."""

    @abstractmethod
    def _call(self, called: Carried, first: str, given: ScriptToken, start: int, function: str) -> Carried:
        """What a call gives, with what it takes, sends, runs or stores."""

    @abstractmethod
    def _commands(self, lines: Iterable[str], given: Carried, span: tuple[int, int]) -> Carried:
        """What command lines of a program give."""

    def _texts(self, keys: Iterable[str], texts: Sequence[str]) -> None:
        for key in keys:
            self.texts[key] = (*self.texts.get(key, ()), *texts)[:MAX]

    def _read(self, items: Sequence[ScriptToken], function: str) -> Carried:
        """What an expression is made of: all its names, with the calls within it."""
        uses, sources, texts = set[str](), list[Origin](), list[list[str]]()
        number, name, is_chain = 0, "", True
        while number < len(items):
            item = items[number]
            if item.kind == "name" and item.text == "function":
                number = self._inline(items, number, function)
                continue
            if item.text == "as" and number and items[number - 1].kind != "sign":
                # A type of TypeScript.
                number += 2
                continue
            value, number = self._part(items, number, function)
            uses |= value.uses
            sources += value.sources
            is_chain = item.text == "," or (is_chain and item.kind != "sign")
            name = value.name or name
            if item.text != "+" and value.texts:
                texts.append([*value.texts])
        return Carried(frozenset(uses), tuple(sources), texts=put_together(texts, items), name=name if is_chain else "")

    def _part(self, items: Sequence[ScriptToken], number: int, function: str) -> tuple[Carried, int]:
        """A name, text or group with the fields, indexes and calls that follow it, and the place after them."""
        item = items[number]
        if item.kind == "name" and item.text not in _NO_CALLS:
            if number + 1 < len(items) and items[number + 1].text == "=>":
                return self._callback(([(item.text,)], items[number + 2 :]), NOTHING), len(items)
            is_method = number > 0 and items[number - 1].text in (".", "?.")
            return self._links(self._variable(item, is_method=is_method), item.text, items, number + 1, function)
        following = items[number + 1] if number + 1 < len(items) else None
        arrow = forms.arrow_of(item.inner) if item.kind == "(" and following and following.kind == "(" else None
        if arrow and following:
            # A function that is called where it stands.
            return self._callback(arrow, self._read(following.inner, function)), number + 2
        value = self._single(item, function)
        if item.kind == "sign" or item.kind == "name":
            return value, number + 1
        return self._links(value, "", items, number + 1, function)

    def _variable(self, item: ScriptToken, *, is_method: bool) -> Carried:
        key = self._key(item.text)
        name = f"().{item.text}" if is_method else self.names.get(key, item.text)
        value = Carried(frozenset([key]), texts=self.texts.get(key, ()), name=name)
        return self._shared(self._known(value, (item.start, item.end)), item.text)

    def _shared(self, value: Carried, first: str) -> Carried:
        """A value with the name that it has in another file, or by which it comes from what starts the program."""
        base = self.names.get(self._key(first), first)
        return value._replace(uses=value.uses | self.links.taken(first, value.name, is_whole=value.name == base))

    def _known(self, value: Carried, span: tuple[int, int]) -> Carried:
        """What a name stands for if that is the environment, one of its variables, or the home folder."""
        if _HOME().search(value.name):
            return Carried(texts=("~",), name=value.name)
        if value.name in ENVIRONMENTS:
            return value._replace(sources=(Origin(OriginKind.ENVIRONMENT, value.name, *span),))
        return Carried(texts=value.texts, name=value.name) if value.name.startswith(_ONE_VARIABLE) else value

    def _single(self, item: ScriptToken, function: str) -> Carried:
        if item.kind == "string":
            inner = self._read(item.inner, function) if item.inner else NOTHING
            texts = [item.text]
            for part in inner.texts:
                texts = [text.replace("\0", part, 1) for text in texts]
            return inner._replace(texts=tuple(texts), name="")
        if item.kind == "[":
            parts = [self._read(part, function) for part in forms.parts_of(item.inner)]
            return merged(parts, tuple(text for part in parts for text in part.texts or ("\0",)))
        if item.kind == "(":
            return self._read(item.inner, function)
        if item.kind == "{":
            return self._object(item, function)
        return NOTHING

    def _object(self, item: ScriptToken, function: str) -> Carried:
        """An object, or the body of a function: fields `env` are for another process."""
        if any(inner.text in ("return", "const", "let", "var", "if", "for") for inner in item.inner if inner.begins):
            self.block(item.inner, function)
            return NOTHING
        values, texts = list[Carried](), list[str]()
        for part in forms.parts_of(item.inner):
            field = part[0].text if len(part) > 2 and part[1].text == ":" else ""
            if field in _FIELD and forms.is_options(item):
                continue
            values.append(self._read(part[2:] if field else part, function))
            texts += values[-1].texts if field in _NAMING else ()
        return merged(values, tuple(texts[:MAX]))

    def _links(
        self, value: Carried, first: str, items: Sequence[ScriptToken], number: int, function: str
    ) -> tuple[Carried, int]:
        """A value with what follows it: fields, indexes and calls."""
        start = items[number - 1].start
        while number < len(items):
            number = forms.after_types(items, number)
            item = items[number]
            if forms.is_dot(items, number) or (item.kind == "[" and not item.begins and forms.constant_of(item)):
                field, number = forms.field_at(items, number)
                value = self._shared(self._field(value, field, (start, items[number - 1].end)), first)
            elif item.kind == "[" and not item.begins:
                value = self._indexed(value, item, (start, item.end), function)
                number += 1
            elif item.kind == "(" and not item.begins and value.name:
                value = self._call(value, first, item, start, function)
                number += 1
            elif item.kind == "string" and not item.begins and forms.is_command_tag(value.name):
                value = self._commands([item.text], self._read(item.inner, function), (start, item.end))
                number += 1
            else:
                break
        return value, number

    def _field(self, value: Carried, field: str, span: tuple[int, int]) -> Carried:
        # Only the ends of a long chain count.
        name = field if value.name in _GLOBALS else f"{value.name[:LONGEST] or '()'}.{field}"
        if value.name == "this":
            value = Carried(value.uses | {field}, texts=self.texts.get(field, ()))
        return self._known(value._replace(name=name), span)

    def _indexed(self, value: Carried, index: ScriptToken, span: tuple[int, int], function: str) -> Carried:
        if item := self.links.item(value.name, index):
            return Carried(item)
        inner = self._read(index.inner, function)
        if value.name.endswith(".env"):
            return inner._replace(name="")
        if len(inner.texts) == 1 and value.name:
            return self._field(merged([value, inner], value.texts)._replace(name=value.name), inner.texts[0], span)
        return merged([value, inner], value.texts)

    def _callback(self, arrow: tuple[list[tuple[str, ...]], Sequence[ScriptToken]], held: Carried) -> Carried:
        """A function given to a method: its parameters get what holds the method."""
        parameters, body = arrow
        scope = f"({body[0].start if body else 0}"
        keys = [f"{scope}.{name}" for names in parameters for name in names]
        self._add(keys, held)
        self._texts(keys, held.texts)
        self._function("", parameters, body)
        return Carried(frozenset([f"{scope}()"]), texts=self.texts.get(f"{scope}()", ()))

    def _inline(self, items: Sequence[ScriptToken], number: int, function: str) -> int:
        body = next((n for n in range(number, len(items)) if items[n].kind == "{"), None)
        if body is None:
            return len(items)
        self.block(items[body].inner, function)
        return body + 1
