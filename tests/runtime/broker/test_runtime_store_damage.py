"""Damaged databases of the runtime: set aside, reported, and no source of approvals."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.audit import Audit
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.store import RuntimeStore
from tests.rows import each_row
from tests.runtime.databases import approved, change, database
from tests.runtime.grantees import READ, SHELL, approvals, grantee, store


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def overwritten_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xff" * 4096
    path.write_bytes(data)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def other_tables(path: Path) -> None:
    change(path, "DROP TABLE audit")


def hostile_trigger(path: Path) -> None:
    change(
        path,
        "CREATE TRIGGER t AFTER DELETE ON permission_approvals BEGIN INSERT INTO permission_approvals VALUES "
        "(old.skill, old.origin, old.permission, 'always', '', old.tree_hash, ''); END",
    )


def foreign(path: Path) -> None:
    path.unlink()
    change(path, "CREATE TABLE other(x)")


def replaced(old: bytes, new: bytes) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new, 1))

    replace.__name__ = repr(new)
    return replace


@each_row(
    "damage",
    [
        *(garbage, overwritten_page, cut_off, other_tables, hostile_trigger, foreign),
        # SQLite's message about it is not UTF-8 then.
        replaced(b"origin, permission, session))", b"origi\xab, permission, session))"),
        replaced(b"sqlite_autoindex", b"sqlite_aut\x89index"),
    ],
    ids=lambda each: each.__name__,
)
def test_a_damaged_database_is_set_aside_and_reported(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = database(tmp_path)
    damage(path)
    content = path.read_bytes()
    remarks: list[str] = []
    assert not approved(tmp_path, remarks)
    (kept,) = tmp_path.glob("runtime.db.damaged-*[0-9a-f]")
    assert kept.read_bytes() == content
    assert len(remarks) == 1
    assert "damaged" in remarks[0]
    assert str(kept) in remarks[0]
    # The next one is sound.
    approvals(tmp_path).grant(grantee(), ApprovalScope.ALWAYS)
    assert approved(tmp_path, remarks)
    assert len(remarks) == 1


@each_row(
    ("statement", "read"),
    [
        ("UPDATE audit SET at = NULL", lambda opened: Audit(opened).entries()),
        ("UPDATE audit SET detail = x'00'", lambda opened: Audit(opened).entries()),
        ("UPDATE audit SET ms = 'x'", lambda opened: Audit(opened).entries()),
        ("UPDATE permission_approvals SET permission = NULL", lambda opened: Approvals(opened).list()),
        ("UPDATE permission_approvals SET tree_hash = x'ff'", lambda opened: Approvals(opened).list()),
    ],
)
def test_a_row_with_values_of_other_types_is_damage(
    tmp_path: Path, statement: str, read: Callable[[RuntimeStore], object]
) -> None:
    change(database(tmp_path), statement)
    remarks: list[str] = []
    with closing(store(tmp_path, remarks.append)) as opened:
        assert read(opened) == ()
    assert ["of another type" in remark for remark in remarks] == [True]


def test_an_unknown_permission_in_a_row_is_none_of_the_skill(tmp_path: Path) -> None:
    change(
        database(tmp_path), "UPDATE permission_approvals SET permission = permission || 'x', tree_hash = 'sha256:other'"
    )
    with closing(store(tmp_path)) as opened:
        lapse = Approvals(opened).lapse(grantee(), None, Admission(frozenset()))
    assert lapse is not None
    assert not lapse.moved


def test_it_may_be_damaged_while_it_is_open(tmp_path: Path) -> None:
    remarks: list[str] = []
    opened = store(tmp_path, remarks.append)
    path = database(tmp_path)
    assert not Approvals(opened).missing(grantee())
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    overwritten_page(path)
    # Another process sees it first, and sets it aside.
    assert not approved(tmp_path, remarks)
    assert len(remarks) == 1
    assert len([*tmp_path.glob("runtime.db.damaged-*-wal")]) == 1
    assert Approvals(opened).missing(grantee())
    assert len(remarks) == 1


@settings(max_examples=40)
@given(place=st.integers(0, 1 << 20), bits=st.integers(1, 255))
def test_a_flipped_byte_approves_nothing(place: int, bits: int) -> None:
    """The database is damaged and set aside, or the approvals that were given are read, or fewer."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = database(folder)
        data = bytearray(path.read_bytes())
        data[place % len(data)] ^= bits
        path.write_bytes(data)
        remarks: list[str] = []
        try:
            with closing(store(folder, remarks.append)) as opened:
                known = Approvals(opened)
                found = {permission: known.missing(grantee(declared=[permission])) for permission in Permission}
                other = known.missing(grantee("other"))
                known.grant(grantee("other"), ApprovalScope.ALWAYS)
        except StoreError as error:
            assert "newer" in str(error)  # noqa: PT017 - the version was hit
            return
        assert other
        assert {permission for permission, missing in found.items() if not missing} <= {SHELL, READ}


def test_what_is_left_beside_a_database_is_no_part_of_the_next_one(tmp_path: Path) -> None:
    """A process that is killed while it sets a database aside leaves its write-ahead log, which holds approvals."""
    opened = store(tmp_path)
    Approvals(opened).grant(grantee(), ApprovalScope.ALWAYS)
    log = tmp_path / "runtime.db-wal"
    content = log.read_bytes()
    opened.close()
    log.write_bytes(content)
    log.chmod(0o600)
    (tmp_path / "runtime.db").unlink()
    assert not approved(tmp_path, [])
