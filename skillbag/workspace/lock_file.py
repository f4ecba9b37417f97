"""`skillbag.lock`, beside `SKILLBAG.md`: what each installed skill is, and where it came from.

`schemas/lock.schema.json` describes it. Equal locks are equal bytes: sorted, without times, whatever the platform.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from skillbag.base.errors import UserError
from skillbag.base.records import NamedTuple
from skillbag.documents.source import DocumentProblem, read_document
from skillbag.fs.read import LIMIT
from skillbag.workspace.target import CONTEXT, NAME

if TYPE_CHECKING:
    from skillbag.workspace.agent_links import Links

LOCK = "skillbag.lock"
VERSION = 1
COMMAND_LINE = "command line"
"""Who asked for what was named on the command line; others are `CONTEXT.md` and skills."""

_MAX_NAME = 64
_RESOLVED = {"git": r"[0-9a-f]{40}|[0-9a-f]{64}", "zip": r"sha256:[0-9a-f]{64}"}
_TREE = re.compile(r"sha256:[0-9a-f]{64}")
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_REMEDY = f"take back its last good version, or delete {LOCK}: skills that it does not know are left as they are"
_MERGE_REMEDY = f"take one side (git checkout --ours {LOCK}) and run skillbag install"
TAG, BRANCH, COMMIT = "tag", "branch", "commit"
"""What the version of a git source can be."""


class Locked(NamedTuple):
    """One installed skill.

    `source` is as declared, without credentials; `kind` is `git`, `zip` or `folder`. `requested` is the version that
    was asked for, if any; `resolved` the git commit, the `sha256:…` of the archive, or None for a folder. `tree` is the
    tree hash of the skill as its source has it. `asked_by`, sorted, holds `CONTEXT.md`, `command line` and skills.
    `layout` is `plain` where it came from a plain repository of Agent Skills, else None, and then no key of the lock.
    `ref` is what the version of a git source was: `TAG`, `BRANCH` or `COMMIT`. `executable` are the files that may be
    executed as the source has it (relative to the skill, `/`, NFC, sorted). Both are None, and no keys, in locks of
    earlier versions, and where nobody knows.
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


class Lock(NamedTuple):
    """All skills that were installed from sources, by name, and what `skillbag link` made, if anything."""

    skills: Mapping[str, Locked]
    links: Links | None = None


class BadLockError(UserError):
    """A lock that can't be used; the message begins with its name and line, and says what to do.

    `line` is where, `what` is wrong, `remedy` what to do: the message in its parts.
    """

    def __init__(self, line: int, what: str, remedy: str = _REMEDY) -> None:
        super().__init__(f"{LOCK}{f':{line}' if line else ''}: {what}; {remedy}" if remedy else f"{LOCK}: {what}")
        self.line = line
        self.what = what
        self.remedy = remedy


def read_lock(root: str) -> Lock | None:
    """The lock of the workspace at the absolute `root`; None where there is none.

    Raises:
        BadLockError: it can't be read, is broken, is of another version, or holds what no lock of ours does.
    """
    document = read_document(os.path.join(root, LOCK), root)
    if isinstance(document, DocumentProblem):
        if document.kind == "missing":
            return None
        raise _bad(document.line, document.detail)
    return parse_lock(document.text)


def parse_lock(text: str) -> Lock:
    """The lock that `text` holds.

    Raises:
        BadLockError: as `read_lock`.
    """
    data = _json(text)
    if not isinstance(data, dict) or "version" not in data:
        raise _bad(1, "it is no lock: there is no `version`")
    if type(data["version"]) is not int or data["version"] != VERSION:
        message = f"its version is {str(data['version'])[:20]}, and this program reads version {VERSION}"
        raise BadLockError(_line(text, "version"), message, "use the program that wrote it, or a newer one")
    if not {"skills", "version"} <= data.keys() <= {"links", "skills", "version"} or not isinstance(
        data["skills"], dict
    ):
        raise _bad(1, "it must hold `version` and `skills`, a mapping of names, may hold `links`, and nothing else")
    skills = {name: _locked(text, name, value) for name, value in data["skills"].items()}
    return Lock(skills, _links(text, data["links"]) if "links" in data else None)


def render_lock(lock: Lock) -> bytes:
    """The bytes of a lock: equal for equal locks.

    Raises:
        BadLockError: it would be larger than what is read again.
    """
    import json

    skills = {name: _values(locked) for name, locked in lock.skills.items()}
    value: dict[str, Any] = {"version": VERSION, "skills": dict(sorted(skills.items()))}
    if lock.links is not None:
        from skillbag.workspace.lock_links import links_values

        value["links"] = links_values(lock.links)
    data = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    if len(data) > LIMIT:
        raise BadLockError(0, f"{len(skills)} skills are too many for one workspace: {len(data)} bytes of lock", "")
    return data


