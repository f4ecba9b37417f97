"""The conformance kit of SkillBag in one file: it drives an implementation through cases, and reports by clause.

It needs Python and its standard library: `python run.py --driver './my-driver'` beside `cases.json`. `PROTOCOL.md`
describes drivers and cases. Whatever a driver does (it crashes, hangs, prints garbage or floods its pipes), an exchange
ends in time with an answer or a `DriverError`, and only a short part of its output is kept.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import difflib
import fnmatch
import json
import os
import platform
import queue
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape
from typing import Annotated, Any, NamedTuple

PROTOCOL = 1
KINDS = ("plain", "edge", "breach")
"""The kinds of cases: what everybody needs, limits and rare forms, and what must be refused."""

VERDICTS = PASSED, FAILED, NOT_COVERED, NOT_OFFERED = ("passed", "failed", "not-covered", "not-offered")
"""NOT_COVERED: the driver answered `unsupported`. NOT_OFFERED: by its greeting, it need not be asked."""

WORDS = {PASSED: "passed", FAILED: "FAILED", NOT_COVERED: "not covered", NOT_OFFERED: "not offered"}
LEVELS = ("MUST", "SHOULD", "MAY")
"""What the levels of clauses begin with."""

JsonObject = Mapping[str, Any]
EMPTY: JsonObject = {}


class KitError(Exception):
    """The kit can't be used as wanted; one sentence for the user."""


# Cases


class CaseStep(NamedTuple):
    """An operation, with the parts of its outcome that are compared; or files that are written or deleted."""

    operation: str = ""
    session: str | None = None
    inputs: JsonObject = EMPTY
    expect: JsonObject = EMPTY
    write: Mapping[str, str] = EMPTY
    delete: Sequence[str] = ()


class ConformanceCase(NamedTuple):
    """One case; `id` is `area/file/case`, `why` says what a program that fails it may do.

    `needs` are extensions; a case without them is of the core. `files` are texts and `bytes` base64, both by path,
    `links` symbolic links; `git` are repositories, each by its folder with the files that it tracks. `sources` are
    folders beside the workspace. `after` is what must be on the disk at the end.
    """

    id: str
    clauses: tuple[str, ...]
    kind: str
    why: str
    needs: tuple[str, ...]
    files: Mapping[str, str]
    steps: Sequence[CaseStep]
    bytes: Mapping[str, str] = EMPTY
    links: Mapping[str, str] = EMPTY
    git: Mapping[str, Sequence[str]] = EMPTY
    sources: Mapping[str, Mapping[str, str]] = EMPTY
    after: JsonObject = EMPTY


class KitClause(NamedTuple):
    """A clause of the standard; `reason` says why it has no case, or not for all of it: only an agent can comply."""

    id: str
    level: str
    gist: str
    section: str = ""
    sentence: str = ""
    profiles: Sequence[str] = ()
    reason: str | None = None


class Suite(NamedTuple):
    """All cases in their order, the clauses of the standard, and the extensions, each with what it is."""

    kit: str
    standard: str
    clauses: Sequence[KitClause]
    extensions: Mapping[str, str]
    cases: Sequence[ConformanceCase]

    @property
    def profiles(self) -> Mapping[str, frozenset[str]]:
        """By name the clauses of each profile."""
        names = sorted({name for clause in self.clauses for name in clause.profiles})
        return {name: frozenset(clause.id for clause in self.clauses if name in clause.profiles) for name in names}


def load_suite(path: str) -> Suite:
    """The suite of a `cases.json`.

    Raises:
        KitError: it is no such file.
        OSError: it can't be read.
    """
    with open(path, encoding="utf-8") as handle:
        try:
            raw = json.load(handle)
            clauses = tuple(_record(KitClause, each) for each in raw["clauses"])
            return Suite(raw["kit"], raw["standard"], clauses, raw["extensions"], tuple(map(case_of, raw["cases"])))
        except (ValueError, KeyError, TypeError) as error:
            raise KitError(f"{path} is no list of conformance cases: {error!r}") from error


def case_of(raw: JsonObject) -> ConformanceCase:
    """A case as `cases.json` has it."""
    steps = tuple(_record(CaseStep, each) for each in raw["steps"])
    names = {key: tuple(raw.get(key, ())) for key in ("clauses", "needs")}
    case: ConformanceCase = _record(ConformanceCase, {"why": "", **raw, **names, "steps": steps})
    return case


def _record(kind: Any, raw: JsonObject) -> Any:
    """A record of that class; keys that it has no field for are ignored."""
    return kind(**{name: raw[name] for name in kind._fields if name in raw})


def chosen(
    suite: Suite, clauses: Iterable[str] = (), pattern: str | None = None, profile: str | None = None
) -> tuple[ConformanceCase, ...]:
    """The cases about any of the clauses (all, where none is named) whose id the pattern matches, as a shell's does.

    A clause's first word names all that begin with it: `inputs`. With a profile, cases about others' clauses are out.

    Raises:
        KitError: there is no such clause or profile, or no case is left.
    """
    wanted = frozenset(clause for name in clauses for clause in _named(suite, name))
    inside = _profile(suite, profile)
    cases = tuple(
        case
        for case in suite.cases
        if (not clauses or not wanted.isdisjoint(case.clauses))
        and (pattern is None or fnmatch.fnmatchcase(case.id, pattern))
        and inside.issuperset(case.clauses)
    )
    if not cases:
        raise KitError("no case matches; --list shows them all, each with its clauses")
    return cases


def _named(suite: Suite, name: str) -> Collection[str]:
    known = [clause.id for clause in suite.clauses]
    named = [clause for clause in known if name in (clause, clause.partition(".")[0])]
    if not named:
        raise KitError(f"the standard has no clause {name[:80]!r}{_nearest(name, known)}; --list shows them")
    return named


