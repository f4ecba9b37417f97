"""A driver that breaks the protocol in the way that is its argument."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

ESCAPE = "\x1b]0;owned\x07\x1b[31m"
"""What would change the title and the colour of a terminal."""

HELLO = {"protocol": 1, "name": "bad", "version": "1", "operations": ["check"]}


def say(answer: object) -> None:
    sys.stdout.write((answer if isinstance(answer, str) else json.dumps(answer)) + "\n")
    sys.stdout.flush()


def before_hello(how: str) -> None:
    if how == "exit":
        sys.exit(5)
    if how == "mute":
        time.sleep(1000)
    if how == "deaf":
        # It greets without having been asked, and reads nothing ever after.
        say(HELLO)
        time.sleep(1000)


def greet(how: str) -> None:
    if how == "garbled-hello":
        say("Hello!")
    elif how == "old-hello":
        say({**HELLO, "protocol": 0})
    elif how == "nameless-hello":
        say({"protocol": 1})
    elif how == "escape":
        say({**HELLO, "name": ESCAPE, "version": ESCAPE})
    elif how == "unable":
        say({**HELLO, "operations": []})
    else:
        say(HELLO)


def crash(request: Mapping[str, Any]) -> None:
    sys.stderr.write(f"Traceback: {ESCAPE} out of luck\n")
    sys.exit(3)


def leave_a_child(request: Mapping[str, Any]) -> None:
    """End, while another process keeps the output open."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], stdin=subprocess.DEVNULL)
    os._exit(0)


def flood(request: Mapping[str, Any]) -> None:
    while True:
        say("{}")


def half_a_line(request: Mapping[str, Any]) -> None:
    sys.stdout.write('{"id": 1, "outc')
    sys.stdout.flush()
    sys.exit()


def chatter(request: Mapping[str, Any]) -> None:
    sys.stderr.write("working on it\n" * 100_000)
    say({"id": request["id"], "outcome": {"status": "done", "broken": {}}})


def twice(request: Mapping[str, Any]) -> None:
    for _ in range(2):
        say({"id": request["id"], "outcome": {"status": "done"}})


def at_the_first(act: Callable[[Mapping[str, Any]], object], request: Mapping[str, Any]) -> None:
    """Do that at the first clause, and answer about the second."""
    clause, folders = request["inputs"]["clause"], request["inputs"]["folders"]
    if clause == "root.catalog-name":
        act(request)
    broken = {name: [clause] if name.startswith("breach-") else [] for name in folders}
    say({"id": request["id"], "outcome": {"status": "done", "broken": broken}})


def hang(request: Mapping[str, Any]) -> None:
    time.sleep(1000)


WAYS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "crash": crash,
    "hang": hang,
    "crash-at-the-first": partial(at_the_first, crash),
    "hang-at-the-first": partial(at_the_first, hang),
    "leave-a-child": leave_a_child,
    "flood": flood,
    "half-a-line": half_a_line,
    "chatter": chatter,
    "garbage": lambda request: say(f"It is fine. {ESCAPE}"),
    "not-utf-8": lambda request: os.write(1, b'{"id": "\xff"}\n'),
    "no-object": lambda request: say([1, 2]),
    "no-number": lambda request: say('{"id": NaN}'),
    "nested": lambda request: say("[" * 100_000),
    "huge-line": lambda request: say("x" * (2 << 20)),
    "wrong-id": lambda request: say({"id": 77, "outcome": {"status": "done"}}),
    "true-id": lambda request: say({"id": True, "outcome": {"status": "done"}}),
    "late": lambda request: say({"id": request["id"] - 1, "outcome": {"status": "done"}}),
    "twice": twice,
    "no-outcome": lambda request: say({"id": request["id"]}),
    "both": lambda request: say({"id": request["id"], "outcome": {}, "unsupported": "no"}),
    "text-outcome": lambda request: say({"id": request["id"], "outcome": "done"}),
    "escape": lambda request: say({"id": request["id"], "outcome": {"status": ESCAPE, "broken": ESCAPE}}),
    "empty": lambda request: say({"id": request["id"], "outcome": {}}),
    "unsupported": lambda request: say({"id": request["id"], "unsupported": f"{ESCAPE} not yet"}),
}


def main(how: str) -> None:
    before_hello(how)
    for line in sys.stdin:
        request = json.loads(line)
        if request["operation"] == "hello":
            greet(how)
        else:
            WAYS[how](request)


if __name__ == "__main__":
    main(sys.argv[1])
