"""What shell code shares with other files of its skill: what it sources, and what it gives to programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.shell_effect import Effect
from skillbag.lint.facts.shell_effects import INTERPRETERS
from skillbag.lint.facts.shell_functions import shell_functions
from skillbag.lint.facts.shell_words import variables_in
from skillbag.lint.facts.skill_files import FilesBeside, member
from skillbag.lint.facts.values import Origin, Step
from skillbag.lint.signals.programs import ProgramRun, plain_name
from skillbag.lint.signals.shell_commands import Word

_STARTERS = INTERPRETERS | frozenset("uv npx tsx ts-node poetry pipenv pdm rye hatch conda pixi".split())  # noqa: SIM905
_FILTERS = frozenset("cat base64 base32 gzip tee read mapfile xargs jq tr sort openssl xxd".split())  # noqa: SIM905
"""Programs that read their input where no file is named."""
_FIRST = 4
"""Words of a command among which the program of the skill is that it starts."""
_SET = late(r"(?m)^[ \t]*(?:export[ \t]+|readonly[ \t]+|declare[ \t]+-\w+[ \t]+)?([A-Za-z_]\w{0,60})=([^\n;]*)")
PARAMETERS = (*map(str, range(1, 8)), "@", "*")


def parameter(function: str, name: str) -> str:
    """The name of a variable; the arguments of a function are its own."""
    return f"${function}:{name}" if function and name in PARAMETERS else f"${name}"


class Sourced(NamedTuple):
    """What a file gives to one that sources it: its functions, and its variables with their values as written."""

    functions: frozenset[str]
    variables: Mapping[str, str]


@lru_cache(maxsize=16)
def sourced(text: str) -> Sourced:
    """What a text gives to one that sources it."""
    values = {match[1]: match[2].strip().strip("\"'") for match in _SET().finditer(text)}
    return Sourced(frozenset(shell_functions(text).values()), values)


class ShellLinks:
    """The names of one text that other files have, too."""

    def __init__(self, files: FilesBeside) -> None:
        self.files = files
        # The functions of files that are sourced, with those files.
        self.functions: dict[str, str] = {}
        self.exported: list[str] = []

    def sourced(self, run: ProgramRun) -> tuple[str, Sourced] | None:
        """The file of the skill that a command reads in."""
        if run.name not in ("source", ".") or not run.arguments:
            return None
        path = self.files.path(run.texts[0])
        if not path or path == self.files.own:
            return None
        found = sourced(self.files.text(path))
        self.functions.update(dict.fromkeys(found.functions, path))
        return path, found

    def started(self, run: ProgramRun) -> tuple[str, Sequence[Word]] | None:
        """The program of the skill that a command starts, and its arguments."""
        first = [run.name] if "/" in run.name else []
        if not first and plain_name(run).rpartition("/")[2] not in _STARTERS:
            return None
        texts = [*first, *run.texts[:_FIRST]]
        for number, text in enumerate(texts):
            if ("/" in text or "." in text) and (path := self.files.path(text)):
                return path, run.arguments[number + 1 - len(first) :]
        return None

    def start_steps(
        self,
        path: str,
        arguments: Sequence[Word],
        given: Iterable[str],
        variables: Iterable[str],
        substituted: frozenset[str],
    ) -> Iterator[Step]:
        """What a program of the skill gets: its arguments, what is `given` to its input, the `variables` around it."""
        option = ""
        for number, word in enumerate(arguments, 1):
            name, equals, value = word.text.partition("=")
            text = value if equals and name.startswith("-") else word.text
            named = [f"argv#{number}", "argv"]
            if word.text.startswith("-"):
                named.append(name)
            else:
                named.append(option or f"place#{sum(not each.text.startswith('-') for each in arguments[:number])}")
            option = name if word.text.startswith("-") and not equals else ""
            uses = {f"${each}" for each in variables_in(word)} | {f"file:{file_name(text)}"}
            uses |= substituted if "$(" in word.raw or "`" in word.raw else frozenset()
            kind = secret_kind(file_name(text))
            sources = (Origin(kind, file_name(text), word.start, word.end),) if kind else ()
            yield Step(tuple(member(path, each) for each in named), frozenset(uses), sources)
        yield Step((member(path, "stdin"),), frozenset(given))
        for variable in variables:
            yield Step((member(path, f"env:{variable}"),), frozenset([f"${variable}"]))

    def has_input(self, run: ProgramRun, effect: Effect) -> bool:
        """Whether the first command of a line reads what its program is given."""
        if not self.files.own or not effect.has_input:
            return False
        plain = not effect.reads and run.name in _FILTERS
        return plain or any(text in ("-", "/dev/stdin") or text.endswith(("@-", "@/dev/stdin")) for text in run.texts)

    def own_steps(self, found: Sequence[Step], printed: Iterable[str], functions: Iterable[str]) -> Iterator[Step]:
        """What others get of a program or sourced file, and what it gets of those that start or source it."""
        if not self.files.own:
            return
        own = self.files.member
        yield Step((own("stdout"),), frozenset(printed))
        for name in PARAMETERS:
            yield Step((f"${name}",), frozenset([own("argv" if name in "@*" else f"argv#{name}")]))
        for function in sorted(functions):
            given = frozenset([own(f"{function}#")])
            yield Step(tuple(parameter(function, name) for name in PARAMETERS), given)
            yield Step((own(f"{function}()"),), frozenset([f"{function}()"]))
        defined = {name for step in found for name in step.defines if name.startswith("$")}
        for name in sorted(defined):
            yield Step((own(name),), frozenset([name]))
        used = {name for step in found for name in step.uses if name.startswith("$")}
        for name in sorted(used - defined):
            yield Step((name,), frozenset([own(f"env:{name[1:]}")]))