def _profile(suite: Suite, name: str | None) -> frozenset[str]:
    if name is None:
        return frozenset(clause.id for clause in suite.clauses)
    if name not in suite.profiles:
        raise KitError(f"there is no profile {name[:80]!r}; there are {', '.join(suite.profiles)}")
    return suite.profiles[name]


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def expected_failures(path: str, suite: Suite) -> frozenset[str]:
    """The ids of the cases that a file expects to fail: an id or a pattern a line, `#` begins a comment.

    Raises:
        KitError: a line matches no case.
        OSError: it can't be read.
    """
    found: set[str] = set()
    known = [case.id for case in suite.cases]
    with open(path, encoding="utf-8", errors="replace") as handle:
        for number, line in enumerate(handle, 1):
            pattern = line.partition("#")[0].strip()
            matched = fnmatch.filter(known, pattern)
            if pattern and not matched:
                raise KitError(f"{path}:{number}: no case matches {pattern[:80]!r}{_nearest(pattern, known)}")
            found.update(matched)
    return frozenset(found)


# What a case expects, compared with an outcome


_CONTAINERS = (str, list, Mapping)


def mismatches(expected: object, got: object, where: str = "") -> Iterator[str]:
    """`path: expected …, got …` for each part of `got` that is not as `expected` says, `where` being its path.

    A mapping of expected parts is a subset, a list and a scalar are equal, and a mapping whose keys are all `MATCHERS`
    is what each of them says. Within lists, mappings are subsets too. What is left out of an outcome counts as null.
    """
    if isinstance(expected, Mapping) and _is_matcher(expected):
        for name, wanted in expected.items():
            if not MATCHERS[name](wanted, got):
                yield _line(where, _PHRASES.get(name) or f"{name} {short_json(wanted)}", got)
    elif isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key, value in expected.items():
            yield from mismatches(value, got.get(key), f"{where}.{key}" if where else key)
    elif not _matches(expected, got):
        yield _line(where, short_json(expected), got)


def _is_matcher(expected: JsonObject) -> bool:
    return bool(expected) and expected.keys() <= MATCHERS.keys()


def _matches(expected: object, got: object) -> bool:
    if isinstance(expected, Mapping):
        return (_is_matcher(expected) or isinstance(got, Mapping)) and not any(mismatches(expected, got))
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(_matches, expected, got))
    return isinstance(expected, bool) == isinstance(got, bool) and expected == got


def _found(wanted: object, got: Any) -> Iterator[bool]:
    """Whether each wanted item is part of a text, an item of a list or a key of a mapping."""
    for item in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(got, str):
            yield isinstance(item, str) and item in got
        else:
            yield any(_matches(item, part) for part in got)


def _unordered(wanted: object, got: object) -> bool:
    if not isinstance(wanted, list) or not isinstance(got, list) or len(wanted) != len(got):
        return False
    choices = ([at for at, item in enumerate(got) if _matches(expected, item)] for expected in wanted)
    return _pairs_up(sorted(choices, key=len))


def _pairs_up(choices: Sequence[Sequence[int]], taken: frozenset[int] = frozenset()) -> bool:
    """Whether each can have a choice of its own; cases have few of them."""
    if not choices:
        return True
    return any(_pairs_up(choices[1:], taken | {choice}) for choice in choices[0] if choice not in taken)


MATCHERS: Mapping[str, Callable[[object, object], bool]] = {
    "contains": lambda wanted, got: isinstance(got, _CONTAINERS) and all(_found(wanted, got)),
    "excludes": lambda wanted, got: isinstance(got, _CONTAINERS) and not any(_found(wanted, got)),
    "unordered": _unordered,
    "absent": lambda wanted, got: (got is None) is wanted,
    "any": lambda wanted, got: (got is not None) is wanted,
}
"""`contains` and `excludes` look at the parts of a text, the items of a list and the keys of a mapping."""

_PHRASES = {"absent": "nothing", "any": "something"}


def _line(where: str, wanted: str, got: object) -> str:
    return f"{where or 'outcome'}: expected {wanted}, got {'nothing' if got is None else short_json(got)}"


