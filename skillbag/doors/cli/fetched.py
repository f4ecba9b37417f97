"""An address in the place of a path: its source is fetched, and read in a folder that is deleted afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager

from skillbag.doors.cli.progress import progress
from skillbag.kernel.base.errors import UserError
from skillbag.supply.install.choice import located
from skillbag.supply.install.outcome import StoppedError
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.checkout import checked_out
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.git_errors import OFFLINE_HINT
from skillbag.supply.sources.source import Location, Source


@contextmanager
def fetched_folder(address: str, *, quiet: bool = False) -> Iterator[str]:
    """The source of an address as the current folder, whole, or the part of it that the address names.

    Raises:
        UserError: it is no address, or its contents are hostile.
        OSError: it can't be fetched.
    """
    here = os.getcwd()
    with (
        without_offline(),
        progress(quiet) as under_way,
        closing(Fetcher(progress=under_way.tell, own=True)) as fetcher,
    ):
        source, found = source_at(address, here, fetcher)
        if found.version and source.kind.is_in_place:
            raise UserError(f"{source.declared} is a folder without versions; leave {found.version} out")
        with checked_out(source, found.version, fetcher, found.folder) as folder:
            if not os.path.isdir(folder):
                raise UserError(f"{source.declared}: there is no folder `{found.folder}` in it")
            with under_way.paused(), chdir(folder):
                yield folder


@contextmanager
def without_offline() -> Iterator[None]:
    """Leave `--offline` out of what an error advises: of a command that has no such option."""
    try:
        yield
    except FetchError as error:
        raise FetchError(error.source, error.reason.removesuffix(OFFLINE_HINT)) from error


def source_at(address: str, here: str, fetcher: Fetcher) -> tuple[Source, Location]:
    """The source of an address, and what else the address says; relative paths count from `here`.

    Raises:
        UserError: it is no address.
        FetchError: its repository can't be asked which version is meant.
    """
    try:
        found = located(address, None, here, fetcher)
    except StoppedError as stopped:
        raise FetchError(stopped.problems[0].source or "", stopped.problems[0].message) from stopped
    return parse_source(found.address, here), found
