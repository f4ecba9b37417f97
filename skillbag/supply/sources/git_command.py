"""The user's git as a subprocess: with their configuration and credentials, without prompts and hooks.

Secrets are passed in the environment only. Git runs in a session of its own, so that its child processes have no
terminal for prompts and can be ended together.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO
from urllib.parse import quote
from weakref import WeakSet

from skillbag.kernel.base.cancellation import check_stop
from skillbag.kernel.base.verbose import log_step
from skillbag.supply.sources.git_errors import GitError, NoGitError, clean
from skillbag.supply.sources.git_guard import guarded
from skillbag.supply.sources.limits import MAX_RECEIVED as LARGEST
from skillbag.supply.sources.source import Credentials, Source

STALL = 60.0
"""Seconds without output or received data after which git is ended."""

OVERALL = 1800.0
"""Seconds that one command may take."""

REMOTE = "skillbag-source"
"""The name of the remote in every command; its address is an option of the command."""

# Options and not configuration: a reader of the repository must never fetch missing objects by itself.
BLOBLESS = (f"remote.{REMOTE}.promisor=true", f"remote.{REMOTE}.partialCloneFilter=blob:none")
"""Settings with which a fetch leaves contents out."""

_POLL = 0.2
_MAX_STDERR = 4 << 20
_SCHEMES = ("https", "http", "ssh", "git", "file")
SAFE = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=no",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
"""Settings with which git runs no hook, monitor or task in the background."""

_SETTINGS = (*SAFE, "core.autocrlf=false")
# They would lead git to another repository, above all within a hook of the user's.
_UNSET = frozenset(
    f"GIT_{name}"
    for name in (
        *("ALTERNATE_OBJECT_DIRECTORIES", "ATTR_SOURCE", "COMMON_DIR", "CONFIG", "DEFAULT_HASH", "DIR", "GRAFT_FILE"),
        *("IMPLICIT_WORK_TREE", "INDEX_FILE", "INTERNAL_SUPER_PREFIX", "NAMESPACE", "OBJECT_DIRECTORY", "PREFIX"),
        *("QUARANTINE_PATH", "REPLACE_REF_BASE", "SHALLOW_FILE", "WORK_TREE"),
    )
)
_SILENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_USER, _PASSWORD = "SKILLBAG_GIT_USER", "SKILLBAG_GIT_PASSWORD"
_HELPER = f'!f() {{ test "$1" != get || printf "username=%s\\npassword=%s\\n" "${_USER}" "${_PASSWORD}"; }}; f'
_SSH = "ssh -oBatchMode=yes -oConnectTimeout=30"


@dataclass(frozen=True, slots=True)
class Remote:
    """The remote of a command: the address of the source, and the scheme that git will use for it.

    `quiet_ssh`: the user has not configured an ssh command, so ours runs in batch mode.
    """

    address: str
    scheme: str
    credentials: Credentials | None = None
    quiet_ssh: bool = False


def reach(repository: str, source: Source) -> Remote:
    """Resolve the source's address by the user's `url.<base>.insteadOf`.

    Raises:
        GitError: it leads to an unsupported transport.
    """
    answer = run(repository, ["ls-remote", "--get-url", "--", source.address])
    scheme = _scheme(answer.decode("utf-8", "replace").strip())
    if scheme not in _SCHEMES:
        raise GitError(f"fatal: url.<base>.insteadOf of your git configuration leads to the transport {scheme!r}")
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL")
    if allowed is not None and scheme not in allowed.split(":"):
        raise GitError(f"fatal: your GIT_ALLOW_PROTOCOL does not name the transport {scheme!r}")
    return Remote(source.address, scheme, source.credentials, scheme == "ssh" and not _has_own_ssh(repository))


def _has_own_ssh(repository: str) -> bool:
    if "GIT_SSH" in os.environ or "GIT_SSH_COMMAND" in os.environ:
        return True
    try:
        return bool(run(repository, ["config", "--get", "core.sshCommand"]))
    except GitError:
        return False


def _scheme(address: str) -> str:
    if match := re.match(r"([A-Za-z0-9][A-Za-z0-9+.-]*)::", address):
        return f"{match[1]}::"
    if match := re.match(r"([A-Za-z0-9][A-Za-z0-9+.-]*)://", address):
        return "ssh" if match[1] in ("git+ssh", "ssh+git") else match[1]
    if os.name == "nt" and re.match(r"[A-Za-z]:", address):
        return "file"
    return "ssh" if ":" in address.partition("/")[0] else "file"


def run(
    repository: str,
    arguments: Sequence[str],
    remote: Remote | None = None,
    *,
    stdin: bytes = b"",
    settings: Sequence[str] = (),
) -> bytes:
    """Run git for the bare `repository`; return its standard output.

    `remote` is for commands that contact one, by the name `REMOTE`; `settings` are like `gc.auto=0`.

    Raises:
        GitError: it failed, took too long, or received too much; none of its processes is left running.
    """
    # Files rather than pipes: a background process of git can't keep them open.
    with tempfile.TemporaryFile() as stdin_file, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stderr:
        stdin_file.write(stdin)
        stdin_file.seek(0)
        process = start(repository, arguments, stdin_file, output, stderr, remote=remote, settings=settings)
        # A local command ends soon without help.
        with guarded(process.pid) if remote else contextlib.nullcontext():
            try:
                why = _watch(process, repository, stderr)
            finally:
                _end(process)
        stderr.seek(0)
        text = clean(stderr.read(_MAX_STDERR), _secrets(remote))
        if why or process.returncode:
            text = text if text.strip() else f"git exited with {process.returncode} and no message"
            raise GitError(f"{text}\nfatal: {why}" if why else text)
        output.seek(0)
        return output.read()


def start(
    repository: str,
    arguments: Sequence[str],
    stdin: IO[bytes] | int,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
    *,
    remote: Remote | None = None,
    settings: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start git for the bare `repository`; `remote` and `settings` as for `run`."""
    url = [f"remote.{REMOTE}.url={remote.address}"] if remote else []
    options = [part for setting in (*_SETTINGS, *url, *settings) for part in ("-c", setting)]
    command, env = ["git", *options, *arguments], {**_environment(remote), "GIT_DIR": repository}
    log_step("runs git {}", " ".join(arguments))
    if remote:
        log_step("fetches {}", remote.address)
    try:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=stderr, cwd=repository, env=env, start_new_session=True
        )
    except FileNotFoundError as error:
        if not os.path.isdir(repository):
            raise
        raise NoGitError("fatal: there is no git on this machine; install it, or take the source as a zip") from error
    _started.add(process)
    return process