def short_json(value: object, most: int = 200) -> str:
    """A value as JSON in a message, cut to so many characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"


# The folders of a case

LARGEST = 1 << 24
"""Bytes of a file that are read to compare it."""


class CaseFolder:
    """A case's files in a folder of its own: `workspace`, `scratch` for the driver, and the sources, side by side.

    Paths of a case count from the workspace; `../utils` is a source.
    """

    def __init__(self, case: ConformanceCase, folder: str) -> None:
        """Make the files that the case begins with in the empty `folder`."""
        self.workspace = os.path.join(folder, "workspace")
        self.scratch = os.path.join(folder, "scratch")
        os.mkdir(self.workspace)
        os.mkdir(self.scratch)
        self._written: dict[str, bytes] = {}
        for source, texts in case.sources.items():
            self.write({f"../{source}/{path}": text for path, text in texts.items()})
        self.write(case.files)
        for path, text in case.bytes.items():
            self._write(path, base64.b64decode(text))
        for path, target in case.links.items():
            os.makedirs(os.path.dirname(self._at(path)), exist_ok=True)
            os.symlink(target, self._at(path))
            self._written[path] = _link(target)
        for place, tracked in case.git.items():
            self._make_repository(place, tracked)

    def write(self, texts: Mapping[str, str]) -> None:
        """Write files, with their folders. Another text of the same length keeps the file's time."""
        for path, text in texts.items():
            self._write(path, text.encode("utf-8"))

    def _write(self, path: str, data: bytes) -> None:
        place = self._at(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        times = _times_to_keep(place, data)
        with open(place, "wb") as handle:
            handle.write(data)
        if times:
            os.utime(place, ns=times)
        self._written[path] = data

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with its contents; it may be gone already."""
        place = self._at(path)
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        elif os.path.lexists(place):
            os.unlink(place)
        for gone in self._below(path):
            del self._written[gone]

    def take(self) -> None:
        """Take the workspace as it is for what the kit has written."""
        for gone in self._below("."):
            del self._written[gone]
        for place in _paths(self.workspace):
            self._written[os.path.relpath(place, self.workspace)] = _content(place)

    def faults(self, after: JsonObject) -> Iterator[str]:
        """A line for each path that is not what the case expects at the end."""
        for path, expected in after.items():
            if expected == "unchanged":
                yield from self._changes(path)
            else:
                yield from mismatches({"absent": True} if expected == "absent" else expected, self._text(path), path)

    def _at(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.workspace, path))

    def _below(self, path: str) -> list[str]:
        inside = self._at(path) + os.sep
        return [written for written in self._written if (self._at(written) + os.sep).startswith(inside)]

    def _changes(self, path: str) -> Iterator[str]:
        """A line for each file at or below the path that is not as the kit wrote it."""
        expected = {self._at(written): self._written[written] for written in self._below(path)}
        found = {place: _content(place) for place in _paths(self._at(path))}
        for place in sorted({*expected, *found}):
            if expected.get(place) != found.get(place):
                what = "is new" if place not in expected else "is gone" if place not in found else "was changed"
                name = os.path.relpath(place, self.workspace).replace(os.sep, "/")
                yield f"{name}: expected it unchanged, but it {what}"

    def _text(self, path: str) -> str | None:
        """The text of a file, the names in a folder, or None where neither is."""
        place = self._at(path)
        if not os.path.lexists(place):
            return None
        if os.path.isdir(place):
            return "".join(f"{name}\n" for name in sorted(os.listdir(place)))
        return _content(place).decode("utf-8", "replace")

    def _make_repository(self, place: str, tracked: Iterable[str]) -> None:
        # Git must not take the repository of a hook that this may run in.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        for arguments in (["init", "-q"], ["add", "-f", "--", *tracked]):
            command = ["git", "-C", self._at(place), *arguments]
            done = subprocess.run(command, check=False, capture_output=True, env=environment)
            if done.returncode:
                raise KitError(f"git made no repository for a case: {done.stderr.decode('utf-8', 'replace').strip()}")


def _times_to_keep(place: str, data: bytes) -> tuple[int, int] | None:
    """The times of a file whose new contents have the old length, so that only a comparison of contents sees it."""
    if not os.path.isfile(place) or os.path.getsize(place) != len(data):
        return None
    with open(place, "rb") as handle:
        status = os.stat(place)
        return None if handle.read() == data else (status.st_atime_ns, status.st_mtime_ns)


def _content(place: str) -> bytes:
    """What is at a place. A driver may have put anything there: it does not block, nor read too much."""
    if os.path.islink(place):
        return _link(os.readlink(place))
    try:
        status = os.stat(place)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            return b"unreadable: " + (b"large" if stat.S_ISREG(status.st_mode) else b"special")
        with open(place, "rb") as handle:
            return handle.read()
    except OSError as error:
        return f"unreadable: {error.strerror}".encode()


def _link(target: str) -> bytes:
    return b"link to " + os.fsencode(target)


def _paths(place: str) -> Iterator[str]:
    """Each file and link at or below a place; what git keeps is left out."""
    if os.path.islink(place) or not os.path.isdir(place):
        yield from [place] if os.path.lexists(place) else []
        return
    for current, folders, names in os.walk(place):
        links = [name for name in folders if os.path.islink(os.path.join(current, name))]
        folders[:] = [name for name in folders if name != ".git"]
        yield from (os.path.join(current, name) for name in (*names, *links))


# The exchange with a driver

LONGEST_LINE = 1 << 20
"""Bytes of an answer, its line end included."""

MAX_HANGS = 5
"""After so many hangs the remaining cases are not run: a run ends in bounded time."""

_TAIL = 2_000  # bytes that are kept of standard error
_REPEATED = 120  # characters of an answer that a message repeats
_END = 1.0  # seconds for a process to end
_POLL = 0.2  # seconds between checks whether it has ended
_MISLEADING = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "SKILLBAG_SESSION"}
"""Variables that would lead a driver to another workspace than the one in its request."""


class DriverError(Exception):
    """The driver has broken the protocol: what it did, in one phrase. It has to be started again."""


class HungError(DriverError):
    """There was no answer in time."""


class DriverInfo(NamedTuple):
    """Who answers: its name and version, the operations that it knows, and what it offers; None: it does not say."""

    name: str
    version: str
    operations: frozenset[str]
    features: frozenset[str] | None = None
    clauses: frozenset[str] | None = None
    profile: str | None = None


class DriverRequest(NamedTuple):
    """A request: absolute folders, the session, the inputs, and the parts of the outcome that are compared."""

    id: int
    operation: str
    workspace: str
    scratch: str
    session: str | None
    inputs: JsonObject
    wanted: tuple[str, ...]


def command_words(driver: str) -> list[str]:
    """The words of a driver's command, split as a shell does.

    Raises:
        KitError: there are none, or a quotation is open.
    """
    try:
        words = shlex.split(driver)
    except ValueError as error:
        raise KitError(f"--driver {driver!r}: {str(error).lower()}") from error
    if not words:
        raise KitError("--driver is empty: name the command that starts the driver")
    return words


class Driver:
    """One process of a driver. `failure` is how it broke the protocol, after which it answers no more."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        """Start it; `timeout` is in seconds for each answer.

        Raises:
            KitError: there is no such command, or it can't be executed.
        """
        self.failure: DriverError | None = None
        self._timeout = timeout
        self._number = 0
        self._tail = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: value for name, value in os.environ.items() if name not in _MISLEADING},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise KitError(f"--driver: {command[0][:200]!r} can't be started: {why}") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101, PT018 - for mypy
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def greet(self) -> DriverInfo:
        """Say hello.

        Raises:
            DriverError: it does not greet, or speaks another protocol.
        """
        answer = self._exchange({"protocol": PROTOCOL, "operation": "hello"})
        protocol, name, version, known, profile = map(
            answer.get, ("protocol", "name", "version", "operations", "profile")
        )
        if protocol != PROTOCOL or isinstance(protocol, bool):
            raise DriverError(f"it speaks protocol {short_json(protocol, _REPEATED)}, not {PROTOCOL}")
        if not isinstance(name, str) or not isinstance(version, str) or not isinstance(known, list):
            raise DriverError("its answer to hello lacks name, version or operations")
        if not isinstance(profile, (str, type(None))):
            raise DriverError("its answer to hello has a profile that is no text")
        operations = frozenset(operation for operation in known if isinstance(operation, str))
        features, clauses = _names(answer, "features"), _names(answer, "clauses")
        return DriverInfo(name[:_REPEATED], version[:_REPEATED], operations, features, clauses, profile)

    def ask(self, request: DriverRequest) -> JsonObject | str:
        """The outcome of an operation, or why it is unsupported.

        Raises:
            DriverError: there is no such answer; it is the `failure` from then on.
        """
        self._number += 1
        try:
            return self._read(self._exchange(request._replace(id=self._number)._asdict()))
        except DriverError as error:
            self.failure = error
            raise

    def _read(self, answer: JsonObject) -> JsonObject | str:
        number, outcome, unsupported = map(answer.get, ("id", "outcome", "unsupported"))
        if number != self._number or isinstance(number, bool):
            raise DriverError(f"it answered request {self._number} with the id {short_json(number, _REPEATED)}")
        if isinstance(outcome, dict) and unsupported is None:
            return outcome
        if isinstance(unsupported, str) and outcome is None:
            return unsupported[:_REPEATED]
        raise DriverError("its answer has neither an outcome nor why it is unsupported")

    def close(self) -> None:
        """Close its input and give it a moment to end. Not after a failure."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self.stop()

    def stop(self) -> None:
        """Kill the process group; it may have ended already."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()

    def _exchange(self, request: JsonObject) -> JsonObject:
        """Send a line and read one, both in a thread that is left behind if the driver does neither."""
        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        threading.Thread(target=lambda: answers.put(self._talk(line)), daemon=True).start()
        latest = time.monotonic() + self._timeout
        while time.monotonic() < latest:
            # What a process that has ended leaves behind may hold its output open, so its end is looked for as well.
            ended = self._process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._parse(answers.get(timeout=min(_POLL, self._timeout)))
            if ended:
                return self._parse(b"")
        raise HungError(f"it gave no answer within {self._timeout:g} s{self._words()}")

    def _talk(self, line: bytes) -> bytes:
        try:
            self._stdin.write(line)
            self._stdin.flush()
            return self._stdout.readline(LONGEST_LINE + 1)
        except (OSError, ValueError):
            return b""  # It has closed its input, or ended.

    def _parse(self, line: bytes) -> JsonObject:
        if not line:
            raise DriverError(f"it ended without an answer{self._exit()}{self._words()}")
        if len(line) > LONGEST_LINE:
            raise DriverError(f"it printed a line of more than {LONGEST_LINE} bytes")
        try:
            answer = json.loads(line.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            text = line.decode("utf-8", "replace").strip()
            raise DriverError(f"it printed a line that is not JSON: {short_json(text, _REPEATED)}") from None
        if not isinstance(answer, dict):
            raise DriverError(f"it printed JSON that is not an object: {short_json(answer, _REPEATED)}")
        return answer

    def _exit(self) -> str:
        try:
            code = self._process.wait(_END)
        except subprocess.TimeoutExpired:
            return ", its output closed"
        return f", by signal {-code}" if code < 0 else f", exit code {code}"

    def _words(self) -> str:
        """The last line of its standard error, if any."""
        if self._process.poll() is not None:
            self._listener.join(_END)
        lines = self._tail.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last words: {short_json(last, _REPEATED)}" if last else ""

    def _listen(self) -> None:
        while data := self._stderr.read1(_TAIL):  # type: ignore[attr-defined] # a pipe's stream is buffered
            self._tail = (self._tail + data)[-_TAIL:]


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _names(answer: JsonObject, key: str) -> frozenset[str] | None:
    names = answer.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DriverError(f"its answer to hello has {key} that are no list of names")
    return frozenset(names)


# The run


class ListedCase(NamedTuple):
    """A case of the suite."""

    id: str
    clauses: tuple[str, ...]
    kind: str
    why: str
    needs: tuple[str, ...]


class CaseList(NamedTuple):
    """The cases of a selection, none of which was run."""

    list: Annotated[tuple[ListedCase, ...], (("minItems", 1),)]


class CaseResult(NamedTuple):
    """The result of a case."""

    id: Annotated[str, (("minLength", 1),), "area/file/case."]
    clauses: Annotated[tuple[str, ...], (("minItems", 1),)]
    kind: Annotated[str, (("enum", KINDS),)]
    why: Annotated[str, "What a failing program may have done."]
    needs: Annotated[tuple[str, ...], "The extensions that it is about; none: it is of the core."]
    verdict: Annotated[str, (("enum", VERDICTS),)]
    lines: Annotated[tuple[str, ...], "Why it did not pass, one reason each."] = ()
    expected: Annotated[bool, "Whether it was expected to fail."] = False
    seconds: float = 0.0

    @classmethod
    def of(cls, case: ConformanceCase, verdict: str, *lines: str) -> CaseResult:
        """That of a case; `lines` say why it did not pass, a phrase each."""
        return cls(*case[:5], verdict, lines)


class RunnerSettings(NamedTuple):
    """The driver's command, how many processes of it run at once, the seconds that each answer may take, and the
    clauses of each profile that a driver may say it has."""

    command: Sequence[str]
    jobs: int
    timeout: float
    profiles: Mapping[str, frozenset[str]] = {}


def run_cases(
    cases: Sequence[ConformanceCase],
    settings: RunnerSettings,
    on_result: Callable[[CaseResult], object] = lambda result: None,
) -> tuple[DriverInfo | None, tuple[CaseResult, ...]]:
    """The driver's greeting (None: it never greeted), and the results in order; `on_result` gets each as it comes.

    After a crash or a hang the driver is started again, so that the other cases still run.

    Raises:
        KitError: the driver's command can't be started, or git can't make a repository.
        OSError: the files of a case can't be written.
    """
    run = _Run(cases, settings, on_result)
    with ThreadPoolExecutor(settings.jobs) as pool:
        working = [pool.submit(run.work) for _ in range(min(settings.jobs, len(cases)))]
        try:
            for future in working:
                future.result()
        finally:
            run.end()
    return run.greeting, tuple(run.results[number] for number in range(len(cases)))


class _Run:
    """What the threads of a run share."""

    def __init__(
        self, cases: Sequence[ConformanceCase], settings: RunnerSettings, on_result: Callable[[CaseResult], object]
    ) -> None:
        self.greeting: DriverInfo | None = None
        self.results: dict[int, CaseResult] = {}
        self._settings = settings
        self._on_result = on_result
        self._waiting: queue.SimpleQueue[tuple[int, ConformanceCase]] = queue.SimpleQueue()
        self._drivers: set[Driver] = set()
        self._hangs = 0
        self._given_up = ""
        self._over = False
        for numbered in enumerate(cases):
            self._waiting.put(numbered)

    def work(self) -> None:
        """Run cases until none is left, with a driver process for this thread."""
        driver: Driver | None = None
        for number, case in self._left():
            driver = driver or self._started()
            began = time.monotonic()
            result = self._attempt(case, driver)._replace(seconds=round(time.monotonic() - began, 3))
            if driver and driver.failure:
                self._hangs += isinstance(driver.failure, HungError)
                if self._hangs >= MAX_HANGS:
                    self._given_up = f"the driver has hung {MAX_HANGS} times"
                self._drivers.discard(driver)
                driver.stop()
                driver = None
            self.results[number] = result
            self._on_result(result)
        if driver:
            self._drivers.discard(driver)
            driver.close()

    def end(self) -> None:
        """Take no more cases, and end every process that still runs."""
        self._over = True
        for driver in list(self._drivers):
            driver.stop()

    def _left(self) -> Iterator[tuple[int, ConformanceCase]]:
        while not self._over:
            try:
                yield self._waiting.get_nowait()
            except queue.Empty:
                return

    def _started(self) -> Driver | None:
        """A new process that has greeted; None once the driver is given up."""
        if self._given_up:
            return None
        driver = Driver(self._settings.command, self._settings.timeout)
        self._drivers.add(driver)
        try:
            greeting = driver.greet()
            if greeting.profile and greeting.profile not in self._settings.profiles:
                raise DriverError(f"it has the profile {short_json(greeting.profile, _REPEATED)}, which is none")
            self.greeting = greeting
        except DriverError as error:
            self._given_up = f"the driver did not greet: {error}"
            self._drivers.discard(driver)
            driver.stop()
            return None
        return driver

    def _attempt(self, case: ConformanceCase, driver: Driver | None) -> CaseResult:
        if not driver or not self.greeting:
            return CaseResult.of(case, FAILED, f"not asked, since {self._given_up}")
        reason = _not_offered(case, self.greeting, self._settings.profiles)
        return CaseResult.of(case, NOT_OFFERED, reason) if reason else attempt(case, driver)


def _not_offered(case: ConformanceCase, driver: DriverInfo, profiles: Mapping[str, frozenset[str]]) -> str:
    """Why a driver need not be sent a case, by its greeting; empty where it need."""
    operations = {step.operation for step in case.steps if step.operation}
    if unknown := operations - driver.operations:
        return f"the driver does not know the operation {min(unknown)}"
    if driver.features is not None and (missing := set(case.needs) - driver.features):
        return f"the driver does not offer the extension {min(missing)}"
    offered = profiles[driver.profile] if driver.profile and driver.clauses is None else driver.clauses
    return "" if offered is None or offered.issuperset(case.clauses) else "the driver does not offer its clauses"


def attempt(case: ConformanceCase, driver: Driver) -> CaseResult:
    """Run one case; it ends at its first step that comes out otherwise than expected.

    Raises:
        KitError: git can't make its repository.
        OSError: its files can't be written.
    """
    # As a driver may leave anything, what can't be deleted stays.
    with tempfile.TemporaryDirectory(prefix="skillbag-conformance-", ignore_cleanup_errors=True) as folder:
        files = CaseFolder(case, folder)
        for number, step in enumerate(case.steps, 1):
            files.write(step.write)
            for path in step.delete:
                files.delete(path)
            if step.operation:
                result = _operate(case, step, f"step {number} ({step.operation})", driver, files)
                if result is not None:
                    return result
        lines = list(files.faults(case.after))
        return CaseResult.of(case, FAILED if lines else PASSED, *lines)


def _operate(case: ConformanceCase, step: CaseStep, where: str, driver: Driver, files: CaseFolder) -> CaseResult | None:
    """The result of the case, where this step decides it."""
    folders = (files.workspace, files.scratch)
    try:
        outcome = driver.ask(DriverRequest(0, step.operation, *folders, step.session, step.inputs, tuple(step.expect)))
    except DriverError as error:
        return CaseResult.of(case, FAILED, f"{where}: {error}")
    if isinstance(outcome, str):
        return CaseResult.of(case, NOT_COVERED, outcome)
    lines = [f"{where}: {line}" for line in mismatches(step.expect, outcome)]
    if lines and "error" in outcome and "error" not in step.expect:
        lines.append(f"{where}: it says: {str(outcome['error'])[:400]}")
    if step.operation == "put":
        files.take()
    return CaseResult.of(case, FAILED, *lines) if lines else None


# The report

_Number = Annotated[int, (("minimum", 0),)]


class VerdictCounts(NamedTuple):
    """How many have which verdict."""

    passed: _Number
    failed: _Number
    not_covered: _Number
    not_offered: _Number

    @classmethod
    def of(cls, verdicts: Iterable[str]) -> VerdictCounts:
        """The numbers of these."""
        counter = Counter(verdicts)
        return cls(*(counter[verdict] for verdict in VERDICTS))

    @property
    def words(self) -> str:
        """`3 passed, 1 failed`."""
        return ", ".join(
            f"{number} {WORDS[name].lower()}" for name, number in zip(VERDICTS, self, strict=True) if number
        )

    @property
    def verdict(self) -> str:
        """The worst of them: failed, not covered, not offered, passed; not covered where there is none."""
        order = (FAILED, NOT_COVERED, NOT_OFFERED, PASSED)
        return next((verdict for verdict in order if self[VERDICTS.index(verdict)]), NOT_COVERED)


class ClauseResult(NamedTuple):
    """A clause."""

    id: Annotated[str, (("minLength", 1),)]
    level: str
    gist: Annotated[str, "What it asks for, in short."]
    section: Annotated[str, "The section of the standard that it stands in."]
    sentence: Annotated[str, "Its words there."]
    verdict: Annotated[
        str, (("enum", VERDICTS),), "failed: one of its cases failed. passed: all of its core cases passed, if any."
    ]
    core: Annotated[str | None, "The verdict of its core cases alone; null: it has none."]
    passed: _Number
    failed: _Number
    not_covered: _Number
    not_offered: _Number
    reason: Annotated[str | None, "Why there is no case for it, or for a part of it: only an agent can follow it."]

    @property
    def counts(self) -> VerdictCounts:
        """The numbers of its cases."""
        return VerdictCounts(self.passed, self.failed, self.not_covered, self.not_offered)

    @property
    def word(self) -> str:
        """Its verdict for people."""
        return "only an agent" if self.reason and not any(self.counts) else WORDS[self.verdict]


class PartResult(NamedTuple):
    """A level of the core, or an extension."""

    name: str
    counts: VerdictCounts


class DriverName(NamedTuple):
    """The implementation's name and version."""

    name: str
    version: str


class KitVersions(NamedTuple):
    """The versions of what took part."""

    kit: Annotated[str, "Of the cases."]
    standard: str
    protocol: int
    python: Annotated[str, "What the kit ran on."]


class Report(NamedTuple):
    """What was run."""

    driver: Annotated[DriverName | None, "The implementation's name and version; null if it did not answer `hello`."]
    versions: KitVersions
    profile: Annotated[str | None, "The part of the standard that was tested; null: all of it."]
    whole: Annotated[bool, "Whether all cases ran (of the profile, if there is one)."]
    conforms: Annotated[bool, "Whether all of them ran, and every core case of a MUST or MUST NOT clause passed."]
    summary: VerdictCounts
    levels: Annotated[tuple[PartResult, ...], "The clauses of the core: MUST (NOT), SHOULD (NOT) and MAY."]
    extensions: Annotated[tuple[PartResult, ...], "The cases that need each extension."]
    clauses: Annotated[tuple[ClauseResult, ...], "In the standard's order; with a selection, those of its cases."]
    cases: Annotated[tuple[CaseResult, ...], "In the order of the suite."]

    @property
    def failed(self) -> bool:
        """Whether a case failed or passed against expectation, or none was covered."""
        unexpected = any(each.verdict == (PASSED if each.expected else FAILED) for each in self.cases)
        return unexpected or not (self.summary.passed or self.summary.failed)

    @property
    def subject(self) -> str:
        """What was tested."""
        return f"{self.driver.name} {self.driver.version}" if self.driver else "a driver that did not greet"


def report_of(
    suite: Suite,
    results: Iterable[CaseResult],
    driver: DriverInfo | None,
    profile: str | None = None,
    expected: Collection[str] = (),
) -> Report:
    """The report about these results: clauses in the standard's order, without those that no selected case tests.

    `expected` are the ids of cases that are expected to fail. A profile of the driver counts where none is given.
    """
    results = tuple(result._replace(expected=result.id in expected) for result in results)
    profile = profile or (driver.profile if driver else None)
    inside = _profile(suite, profile)
    whole = {result.id for result in results} >= {case.id for case in suite.cases if inside.issuperset(case.clauses)}
    about = {clause.id: [result for result in results if clause.id in result.clauses] for clause in suite.clauses}
    clauses = tuple(
        _clause_result(clause, about[clause.id])
        for clause in suite.clauses
        if about[clause.id] or (whole and clause.id in inside)
    )
    levels = [PartResult(level, _of_level(clauses, inside, level)) for level in LEVELS]
    needed = [(name, [case.verdict for case in results if name in case.needs]) for name in suite.extensions]
    must = levels[0].counts
    return Report(
        DriverName(driver.name, driver.version) if driver else None,
        KitVersions(suite.kit, suite.standard, PROTOCOL, platform.python_version()),
        profile,
        whole,
        whole and must.passed == sum(must) > 0,
        VerdictCounts.of(result.verdict for result in results),
        tuple(level for level in levels if any(level.counts)),
        tuple(PartResult(name, VerdictCounts.of(verdicts)) for name, verdicts in needed if verdicts),
        clauses,
        results,
    )


def _clause_result(clause: KitClause, cases: Sequence[CaseResult]) -> ClauseResult:
    counts = VerdictCounts.of(case.verdict for case in cases)
    core = VerdictCounts.of(case.verdict for case in cases if not case.needs)
    verdict = counts.verdict if counts.failed or not any(core) else core.verdict
    alone = core.verdict if any(core) else None
    stated = (clause.id, clause.level, clause.gist, clause.section, clause.sentence)
    return ClauseResult(*stated, verdict, alone, *counts, clause.reason)


def _of_level(clauses: Iterable[ClauseResult], inside: Collection[str], level: str) -> VerdictCounts:
    """The clauses of a level that have core cases."""
    return VerdictCounts.of(
        each.core for each in clauses if each.core and each.id in inside and each.level.startswith(level)
    )


def with_verdict(report: Report, verdict: str) -> Sequence[CaseResult]:
    """The cases with this result."""
    return [result for result in report.cases if result.verdict == verdict]


def totals(report: Report) -> str:
    """The counts, and what the run shows, in a sentence each; the clauses that failed or are open are named."""
    return " ".join([f"{counted(len(report.cases), 'case')}: {report.summary.words}.", *_conclusions(report)])


def _conclusions(report: Report) -> Iterator[str]:
    core = [clause.id for clause in report.clauses if clause.core == FAILED]
    if core and not report.conforms:
        yield f"It fails {counted(len(core), 'clause')} of SkillBag: {', '.join(core)}."
    if others := sorted({name for case in with_verdict(report, FAILED) for name in case.needs}):
        yield f"It fails {counted(len(others), 'extension')}: {', '.join(others)}."
    if not (report.summary.passed or report.summary.failed):
        yield f"Nothing was shown, since no case is covered{_open(report.clauses)}."
    elif open_ := _open([each for each in report.clauses if each.level.startswith("MUST")]):
        yield f"{'Not' if report.summary.failed else 'Nothing failed, but not'} all is covered{open_}."
    elif not report.whole and not report.summary.failed:
        yield "All of the chosen cases passed; the others were not run."
    if report.conforms:
        part = f", profile {report.profile}" if report.profile else ""
        rest = f": to all MUST clauses, but it fails others: {', '.join(core)}" if core else ""
        yield f"It conforms to the checked clauses of SkillBag {report.versions.standard}{part}{rest}."
    if surprises := [each.id for each in with_verdict(report, PASSED) if each.expected]:
        yield f"Expected to fail, but passed: {', '.join(surprises)}."


def _open(clauses: Sequence[ClauseResult]) -> str:
    """The clauses whose core cases (or cases at all, where they have none of the core) are not covered or offered."""
    held = [each for each in clauses if any(each.counts)]
    names = {verdict: [each.id for each in held if (each.core or each.verdict) == verdict] for verdict in VERDICTS}
    return "".join(f"; {WORDS[each]}: {', '.join(names[each])}" for each in (NOT_COVERED, NOT_OFFERED) if names[each])


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# The report in its forms

_MAX_LINES = 10


def parts(report: Report) -> Iterator[tuple[str, str, str]]:
    """The core by level, then each extension: its name, verdict, and how much of it has which."""
    for level, clauses in report.levels:
        yield f"core {level}", clauses.verdict, f"{counted(sum(clauses), 'clause')}: {clauses.words}"
    for name, cases in report.extensions:
        # A case may need another extension as well, which is not offered.
        offered = cases._replace(not_offered=0) if cases.passed else cases
        yield name, offered.verdict, f"{counted(sum(cases), 'case')}: {cases.words}"


def versions(report: Report) -> str:
    """The versions of all that took part, in a line."""
    kit, standard, protocol, python = report.versions
    return f"Kit {kit}, SkillBag {standard}, protocol {protocol}, {report.subject}, Python {python}"


def report_text(report: Report) -> str:
    """The whole report, clause by clause, then what failed and what was not covered."""
    return "".join(f"{visible(line)}\n" for line in _text_lines(report))


def list_text(cases: Iterable[ConformanceCase]) -> str:
    """The cases, one a line, each with its kind, clauses and extensions."""
    return "".join(
        f"{case.id}  {case.kind}  [{', '.join(case.clauses)}]{'  needs ' * bool(case.needs)}{', '.join(case.needs)}\n"
        for case in cases
    )


def _text_lines(report: Report) -> Iterator[str]:
    yield f"{report.subject}: {counted(len(report.cases), 'case')} about {counted(len(report.clauses), 'clause')}"
    yield ""
    yield from _table((each.word, each.id, _shown_counts(each)) for each in report.clauses)
    yield ""
    yield from _table((WORDS[verdict], name, numbers) for name, verdict, numbers in parts(report))
    for result in with_verdict(report, FAILED):
        yield ""
        yield f"{result.id} failed{' as expected' if result.expected else ''}  [{', '.join(result.clauses)}]"
        stated = (each for each in report.clauses if each.id in result.clauses and each.sentence)
        yield from (f"  SkillBag, {each.section}: {each.sentence}" for each in stated)
        if result.why:
            yield f"  about: {result.why}"
        yield from (f"  {line}" for line in case_lines(result))
    if reasons := list(_reasons(report)):
        yield from ("", *reasons)
    yield ""
    if alone := [clause.id for clause in report.clauses if clause.reason]:
        yield f"Not tested, since only an agent can comply: {', '.join(alone)}."
    yield f"{versions(report)}."
    yield totals(report)


def _shown_counts(clause: ClauseResult) -> str:
    return clause.counts.words or (f"only an agent: {clause.reason}" if clause.reason else "no case")


def case_lines(result: CaseResult) -> Iterator[str]:
    """Why a case did not pass, a line each."""
    yield from result.lines[:_MAX_LINES]
    if len(result.lines) > _MAX_LINES:
        yield f"… and {len(result.lines) - _MAX_LINES} more"


def _reasons(report: Report) -> Iterator[str]:
    """Why cases are not covered or not offered, and how many for each reason."""
    for verdict in (NOT_COVERED, NOT_OFFERED):
        reasons = Counter(line for result in with_verdict(report, verdict) for line in result.lines)
        for reason, number in reasons.items():
            yield f"{counted(number, 'case')} {WORDS[verdict]}: {reason}"


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    rows = list(rows)
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(size) for cell, size in zip(row, sizes, strict=True)).rstrip()


