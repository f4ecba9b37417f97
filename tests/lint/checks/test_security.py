"""Secrets, passwords in addresses, tools and defaults as findings; no report shows a secret."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import findings, in_skill, messages, places
from tests.rows import each_row
from tests.supply.sources.repositories import git
from tests.support import Run, skill

TOKEN = "gh" + "p_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"
RANDOM = "t7Gz" + "Qm2xLw9v" + "Rk5d"
SKILL = "skills/tidy/SKILL.md"


def write(root: Path, text: str, path: str = SKILL) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    return root


def test_a_secret_in_any_text_of_a_skill(tmp_path: Path) -> None:
    write(tmp_path, skill("tidy") + f"Use {TOKEN}.\n")
    write(tmp_path, f"key = '{TOKEN}'\n", "skills/tidy/scripts/run.py")
    write(tmp_path, f'{{"token": "{TOKEN}"}}\n', "skills/tidy/assets/config.json")
    found = [place.removeprefix("skills/tidy/") for place in places(tmp_path, "secret")]
    assert found == ["SKILL.md:9:5", "assets/config.json:1:12", "scripts/run.py:1:8"]
    assert all(TOKEN not in str(finding.message) + str(finding.fix) for finding in findings(tmp_path, "secret"))


def test_context_files_have_a_rule_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, "SkillBag v0.3.0\n\n" + TOKEN + "\n", "SKILLBAG.md")
    write(tmp_path, f"```yaml\nparameters:\n  tidy:\n    token: {TOKEN}\n```\n", "USER_CONTEXT.md")
    write(tmp_path, TOKEN + "\n", "CONTEXT.md")
    assert places(tmp_path, "secret") == ["SKILLBAG.md:3:1"]
    assert {place.split(":")[0] for place in places(tmp_path)} >= {"SKILLBAG.md", "USER_CONTEXT.md", "CONTEXT.md"}


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "gitlab", "junit"])
def test_no_output_holds_a_secret(form: str, tmp_path: Path, run: Run) -> None:
    default = f"## Parameters\n\n```yaml\noptional:\n  - {{name: api-key, default: {RANDOM}}}\n```\n"
    write(tmp_path, skill("tidy") + f"{default}\nUse {TOKEN} \u200b here, with (x)[{TOKEN}].\n")
    outcome = run("check", tmp_path, "--format", form)
    assert TOKEN not in outcome.out + outcome.err
    assert RANDOM not in outcome.out + outcome.err
    assert "secret" in outcome.out


AROUND = (
    *(".env", ".mcp.json", ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json", ".vscode/mcp.json"),
    *("opencode.json", ".kiro/settings/mcp.json", ".claude/settings.json", ".claude/settings.local.json"),
    *("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md"),
    *(".claude-plugin/plugin.json", ".claude/agents/a.md", ".claude/commands/c.md", ".cursor/rules/r.mdc"),
    *("skills/tidy/.env", "skills/tidy/scripts/run.sh", SKILL),
)
"""Files that agents read, or are given with a skill."""


@each_row("path", AROUND)
def test_a_key_in_a_file_that_an_agent_reads_is_an_error_unless_git_ignores_it(path: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, skill("tidy"))
    before = (tmp_path / path).read_text("utf-8") if (tmp_path / path).exists() else ""
    write(tmp_path, before + (f'{{"token": "{TOKEN}"}}\n' if path.endswith(".json") else f"TOKEN={TOKEN}\n"), path)
    (finding,) = findings(tmp_path, "secret")
    assert (finding.level, finding.path) == ("error", str(tmp_path / path))
    if not path.startswith("skills/"):
        write(tmp_path, path + "\n", ".gitignore")
        assert findings(tmp_path, "secret") == []


@each_row("path", ["scripts/hook.sh", ".claude/hooks/h.sh"])
def test_a_key_in_the_script_of_a_hook_is_an_error(path: str, tmp_path: Path) -> None:
    hook = {"type": "command", "command": f"bash {path}"}
    write(tmp_path, json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}), ".claude/settings.json")
    write(tmp_path, f"TOKEN={TOKEN}\n", path)
    assert [(finding.rule, finding.level) for finding in findings(tmp_path, "secret")] == [("secret", "error")]


@each_row("path", ["README.md", "src/notes.md", "skills/README.md", "apps/web/.env"])
def test_files_that_no_agent_reads_unasked_are_not_checked(path: str, tmp_path: Path) -> None:
    write(tmp_path, skill("tidy"))
    write(tmp_path, f"TOKEN={TOKEN}\n", path)
    assert findings(tmp_path, "secret") == []


UNLIMITED = ("'*'", "Read *", "Bash(*)", "Read, Bash(*:*)", "Bash( * )", "[Read, 'Bash(**)']", "Bash(:*)")
LIMITED = ("Bash", "Bash(git:*)", "Bash(git add *)", "Bash(npm run *), Read", "mcp__files__*", "Read(./*)", "[Bash]")


@each_row("value", [*UNLIMITED, *LIMITED, ""])
def test_tools_without_a_limit(value: str, tmp_path: Path) -> None:
    write(tmp_path, f"---\nname: tidy\ndescription: Tidy.\nallowed-tools: {value}\n---\n\nSort.\n")
    found = [place.rpartition(":")[0] for place in places(tmp_path, "allowed-tools-unlimited")]
    assert found == ([f"{SKILL}:4"] if value in UNLIMITED else [])


def test_a_secret_default_is_reported_at_its_name(tmp_path: Path) -> None:
    pairs = "".join(f"  - name: {name}\n    default: {RANDOM}\n" for name in ("api-key", "output"))
    block = f"## Parameters\n\n```yaml\noptional:\n{pairs}```\n"
    write(tmp_path, skill("tidy") + block)
    assert places(tmp_path, "secret-default") == [f"{SKILL}:13:11"]
    assert RANDOM not in "".join(messages(tmp_path, "secret-default"))


def test_a_token_as_default_is_reported_once(tmp_path: Path) -> None:
    block = f"## Parameters\n\n```yaml\noptional:\n  - name: api-key\n    default: {TOKEN}\n```\n"
    write(tmp_path, skill("tidy") + block)
    assert [finding.rule for finding in findings(tmp_path, "secret-default", "secret")] == ["secret"]


def test_the_excerpt_of_a_finding_is_masked_in_json(tmp_path: Path, run: Run) -> None:
    write(tmp_path, skill("tidy") + f"Use {TOKEN}.\n")
    found = json.loads(run("check", tmp_path, "--format", "json").out)["findings"]
    assert [finding["line"] for finding in found if finding["rule"] == "secret"] == [9]


PLACES = {
    "CONTEXT.md": "context-secret",
    "USER_CONTEXT.md": "context-secret",
    "SKILLBAG.md": "secret",
    ".skills/tidy/SKILL.md": "secret",
    ".skills/tidy/references/a.md": "secret",
}


def workspace(root: Path, place: str, line: str) -> Path:
    write(root, "SkillBag v0.3.0\n", "SKILLBAG.md")
    write(root, "tidy: Tidy a folder. Use when files lie about.\n", ".skills/SKILLS.md")
    write(root, skill("tidy"), ".skills/tidy/SKILL.md")
    before = (root / place).read_text("utf-8") if (root / place).exists() else ""
    return write(root, f"{before}\n{line}\n", place)


def report(run: Run, root: Path, form: str = "json") -> str:
    return run("check", "--select", "secret,context-secret", "--format", form, cwd=root).out


@each_row("place", ["CONTEXT.md", "USER_CONTEXT.md"])
@each_row(
    ("line", "secret"),
    [
        ("password: hunter22", "hunter22"),
        ("Unser WLAN-Passwort ist sonnenblume.", "sonnenblume"),
        (f"api-key: {RANDOM}", RANDOM),
        ("send `X-Api-Key: sunflower`", "sunflower"),
        ("password: secret123", "secret123"),
        ("pwd: MyPass2024!", "MyPass2024!"),
        ("curl -u joe:s3cret99 https://db.acme.org", "s3cret99"),
        ("token: 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("```yaml\nparameters:\n  tidy: {root-pw: fox9}\n```", "fox9"),
        ("```yaml\nparameters:\n  tidy: {backup-codes: [abcd]}\n```", "abcd"),
    ],
)
def test_a_context_file_discloses_no_secret_by_name_or_words(
    tmp_path: Path, run: Run, place: str, line: str, secret: str
) -> None:
    root = workspace(tmp_path, place, line)
    (finding,) = json.loads(report(run, root))["findings"]
    assert (finding["rule"], finding["path"], finding["level"]) == ("context-secret", place, "warning")
    for form in ("json", "text", "sarif", "github", "gitlab", "junit", "markdown"):
        assert secret not in report(run, root, form)


@each_row(
    "line",
    [
        "password: ask me",
        "token-limit: 4000",
        "sort-key: name",
        "password: your-password",
        "password: your-password-123",
        "password: changeme",
        'const token = "refreshToken"',
        "```yaml\nparameters:\n  tidy: {max-tokens: 500, password-manager: 1password, pin-version: true}\n```",
    ],
)
def test_what_only_looks_like_a_secret_in_a_context_file_is_no_finding(tmp_path: Path, run: Run, line: str) -> None:
    assert json.loads(report(run, workspace(tmp_path, "CONTEXT.md", line)))["findings"] == []


@each_row("place", PLACES)
@each_row("address", ["https://bob:hunter2@host/x.git", "ssh://bob:correct-horse@git.example.com/x.git"])
def test_a_password_in_an_address_is_a_finding_and_not_shown(
    tmp_path: Path, run: Run, place: str, address: str
) -> None:
    root = workspace(tmp_path, place, f"  source: {address}")
    (finding,) = json.loads(report(run, root))["findings"]
    assert (finding["rule"], finding["path"], finding["level"]) == (PLACES[place], place, "warning")
    password = address.split("@")[0].rpartition(":")[2]
    for form in ("json", "text", "sarif", "github", "gitlab", "junit", "markdown"):
        assert password not in report(run, root, form)


@each_row(
    "address",
    [
        "https://user:password@example.com/x.git",
        "https://user:pass@host/x",
        "https://bob:${TOKEN}@example.com/x.git",
        "https://bob:$TOKEN@example.com/x.git",
        "https://bob:<token>@example.com/x.git",
        "https://bob:{token}@example.com/x.git",
        "https://bob:YOUR_TOKEN@example.com/x.git",
        "https://x-access-token:xxxx@example.com/x.git",
        "https://bob:***@example.com/x.git",
        "postgres://postgres:postgres@db/app",
        "postgres://app:devpw@localhost:5432/app",
        "ssh://git@example.com:22/x.git",
        "https://example.com/a:b@c",
    ],
)
def test_a_placeholder_for_a_password_is_no_finding(tmp_path: Path, run: Run, address: str) -> None:
    assert json.loads(report(run, workspace(tmp_path, "CONTEXT.md", address)))["findings"] == []


@each_row(("name", "count"), [("Ann Lee", 1), ("Jane Doe", 0)])
def test_a_password_of_an_invented_person_is_no_finding(tmp_path: Path, name: str, count: int) -> None:
    body = f'{{"password": "X9k#mP2vL!qR7wZn", "full_name": "{name}"}}'
    assert len(in_skill(tmp_path, f"# Users\n\n```json\n{body}\n```\n", "secret", name="references/a.md")) == count


@each_row(("name", "count"), [("tests/golden/a.jsonl", 0), ("assets/a.jsonl", 1)])
def test_a_web_token_in_a_test_is_no_finding(tmp_path: Path, name: str, count: int) -> None:
    parts = (
        b'{"alg":"HS256","typ":"JWT"}',
        b'{"sub":"rows-app-71","iat":1790001234}',
        hashlib.sha256(b"rows").digest(),
    )
    token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    assert len(in_skill(tmp_path, f'{{"token": "{token}"}}\n', "secret", name=name)) == count
