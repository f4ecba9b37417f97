"""The steps of code in Go, Ruby, Perl, PHP, Rust, Lua, R, C#, Java, Kotlin and Swift, by words in `code_words.toml`.

Statements are told by their lines and brackets. The names in one get into what it sets, calls, fills and returns.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.line_languages import Late
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.facts.word_steps import secret_files, word_steps
from skillbag.lint.signals.sending import first_sending

with open(os.path.join(os.path.dirname(__file__), "code_words.toml"), encoding="utf-8") as _file:
    _TABLE = tomllib.loads(_file.read())
_FORMS, _LANGUAGES = _TABLE.pop("forms"), _TABLE.values()


def _any(key: str) -> Late:
    """What calls of this kind there are in any of the languages."""
    form = "|".join(language[key] for language in _LANGUAGES)
    return late(form.replace("{url}", _FORMS["url"]).replace("{client}", _FORMS["client"]))


def _form(name: str) -> Late:
    return late(_FORMS[name])


_ENVIRONMENT, _CONNECTS, _SENDS = map(_any, ("environment", "connects", "sends"))
_DOWNLOADS, _STORES, _RUNS = map(_any, ("downloads", "stores", "runs"))
_COMMENT, _CONTROL, _GOES_ON, _OPEN_END = map(_form, ("comment", "control", "goes_on", "open_end"))
_FUNCTION, _ARGUMENTS, _SET, _FILLS, _INTO = map(_form, ("function", "arguments", "set", "fills", "into"))
_LOOP, _BLOCK, _TEXT, _PUT_IN, _NAME, _WORD, _PART = map(
    _form, ("loop", "block", "text", "put_in", "name", "word", "part")
)
_READS, _NO_PASSING, _PARSES, _OWN_PREFIX = map(_form, ("reads", "no_passing", "parses", "own_prefix"))
_CURL, _ADDRESS, _PATH, _QUOTE = map(_form, ("curl", "address", "path", "quote"))
_BEFORE, _SHELL, _IN_TEXT, _IN_CODE = map(_form, ("before", "shell", "in_text", "in_code"))
_PLAIN = frozenset(_FORMS["plain"].split())
_LONGEST, _MAX = 2_000, 50


class _Statement(NamedTuple):
    """A statement of a function, with its number. `head`: it begins the function; `last`: it may be its value."""

    text: str
    start: int
    scope: int
    function: str
    head: bool
    last: bool


def code_steps(text: str) -> list[Step]:
    """The steps of a text: of its words, and of each statement."""
    secrets = [each for each, _ in secret_files(text)]
    if _PARSES().search(text):
        secrets = [each for each in secrets if each.kind is not OriginKind.LOGIN_FILE]
    reader = _Reader([*_statements(text)], secrets[:_MAX], takes_all=not _OWN_PREFIX().search(text))
    return [*word_steps(text, is_read=True), *(step for each in reader.statements for step in reader.steps(each))]


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a text; a line whose brackets are open, or that a method call follows, goes on in the next."""
    lines = [part for line in text.splitlines(keepends=True) for part in _parts(line)]
    at, kept, start, scope, number, function, indent = 0, "", 0, 0, 0, "", 0
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        begins, at = at, at + len(line)
        if not kept and _COMMENT().match(line.rstrip()):
            continue
        start, kept = start if kept else begins, kept + line
        if len(kept) < _LONGEST and following and (_is_open(kept) or _GOES_ON().match(following)):
            continue
        code, width = kept.rstrip(), len(kept) - len(kept.lstrip())
        head, kept = _FUNCTION().match(code), ""
        if head:
            number, indent, function = number + 1, width, head[1] or head[2] or head[3]
            scope = number
        elif width <= indent and not code.lstrip().startswith(("}", "end", "{")):
            scope, function = 0, ""
        yield _Statement(code, start, scope, function, head is not None, following.strip() in ("}", "end", "};"))


