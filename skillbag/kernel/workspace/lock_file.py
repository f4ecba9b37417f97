"""`skillbag.lock`, beside `SKILLBAG.md`: what each installed skill is, and where it came from.

`schemas/lock.schema.json` describes it. Equal locks are equal bytes: sorted, without times, whatever the platform.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.source_kind import LOCK_KINDS
from skillbag.kernel.workspace.target import CONTEXT, is_skill_name
from skillbag.kernel.workspace.target import LOCK as LOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.workspace.agent_links import Links

VERSION = 1
COMMAND_LINE = "command line"
"""The requester of skills named on the command line; others are `CONTEXT.md` and skills."""

_TREE = late(r"sha256:[0-9a-f]{64}")
_RULE = late(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UNFIT = late(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_REMEDY = f"take back its last good version, or delete {LOCK}: skills that it does not know are left as they are"
_MERGE_REMEDY = f"take one side (git checkout --ours {LOCK}) and run skillbag install"
TAG, BRANCH, COMMIT = "tag", "branch", "commit"
"""The kinds of version of a git source."""


class Locked(NamedTuple):
    """One installed skill.

    `source` is as declared, without credentials; `kind` is one of `LOCK_KINDS`; `requested` the
    requested version, if any; `resolved` the git commit, the `sha256:…` of the archive (of a registry after its exact
    version, `1.2.0@sha256:…`), or None for a folder. `tree` is the tree
    hash of the skill in its source. `asked_by`, sorted, holds `CONTEXT.md`, `command line` and skills. `layout` is
    `plain` for a plain repository of Agent Skills, else None. `folder` is the skill's folder in such a repository
    (relative, with `/`), None for the repository itself. `ref` is the kind of version of a git source: `TAG`,
    `BRANCH` or `COMMIT`. `executable` lists the executable files in the source (relative to the skill, `/`, NFC,
    sorted). Both are None where unknown, as in locks of earlier versions. `accepted` lists the security rules whose
    errors in the source the user accepted, sorted. What is None is no key of the lock.
    """

    source: str
    kind: str
    requested: str | None
    resolved: str | None
    tree: str
    asked_by: tuple[str, ...]
    layout: str | None = None
    ref: str | None = None
    executable: tuple[str, ...] | None = None
    accepted: tuple[str, ...] | None = None
    folder: str | None = None


class Lock(NamedTuple):
    """All skills that were installed from sources, by name, and the links of `skillbag agent link`, if any.

    `home` is the folder of an agent that they are in (relative, with `/`); None in a workspace.
    """

    skills: Mapping[str, Locked]
    links: Links | None = None
    home: str | None = None


class BadLockError(UserError):
    """A lock that can't be used; the message has the file's name, `line`, `what` is wrong, and `remedy`: what to do."""

    def __init__(self, line: int, what: str, remedy: str = _REMEDY) -> None:
        super().__init__(f"{LOCK}{f':{line}' if line else ''}: {what}; {remedy}" if remedy else f"{LOCK}: {what}")
        self.line = line
        self.what = what
        self.remedy = remedy


def short(resolved: str | None) -> str:
    """What people are shown of a `resolved`: the version in a registry, the first digits of a commit or hash."""
    version, at, _ = (resolved or "").partition("@sha256:")
    return version if at else version.removeprefix("sha256:")[:10]


def read_lock(root: str) -> Lock | None:
    """The lock of the workspace at the absolute `root`; None where there is none.

    Raises:
        BadLockError: it can't be read, is malformed, or is of another version.
    """
    document = read_document(os.path.join(root, LOCK), root)
    if isinstance(document, DocumentProblem):
        if document.kind == "missing":
            return None
        if document.kind == "permission":
            raise BadLockError(document.line, *document.detail.split(": ", 1))
        raise BadLockError(document.line, document.detail)
    return parse_lock(document.text)


def parse_lock(text: str) -> Lock:
    """The lock that `text` holds.

    Raises:
        BadLockError: as `read_lock`.
    """
    data = _json(text)
    if not isinstance(data, dict) or "version" not in data:
        raise BadLockError(1, "it is no lock: there is no `version`")
    if type(data["version"]) is not int or data["version"] != VERSION:
        message = f"its version is {str(data['version'])[:20]}, and this program reads version {VERSION}"
        raise BadLockError(line_of(text, "version"), message, "use the program that wrote it, or a newer one")
    is_whole = {"skills", "version"} <= data.keys() <= {"home", "links", "skills", "version"}
    if not is_whole or not isinstance(data["skills"], dict):
        message = "it must hold `version` and `skills`, a mapping of names, maybe `links` and `home`, and nothing else"
        raise BadLockError(1, message)
    if "home" in data and not _is_path(data["home"]):
        raise BadLockError(line_of(text, "home"), "its `home` must be the path of a folder")
    skills = {name: _locked(text, name, value) for name, value in data["skills"].items()}
    return Lock(skills, _links(text, data["links"]) if "links" in data else None, data.get("home"))


def render_lock(lock: Lock) -> bytes:
    """The bytes of a lock: equal for equal locks.

    Raises:
        BadLockError: it would be larger than the largest file that is read.
    """
    import json

    skills = {name: _values(lock.skills[name]) for name in sorted(lock.skills)}
    links = lock.links and lock.links._replace(
        agents=tuple(sorted(lock.links.agents)), made=dict(sorted(lock.links.made.items()))
    )
    value = {"version": VERSION, "skills": skills} | ({"links": links._asdict()} if links else {})
    value |= {"home": lock.home} if lock.home else {}
    data = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    if len(data) > LIMIT:
        raise BadLockError(0, f"{len(skills)} skills are too many for one workspace: {len(data)} bytes of lock", "")
    return data


def _values(locked: Locked) -> dict[str, Any]:
    values = locked._asdict()
    values |= {field: sorted(values[field]) for field in _LISTS if values[field] is not None}
    return {key: value for key, value in values.items() if value is not None or key not in _OPTIONAL}


def _json(text: str) -> Any:
    from skillbag.kernel.base.json_text import BadJsonError, RepeatedKeyError, json_value

    try:
        return json_value(text, unique=True)
    except RepeatedKeyError as error:
        raise BadLockError(line_of(text, error.key), str(error)) from error
    except BadJsonError as error:
        # git leaves `<<<<<<<` in a merge conflict.
        if re.search("^<{7} ", text, re.MULTILINE):
            raise BadLockError(error.line, f"{error}: git left both sides of a merge in it", _MERGE_REMEDY) from error
        raise BadLockError(error.line, str(error)) from error


def _locked(text: str, name: str, value: Any) -> Locked:
    def malformed(what: str, field: str = "") -> BadLockError:
        return BadLockError(line_of(text, name, field), what)

    if not is_skill_name(name):
        raise malformed(f"`{name[:80]}` is not a skill's name")
    if not isinstance(value, dict) or not _FIELDS.keys() <= value.keys() <= _ALL_FIELDS.keys():
        fields = ", ".join(f"`{field}`" for field in _FIELDS)
        raise malformed(f"the skill `{name}` must have {fields}, and nothing else")
    for field, (fits, words) in _ALL_FIELDS.items():
        if field in value and not fits(value[field]):
            raise malformed(f"the `{field}` of `{name}` must be {words}", field)
    if "ref" in value and value["kind"] != "git":
        raise malformed(f"the `ref` of `{name}` is not what a {value['kind']} has", "ref")
    if not re.fullmatch(LOCK_KINDS[value["kind"]], value["resolved"] or ""):
        raise malformed(f"the `resolved` of `{name}` is not what a {value['kind']} has", "resolved")
    return Locked(**{**value, **{field: tuple(sorted(value[field])) for field in _LISTS if field in value}})


def _links(text: str, value: Any) -> Links:
    from skillbag.kernel.workspace.agent_links import Links

    if fault := _links_fault(value):
        raise BadLockError(line_of(text, "links"), f"its `links` {fault}")
    return Links(tuple(value["agents"]), value["copy"], tuple(value["folders"]), value["made"])


def _links_fault(value: object) -> str | None:
    """What is wrong with the lock's `links`, in a few words that follow them; None if nothing is."""
    from skillbag.kernel.workspace.agent_links import is_link_folder, is_link_path
    from skillbag.kernel.workspace.agents import AGENTS

    if not isinstance(value, dict) or value.keys() != {"agents", "copy", "folders", "made"}:
        return "must have `agents`, `copy`, `folders`, `made`, and nothing else"
    if not isinstance(value["copy"], bool):
        return "must say true or false for `copy`"
    if not _are_strings(value["agents"]) or not set(value["agents"]) <= AGENTS.keys():
        return "must list agents that this program knows; skillbag agent link --list shows them"
    if not _are_strings(value["folders"]) or not all(map(is_link_folder, value["folders"])):
        return "must list folders of agents, and no others"
    made = value["made"]
    if not isinstance(made, dict) or not all(
        is_link_path(path) and (tree is None or _is_tree(tree)) for path, tree in made.items()
    ):
        return "must name paths in the folders of agents, each with null or the hash of a copy"
    return None


