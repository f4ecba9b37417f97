"""A driver that asks our own one, and keeps each answer with what it did to the disk: its argument is the folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from skillbag.conformance.driver import COMMAND
from tests.conformance.recorded import Answer, effects, keep, key_of, tree_of


def main() -> None:
    folder = Path(sys.argv[1])
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for line in sys.stdin.buffer:
            request: dict[str, Any] = json.loads(line)
            hello = request["operation"] == "hello"
            key = None if hello else key_of(request)
            before = {} if hello else tree_of(request["workspace"])
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(line)
            process.stdin.flush()
            said = process.stdout.readline()
            if key is not None and "outcome" in (answer := json.loads(said)):
                keep(folder, key, Answer(answer["outcome"], effects(before, tree_of(request["workspace"]))))
            sys.stdout.buffer.write(said)
            sys.stdout.buffer.flush()
        process.communicate()