def visible(text: str) -> str:
    """`text` safe for a terminal and the log of a job: whatever shows nothing is escaped."""
    safe = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return safe.replace("##[", "#\\x23[")


def report_markdown(report: Report) -> str:
    """The whole report: tables of the parts and the clauses, then the cases that failed.

    Texts of the driver are in code blocks alone, where they are no markup.
    """
    return "".join(f"{visible(line)}\n" for line in _markdown_lines(report))


def _markdown_lines(report: Report) -> Iterator[str]:
    yield f"# Conformance to SkillBag {report.versions.standard}"
    yield from ("", f"    {versions(report)}", "", totals(report), "")
    yield from _markdown_table(
        ("Part", "", ""), ((name, _bold(verdict), text) for name, verdict, text in parts(report))
    )
    yield ""
    rows = (
        (each.id, each.level, _bold(each.verdict) if each.failed else each.word, *map(str, each.counts))
        for each in report.clauses
    )
    columns = ("Clause", "Level", "", "Passed", "Failed", "Not covered", "Not offered")
    yield from _markdown_table(columns, rows)
    if alone := [clause for clause in report.clauses if clause.reason]:
        yield from ("", "## What only an agent can do", "")
        yield from (f"- {clause.id}: {clause.reason}" for clause in alone)
    for result in with_verdict(report, FAILED):
        yield from ("", f"## {result.id}", "")
        expected = "Expected to fail. " if result.expected else ""
        yield from (f"{', '.join(result.clauses)} ({result.kind}). {expected}{result.why}".rstrip(), "")
        yield from (f"    {line}" for line in case_lines(result))
    if reasons := list(_reasons(report)):
        yield from ("", "## Not covered", "", *(f"    {reason}" for reason in reasons))


