"""The errors about security in one skill. What was found is kept with the stamps of all that was read for it: as long
as they are the same, asking again costs the read of a small file and an `lstat` for each of the skill's.
"""

from __future__ import annotations

import os

from skillbag.kernel.base.user_dirs import named_cache_folder
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import traced
from skillbag.lint.cache.kept_dangers import FOLDER, KeptDangers, SkillDanger, edition, read_kept


def find_dangers(folder: str, root: str) -> tuple[SkillDanger, ...]:
    """The dangers of the skill in the absolute `folder`; files are read within `root`.

    The skill's own configuration and its suppressions count for nothing, as in an installation. A leaked secret is no
    danger to who reads it. What is read for it is in no list of `traced` files.

    Raises:
        UserError: the configured cache folder is not an absolute path.
    """
    from _blake2 import blake2b

    name = blake2b(f"{folder}\0{root}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    path = os.path.join(named_cache_folder(), FOLDER, f"{name}.json")
    kept = read_kept(path)
    if kept and tracked.stamps(kept.questions.split("\0")).tobytes().hex() == kept.stamps:
        return kept.found
    from skillbag.lint.cache.danger_check import look_again

    with traced():
        return look_again(folder, root, path, kept or KeptDangers(edition(), "", "", "", ()))
