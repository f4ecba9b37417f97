"""A version `sha256:…` holds an archive to its bytes, wherever it is written; any other text is written down alone."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.supply.install.outcomes import installed, lock_of, statuses
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, snapshot, source_files
from tests.supply.sources.servers import content, serve
from tests.support import Run

WRONG = "sha256:" + "0" * 64


def archive(path: Path, *names: str, body: str = "One.") -> str:
    """Write a zip of a source with these skills; its `sha256:…`."""
    with ZipFile(path, "w") as packed:
        for name, text in source_files({name: skill_text(name, body=body) for name in names}).items():
            packed.writestr(name, text)
    return digest(path)


def digest(path: Path) -> str:
    return f"sha256:{sha256(path.read_bytes()).hexdigest()}"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A zip that offers the skill `tidy`."""
    archive(tmp_path / "tidy.zip", "tidy")
    return tmp_path / "tidy.zip"


@pytest.fixture
def cache() -> Path:
    """The folder of the cache."""
    return Path(os.environ["SKILLBAG_CACHE_DIR"])


def refused(run: Run, workspace: Path, *arguments: object, actual: str) -> None:
    """The command stops with exit code 1, says what was expected and what is there, and writes nothing."""
    before = snapshot(workspace)
    code, values = call(run, workspace, *arguments)
    (problem,) = values["problems"]
    assert (code, problem["kind"]) == (1, "drift")
    assert WRONG in problem["message"]
    assert actual in problem["message"]
    assert "tampered" in problem["message"]
    assert problem["fix"]
    assert not problem["fix"].startswith("skillbag update")
    assert snapshot(workspace) == before


@pytest.mark.parametrize("command", ["add", "install"])
def test_a_wrong_hash_on_the_command_line_installs_nothing(
    run: Run, workspace: Path, packed: Path, command: str
) -> None:
    given = ["tidy", "--source", str(packed), "--version", WRONG]
    refused(run, workspace, command, *given, actual=digest(packed))
    refused(run, workspace, command, *given, "--dry-run", actual=digest(packed))


def test_a_wrong_hash_of_all_that_a_source_offers_or_lists(run: Run, workspace: Path, packed: Path) -> None:
    refused(run, workspace, "install", "--all", "--source", str(packed), "--version", WRONG, actual=digest(packed))
    refused(run, workspace, "list", "--source", str(packed), "--version", WRONG, actual=digest(packed))


@pytest.mark.parametrize("is_override", [False, True])
def test_a_wrong_hash_in_a_context_file_installs_nothing(
    run: Run, tmp_path: Path, packed: Path, is_override: bool
) -> None:
    version = "latest" if is_override else WRONG
    workspace = make_workspace(tmp_path / "work", [{"name": "tidy", "version": version, "source": str(packed)}])
    if is_override:
        with (workspace / "CONTEXT.md").open("a") as file:
            file.write(f"\n```yaml\noverrides:\n  tidy: {{version: '{WRONG}'}}\n```\n")
    refused(run, workspace, "install", actual=digest(packed))


def test_a_wrong_hash_in_a_skill_s_dependency_installs_nothing(
    run: Run, tmp_path: Path, workspace: Path, packed: Path
) -> None:
    need = {"name": "tidy", "source": str(packed), "version": WRONG}
    source = make_source(tmp_path / "source", {"user": skill_text("user", [need])})
    refused(run, workspace, "install", "user", "--source", str(source), actual=digest(packed))


@pytest.mark.parametrize("spelt", [str.lower, str.upper])
def test_the_right_hash_installs_in_either_case_of_its_digits(
    run: Run, workspace: Path, packed: Path, spelt: object
) -> None:
    pin = digest(packed)
    digits = pin.removeprefix("sha256:")
    pin = f"sha256:{digits.upper() if spelt is str.upper else digits}"
    assert call(run, workspace, "add", "tidy", "--source", packed, "--version", pin)[0] == 0
    assert lock_of(workspace)["tidy"]["resolved"] == digest(packed)
    assert call(run, workspace, "install", "--frozen")[0] == 0
    assert call(run, workspace, "install")[1]["changed"] == []


@pytest.mark.parametrize(
    "version",
    ["v1", "latest", "a1b2c3", "1.2.3+sha.5114f85", "1.2.3+sha5114f85.dirty", "v1-blake-fix", "v1-sha1", "3f" * 20],
)
def test_any_other_version_of_an_archive_is_recorded(run: Run, workspace: Path, packed: Path, version: str) -> None:
    assert call(run, workspace, "add", "tidy", "--source", packed, "--version", version)[0] == 0
    assert lock_of(workspace)["tidy"]["requested"] == version


@pytest.mark.parametrize(
    "version",
    [
        *("sha256:", "sha256:12ab", WRONG + "0", "sha256:" + "g" * 64, "SHA256:12"),
        *("sha512:" + "0" * 128, "sha256-" + "A" * 43 + "=", "sha256=" + "0" * 64, "SHA-256:" + "0" * 64),
        *("sha1:" + "0" * 40, "md5:" + "0" * 32, "0" * 64, "F" * 128),
        *("v1@" + WRONG, "@" + WRONG, "sha256 " + "0" * 64, "#sha256=" + "0" * 64, "v1 sha512-AAAA", "v1, MD5: 12ab"),
        *(
            "sha_256:12ab",
            "sha256_12ab",
            "SHA256(tidy.zip)= 12ab",
            "sha3-512:12ab",
            "v1#blake2b=12ab",
            "crc32:12ab34cd",
        ),
        *("v1@" + "0" * 64, "v1/sha256/12ab", "sha256sum 12ab", " " + WRONG),
    ],
)
def test_a_hash_that_is_not_verified_is_refused(run: Run, workspace: Path, packed: Path, version: str) -> None:
    before = snapshot(workspace)
    code, values = call(run, workspace, "add", "tidy", "--source", packed, "--version", version)
    assert code == 2
    assert "64 hexadecimal digits" in values["problems"][0]["message"]
    assert snapshot(workspace) == before


