"""`read_skill_file`: read a text file within a skill's folder, and nothing outside of it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator, Sequence

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.confined import NoRegularFileError, OutsideError, TooLargeError, read_beneath
from skillbag.kernel.fs.read import LIMIT, is_within
from skillbag.kernel.workspace.tree import FOLDER, LINK, TreeEntry, left_out, list_tree
from skillbag.supply.sources.entry import MAX_NAME, MAX_PATH, quoted, shape_faults

_MAX_NAMED = 12
"""Files that a message names."""

_MAX_COMPARED = 200
"""Files, and characters of a path, that are compared for a suggestion."""

_GIVE = "give the path of a file within the skill, relative and with `/`, such as references/guide.md"


def read_skill_file(directory: str, path: str) -> str:
    """The text of the file at `path` (relative, with `/`) of the skill at the real path `directory`, exactly as it is.

    Links that stay within the skill are followed; what is opened is what was checked. A byte order mark is left out.

    Raises:
        UserError: the path leaves the skill, names no readable text file, or is larger than `kernel.fs.read.LIMIT`.
    """
    path = plain_path(path)
    with os_errors_reported(directory, path, "File"):
        data = read_beneath(directory, path, LIMIT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(path, error.start) from error
    if "\0" in text:
        raise _no_text(path, data.index(b"\0"))
    return text


def list_skill_files(directory: str) -> tuple[str, ...]:
    """The files of the skill that can be read, relative, with `/`, sorted: no hidden ones, no links that lead out.

    Files are listed once, not again below links to their folder, and without what belongs to no skill
    (`kernel.workspace.tree.left_out`). They are not opened: some may be binary.
    """
    return tuple(
        entry.relative
        for entry in list_tree(directory).entries
        if entry.kind is not FOLDER
        and not left_out(entry.relative)
        and not any(name.startswith(".") for name in entry.relative.split("/"))
        and _fault(entry.relative) is None
        and _can_be_read(directory, entry)
    )


def plain_path(path: str) -> str:
    """`path` without a leading `./`, if it is valid for a file within a skill; the disk is not read.

    Raises:
        UserError: it is not valid.
    """
    plain = path.removeprefix("./")
    fault = _fault(plain)
    if fault is None:
        return plain
    first, *others = re.split(r"[/\\]", plain)
    if ".." in (first, *others) or ":" in first or (others and not first):
        raise UserError(f"Path traversal not allowed: {quoted(path)}: {fault}; {_GIVE}")
    raise UserError(f"{quoted(path)} names no file: {fault}; {_GIVE}")


@contextlib.contextmanager
def os_errors_reported(directory: str, path: str, kind: str) -> Iterator[None]:
    """Raise a UserError for any OSError of opening a skill's file; `kind` (`File`, `Script`) begins "not found"."""
    try:
        yield
    except OSError as error:
        raise UserError(_reason(directory, path, kind, error)) from error


def _fault(path: str) -> str | None:
    """Why `path` is not valid for a file within a skill, as the rest of a sentence."""
    if path and path.endswith("/"):
        return "it ends with a slash"
    if path.startswith(":"):
        return "it begins with a colon"
    if fault := next(shape_faults(path), None):
        return fault
    if any(len(os.fsencode(name)) > MAX_NAME for name in path.split("/")):
        return f"a name of more than {MAX_NAME} bytes"
    return f"it is longer than {MAX_PATH} bytes" if len(os.fsencode(path)) > MAX_PATH else None


def _reason(directory: str, path: str, kind: str, error: OSError) -> str:
    match error:
        case OutsideError():
            return f"Path traversal not allowed: {path} leads out of the skill's folder; {_GIVE}"
        case IsADirectoryError():
            files = [file for file in list_skill_files(directory) if file.startswith(f"{path}/")]
            return f"{path} is a folder; name a file in it: {_some(files)}"
        case NoRegularFileError() | OSError(errno=errno.ENXIO):
            return f"{path} is no regular file but a device, a pipe or a socket, which is never opened"
        case TooLargeError():
            return f"{path} is larger than {LIMIT >> 10} KiB, the most that is read; have a script read what is needed"
        case PermissionError():
            return f"{path} can't be read: no permission; ask the user to allow reading it"
        case FileNotFoundError() | NotADirectoryError():
            return f"{kind} not found: {path}; {_suggestion(directory, path)}"
        case OSError(errno=errno.ELOOP):
            return f"{path} leads through links in a circle, or was replaced by a link while it was opened"
    return f"{path} can't be read: {error.strerror}"


def _suggestion(directory: str, path: str) -> str:
    import difflib

    files = list_skill_files(directory)
    known = {file.lower(): file for file in files[:_MAX_COMPARED]}
    close = difflib.get_close_matches(path.lower()[:_MAX_COMPARED], list(known), 1)
    return f"did you mean {known[close[0]]}?" if close else f"the skill has {_some(files)}"


def _some(files: Sequence[str]) -> str:
    more = len(files) - _MAX_NAMED
    return ", ".join(files[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "") or "none that can be read"


def _can_be_read(directory: str, entry: TreeEntry) -> bool:
    """Whether it is a readable regular file of the folder that is not too large."""
    try:
        if entry.kind is LINK and not is_within(directory, entry.path):
            return False
        size = os.stat(entry.path).st_size
    except OSError:
        return False
    return os.path.isfile(entry.path) and size <= LIMIT and os.access(entry.path, os.R_OK)


def _no_text(path: str, offset: int) -> UserError:
    return UserError(f"{path} is not UTF-8 text (byte {offset}) but a binary file; have a script of the skill read it")
