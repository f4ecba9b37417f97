"""The git repository where this project is published and its revision, as `--repo` and `--rev` name them."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbag import __version__
from skillbag.supply.bootstrap.existing import CannotInitError

_SHORT = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9_][\w.-]*", re.ASCII)
# Only characters without a meaning in shells and YAML, so that the address needs no quotes there.
_URL = re.compile(r"(?:https|ssh|file)://[\w.~:/@+%-]+|git@[\w.-]+:[\w.~/+-]+", re.ASCII)
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
_REV = re.compile(r"[A-Za-z0-9][\w./+-]*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_SCP = re.compile(r"(git@[\w.-]+):(.+)", re.ASCII)


class RepositoryAddress(NamedTuple):
    """A git repository: `url` for git, `github` as `owner/name` if it is on GitHub, and `rev`, a tag or a commit."""

    url: str
    github: str | None
    rev: str

    @property
    def is_pinned(self) -> bool:
        """Whether `rev` is a whole commit, which the repository can't change later."""
        return _COMMIT.fullmatch(self.rev) is not None

    @property
    def requirement(self) -> str:
        """The address in pip's form, without a version."""
        return "git+" + _SCP.sub(r"ssh://\1/\2", self.url)


def parse_address(text: str, rev: str | None = None) -> RepositoryAddress:
    """Read the values of `--repo` and `--rev`; without the latter it is the tag of this version.

    Raises:
        CannotInitError: the address or the revision is invalid, or the address contains a password.
    """
    rev = f"v{__version__}" if rev is None else rev
    if not _REV.fullmatch(rev):
        raise CannotInitError(f"--rev {rev!r}: give a tag of the repository, or a whole commit")
    if _SHORT.fullmatch(text):
        return RepositoryAddress(f"https://github.com/{text}", text.removesuffix(".git"), rev)
    if not _URL.fullmatch(text):
        raise CannotInitError(
            f"--repo {text!r}: give owner/name of a GitHub repository, or an address such as "
            "https://HOST/owner/name.git or file:///PATH"
        )
    if re.match(r"\w+://[^/@]*:[^/@]*@", text):
        raise CannotInitError("--repo: the address has a password, which would be written into a file; leave it out")
    match = _GITHUB.fullmatch(text)
    return RepositoryAddress(text, match[1] if match else None, rev)
