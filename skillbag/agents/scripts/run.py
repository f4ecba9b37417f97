"""`run_skill_script`: run a script in a skill's folder, without a shell and within limits of time and output.

The interpreter opens the script by its path, since the script must learn its own location from it. Right before the
start and at the end the path is checked to lead to the file that was examined; otherwise the script is not run, or its
output is withheld. One gap remains: a process with write access to the skill's folder can swap the script's folder
while it is opened, and back before the end. It could as well write the script.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Iterator, Sequence

from skillbag.agents.scripts.interpreters import HEAD, command_for
from skillbag.agents.scripts.skill_files import os_errors_reported, plain_path
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.fs.confined import Opened, open_beneath
from skillbag.kernel.processes.bounded import CommandLimits, CommandResult, awaiting, run_bounded
from skillbag.kernel.processes.environment import skill_environment
from skillbag.kernel.processes.output_capture import OutputLimit

TIME_LIMIT = 120.0
"""Default limit of a script, in seconds."""

MAX_KEPT = 256 << 10
"""Bytes kept of each stream (256 KiB): half from its beginning, half from its end."""

_ALIKE = (("python", "python3"), ("bash", "sh"))
"""Names by which lists of allowed tools call the same interpreter."""

_GRACE = 0.3
"""Seconds in which other processes may still write after a script has ended."""


def run_skill_script(
    directory: str,
    script: str,
    arguments: Sequence[str] = (),
    stdin: str | None = None,
    limit: float = TIME_LIMIT,
    workspace: str | None = None,
) -> str:
    """Run the script at `script` (relative to the skill at the real path `directory`, with `/`) and return its output.

    Standard output, then `[stderr]` and standard error, then `[exit code: N]` if it is not 0; `(no output)` if there is
    none. The working directory is the skill's; the environment is `skill_environment`'s, and has `workspace` in it.

    Raises:
        UserError: the path leaves the skill, names no file, nothing says how to run it, or it took too long:
            `Script execution timed out (120s limit)`; its whole process group is dead then.
        OSError: it can't be started.
    """
    if not is_posix():
        raise UserError(not_here("running scripts of skills"))
    script = plain_path(script)
    _check_arguments(arguments)
    data = None if stdin is None else _encoded("standard input", stdin)
    if not 0 < limit < float("inf"):
        raise UserError(f"{limit:g} seconds are no limit for a script; give a number above 0")
    environment = skill_environment(directory, workspace, os.environ)
    with os_errors_reported(directory, script, "Script"):
        opened = open_beneath(directory, script)
    try:
        head, executable = os.read(opened.descriptor, HEAD), bool(opened.status.st_mode & 0o111)
        interpreter = command_for(script, opened.path, head, executable, environment["PATH"])
        if not _is_still(opened, directory, script):
            raise UserError(f"{script} was replaced just now, and has not been run; try again")
        ended = _run([*interpreter, *arguments], environment, directory, data, limit)
        if not _is_still(opened, directory, script):
            raise UserError(f"{script} was changed while it ran, so its output is withheld; check it and run it again")
    finally:
        # Kept open until here, so that its inode number can't be reused.
        os.close(opened.descriptor)
    return _render(ended)


def shell_words(directory: str, script: str, *, is_there: bool) -> Iterator[tuple[str, ...]]:
    """The words with which a line for a shell would run a script: alone, and behind its interpreter; by the absolute
    path, and by the relative one for a shell that `is_there`, in the skill's folder. None for no script.

    Raises:
        UserError: the path leads out of the skill.
    """
    plain = plain_path(script)
    paths = [os.path.join(directory, plain), *([plain, f"./{plain}"] if is_there else [])]
    try:
        opened = open_beneath(directory, plain)
    except OSError:
        return
    try:
        head, executable = os.read(opened.descriptor, HEAD), bool(opened.status.st_mode & 0o111)
        words = command_for(plain, opened.path, head, executable, os.environ.get("PATH", os.defpath))[:-1]
    except (UserError, OSError):
        return
    finally:
        os.close(opened.descriptor)
    if words and os.path.basename(words[0]) == "env":
        words = words[1:]
    programs = _names_of(words[0]) if words else ()
    for path in paths:
        # Without a slash, a shell takes it for a program on its PATH.
        if "/" in path:
            yield (path,)
        for program in programs:
            yield (program, *words[1:], path)


def _names_of(program: str) -> tuple[str, ...]:
    """The names by which a shell would find the program of a first line; its path where it finds another one."""
    name = os.path.basename(program)
    found = shutil.which(name)
    if found is None or ("/" in program and os.path.realpath(found) != os.path.realpath(program)):
        return (program,)
    alike = next((each for each in _ALIKE if name.rstrip(".0123456789") in each), ())
    return tuple(dict.fromkeys((name, *alike)))


def _check_arguments(arguments: Sequence[str]) -> None:
    for number, argument in enumerate(arguments, 1):
        if "\0" in argument:
            raise UserError(f"argument {number} holds a NUL character, which no program can be given; leave it out")
        _encoded(f"argument {number}", argument)


def _encoded(what: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(
            f"{what} holds half a character (a lone surrogate) at {error.start}; give whole text"
        ) from error


def _is_still(opened: Opened, folder: str, script: str) -> bool:
    """Whether the path still leads to the opened file, unchanged."""
    try:
        again = open_beneath(folder, script)
    except OSError:
        return False
    os.close(again.descriptor)
    return again.path == opened.path and _identity(again.status) == _identity(opened.status)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def _run(
    words: list[str], environment: dict[str, str], folder: str, stdin: bytes | None, limit: float
) -> CommandResult:
    kept = OutputLimit(MAX_KEPT // 2, MAX_KEPT // 2)
    try:
        ended = run_bounded(awaiting(words, environment, stdin, folder), CommandLimits(limit, kept, kept, _GRACE))
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise UserError("the arguments are longer than the system takes; give what is long as stdin") from error
        raise
    if ended.excess:
        raise UserError(f"Script execution timed out ({limit:g}s limit)")
    return ended


def _render(ended: CommandResult) -> str:
    stdout, stderr = ended.output.text(), ended.errors.text()
    parts = [stdout] if stdout else []
    if stderr:
        parts.append(f"[stderr]\n{stderr}")
    if ended.code:
        parts.append(f"[exit code: {ended.code}]{_signal(-ended.code)}")
    return "\n".join(parts) or "(no output)"


def _signal(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""