def _bold(verdict: str) -> str:
    return f"**{WORDS[verdict].lower()}**" if verdict == FAILED else WORDS[verdict]


def _markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    kinds = ["---:" if at > 2 else "---" for at in range(len(columns))]
    yield from (f"| {' | '.join(cells)} |" for cells in (columns, kinds, *rows))


def report_junit(report: Report, when: float | None = None) -> str:
    """JUnit XML: a suite for the core, and one for each extension that cases need first; `when` is the run's time."""
    suites: dict[str, list[CaseResult]] = {}
    for case in report.cases:
        suites.setdefault(case.needs[0] if case.needs else "core", []).append(case)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for number, (name, cases) in enumerate(suites.items()):
        lines += _junit_suite(
            report, f'package="SkillBag" id="{number}" name={_quoted(name)} timestamp="{stamp}"', cases
        )
    return "\n".join([*lines, "</testsuites>", ""])


def _junit_suite(report: Report, named: str, cases: Sequence[CaseResult]) -> Iterator[str]:
    bodies = [_junit_body(case) for case in cases]
    failures, skipped = (sum(body.startswith(f"<{tag}") for body in bodies) for tag in ("failure", "skipped"))
    seconds = sum(case.seconds for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}" time="{seconds:.3f}"'
    yield f'<testsuite {named} hostname="localhost" {counts}>'
    facts = {**report.versions._asdict(), "driver": report.subject, "profile": report.profile or "all"}
    facts.update({name: numbers for name, _, numbers in parts(report)})
    yield "<properties>"
    yield from (f"<property name={_quoted(name)} value={_quoted(str(value))} />" for name, value in facts.items())
    yield "</properties>"
    for case, body in zip(cases, bodies, strict=True):
        where = f'classname={_quoted(case.clauses[0])} name={_quoted(case.id)} time="{case.seconds:.3f}"'
        yield f"<testcase {where}>{body}</testcase>" if body else f"<testcase {where} />"
    yield "<system-out />"
    yield "<system-err />"
    yield "</testsuite>"


