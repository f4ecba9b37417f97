"""The child that runs a skill's Starlark (skill runtime, section 7.2). It imports `starlark` and its siblings alone.

It is started with the folder of the package `starlark`, the seconds of the processor for a call, and the entrypoints;
files of the skill are given by the host.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from typing import Any

    from skillbag.kernel.processes.plain_json import stand_in
    from skillbag.runtime.backends.children.starlark_prelude import PRELUDE
    from skillbag.runtime.backends.children.wire import LATE, NO_METHOD, NOT_FOUND, Wire, WireError
else:
    # `signal` itself imports modules that take a while.
    import _signal

    from plain_json import stand_in
    from starlark_prelude import PRELUDE
    from wire import LATE, NO_METHOD, NOT_FOUND, Wire, WireError

_DEPTH = 200
_EVERY = 32
"""One of so many questions of the interpreter whether to stop is answered; it asks about every 10 µs."""

_GRACE = 1.0
"""Seconds of the processor beyond the limit after which the system ends the process: one operation can't be stopped."""

_KINDS = ("tool", "hook", "workflow", "scanner")
_ERROR = "\nerror: "
_PLACE = " --> "
_FRAME = "  * "
_BUILT_IN = "built-in:"


class _File:
    """A file of the skill; `frozen` is its module, once it has run."""

    def __init__(self) -> None:
        self.frozen: Any = None


