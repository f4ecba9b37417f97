"""The driver of this program: `python -m skillbag.fleet.conformance.driver`.

Each operation is a run of the public command line in a process of its own, and its JSON is put into the protocol's
words. Nothing of what is tested is imported here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping

from skillbag import __version__
from skillbag.fleet.conformance.calls import (
    STATUS,
    Inputs,
    OperationOutcome,
    OperationReply,
    OperationRequest,
    last_line,
    options,
    typed,
)
from skillbag.fleet.conformance.kit import PROTOCOL, DriverRequest, JsonObject
from skillbag.fleet.conformance.notation import put
from skillbag.kernel.base.json_reading import from_json

COMMAND = (sys.executable, "-P", "-m", "skillbag.fleet.conformance.driver")
"""How to start it; what lies in the current folder is not imported."""


def _enter(request: OperationRequest) -> OperationOutcome:
    without, again = options("without", *request.inputs.without), request.inputs.again
    if request.inputs.hook:
        return _enter_by_hook(request, without, again)
    given = [*request.in_session(), *without]
    reply = request.call("enter", "--trace", *given, *(["--again"] if again else []))
    already = reply.values.get("status") == "already"
    text = ""
    if "text" in request.request.wanted:
        repeat = ["--again"] if again or not already else []
        text = request.run("enter", "--workspace", request.request.workspace, *given, *repeat).stdout
    settings = [row for row in reply.rows("settings") if row["kind"] == "parameter" and row["effective"]]
    return reply._replace(status="already" if already else reply.status).traced(
        read=reply.values.get("read"),
        always=[row["skill"] for row in reply.rows("always")],
        disabled=_disabled(reply),
        missing=reply.names("missing"),
        settings={f"{row['skill']}.{row['name']}": row["value"] for row in settings},
        catalog=reply.names("catalog"),
        text=text,
    )


def _enter_by_hook(request: OperationRequest, without: list[str], again: bool) -> OperationOutcome:
    event = {
        "session_id": request.request.session,
        "cwd": request.request.workspace,
        "hook_event_name": "SessionStart",
        "source": "compact" if again else "startup",
    }
    done = request.run("enter", "--hook", *without, stdin=json.dumps(event))
    return OperationOutcome(STATUS.get(done.returncode, "refused"), {"text": done.stdout})


def _resolve(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    reply = request.call("resolve", "--trace", *request.in_session(), *_conversation(inputs), "--", inputs.skill or "")
    return reply.traced(**_resolved(reply))


def _run(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    given = [*request.in_session(), *_conversation(inputs), *options("allow", *inputs.allow)]
    reply = request.call("run", "--trace", *given, "--", inputs.run)
    return reply.traced(
        **_resolved(reply),
        **reply.parts("skill", "instructions", "files"),
        companions=reply.names("companions"),
        remember=reply.names("remember"),
    )


def _conversation(inputs: Inputs) -> Iterator[str]:
    """What the user has said, each value as JSON, which keeps its type."""
    for kind, values in (("set", inputs.set), ("prohibit", inputs.prohibit)):
        yield from options(kind, *(f"{name}={typed(value)}" for name, value in values.items()))
    if inputs.confirm is not None:
        yield from options("set", f"confirm={typed(inputs.confirm)}")


def _resolved(reply: OperationReply) -> JsonObject:
    given = [row for row in reply.rows("parameters") if row["level"]]
    return {
        "values": {row["name"]: row["value"] for row in given},
        "levels": {row["name"]: row["level"] for row in given},
        "hidden": _hidden(reply, dropped=False),
        "dropped": _hidden(reply, dropped=True),
    }


def _hidden(reply: OperationReply, *, dropped: bool) -> JsonObject:
    """The values of each parameter that better ones hide, or that were dropped since they are prohibited."""
    hidden = {
        row["name"]: [value["value"] for value in row["hidden"] if bool(value["dropped"]) is dropped]
        for row in reply.rows("parameters")
    }
    return {name: values for name, values in hidden.items() if values}


def _order(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    given = [*options("without", *inputs.without), *options("allow", *inputs.allow)]
    reply = request.call("order", "--trace", *request.in_session(), *given, "--", *inputs.skills)
    return reply.traced(order=reply.names("order"), disabled=_disabled(reply))


def _disabled(reply: OperationReply) -> list[dict[str, str]]:
    return [{"skill": row["skill"], "tag": row["tag"]} for row in reply.rows("disabled")]


def _winner(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    reply = request.call("winner", "--trace", *options("prefer", inputs.prefer), "--", *inputs.skills)
    return reply.traced(**reply.parts("winner", "level"))


def _refresh(request: OperationRequest) -> OperationOutcome:
    reply = request.call("refresh", "--trace", *request.in_session(), "--", *request.inputs.selected)
    parts = reply.parts("read", "added", "removed", "described", "always")
    return reply.outcome(changed=[row["path"] for row in reply.rows("changed")], **parts, opened=reply.opened())


def _remember(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    given = [*options("skill", inputs.skill), *(["--explicit"] if inputs.explicit else [])]
    reply = request.call("remember", *given, "--", f"{inputs.name}={typed(inputs.value)}")
    return reply.outcome(**reply.parts("file", "value"))


def _forget(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    reply = request.call("forget", *options("skill", inputs.skill), "--", inputs.name)
    return reply.outcome(**reply.parts("file", "value"))


def _install(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    given = [*options("source", inputs.source), *(["--accept=newer"] if inputs.upgrade else [])]
    reply = request.call("install", "--yes", *given, "--", *inputs.names)
    problems = [row["message"] for row in reply.rows("problems")]
    if problems:
        return OperationOutcome(reply.status, {"error": "\n".join(problems), "installed": [], "kept": []})
    return reply.outcome(
        installed=reply.names("skills", {"installed", "upgraded"}),
        kept=reply.names("skills", {"current", "edited", "skipped", "own"}),
    )


def _check(request: OperationRequest) -> OperationOutcome:
    inputs = request.inputs
    targets = inputs.folders or {"": inputs.target}
    broken: dict[str, list[str]] = {}
    for target in dict.fromkeys(targets.values()):
        folders = {name: os.path.join(request.request.workspace, name) for name in targets if targets[name] == target}
        settings = options("config", f"root={request.request.workspace}", target and f"target={target}")
        given = [*settings, *folders.values()]
        done = request.run("check", *_CHECK, *given)
        if done.returncode not in (0, 1):
            return OperationOutcome("refused", {"error": last_line(done.stderr)})
        findings = [row for row in json.loads(done.stdout)["findings"] if row["clause"] and _tells(row)]
        for name, folder in folders.items():
            inside = os.path.join(folder, "")
            broken[name] = sorted({row["clause"] for row in findings if row["path"].startswith(inside)})
    return OperationOutcome("done", {"broken": broken[""] if inputs.folders is None else broken})


def _tells(finding: JsonObject) -> bool:
    """Whether it is a breach, or one of the notes that the kit calls hints."""
    return finding["level"] != "note" or finding["rule"] in _HINTS


def _put(request: OperationRequest) -> OperationOutcome:
    stated = {name: value for name, value in request.request.inputs.items() if name != "file"}
    put(os.path.join(request.request.workspace, request.request.inputs["file"]), stated)
    return OperationOutcome("done", {})


_HINTS = ("skill-subfolder-unknown", "definition-shadowed", "dependency-unresolved")
_CHECK = ("--format=json", *(f"--select={name}" for name in ("standard", "documents", _HINTS[0])))
"""Only rules of these families hold clauses; one of them is off by default."""

_OPERATIONS: Mapping[str, Callable[[OperationRequest], OperationOutcome]] = {
    "enter": _enter,
    "resolve": _resolve,
    "run": _run,
    "order": _order,
    "winner": _winner,
    "refresh": _refresh,
    "remember": _remember,
    "forget": _forget,
    "install": _install,
    "check": _check,
    "put": _put,
}


def main() -> None:
    """Answer each line of standard input with one on standard output, until there are no more."""
    with tempfile.TemporaryDirectory(prefix="skillbag-driver-", ignore_cleanup_errors=True) as folder:
        if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
            # Nothing is left beside the code, and yet not every run has to compile it.
            os.environ["PYTHONPYCACHEPREFIX"] = folder
        for line in sys.stdin.buffer:
            sys.stdout.buffer.write(json.dumps(answer(json.loads(line))).encode() + b"\n")
            sys.stdout.buffer.flush()


def answer(message: JsonObject) -> JsonObject:
    """The line that answers a request."""
    if message["operation"] == "hello":
        known = list(_OPERATIONS)
        return {"protocol": PROTOCOL, "name": "skillbag", "version": __version__, "operations": known}
    request = from_json(DriverRequest, message)
    operation = _OPERATIONS.get(request.operation)
    if operation is None:
        return {"id": request.id, "unsupported": f"there is no operation {request.operation}"}
    inputs = Inputs() if operation is _put else from_json(Inputs, request.inputs)
    outcome = operation(OperationRequest(request, inputs))
    return {"id": request.id, "outcome": {"status": outcome.status, **outcome.parts}}


if __name__ == "__main__":
    main()
