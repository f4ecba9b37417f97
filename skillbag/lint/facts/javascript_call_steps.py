"""Calls of JavaScript while its code is read: what each takes, sends, runs or stores, and what it gives."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence

from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.carried import NOTHING, Carried, field_of, merged, without
from skillbag.lint.facts.javascript_calls import (
    FOREIGN_MODULE,
    INERT,
    PROCESS,
    READ,
    RUN,
    SEND,
    WRITE,
    act_of,
    is_text,
    runs_input,
    taken_by,
)
from skillbag.lint.facts.javascript_expressions import LONGEST, ScriptExpressions
from skillbag.lint.facts.javascript_texts import lines_of, texts_of_call
from skillbag.lint.facts.javascript_tree import ScriptToken
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.shell_steps import GIVEN, given_steps
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step

_MODULES_WORDS = "Object JSON Array Math Promise Buffer String Number path fs os util console https http axios vm"
_MODULES = frozenset(_MODULES_WORDS.split())
_NAMED_VALUES = ("=", ":")
"""What stands between the name and the value in a line of a file of logins."""
_REQUIRES = ("require", "import", "module.constructor._load", "Module._load", "module.Module._load")


class ScriptCalls(ScriptExpressions, ABC):
    """Expressions with their calls; statements are for a subclass."""

    def _call(self, called: Carried, first: str, given: ScriptToken, start: int, function: str) -> Carried:
        arguments = [*forms.parts_of(given.inner)]
        arrows = [forms.arrow_of(argument) for argument in arguments]
        # Once each: calls are within calls.
        values = [
            NOTHING if arrow else self._read(each, function) for each, arrow in zip(arguments, arrows, strict=True)
        ]
        span, name = (start, given.end), called.name
        if name == "Reflect.get" and len(values) > 1 and values[1].texts:
            return self._field(values[0], values[1].texts[0], span)
        name, skipped = _direct(name, values, given)
        values, arrows, held = values[skipped:], arrows[skipped:], self._held(called, name, given)
        taken = self._taken(name, values, arguments, span)
        act = self._act(name, values, given, start)
        everything = merged([held, taken, *values])
        if act is not None and act.kind is ActKind.STARTS:
            everything = self._started(act, values, everything)
        passed = merged([everything if act and act.kind is ActKind.STARTS else held, taken], held.texts)
        values = [
            self._callback(arrow, passed) if arrow else value for arrow, value in zip(arrows, values, strict=True)
        ]
        method = name.rpartition(".")[2]
        if method in self.functions and not SEND().search(name):
            for names, value in zip(self.functions[method], values, strict=False):
                self._add(names, value)
            return Carried(frozenset([f"{method}()"]))
        if name == "console.log" and self.files.own:
            self._add((self.files.member("stdout"),), merged(values))
        if name in INERT:
            return NOTHING
        if shared := self.links.shared(
            first, called.name, is_whole=called.name == self.names.get(self._key(first), first)
        ):
            for place, value in enumerate(values):
                self._add((f"{shared}#{place}",), value)
            held = held._replace(uses=held.uses | {f"{shared}()"})
            everything = merged([everything, held])
        everything = merged([everything, *values], texts_of_call(name, held, values))
        self._done(name, act, everything, values, span)
        if name in _REQUIRES:
            return merged(values)._replace(name=_given(name, values))
        if method == "pipe" and arguments:
            self._piped(values[0] if values else NOTHING, arguments[0], held, span)
        if not taken.sources and self._is_held(first, called.name):
            # `list.push(value)`, `request.write(value)`: what holds the method may keep it.
            self._add((self._key(first),), merged(values))
        return everything._replace(name=_given(name, values))

    def _act(self, name: str, values: Sequence[Carried], given: ScriptToken, start: int) -> Act | None:
        return act_of(name, [value.texts for value in values], (start, given.end))

    def _held(self, called: Carried, name: str, given: ScriptToken) -> Carried:
        """What holds a method, without what the method does not take of it."""
        method = name.rpartition(".")[2]
        if method in ("split", "match", "exec", "find") and not PROCESS().search(name):
            if method != "split" or any(each.text in _NAMED_VALUES for each in given.inner[:1]):
                return field_of(called)._replace(texts=called.texts, name=called.name)
            called = without(called, OriginKind.LOGIN_FILE)
        if method in ("filter", "find") and forms.is_spared(given.inner):
            called = without(called, OriginKind.ENVIRONMENT)
        return called

    def _is_held(self, first: str, name: str) -> bool:
        """Whether a function is a method of what a variable holds; those of a module keep nothing."""
        holder = name.rpartition(".")[0]
        is_module = first in _MODULES or (holder.partition(".")[0] in _MODULES and "()" not in holder)
        return bool(first and holder) and not is_module and name != self.names.get(self._key(first))

    def _taken(
        self, name: str, values: Sequence[Carried], arguments: Sequence[Sequence[ScriptToken]], span: tuple[int, int]
    ) -> Carried:
        """What a call takes by itself: a file, a download, what it decodes."""
        files = [file_name(text) for value in values[: None if SEND().search(name) else 1] for text in value.texts]
        read = frozenset(f"file:{each}" for each in files) if READ().search(name) else frozenset()
        numbers = bool(arguments) and forms.are_numbers(arguments[0])
        return Carried(read, taken_by(name, files, [value.texts for value in values], span, is_numbers=numbers))

    def _started(self, act: Act, values: Sequence[Carried], given: Carried) -> Carried:
        """Programs that a call starts, and what they print."""
        files = [file_name(text) for value in values[:1] for text in value.texts]
        self._add((), Carried(frozenset(f"file:{each}" for each in files)), (act._replace(kind=ActKind.RUNS),))
        if values and not values[0].texts:
            self._add((), values[0], (act._replace(kind=ActKind.RUNS),))
        return self._commands(lines_of(values), given, (act.start, act.end))

    def _done(
        self, name: str, act: Act | None, given: Carried, values: Sequence[Carried], span: tuple[int, int]
    ) -> None:
        """What a call does with what it gets."""
        texts = [text for value in values[:1] for text in value.texts]
        files = [f"file:{file_name(text)}" for text in texts]
        runs = Act(ActKind.RUNS, "", name[:60], *span)
        if act is not None:
            self._add((), given, (act,))
        if name == "import" and any(map(FOREIGN_MODULE().match, texts)):
            self._add((), Carried(sources=(Origin(OriginKind.DOWNLOAD, texts[0], *span),)), (runs,))
        if name in _REQUIRES:
            self._add((), Carried(frozenset(files)), (runs,))
        if any(RUN().search(value.name) for value in values) or (
            name in ("setTimeout", "setInterval", "setImmediate") and is_text(values[:1])
        ):
            self._add((), given, (runs,))
        if WRITE().search(name):
            self._add(files, given)

    def _commands(self, lines: Iterable[str], given: Carried, span: tuple[int, int]) -> Carried:
        """Read the command lines of a call; what they print is its result."""
        printed = set[str]()
        for line in lines:
            steps = given_steps(line.replace("\0", f"${GIVEN}"), Step((), given.uses, given.sources), *span, self.files)
            printed.update(name for step in steps for name in step.defines if name.startswith("("))
            self.found += steps
        return given._replace(uses=given.uses | printed)

    def _piped(self, target: Carried, items: Sequence[ScriptToken], held: Carried, span: tuple[int, int]) -> None:
        """`a.pipe(b)`: b gets a, be it a request, a file or the input of an interpreter."""
        if target.name.endswith("createWriteStream()"):
            self._add([f"file:{file_name(text)}" for text in target.texts], held)
        elif SEND().search(target.name.removesuffix("()")):
            self._add((), held, (Act(ActKind.SENDS, "", "pipe", *span),))
        elif ".stdin" in target.name and "spawn()" in target.name and any(map(runs_input, target.texts)):
            self._add((), held, (Act(ActKind.RUNS, "", "spawn", *span),))
        if len(items) == 1:
            self._add([self._key(items[0].text)], held)


def _direct(name: str, values: Sequence[Carried], given: ScriptToken) -> tuple[str, int]:
    """What is called by `call`, `apply` or `Reflect.apply`, and how many of the arguments are not its own."""
    if name == "Reflect.apply" and values and values[0].name:
        return values[0].name, 2
    if name.rpartition(".")[2] == "Worker" and forms.has_field(given, "eval"):
        return "eval", 0
    holder, _, method = name.rpartition(".")
    if method in ("runInContext", "runInNewContext") and holder.rpartition(":")[2] not in ("", "vm"):
        # A method of a script: its context is data.
        return name, len(values)
    return (holder, 1) if method in ("call", "apply") and holder else (name, 0)


def _given(name: str, values: Sequence[Carried]) -> str:
    """What the result of a call stands for: a module, the same function, or what a call of it gives."""
    if name in _REQUIRES:
        return forms.module_of(values[0].texts[0]) if values and values[0].texts else ""
    if name.endswith("promisify") and values:
        return values[0].name
    return name.removesuffix(".bind") if name.endswith(".bind") else f"{name[:LONGEST]}()"
