"""What people write to point at a source: an address, `OWNER/REPOSITORY`, or a page of a code host.

The result has the full address, which is what declarations and the lock take (clause source.kinds): the short forms are
for the command line only.
"""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import replace

from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.supply.sources.address import hidden, refuse
from skillbag.supply.sources.archive_formats import format_of, split_version
from skillbag.supply.sources.configured_hosts import code_host
from skillbag.supply.sources.source import Location
from skillbag.supply.sources.web_pages import NoRepositoryError, page_of

_PAIRS = ('""', "''", "``", "<>", "“”", "‘’", "()")
_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9]|[-_](?=[A-Za-z0-9])){0,38}"
_SHORT = re.compile(rf"({_OWNER}/[A-Za-z0-9_.-]{{1,100}})((?:/[^/@#]+)*)/?(?:[@#](.*))?")
_HOSTED = re.compile(r"(?:www\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?::\d+)?/[^/]+/.+", re.ASCII)
"""An address without its scheme: `host.example/owner/repository`."""
_SCHEME_SLIP = re.compile(r"(?:https?|htt?ps?|htpps)[;:]?//?(?=\w)", re.IGNORECASE)
_SSH = re.compile(
    r"(?P<start>ssh://(?:[^/@]*@)?(?P<host>[\w.-]+)(?::\d+)?/|[^/:@\s-][^/:@\s]*@(?P<short>[\w.-]+):/*)(?P<path>.+)"
)
"""An address over ssh in both forms: what comes before the repository's path, its host, and the path."""
_WEB = re.compile(r"https?://", re.IGNORECASE)


def read_location(text: str, root: str) -> Location:
    """Read what a user wrote; relative paths count from the absolute `root`. Nothing is asked of the network.

    An existing file or folder is meant before a repository of the same name, as in `CONTEXT.md`.

    Raises:
        BadSourceError: it is none; the message says what to write instead, and repeats no secret.
        UserError: the configured host can't be used.
    """
    text = _bare(text)
    if _WEB.match(text):
        return _of_web(text)
    if ssh := _SSH.fullmatch(text):
        return _of_ssh(text, ssh["start"], ssh["host"] or ssh["short"], ssh["path"])
    short = _SHORT.fullmatch(text)
    if _is_path(text, root):
        note = f"{text} is a folder here; {code_host()}/{short[1]} names the repository" if short else ""
        return Location(text, note=note)
    path, version = split_version(text)
    if version and _is_path(path.removeprefix("file://"), root):
        return Location(_as_repository(path, root), version)
    if short and format_of(text) is None:
        return _of_short(text, short)
    if _HOSTED.fullmatch(text):
        return _of_web(f"https://{text}")
    _refuse_slips(text)
    return Location(text)


def path_hint(declared: str) -> str:
    """What to write for a local source that is not there: often a path was meant from the current folder."""
    if os.path.isabs(declared):
        return ""
    if os.path.exists(declared):
        return f"; a path counts from the workspace, not from the current folder: write {os.path.abspath(declared)}"
    return "" if format_of(declared) else _short_form_hint(declared)


def _short_form_hint(text: str) -> str:
    """What to write where a file declares a source in the short form, which only the command line knows."""
    short = _SHORT.fullmatch(text)
    if short is None:
        return "; a repository's address begins with https://, ssh:// or git@"
    return f"; in a file write the full address, such as {code_host()}/{short[1].removesuffix('.git')}.git"


def _refuse_slips(text: str) -> None:
    """Refuse what is neither an address nor a path that exists, and looks like a slip."""
    if slip := _SCHEME_SLIP.match(text):
        refuse(text, f"its scheme is misspelt; write https://{hidden(text[slip.end() :])}")
    words = text.split()
    if len(words) > 1 and not text.startswith((".", "/", "~")) and format_of(text) is None:
        refuse(text, "it holds white space, and is no path here; write the address alone, such as OWNER/REPOSITORY")
    if "\\" in text and os.sep == "/" and _SHORT.fullmatch(forward := text.replace("\\", "/")):
        refuse(text, f"it holds a backslash; write {forward}")


def in_folder(path: str, *, is_file: bool = False) -> str:
    """The folder that a path within a repository means: that of a file, if it names one."""
    path = path.strip("/")
    return posixpath.dirname(path) if is_file or posixpath.basename(path).lower() == SKILL_FILE.lower() else path


def _bare(text: str) -> str:
    """The text without what is copied with it: white space, and a pair of quotes or brackets around."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 2 and text[0] + text[-1] in _PAIRS else text


def _is_path(text: str, root: str) -> bool:
    return bool(text) and os.path.lexists(os.path.join(root, os.path.expanduser(text)))


def _as_repository(path: str, root: str) -> str:
    """The address of a repository's history, where the path of its work tree was given."""
    folder = os.path.normpath(os.path.join(root, os.path.expanduser(path)))
    if not os.path.lexists(os.path.join(folder, ".git")):
        return path
    return "file://" + folder.replace("%", "%25").replace(" ", "%20")


def _of_short(text: str, match: re.Match[str]) -> Location:
    repository, path, version = match[1], match[2] or "", match[3]
    if version is not None and not version.strip("/"):
        refuse(repository, "no tag, branch or commit follows the mark; write OWNER/REPOSITORY@VERSION")
    names = path.strip("/").split("/")
    if any(name in (".", "..") for name in (*names, repository.partition("/")[2])):
        refuse(text, "it holds `.` or `..`; write ./ in front of a path on this machine")
    address = f"{code_host()}/{repository.removesuffix('.git')}.git"
    folder = in_folder(path)
    if version and "/" in version and not folder:
        return Location(address, rest=version.strip("/"))
    return Location(address, version, folder)


def _of_web(text: str) -> Location:
    try:
        page = page_of(text, code_host())
    except NoRepositoryError as error:
        refuse(text, str(error))
    return Location(text) if page is None else _in_folder(page)


def _of_ssh(text: str, start: str, host: str, path: str) -> Location:
    """What follows the repository in an address over ssh, which is what people add to one over https."""
    path, mark, version = path.partition("#")
    try:
        page = page_of(f"https://{host}/{path}", code_host())
    except NoRepositoryError as error:
        refuse(text, str(error))
    if page is not None and (page.version or page.rest):
        return _in_folder(replace(page, address=start + page.address.split("/", 3)[3]))
    if not mark:
        return Location(text)
    if not version.strip("/"):
        refuse(text, "no tag, branch or commit follows the mark; leave it out")
    return _in_folder(Location(start + path, rest=version.strip("/")))


def _in_folder(page: Location) -> Location:
    """The location with the folder of what a page shows; a reference alone is the version."""
    if page.rest and "/" not in page.rest:
        return Location(page.address, page.rest)
    return replace(page, folder=in_folder(page.folder, is_file=page.file))