def _junit_body(case: CaseResult) -> str:
    lines = [*([case.why] if case.why else []), *case_lines(case)]
    first = case.lines[0] if case.lines else ""
    if case.expected and case.verdict == PASSED:
        return '<failure message="it passed, though it was expected to fail" type="expected" />'
    if case.verdict == FAILED and not case.expected:
        text = escape("\n".join(map(visible, lines)), quote=False)
        return f'<failure message={_quoted(first)} type="conformance">{text}</failure>'
    if case.verdict == PASSED:
        return ""
    what = "it failed as expected" if case.verdict == FAILED else WORDS[case.verdict]
    return f"<skipped message={_quoted(f'{what}: {first}')} />"


def _quoted(text: str) -> str:
    return f'"{escape(visible(text))}"'


def report_badge(report: Report) -> str:
    """A badge as SVG: how many MUST clauses pass in the core."""
    must = next((level.counts for level in report.levels if level.name == "MUST"), VerdictCounts(0, 0, 0, 0))
    left = " ".join(filter(None, ("SkillBag", report.versions.standard, report.profile)))
    right = f"core MUST {must.passed}/{sum(must)}"
    color = "#1a7f37" if report.conforms else "#c0392b" if must.failed else "#9a6700"
    widths = [round(6.6 * len(text)) + 14 for text in (left, right)]
    total, title = sum(widths), escape(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="20" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="edge"><rect width="{total}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#edge)"><rect width="{total}" height="20" fill="#444c56"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="{color}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{widths[0] / 2:g}" y="14">{escape(left)}</text>'
        f'<text x="{widths[0] + widths[1] / 2:g}" y="14">{escape(right)}</text></g></svg>\n'
    )


