"""The versions under which a project is published: the tags of its repository."""

from __future__ import annotations

import tempfile

from skillbag.sources.address import parse_source
from skillbag.sources.git_command import REMOTE, reach, run
from skillbag.sources.git_errors import GitError
from skillbag.sources.git_repository import prepare


def tags_of(address: str) -> tuple[str, ...]:
    """The tags of the git repository at an address, the newest version first; nothing is fetched.

    Raises:
        OSError: it can't be asked: no network, no such repository, no git.
    """
    source = parse_source(address, "/")
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        try:
            output = run(
                folder, ["ls-remote", "--tags", "--refs", "--sort=-v:refname", "--", REMOTE], reach(folder, source)
            )
        except GitError as error:
            raise OSError(f"{source.declared}: {error.advice}") from error
    refs = (line.partition("\t")[2] for line in output.decode("utf-8", "replace").splitlines())
    return tuple(ref.removeprefix("refs/tags/") for ref in refs)
