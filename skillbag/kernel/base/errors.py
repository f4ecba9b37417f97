"""The base of errors that a user can correct, shown as one sentence with exit code 2; and messages of errors."""

import errno
import os


class UserError(Exception):
    """The request can't be fulfilled; the message says why and what to do."""


class NeedsPersonError(UserError):
    """Only a person may do this, and nobody is here who could be asked. Commands end with exit code 3. `code` says that
    a permission is missing (`docs/runtime-hosts.md`)."""

    code = -32001

    def __init__(self, what: str) -> None:
        """`what` is refused. The message names no command: a model may read it."""
        super().__init__(f"{what}: that is for a person to decide, on a terminal in this workspace")


class MissingExtraError(OSError):
    """A package of an extra is not installed; the message says how to install it."""


def current_folder_gone(error: OSError) -> OSError:
    """The error of a path that can't be made absolute, because the current folder was deleted."""
    return OSError(error.errno, "the current folder is gone; change into one that is there", ".")


def format_error(error: BaseException) -> str:
    """The message of an error; one of the system begins with its file."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


_DENIED = "You may not read or write there: `ls -ld` of it and of its folder shows whose they are, and what to `chmod`"
_STEPS = {
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: "Nothing can be written on that file system: work in a copy elsewhere, or mount it writable",
    errno.ENOSPC: "Free some space there, and run the command again",
}


def next_step(error: OSError) -> str:
    """What to do about a refusal of the system; empty where its message says it, or nobody knows."""
    number = error.errno or 0
    return _STEPS.get(number, "") if error.strerror == os.strerror(number) else ""