def silent_environment() -> dict[str, str]:
    """The user's environment, without variables that redirect git, and without prompts."""
    return {name: value for name, value in os.environ.items() if name not in _UNSET} | _SILENT


def _environment(remote: Remote | None) -> dict[str, str]:
    """The environment of a command."""
    result = silent_environment()
    if remote:
        result["GIT_ALLOW_PROTOCOL"] = remote.scheme
        result.setdefault("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
        result.setdefault("GIT_HTTP_LOW_SPEED_TIME", str(max(1, int(STALL))))
        if remote.credentials:
            _set_credentials(result, remote, remote.credentials)
        if remote.quiet_ssh:
            result["GIT_SSH_COMMAND"] = _SSH
    return result


def _set_credentials(environment: dict[str, str], remote: Remote, credentials: Credentials) -> None:
    """Configure a credential helper for this one host: a header would be sent to the target of a redirect, too."""
    host = re.match(r"\w+://[^/]*", remote.address)
    name = f"credential.{host[0] if host else remote.address}"
    pairs = [(f"{name}.username", credentials.user), (f"{name}.helper", _HELPER)]
    if credentials.password:
        # Without a password, the user's own helpers may have it.
        pairs.insert(1, (f"{name}.helper", ""))
    count = environment.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() else 0
    for number, (key, value) in enumerate(pairs, first):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    environment["GIT_CONFIG_COUNT"] = str(first + len(pairs))
    environment |= {_USER: credentials.user, _PASSWORD: credentials.password}


def _secrets(remote: Remote | None) -> list[str]:
    if not (remote and remote.credentials):
        return []
    # A name without a password may be a token.
    secret = remote.credentials.password or remote.credentials.user
    return [secret, quote(secret, safe="")]


def _watch(process: subprocess.Popen[bytes], repository: str, stderr: IO[bytes]) -> str:
    """Wait until git ends; the reason if it must be ended before."""
    ended = threading.Event()

    def wait() -> None:
        process.wait()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    began = moved = time.monotonic()
    last = (0, 0)
    while not ended.wait(_POLL):
        check_stop()
        now, seen = time.monotonic(), (_received(repository), os.fstat(stderr.fileno()).st_size)
        moved, last = (now, seen) if seen != last else (moved, last)
        if now - moved > STALL:
            return f"nothing came for {STALL:.0f} seconds; check the network, and try again"
        if now - began > OVERALL:
            return f"it took more than {OVERALL / 60:.0f} minutes; try again"
        if seen[0] > LARGEST or seen[1] > _MAX_STDERR:
            return f"the server sends more than {LARGEST >> 20} MiB; no more are taken"
    return ""


def _received(repository: str) -> int:
    """The bytes received so far by the fetch that is running."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(os.path.join(repository, "objects", "pack")) as entries:
        for entry in entries:
            if entry.name.startswith("tmp_"):
                with contextlib.suppress(OSError):
                    total += entry.stat().st_size
    return total


_started: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def end_all() -> None:
    """End every git process that is still running."""
    for process in list(_started):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and all that it started, if it is still running."""
    if process.poll() is not None:
        return
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
