"""The runtime's database: its tables, several processes, and what happens if it can't be used."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.audit import Audit, Decision
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.store import RuntimeStore
from tests.rows import each_row
from tests.runtime.databases import approved, change, database
from tests.runtime.grantees import approvals, grantee, store
from tests.unprivileged import dropped

SPECIFIED = """
permission_approvals(skill TEXT, origin TEXT, permission TEXT, scope TEXT CHECK(scope IN('once','session','always','deny')), session TEXT NOT NULL DEFAULT '',
  tree_hash TEXT NOT NULL, approved_at TEXT NOT NULL, PRIMARY KEY(skill, origin, permission, session))
audit(id INTEGER PRIMARY KEY, at TEXT, session TEXT, skill TEXT, permission TEXT, decision TEXT, detail TEXT, ms INTEGER)
"""  # noqa: E501 - as the specification has it, without its cache of registries


def test_the_tables_are_those_of_the_specification(tmp_path: Path) -> None:
    path = database(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        found = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        assert " ".join("".join(found).split()).split("CREATE TABLE ")[1:] == [
            " ".join(part.split()) for part in SPECIFIED.strip().replace("\naudit", "\n\naudit").split("\n\n")
        ]
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    opened = store(folder)
    before = os.umask(0)
    try:
        Approvals(opened).grant(grantee(), ApprovalScope.ALWAYS)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert {"runtime.db", "runtime.db-wal", "runtime.db-shm"} <= names.keys()
    assert set(names.values()) == {0o600}


def test_a_replaced_file_is_noticed(tmp_path: Path) -> None:
    opened = store(tmp_path)
    Approvals(opened).grant(grantee(), ApprovalScope.ALWAYS)
    before = opened.stamp()
    for path in tmp_path.glob("runtime.db*"):
        path.unlink()
    assert opened.stamp() != before
    assert Approvals(opened).missing(grantee())


def test_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = database(tmp_path)
    change(path, "PRAGMA user_version=2")
    content = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"runtime\.db: a newer skillbag has written it \(version 2, this one knows 1\)"
    ):
        approved(tmp_path, [])
    assert path.read_bytes() == content


def test_a_locked_database_is_an_error_after_a_while(tmp_path: Path) -> None:
    path = database(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"runtime\.db: another process has kept it locked for 0\.1 s; run"):
            Approvals(store(tmp_path, wait=0.1)).grant(grantee("other"), ApprovalScope.ALWAYS)
    assert [each.skill for each in approvals(tmp_path).list()] == ["kubernetes"] * 2


READS = """
import sys
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.store import RuntimeStore
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.decisions import ApprovalScope
from tests.runtime.grantees import grantee
known = Approvals(RuntimeStore(sys.argv[1], print))
for act in (lambda: known.grant(grantee(), ApprovalScope.ALWAYS), lambda: known.admit(grantee())):
    try:
        act()
    except StoreError as error:
        print(error)
"""


def test_a_read_only_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    path = database(folder)
    command = [*dropped(tmp_path), sys.executable, "-c", READS, str(folder)]
    path.chmod(0o400)
    folder.chmod(0o500)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        folder.chmod(0o700)
        path.chmod(0o600)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert str(path) in line
        assert "set SKILLBAG_STATE_DIR to a folder that can be written" in line
    assert approved(folder, [])


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("INSERT INTO audit(detail) VALUES (zeroblob(100000))")

    with closing(store(tmp_path)) as opened, pytest.raises(StoreError, match=r"full.*; make room on its disk, or set"):
        opened.run(fill)


@each_row("name", ["runtime.db", "runtime.db-wal", "runtime.db-shm"])
def test_a_link_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "state"
    database(folder)
    target = tmp_path / "target"
    target.write_bytes((folder / "runtime.db").read_bytes())
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    content = target.read_bytes()
    with pytest.raises(StoreError, match=rf"{name} is a link or no regular file, so its approvals can't be trusted"):
        approved(folder, [])
    assert target.read_bytes() == content


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_or_folder_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path)
    os.chown(path, 12345, -1)
    with pytest.raises(StoreError, match=r"runtime\.db belongs to another user, so its approvals can't be trusted"):
        approved(tmp_path, [])
    os.chown(path, 0, -1)
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(StoreError, match="belongs to another user, who could put approvals there"):
        approved(tmp_path, [])


def test_a_file_that_others_can_write_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path)
    path.chmod(0o666)
    with pytest.raises(StoreError, match="can be written by others"):
        approved(tmp_path, [])
    path.chmod(0o644)
    assert approved(tmp_path, [])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_other_users_may_not_put_files_into_its_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    database(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreError, match="set SKILLBAG_STATE_DIR"):
        approved(tmp_path / "state", [])


def test_nothing_is_opened_for_a_skill_without_permissions(tmp_path: Path) -> None:
    known = approvals(tmp_path / "state")
    plain = grantee(declared=())
    assert known.missing(plain) == ()
    assert known.admit(plain).granted == frozenset()
    assert not (tmp_path / "state").exists()


def test_changes_of_every_connection_show_in_the_stamp(tmp_path: Path) -> None:
    one, other = store(tmp_path), store(tmp_path)
    before = one.stamp()
    assert one.stamp() == before
    Audit(one).write("kubernetes", "file:read", Decision.ALLOWED)
    assert one.stamp() == before
    Approvals(one).grant(grantee(), ApprovalScope.ALWAYS)
    after = one.stamp()
    assert after != before
    Approvals(other).revoke("kubernetes")
    assert one.stamp() != after


def test_a_failed_change_leaves_nothing(tmp_path: Path) -> None:
    opened: RuntimeStore = store(tmp_path)

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO audit(skill) VALUES('x')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        opened.change(work)
    assert Audit(opened).entries() == ()


LOOKS = """
import sys
from skillbag.runtime.broker.audit import Audit
from skillbag.runtime.broker.store import RuntimeStore
from skillbag.runtime.broker.approvals import Approvals
store = RuntimeStore(sys.argv[1], print)
print(len(Approvals(store).list()), len(Audit(store).entries()))
"""


def test_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    path = database(folder)
    command = [*dropped(tmp_path), sys.executable, "-c", LOOKS, str(folder)]
    path.chmod(0o400)
    folder.chmod(0o500)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        folder.chmod(0o700)
        path.chmod(0o600)
    assert done.stdout == "2 2\n"
