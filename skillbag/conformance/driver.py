"""The driver of this program: `python -m skillbag.conformance.driver`.

Each operation is a run of the public command line in a process of its own, and its JSON is put into the protocol's
words. Nothing of what is tested is imported here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping

from skillbag import __version__
from skillbag.conformance.calls import (
    STATUS,
    Reply,
    Request,
    Values,
    last_line,
    option,
    options,
    typed,
)
from skillbag.conformance.protocol import PROTOCOL

COMMAND = (sys.executable, "-P", "-m", "skillbag.conformance.driver")
"""How to start it; what lies in the current folder is not imported."""


def _enter(request: Request) -> dict[str, object]:
    if request.inputs.get("hook"):
        return _enter_by_hook(request)
    given = [*request.in_session(), *options("without", request.inputs.get("without", ()))]
    again = ["--again"] if request.inputs.get("again") else []
    said = request.call("enter", "--trace", *given, *again)
    already = said.values.get("status") == "already"
    text = ""
    if "text" in request.wanted:
        again = again if already else ["--again"]
        text = request.run("enter", "--workspace", request.workspace, *given, *again).stdout
    return said._replace(status="already" if already else said.status).outcome(
        read=said.values.get("read"),
        always=[one["skill"] for one in said.each("always")],
        disabled=_disabled(said),
        missing=_names(said, "missing"),
        settings=_settings(said),
        catalog=_names(said, "catalog"),
        questions=_questions(said),
        opened=request.opened(said),
        text=text,
    )


def _enter_by_hook(request: Request) -> dict[str, object]:
    event = {
        "session_id": request.session,
        "cwd": request.workspace,
        "hook_event_name": "SessionStart",
        "source": "compact" if request.inputs.get("again") else "startup",
    }
    given = options("without", request.inputs.get("without", ()))
    done = request.run("enter", "--hook", *given, stdin=json.dumps(event))
    return {"status": STATUS.get(done.returncode, "refused"), "text": done.stdout}


def _settings(said: Reply) -> dict[str, object]:
    found = (one for one in said.each("settings") if one["kind"] == "parameter" and one["effective"])
    return {f"{one['skill']}.{one['name']}": one["value"] for one in found}


def _resolve(request: Request) -> dict[str, object]:
    inputs = request.inputs
    said = request.call("resolve", "--trace", *request.in_session(), *_conversation(inputs), "--", inputs["skill"])
    return said.outcome(**_resolved(said), questions=_questions(said), opened=request.opened(said))


def _run(request: Request) -> dict[str, object]:
    inputs = request.inputs
    given = [*request.in_session(), *_conversation(inputs), *options("allow", inputs.get("allow", ()))]
    said = request.call("run", "--trace", *given, "--", inputs["run"])
    return said.outcome(
        **_resolved(said),
        skill=said.values.get("skill"),
        instructions=said.values.get("instructions"),
        files=said.values.get("files"),
        companions=_names(said, "companions"),
        remember=_names(said, "remember"),
        questions=_questions(said),
        opened=request.opened(said),
    )


def _conversation(inputs: Values) -> Iterator[str]:
    """What the user has said, each value as JSON, which keeps its type."""
    for kind in ("set", "prohibit"):
        yield from options(kind, (f"{name}={typed(value)}" for name, value in inputs.get(kind, {}).items()))
    if "confirm" in inputs:
        yield from option("set", f"confirm={typed(inputs['confirm'])}")


def _resolved(said: Reply) -> dict[str, object]:
    given = [one for one in said.each("parameters") if one["level"]]
    return {
        "values": {one["name"]: one["value"] for one in given},
        "levels": {one["name"]: one["level"] for one in given},
        "hidden": _hidden(said, lambda one: not one["dropped"]),
        "dropped": _hidden(said, lambda one: bool(one["dropped"])),
    }


def _hidden(said: Reply, wanted: Callable[[Values], bool]) -> dict[str, object]:
    found = {
        one["name"]: [value["value"] for value in one["hidden"] if wanted(value)] for one in said.each("parameters")
    }
    return {name: values for name, values in found.items() if values}


def _order(request: Request) -> dict[str, object]:
    inputs = request.inputs
    given = [*request.in_session(), *options("without", inputs.get("without", ()))]
    given += options("allow", inputs.get("allow", ()))
    said = request.call("order", "--trace", *given, "--", *inputs.get("skills", ()))
    return said.outcome(
        order=_names(said, "order"), disabled=_disabled(said), questions=_questions(said), opened=request.opened(said)
    )


def _winner(request: Request) -> dict[str, object]:
    said = request.call(
        "winner", "--trace", *option("prefer", request.inputs.get("prefer")), "--", *request.inputs["skills"]
    )
    return said.outcome(
        winner=said.values.get("winner"),
        level=said.values.get("level"),
        questions=_questions(said),
        opened=request.opened(said),
    )


def _refresh(request: Request) -> dict[str, object]:
    said = request.call("refresh", "--trace", *request.in_session(), "--", *request.inputs.get("selected", ()))
    parts = {name: said.values.get(name) for name in ("read", "added", "removed", "described", "always")}
    return said.outcome(changed=[one["path"] for one in said.each("changed")], **parts, opened=request.opened(said))


def _remember(request: Request) -> dict[str, object]:
    inputs = request.inputs
    explicit = ["--explicit"] if inputs.get("explicit") else []
    pair = f"{inputs['name']}={typed(inputs['value'])}"
    said = request.call("remember", *option("skill", inputs.get("skill")), *explicit, "--", pair)
    return said.outcome(file=said.values.get("file"), value=said.values.get("value"))


def _forget(request: Request) -> dict[str, object]:
    inputs = request.inputs
    said = request.call("forget", *option("skill", inputs.get("skill")), "--", inputs["name"])
    return said.outcome(file=said.values.get("file"), value=said.values.get("value"))


def _install(request: Request) -> dict[str, object]:
    inputs = request.inputs
    upgrade = ["--upgrade"] if inputs.get("upgrade") else []
    said = request.call(
        "install", "--yes", *option("source", inputs.get("source")), *upgrade, "--", *inputs.get("names", ())
    )
    problems = [one["message"] for one in said.each("problems")]
    if problems:
        return {"status": said.status, "error": "\n".join(problems), "installed": [], "kept": []}
    return said.outcome(
        installed=_with_status(said, {"installed", "upgraded"}),
        kept=_with_status(said, {"current", "edited", "skipped", "own"}),
    )


def _with_status(said: Reply, statuses: Iterable[str]) -> list[str]:
    return [one["name"] for one in said.each("skills") if one["status"] in statuses]


def _check(request: Request) -> dict[str, object]:
    inputs = request.inputs
    targets: Mapping[str, str | None] = inputs.get("folders") or {"": inputs.get("target")}
    broken: dict[str, list[str]] = {}
    for target in dict.fromkeys(targets.values()):
        folders = [os.path.join(request.workspace, name) for name in targets if targets[name] == target]
        done = request.run("check", *_CHECK, "--root", request.workspace, *option("target", target), *folders)
        if done.returncode not in (0, 1):
            return {"status": "refused", "error": last_line(done.stderr)}
        findings = json.loads(done.stdout)["findings"]
        broken |= {
            name: _broken(findings, os.path.join(request.workspace, name))
            for name in targets
            if targets[name] == target
        }
    return {"status": "done", "broken": broken if "folders" in inputs else broken[""]}


_CHECK = ("--format", "json", "--select", "standard", "--select", "documents")
"""Only rules of these families hold clauses."""


def _broken(findings: Iterable[Values], folder: str) -> list[str]:
    """The clauses that the files in a folder break."""
    within = os.path.join(folder, "")
    return sorted(
        {
            one["clause"]
            for one in findings
            if one["clause"] and one["level"] != "note" and one["path"].startswith(within)
        }
    )


_OPERATIONS: Mapping[str, Callable[[Request], dict[str, object]]] = {
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
            sys.stdout.buffer.write(json.dumps(_answer(json.loads(line))).encode() + b"\n")
            sys.stdout.buffer.flush()


def _answer(said: Values) -> dict[str, object]:
    if said["operation"] == "hello":
        known = list(_OPERATIONS)
        return {"protocol": PROTOCOL, "name": "skillbag", "version": __version__, "operations": known}
    operation = _OPERATIONS.get(said["operation"])
    if operation is None:
        return {"id": said["id"], "unsupported": f"there is no operation {said['operation']}"}
    wanted = frozenset(said.get("wanted", ()))
    request = Request(said["workspace"], said["scratch"], said["session"], said["inputs"], wanted)
    return {"id": said["id"], "outcome": operation(request)}


def _names(said: Reply, key: str) -> list[str]:
    return [one["name"] for one in said.each(key)]


def _disabled(said: Reply) -> list[dict[str, str]]:
    return [{"skill": one["skill"], "tag": one["tag"]} for one in said.each("disabled")]


def _questions(said: Reply) -> list[dict[str, object]]:
    return [{name: one[name] for name in ("kind", "about", "candidates")} for one in said.each("questions")]


if __name__ == "__main__":
    main()
