"""Quick looks beside the literals of rules about commands and code; most texts need no expression after them.

Each errs on the side of too much: a text without the words that a rule wants beside its literals has no match of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skillbag.kernel.workspace.text import TextFile

_BLANKS = str.maketrans(dict.fromkeys(";&|`),\"'([", " "))
_ALL = frozenset({"", "~", "$HOME", "${HOME}", "$env:USERPROFILE", "%USERPROFILE%", "C:", "c:"})
_DISKS = ("sd", "hd", "vd", "nvme", "disk", "rdisk", "mmcblk")


def any_near(text: TextFile, literals: Iterable[bytes], test: Callable[[str, int], bool]) -> bool:
    """Whether a test of the text and an offset is true where one of the literals is."""
    body = text.document.text
    places = text.places
    return any(test(body, at) for at in places.of([literal for literal in literals if literal in places]))


def near(body: str, at: int, before: int, after: int) -> str:
    """The text around an offset, in small letters."""
    return body[max(0, at - before) : at + after].lower()


def has(text: str, *words: str) -> bool:
    """Whether one of the words is in a text."""
    return any(word in text for word in words)


def in_word(body: str, at: int) -> bool:
    """Whether a word, a path or an option goes on at an offset: then no command begins there."""
    return at > 0 and (body[at - 1].isalnum() or body[at - 1] in "_./-")


def _takes_all(command: str) -> bool:
    """Whether the first argument of a command that is no option is a home, a drive or the root."""
    words = command.partition("\n")[0].translate(_BLANKS).split()
    paths = (word for word in words if not word.startswith("-") and not (len(word) == 2 and word[0] == "/"))
    return next(paths, "none").strip("*/\\") in _ALL


def _any_is_all(command: str) -> bool:
    return any(word.strip("*/\\") in _ALL for word in command.partition("\n")[0].translate(_BLANKS).split())


def _removes(body: str, at: int) -> bool:
    return not in_word(body, at) and _takes_all(body[at + 2 : at + 200])


def _writes_disk(body: str, at: int) -> bool:
    if body[at] == "o" and "if=/dev/" not in body[max(0, at - 160) : at]:
        return False
    return body.startswith(_DISKS, body.find("/dev/", at) + 5)


def _deletes_copies(body: str, at: int) -> bool:
    return has(near(body, at, 60, 40), "vssadmin", "wmic", "wbadmin")


def _finds_all(body: str, at: int) -> bool:
    start = body.rfind("find", max(0, at - 160), at)
    return start >= 0 and _takes_all(body[start + 4 : at])


def _windows(body: str, at: int) -> bool:
    return at > 0 and body[at - 1] not in "-" and not body[at - 1].isalnum() and _takes_all(body[at + 3 : at + 200])


def _calls_home(body: str, at: int) -> bool:
    return has(body[at : at + 120], "home", "expanduser", '"/"', "'/'", '"~"', "'~'")


def _always(body: str, at: int) -> bool:
    return True


_DESTROYS: tuple[tuple[tuple[bytes, ...], Callable[[str, int], bool]], ...] = (
    ((b"rm -",), _removes),
    ((b"-delete",), _finds_all),
    ((b"of=/dev/", b"> /dev/", b">/dev/"), _writes_disk),
    ((b"hadows", b"hadowcopy", b"delete catalog"), _deletes_copies),
    ((b"emove-Item", b"remove-item"), lambda body, at: _any_is_all(body[at : at + 200])),
    ((b"rd /", b"rmdir /", b"del /"), _windows),
    ((b"rmtree(", b"imraf", b"rmSync(", b"rmdirSync(", b"'rm'", b'"rm"'), _calls_home),
    ((b"shred ", b"wipefs"), lambda body, at: "/dev/" in body[at : at + 90]),
    ((b":()",), lambda body, at: "{" in body[at : at + 40]),
)


def destroys(text: TextFile, _: object) -> bool:
    """Whether a command beside its literal may delete everything of a user or a disk."""
    return any(any_near(text, literals, test) for literals, test in _DESTROYS)


_SHELLS = ("sh", "cmd", "powershell")


def _gives_shell(body: str, at: int) -> bool:
    command = near(body, at, 0, 240).partition("\n")[0]
    has_option = any(word[0] == "-" and word.endswith(("e", "c", "exec")) for word in command.split())
    return has_option and not in_word(body, at) and has(command, *_SHELLS)


_REVERSE: tuple[tuple[tuple[bytes, ...], Callable[[str, int], bool]], ...] = (
    ((b"/dev/tcp/", b"/dev/udp/", b"<>/dev/", b"open(STDIN"), _always),
    ((b"nc -", b"ncat ", b"netcat ", b"nc.exe", b"nc.traditional"), _gives_shell),
    ((b" -e /bin", b" -e bash", b" -e sh", b" -e cmd"), lambda body, at: has(near(body, at, 120, 0), "nc", "netcat")),
    ((b"mkfifo",), lambda body, at: has(near(body, at, 0, 400), "nc", "openssl")),
    ((b"socat",), lambda body, at: has(near(body, at, 0, 240), "exec", "system")),
    ((b"dup2(",), lambda body, at: "fileno" in body[at : at + 120]),
    ((b".stdin)",), lambda body, at: "stdout.pipe" in body[at : at + 400]),
    ((b"TCPClient(",), lambda body, at: has(near(body, at, 0, 1_000), "iex", "invoke-expression")),
)


def gives_shell(text: TextFile, _: object) -> bool:
    """Whether a command or call beside its literal may give another machine a shell."""
    return any(any_near(text, literals, test) for literals, test in _REVERSE)


def _writes(body: str, at: int) -> bool:
    return has(body[max(0, at - 200) : at], ">", "tee", "cp", "mv", "ln", "install", "ppendFile") or has(
        body[at : at + 100], '"a', "'a", '"w', "'w", "write_text"
    )


def _adds_job(body: str, at: int) -> bool:
    words = body[at + 7 : at + 80].partition("\n")[0].split()
    if words[:1] == ["-u"]:
        words = words[2:]
    return bool(words) and not words[0].startswith(("-l", "-e", "-r")) and not in_word(body, at)


_SETS = (
    *("reg add", "reg.exe add", '"add"', "'add'", "set-item", "new-item"),
    *("setvalue", "regwrite", "createkey", "regset"),
)
_PLACES = ("copy", "move", "shutil", "write", "createshortcut", "new-item", "out-file", "set-content", ">", "save")


def sets_key(body: str, at: int) -> bool:
    """Whether code near a key of the registry writes to it: lists of keys to look at are common."""
    return has(near(body, at, 300, 1_200), *_SETS)


def fills_folder(body: str, at: int) -> bool:
    """Whether code near a folder puts a file there."""
    return has(near(body, at, 200, 800), *_PLACES)


_STARTS: tuple[tuple[tuple[bytes, ...], Callable[[str, int], bool]], ...] = (
    ((b"crontab",), _adds_job),
    (
        (b"/etc/cron", b"Library/Launch", b"systemd/", b"/.config/autostart", b".bashrc", b".zshrc", b".profile"),
        _writes,
    ),
    ((b".bash_profile", b".zprofile", b".zshenv", b"config.fish"), _writes),
    ((b"authorized_keys",), lambda body, at: _writes(body, at) or has(near(body, at, 200, 0), "add-content", "=")),
    ((b"launchctl",), lambda body, at: has(body[at : at + 40], "load", "bootstrap", "submit", "enable")),
    ((b"systemctl",), lambda body, at: "enable" in body[at : at + 60]),
    ((b"schtasks", b"SCHTASKS"), lambda body, at: "/create" in near(body, at, 0, 40)),
    ((b"core.hooksPath", b"core.hookspath"), lambda body, at: "config" in body[max(0, at - 60) : at]),
    ((b"CurrentVersion\\",), sets_key),
    ((b"\\Startup",), fills_folder),
    ((b"egister-Scheduled",), _always),
)


def starts_later(text: TextFile, _: object) -> bool:
    """Whether a step beside its literal may make a program start again later."""
    return any(any_near(text, literals, test) for literals, test in _STARTS)
