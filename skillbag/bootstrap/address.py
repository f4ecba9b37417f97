"""Where this project is published, as `--repo` names it: `owner/name` on GitHub, or the address of a git repository."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbag.bootstrap.plan import CannotInitError

_SHORT = re.compile(r"[A-Za-z0-9][\w-]*/[A-Za-z0-9_][\w.-]*", re.ASCII)
# Only characters that mean nothing to a shell or to YAML, so that the address can be written into both as it is.
_URL = re.compile(r"(?:https|ssh|file)://[\w.~:/@+%-]+|git@[\w.-]+:[\w.~/+-]+", re.ASCII)
_GITHUB = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
_SCP = re.compile(r"(git@[\w.-]+):(.+)", re.ASCII)


class Address(NamedTuple):
    """A git repository: `url` for git, and `github` as `owner/name` where it is on GitHub."""

    url: str
    github: str | None

    @property
    def requirement(self) -> str:
        """The address as pip takes it, without a version."""
        return "git+" + _SCP.sub(r"ssh://\1/\2", self.url)


def parse_address(text: str) -> Address:
    """Read what `--repo` was given.

    Raises:
        CannotInitError: it is no address, or has a password in it, which would be written into a file.
    """
    if _SHORT.fullmatch(text):
        return Address(f"https://github.com/{text}", text.removesuffix(".git"))
    if not _URL.fullmatch(text):
        raise CannotInitError(f"--repo {text!r}: give owner/name of a GitHub repository, or an address that git clones")
    if re.match(r"\w+://[^/@]*:[^/@]*@", text):
        raise CannotInitError("--repo: the address holds a password, which would be written into a file; leave it out")
    match = _GITHUB.fullmatch(text)
    return Address(text, match[1] if match else None)