class Interpreter:
    """The files of a skill and what they registered; calls of it."""

    def __init__(self, starlark: Any, entrypoints: list[str], seconds: float) -> None:
        self._starlark, self._entrypoints, self._seconds = starlark, entrypoints, seconds
        self._wire = Wire(self.handle)
        self._files: dict[str, _File] = {}
        self._registered: dict[str, list[tuple[str, dict[str, Any], _File, int]]] = {kind: [] for kind in _KINDS}
        extensions = starlark.LibraryExtension
        self._globals = starlark.Globals.extended_by([extensions.Json, extensions.Print])
        self._options = starlark.EvalOptions(check_cancelled=self._must_stop, max_callstack_size=_DEPTH)
        self._skill = ""
        self._questions = 0
        self._end = 0.0
        self._fault: WireError | None = None

    def serve(self) -> None:
        """Answer requests until the end."""
        self._wire.serve()

    def handle(self, method: str, params: dict[str, Any]) -> Any:
        """Answer one request."""
        if self._wire.depth == 1:
            # A nested call is on the time of the outermost. The timer stays: while the child waits, it stands still.
            self._end = time.process_time() + self._seconds
            _signal.setitimer(_signal.ITIMER_PROF, self._seconds + _GRACE)
        before, self._fault = self._fault, None
        try:
            return self._handle(method, params)
        except self._starlark.StarlarkError as error:
            raise _placed(self._fault, str(error)) from None
        finally:
            self._fault = before

    def _handle(self, method: str, params: dict[str, Any]) -> Any:
        if method == "tool/execute":
            return {"content": self._call("tool", params["name"], params["input"]), "is_error": False}
        if method == "initialize":
            self._skill = params["name"]
            for entrypoint in self._entrypoints:
                self._load(entrypoint)
            return self._registration()
        if method == "shutdown":
            return None
        if method == "hook/handle":
            event = {"phase": params["phase"], "skill_name": self._skill, "data": params["data"]}
            return self._call("hook", params["phase"], event, params["handler"])
        if method == "scan/run":
            return {"findings": self._call("scanner", params["name"], params["content"])}
        if method == "workflow/run":
            return {"value": self._call("workflow", params["name"], params["input"])}
        raise WireError(f"there is no method {method}", NO_METHOD)

    def _call(self, kind: str, name: str, value: Any, number: int = 0) -> Any:
        found = [entry for entry in self._registered[kind] if entry[0] == name]
        if number >= len(found):
            raise WireError(f"there is no {kind} {name}", NOT_FOUND)
        _, _, file, handler = found[number]
        return file.frozen.call_with(self._options, "skillbag_call", handler, value).value

    def _registration(self) -> dict[str, Any]:
        names = {kind: [name for name, *_ in entries] for kind, entries in self._registered.items()}
        tools = [what for _, what, _, _ in self._registered["tool"]]
        return {"tools": tools, "hooks": names["hook"], "workflows": names["workflow"], "scanners": names["scanner"]}

    def _load(self, path: str) -> Any:
        """Run a file of the skill, once, and return its frozen module."""
        if path in self._files:
            if self._files[path].frozen is None:
                raise WireError(f"load: {path} loads itself, by way of others or directly")
            return self._files[path].frozen
        source = self._wire.host("starlark_source", path=path)
        file = self._files[path] = _File()
        starlark, module = self._starlark, self._starlark.Module()
        module.add_callable("skillbag_host", self._host)
        module.add_callable("skillbag_register", lambda *what: self._register(file, *what))
        module.add_callable("skillbag_error", lambda message: self._failing(_fail, message))
        starlark.eval(module, starlark.parse("built-in", PRELUDE), self._globals)
        loader = starlark.FileLoader(self._load_statement)
        starlark.eval_with(self._options, module, starlark.parse(path, source), self._globals, file_loader=loader)
        file.frozen = module.freeze()
        return file.frozen

    def _load_statement(self, label: str) -> Any:
        return self._failing(self._loaded, label)

    def _loaded(self, label: str) -> Any:
        if not label.startswith("//"):
            raise WireError(f'load: {label}: give a path from the skill\'s folder, as in load("//lib.star", "name")')
        return self._load(label[2:])

    def _register(self, file: _File, kind: str, number: int, what: dict[str, Any]) -> None:
        self._failing(self._registered_by, file, kind, number, what)

    def _registered_by(self, file: _File, kind: str, number: int, what: dict[str, Any]) -> None:
        if file.frozen is not None:
            raise WireError(f"register_{kind}: call it while the file with this call is loaded, not later")
        name = what["name"]
        if not isinstance(name, str):
            raise WireError(f"register_{kind}: the name is no text")
        self._registered[kind].append((name, what, file, number))

    def _host(self, function: str, arguments: dict[str, Any]) -> Any:
        return self._failing(self._wire.host, function, **arguments)

    def _failing(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call it. The interpreter keeps the text of an error only, so the error is kept here."""
        try:
            return function(*arguments, **named)
        except WireError as error:
            self._fault = self._fault or error
            raise
        except self._starlark.StarlarkError as error:
            self._fault = _placed(self._fault, str(error))
            raise

    def _must_stop(self) -> bool:
        self._questions += 1
        if self._questions % _EVERY:
            return False
        if time.process_time() > self._end:
            self._fault = _FinalError(f"timeout: more than {self._seconds:g}s of processor time", LATE)
        elif self._wire.is_cancelled():
            self._fault = _FinalError("the call was cancelled", LATE)
        else:
            return False
        return True


def _fail(message: Any) -> None:
    raise _FinalError(str(message))


class _FinalError(WireError):
    """An error that names its place, or needs none."""


def _placed(fault: WireError | None, text: str) -> WireError:
    """The error of the interpreter with this text; `fault` is what caused it, if that is known."""
    if isinstance(fault, _FinalError):
        return fault
    if fault is None:
        return _FinalError(_sentence(text))
    place = _own_frame(text)
    return _FinalError(f"{fault} ({place})" if place else str(fault), fault.code)


def _own_frame(text: str) -> str:
    """The innermost frame of a trace that is in a file of the skill, as `main.star:3`; empty where there is none."""
    frames = [line.removeprefix(_FRAME).partition(", in ")[0] for line in text.split("\n") if line.startswith(_FRAME)]
    return next((frame for frame in reversed(frames) if not frame.startswith(_BUILT_IN)), "")


def _sentence(text: str) -> str:
    """The message of an error of the interpreter, with its place: `main.star:3:7: Division by zero`."""
    message = ("\n" + text).rpartition(_ERROR)[2].strip()
    message, _, rest = message.partition("\n")
    place = rest.partition(_PLACE)[2].partition("\n")[0].strip()
    if place.startswith(_BUILT_IN):
        place = _own_frame(text)
    return f"{place}: {message}" if place else message


def main(arguments: list[str]) -> None:
    """Run the child; the arguments are those that the module names."""
    folder, seconds, *entrypoints = arguments
    # Values cross as JSON, through `json`.
    stand_in()
    sys.path.append(folder)
    try:
        import starlark
    except ImportError as error:
        print(f"the Starlark interpreter can't be loaded: {error}", file=sys.stderr)  # noqa: T201 - a child's log
        sys.exit(1)
    sys.path.remove(folder)
    Interpreter(starlark, entrypoints, float(seconds)).serve()
