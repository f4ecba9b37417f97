"""Choose what runs a script: the program of its first line, else that of its suffix, else the system itself."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping

from skillbag.kernel.base.errors import UserError

HEAD = 256
"""Bytes of a script that are examined: as many as Linux reads of a first line."""

ENDINGS: Mapping[str, tuple[str, ...]] = {
    ".py": ("python3", sys.executable),
    ".sh": ("bash", "sh"),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
    ".rb": ("ruby",),
    ".pl": ("perl",),
    ".ps1": ("pwsh",),
}
"""Interpreters by the suffix of a script without a `#!` line; the first that is found is used."""

_EXAMPLE = "#!/usr/bin/env python3"
_OPTIONS = {"pwsh": ("-NoProfile", "-NonInteractive", "-File")}
_PROGRAMS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""Magic numbers of native programs: ELF, and Mach-O (32 bit, 64 bit, universal)."""


def command_for(script: str, path: str, head: bytes, executable: bool, search: str) -> tuple[str, ...]:
    """The words of the command line that runs the script at the absolute `path`, without its arguments.

    `script` is its name for messages, `head` its first `HEAD` bytes, `executable` whether it has that permission,
    `search` the `PATH` on which programs are looked up. A script need not be executable; a program must be.

    Raises:
        UserError: the interpreter can't be determined, or is missing.
    """
    if head.startswith(b"#!"):
        return (*_by_first_line(script, head, search), path)
    ending = os.path.splitext(path)[1].lower()
    if ending in ENDINGS:
        for name in ENDINGS[ending]:
            if found := shutil.which(name, path=search):
                return (found, *_OPTIONS.get(name, ()), path)
        raise _missing(script, ENDINGS[ending][0], f"its name ends in {ending}")
    if not head.startswith(_PROGRAMS):
        how = f"begin it with a line such as `{_EXAMPLE}`, or end its name in one of {', '.join(ENDINGS)}"
        raise UserError(f"nothing says how to run {script}; {how}")
    if not executable:
        raise UserError(f"Permission denied executing script. Make sure it's executable: chmod +x {script}")
    return (path,)


def _by_first_line(script: str, head: bytes, search: str) -> tuple[str, ...]:
    """The program and its one argument, split as the kernel does, without a final carriage return."""
    line, *rest = re.split(rb"[\n\0]", head, maxsplit=1)
    if not rest and len(head) == HEAD:
        raise UserError(f"the first line of {script} is longer than {HEAD} bytes, the most that is read; shorten it")
    shebang = line.decode("utf-8", "surrogateescape").strip()
    name, argument = (*re.split(r"[ \t]+", shebang[2:].strip(), maxsplit=1), "")[:2]
    if not name or ("/" in name and not os.path.isabs(name)):
        raise UserError(f"the first line of {script} must name a program by its absolute path, as `{_EXAMPLE}` does")
    program = _program(name, search)
    if program is None:
        raise _missing(script, name, f"its first line is `{shebang}`")
    if os.path.basename(name) != "env":
        return (program, argument) if argument else (program,)
    _check_env(script, argument, shebang, search)
    return program, argument


def _program(name: str, search: str) -> str | None:
    """The program itself, else one of the same name on the search path."""
    if os.path.isabs(name) and os.path.isfile(name) and os.access(name, os.X_OK):
        return name
    return shutil.which(os.path.basename(name), path=search)


def _check_env(script: str, argument: str, shebang: str, search: str) -> None:
    """Check the program that `env` would look up, for a better message.

    Raises:
        UserError: it is given no program (and would run the script itself, for ever), or one that is missing.
    """
    if not argument:
        raise UserError(f"the first line of {script}, `{shebang}`, names no program, as `{_EXAMPLE}` does")
    split = re.match(r"(?:-S|--split-string[= ])", argument)
    try:
        words = shlex.split(argument[split.end() :]) if split else [argument]
    except ValueError:
        return
    named = next((word for word in words if "=" not in word), "-")
    if named.startswith("-") or _program(named, search):
        return
    if re.search(r"[ \t]", named):
        raise UserError(f"the first line of {script} gives env one word; write `#!/usr/bin/env -S {argument}`")
    raise _missing(script, named, f"its first line is `{shebang}`")


def _missing(script: str, name: str, why: str) -> UserError:
    return UserError(f"{script} needs {os.path.basename(name)} ({why}), which is not on this machine; install it first")
