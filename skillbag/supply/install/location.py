"""The source that the command line names, as the installation takes it: a full address, a version, a folder."""

from __future__ import annotations

from dataclasses import replace

from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.location import Location, in_folder, read_location
from skillbag.supply.sources.source import BadSourceError


def located(text: str, version: str | None, root: str, fetcher: Fetcher) -> Location:
    """Read what the user wrote as a source, with `--version` if it was given; relative paths count from `root`.

    Raises:
        BadSourceError: it is no source, or it and `version` name two versions.
        StoppedError: the repository can't be asked which of its references is meant.
    """
    found = read_location(text, root)
    if found.rest:
        found = _split_rest(found, version, root, fetcher)
    if version and found.version and version != found.version:
        raise BadSourceError(
            f"source {without_credentials(found.address)!r}: it names the version {found.version}, and --version "
            f"names {version}; give one of them"
        )
    return replace(found, version=version or found.version)


def _split_rest(found: Location, version: str | None, root: str, fetcher: Fetcher) -> Location:
    """The location with the version and the folder that its `rest` joins."""
    source = parse_source(found.address, root)
    if version and f"{found.rest}/".startswith(f"{version}/"):
        reference, folder = version, found.rest[len(version) + 1 :]
    else:
        try:
            reference, folder = fetcher.split_reference(source, found.rest)
        except FetchError as error:
            raise StoppedError(Problem(ProblemKind.FETCH, error.reason, source.declared)) from error
    return replace(found, version=reference, rest="", folder=in_folder(folder, is_file=found.file))
