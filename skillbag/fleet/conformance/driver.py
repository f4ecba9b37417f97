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
from skillbag.fleet.conformance.calls import STATUS, OperationReply, OperationRequest, Values, last_line, options, typed
from skillbag.fleet.conformance.protocol import PROTOCOL

COMMAND = (sys.executable, "-P", "-m", "skillbag.fleet.conformance.driver")
"""How to start it; what lies in the current folder is not imported."""


def _enter(request: OperationRequest) -> dict[str, object]:
    without, again = options("without", *request.inputs.get("without", ())), bool(request.inputs.get("again"))
    if request.inputs.get("hook"):
        return _enter_by_hook(request, without, again)
    given = [*request.in_session(), *without]
    reply = request.call("enter", "--trace", *given, *(["--again"] if again else []))
    already = reply.values.get("status") == "already"
    text = ""
    if "text" in request.wanted:
        repeat = ["--again"] if again or not already else []
        text = request.run("enter", "--workspace", request.workspace, *given, *repeat).stdout
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


def _enter_by_hook(request: OperationRequest, without: list[str], again: bool) -> dict[str, object]:
    event = {
        "session_id": request.session,
        "cwd": request.workspace,
        "hook_event_name": "SessionStart",
        "source": "compact" if again else "startup",
    }
    done = request.run("enter", "--hook", *without, stdin=json.dumps(event))
    return {"status": STATUS.get(done.returncode, "refused"), "text": done.stdout}


def _resolve(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    reply = request.call("resolve", "--trace", *request.in_session(), *_conversation(inputs), "--", inputs["skill"])
    return reply.traced(**_resolved(reply))


def _run(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    given = [*request.in_session(), *_conversation(inputs), *options("allow", *inputs.get("allow", ()))]
    reply = request.call("run", "--trace", *given, "--", inputs["run"])
    return reply.traced(
        **_resolved(reply),
        **reply.parts("skill", "instructions", "files"),
        companions=reply.names("companions"),
        remember=reply.names("remember"),
    )


def _conversation(inputs: Values) -> Iterator[str]:
    """What the user has said, each value as JSON, which keeps its type."""
    for kind in ("set", "prohibit"):
        yield from options(kind, *(f"{name}={typed(value)}" for name, value in inputs.get(kind, {}).items()))
    if "confirm" in inputs:
        yield from options("set", f"confirm={typed(inputs['confirm'])}")


def _resolved(reply: OperationReply) -> dict[str, object]:
    given = [row for row in reply.rows("parameters") if row["level"]]
    return {
        "values": {row["name"]: row["value"] for row in given},
        "levels": {row["name"]: row["level"] for row in given},
        "hidden": _hidden(reply, dropped=False),
        "dropped": _hidden(reply, dropped=True),
    }


def _hidden(reply: OperationReply, *, dropped: bool) -> dict[str, object]:
    """The values of each parameter that better ones hide, or that were dropped since they are prohibited."""
    hidden = {
        row["name"]: [value["value"] for value in row["hidden"] if bool(value["dropped"]) is dropped]
        for row in reply.rows("parameters")
    }
    return {name: values for name, values in hidden.items() if values}


def _order(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    given = [*options("without", *inputs.get("without", ())), *options("allow", *inputs.get("allow", ()))]
    reply = request.call("order", "--trace", *request.in_session(), *given, "--", *inputs.get("skills", ()))
    return reply.traced(order=reply.names("order"), disabled=_disabled(reply))


def _disabled(reply: OperationReply) -> list[dict[str, str]]:
    return [{"skill": row["skill"], "tag": row["tag"]} for row in reply.rows("disabled")]


def _winner(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    reply = request.call("winner", "--trace", *options("prefer", inputs.get("prefer")), "--", *inputs["skills"])
    return reply.traced(**reply.parts("winner", "level"))


def _refresh(request: OperationRequest) -> dict[str, object]:
    reply = request.call("refresh", "--trace", *request.in_session(), "--", *request.inputs.get("selected", ()))
    parts = reply.parts("read", "added", "removed", "described", "always")
    return reply.outcome(changed=[row["path"] for row in reply.rows("changed")], **parts, opened=reply.opened())


def _remember(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    given = [*options("skill", inputs.get("skill")), *(["--explicit"] if inputs.get("explicit") else [])]
    reply = request.call("remember", *given, "--", f"{inputs['name']}={typed(inputs['value'])}")
    return reply.outcome(**reply.parts("file", "value"))


def _forget(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    reply = request.call("forget", *options("skill", inputs.get("skill")), "--", inputs["name"])
    return reply.outcome(**reply.parts("file", "value"))


def _install(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    given = [*options("source", inputs.get("source")), *(["--upgrade"] if inputs.get("upgrade") else [])]
    reply = request.call("install", "--yes", *given, "--", *inputs.get("names", ()))
    problems = [row["message"] for row in reply.rows("problems")]
    if problems:
        return {"status": reply.status, "error": "\n".join(problems), "installed": [], "kept": []}
    return reply.outcome(
        installed=reply.names("skills", {"installed", "upgraded"}),
        kept=reply.names("skills", {"current", "edited", "skipped", "own"}),
    )


def _check(request: OperationRequest) -> dict[str, object]:
    inputs = request.inputs
    targets: Mapping[str, str | None] = inputs.get("folders") or {"": inputs.get("target")}
    broken: dict[str, list[str]] = {}
    for target in dict.fromkeys(targets.values()):
        folders = {name: os.path.join(request.workspace, name) for name in targets if targets[name] == target}
        given = ["--root", request.workspace, *options("target", target), *folders.values()]
        done = request.run("check", *_CHECK, *given)
        if done.returncode not in (0, 1):
            return {"status": "refused", "error": last_line(done.stderr)}
        findings = [row for row in json.loads(done.stdout)["findings"] if row["clause"] and row["level"] != "note"]
        for name, folder in folders.items():
            inside = os.path.join(folder, "")
            broken[name] = sorted({row["clause"] for row in findings if row["path"].startswith(inside)})
    return {"status": "done", "broken": broken if "folders" in inputs else broken[""]}


_CHECK = ("--format", "json", "--select", "standard", "--select", "documents")
"""Only rules of these families hold clauses."""

_OPERATIONS: Mapping[str, Callable[[OperationRequest], dict[str, object]]] = {
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


def answer(message: Values) -> dict[str, object]:
    """The line that answers a request."""
    if message["operation"] == "hello":
        known = list(_OPERATIONS)
        return {"protocol": PROTOCOL, "name": "skillbag", "version": __version__, "operations": known}
    operation = _OPERATIONS.get(message["operation"])
    if operation is None:
        return {"id": message["id"], "unsupported": f"there is no operation {message['operation']}"}
    wanted = frozenset(message.get("wanted", ()))
    request = OperationRequest(message["workspace"], message["scratch"], message["session"], message["inputs"], wanted)
    return {"id": message["id"], "outcome": operation(request)}


if __name__ == "__main__":
    main()
