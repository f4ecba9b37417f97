"""Whether the paths in a manifest name regular files in the skill's folder (skill runtime, section 1)."""

from __future__ import annotations

import os
import re

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.confined import NoRegularFileError, OutsideError, open_beneath
from skillbag.kernel.fs.trace import RECORDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.past import PastEntry

_DRIVE = re.compile(r"[A-Za-z]:")


class SkillFiles:
    """The files of the skill in the folder `directory`, whose folders are listed when they are first needed."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._listed: dict[str, dict[str, os.DirEntry[str] | PastEntry]] = {}

    def fault(self, path: str) -> str:
        """Why `path` names no regular file of the skill, as the end of a sentence; empty if it does.

        It has to be spelled as its folder lists it, and no link on the way may lead out of the skill.
        """
        return form_fault(path) or ("" if self._is_plain(path) else self._opening_fault(path))

    def _is_plain(self, path: str) -> bool:
        """Whether it is a regular file without a link on the way, as nearly all are."""
        *folders, name = path.split("/")
        place = self._directory
        for inner in folders:
            entry = self._entries(place).get(inner)
            if entry is None or not entry.is_dir(follow_symlinks=False):
                return False
            place = entry.path
        entry = self._entries(place).get(name)
        return entry is not None and entry.is_file(follow_symlinks=False)

    def _entries(self, folder: str) -> dict[str, os.DirEntry[str] | PastEntry]:
        if folder not in self._listed:
            try:
                self._listed[folder] = {entry.name: entry for entry in tracked.entries(folder)}
            except OSError:
                self._listed[folder] = {}
        return self._listed[folder]

    def _opening_fault(self, path: str) -> str:
        """As `fault`, by opening the file as the runtime does."""
        real = tracked.real(self._directory)
        if RECORDED.get() is not None:
            # What a cached verdict depends on, beside the names in the folders.
            tracked.mode(tracked.real(os.path.join(real, path)))
        try:
            os.close(open_beneath(real, path).descriptor)
        except OutsideError:
            return "is a link that leads out of the skill's folder"
        except IsADirectoryError:
            return "is a folder"
        except NoRegularFileError:
            return "is not a regular file"
        except (FileNotFoundError, NotADirectoryError):
            return "does not exist in the skill's folder, in this spelling"
        except OSError as error:
            return f"can't be opened: {error.strerror}"
        return ""


def form_fault(path: str) -> str:
    """Why a text is no path below a folder, as the end of a sentence; empty if it is one."""
    if not path.isprintable():
        return "has a character that is not printable"
    if "\\" in path:
        return "has a backslash; folders are separated by /"
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "is not relative to the skill's folder"
    parts = path.split("/")
    if ".." in parts:
        return "leads out of its folder with .."
    return "has an empty part or a single dot" if "" in parts or "." in parts else ""
