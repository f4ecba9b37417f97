"""Publishing: what goes into an archive, what is refused, and that a published version never changes."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.supply.registry.publishing import publish
from skillbag.supply.registry.store import RegistryStore
from tests.processes import eventually
from tests.rows import each_row
from tests.runtime.broker.test_runtime_store_processes import forked, killed_at
from tests.supply.registry.servers import CODE, make_skill, published, serving
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

STORE = ".registry/say-it/1.0.0"


def archive(root: Path, name: str = "say-it") -> Path:
    return root / ".registry" / name / "1.0.0/skill.tar.gz"


def test_the_same_skill_is_the_same_archive(run: Run, tmp_path: Path) -> None:
    skill = make_skill(tmp_path / "a/say-it")
    (skill / "run.sh").write_text("#!/bin/sh\n")
    (skill / "run.sh").chmod(0o700)
    again = make_skill(tmp_path / "b/say-it")
    (again / "run.sh").write_text("#!/bin/sh\n")
    (again / "run.sh").chmod(0o777)
    os.utime(again / "run.sh", (1, 1))
    for made, reg in ((skill, "one"), (again, "two")):
        done = run("registry", "publish", made, "--to", tmp_path / reg)
        assert (done.code, done.out, done.err) == (0, "Published say-it 1.0.0.\n", "")
    assert archive(tmp_path / "one").read_bytes() == archive(tmp_path / "two").read_bytes()
    with tarfile.open(archive(tmp_path / "one")) as members:
        found = [(each.name, each.mode, each.mtime, each.uid, each.uname) for each in members]
    assert found == [("SKILL.yaml", 0o644, 0, 0, ""), ("run.sh", 0o755, 0, 0, ""), ("skill.star", 0o644, 0, 0, "")]


@pytest.mark.parametrize("place", ["notes.txt", "notes.txt/reg"])
def test_a_registry_is_a_folder(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "notes.txt").write_text("x")
    done = run("registry", "publish", make_skill(tmp_path / "say-it"), "--to", tmp_path / place)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {tmp_path / place} is no folder: a file is in its place\n"


def test_a_version_never_changes(run: Run, tmp_path: Path) -> None:
    skill, reg = make_skill(tmp_path / "say-it"), tmp_path / "reg"
    run("registry", "publish", skill, "--to", reg)
    before = archive(reg).read_bytes()
    same = run("registry", "publish", skill, "--to", reg)
    assert (same.code, same.out) == (0, "say-it 1.0.0 is published already, with the same content.\n")
    values = json.loads(run("registry", "publish", skill, "--to", reg, "--json").out)
    assert values["published"] == {"name": "say-it", "version": "1.0.0", "is_new": False}
    make_skill(skill, code=CODE + "\n")
    other = run("registry", "publish", skill, "--to", reg)
    assert (other.code, other.out) == (2, "")
    assert "a published version never changes: raise the version in SKILL.yaml" in other.err
    assert archive(reg).read_bytes() == before
    assert publish(str(make_skill(skill, "1.0.1")), RegistryStore(str(reg))).is_new


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    skill = make_skill(tmp_path / "repo/say-it")
    subprocess.run(["git", "init", "-q", skill.parent], check=True)
    (skill.parent / ".gitignore").write_text("*.env\n/say-it/build/\n")
    for name in ("key.env", "build/out.txt", "node_modules/x.js", ".DS_Store", "__pycache__/a.pyc", "kept/a.txt"):
        (skill / name).parent.mkdir(exist_ok=True)
        (skill / name).write_text("x")
    publish(str(skill), RegistryStore(str(tmp_path)))
    with tarfile.open(archive(tmp_path)) as members:
        assert members.getnames() == ["SKILL.yaml", "kept/a.txt", "skill.star"]
    (skill.parent / ".gitignore").write_text("SKILL.yaml\n")
    with pytest.raises(UserError, match="git ignores it"):
        publish(str(skill), RegistryStore(str(tmp_path)))


def test_what_is_refused(tmp_path: Path) -> None:
    store = RegistryStore(str(tmp_path / "reg"))
    linked = make_skill(tmp_path / "linked")
    (linked / "here").symlink_to("skill.star")
    with pytest.raises(UserError, match="'here' is a link; put a copy there"):
        publish(str(linked), store)
    named = make_skill(tmp_path / "named")
    (named / "con.txt").write_text("x")
    (named / "Readme").write_text("x")
    (named / "README").write_text("x")
    with pytest.raises(UserError, match=r"con\.txt.*Readme.*README"):
        publish(str(named), store)
    faulty = make_skill(tmp_path / "faulty", version="1.0.x")
    with pytest.raises(UserError, match=r"SKILL.yaml:2: .*invalid version.*nothing was published"):
        publish(str(faulty), store)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "SKILL.md").write_text("---\nname: plain\ndescription: Plain.\n---\n")
    with pytest.raises(UserError, match="needs a SKILL"):
        publish(str(plain), store)
    large = make_skill(tmp_path / "large")
    with (large / "data.bin").open("wb") as file:
        file.truncate((50 << 20) + 1)
    with pytest.raises(UserError, match="at most 50 MiB"):
        publish(str(large), store)
    assert not any((tmp_path / "reg/.registry").glob("[a-z]*"))
    assert not any((tmp_path / "reg/.registry").glob(".new*"))


@each_row("name", sorted(path.name for path in (PROJECT / "examples/runtime/skills").iterdir()))
def test_every_example_can_be_published(tmp_path: Path, name: str) -> None:
    assert publish(str(PROJECT / "examples/runtime/skills" / name), RegistryStore(str(tmp_path))).name == name


def test_a_kill_at_any_moment_leaves_a_whole_version_or_none(tmp_path: Path) -> None:
    skill, number, was_killed, seen = str(make_skill(tmp_path / "say-it")), 0, True, set()
    # What is imported at the first publishing is not counted.
    publish(skill, RegistryStore(str(tmp_path / "first")))
    while was_killed:
        store = RegistryStore(str(tmp_path / str(number)))

        def work(_report: int, store: RegistryStore = store, number: int = number) -> None:
            killed_at(number)
            publish(skill, store)

        was_killed, _ = forked(work)
        seen.add(versions := tuple(store.versions("say-it")))
        for version in versions:
            store.archive("say-it", version).close()
            assert b"name: say-it" in store.manifest("say-it", version)
        if number % 5 == 0 or not was_killed:
            assert publish(skill, store).is_new is (not versions)
            assert not any(Path(store.root).glob(".new*"))
        number += 1
    assert number > 12
    assert seen == {(), ("1.0.0",)}


@each_row("name", ["skill.tar.gz", "SKILL.yaml", "record.json"])
@each_row("how", ["changed", "missing", "link"])
def test_a_changed_version_is_not_served(tmp_path: Path, name: str, how: str) -> None:
    published(tmp_path / "reg", "1.0.0", "0.9.0")
    file = tmp_path / "reg" / STORE / name
    if how == "changed":
        file.write_bytes(file.read_bytes().replace(b"i", b"j", 1)[:-1])
    else:
        file.rename(tmp_path / "aside")
    if how == "link":
        file.symlink_to(tmp_path / "aside")
    with serving(tmp_path / "reg") as server:
        kinds = ["manifest"] if name == "SKILL.yaml" else ["download"]
        for kind in kinds if name != "record.json" else ["download", "manifest"]:
            refused = server.get(f"skills/say-it/1.0.0/{kind}")
            assert (refused.status, list(refused.json)) == (500, ["error"])
            assert str(tmp_path) not in refused.json["error"]
            assert server.get(f"skills/say-it/0.9.0/{kind}").status == 200
        assert eventually(lambda: str(file) in server.log.read_text())


def test_serving_publishes_the_folders_that_are_new(tmp_path: Path) -> None:
    reg = tmp_path / "reg"
    make_skill(reg / "say-it")
    make_skill(reg / "faulty", version="x")
    (reg / "no-skill").mkdir()
    with serving(reg) as server:
        assert [each["name"] for each in server.get("search").json] == ["say-it"]
        old = server.get("skills/say-it/latest/download").body
        publish(str(make_skill(tmp_path / "other")), RegistryStore(str(reg)))
        assert [each["name"] for each in server.get("search").json] == ["other", "say-it"]
    assert "published say-it 1.0.0" in server.log.read_text()
    assert "faulty has errors" in server.log.read_text()
    make_skill(reg / "say-it", code=CODE + "\n")
    with serving(reg) as server:
        assert server.get("skills/say-it/latest/download").body == old
    assert "a published version never changes" in server.log.read_text()
    make_skill(reg / "say-it", "1.1.0", code=CODE + "\n")
    with serving(reg) as server:
        assert server.get("skills/say-it/versions").json == ["1.0.0", "1.1.0"]
