"""The measures of the runtime: work, what it is compared with, and the bar."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import runtime_corpus
import yaml
from runtime_clocks import BareChild, Time, children, cpu, each, first_answer, nothing

from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.backends.backend import Launch
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.discovery.discovery import DiscoveryRequest, discover
from skillbag.runtime.discovery.reading import Readings
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.hooks.hook_dispatch import Hook
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.scanning.regexes import RegexJob, RegexSearch
from skillbag.runtime.scanning.scan import read_texts
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Json, SkillSource
from skillbag.runtime.triggers.file_index import FileIndex
from skillbag.runtime.triggers.triggers import TriggerContext, reaching, scores

_CALLS, _DISPATCHES, _APPROVALS = 200, 50, 1000
_HOOKS = 20


class Measure(NamedTuple):
    """What is timed, and with what it is compared. The bar is `most` times that; where it is compared with nothing, so
    many seconds. A `slow` one takes part in a few rounds only."""

    what: str
    compared: str
    work: Time
    floor: Time
    most: float
    slow: bool = False


def measures(folder: str) -> Iterator[Measure]:
    """All measures, on what is written below `folder`."""
    manifests, code = f"{folder}/manifests", f"{folder}/code"
    runtime_corpus.write_manifests(manifests)
    programs = runtime_corpus.write_code(code)
    yield from _of_manifests(manifests)
    yield from _of_scans(f"{folder}/texts")
    names = frozenset(os.listdir(f"{code}/.skills"))
    runtime = Runtime(RuntimeRequest(code, None, f"{folder}/state", approved=names))
    yield from _of_calls(runtime, programs)
    yield from _of_the_process(runtime)
    yield from _of_starts(runtime, programs)
    for name, limit in runtime_corpus.BOMBS.items():
        stopped = partial(_used if name == "busy" else _stopped, runtime, name)
        yield Measure(f"`{name}`, stopped", "", stopped, nothing, limit, slow=True)


def _of_manifests(root: str) -> Iterator[Measure]:
    files, request, kept = runtime_corpus.paths(), DiscoveryRequest(workspace=root), Readings()
    found = discover(request, kept)
    if len(found.skills) != runtime_corpus.SKILLS or found.faults:
        raise SystemExit(f"{len(found.skills)} skills were found: {found.faults[:3]}")
    # What is kept counts once its times are certain, from the second look on.
    time.sleep(0.2)
    discover(request, kept)

    def everything() -> None:
        _triggered(discover(request, Readings()).skills, files)

    what = f"{runtime_corpus.SKILLS} manifests found, validated and triggered"
    yield Measure(what, "libyaml", cpu(everything), cpu(partial(_read, root, _parse)), 1.5)
    unchanged = partial(discover, request, kept)
    yield Measure("the same, unchanged", "reading the bytes", cpu(unchanged), cpu(partial(_read, root, bytes)), 3)
    triggered = partial(_triggered, found.skills, files)
    yield Measure(f"their triggers over {len(files):,} files", "", cpu(triggered), nothing, 5e-3)


def _of_scans(root: str) -> Iterator[Measure]:
    files = runtime_corpus.write_texts(root)

    def search(expression: str) -> None:
        with RegexSearch([expression]) as searching:
            list(searching.search(RegexJob(text, (0,)) for text in read_texts(root, files)))

    def read() -> None:
        for file in files:
            with open(f"{root}/{file}", "rb") as handle:
                handle.read()

    # Texts without the words of an expression are not searched; one of digits alone goes through all of them.
    for kind, expression in (("with a word", r"ssn=[0-9]+"), ("of digits", r"\b[0-9]{3}[ -][0-9]{2}[ -][0-9]{4}\b")):
        what = f"an expression {kind} over {len(files):,} files"
        yield Measure(what, "reading the bytes", each(1, partial(search, expression)), each(1, read), 3)


def _read(root: str, use: Callable[[bytes], object]) -> None:
    for number in range(runtime_corpus.SKILLS):
        with open(f"{runtime_corpus.skill_folder(root, number)}/SKILL.yaml", "rb") as handle:
            use(handle.read())


def _parse(data: bytes) -> object:
    return yaml.load(data, Loader=yaml.CSafeLoader)


def _triggered(skills: Iterable[FoundSkill], files: Iterable[str]) -> None:
    index = FileIndex(files)
    context = TriggerContext(index, index.languages, "interactive", "src/mod1/a.py", "change part-5 here")
    reaching(scores(skills, context))


def _of_calls(runtime: Runtime, programs: runtime_corpus.Programs) -> Iterator[Measure]:
    runtime.activate("starlark")
    called = each(_CALLS, partial(_call, runtime, "echo", {"text": "done"}))
    echo, same = (each(_CALLS, BareChild(program).ask) for program in programs)
    yield Measure("a Starlark tool call", "the same Starlark in a bare child", called, same, 2)
    yield Measure("a Starlark tool call", "an echo by a bare child", called, echo, 2)
    many, none = (partial(_call, runtime, "called", {"times": times}) for times in (_CALLS, 0))

    def host() -> float:
        return (each(1, many)() - each(1, none)()) / _CALLS

    yield Measure("a host function", "an echo by a bare child", host, echo, 2)


def _call(runtime: Runtime, tool: str, value: Mapping[str, Json]) -> None:
    output = runtime.call_tool(tool, value).output
    if output.content != "done":
        raise SystemExit(f"{tool}: {output.content}")


def _of_the_process(runtime: Runtime) -> Iterator[Measure]:
    approved = partial(runtime.broker.is_approved, runtime.grantee("starlark"), Permission.FILE_READ)
    if not approved():
        raise SystemExit("the skill is not approved")
    yield Measure("approval of an active skill", "", each(_APPROVALS, approved), nothing, 20e-6)
    hooks, data = Hooks(), {"response": "text " * 100, "response_reason": "end_turn"}
    for number in range(_HOOKS):
        hooks.register(Hook(f"skill-{number}", SkillSource.PROJECT, 20, Phase.AFTER_RESPONSE, 0, _unchanged))
    dispatch = partial(hooks.dispatch, Phase.AFTER_RESPONSE, data)
    yield Measure(f"{_HOOKS} hooks that do nothing", "", each(_DISPATCHES, dispatch), nothing, 100e-6)


def _unchanged(data: dict[str, Json], seconds: float) -> Json:
    return {"modified": {}, "cancel": False}


def _of_starts(runtime: Runtime, programs: runtime_corpus.Programs) -> Iterator[Measure]:
    for name in ("starlark", "process"):
        loaded = partial(_loaded, runtime, name)
        yield Measure(f"first answer of `{name}`", "a bare child", loaded, partial(first_answer, programs.echo), 1.5)


def _loaded(runtime: Runtime, name: str) -> float:
    """From starting the process to what it registers."""
    found = runtime.skills.status(name).found
    launch = Launch(
        found.manifest, found.directory, runtime.request.workspace, frozenset(), _no_host, runtime.remarks.append
    )
    backend = make_backend(launch)
    start = time.perf_counter()
    backend.load()
    seconds = time.perf_counter() - start
    backend.unload()
    return seconds


def _no_host(name: str, arguments: Mapping[str, Json]) -> Json:
    raise NotPermittedError(name)


def _stopped(runtime: Runtime, name: str) -> float:
    """The time of a call that ends by a limit."""
    runtime.activate(name)
    start = time.perf_counter()
    output = runtime.call_tool(name, {"many": 10**9}).output
    seconds = time.perf_counter() - start
    if not output.is_error:
        raise SystemExit(f"{name} was not stopped: {output.content[:100]}")
    runtime.deactivate(name)
    return seconds


def _used(runtime: Runtime, name: str) -> float:
    """The time of the processor of a process whose call ends by a limit, with its start."""
    start = children()
    _stopped(runtime, name)
    return children() - start
