"""Where this project is published, as `--repo` and `--rev` name it: a git repository, and what to take of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbag import __version__
from skillbag.bootstrap.plan import CannotInitError

_SHORT = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9_][\w.-]*", re.ASCII)
# Only characters that mean nothing to a shell or to YAML, so that the address can be written into both as it is.
_URL = re.compile(r"(?:https|ssh|file)://[\w.~:/@+%-]+|git@[\w.-]+:[\w.~/+-]+", re.ASCII)
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
_REV = re.compile(r"[A-Za-z0-9][\w./+-]*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_SCP = re.compile(r"(git@[\w.-]+):(.+)", re.ASCII)


class Address(NamedTuple):
    """A git repository: `url` for git, and `github` as `owner/name` where it is on GitHub.

    `rev` is the tag or the commit that is taken.
    """

    url: str
    github: str | None
    rev: str

    @property
    def is_pinned(self) -> bool:
        """Whether `rev` is a whole commit, which is what it is whatever the repository says of it."""
        return _COMMIT.fullmatch(self.rev) is not None

    @property
    def requirement(self) -> str:
        """The address as pip takes it, without a version."""
        return "git+" + _SCP.sub(r"ssh://\1/\2", self.url)


def parse_address(text: str, rev: str | None = None) -> Address:
    """Read what `--repo` and `--rev` were given; without the latter it is the tag of this version.

    Raises:
        CannotInitError: it is no address, or has a password in it, which would be written into a file; or no revision.
    """
    rev = f"v{__version__}" if rev is None else rev
    if not _REV.fullmatch(rev):
        raise CannotInitError(f"--rev {rev!r}: give a tag of the repository, or a whole commit")
    if _SHORT.fullmatch(text):
        return Address(f"https://github.com/{text}", text.removesuffix(".git"), rev)
    if not _URL.fullmatch(text):
        raise CannotInitError(f"--repo {text!r}: give owner/name of a GitHub repository, or an address that git clones")
    if re.match(r"\w+://[^/@]*:[^/@]*@", text):
        raise CannotInitError("--repo: the address holds a password, which would be written into a file; leave it out")
    match = _GITHUB.fullmatch(text)
    return Address(text, match[1] if match else None, rev)