def _parts(line: str) -> list[str]:
    """A line; one that is very long in parts."""
    return [line] if len(line) < _LONGEST else [part[0] for part in _PART().finditer(line)]


def _is_open(code: str) -> bool:
    plain = _TEXT().sub("", code)
    if any(plain.count(sign) > plain.count(end) for sign, end in ("()", "[]")) or _OPEN_END().search(plain):
        return True
    opens = plain.count("{") > plain.count("}") and not _CONTROL().search(plain)
    return opens and bool(_SET().match(plain) or _SENDS().search(plain))


def _set(text: str) -> Iterator[str]:
    """The names that a statement gives a value, or a part."""
    match = _SET().match(text)
    for part in match[1].split(",") if match else ():
        found = _WORD().findall(part.partition(":")[0])
        if found and _is_variable(name := found[0 if "." in part else -1]):
            yield name


def _is_variable(name: str) -> bool:
    """Whether a name is no keyword, and no type."""
    return name not in _PLAIN and (name[0].islower() or name.isupper() or name[0] == "_")


def _paths(names: Iterable[str]) -> tuple[str, ...]:
    """The names as those of what has only the path of a secret file, and not yet what is in it."""
    return tuple(f"path {name}" for name in names)


class _Reader:
    """What the statements of a text have in common.

    `common` are variables outside of functions, `own` those of a function. `storing` are functions that write a file,
    `handles` open connections, `shells` interpreters that were started.
    """

    def __init__(self, statements: list[_Statement], secrets: list[Origin], *, takes_all: bool) -> None:
        self.statements, self.secrets, self.takes_all = statements, secrets, takes_all
        heads, others = [each for each in statements if each.head], [each for each in statements if not each.head]
        self.functions = {each.function for each in heads}
        self.common = {name for each in others if not each.scope for name in _set(each.text)}
        self.own = {(each.scope, name) for each in others for name in _set(each.text)}
        self.own |= {(each.scope, match[2]) for each in heads for match in _NAME().finditer(each.text)}
        self.storing = {f"{each.function}~" for each in statements if each.scope and _STORES().search(each.text)}
        self.handles, self.shells, self.addresses = set[str](), set[str](), dict[str, str]()

    def steps(self, statement: _Statement) -> Iterator[Step]:
        """The steps of a statement: with the paths of secret files, with values, and with what it runs."""
        text, start, end = statement.text, statement.start, statement.start + len(statement.text)
        if _NO_PASSING().search(text):
            return
        used, defined = self._names(statement)
        found = _ADDRESS().search(text)
        address = (
            found[0] if found else next((self.addresses[each] for each in sorted(used & self.addresses.keys())), "")
        )
        self._keep(statement, address)
        fetch = _DOWNLOADS().search(text)
        fetched = (Origin(OriginKind.DOWNLOAD, address or "…", start, end),) if fetch or _CURL().search(text) else ()
        acts = self._sends(statement, used, defined, address)
        runs = [*self._runs(statement, used, fetch.start() if fetch else -1, fetched)]
        taken = tuple(each for each in self.secrets if start <= each.start < end)
        if not acts and not _READS().search(text):
            yield Step(_paths(defined), frozenset(_paths(used)), taken)
            taken = ()
        else:
            used |= {*_paths(used)}
        used |= {f"file:{file_name(name)}" for name in _PATH().findall(text)}
        if _STORES().search(text):
            defined = used = defined | used
        if runs:
            # What a program prints is not what it is given.
            used = set()
        if self.takes_all and (match := _ENVIRONMENT().search(text)) and (not runs or "popen" in match[0]):
            taken += (Origin(OriginKind.ENVIRONMENT, match[0], start + match.start(), start + match.end()),)
        yield Step((*defined,), frozenset(used), taken + fetched, acts)
        yield from runs

    def _keep(self, statement: _Statement, address: str) -> None:
        """Remember the variables that hold connections and addresses."""
        names = {self._name(name, statement.scope) for name in _set(statement.text)}
        self.addresses |= dict.fromkeys(names if address else (), address)
        if _CONNECTS().search(statement.text):
            self.handles |= names

    def _sends(self, statement: _Statement, used: set[str], defined: set[str], address: str) -> tuple[Act, ...]:
        """What a statement sends: its call does, or a connection that was opened before gets something."""
        text, command = statement.text, first_sending(statement.text)
        call = _SENDS().search(text) or (_DOWNLOADS().search(text) if used else None)
        if not command and not call and self.handles.isdisjoint(used | defined):
            return ()
        means = command.means if command else call[0].strip("(.->\n ")[:40] if call else "a connection"
        host = address.partition("://")[2].partition("/")[0]
        return (Act(ActKind.SENDS, host, means, statement.start, statement.start + len(text)),)

    def _runs(self, statement: _Statement, used: set[str], fetch: int, fetched: tuple[Origin, ...]) -> Iterator[Step]:
        """What a statement runs: the first argument of a call, or what an interpreter gets."""
        text, start, end = statement.text, statement.start, statement.start + len(statement.text)
        for call in _RUNS().finditer(text):
            before = _BEFORE().match(text, call.end())
            at, names = before.end() if before else call.end(), set[str]()
            is_text = len(_QUOTE().findall(text, call.start(), at + 1)) % 2
            if run := (_IN_TEXT if is_text else _IN_CODE)().match(text, at):
                names = {self._name(run[1], statement.scope)} if run[1] else {f"file:{file_name(run[2])}"}
            if _SHELL().search(text, call.end(), at):
                self.shells |= {self._name(name, statement.scope) for name in _set(text)}
            act = Act(ActKind.RUNS, "", call[0].strip("(.-> `") or "a command", start + call.start(), end)
            yield Step((), frozenset(names), fetched if call.start() <= fetch < at + 30 else (), (act,))
        if not self.shells.isdisjoint(self._into(statement)):
            yield Step((), frozenset(used), (), (Act(ActKind.RUNS, "", "a shell", start, end),))

    def _names(self, statement: _Statement) -> tuple[set[str], set[str]]:
        """The names that a statement uses and defines: variables, and of functions what they get, give and write."""
        text, scope, function = statement.text, statement.scope, statement.function
        used, names = set[str](), {*_set(text)}
        put_in = " ".join(f"${name}" for found in _TEXT().findall(text) for name in _PUT_IN().findall(found))
        for match in _NAME().finditer(f"{_TEXT().sub('0', text)} {put_in}"):
            if match[2] in self.functions and match[2] != function:
                used |= {f"{match[2]}()", f"{match[2]}~"}
            elif (match[1] or _is_variable(match[2])) and not match[3]:
                used.add(self._name(match[2], scope))
        result = {f"{function}()"} if function else set[str]()
        if statement.head:
            is_whole = " = " in text or "return" in text
            return {f"{function}#"} | (used if is_whole else set()), used | (result if is_whole else set())
        gives = text.lstrip().startswith("return") or (statement.last and not names)
        names |= {name.lstrip("$@") for name in _FILLS().findall(text)}
        names |= {name for block in _BLOCK().findall(text) for name in _WORD().findall(" ".join(block))}
        defined = {self._name(name, scope) for name in names} | self._into(statement) | (result if gives else set())
        defined |= {f"{name[:-1]}#" for name in used if name.endswith("~")}
        if _LOOP().match(text) or not self.storing.isdisjoint(used):
            defined |= {name for name in used if ":" in name or name in self.common}
        if function and _STORES().search(text):
            defined.add(f"{function}~")
        return used | ({f"{function}#"} if function and _ARGUMENTS().search(text) else set()), defined

    def _into(self, statement: _Statement) -> set[str]:
        into = _INTO().match(statement.text)
        return {self._name(into[1] or into[2] or into[3], statement.scope)} if into else set()

    def _name(self, name: str, scope: int) -> str:
        return name if name in self.common and (scope, name) not in self.own else f"{scope}:{name}"