def test_a_malformed_hash_in_a_context_file_is_reported_with_its_place(run: Run, tmp_path: Path, packed: Path) -> None:
    workspace = make_workspace(tmp_path / "work", [{"name": "tidy", "version": "sha256:12ab", "source": str(packed)}])
    code, values = call(run, workspace, "install")
    (problem,) = values["problems"]
    assert (code, problem["path"], problem["line"]) == (2, "CONTEXT.md", 5)


def test_a_folder_has_no_hash(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = make_source(tmp_path / "source", ["tidy"])
    code, values = call(run, workspace, "add", "tidy", "--source", source, "--version", WRONG)
    assert code == 2
    assert "folder" in values["problems"][0]["message"]
    assert not (workspace / ".skills").exists()


def test_the_hash_of_another_archive_that_was_fetched_before_is_still_wrong(
    run: Run, tmp_path: Path, packed: Path
) -> None:
    other = archive(tmp_path / "other.zip", "tidy", body="Something else.")
    first, second = make_workspace(tmp_path / "first"), make_workspace(tmp_path / "second")
    assert call(run, first, "add", "tidy", "--source", tmp_path / "other.zip")[0] == 0
    code, values = call(run, second, "add", "tidy", "--source", packed, "--version", other)
    assert (code, values["problems"][0]["kind"]) == (1, "drift")


def test_over_http_the_hash_is_enforced_and_served_from_the_cache_afterwards(
    run: Run, tmp_path: Path, packed: Path
) -> None:
    with serve({"/tidy.zip": content(packed.read_bytes())}) as server:
        address = f"{server.url}/tidy.zip"
        workspace = make_workspace(tmp_path / "work")
        refused(run, workspace, "add", "tidy", "--source", address, "--version", WRONG, actual=digest(packed))
        assert call(run, workspace, "add", "tidy", "--source", address, "--version", digest(packed))[0] == 0
        count = len(server.requests)
        other = make_workspace(tmp_path / "other")
        pinned = ["add", "tidy", "--source", address, "--version", digest(packed)]
        assert call(run, other, *pinned, "--offline")[0] == 0
        assert len(server.requests) == count
        server.table["/tidy.zip"] = content(b"PK" + packed.read_bytes())
        code, values = call(run, other, "update", "--yes")
        assert (code, statuses(values)) == (0, {"tidy": "current"})


def test_an_archive_that_differs_from_the_lock_explains_what_that_may_mean(
    run: Run, tmp_path: Path, packed: Path, cache: Path
) -> None:
    workspace = make_workspace(tmp_path / "work", [{"name": "tidy", "version": "v1", "source": str(packed)}])
    assert call(run, workspace, "install")[0] == 0
    before = digest(packed)
    after = archive(packed, "tidy", body="Two.")
    for path in (workspace / ".skills/tidy", cache / "archives", cache / "trees"):
        shutil.rmtree(path)
    code, values = call(run, workspace, "install", "--frozen")
    (problem,) = values["problems"]
    assert (code, problem["kind"]) == (3, "question")
    assert before in problem["message"]
    assert after in problem["message"]
    assert "tampered" in problem["message"]
    assert installed(workspace) == []


def test_a_lock_whose_archive_is_not_the_declared_one_is_reported(run: Run, tmp_path: Path, packed: Path) -> None:
    workspace = make_workspace(tmp_path / "work", [{"name": "tidy", "version": "v1", "source": str(packed)}])
    assert call(run, workspace, "install")[0] == 0
    for name in ("CONTEXT.md", "skillbag.lock"):
        path = workspace / name
        path.write_text(path.read_text().replace("v1", WRONG))
    for command in (["verify"], ["install", "--frozen"]):
        code, values = call(run, workspace, *command)
        assert code == 1, command
        assert WRONG in values["problems"][0]["message"]
    code, values = call(run, workspace, "install")
    assert code == 1, "the lock is not what is declared"


def test_an_audit_holds_archives_to_their_hashes(run: Run, tmp_path: Path, packed: Path) -> None:
    with serve({"/tidy.zip": content(packed.read_bytes())}) as server:
        address = f"{server.url}/tidy.zip"
        lines = [f"{place} @ {pin}" for place in (packed, address) for pin in (WRONG, digest(packed))]
        (tmp_path / "sources.txt").write_text("\n".join([*lines, f"{packed} @ sha256:12", ""]))
        outcome = run("team", "audit", "--manifest", "sources.txt", "--out", "out", "--jobs", "1", cwd=tmp_path)
    assert outcome.code == 1
    records = [json.loads(line) for line in (tmp_path / "out/records.jsonl").read_text().splitlines()]
    found = {(row["source"], row["version"]): row for row in records if "source" in row}
    assert len(found) == 5
    for (source, version), row in found.items():
        is_right = version == digest(packed)
        assert (row["status"] == "ok") == is_right, (source, version, row)
        if version == WRONG:
            assert digest(packed) in json.dumps(row), row
