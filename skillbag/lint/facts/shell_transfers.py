"""Programs of a shell that fetch and send: curl, scp, git, mail and the like."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.shell_effect import NOTHING, Effect, act, contact, plain_files, source
from skillbag.lint.facts.uses import Use
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.hosts import FILE_ENDINGS
from skillbag.lint.signals.programs import ProgramRun
from skillbag.lint.signals.shell_commands import Word

_ADDRESS = late(r"(?i)[\"']?((?:https?|ftp)://[^\s\"'<>|]+)")
_BARE = late(r"(?:(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}|(?:\d{1,3}\.){3}\d{1,3})(?:[:/]|\Z)|\$\{?\w")
_REMOTE = late(r"(?:[\w.$\{\}-]+@)?([\w.$\{\}-]+):(?!//)")
_DATA_OPTION = late(
    r"(?:-d|--data(?:-\w+)?|-F|--form(?:-string)?|-T|--upload-file|--json|--url-query|--post-data|--post-file|--body-data|--body-file)(?:=|\Z)"
)
_OUTPUTS = {"curl": "o", "wget": "O", "aria2c": "o"}


_FLAGS = frozenset("#0123456afgGiIjkLlnNOpqRsSvVZ")
"""Letters of curl that take no value, behind which another one stands."""
_VALUED = {"curl": "AbcCdDeEFHKmoQrtTuUwxXyYz"}
_LONG_WORDS = """
    --auth --body-data --body-file --cacert --cert --config --connect-timeout --cookie --cookie-jar --data --data-ascii
    --data-binary --data-raw --data-urlencode --directory-prefix --form --form-string --header --json --key --max-time
    --method --output --output-document --post-data --post-file --proxy --referer --request --retry --timeout
    --upload-file --user --user-agent --write-out"""
_LONG = frozenset(_LONG_WORDS.split())


def _ends_in(option: str, letters: str) -> bool:
    """Whether short options end in one of the letters."""
    return option[:1] == "-" and option[-1] in letters and _FLAGS.issuperset(option[1:-1])


def _plain_words(run: ProgramRun, name: str) -> Iterator[Word]:
    """The words that are no options and no values of options."""
    letters, before = _VALUED.get(name, "aAeioOPQtTUw"), ""
    for word in run.arguments:
        if word.text.startswith("--url="):
            yield word._replace(text=word.text.removeprefix("--url="))
        elif not word.text.startswith("-") and before not in _LONG and not _ends_in(before, letters):
            yield word
        before = word.text


def _is_address(text: str) -> bool:
    host = text.partition("/")[0]
    return text.startswith("$") or "://" in text or (bool(_BARE().match(text)) and not host.endswith(_FILES))


_FILES = tuple(f".{ending}" for ending in FILE_ENDINGS)


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0] or address.partition("/")[0]


def transfer(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """curl, wget and the like: what they are given as data is sent, and what they fetch is printed or stored."""
    given, aside, stores = list[str](), set[int](), list[str]()
    sends, folder = False, ""
    words = run.arguments
    for number, word in enumerate(words):
        text = word.text
        value = words[number + 1].text if number + 1 < len(words) else ""
        if (
            _DATA_OPTION().match(text)
            or (name == "curl" and _ends_in(text, "dFT"))
            or (name != "wget" and text[:2] in ("-d", "-F", "-T") and text[:2] != "--")
        ):
            attached = text.partition("=")[2] if text.startswith("--") else "" if _ends_in(text, "dFT") else text[2:]
            is_file = text.endswith("T") or text.startswith(("-T", "--upload-file", "--post-file", "--body-file"))
            given.append(f"@{attached or value}" if is_file else attached or value)
            sends = True
        elif text in ("-H", "--header", "-u", "--user", "-A", "-e", "-b", "-E", "--cert", "--key"):
            aside.update((word.start, words[number + 1].start) if number + 1 < len(words) else ())
        elif text in ("--output", "--output-document", "--out") or _ends_in(text, _OUTPUTS.get(name, "")):
            stores.append(value)
        elif name in ("http", "https", "xh") and "@" in text and "://" not in text:
            given.append(text)
            sends = True
        elif name == "wget" and text == "-P":
            folder = value
    plain = [*_plain_words(run, name)]
    places = [word for word in plain if _is_address(word.text)]
    found = [match[1] for word in places if (match := _ADDRESS().match(word.text))]
    addresses = found or [word.text for word in places if _BARE().match(word.text)]
    keeps_name = name == "curl" and any(text == "--remote-name" or _ends_in(text, "O") for text in run.texts)
    if (name == "wget" and not stores) or keeps_name:
        stores += [posixpath.join(folder, posixpath.basename(address.rstrip("/"))) for address in addresses]
    stores = [name for name in stores if name not in ("", "-")]
    reads = [file_name(text.partition("@")[2].partition(";")[0]) for text in given if "@" in text]
    reads += [file_name(text) for text in given if "@" not in text and ("/" in text or text.startswith((".", "~")))]
    to = _host(addresses[0]) if addresses else ""
    # Without a body what a variable of the address has is sent.
    acts = (act(ActKind.SENDS, run, name, to),)
    kind = OriginKind.TOKEN if addresses and _CLOUD_LOGIN().match(addresses[0]) else OriginKind.DOWNLOAD
    sources = tuple(source(kind, run, address) for address in addresses[:1])
    # What is thrown away leaves only a status to print.
    fetched = () if (sends and not stores) or stores == ["/dev/null"] else sources
    gives = sends or not _METHODS.isdisjoint(text.rpartition("=")[2].removeprefix("-X") for text in run.texts)
    contacts = [contact(word, word.text, sends=gives) for word in places]
    if not contacts:  # What is written as a variable may have the address, or what seems to be an option.
        plain += (word for word in words if word.text.startswith("-"))
        contacts = [contact(word, "", sends=gives)._replace(texts=()) for word in plain]
    written = tuple(map(file_name, stores))
    return Effect(fetched, acts, tuple(reads), written, (), frozenset(aside), is_quiet=False, contacts=tuple(contacts))


_METHODS = frozenset(["POST", "PUT", "PATCH", "DELETE"])
_CLOUD_LOGIN = late(r"(?:https?://)?(?:169\.254\.169\.254/(?:latest/meta-data/iam|metadata/identity))")
"""Where a machine of a cloud gets its own login."""


def copied_to_host(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """scp, rsync, sftp: to a host, or from one."""
    before = ("", *run.texts)
    places = [
        text
        for option, text in zip(before, run.texts, strict=False)
        if not text.startswith("-")
        and option not in ("-i", "-F", "-o", "-P", "-p", "-e", "-J", "-c", "-l", "-S", "--rsh")
    ]
    if len(places) < 2:
        return NOTHING
    to, start = _REMOTE().match(places[-1]), _REMOTE().match(places[0])
    if to or places[-1].startswith("rsync://"):
        return Effect(
            acts=(act(ActKind.SENDS, run, name, to[1] if to else ""),), reads=tuple(map(file_name, places[:-1]))
        )
    if start:
        written = in_folder(file_name(places[-1]), [place.partition(":")[2] for place in places[:-1]])
        return Effect((source(OriginKind.DOWNLOAD, run, places[0]),), writes=tuple(written))
    return Effect(reads=tuple(map(file_name, places[:-1])), writes=(file_name(places[-1]),))


_FOLDERS = frozenset([".", "..", "~", "/tmp"])  # noqa: S108 - names in commands of others


def in_folder(place: str, files: Sequence[str]) -> list[str]:
    """The files that a copy makes: at the place, or below it if it is a folder."""
    if place not in _FOLDERS:
        return [place]
    return [posixpath.normpath(posixpath.join(place, posixpath.basename(file))) for file in files]


_PACKAGE = late(r"(?:git\+)?(?:https?|ssh)://|[\w.-]+\.[a-z]{2,}/[\w./-]+@")
_CODE_HOSTS = late(
    r"(?:git\+)?(?:https?|ssh)?(?:://)?(?:git@)?(?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)[/:]"
)
_RUNNING = {"pnpm": ("dlx",), "yarn": ("dlx",), "pipx": ("run",), "go": ("run",), "bun": ("x",)}
"""Package programs that run a package only behind one of these words."""
_NAMED_BY = ("--from", "--spec", "-p", "--package")


def fetched_package(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """Programs that fetch a package and run it; from an address nobody has read it."""
    words = run.texts
    if name in _RUNNING:
        if words[:1] not in [(each,) for each in _RUNNING[name]]:
            return NOTHING
        words = words[1:]
    named = next((value for option, value in pairwise(words) if option in _NAMED_BY), "")
    package = named or next((text for text in words if not text.startswith("-")), "")
    if not _PACKAGE().match(package) or _CODE_HOSTS().match(package):
        return NOTHING
    where = package if "://" in package else package.partition("@")[0]
    return Effect((source(OriginKind.DOWNLOAD, run, where),), (act(ActKind.RUNS, run, name),), has_input=False)


def stored(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """Command lines of object stores: the last place is written."""
    return _stored(run, name)._replace(contacts=tuple(_buckets(run)))


def _buckets(run: ProgramRun) -> Iterator[Use]:
    last = next((word for word in reversed(run.arguments) if not word.text.startswith("-")), None)
    copies = not _COPYING.isdisjoint(run.texts)
    for before, word in zip(("", *run.texts), run.arguments, strict=False):
        if before == "--bucket" or word.text.startswith(_BUCKETS):
            address = word.text if "://" in word.text else f"s3://{word.text}"
            yield contact(word, address, sends=(copies and word is last) or "put-object" in run.texts)


_BUCKETS = ("s3://", "s3a://", "gs://", "r2://")
_COPYING = frozenset(["cp", "mv", "sync", "copy", "put", "upload", "rsync", "copyto"])


def _stored(run: ProgramRun, name: str) -> Effect:
    places = [text for text in run.texts if not text.startswith("-")]
    remote = [place for place in places if "://" in place or (name == "rclone" and ":" in place)]
    if any(text in ("get-secret-value", "get-parameters") for text in run.texts):
        return Effect((source(OriginKind.KEYCHAIN, run, name),))
    uploads = any(text in ("upload", "upload-batch", "put-object") for text in run.texts)
    if not remote and uploads:
        return Effect(acts=(act(ActKind.SENDS, run, name),), reads=tuple(plain_files(run)))
    if not remote or _COPYING.isdisjoint(run.texts):
        return NOTHING
    to_pipe = run.texts[-1:] == ("-",)
    if places[-1] in remote and not to_pipe:
        return Effect(
            acts=(act(ActKind.SENDS, run, f"{name} {places[0]}", places[-1]),), reads=tuple(map(file_name, places))
        )
    return Effect((source(OriginKind.DOWNLOAD, run, remote[0]),), writes=() if to_pipe else (file_name(places[-1]),))


def fed(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """Programs that send what they read: nc, mail, telnet."""
    places = [text for text in run.texts if not text.startswith("-")]
    to = next(
        (place for place in places if "@" in place), "" if "mail" in name or name == "mutt" else "".join(places[:1])
    )
    sources = (
        (source(OriginKind.DOWNLOAD, run, to),)
        if name in _CONNECTIONS and _HOST_NAME().search(to) and not has_input
        else ()
    )
    return Effect(sources, (act(ActKind.SENDS, run, name, to),), reads=tuple(plain_files(run)))


_HOST_NAME = late(r"\w\.\w")
_CONNECTIONS = frozenset(["nc", "ncat", "netcat", "telnet"])


def remote_shell(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """ssh: a command on another machine gets the input, and what it prints comes from there."""
    plain = [text for text in run.texts if not text.startswith("-")]
    accounts = ((word, _REMOTE().match(f"{word.text}:")) for word in run.arguments if "@" in word.text)
    contacts = tuple(contact(word, f"ssh://{match[1]}") for word, match in accounts if match)
    if len(plain) < 2:
        return Effect(contacts=contacts)
    host = next((text.partition("@")[2] for text in plain if "@" in text), plain[0])
    return Effect(
        (source(OriginKind.DOWNLOAD, run, host),) if not has_input else (),
        (act(ActKind.SENDS, run, name, host),),
        aside=frozenset(word.start for word in run.arguments),
        contacts=contacts,
    )


def secured(run: ProgramRun, name: str, has_input: bool) -> Effect | None:
    """openssl s_client: a connection."""
    if run.texts[:1] != ("s_client",):
        return None
    to = next((after for text, after in zip(run.texts, run.texts[1:], strict=False) if text == "-connect"), "")
    return Effect(acts=(act(ActKind.SENDS, run, "openssl s_client", to),))


def resolved(run: ProgramRun, name: str, has_input: bool) -> Effect:
    return Effect(acts=(act(ActKind.RESOLVES, run, name),))


def github(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """gh and glab: what they publish."""
    verbs = run.texts[:2]
    if verbs in (
        ("gist", "create"),
        ("issue", "create"),
        ("issue", "comment"),
        ("pr", "create"),
        ("pr", "comment"),
        ("release", "upload"),
        ("release", "create"),
        ("snippet", "create"),
    ) or run.texts[:1] == ("api",):
        return Effect(
            acts=(act(ActKind.SENDS, run, f"{name} {' '.join(verbs)}", "github.com"),), reads=tuple(plain_files(run))
        )
    return NOTHING


_PLACE = late(r"://|@[\w.-]+:|\$")


def git(run: ProgramRun, name: str, has_input: bool) -> Effect:
    """git: a clone is a download, what is added goes with a push."""
    verb, rest = (run.texts[0], run.texts[1:]) if run.texts else ("", ())
    plain = [text for text in rest if not text.startswith("-")]
    # The values of options come before the address: `--depth 1`, `-b main`.
    plain = plain[next((at for at, text in enumerate(plain) if verb == "clone" and _PLACE().search(text)), 0) :]
    # A repository that is only known at run time is one that the user names.
    if verb == "clone" and plain and not plain[0].startswith("$"):
        folder = plain[1] if len(plain) > 1 else posixpath.basename(plain[0].rstrip("/")).removesuffix(".git")
        return Effect((source(OriginKind.DOWNLOAD, run, plain[0]),), folders=(file_name(folder),))
    if verb in ("pull", "fetch"):
        return Effect(tuple(source(OriginKind.DOWNLOAD, run, text) for text in plain if _PLACE().search(text)))
    if verb == "add":
        return Effect(reads=tuple(map(file_name, plain)), writes=("git index",))
    if verb == "push":
        address = next((text for text in plain if "://" in text or _REMOTE().match(text)), "")
        # A remote of another name than the usual ones is one that the text has added.
        if not address and plain[:1] in ([], ["origin"], ["upstream"]):
            return NOTHING
        return Effect(acts=(act(ActKind.SENDS, run, "git push", _host(address)),), reads=("git index",))
    return NOTHING
