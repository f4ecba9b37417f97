"""Expressions of JavaScript while its code is read: names, calls and functions that calls get."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.carried import NOTHING, Carried, merged, without
from skillbag.lint.facts.javascript_calls import INERT, READ, RUN, SEND, WRITE, act_of, runs_input, taken_by
from skillbag.lint.facts.javascript_texts import MAX, lines_of, put_together, texts_of_call
from skillbag.lint.facts.javascript_tree import ScriptToken
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.shell_steps import GIVEN, given_steps
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step

_NO_CALLS = frozenset("if for while switch catch with function return typeof await new in of".split())  # noqa: SIM905
_HOME = late(r"(?:^|\.)(?:homedir|HOME|USERPROFILE)$")
_MODULES_WORDS = "Object JSON Array Math Promise Buffer String Number path fs os util console https http axios"
_MODULES = frozenset(_MODULES_WORDS.split())
_GLOBALS = frozenset(["globalThis", "global", "window", "self"])
_FIELD = frozenset(["env"])
_LONGEST = 200
"""Characters of the name of what is called that count."""


class ScriptExpressions(ABC):
    """What expressions are made of; statements are for a subclass."""

    def __init__(self) -> None:
        self.found: list[Step] = []
        self.texts: dict[str, tuple[str, ...]] = {}
        self.functions: dict[str, list[str]] = {}
        # Names of the whole environment.
        self.environments = set[str]()
        # Names of requests that are open.
        self.requests = set[str]()
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
    def _function(self, name: str, parameters: Sequence[str], body: Sequence[ScriptToken]) -> str:
        """Read the body of a function."""

    def _texts(self, keys: Iterable[str], texts: Sequence[str]) -> None:
        for key in keys:
            self.texts[key] = (*self.texts.get(key, ()), *texts)[:MAX]

    def _read(self, items: Sequence[ScriptToken], function: str) -> Carried:
        """What an expression is made of: all its names, with the calls within it."""
        uses, sources, texts = set[str](), list[Origin](), list[list[str]]()
        number = 0
        while number < len(items):
            item = items[number]
            if item.kind == "name" and item.text == "function":
                number = self._inline(items, number, NOTHING, function)
                continue
            if item.kind == "name" and item.text not in _NO_CALLS:
                is_method = number > 0 and items[number - 1].text in (".", "?.")
                value, number = self._chain(items, number, function, is_method=is_method)
            else:
                if number and item.kind == "(" and forms.ends_with_run(items[number - 1]) and not item.begins:
                    given = self._read(item.inner, function)
                    self._add((), given, (Act(ActKind.RUNS, "", "eval", items[number - 1].start, item.end),))
                value, number = self._single(item, function), number + 1
            uses |= value.uses
            sources += value.sources
            if item.text != "+" and value.texts:
                texts.append([*value.texts])
        return Carried(frozenset(uses), tuple(sources), texts=put_together(texts, items))

    def _single(self, item: ScriptToken, function: str) -> Carried:
        if item.kind == "string":
            inner = self._read(item.inner, function) if item.inner else NOTHING
            texts = [item.text]
            for part in inner.texts:
                texts = [text.replace("\0", part, 1) for text in texts]
            return inner._replace(texts=tuple(texts))
        if item.kind == "[":
            parts = [self._read(part, function) for part in forms.parts_of(item.inner)]
            return merged(parts, tuple(text for part in parts for text in part.texts))
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
        values = []
        for part in forms.parts_of(item.inner):
            if len(part) > 2 and part[1].text == ":" and part[0].text in _FIELD and forms.is_options(item):
                continue
            values.append(self._read(part[2:] if len(part) > 2 and part[1].text == ":" else part, function))
        return merged(values, ())

    def _chain(
        self, items: Sequence[ScriptToken], number: int, function: str, *, is_method: bool = False
    ) -> tuple[Carried, int]:
        """A name with what follows it: fields, indexes and calls."""
        first, start = items[number].text, items[number].start
        name = f"().{first}" if is_method else first
        key = self._key(first)
        value = Carried(frozenset([key]), texts=self.texts.get(key, ()))
        number += 1
        while number < len(items):
            item = items[number]
            if forms.is_dot(items, number) or (item.kind == "[" and not item.begins and forms.constant_of(item)):
                field, number = forms.field_at(items, number)
                if name == "this":
                    value = Carried(value.uses | {field})
                # Only the ends of a long chain count.
                name = field if name in _GLOBALS else f"{name[:_LONGEST]}.{field}"
                if _HOME().search(name):
                    value = Carried(texts=("~",))
                elif name == "process.env":
                    value = Carried(sources=(Origin(OriginKind.ENVIRONMENT, name, start, items[number - 1].end),))
                elif name.startswith("process.env.") or first in self.environments:
                    value = NOTHING
            elif item.kind == "[" and not item.begins:
                value = self._indexed(value, item, name, function)
                number += 1
            elif item.kind == "(" and not item.begins:
                value = self._call(name, first, value, item, start, function)
                name = f"{name[:_LONGEST]}()"
                number += 1
            elif item.text == "=>":
                return self._callback(([first], items[number + 1 :]), NOTHING), len(items)
            else:
                break
        return value, number

    def _indexed(self, value: Carried, index: ScriptToken, name: str, function: str) -> Carried:
        if name == "process.env" or name.endswith(".env"):
            return self._read(index.inner, function)
        inner = self._read(index.inner, function)
        return merged([value, inner], value.texts)

    def _call(self, name: str, first: str, held: Carried, given: ScriptToken, start: int, function: str) -> Carried:
        arguments = [*forms.parts_of(given.inner)]
        arrows = [forms.arrow_of(argument) for argument in arguments]
        # Once each: calls are within calls.
        values = [
            NOTHING if arrow else self._read(each, function) for each, arrow in zip(arguments, arrows, strict=True)
        ]
        method = name.rpartition(".")[2]
        if method in ("split", "match", "exec", "find") and not name.startswith(("cp.", "child_process.")):
            held = without(held, OriginKind.LOGIN_FILE)
        if name.endswith((".filter", ".find")) and forms.is_spared(given.inner):
            held = without(held, OriginKind.ENVIRONMENT)
        passed = merged([held, self._taken(name, values, (start, given.end))], held.texts) if any(arrows) else held
        for number, (argument, arrow) in enumerate(zip(arguments, arrows, strict=True)):
            if len(argument) == 1 and argument[0].kind == "name" and RUN().search(argument[0].text):
                self._add((), held, (Act(ActKind.RUNS, "", argument[0].text, start, given.end),))
            if arrow is not None:
                values[number] = self._callback(arrow, passed)
        if method in self.functions and not SEND().search(name):
            for parameter, value in zip(self.functions[method], values, strict=False):
                self._add((parameter,), value)
            return Carried(frozenset([f"{method}()"]))
        if name in INERT:
            return NOTHING
        everything = merged([held, *values], texts_of_call(method, held, values))
        span = (start, given.end)
        act = act_of(name, first, method, [value.texts for value in values], span)
        files = [file_name(text) for value in values[:1] for text in value.texts]
        if READ().search(name):
            everything = merged([everything, Carried(frozenset(f"file:{each}" for each in files))], ())
        if name == "import" and any(text.startswith(("http://", "https://")) for text in everything.texts):
            fetched = (Origin(OriginKind.DOWNLOAD, everything.texts[0], *span),)
            self._add((), Carried(sources=fetched), (Act(ActKind.RUNS, "", name, *span),))
        if act is not None:
            self._add((), everything, (act,))
        if act is not None and act.kind is ActKind.STARTS:
            self._add((), Carried(frozenset(f"file:{each}" for each in files)), (act._replace(kind=ActKind.RUNS),))
            if values and not values[0].texts:
                self._add((), values[0], (act._replace(kind=ActKind.RUNS),))
            everything = self._commands(lines_of(values), everything, span)
        if method == "pipe" and arguments:
            self._piped(arguments[0], held, span, function)
        if name == "require" and files:
            self._add((), Carried(frozenset(f"file:{each}" for each in files)), (Act(ActKind.RUNS, "", name, *span),))
        if WRITE().search(name):
            self._add([f"file:{each}" for each in files], everything)
        taken = taken_by(name, files, [value.texts for value in values], span)
        if "." in name and not taken and first not in _MODULES and any(value.uses or value.sources for value in values):
            # `list.push(value)`, `request.write(value)`: what holds the method may keep it.
            self._add((self._key(first),), merged(values, ()))
        return everything._replace(sources=everything.sources + taken)

    def _commands(self, lines: Iterable[str], given: Carried, span: tuple[int, int]) -> Carried:
        """Read the command lines of a call; what they print is its result."""
        printed = set[str]()
        for line in lines:
            steps = given_steps(line.replace("\0", f"${GIVEN}"), Step((), given.uses, given.sources), *span)
            printed.update(name for step in steps for name in step.defines if name.startswith("("))
            self.found += steps
        return given._replace(uses=given.uses | printed)

    def _piped(self, target: Sequence[ScriptToken], held: Carried, span: tuple[int, int], function: str) -> None:
        """`a.pipe(b)`: b gets a, be it a request, a file or the input of an interpreter."""
        texts = [item.text for item in target if item.kind == "name"]
        if texts[:1] and texts[0] in self.requests:
            self._add((), held, (Act(ActKind.SENDS, "", "pipe", *span),))
        given = next((item for item in target if item.kind == "("), None)
        if given is None or not texts:
            self._add([self._key(text) for text in texts[:1]], held)
            return
        inner = self._read(given.inner, function)
        if "createWriteStream" in texts:
            self._add([f"file:{file_name(text)}" for text in inner.texts], held)
        elif "spawn" in texts and any(map(runs_input, inner.texts[:1])):
            self._add((), held, (Act(ActKind.RUNS, "", "spawn", *span),))

    def _taken(self, name: str, values: Sequence[Carried], span: tuple[int, int]) -> Carried:
        """What a call gives to the function that it is given: a file, a download."""
        if len(values) < 2:
            return NOTHING
        texts = values[0].texts
        files = [file_name(text) for text in texts]
        read = frozenset(f"file:{each}" for each in files) if READ().search(name) else frozenset()
        return Carried(read, taken_by(name, files, [texts], span))

    def _callback(self, arrow: tuple[list[str], Sequence[ScriptToken]], held: Carried) -> Carried:
        """A function given to a method: its parameters get what holds the method."""
        parameters, body = arrow
        scope = f"({body[0].start if body else 0}"
        keys = [f"{scope}.{parameter}" for parameter in parameters]
        self._add(keys, held)
        self._texts(keys, held.texts)
        self._function("", parameters, body)
        return Carried(frozenset([f"{scope}()"]), texts=self.texts.get(f"{scope}()", ()))

    def _inline(self, items: Sequence[ScriptToken], number: int, held: Carried, function: str) -> int:
        body = next((n for n in range(number, len(items)) if items[n].kind == "{"), None)
        if body is None:
            return len(items)
        self.block(items[body].inner, function)
        return body + 1
