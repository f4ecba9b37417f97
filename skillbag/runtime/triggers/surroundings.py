"""What triggers are compared with: the workspace's files and languages, the mode, and the user's message (skill
runtime, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.file_index import FileIndex
from skillbag.runtime.triggers.languages import languages_of
from skillbag.runtime.triggers.triggers import TriggerContext
from skillbag.runtime.triggers.workspace_files import list_files


class Surroundings:
    """The workspace at `root` (None outside of any), in one mode."""

    def __init__(self, root: str | None, mode: str) -> None:
        self._root = root
        self._mode = mode

    def context(self, skills: Iterable[FoundSkill], message: str, current_path: str) -> TriggerContext:
        """What triggers are compared with now. The files are listed only if a skill has a trigger for them."""
        wanted = any(skill.manifest.triggers.files or skill.manifest.triggers.languages for skill in skills)
        files = FileIndex(list_files(self._root).paths if self._root and wanted else ())
        return TriggerContext(files, files.languages, self._mode, current_path, message)

    def main_language(self) -> str:
        """The language of most files of the workspace, the first one by name of several; "" if there is none."""
        paths = list_files(self._root).paths if self._root else ()
        counts = Counter(language for path in paths for language in languages_of([path.rpartition("/")[2]]))
        return min(counts, key=lambda language: (-counts[language], language), default="")