def _values(locked: Locked) -> dict[str, Any]:
    values = locked._asdict()
    values |= {field: sorted(values[field]) for field in _LISTS if values[field] is not None}
    return {key: value for key, value in values.items() if value is not None or key not in _OPTIONAL}


def _json(text: str) -> Any:
    import json

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key, inner in pairs:
            if key in value:
                raise _bad(_line(text, key), f"the key `{key[:80]}` is given twice")
            value[key] = inner
        return value

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        # `<<<<<<<` is what git leaves where two branches installed something.
        if re.search("^<{7} ", text, re.MULTILINE):
            what = f"it is not JSON ({error.msg}): git left both sides of a merge in it"
            raise BadLockError(error.lineno, what, _MERGE_REMEDY) from error
        raise _bad(error.lineno, f"it is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise _bad(1, "it is not JSON that can be read") from error


def _locked(text: str, name: str, value: Any) -> Locked:
    if len(name) > _MAX_NAME or not NAME.fullmatch(name):
        raise _bad(_line(text, name), f"`{name[:80]}` is not a skill's name")
    if not isinstance(value, dict) or not _FIELDS.keys() <= value.keys() <= _ALL_FIELDS.keys():
        raise _bad(_line(text, name), f"the skill `{name}` must have {_listed(_FIELDS)}, and nothing else")
    for field, (fits, words) in _ALL_FIELDS.items():
        if field in value and not fits(value[field]):
            raise _bad(_line(text, name, field), f"the `{field}` of `{name}` must be {words}")
    if "ref" in value and value["kind"] != "git":
        raise _bad(_line(text, name, "ref"), f"the `ref` of `{name}` is not what a {value['kind']} has")
    if not _fits_kind(value["kind"], value["resolved"]):
        raise _bad(_line(text, name, "resolved"), f"the `resolved` of `{name}` is not what a {value['kind']} has")
    lists = {field: tuple(sorted(value[field])) for field in _LISTS if field in value}
    return Locked(**{**value, **lists})


def _links(text: str, value: Any) -> Links:
    from skillbag.workspace.lock_links import links_fault, links_of

    if fault := links_fault(value):
        raise _bad(_line(text, "links"), f"its `links` {fault}")
    return links_of(value)


def _listed(words: Mapping[str, object]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and not _UNFIT.search(value)


def _is_tree(value: object) -> bool:
    return isinstance(value, str) and _TREE.fullmatch(value) is not None


def _are_askers(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return False
    skills = set(value) - {CONTEXT, COMMAND_LINE}
    return len(set(value)) == len(value) and all(len(name) <= _MAX_NAME and NAME.fullmatch(name) for name in skills)


def _are_paths(value: object) -> bool:
    if not isinstance(value, list) or not all(map(_is_text, value)):
        return False
    return len(set(value)) == len(value) and all({"", ".", ".."}.isdisjoint(path.split("/")) for path in value)


def _fits_kind(kind: str, resolved: str | None) -> bool:
    if resolved is None or kind not in _RESOLVED:
        return resolved is None and kind not in _RESOLVED
    return re.fullmatch(_RESOLVED[kind], resolved) is not None


_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "source": (_is_text, "text without control characters"),
    "kind": (lambda value: isinstance(value, str) and value in ("git", "zip", "folder"), "git, zip or folder"),
    "requested": (lambda value: value is None or _is_text(value), "null, or text without control characters"),
    "resolved": (lambda value: value is None or _is_text(value), "null, a commit, or `sha256:` and a hash"),
    "tree": (_is_tree, "`sha256:` and 64 hexadecimal digits"),
    "asked_by": (_are_askers, f"a list of `{CONTEXT}`, `{COMMAND_LINE}` and names of skills, each once"),
}

_OPTIONAL: dict[str, tuple[Callable[[object], bool], str]] = {
    "layout": (lambda value: value == "plain", "`plain`, or left out"),
    "ref": (
        lambda value: isinstance(value, str) and value in (TAG, BRANCH, COMMIT),
        "tag, branch or commit, or left out",
    ),
    "executable": (_are_paths, "a list of paths of files in the skill, each once, or left out"),
}
_LISTS = ("asked_by", "executable")
_ALL_FIELDS = _FIELDS | _OPTIONAL


def line_of(text: str, name: str) -> int:
    """The 1-based line of a lock's text at which the skill `name` stands."""
    return _line(text, name)


def _line(text: str, name: str, field: str = "") -> int:
    """The line at which a key stands: of the lock, or of a skill (and one of its own), as near as words can tell."""
    at = max(text.find('"skills"'), 0)
    for pattern in (rf'"{re.escape(name)}"\s*:\s*\{{', rf'"{re.escape(field or name)}"\s*:'):
        if match := re.compile(pattern).search(text, at):
            at = match.start()
    return text.count("\n", 0, at) + 1


def _bad(line: int, what: str) -> BadLockError:
    return BadLockError(line, what)
