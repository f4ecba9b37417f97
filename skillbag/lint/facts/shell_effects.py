"""What commands of a shell do with data: the tables of programs that take, send, run or store it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.shell_effect import NOTHING, Effect, act, contact, plain_files, source
from skillbag.lint.facts.shell_installs import (
    INSTALLERS,
    LOGIN_VERBS,
    installed,
    keychain,
    kubernetes,
    login_program,
    mounted,
    shown_login,
)
from skillbag.lint.facts.shell_transfers import (
    copied_to_host,
    fed,
    fetched_package,
    git,
    github,
    in_folder,
    remote_shell,
    resolved,
    secured,
    stored,
    transfer,
)
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.programs import ProgramRun, plain_name

SHELLS = frozenset(["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"])
INTERPRETERS = SHELLS | frozenset(
    "python python2 python3 perl ruby node nodejs bun deno php pwsh powershell osascript lua Rscript tclsh".split()  # noqa: SIM905
)
_ENVIRONMENT = frozenset(["env", "printenv"])
_BUILDERS = frozenset(["configure", "autogen.sh", "bootstrap.sh", "gradlew", "mvnw"])
"""Programs of a source package that build it."""
_NO_READERS_WORDS = """
    ls chmod chown mkdir rm rmdir test [ [[ stat touch ssh-add ssh-keygen ssh-copy-id cd true find
    export local declare unset alias which type command help man dirname basename realpath git du df"""
_NO_READERS = frozenset(_NO_READERS_WORDS.split())
"""Programs that do not print or keep what is in the files that they are given."""


def effect_of(run: ProgramRun, has_input: bool) -> Effect:
    """What a program does; `has_input`: a pipe leads to it."""
    name = posixpath.basename(plain_name(run))
    if login_program(name) in LOGIN_VERBS and (login := shown_login(run, name, has_input)):
        return login
    special = _SPECIAL.get(name)
    if special is not None:
        return special(run, name, has_input)
    if name in INTERPRETERS:
        return _interpreter(run, name, has_input)
    if name in _NO_READERS:
        return NOTHING
    if "/" in run.name:
        if name in _BUILDERS:
            return NOTHING
        # What a program is told does not run.
        aside = _after(run, -1)
        return Effect(acts=(act(ActKind.RUNS, run, name),), reads=(file_name(run.name),), aside=aside, has_input=False)
    return Effect(reads=tuple(plain_files(run)))


_DECODING = late(r"-[a-zA-Z]*[dD][a-zA-Z]?\Z|--d\w*\Z")
_PLAIN_D = late(r"-d\Z")
_REVERSING = late(r"-[a-z]*r[a-z]?\Z")


def _interpreter(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """An interpreter runs its file, the code after `-c`, or its input."""
    for number, text in enumerate(run.texts):
        if number == 0 and text in ("run", "x") and name in ("deno", "bun"):
            continue
        if name in ("powershell", "pwsh") and _ENCODED().match(text) and number + 1 < len(run.texts):
            return Effect((source(OriginKind.DECODED, run, name),), (act(ActKind.RUNS, run, name),))
        if text in ("-c", "-e", "--eval", "-Command") or (name in SHELLS and _SHELL_CODE().match(text)):
            # The code itself is a unit; its substitutions are the text that runs.
            asks = any("hidden answer" in code for code in run.texts[number:])
            return Effect(
                (source(OriginKind.PASSWORD, run, name),) if asks else (),
                acts=(act(ActKind.RUNS, run, f"{name} {text}"),),
                aside=_after(run, number + 1),
                # Behind xargs the code is what it reads.
                has_input=number + 1 >= len(run.texts),
            )
        if text == "-m":
            return Effect(has_input=False)
        if not text.startswith("-"):
            runs, reads = (act(ActKind.RUNS, run, name),), (file_name(text),)
            if text.startswith(("http://", "https://")):
                return Effect((source(OriginKind.DOWNLOAD, run, text),), runs, has_input=False)
            return Effect(acts=runs, reads=reads, aside=_after(run, number), has_input=False)
        if text == "-s":
            break
    return Effect(acts=(act(ActKind.RUNS, run, name),))


_ENCODED = late(r"(?i)-(?:e|ec|enc\w{0,12})\Z")
_SHELL_CODE = late(r"-[a-z]*c\Z")


def _after(run: ProgramRun, number: int) -> frozenset[int]:
    return frozenset(word.start for word in run.arguments[number + 1 :])


def _made_runnable(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """chmod: a file that is made executable is about to run."""
    mode = next((text for text in run.texts if not text.startswith("-") or "x" in text), "")
    if not _EXECUTABLE().match(mode):
        return NOTHING
    return Effect(acts=(act(ActKind.RUNS, run, f"chmod {mode}"),), reads=tuple(plain_files(run))[1:])


_EXECUTABLE = late(r"(?:[ugoa,rwst=-]*[+=][rwst]*x[rwst,=ugoa+-]*|[0-7]?(?=[0-7]{0,2}[1357])[0-7]{3})\Z")


def _sourced(run: ProgramRun, name: str, has_input: bool) -> Effect:
    return Effect(acts=(act(ActKind.RUNS, run, name),), reads=tuple(plain_files(run)))


def _environment(run: ProgramRun, name: str, has_input: bool) -> Effect:
    if all(text.startswith("-") for text in run.texts):
        return Effect((source(OriginKind.ENVIRONMENT, run, name),))
    return NOTHING


def _declared(run: ProgramRun, name: str, has_input: bool) -> Effect:
    lists = not run.texts or (
        name != "set" and len(run.texts) == 1 and run.texts[0] in ("-p", "-x", "-xp", "-px", "-e", "-v")
    )
    return Effect((source(OriginKind.ENVIRONMENT, run, name),)) if lists else NOTHING


def _decoder(run: ProgramRun, name: str, has_input: bool) -> Effect:
    if name == "openssl" and (connected := secured(run, name, has_input)):
        return connected
    form = {"openssl": _PLAIN_D, "xxd": _REVERSING}.get(name, _DECODING)()
    decodes = name in ("rev", "gunzip", "zcat", "uudecode") or any(form.match(text) for text in run.texts)
    sources = (source(OriginKind.DECODED, run, name),) if decodes else ()
    return Effect(sources, reads=tuple(plain_files(run)))


def _browsed(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """Browsers, and what drives one: the pages that they open."""
    pages = tuple(contact(word, word.text) for word in run.arguments if "://" in word.text)
    return Effect(reads=tuple(plain_files(run)), contacts=pages)


def _copied(run: ProgramRun, name: str, has_input: bool) -> Effect:
    places = [*plain_files(run)]
    return Effect(reads=tuple(places[:-1]), writes=tuple(in_folder(places[-1], places[:-1]) if places else ()))


def _translated(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """tr, where it moves letters: the text is hidden."""
    moves = len(run.texts) > 1 and _LETTERS().match(run.texts[0]) is not None
    return Effect((source(OriginKind.DECODED, run, name),)) if moves else NOTHING


_LETTERS = late(r"[\[\"']*[Aa]-[Zz]")


def _certutil(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """certutil decodes a file into another, or fetches one."""
    plain = [file_name(text) for text in run.texts if not text.startswith(("-", "/"))]
    if len(plain) < 2:
        return NOTHING
    fetches = any("urlcache" in text.lower() for text in run.texts)
    kind = OriginKind.DOWNLOAD if fetches else OriginKind.DECODED
    return Effect((source(kind, run, plain[0]),), writes=(plain[-1],))


def _clipboard(run: ProgramRun, name: str, has_input: bool) -> Effect:
    if name in ("pbpaste", "wl-paste") or any(text in ("-o", "--output", "-out") for text in run.texts):
        return Effect((source(OriginKind.CLIPBOARD, run, name),))
    return NOTHING


def _password_prompt(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """read without echo, and dialogs: a password."""
    hidden = any(_SILENT().match(text) for text in run.texts) if name == "read" else "--password" in run.texts
    return Effect((source(OriginKind.PASSWORD, run, name),)) if hidden else NOTHING


_SILENT = late(r"-[a-z]*s[a-z]*\Z")


def _unpacked(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """tar, unzip and the like: an archive is made of files, or its files get into a folder."""
    plain = [file_name(text) for text in run.texts if not text.startswith("-") or text == "-"]
    options = run.texts[0] if run.texts else ""
    if name == "zip" or (name == "tar" and "c" in options.lstrip("-")[:6]) or run.texts[:1] == ("a",):
        named = name == "zip" or "f" in options or run.texts[:1] == ("a",)
        first = 1 if name == "tar" and not options.startswith("-") else 0
        archive = plain[first : first + 1] if named else []
        return Effect(reads=tuple(plain[first + len(archive) :]), writes=tuple(each for each in archive if each != "-"))
    folder = next(
        (value for option, value in zip(run.texts, run.texts[1:], strict=False) if option in ("-C", "-d")), "."
    )
    if name == "tar" and not any("x" in text for text in run.texts[:2]):
        return Effect(reads=tuple(plain))
    return Effect(reads=tuple(plain), folders=(file_name(folder),))


def _found(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """find: names of secret files that something else then reads."""
    reads = tuple(file_name(text.rstrip("*")) for text in run.texts if not text.startswith("-"))
    for option in ("-exec", "-execdir", "-ok"):
        if option in run.texts:
            at = run.texts.index(option) + 1
            inner = run.arguments[at:]
            if inner:
                acts = effect_of(ProgramRun(inner[0].text, inner[1:], (), inner[0].start), has_input).acts
                return Effect(acts=tuple(each for each in acts if each.kind is ActKind.SENDS), reads=reads[:1])
    return Effect(reads=reads)


def _printed(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """printf and echo: letters by their numbers are a text that is decoded, and a workflow has secrets of its own."""
    if any("toJSON(secrets" in text for text in run.texts):
        return Effect((source(OriginKind.KEYCHAIN, run, "the secrets of the workflow"),))
    decodes = any(len(_NUMBERED().findall(text)) >= _NUMBERS for text in run.texts)
    return Effect((source(OriginKind.DECODED, run, name),)) if decodes else NOTHING


_NUMBERED = late(r"\\+(?:x[2-7][0-9a-fA-F]|0?(?:0[4-7]|1[0-7])[0-7])")
"""A letter by its number: colours of a terminal begin with a sign that is none."""
_NUMBERS = 3


def _built(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """make, and pip with a folder: what is in the folder runs."""
    folders = [file for file in plain_files(run) if "/" in file or file == "."]
    if name == "make":
        given = next((after for text, after in zip(run.texts, run.texts[1:], strict=False) if text == "-C"), ".")
        folders = [file_name(given)]
    elif "install" not in run.texts[:3]:
        return Effect(reads=tuple(plain_files(run)))
    return Effect(
        acts=(act(ActKind.RUNS, run, name),), reads=tuple(f"{each}/setup" for each in folders), has_input=False
    )


def _attached(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """hdiutil: a disk image whose files get below /Volumes."""
    return Effect(reads=tuple(plain_files(run))[1:], folders=("/Volumes",))


def _teed(run: ProgramRun, name: str, has_input: bool) -> Effect:
    return Effect(writes=tuple(plain_files(run)), is_quiet=False)


_FETCHERS = ("axel", "lwp-request", "lwp-download", "GET", "ftp", "httpie")
_Reader = Callable[[ProgramRun, str, bool], Effect]
_SPECIAL: dict[str, _Reader] = {
    **dict.fromkeys(
        ("curl", "wget", "http", "https", "xh", "aria2c", "curlie", "lynx", "w3m", "fetch", *_FETCHERS), transfer
    ),
    **dict.fromkeys(_ENVIRONMENT, _environment),
    **dict.fromkeys(("set", "export", "declare", "compgen"), _declared),
    **dict.fromkeys(("source", ".", "eval"), _sourced),
    **dict.fromkeys(
        ("base64", "base32", "xxd", "openssl", "uudecode", "basenc", "rev", "gunzip", "zcat", "gzip"), _decoder
    ),
    **dict.fromkeys(("scp", "rsync", "sftp"), copied_to_host),
    **dict.fromkeys(("cp", "mv", "install", "dd", "ln"), _copied),
    **dict.fromkeys(("aws", "gsutil", "gcloud", "az", "s3cmd", "s5cmd", "rclone", "mc"), stored),
    **dict.fromkeys(
        ("nc", "ncat", "netcat", "socat", "telnet", "mail", "mailx", "mutt", "sendmail", "msmtp", "swaks"), fed
    ),
    **dict.fromkeys(("dig", "nslookup", "host", "ping"), resolved),
    **dict.fromkeys(("gh", "glab"), github),
    **dict.fromkeys("agent-browser playwright playwright-cli chromium google-chrome lighthouse".split(), _browsed),  # noqa: SIM905
    "git": git,
    "ssh": remote_shell,
    **dict.fromkeys(("kubectl", "oc"), kubernetes),
    "security": keychain,
    **dict.fromkeys(("pbpaste", "wl-paste", "xclip", "xsel"), _clipboard),
    **dict.fromkeys(("read", "zenity", "kdialog", "systemd-ask-password"), _password_prompt),
    **dict.fromkeys(("tar", "unzip", "zip", "7z", "bsdtar"), _unpacked),
    "chmod": _made_runnable,
    **dict.fromkeys(INSTALLERS, installed),
    "hdiutil": _attached,
    **dict.fromkeys(("docker", "podman"), mounted),
    **dict.fromkeys(("npx", "bunx", "pnpm", "yarn", "uvx", "pipx", "go"), fetched_package),
    "tr": _translated,
    "certutil": _certutil,
    **dict.fromkeys(("find", "ls"), _found),
    "tee": _teed,
    **dict.fromkeys(("printf", "echo"), _printed),
    **dict.fromkeys(("make", "pip", "pip3"), _built),
}
