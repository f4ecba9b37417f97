"""What a release needs beside the build: its notes, cut from CHANGELOG.md, and a look at the files before the upload.

tools/release.py notes v1.2.3            print the notes
tools/release.py check v1.2.3 dist       the folder holds this release, and nothing else
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
NEEDED = ("skillbag/lint/rules/index.py", "skillbag/py.typed", "skillbag/data/schemas/findings.schema.json")
"""Files of the wheel, one of each kind that is not only code."""

_PLACEHOLDER = "example.com/OWNER/NAME"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)


class ReleaseError(Exception):
    """What is wrong, where, and what to do."""


def version_of(tag: str) -> str:
    """The version that a tag names, which must be that of the program."""
    found = _VERSION.search((PROJECT / "skillbag/__init__.py").read_text("utf-8"))
    version = found[1] if found else ""
    if tag != f"v{version}":
        raise ReleaseError(
            f"the tag {tag} is not v{version}, the __version__ of skillbag/__init__.py: correct one of them"
        )
    return version


def notes(tag: str) -> str:
    """The section of CHANGELOG.md about this version: `## 1.2.3`, or `## 1.2.3 - 2027-01-31`."""
    version = version_of(tag)
    text = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    headings = list(_HEADING.finditer(text))
    for number, heading in enumerate(headings):
        if heading[1].split(maxsplit=1)[0].strip("[]") == version:
            end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
            if section := text[heading.end() : end].strip():
                return _with_addresses(section, tag) + "\n"
            raise ReleaseError(f"the section {heading[0]!r} of CHANGELOG.md is empty: say what users get")
    raise ReleaseError(f"CHANGELOG.md has no section `## {version}`: give `## Unreleased` that heading")


def _with_addresses(section: str, tag: str) -> str:
    """The section with its links to files of the repository as addresses, since a release is read elsewhere."""
    found = re.search(r'^Repository = "([^"]+)"$', (PROJECT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    base = f"{found[1]}/blob/{tag}/" if found else ""
    return re.sub(r"\]\((?!\w+:|#)", f"]({base}", section)


def check(tag: str, folder: Path) -> None:
    """The folder holds one sdist and one wheel of this version, with the files and metadata that they need."""
    version = version_of(tag)
    expected = [f"skillbag-{version}-py3-none-any.whl", f"skillbag-{version}.tar.gz"]
    found = sorted(path.name for path in folder.iterdir())
    if found != expected:
        raise ReleaseError(
            f"{folder} holds {', '.join(found) or 'nothing'}, not {' and '.join(expected)}: build afresh"
        )
    with zipfile.ZipFile(folder / expected[0]) as wheel:
        missing = sorted(set(NEEDED) - set(wheel.namelist()))
        metadata = wheel.read(f"skillbag-{version}.dist-info/METADATA").decode("utf-8")
        program = wheel.read("skillbag/__init__.py").decode("utf-8")
    with tarfile.open(folder / expected[1]) as sdist:
        missing += sorted({"LICENSE", "CHANGELOG.md"} - {name.partition("/")[2] for name in sdist.getnames()})
    if missing:
        raise ReleaseError(f"the build lacks {', '.join(missing)}: see [tool.hatch.build] in pyproject.toml")
    if (named := HeaderParser().parsestr(metadata)["Version"]) != version:
        raise ReleaseError(f"the wheel calls itself {named}, not {version}: build afresh")
    if _PLACEHOLDER in metadata + program:
        places = "pyproject.toml, README.md and skillbag/__init__.py"
        raise ReleaseError(f"{_PLACEHOLDER} stands for the repository: write its address in {places}")


def main(arguments: Sequence[str]) -> int:
    """Do it, or say in a line why not."""
    try:
        match arguments:
            case ["notes", tag]:
                print(notes(tag), end="")
            case ["check", tag, folder]:
                check(tag, Path(folder))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
