"""Predicates as the rule index describes them: their modules are imported at the first call, if at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from skillbag.kernel.base.records import cached_property
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.fs import tracked
from skillbag.kernel.transaction.locations import STORE
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, LOCK
from skillbag.kernel.workspace.text import ARCHIVES, TextFile
from skillbag.kernel.workspace.tree import FILE
from skillbag.lint.checks.predicate import LOADED, Match, Predicate, Subject, Unjudged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.workspace.model import Inventory


def _has_declarations(skill: Skill) -> bool:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(f"{key}:", skill.body_start) >= 0 for key in ("required", "optional", "dependencies"))


def _downloads(skill: Skill) -> bool:
    """Whether a description may say to download a file."""
    description = skill.field("description")
    if not isinstance(description, Scalar):
        return True
    value = description.value.lower()
    return any(word in value for word in ("download", "install", "get the", "grab", ".exe", ".dmg", ".msi", ".pkg"))


_NAMES = "Agent AskUserQuestion Bash Edit Glob Grep LS MultiEdit Read Task TodoWrite WebFetch WebSearch Write"
_TOOLS = frozenset(_NAMES.split())
"""Tools of agents that most lists in `allowed-tools` are made of."""


def _has_odd_tools(skill: Skill) -> bool:
    """Whether `allowed-tools` has anything but such names."""
    node = skill.field("allowed-tools")
    if node is None or not isinstance(skill.document, Document):
        return False
    return not _TOOLS.issuperset(skill.document.text[node.start : node.end].replace(",", " ").split())


def _has_comma_tools(skill: Skill) -> bool:
    node = skill.field("allowed-tools")
    return isinstance(node, Scalar) and "," in node.value


_ASSETS = (
    "exe dll so dylib msi dmg pkg deb rpm apk scr com jar class pyc pyo pyd node whl pth png jpg jpeg gif webp"
    " pdf ico svg docx xlsx pptx"
)
_ENDINGS = frozenset((*_ASSETS.split(), *(ending[1:] for ending in ARCHIVES)))
"""Endings of files that are programs, are packed, or may be other things than they seem."""


def _is_alone(skill: Skill) -> bool:
    """Whether a skill is its `SKILL.md` and nothing else, as most are."""
    entries = skill.listing.entries
    return len(entries) == 1 and entries[0].relative == skill.file


def _has_assets(skill: Skill) -> bool:
    if _is_alone(skill):
        return False
    if not _ENDINGS.isdisjoint([name.rpartition(".")[2] for name in skill.names.lower().split("\n")]):
        return True
    for entry in skill.listing.entries:
        if entry.kind is FILE and isinstance(skill.read(entry.relative), DocumentProblem):
            return True
    return "/." in skill.names or "\n." in skill.names or "__pycache__" in skill.names or "customize.py" in skill.names


_DEPENDENCIES = ("requirements", "pyproject.toml", "package.json")
_INSTALLS = ("pip install ", "pip3 install ", "npm i", "npm add ", "yarn add ", "uv add ", "poetry add ")


def _names_packages(skill: Skill) -> bool:
    """Whether a skill may have a file of dependencies, or a command that installs some."""
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(name in skill.names for name in _DEPENDENCIES) or any(command in text for command in _INSTALLS)


_LICENSES = ("LICENSE.txt", "LICENSE.md", "LICENCE.txt", "LICENCE.md")


def _lacks_license(skill: Skill) -> bool:
    """Whether the front matter names a license file that is not beside it."""
    document = skill.document
    if not isinstance(document, Document) or document.text.find("LICEN", 0, skill.body_start) < 0:
        return False
    return any(name not in skill.paths and name in document.text[: skill.body_start] for name in _LICENSES)


_ODD_NAMES = (
    *("\n.", "/.", "~\n", ".orig\n", ".rej\n", ".bak\n", "Thumbs.db", "desktop.ini", "__pycache__", "node_modules"),
    *(".\n", " \n", *'<>:"|?*\\', "aux.", "nul.", "prn.", "/con.", "\ncon."),
)
"""Parts of the names, in lines, of files that do not belong in a skill, or that Windows cannot hold."""


def _has_odd_names(skill: Skill) -> bool:
    """Whether a rule about names has to look at them."""
    if _is_alone(skill):
        return False
    names = skill.names
    for sign in _ODD_NAMES:  # noqa: SIM110 (a generator takes twice as long)
        if sign in names:
            return True
    return False


def _has_hidden_names(skill: Skill) -> bool:
    """Whether a name has other characters than those of ASCII that are seen, even a line feed."""
    if _is_alone(skill):
        return False
    names = skill.names
    plain = names.isascii() and names.replace("\n", "").isprintable()
    return not plain or names.count("\n") != len(skill.listing.entries) + 1


def _has_bare_script(skill: Skill) -> bool:
    """Whether the name of a script stands after a blank or `./`, and may lack its folder."""
    if _is_alone(skill):
        return False
    text = skill.document.text if isinstance(skill.document, Document) else ""
    names = [path[8:] for path in skill.paths if path.startswith("scripts/")]
    # Most are named in their folder, and the search from place to place is short.
    return any(_is_bare(text, name) for name in names)


def _is_bare(text: str, name: str) -> bool:
    at = text.find(name)
    while at > 0:
        if text[at - 1] == " " or text[at - 2 : at] == "./":
            return True
        at = text.find(name, at + 1)
    return False


def _has_odd_fences(text: TextFile) -> bool:
    """Whether a fence is not plain to see, or has marks of another one inside."""
    source = text.document.text
    if text.language != "markdown" or ("```" not in source and "~~~" not in source):
        return False
    from skillbag.lint.signals.fences import seen_fences

    seen = seen_fences(text)
    # Those that are seen have three marks at each end, and outside them there are none.
    return seen is None or source.count("```", text.body) != 2 * len(seen)


_SHEBANGS = {
    "py": ("#!/usr/bin/env python3\n", "#!/usr/bin/env python\n"),
    "sh": ("#!/usr/bin/env bash\n", "#!/bin/bash\n", "#!/bin/sh\n"),
    "js": ("#!/usr/bin/env node\n",),
}
"""Usual first lines of scripts, by extension, which are sound."""


def _has_odd_shebang(text: TextFile) -> bool:
    """Whether a script begins with another line than the usual one of its language."""
    if text.language in ("markdown", "json", "yaml", "toml"):
        return False
    usual = _SHEBANGS.get(text.relative.lower().rpartition(".")[2], ())
    return text.document.has_bom or not text.document.text.startswith(usual)


def _has_odd_marks(skill: Skill) -> bool:
    """Whether the marks around the front matter are not both `---` with the same line end and nothing else."""
    document, matter = skill.document, skill.front_matter
    if isinstance(document, DocumentProblem) or isinstance(matter, DocumentProblem):
        return False
    opening, closing = document.text[: matter.start], document.text[matter.end : matter.body]
    return opening != closing or opening not in ("---\n", "---\r\n")


def _has_long_list(inventory: Inventory) -> bool:
    """Whether a list of all skills may be longer than a host shows: wide characters take two columns."""
    total = 40 * len(inventory.cards) if len(inventory.cards) > 200 else 0
    for card in inventory.cards:
        text = card.description.value if card.description else ""
        total += 5 + len(card.folder) + (len(text) if text.isascii() else 2 * len(text)) + len(card.when)
    return total > _SHOWN


_SHOWN = 7_500
"""Somewhat less than the columns of a list of skills that the host with the least of them shows."""


NEEDS: Mapping[str, Callable[[Any], bool]] = {
    "parameters": lambda skill: bool(skill.parameter_blocks),
    "other-headings": lambda skill: bool(skill.declared_parameters.others or skill.declared_dependencies.others),
    "odd-tools": _has_odd_tools,
    "comma-tools": _has_comma_tools,
    "bootstrap-skill": lambda skill: skill.folder == BOOTSTRAP_SKILL,
    "declarations": _has_declarations,
    "download": _downloads,
    "assets": _has_assets,
    "packages": _names_packages,
    "odd-names": _has_odd_names,
    "hidden-names": _has_hidden_names,
    "bom": lambda skill: isinstance(skill.document, Document) and skill.document.has_bom,
    "odd-marks": _has_odd_marks,
    "inner-marks": lambda skill: (
        isinstance(skill.document, Document) and skill.document.text.find("---", 3, skill.body_start - 5) >= 0
    ),
    "open-comment": lambda text: (
        text.language == "markdown" and text.document.text.rfind("<!--") > text.document.text.rfind("-->")
    ),
    "license-file": _lacks_license,
    "bare-script": _has_bare_script,
    "odd-fences": _has_odd_fences,
    "odd-shebang": _has_odd_shebang,
    "siblings": lambda text: (
        text.language == "python"
        and text.skill is not None
        and (text.skill.names.count(".py\n") > 1 or " ." in text.document.text or "\t." in text.document.text)
    ),
    "lock": lambda inventory: tracked.exists(inventory.workspace.path(LOCK)),
    "long-list": _has_long_list,
    "when-to-use": lambda skill: skill.field("when_to_use") is not None,
    "store": lambda inventory: (
        tracked.exists(inventory.workspace.path(STORE)) or git.may_track(inventory.workspace.root, STORE)
    ),
}
"""Preconditions by the name that a predicate gives: whether a subject can have a match at all.

