"""The steps of JavaScript and TypeScript code, read from its tokens: nothing is run.

Names have one meaning in the whole text; a function's result is `name()`, its parameters `name(parameter`.
"""

from __future__ import annotations

from collections.abc import Sequence

from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.carried import Carried, without
from skillbag.lint.facts.javascript_call_steps import ScriptCalls
from skillbag.lint.facts.javascript_calls import runs_input
from skillbag.lint.facts.javascript_tree import ScriptToken, tokens
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.values import Act, ActKind, OriginKind, Step

_BEFORE_WORDS = "export default async const let var static public private protected readonly declare override"
_BEFORE = frozenset(_BEFORE_WORDS.split())
"""Words before what a statement declares."""
_ADDRESSES = frozenset(["src", "href", "location"])
"""Fields of a page that fetch the address that they get."""


def javascript_steps(text: str, files: FilesBeside) -> list[Step]:
    """The steps of a file or block; `files` are those beside it."""
    reader = ScriptReader(files)
    reader.block(tokens(text), "")
    reader.found += reader.links.own_steps({name: reader.functions[name] for name in reader.named})
    return reader.found


class ScriptReader(ScriptCalls):
    """Statements with their expressions and calls."""

    def _function(self, name: str, parameters: Sequence[tuple[str, ...]], body: Sequence[ScriptToken]) -> str:
        """Read the body of a function, and give the name by which its result and parameters are known."""
        scope = name or f"({body[0].start if body else 0}"
        if name:
            self.named.add(name)
        self.functions[scope] = [tuple(f"{scope}.{each}" for each in names) for names in parameters]
        is_block = len(body) == 1 and body[0].kind == "{"
        self.scopes.append((scope, frozenset().union(*parameters) | forms.declared_names(body)))
        if is_block and not forms.is_object(body[0]):
            self.block(body[0].inner, scope)
        elif forms.assignment(body):
            self._statement(body, scope)
        else:
            self._add((f"{scope}()",), self._read(body, scope))
        self.scopes.pop()
        return scope

    # Statements.

    def block(self, items: Sequence[ScriptToken], function: str) -> None:
        """Read the statements of a text or of braces; `function` is the one whose `return` counts."""
        for statement in forms.statements(items):
            self._statement(statement, function)

    def _statement(self, items: Sequence[ScriptToken], function: str) -> None:
        declares = is_default = False
        while items and items[0].text in _BEFORE:
            is_default = is_default or items[0].text == "default"
            declares = declares or items[0].text in ("const", "let", "var")
            items = items[1:]
        if declares and len(each := forms.declarators(items)) > 1:
            for declarator in each:
                self._statement(declarator, function)
            return
        if len(items) > 1 and [item.text for item in items[:2]] == ["for", "await"]:
            items = [items[0], *items[2:]]
        if not items:
            return
        first = items[0].text if items[0].kind == "name" else ""
        if first == "function" or (first == "class"):
            self._declared(items, is_default=is_default)
        elif is_default:
            self._exported(items, function)
        elif first == "import" and items[1:2] and items[1].kind != "(":
            self.names.update(forms.imported(items))
            self.links.imported(items)
        elif first in ("return", "yield"):
            self._add((f"{function}()",) if function else (), self._read(items[1:], function))
        elif first in ("for", "while", "if", "switch", "catch") and len(items) > 1:
            self._loop(items, function)
        else:
            at = forms.assignment(items)
            if at is None:
                self._add((), self._read(items, function))
            else:
                self._assigned(items[:at], items[at + 1 :], function)

    def _exported(self, items: Sequence[ScriptToken], function: str) -> None:
        """What a file exports as its default: a function, or the value of an expression."""
        if arrow := forms.arrow_of(items):
            self._function("default", *arrow)
        elif len(items) == 1 and items[0].kind == "name":
            self.links.defaults.add(items[0].text)
        else:
            self.links.variables.add("default")
            self._add(("default",), self._read(items, function))

    def _declared(self, items: Sequence[ScriptToken], *, is_default: bool = False) -> None:
        """A function, or the methods of a class."""
        name = next((item.text for item in items[1:3] if item.kind == "name"), "default" if is_default else "")
        if is_default:
            self.links.defaults.add(name)
        body = next((item for item in items if item.kind == "{"), None)
        parameters = next((item for item in items if item.kind == "("), None)
        if body is None:
            return
        if items[0].text == "class":
            self._members(body.inner)
        else:
            self._function(name, forms.parameters_of(parameters), [body])

    def _members(self, items: Sequence[ScriptToken]) -> None:
        """The methods and fields of a class."""
        for member in forms.statements(items):
            head = next((n for n, item in enumerate(member) if item.kind == "("), len(member))
            at = forms.assignment(member)
            if at is not None and at < head:
                self._assigned([item for item in member[:at] if item.text not in _BEFORE], member[at + 1 :], "")
            elif 0 < head < len(member) and member[-1].kind == "{" and member[head - 1].kind == "name":
                self._function(member[head - 1].text, forms.parameters_of(member[head]), [member[-1]])

    def _loop(self, items: Sequence[ScriptToken], function: str) -> None:
        head = items[1]
        if head.kind == "(":
            inner = [item for item in head.inner if item.text not in ("const", "let", "var")]
            at = next((n for n, item in enumerate(inner) if item.text in ("of", "in")), None)
            if at:
                spared = len(items) > 2 and forms.is_spared(forms.first_test(items[2]))
                self._assigned(inner[:at], inner[at + 1 :], function, spared=spared)
            else:
                self._add((), self._read(inner, function))
        rest = items[2:]
        if rest and rest[0].kind == "{":
            self.block(rest[0].inner, function)
            rest = rest[1:]
        if rest:
            self._statement(rest, function)

    def _assigned(
        self, targets: Sequence[ScriptToken], items: Sequence[ScriptToken], function: str, *, spared: bool = False
    ) -> None:
        names = [*forms.names_of(targets)]
        arrow = forms.arrow_of(items)
        if arrow is not None and names:
            # Of a field, its own name counts.
            self._function(names[-1], *arrow)
            return
        if not self.scopes:
            self.links.variables.update(names)
            if names[-1:] == ["exports"] and len(items) == 1:
                self.links.defaults.add(items[0].text)
        self.links.required(targets, items)
        value = self._read(items, function)
        keys = [*map(self._key, names)]
        self._named(targets, value.name)
        if spared or (targets and targets[0].kind == "{"):
            # Fields of the environment are read by their names.
            value = without(value, OriginKind.ENVIRONMENT)
        if (
            value.name.rpartition(".")[2] == "spawn()"
            and len(items[-1].inner) == 1
            and runs_input(items[-1].inner[0].text)
        ):
            runs = Act(ActKind.RUNS, "", "spawn", items[0].start, items[-1].end)
            self._add((), Carried(frozenset(keys)), (runs,))
        if names and names[-1] in _ADDRESSES and any("://" in text for text in value.texts):
            sends = Act(ActKind.SENDS, value.texts[0].split("/")[2], names[-1], items[0].start, items[-1].end)
            self._add((), value, (sends,))
        self._texts(keys, value.texts)
        self._add(keys, value)

    def _named(self, targets: Sequence[ScriptToken], name: str) -> None:
        """Keep what a variable stands for, or each that gets a field."""
        if targets and targets[0].kind == "{":
            for field, local in forms.fields_of(targets[0]):
                self.names[self._key(local)] = name if field in ("", "default") else f"{name}.{field}"
        elif targets and targets[0].kind == "name" and (len(targets) == 1 or targets[1].text == ":"):
            self.names[self._key(targets[0].text)] = name or targets[0].text
