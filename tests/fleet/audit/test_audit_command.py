"""`skillbag team audit`: sources of every kind, one record each, and a summary."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from tests.fleet.audit.audits import Audit, by_source, plain, records, source, summary, zipped
from tests.report.test_report_sarif import schema_of_sarif
from tests.rows import each_row
from tests.supply.install.worlds import make_workspace, unchanged, write
from tests.supply.sources.repositories import git, make_repository
from tests.supply.sources.servers import content, serve
from tests.support import Run, skill

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("in_process")]

BROKEN = "---\nname: other\ndescription: Tidy.\n---\n\n# other\n\nSee [rules](rules.md).\n"
BROKEN_LINK = skill("here") + "\n[it](gone.md)\n"


def test_each_kind_of_source_gives_one_record(run: Run, tmp_path: Path) -> None:
    tidy = make_repository(tmp_path / "tidy.git", source("tidy", "sort"))
    folder = write(tmp_path / "folder", plain("fold"))
    archive = write(tmp_path, {"a.zip": zipped(source("pack"))}) / "a.zip"
    empty = make_repository(tmp_path / "empty.git", {"README.md": "Nothing.\n"})
    out = tmp_path / "out"
    with serve({"/b.zip": content(zipped(plain("web")))}) as server:
        web = f"{server.url}/b.zip"
        outcome = run("team", "audit", tidy.url, folder, archive, web, empty.url, tmp_path / "none", "--out", out)
    found = by_source(out)
    assert outcome.code == 1
    kinds = {name: (found[str(name)]["kind"], found[str(name)]["status"]) for name in found}
    assert kinds == {
        tidy.url: ("git", "ok"),
        str(folder): ("folder", "ok"),
        str(archive): ("zip", "ok"),
        web: ("http-zip", "ok"),
        empty.url: ("git", "nothing"),
        str(tmp_path / "none"): ("folder", "failed"),
    }
    assert found[tidy.url]["resolved"] == tidy.tip("refs/heads/main")
    assert [row["path"] for row in found[tidy.url]["skills"]] == [".skills/sort", ".skills/tidy"]
    assert found[str(tmp_path / "none")]["error"] == "there is no such folder"
    numbers = summary(out)["sources"]
    assert (numbers["all"], numbers["ok"], numbers["nothing"], numbers["failed"]) == (6, 4, 1, 1)
    assert "6 sources: 4 checked, 1 with nothing to check, 1 failed." in outcome.out
    page = (out / "summary.md").read_text("utf-8")
    assert f"| {tmp_path / 'none'} | there is no such folder |\n" in page
    assert "Workspaces and sources that conform to the checked clauses of SkillBag v0.3.0: 0 of 2." in page
    assert (out / "summary.html").exists()


@pytest.mark.parametrize("way", ["git", "zip"])
def test_a_repository_has_the_findings_of_its_checkout(run: Run, tmp_path: Path, way: str) -> None:
    files: dict[str, str | bytes] = {
        **{f"bag/{name}": text for name, text in source("tidy").items()},
        "shop/SKILLBAG.md": "SkillBag v0.3.0\n\nRead `.skills/SKILLS.md` first.\n",
        "shop/USER_CONTEXT.md": "# Mine\n",
        "shop/.skills/SKILLS.md": "gone: Not here.\n",
        "shop/.skills/own/SKILL.md": skill("own"),
        "docs/guide.md": "# Guide\n\n## Use\n",
        "docs/tools/run.sh": "#!/bin/sh\n",
        "skills/there/SKILL.md": skill("there")
        + "\n[a](../../docs/guide.md#use) [b](../../docs/gone.md) `docs/x.sh`\n",
        "skills/here/SKILL.md": BROKEN,
        "skills/here/scripts/run.py": "print(1\n",
        ".claude/skills/agent/SKILL.md": skill("agent"),
    }
    bare = make_repository(tmp_path / "all.git", files)
    checkout = tmp_path / "all"
    git(tmp_path, "clone", "--quiet", bare.url, str(checkout))
    packed = (
        write(tmp_path, {"all.zip": zipped({f"all-main/{name}": text for name, text in files.items()})}) / "all.zip"
    )
    fetched = bare.url if way == "git" else packed
    run("team", "audit", fetched, checkout, "--out", tmp_path / "out")
    one, other = (by_source(tmp_path / "out")[str(name)] for name in (fetched, checkout))
    assert len(one["findings"]) > 5
    for part in ("targets", "counts", "findings", "skills", "dependencies"):
        assert one[part] == other[part]


def test_a_repository_that_is_one_skill_goes_by_its_own_name(audit: Audit, tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "tidy.git", {"SKILL.md": skill("tidy"), "scripts/run.py": "print(1)\n"})
    (record,) = audit(bare.url)
    assert record["counts"]["error"] == 0
    assert [row["name"] for row in record["skills"]] == ["tidy"]


def test_the_configuration_of_an_audited_repository_is_ignored(audit: Audit, tmp_path: Path) -> None:
    folder = write(tmp_path / "sly", {**plain(), "skills/here/SKILL.md": BROKEN})
    write(folder, {"skillbag.toml": 'select = ["description-present"]\nexclude = ["skills"]\n'})
    (record,) = audit(folder)
    assert {"name-folder-mismatch", "link-broken"} <= record["counts"]["rules"].keys()


def test_the_audits_own_configuration_holds_for_all(audit: Audit, tmp_path: Path) -> None:
    sources = [write(tmp_path / name, {**plain(), "skills/here/SKILL.md": BROKEN}) for name in ("a", "b")]
    config = write(tmp_path / "ours", {"c.toml": '[paths."skills/here/**"]\nignore = ["link-broken"]\n'}) / "c.toml"
    for record in audit(*sources, "--config", config):
        assert "link-broken" not in record["counts"]["rules"]
        assert record["counts"]["excused"] == 1


def test_suppressions_are_counted_or_ignored(run: Run, tmp_path: Path) -> None:
    text = BROKEN.replace("See", '<!-- skillbag: ignore[link-broken] reason="later" -->\nSee')
    folder = write(tmp_path / "a", {"skills/other/SKILL.md": text})
    counted = run("team", "audit", folder, "--out", tmp_path / "one")
    run("team", "audit", folder, "--out", tmp_path / "two", "--config=suppressions=false")
    one, two = (records(tmp_path / name)[0]["counts"] for name in ("one", "two"))
    assert (one["suppressed"], one["rules"].get("link-broken", 0)) == (1, 0)
    assert (two["suppressed"], two["rules"].get("link-broken", 0)) == (0, 1)
    assert "Comments in the files set aside 1 more finding." in counted.out


def test_a_folder_is_only_read(audit: Audit, tmp_path: Path) -> None:
    folder = write(make_workspace(tmp_path / "bag"), {".skills/tidy/SKILL.md": skill("tidy")})
    write(folder, {".skills/.skillbag/journal.json": "{}", ".skillbag/journal.json": "{}"})
    with unchanged(folder):
        audit(folder)


def test_nothing_of_an_audited_repository_is_executed(audit: Audit, tmp_path: Path) -> None:
    folder = write(tmp_path / "trap", plain("tidy"))
    git(folder, "init", "--quiet")
    touched = tmp_path / "touched"
    trap = write(tmp_path, {"trap.sh": f"#!/bin/sh\ntouch {touched}\n"}) / "trap.sh"
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.sshCommand", "uploadpack.packObjectsHook", "core.pager"):
        git(folder, "config", name, str(trap))
    git(folder, "config", "core.hooksPath", str(tmp_path))
    git(folder, "add", ".")
    git(folder, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "x")
    touched.unlink(missing_ok=True)
    assert len(audit(folder, folder.as_uri())) == 2
    assert not touched.exists()


def test_what_is_fetched_is_deleted_again_unless_it_is_kept(run: Run, tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "tidy.git", source("tidy"))
    cache = Path(os.environ["SKILLBAG_CACHE_DIR"])
    run("team", "audit", bare.url, "--out", tmp_path / "out")
    assert not cache.exists()
    kept = {"records.jsonl", "summary.json", "summary.md", "summary.html"}
    # Older versions of the library leave the lock behind, newer ones take it away.
    assert {path.name for path in (tmp_path / "out").iterdir()} - {".records.jsonl.lock"} == kept
    run("team", "audit", bare.url, "--out", tmp_path / "again", "--keep")
    assert len(list((cache / "git").iterdir())) == 1
    assert list((cache / "trees").iterdir()) == []
    bare.path.rename(tmp_path / "gone")
    outcome = run("team", "audit", bare.url, "--out", tmp_path / "offline", "--offline")
    assert outcome.code == 0
    assert records(tmp_path / "offline")[0]["bytes"] == 0


def test_a_dependency_is_recorded_with_who_needs_it_and_whether_it_is_pinned(audit: Audit, tmp_path: Path) -> None:
    exact = "0123456789" * 4
    wants = [
        {"name": "a", "source": "https://user:hunter2@example.com/a.git", "version": "v1"},
        {"name": "b", "source": "https://example.com/b.git", "version": exact},
    ]
    folder = make_workspace(tmp_path / "bag", wants)
    write(folder, {".skills/c/SKILL.md": skill("c").replace("\n---\n\n", "\ndependencies:\n  - name: d\n---\n\n", 1)})
    (record,) = audit(folder)
    rows = {row["name"]: (row["who"], row["source"], row["pinned"]) for row in record["dependencies"]}
    assert rows == {
        "a": ("CONTEXT.md", "https://example.com/a.git", False),
        "b": ("CONTEXT.md", "https://example.com/b.git", True),
        "d": ("c", None, None),
    }
    (unpinned,) = summary(tmp_path / "out")["unpinned"]["dependencies"]["listed"]
    assert (unpinned["in"], unpinned["name"]) == (str(folder), "a")


def test_a_lock_that_can_not_be_read_locks_nothing(audit: Audit, tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "bag", [{"name": "a", "source": "https://example.com/a.git", "version": "v1"}])
    write(folder, {"skillbag.lock": "not a lock\n"})
    (record,) = audit(folder)
    assert [row["locked"] for row in record["dependencies"]] == [False]


def test_a_committed_user_context_is_found_in_a_fetched_repository(audit: Audit, tmp_path: Path) -> None:
    files = {"SKILLBAG.md": "SkillBag v0.3.0\n\nRead `.skills/SKILLS.md` first.\n", "USER_CONTEXT.md": "# Mine\n"}
    bare = make_repository(tmp_path / "bag.git", files)
    (record,) = audit(bare.url)
    assert any(row["path"] == "USER_CONTEXT.md" for row in record["findings"])


def test_a_link_of_a_fetched_repository_does_not_lead_into_the_repository_around_it(run: Run, tmp_path: Path) -> None:
    ours = write(tmp_path / "ours", {"secret.md": "# Secret\n"})
    git(ours, "init", "--quiet")
    text = skill("tidy") + "\n[up](../../../secret.md)\n"
    bare = make_repository(tmp_path / "tidy.git", {"skills/tidy/SKILL.md": text})
    run("team", "audit", bare.url, "--out", ours / "out")
    (record,) = records(ours / "out")
    assert "link-outside" in record["counts"]["rules"]


def test_strict_counts_warnings_and_what_is_one_source_is_said(run: Run, tmp_path: Path) -> None:
    warned = BROKEN_LINK
    for name in "abcde":
        write(tmp_path / "org" / name, {".git/HEAD": "ref: refs/heads/main\n", "skills/here/SKILL.md": warned})
    missing = run("team", "audit", "org", cwd=tmp_path)
    assert (missing.code, "skillbag team audit org --out audit" in missing.err) == (2, True)
    done = run("team", "audit", "org", "--out", "out", cwd=tmp_path)
    assert done.code == 0
    assert "org holds 5 repositories" in done.err
    assert "skillbag team audit org/* --out out takes each" in " ".join(done.err.split())
    for text in (done.out, *((tmp_path / "out" / f"summary.{end}").read_text("utf-8") for end in ("md", "html"))):
        assert "org c/skills/here and 2 more" in text
    assert run("team", "audit", "org", "--out", "out", "--strict", cwd=tmp_path).code == 1


def test_json_is_one_object_and_strict_counts_errors(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"skills/here/SKILL.md": BROKEN})
    outcome = run("team", "audit", folder, "--out", tmp_path / "out", "--json", "--strict")
    assert outcome.code == json.loads(outcome.out)["exit"] == 1
    assert json.loads(outcome.out) == summary(tmp_path / "out")
    assert outcome.err == ""
    quiet = run("team", "audit", folder, "--out", tmp_path / "out", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_sarif_has_a_run_for_each_source_with_paths_from_its_root(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"skills/here/SKILL.md": BROKEN})
    bare = make_repository(tmp_path / "tidy.git", {"deep/skills/here/SKILL.md": BROKEN})
    out = tmp_path / "out"
    outcome = run("team", "audit", folder, bare.url, tmp_path / "none", "--format=sarif", "--out", out)
    log = json.loads((out / "findings.sarif").read_text("utf-8"))
    Draft7Validator(schema_of_sarif()).validate(log)
    runs = {each["automationDetails"]["id"]: each for each in log["runs"]}
    paths = {
        name: {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in each["results"]}
        for name, each in runs.items()
    }
    assert paths == {
        f"{folder}/": {"skills/here/SKILL.md"},
        f"{bare.url}/": {"deep/skills/here/SKILL.md"},
        f"{tmp_path / 'none'}/": set(),
    }
    failed = runs[f"{tmp_path / 'none'}/"]["invocations"][0]
    assert (failed["executionSuccessful"], outcome.code) == (False, 1)
    (place,) = runs[f"{bare.url}/"]["versionControlProvenance"]
    assert (place["repositoryUri"], place["revisionId"]) == (bare.url, bare.tip("refs/heads/main"))
    record = by_source(out)[bare.url]
    for result, finding in zip(runs[f"{bare.url}/"]["results"], record["findings"], strict=True):
        rule = runs[f"{bare.url}/"]["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert (result["ruleId"], rule["id"], result["level"]) == (finding["rule"], finding["rule"], finding["level"])
        assert result["partialFingerprints"] == {"skillbag/v2": finding["fingerprint"]}


@each_row(
    ("arguments", "words"),
    [
        (["--shard", "3/2", "x"], "--shard '3/2': write I/N"),
        (["--shard", "0/2", "x"], "write I/N"),
        ([], "there are no records"),
        (["--manifest", "nowhere.txt"], "--manifest nowhere.txt"),
        (["--config", "nowhere.toml", "x"], "there is no such file"),
        (["--config=select=nonsense", "x"], "there is no rule 'nonsense'"),
        (["--engine", "dask", "x"], "needs the address of one scheduler"),
        (["--timeout", "inf", "x"], "--timeout inf: give the seconds for one source, from 1 to 604800 (a week)"),
        (["--timeout", "nan", "x"], "--timeout nan: give the seconds"),
        (["--timeout", "604801", "x"], "--timeout 604801: give the seconds"),
        (["--timeout", "0.5", "x"], "--timeout 0.5: give the seconds"),
    ],
)
def test_bad_usage_is_one_sentence(run: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    outcome = run("team", "audit", *arguments, "--out", tmp_path / "out", cwd=tmp_path)
    assert outcome.code == 2
    assert words in outcome.err
    as_json = run("team", "audit", *arguments, "--out", tmp_path / "out", "--json", cwd=tmp_path)
    assert words in json.loads(as_json.out)["error"]
    assert as_json.code == json.loads(as_json.out)["exit"] == 2


def test_help_has_examples(run: Run) -> None:
    text = run("team", "audit", "--help").out
    assert "Examples:" in text
    assert "--engine dask tcp://host:8786" in " ".join(text.split())


def test_rules_of_a_team_are_sent_with_the_settings(audit: Audit, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"skills/x/SKILL.md": skill("x"), "skills/x/notes/a.md": "A.\n"})
    path, rule = "team/team-folders.yaml", Path(__file__).with_name("team-folders.yaml").read_text("utf-8")
    config = write(tmp_path / "ours", {"c.toml": 'rules = ["team"]\n', path: rule}) / "c.toml"
    arguments = (folder, "--config", config, "--config=select=team-folders")
    (record,) = audit(*arguments)
    assert record["counts"]["rules"] == {"team-folders": 1}
    write(tmp_path / "ours", {path: rule.replace("[scripts]", "[notes]")})
    assert len(audit(*arguments)) == 2
    assert summary(tmp_path / "out")["findings"]["error"] == 0