def report_json(report: Report) -> str:
    """What `skillbag team conformance --json` prints."""
    head = {"version": 1, "command": "conformance", "exit": int(report.failed)}
    return json.dumps({**head, **_plain(report)}, ensure_ascii=True) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "_fields"):
        return {name: _plain(getattr(value, name)) for name in value._fields}
    return [_plain(each) for each in value] if isinstance(value, (tuple, list)) else value


FILES: Mapping[str, Callable[[Report], str]] = {
    "markdown": report_markdown,
    "junit": report_junit,
    "badge": report_badge,
}
"""The reports that are written into files, by the options that name these."""


# The program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the kit; returns the exit code: 0 passed, 1 failed, 2 bad usage, 4 the environment failed."""
    parser = argparse.ArgumentParser(description="Test an implementation of SkillBag through its driver.")
    parser.add_argument("--driver", metavar="CMD", help="the command that starts the driver")
    parser.add_argument("--cases", metavar="FILE", help="the cases [default: cases.json beside this program]")
    parser.add_argument("--profile", metavar="NAME", help="only this part of the standard")
    parser.add_argument("--clause", dest="clauses", action="append", default=[], metavar="ID", help="only these cases")
    parser.add_argument("--case", dest="pattern", metavar="GLOB", help="only cases whose name matches")
    parser.add_argument("--expected", metavar="FILE", help="the cases that are expected to fail, one a line")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="number of drivers")
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="limit for each answer")
    parser.add_argument("--list", action="store_true", help="list the cases; run nothing")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    for name in FILES:
        parser.add_argument(f"--{name}", metavar="FILE", help=f"also write the report as {name}")
    given = parser.parse_args(arguments)
    if given.jobs < 1 or not given.timeout > 0 or not (given.driver or given.list):
        parser.error("--driver CMD is needed, with a positive number of jobs and seconds")
    try:
        return _main(given)
    except (KitError, OSError) as error:
        why = f"{error.filename or 'the system'}: {error.strerror}" if isinstance(error, OSError) else error
        sys.stderr.write(f"error: {why}\n")
        return 4 if isinstance(error, OSError) else 2
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        return 130


def _main(given: argparse.Namespace) -> int:
    suite = load_suite(given.cases or os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json"))
    cases = chosen(suite, given.clauses, given.pattern, given.profile)
    if given.list:
        sys.stdout.write(list_text(cases))
        return 0
    expected = expected_failures(given.expected, suite) if given.expected else frozenset()
    settings = RunnerSettings(command_words(given.driver), given.jobs, given.timeout, suite.profiles)
    greeting, results = run_cases(cases, settings)
    report = report_of(suite, results, greeting, given.profile, expected)
    sys.stdout.write(report_json(report) if given.json else report_text(report))
    for name, render in FILES.items():
        if path := getattr(given, name):
            _write_whole(path, render(report))
    return int(report.failed)


def _write_whole(path: str, text: str) -> None:
    """Write a report whole or not at all; a device is written to as it is."""
    place = os.path.realpath(path)
    part = f"{place}.part-{os.getpid()}" if os.path.isfile(place) or not os.path.exists(place) else place
    try:
        with open(part, "w", encoding="utf-8") as handle:
            handle.write(text)
        if part != place:
            os.replace(part, place)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


if __name__ == "__main__":
    # Texts of drivers have letters that the encoding of a terminal may lack.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
