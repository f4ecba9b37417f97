"""Merging and comparing texts with git.

The texts are files with generated names in an empty folder outside any repository, so that no attributes, configuration
or name of a skill can make git run a program, read another file or treat a text as binary.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs.changes import write_new

if TYPE_CHECKING:
    import subprocess

_TIME = 120
"""Seconds; ample, as git takes shortcuts with texts that are hard to compare."""

_DIFF = ("diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--text", "--no-prefix")
_MANY_CONFLICTS = 127
"""The largest count of conflicts that the exit code of `git merge-file` can express; higher codes are errors."""


def merge_texts(base: bytes, ours: bytes, theirs: bytes, upstream: str) -> tuple[bytes, int]:
    """The three-way merge of texts without NUL, and the number of conflicts, which are marked, with the base's lines.

    `upstream` labels the lines of `theirs`.

    Raises:
        OSError: git is missing, fails, or does not end in time.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="skillbag-") as folder:
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            write_new(os.path.join(folder, name), data)
        printable = "".join(char if char.isprintable() else "?" for char in upstream)
        labels = ["-L", "local", "-L", "base", "-L", printable]
        done = _git(folder, ["merge-file", "-p", "-q", "--diff3", *labels, "ours", "base", "theirs"])
    if not 0 <= done.returncode <= _MANY_CONFLICTS:
        raise _failed("merge-file", done)
    return done.stdout, done.returncode


def hunks(pairs: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """The hunks of a unified diff for each pair of texts, from the first `@@` on; empty where a pair is equal.

    Raises:
        OSError: as `merge_texts`.
    """
    if all(before == after for before, after in pairs):
        return [b""] * len(pairs)
    import tempfile

    with tempfile.TemporaryDirectory(prefix="skillbag-") as folder:
        for side, name in enumerate(("before", "after")):
            os.mkdir(os.path.join(folder, name))
            for number, pair in enumerate(pairs):
                write_new(os.path.join(folder, name, str(number)), pair[side])
        done = _git(folder, [*_DIFF, "--", "before", "after"])
    if done.returncode not in (0, 1):
        raise _failed("diff", done)
    # Lines of the texts can't match: they begin with a sign.
    _, *sections = re.split(rb"(?m)^diff --git .*/(\d+)$", done.stdout)
    bodies = (section[section.find(b"\n@@ ") + 1 :] for section in sections[1::2])
    found = dict(zip(map(int, sections[::2]), bodies, strict=True))
    return [found.get(number, b"") for number in range(len(pairs))]


def _git(folder: str, arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run git in the temporary `folder`, without configuration and without a repository around it."""
    import subprocess

    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # The homes are for git before 2.32, which does not know GIT_CONFIG_GLOBAL.
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    outside = {"GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(folder)), "LC_ALL": "C"}
    log_step("runs git {}", " ".join(arguments))
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**kept, **own, **outside},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_TIME,
        )
    except FileNotFoundError as error:
        message = "git is needed to compare and merge texts; install it and try again"
        raise OSError(errno.ENOENT, message, "git") from error
    except subprocess.TimeoutExpired as error:
        raise OSError(errno.ETIMEDOUT, f"git {arguments[0]} took longer than {_TIME} s and was stopped") from error


def _failed(command: str, done: subprocess.CompletedProcess[bytes]) -> OSError:
    words = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
    return OSError(errno.EIO, f"git {command} failed: {words}")
