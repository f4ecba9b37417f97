"""`python -m skillbag.doors.action base REF | review REPORT`: the steps of the action that are no check.

Remarks go to the standard error, as commands to the runner; they hold nothing of the repository.
"""

from __future__ import annotations

import os
import sys

from skillbag.doors.action.event import base_of, pull_request


def main(arguments: list[str]) -> int:
    """Do one of them; 0 unless the arguments are wrong."""
    if len(arguments) != 2 or arguments[0] not in ("base", "review"):
        sys.stderr.write("usage: python -m skillbag.doors.action base REF | review REPORT\n")
        return 2
    if arguments[0] == "base":
        _base(arguments[1])
    else:
        _review(arguments[1])
    return 0


def _base(requested: str) -> None:
    found = base_of(requested, os.getcwd())
    if found.remark:
        _remark("warning", found.remark)
    sys.stdout.write(found.commit)


def _review(report: str) -> None:
    pull = pull_request()
    if pull is None:
        return _remark("notice", "No review comments: the job is not about a pull request.")
    from skillbag.doors.action.review import review

    done = review(report, pull)
    return _remark("warning" if done.failed else "notice", done.remark)


def _remark(kind: str, text: str) -> None:
    sys.stderr.write(f"::{kind} title=skillbag::{text}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