A name such as `flow_signs.runs_download` is a function of a module that is imported when it is first asked: it is
called with the subject and the literals of the predicate.
"""

_LARGE = 100_000
"""Characters of a text from which on a look beside each literal may cost more than the expressions."""


def is_large(text: TextFile) -> bool:
    """Whether a look beside each literal of a text may cost more than the expressions."""
    return len(text.document.text) >= _LARGE


class LazyPredicate(Predicate):
    """A predicate of `module`; its precondition is tested before the module is imported.

    `check` and `options` are taken from the loaded predicate at the first access.
    """

    def __init__(
        self,
        name: str,
        module: str,
        subject: str,
        values: tuple[str, ...],
        literals: tuple[bytes, ...] | None,
        needs: str | None,
        has_options: bool,
        has_roles: bool = False,
    ) -> None:
        super().__init__(name, Subject(subject), values, literals=literals, needs=needs, has_roles=has_roles)
        self._module = module
        if has_options:
            del self.options
        if needs:
            self.check = self._check_if_needed

    def __getattr__(self, name: str) -> Any:
        if name in ("check", "options"):
            return getattr(self._load(), name)
        raise AttributeError(name)

    def _load(self) -> Predicate:
        from importlib import import_module

        import_module(f"skillbag.lint.checks.{self._module}")
        known = LOADED[self.name]
        self.check, self.options = known.check, known.options
        return known

    def _check_if_needed(self, subject: Any, options: Any) -> Iterable[Match | Unjudged]:
        return self._load().check(subject, options) if self.is_needed(subject) else ()

    def is_needed(self, subject: Any) -> bool:
        """Whether the precondition holds, without the module and its options."""
        return self._look(subject)

    @cached_property
    def _look(self) -> Callable[[Any], bool]:
        module, _, name = (self.needs or "").rpartition(".")
        if not module:
            return NEEDS[name] if name else lambda _: True
        from importlib import import_module

        look = getattr(import_module(f"skillbag.lint.checks.{module}"), name)
        if self.subject is not Subject.TEXT:
            return lambda subject: bool(look(subject, self.literals))
        # Of a set, a hash is computed once.
        literals = frozenset(self.literals or ())
        return lambda text: is_large(text) or bool(look(text, literals))


INDEXED: dict[str, LazyPredicate] = {}
"""The predicates of the rule index, by name: filled in when the index is loaded."""


def known_predicate(name: str) -> Predicate:
    """The predicate of this name: its module is imported at the first call, if there is an index."""
    return INDEXED.get(name) or all_predicates()[name]


def all_predicates() -> Mapping[str, Predicate]:
    """Every predicate by the name that a rule's `check:` gives; imports all modules of this package."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in iter_modules([os.path.dirname(__file__)]):
        import_module(f"skillbag.lint.checks.{module.name}")
    return LOADED
