"""`skillbag.lock`: what is written is read again, equal locks are equal bytes, and nothing odd is taken from one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from skillbag.kernel.workspace.lock_file import LOCK, BadLockError, Lock, Locked, parse_lock, read_lock, render_lock
from skillbag.kernel.workspace.source_kind import LOCK_KINDS, SourceKind
from tests.rows import each_row
from tests.support import PROJECT

SCHEMA = json.loads((PROJECT / "schemas" / "lock.schema.json").read_text("utf-8"))

NAMES = st.sampled_from(["a", "a-b", "a0", "source", "skills", "version", "0", "x" * 64])
# With line ends that are such only elsewhere, quotes and letters beyond ASCII; controls and surrogates are refused.
TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from('\u2028\ufeff\\"/é'), min_size=1)
HASHES = st.binary(min_size=32, max_size=32).map(lambda data: f"sha256:{data.hex()}")
ASCII = st.characters(max_codepoint=127)
ASKERS = st.lists(NAMES | st.sampled_from(["CONTEXT.md", "command line"]), unique=True)


@st.composite
def locked_skills(draw: st.DrawFn) -> Locked:
    kind = draw(st.sampled_from([*LOCK_KINDS]))
    resolved = draw(st.from_regex(LOCK_KINDS[kind], fullmatch=True, alphabet=ASCII) if LOCK_KINDS[kind] else st.none())
    asked_by = tuple(sorted(draw(ASKERS)))
    accepted = draw(st.sampled_from([None, ("collector-host",), ("a", "b-c")]))
    folder = draw(st.sampled_from([None, "skills/a", ".claude/skills/größe", "a b"]))
    values = draw(TEXTS), kind, draw(st.none() | TEXTS), resolved, draw(HASHES), asked_by
    return Locked(*values, accepted=accepted, folder=folder)


LOCKS = st.dictionaries(NAMES, locked_skills(), max_size=4).map(Lock)

SKILL: dict[str, Any] = {
    "source": "https://example.com/org/repo.git",
    "kind": "git",
    "requested": "v1",
    "resolved": "0123456789" * 4,
    "tree": "sha256:" + "0f" * 32,
    "asked_by": ["CONTEXT.md", "other"],
}


def with_skill(**changes: Any) -> str:
    return json.dumps({"version": 1, "skills": {"weather": {**SKILL, **changes}}}, indent=2)


def refused(text: str) -> str:
    with pytest.raises(BadLockError) as error:
        parse_lock(text)
    return str(error.value)


def fits_schema(data: Any) -> bool:
    return Draft202012Validator(SCHEMA).is_valid(data)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@given(LOCKS)
def test_what_is_written_is_read_again(lock: Lock) -> None:
    data = render_lock(lock)
    assert parse_lock(data.decode()) == lock
    assert fits_schema(json.loads(data))


@given(LOCKS, st.randoms())
def test_equal_locks_are_equal_bytes(lock: Lock, random: Any) -> None:
    names = list(lock.skills)
    random.shuffle(names)
    shuffled = Lock({name: lock.skills[name] for name in names})
    assert render_lock(shuffled) == render_lock(lock)
    assert render_lock(parse_lock(render_lock(lock).decode())) == render_lock(lock)


def test_the_bytes_are_these() -> None:
    locked = Locked("../größe", "folder", None, None, "sha256:" + "0f" * 32, ("a", "CONTEXT.md"))
    expected = f"""{{
  "version": 1,
  "skills": {{
    "b": {{
      "source": "../größe",
      "kind": "folder",
      "requested": null,
      "resolved": null,
      "tree": "sha256:{"0f" * 32}",
      "asked_by": [
        "CONTEXT.md",
        "a"
      ]
    }}
  }}
}}
"""
    assert render_lock(Lock({"b": locked})) == expected.encode()


def test_each_kind_of_source_is_in_both_schemas_and_in_the_message_of_the_lock() -> None:
    audit = json.loads((PROJECT / "schemas" / "audit.schema.json").read_text("utf-8"))
    assert {*SourceKind} - {SourceKind.REGISTRY} == {*audit["properties"]["kind"]["enum"]} - {None}
    kinds = {kind.lock_kind for kind in SourceKind}
    assert kinds == {*LOCK_KINDS} == {*SCHEMA["$defs"]["skill"]["properties"]["kind"]["enum"]}
    message = refused(with_skill(kind="rar"))
    assert [kind for kind in kinds if kind not in message] == []


def test_the_lock_of_a_workspace_is_read_and_none_is_none(tmp_path: Path) -> None:
    assert read_lock(str(tmp_path)) is None
    # An editor on Windows leaves a byte order mark and other line ends.
    (tmp_path / LOCK).write_bytes(b"\xef\xbb\xbf" + with_skill().replace("\n", "\r\n").encode())
    lock = read_lock(str(tmp_path))
    assert lock is not None
    assert lock.skills["weather"].asked_by == ("CONTEXT.md", "other")


ODD: list[Any] = [None, True, 0, 1, 1.5, [], ["x"], ["x", "x"], ["CONTEXT.md"], ["A"], {}]
WORDS = [
    "",
    "x",
    "a b",
    "sha256:",
    "CONTEXT.md",
    "a\x7f",
    "zip",
    "folder",
    "git",
    "Git",
    "0" * 64,
    "sha256:" + "0" * 64,
]
VALUES = st.sampled_from([*ODD, *WORDS, *SKILL.values()])


@given(st.dictionaries(st.sampled_from([*SKILL, "extra"]), VALUES, max_size=3), st.sampled_from([*SKILL, ""]))
@example({"kind": "zip"}, "")
@example({"kind": "folder"}, "")
@example({"kind": "folder", "resolved": None}, "")
@example({"asked_by": ["a", "a"]}, "")
@example({"folder": "skills/a"}, "")
@example({"folder": "../a"}, "")
@example({"folder": "/a"}, "")
@example({"folder": "a/./b"}, "")
@example({"folder": "a\x7f"}, "")
@example({"folder": None}, "")
@example({"folder": ["a"]}, "")
def test_the_reader_and_the_schema_agree_on_a_skill(changes: dict[str, Any], dropped: str) -> None:
    skill = {key: value for key, value in {**SKILL, **changes}.items() if key != dropped}
    data = {"version": 1, "skills": {"weather": skill}}
    assert fits_schema(data) == (_accepts(data) is not None)


@given(st.dictionaries(st.sampled_from(["version", "skills", "extra"]), VALUES))
@example({"version": 1, "skills": {}})
@example({"version": 2, "skills": {}})
@example({"version": True, "skills": {}})
@example({"version": 1, "skills": {"Weather": SKILL}})
@example({"version": 1, "skills": {"a" * 65: SKILL}})
@example({"version": 1, "skills": {"a" * 64: SKILL}})
@example({"version": 1, "skills": {"../a": SKILL}})
def test_the_reader_and_the_schema_agree_on_the_whole(data: dict[str, Any]) -> None:
    assert fits_schema(data) == (_accepts(data) is not None)


def _accepts(data: Any) -> Lock | None:
    try:
        return parse_lock(json.dumps(data))
    except BadLockError:
        return None


@given(
    st.text() | st.binary().map(lambda data: data.decode("latin-1")) | st.recursive(VALUES, st.lists).map(json.dumps)
)
def test_no_text_is_more_than_a_bad_lock(text: str) -> None:
    assert refused(text).startswith("skillbag.lock:")


CASES = {
    "another version": ('{\n"version": 2, "new": 1}', "skillbag.lock:2: its version is 2"),
    "no object": ("[]", "skillbag.lock:1: it is no lock"),
    "broken": ('{\n  "version": 1,,\n}', "skillbag.lock:2: it is not JSON"),
    "deep": ("[" * 100_000, "skillbag.lock:1: it is not JSON"),
    "a long number": ('{"version": ' + "1" * 5000 + "}", "skillbag.lock:1: it is not JSON"),
    "merge": ('{\n<<<<<<< HEAD\n  "version": 1\n', "skillbag.lock:2: it is not JSON (Expecting property name"),
    "twice": ('{"version": 1, "skills": {\n"a": {},\n"a": {}}}', "skillbag.lock:2: the key `a` is given twice"),
    "no name": (
        with_skill().replace('"weather"', '"../weather"'),
        "skillbag.lock:4: `../weather` is not a skill's name",
    ),
    "a key too many": (with_skill(path="/etc"), "skillbag.lock:4: the skill `weather` must have `source`, `kind`"),
    "a control": (with_skill(source="a\nb"), "skillbag.lock:5: the `source` of `weather` must be text without control"),
    "half a character": (with_skill(source="\udc80"), "skillbag.lock:5: the `source` of `weather` must be text"),
    "an option": (
        with_skill(resolved="--upload-pack=x"),
        "skillbag.lock:8: the `resolved` of `weather` is not what a git",
    ),
    "a hash": (with_skill(tree="sha256:0"), "skillbag.lock:9: the `tree` of `weather` must be `sha256:` and 64"),
    "an asker": (with_skill(asked_by=["Some One"]), "skillbag.lock:10: the `asked_by` of `weather` must be a list of"),
}


@each_row("case", CASES)
def test_what_is_wrong_is_said_with_its_line(case: str) -> None:
    text, words = CASES[case]
    assert refused(text).startswith(words)


def test_what_to_do_is_said() -> None:
    assert refused("[]").endswith(
        "take back its last good version, or delete skillbag.lock: skills that it does not know are left as they are"
    )
    assert "git left both sides of a merge in it" in refused(CASES["merge"][0])
    assert "use the program that wrote it, or a newer one" in refused(CASES["another version"][0])


def test_a_lock_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(BadLockError, match=r"skillbag.lock:1: a folder stands in its place"):
        read_lock(str(tmp_path))
    (tmp_path / LOCK).rmdir()
    (tmp_path / LOCK).symlink_to("/etc/passwd")
    with pytest.raises(BadLockError, match="leaves the tree"):
        read_lock(str(tmp_path))
    (tmp_path / LOCK).unlink()
    (tmp_path / LOCK).write_bytes(b'{\n"version": "\xff"}')
    with pytest.raises(BadLockError, match=r"skillbag.lock:2: "):
        read_lock(str(tmp_path))


def test_what_could_not_be_read_again_is_not_written() -> None:
    locked = Locked("x" * 4000, "folder", None, None, "sha256:" + "0f" * 32, ())
    with pytest.raises(BadLockError, match="300 skills are too many"):
        render_lock(Lock({f"a{number}": locked for number in range(300)}))
