"""Facts of a manifest that are valid and probably not meant: its folder, licence, homepage, and a missing prompt."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Node
from skillbag.kernel.fs import tracked
from skillbag.kernel.manifest.names import SkillType
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_COMMON = (
    "0BSD AFL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.1 Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause"
    " BSL-1.0 BUSL-1.1 CC-BY-4.0 CC-BY-NC-4.0 CC-BY-NC-SA-4.0 CC-BY-SA-4.0 CC0-1.0 CDDL-1.0 ECL-2.0 EPL-1.0 EPL-2.0"
    " EUPL-1.2 GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later ISC LGPL-2.1-only LGPL-2.1-or-later"
    " LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MPL-1.1 MPL-2.0 MS-PL NCSA OFL-1.1 OSL-3.0 PostgreSQL Python-2.0"
    " Unlicense UPL-1.0 WTFPL Zlib ZPL-2.1"
)
LICENSES = frozenset(_COMMON.split())
"""Common licences; others of their form may exist."""

_MEANT = {name.lower().replace("-", "").replace(".", ""): name for name in LICENSES} | {
    "apache2": "Apache-2.0",
    "apachelicense20": "Apache-2.0",
    "mitlicense": "MIT",
    "bsd": "BSD-3-Clause",
    "gplv2": "GPL-2.0-only",
    "gplv3": "GPL-3.0-only",
    "gpl30": "GPL-3.0-only",
    "gpl20": "GPL-2.0-only",
    "agplv3": "AGPL-3.0-only",
    "lgplv3": "LGPL-3.0-only",
    "cc0": "CC0-1.0",
    "mpl2": "MPL-2.0",
}
_ID = r"(?:(?:DocumentRef-[A-Za-z0-9.-]+:)?[A-Za-z0-9][A-Za-z0-9.-]*\+?)"
_EXPRESSION = late(rf"\(*{_ID}\)*(?: (?:AND|OR|WITH) \(*{_ID}\)*)*")
_IDS = late(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_URL = late(r"https?://[^\s/?#@]+(?:[/?#]\S*)?")


def _node(active: ActiveSkill, key: str) -> Node | None:
    return active.file.mapping.get(key) if active.file.mapping else None


@Predicate("manifest-folder-mismatch", Subject.MANIFEST, values=("name", "folder"))
def folder_mismatch(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A name that differs from the folder's; with a `SKILL.md`, other rules compare them."""
    skill, manifest, node = active.skill, active.file.manifest, _node(active, "name")
    if manifest is None or node is None or "SKILL.md" in skill.paths or manifest.name == skill.folder:
        return
    # A skill that is a whole repository may be cloned into a folder of any name.
    if skill.directory == skill.root and tracked.exists(os.path.join(skill.directory, ".git")):
        return
    yield match_at(active.file.path, node, {"name": manifest.name, "folder": skill.folder})


@Predicate("manifest-license-unknown", Subject.MANIFEST, values=("license", "hint"))
def unknown_license(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A licence that is no SPDX expression, or a common one in another spelling."""
    manifest, node = active.file.manifest, _node(active, "license")
    if manifest is None or node is None or not manifest.license:
        return
    text = manifest.license
    meant = _MEANT.get(text.lower().replace("-", "").replace(".", "").replace(" ", ""), "")
    names = [] if len(text) > 500 or not _EXPRESSION().fullmatch(text) else _IDS().findall(text)
    respelled = [
        name for name in names if name not in LICENSES and name.lower().replace("-", "").replace(".", "") in _MEANT
    ]
    if names and not respelled:
        return
    hint = f"; did you mean `{meant}`?" if meant else ""
    yield match_at(active.file.path, node, {"license": short(text), "hint": hint})


@Predicate("manifest-homepage-invalid", Subject.MANIFEST, values=("homepage",))
def invalid_homepage(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A homepage that is no address of a web page."""
    manifest, node = active.file.manifest, _node(active, "homepage")
    if manifest and node and manifest.homepage and not _URL().fullmatch(manifest.homepage):
        yield match_at(active.file.path, node, {"homepage": short(manifest.homepage)})


@Predicate("manifest-prompt-missing", Subject.MANIFEST)
def missing_prompt(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """A skill of the type prompt that has neither files of a prompt nor a `SKILL.md`."""
    manifest, node = active.file.manifest, _node(active, "types")
    if manifest is None or node is None or SkillType.PROMPT not in manifest.types:
        return
    prompt = manifest.prompt
    if not active.file.instructions and not (prompt and (prompt.system_prompt_file or prompt.context_files)):
        yield match_at(active.file.path, node)
