"""What JavaScript and TypeScript code uses, by the tables of calls that flows are followed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts import javascript_forms as forms
from skillbag.lint.facts.carried import Carried
from skillbag.lint.facts.javascript_calls import SEND, WRITE
from skillbag.lint.facts.javascript_expressions import ENVIRONMENTS
from skillbag.lint.facts.javascript_steps import ScriptReader
from skillbag.lint.facts.javascript_tree import ScriptToken, tokens
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.uses import Use, UseKind
from skillbag.lint.facts.values import Act

_VERB = r"(?:\.(?P<verb>get|post|put|patch|delete|head|request|stream))?"
_LIBRARIES = late(
    rf"(?:fetch|(?:got|ky|axios|needle|superagent|https?){_VERB}|undici\.(?:fetch|request)|WebSocket|EventSource)\Z"
    r"|.{1,200}\.goto\Z"
)
"""Calls that contact a host, even where nothing of its address is known."""
_SENDS = late(r"(?i)\bmethod[\"']?\s*:\s*[\"'`](?:post|put|patch|delete)")
_SENDING = frozenset(["post", "put", "patch", "delete"])
_DEFINED = late(r"[ \t]*(?::[^{\n]{0,60})?\{")
"""The rest of a method that is defined and not called."""
_VARIABLE = late(r"(?:process|Bun|(?:import\.)?meta)\.env\.([A-Za-z_]\w*)\Z")
_LISTS = late(r"(?:^|\.)(?:Object\.(?:entries|keys|values|assign)|JSON\.stringify)\Z")
_CHANGES = late(r"(?:^|\.)(?:mkdir|rm|rmdir|unlink|symlink|ensureDir|remove)(?:Sync)?\Z")
_NO_SHELL = late(r"(?:spawn|execFile|fork)(?:Sync)?\Z")
_SHELL = ("shell",)
_FAR = 2_000


def javascript_uses(text: str) -> Iterator[Use]:
    """The uses of a file or block, in the order of their places."""
    reader = _Reader(text)
    found = tokens(text)
    reader.variables(found)
    reader.block(found, "")
    yield from sorted(dict.fromkeys(reader.uses), key=lambda use: use.start)


class _Reader(ScriptReader):
    def __init__(self, text: str) -> None:
        super().__init__(FilesBeside())
        self.text, self.uses = text, list[Use]()
        # How the command lines that are read are started: a template behind a name is one of a shell.
        self.by: tuple[str, ...] = _SHELL

    def variables(self, items: Sequence[ScriptToken]) -> None:
        """The variables of the environment that code names, also where no value is followed."""
        for number, item in enumerate(items):
            if (
                number > 1
                and item.text == "env"
                and [each.text for each in items[number - 1 : number + 2 : 2]] == [".", "."]
            ):
                after = items[number + 3].text if number + 3 < len(items) else ""
                name = f"{items[number - 2].text}.env.{items[number + 2].text}" if after != "=" else ""
                self._variable_read(name, items[number - 2].start)
            self.variables(item.inner)

    def _act(self, name: str, values: Sequence[Carried], given: ScriptToken, start: int) -> Act | None:
        texts: tuple[str, ...] = values[0].texts if values else ()
        if SEND().search(name) or _LIBRARIES().match(name):
            self._contacted(name, texts, given, start)
        elif WRITE().search(name) or _CHANGES().search(name):
            self.uses.append(Use(UseKind.WRITES, texts, start))
        elif name == "Deno.env.get":
            self.uses.append(Use(UseKind.VARIABLE, texts, start))
        elif _LISTS().search(name) and any(value.name in ENVIRONMENTS for value in values):
            self.uses.append(Use(UseKind.ALL_VARIABLES, (), start))
        return super()._act(name, values, given, start)

    def _contacted(self, name: str, texts: tuple[str, ...], given: ScriptToken, start: int) -> None:
        library = _LIBRARIES().match(name)
        argument = next(forms.parts_of(given.inner), ())
        if not argument or _DEFINED().match(self.text, given.end):
            return
        whole = self.text[given.start : min(given.end, given.start + _FAR)]
        sends = bool(_SENDS().search(whole)) or (library["verb"] in _SENDING if library else "eacon" in name)
        code = self.text[argument[0].start : argument[-1].end]
        is_template = code.startswith("`${")
        named = code.strip("`") if is_template else f"${{{code}}}"
        is_shown = library is not None and (is_template or argument[0].kind == "name")
        shown = " ".join(named.split()) if is_shown else ""
        self.uses.append(Use(UseKind.CONTACTS, texts, start, ("sends",) if sends else (), shown))

    def _started(self, act: Act, values: Sequence[Carried], given: Carried) -> Carried:
        self.by = () if _NO_SHELL().search(act.means) else _SHELL
        started = super()._started(act, values, given)
        self.by = _SHELL
        return started

    def _commands(self, lines: Iterable[str], given: Carried, span: tuple[int, int]) -> Carried:
        self.uses.append(Use(UseKind.STARTS, tuple(lines), span[0], self.by))
        return given

    def _field(self, value: Carried, field: str, span: tuple[int, int]) -> Carried:
        found = super()._field(value, field, span)
        self._variable_read(found.name, span[0])
        return found

    def _named(self, targets: Sequence[ScriptToken], name: str) -> None:
        super()._named(targets, name)
        for field, _ in forms.fields_of(targets[0]) if name in ENVIRONMENTS and targets[0].kind == "{" else ():
            self._variable_read(f"{name}.{field}", targets[0].start)

    def _variable_read(self, name: str, start: int) -> None:
        if match := _VARIABLE().match(name):
            self.uses.append(Use(UseKind.VARIABLE, (match[1],), start))