def _are_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not _UNFIT().search(value)


def _is_tree(value: object) -> bool:
    return isinstance(value, str) and _TREE().fullmatch(value) is not None


def _are_requesters(value: object) -> bool:
    if not isinstance(value, list) or not _are_strings(value) or len(set(value)) < len(value):
        return False
    return all(map(is_skill_name, {*value} - {CONTEXT, COMMAND_LINE}))


def _are_rules(value: object) -> bool:
    if not isinstance(value, list) or not _are_strings(value) or not 0 < len(value) == len(set(value)):
        return False
    return all(map(_RULE().fullmatch, value))


def _are_paths(value: object) -> bool:
    if not isinstance(value, list) or not all(map(_is_text, value)) or len(set(value)) < len(value):
        return False
    return all(map(_is_path, value))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and _is_text(value) and {"", ".", ".."}.isdisjoint(value.split("/"))


_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "source": (_is_text, "text without control characters"),
    "kind": (lambda value: isinstance(value, str) and value in LOCK_KINDS, f"one of {', '.join(LOCK_KINDS)}"),
    "requested": (lambda value: value is None or _is_text(value), "null, or text without control characters"),
    "resolved": (lambda value: value is None or _is_text(value), "null, a commit, or `sha256:` and a hash"),
    "tree": (_is_tree, "`sha256:` and 64 hexadecimal digits"),
    "asked_by": (_are_requesters, f"a list of `{CONTEXT}`, `{COMMAND_LINE}` and names of skills, each once"),
}

_OPTIONAL: dict[str, tuple[Callable[[object], bool], str]] = {
    "layout": (lambda value: value == "plain", "`plain`, or left out"),
    "folder": (_is_path, "the path of a folder in the source, or left out"),
    "ref": (lambda value: value in (TAG, BRANCH, COMMIT), "tag, branch or commit, or left out"),
    "executable": (_are_paths, "a list of paths of files in the skill, each once, or left out"),
    "accepted": (_are_rules, "a list of ids of rules, each once, or left out"),
}
_LISTS = ("asked_by", "executable", "accepted")
_ALL_FIELDS = _FIELDS | _OPTIONAL


def line_of(text: str, name: str, field: str = "") -> int:
    """The 1-based line of a key of the lock, of a skill, or of a skill's field; found by a search, so not exact."""
    at = max(text.find('"skills"'), 0)
    for pattern in (rf'"{re.escape(name)}"\s*:\s*\{{', rf'"{re.escape(field or name)}"\s*:'):
        if match := re.compile(pattern).search(text, at):
            at = match.start()
    return text.count("\n", 0, at) + 1
