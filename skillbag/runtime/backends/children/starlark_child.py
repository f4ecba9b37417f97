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
    from skillbag.runtime.backends.children.served import ServedSkill
    from skillbag.runtime.backends.children.starlark_prelude import PRELUDE
    from skillbag.runtime.backends.children.wire import LATE, Message, WireError
else:
    # `signal` itself imports modules that take a while.
    import _signal

    from plain_json import stand_in
    from served import ServedSkill
    from starlark_prelude import PRELUDE
    from wire import LATE, WireError

_DEPTH = 200
_EVERY = 32
"""One of so many questions of the interpreter whether to stop is answered; it asks about every 10 µs."""

_GRACE = 1.0
"""Seconds of the processor beyond the limit after which the system ends the process: one operation can't be stopped."""

_ERROR = "\nerror: "
_PLACE = " --> "
_FRAME = "  * "
_BUILT_IN = "built-in:"


class _File:
    """A file of the skill; `frozen` is its module, once it has run."""

    def __init__(self) -> None:
        self.frozen: Any = None


class Interpreter(ServedSkill):
    """The files of a skill, and the limits of its calls."""

    def __init__(self, starlark: Any, entrypoints: list[str], seconds: float) -> None:
        super().__init__()
        self._starlark, self._entrypoints, self._seconds = starlark, entrypoints, seconds
        self._files: dict[str, _File] = {}
        extensions = starlark.LibraryExtension
        self._globals = starlark.Globals.extended_by([extensions.Json, extensions.Print])
        self._options = starlark.EvalOptions(check_cancelled=self._must_stop, max_callstack_size=_DEPTH)
        self._questions = 0
        self._end = 0.0
        self._fault: WireError | None = None

    def handle(self, call: Message) -> Any:
        """Answer one request, in its time."""
        if self.wire.depth == 1:
            # A nested call is on the time of the outermost. The timer stays: while the child waits, it stands still.
            self._end = time.process_time() + self._seconds
            _signal.setitimer(_signal.ITIMER_PROF, self._seconds + _GRACE)
        before, self._fault = self._fault, None
        try:
            return super().handle(call)
        except self._starlark.StarlarkError as error:
            raise _placed(self._fault, str(error)) from None
        finally:
            self._fault = before

    def load(self) -> None:
        """Run the files that the manifest names."""
        for entrypoint in self._entrypoints:
            self._load(entrypoint)

    def _load(self, path: str) -> Any:
        """Run a file of the skill, once, and return its frozen module."""
        if path in self._files:
            if self._files[path].frozen is None:
                raise WireError(f"load: {path} loads itself, by way of others or directly")
            return self._files[path].frozen
        source = self.wire.host("starlark_source", path=path)
        file = self._files[path] = _File()
        starlark, module = self._starlark, self._starlark.Module()
        module.add_callable("skillbag_host", lambda name, given: self._failing(self.wire.host, name, **given))
        module.add_callable(
            "skillbag_register",
            lambda kind, number, what: self._failing(self._register, file, kind, number, **what),
        )
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

    def _register(self, file: _File, kind: str, number: int, name: Any, **of_tool: Any) -> None:
        def call(value: Any) -> Any:
            return file.frozen.call_with(self._options, "skillbag_call", number, value).value

        if file.frozen is not None:
            raise WireError(f"register_{kind}: call it while the file with this call is loaded, not later")
        if not isinstance(name, str):
            raise WireError(f"register_{kind}: the name is no text")
        self.register(kind, name, call, **of_tool)

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
        elif self.wire.is_cancelled():
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
    Interpreter(starlark, entrypoints, float(seconds)).wire.serve()
