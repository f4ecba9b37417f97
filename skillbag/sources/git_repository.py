"""The bare repository of a git source in the cache: made without templates, tidied, and examined when it fails."""

from __future__ import annotations

import contextlib
import os

from skillbag.sources.cache import remove, touch
from skillbag.sources.git_command import BLOBLESS, run
from skillbag.sources.git_errors import GitError, NoGitError


def prepare(repository: str, digits: int = 40) -> bool:
    """See to it that the bare repository is there, and that nothing of an interrupted run is; whether it was there.

    `digits`: those of object names, if it has to be made.

    Raises:
        OSError: it can't be made.
    """
    was_there = os.path.exists(os.path.join(repository, "HEAD"))
    if was_there:
        touch(os.path.join(repository, "HEAD"))
        _clear(repository)
    try:
        _make(repository, digits)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        remove(repository)
        _make(repository, digits)
    return was_there


def _make(repository: str, digits: int) -> None:
    for folder in ("objects/pack", "refs"):
        os.makedirs(os.path.join(repository, folder), exist_ok=True)
    version, extension = (0, "") if digits == 40 else (1, "[extensions]\n\tobjectFormat = sha256\n")
    config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}"
    for name, text in (("config", config), ("HEAD", "ref: refs/heads/none\n")):
        path = os.path.join(repository, name)
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)


def _clear(repository: str) -> None:
    """Remove the locks and half files of a git that was killed; ours is the only one at work here."""
    for folder, is_left in (
        (repository, lambda name: name.endswith(".lock")),
        (os.path.join(repository, "refs", "skillbag"), lambda name: name.endswith(".lock")),
        (os.path.join(repository, "objects", "pack"), lambda name: name.startswith("tmp_")),
    ):
        with contextlib.suppress(OSError):
            for name in filter(is_left, os.listdir(folder)):
                os.unlink(os.path.join(folder, name))


def is_damaged(repository: str) -> bool:
    """Whether git finds something wrong with what is there; that contents are left out is not wrong."""
    try:
        # Its progress is what shows that a long look still goes on.
        run(repository, ["fsck", "--progress", "--no-dangling"], settings=BLOBLESS)
    except NoGitError:
        return False
    except GitError:
        return True
    return False
