"""What code takes, does and passes on, as values: the facts that rules about flows read."""

from __future__ import annotations

from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple


class OriginKind(StrEnum):
    """Where a value comes from. A LOGIN_FILE is a secret file of which programs read one field, their own login.

    A TOKEN is a login or secret that a program of the user prints. A VARIABLE is one of the environment, by its name.
    """

    ENVIRONMENT = "environment"
    VARIABLE = "variable"
    SECRET_FILE = "secret-file"  # noqa: S105 - a kind
    LOGIN_FILE = "login-file"
    KEYCHAIN = "keychain"
    TOKEN = "token"  # noqa: S105 - a kind
    CLIPBOARD = "clipboard"
    SCREEN = "screen"
    PASSWORD = "password"  # noqa: S105 - a kind
    DOWNLOAD = "download"
    DECODED = "decoded"


class ActKind(StrEnum):
    """What is done with a value. RUNS: it is the code or the program; STARTS: it is among a program's arguments."""

    SENDS = "sends"
    RESOLVES = "resolves"
    RUNS = "runs"
    STARTS = "starts"
    LOADS = "loads"


class PlaceRole(StrEnum):
    """What a place in a text is for.

    MEANT: the agent is to do it, or a program does it. TAUGHT: it shows an attack, on a made-up host or in a lesson,
    or is a hint alone, which honest skills have, too. SHOWN: it is quoted, forbidden, or one of a list of what to find.
    DATA: a sample or a question of an evaluation. TEST: it is in a file that tests a program.
    """

    MEANT = "told"
    TAUGHT = "taught"
    SHOWN = "shown"
    DATA = "data"
    TEST = "test"


SHARED_MEMBER = "skill:"
"""What names begin with that files of one skill share."""


class Origin(NamedTuple):
    """A place where code takes a value; `what` is a path, a variable or an address. Offsets are of the unit's text."""

    kind: OriginKind
    what: str
    start: int
    end: int


LOGIN = " with a login"
"""The end of the means of an act that gets a value where a program logs in."""
BESIDE = " in the same file"
"""The end of the means of an act that is found beside a source, with nothing known to get from one to the other."""


class Act(NamedTuple):
    """A place where code does something with a value; `to` is a host, or what runs it, `means` the call or command.

    `nested`: it is a command in a call of another language.
    """

    kind: ActKind
    to: str
    means: str
    start: int
    end: int
    nested: bool = False


class Step(NamedTuple):
    """One statement or command: the names that it `uses` get into the names that it `defines`, and into its `acts`.

    A name is a variable, a function's result (`name()`), a file (`file:path`) or a pipe. `picks` are names of which one
    field is taken: neither the environment nor a file of logins flows on from them as a whole.
    """

    defines: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()
    sources: tuple[Origin, ...] = ()
    acts: tuple[Act, ...] = ()
    picks: frozenset[str] = frozenset()

    def at(self, start: int, end: int) -> Step:
        """The step with all that it takes and does at one place."""
        return self._replace(
            sources=tuple(source._replace(start=start, end=end) for source in self.sources),
            acts=tuple(act._replace(start=start, end=end) for act in self.acts),
        )


class Flow(NamedTuple):
    """A value that gets from its source to an act."""

    source: Origin
    act: Act


LARGEST = 150_000
"""Most characters of a unit that is read as code."""


class UnitSteps(NamedTuple):
    """The steps of a unit. `unread` says why they are those of its words alone; it is empty for code that was read."""

    steps: tuple[Step, ...]
    unread: str = ""
