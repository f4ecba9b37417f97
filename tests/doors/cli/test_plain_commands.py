"""Without a person, no command of this program runs a program of the caller's choice, or writes what steers agents or
is the user's own. Reports in ordinary files need nobody."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from skillbag.doors.cli import person
from skillbag.supply.bootstrap.limit_hook import COMMAND
from tests.doors.cli.every_command import commands
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.supply.sources.repositories import git
from tests.support import Completed, Run, skill

WRITES = {
    "team audit": {"--out"},
    "capabilities": {"--output"},
    "check": {"--output"},
    "team conformance": {"--markdown", "--html", "--junit", "--badge"},
    "runtime scan": {"--output"},
    "runtime test": {"--junit"},
    "runtime wiki": {"--out"},
    "team registry publish": {"--to"},
    "team rules new": {"--folder"},
    "tree": {"--output"},
    **{f"runtime {each}": {"--trace"} for each in ("activate", "call", "deactivate", "hooks", "run", "transform")},
}
WRITES["runtime scan"] |= {"--trace"}
WRITES["runtime wiki"] |= {"--trace"}
"""Options that name what is written."""

READS = {"--baseline", "--config", "--entrypoint", "--inputs", "--manifest", "--personal", "--workspace"}
READS |= {"--path", "--ignore", "--expected"}
REPORTS = [
    *("check --format json --output", "check --output sarif={}", "check --output baseline={}", "check --output"),
    *(
        "capabilities --output",
        "tree --format mermaid --output",
        "team conformance --case tags/run-last/* --list --markdown",
    ),
    *(
        "runtime scan --output",
        "runtime scan --output baseline={}",
        "runtime test --junit",
        "runtime hooks --trace",
    ),
]
STEERING = [
    *("{home}/.claude/settings.json", "{home}/.codex/config.toml", "{home}/.bashrc", "{home}/.config/fish/config.fish"),
    *("{state}/runtime.db", "{state}/new", "{config}/settings.json", "{personal}/guard/main.star", "{cache}/a"),
    *(".claude/settings.json", ".git/hooks/pre-commit", "hooks/pre-commit", "AGENTS.md", ".github/workflows/ci.yml"),
    *(".mcp.json", "skillbag.lock", ".skills/a/SKILL.md", "ordinary/link.json", "CLAUDE.md.", ".cursor/rules/a.mdc"),
]
ORDINARY = ["report.sarif", "out/report.json", "../elsewhere/report.xml", "skillbag-baseline.json", "docs/skills.md"]
ORDINARY += [".skillbag-baseline.json", ".reports/a.json"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a skill below a folder with a dot, as jobs and worktrees have them; git's hooks are in `hooks`,
    and the user has a guard."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / ".runner/work/project"
    write(root, {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": "", "skills/tidy/SKILL.md": skill("tidy")})
    for folder in ("out", "ordinary", "docs", ".reports", "hooks", "../elsewhere"):
        (root / folder).mkdir()
    git(root, "init", "-q")
    git(root, "config", "core.hooksPath", "hooks")
    write(root.parent.parent.parent, {".claude/settings.json": "{}", ".codex/x": "", ".config/fish/x": ""})
    (root / "ordinary/link.json").symlink_to(tmp_path / ".claude/settings.json")
    write(
        Path(os.environ["SKILLBAG_PERSONAL_DIR"]),
        {"guard/SKILL.yaml": manifest("guard"), "guard/main.star": "# Old.\n"},
    )
    return root


def at(root: Path, text: str) -> Path:
    own = {name: os.environ[f"SKILLBAG_{name.upper()}_DIR"] for name in ("state", "config", "cache", "personal")}
    return root / text.format(home=os.environ["HOME"], **own)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def refused(done: Completed) -> bool:
    said = done.out + done.err
    return done.code == 3 and "a person to decide" in said and "SKILLBAG_" not in said and "--yes" not in said


def given(command: str, path: Path) -> list[str]:
    return command.format(path).split() if "{}" in command else [*command.split(), str(path)]


def test_each_option_that_names_a_file_or_folder_is_known() -> None:
    assert {
        (" ".join(words), name)
        for words, command in commands()
        for option in command.params
        if isinstance(option, click.Option)
        and (isinstance(option.type, click.Path) or option.metavar in ("FILE", "DIR"))
        for name in option.opts
        if name.startswith("--") and name not in READS
    } == set(_written())


def _written() -> Iterator[tuple[str, str]]:
    for words, names in WRITES.items():
        yield from ((words, name) for name in names)


@pytest.mark.parametrize("where", STEERING)
def test_a_report_replaces_nothing_that_steers_or_is_the_user_s(root: Path, run: Run, where: str) -> None:
    path = at(root, where)
    before = content(path)
    for command in ("check --format json --output {}", "check --output baseline={}"):
        assert refused(run(*command.format(path).split(), cwd=root)), command
        assert content(path) == before


@pytest.mark.parametrize("command", REPORTS)
def test_no_option_writes_there(root: Path, run: Run, command: str) -> None:
    active(root, "plain")
    path = at(root, "{home}/.claude/new.json")
    done = run(*given(command.replace(" --list", ""), path), cwd=root)
    assert refused(done), done
    assert not path.exists()


@pytest.mark.parametrize("words", ["team audit . --out {}", "runtime wiki --out {}"])
def test_no_option_writes_a_folder_there(root: Path, run: Run, words: str) -> None:
    for where in (at(root, "{home}/.claude/rules"), at(root, "{personal}/guard")):
        assert refused(run(*words.format(where).split(), cwd=root))
    assert run("team", "audit", "skills", "--out", root / "out", cwd=root).code == 0


@pytest.mark.parametrize("where", ORDINARY)
def test_a_report_in_an_ordinary_file_needs_nobody(root: Path, run: Run, where: str) -> None:
    assert run("check", "skills", "--format", "sarif", "-o", where, cwd=root).code == 1
    assert content(root / where)
    assert run("check", "../skills", "-o", f"baseline={root / where}", cwd=root / "docs").code == 0


def test_a_job_s_temporary_folder_may_lie_below_a_dot(
    root: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / ".elsewhere/_temp"
    temporary.mkdir(parents=True)
    words = ("check", "skills", "--format", "json", "-o")
    assert refused(run(*words, temporary / "a.json", cwd=root))
    monkeypatch.setenv("RUNNER_TEMP", str(temporary))
    assert run(*words, temporary / "a.json", cwd=root).code == 1
    assert refused(run(*words, temporary / "AGENTS.md", cwd=root))
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path))
    assert refused(run(*words, root / "AGENTS.md", cwd=root))


def test_another_current_folder_changes_nothing(root: Path, run: Run) -> None:
    home = Path(os.environ["HOME"])
    git(home / ".claude", "init", "-q")
    for folder, name in ((".claude", "settings.json"), (".config/fish", "config.fish")):
        assert refused(run("check", str(root / "skills"), "--format", "json", "-o", name, cwd=home / folder))
    assert content(home / ".claude/settings.json") == b"{}"


def test_a_person_writes_it(root: Path, run: Run, a_person: None) -> None:
    assert run("check", "skills", "-o", "AGENTS.md", cwd=root).code == 1
    assert content(root / "AGENTS.md")


@pytest.mark.parametrize(
    "words",
    [
        ("team", "conformance", "--driver", "sh -c 'touch {witness}'", "--case", "tags/*"),
        ("team", "conformance", "--driver", "sh -c 'touch {witness}'", "--case", "tags/*", "--json"),
        ("team", "rules", "test", "house-rules"),
        ("team", "rules", "test", "."),
        ("team", "rules", "add", "{pack}", "--yes"),
        ("team", "rules", "add", "{pack}"),
        ("agent", "tool", "run_skill_script", '{{"skill": "tidy", "script": "a.sh"}}'),
        ("team", "audit", ".", "--out", "out", "--engine", "dask", "tcp://127.0.0.1:9"),
    ],
)
def test_no_command_runs_code_of_the_caller_s_choice(
    root: Path, run: Run, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "ran"
    write(root / ".skills/tidy", {"SKILL.md": skill("tidy"), "a.sh": f"#!/bin/sh\ntouch {witness}\n"})
    (root / ".skills/tidy/a.sh").chmod(0o755)
    code = {"house-rules/rules/a.yaml": "id: a\n", "house-rules/predicates.py": f"open({str(witness)!r}, 'w')\n"}
    write(root, code)
    pack = write(tmp_path / "pack", {name.removeprefix("house-rules/"): text for name, text in code.items()})
    git(pack, "init", "-q")
    git(pack, "add", ".")
    git(pack, "commit", "-qm", "A pack")
    command = [each.format(witness=witness, pack=pack.as_uri()) for each in words]
    assert refused(run(*command, cwd=root))
    assert not witness.exists()
    # A job says so in its environment, which no command line can set.
    monkeypatch.setenv("SKILLBAG_ALLOW_CODE", "1")
    assert run(*command, cwd=root).code != 3 or "--yes" not in command


def test_a_hook_is_taken_out_by_a_person(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for scope, path in (("project", root), ("user", Path(os.environ["HOME"]))):
        assert run("agent", "hook", "install", "--scope", scope, cwd=root).code == 0
        assert refused(run("agent", "hook", "uninstall", "--scope", scope, cwd=root))
        assert refused(run("agent", "hook", "uninstall", "--scope", scope, "--json", cwd=root))
        assert run("agent", "hook", "uninstall", "--scope", scope, "--dry-run", cwd=root).code == 0
        assert COMMAND in (path / ".claude/settings.json").read_text()
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("agent", "hook", "uninstall", cwd=root).code == 0
    assert COMMAND not in (root / ".claude/settings.json").read_text()


def test_a_host_s_plugin_is_taken_out_or_changed_by_a_person(root: Path, run: Run, tmp_path: Path) -> None:
    plugins = tmp_path / ".host/plugins"
    plugin = plugins / "agent-skills/agent-skills"
    for _ in range(2):
        assert run("agent", "plugin", "install", plugins, cwd=root).code == 0
    before = plugin.read_bytes()
    for words in (("uninstall", plugins), ("install", plugins, "--session-type", "other")):
        assert refused(run("agent", "plugin", *words, cwd=root))
    assert plugin.read_bytes() == before
    plugin.write_bytes(before.replace(b"exec ", b"exec /older/"))
    assert run("agent", "plugin", "install", plugins, cwd=root).out.startswith("replaced: ")


def test_a_folder_of_active_skills_is_added_by_a_person(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(run("runtime", "dirs", "add", root / "skills", cwd=root))
    assert run("runtime", "dirs", "list", cwd=root).out == "No folders.\n"
    with monkeypatch.context() as patch:
        patch.setattr(person, "is_present", lambda: True)
        assert run("runtime", "dirs", "add", root / "skills", cwd=root).code == 0
    assert run("runtime", "dirs", "add", root / "skills", cwd=root).code == 0


@pytest.mark.parametrize(
    "words",
    [
        *("rename guard other --workspace {personal}", "rename guard other --workspace {personal}/.."),
        *("init {personal}/guard", "agent plugin install {state}"),
        *("agent personal add runtime --personal {state}", "agent personal add hooks --personal .git --yes --json"),
        *("agent personal remove tidy --personal {config}", "agent personal restore tidy --personal {state}"),
        *(
            'agent tool skill_add {"path":"hooks"} --personal .git',
            "agent personal add runtime --personal {personal}/guard",
        ),
        *("team registry publish .skills/plain --to {personal}", "team registry serve {personal}"),
    ],
)
def test_no_command_changes_a_folder_of_the_user_s(root: Path, run: Run, words: str) -> None:
    active(root, "plain")
    write(at(root, "{personal}/guard"), {"SKILL.md": skill("guard")})
    write(
        root,
        {"runtime/SKILL.md": skill("runtime"), "hooks/SKILL.md": skill("hooks"), "hooks/pre-commit": "#!/bin/sh\n"},
    )
    write(at(root, "{state}/runtime"), {"session.json": "{}"})
    folder = at(root, "{personal}").parent
    before = sorted(folder.rglob("*"))
    done = run(*(str(at(root, each)) if re.match("{[a-z]", each) else each for each in words.split()), cwd=root)
    assert refused(done), done
    assert sorted(folder.rglob("*")) == before
