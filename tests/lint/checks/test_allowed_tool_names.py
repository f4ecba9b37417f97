"""The entries of `allowed-tools`: tools that are unknown, lists that are malformed, and what is left alone."""

from __future__ import annotations

from pathlib import Path

from skillbag.agents.permissions.active import allowed_tools_of
from skillbag.agents.permissions.allowed_tools import refusal
from tests.lint.checks.rule_runs import findings, in_skill
from tests.rows import each_row
from tests.support import Tree

RULE = "allowed-tool-unknown"
_MALFORMED = "allowed-tools-malformed"


def front(value: str) -> str:
    return f"---\nname: tidy\ndescription: Tidy.\nallowed-tools: {value}\n---\n\nSort.\n"


@each_row(
    ("value", "tool", "meant", "level"),
    [
        ("Read, Raed", "Raed", "Read", "warning"),
        ("Read, bash", "bash", "Bash", "warning"),
        ("bash(git:*)", "bash", "Bash", "warning"),
        ("Raed", "Raed", "Read", "warning"),
        ("GREP Glob", "GREP", "Grep", "warning"),
        ("[Read, 'webfetch']", "webfetch", "WebFetch", "warning"),
        ("Read, BashTool", "BashTool", "Bash", "warning"),
        ("bash", "bash", "Bash", "note"),
        ("Read, Teleport", "Teleport", "", "note"),
    ],
)
def test_an_unknown_tool(value: str, tool: str, meant: str, level: str, tmp_path: Path) -> None:
    (finding,) = in_skill(tmp_path, front(value), RULE)
    hint = f"; did you mean `{meant}`?" if meant else ""
    assert (finding.message, finding.level) == (f"No known agent has a tool `{tool}`{hint}", level)
    line = front(value).split("\n")[3]
    assert line[finding.column - 1 : finding.end_column - 1] == tool


@each_row(
    "value",
    [
        "Read ListAgents SetGoal SendUserFile BashOutput",
        "Read Write Edit Bash Glob Grep Task WebFetch WebSearch TodoWrite NotebookEdit Skill AskUserQuestion",
        "Read, Bash(npm run build:*), Bash(git log -n 5 *), mcp__github__search, mcp__*",
        "mcp__github__*, mcp__my-server__get_*, mcp__plugin_a_b__c.d, python3.11, Agent(Explore), WebFetch(domain:a.b)",
        "git curl wget tar unzip cp rsync ln",
        "shell read_file run_shell_command my-plugin_tool *",
        "'*'",
        "Bash(Raed bash)",
        "Bash(echo 你好：再见 *), Bash(git commit -m “x”)",
        "[]",
        "",
    ],
)
def test_what_is_left_alone(value: str, tmp_path: Path) -> None:
    for rule in (RULE, _MALFORMED):
        assert in_skill(tmp_path, front(value), rule) == []


def test_a_workspace_names_commands(tree: Tree) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/tidy/SKILL.md": front("Raed bash")})
    assert findings(root, RULE) == []


def test_a_megabyte_of_entries_takes_no_time(tmp_path: Path) -> None:
    assert in_skill(tmp_path, front("(" * 500_000 + "a" * 400_000), RULE) == []


_PIECES = [
    ("Bash (git:*)", "(git:*)"),
    ("Bash git:*", "git:*"),
    ("Bash git*", "git*"),
    ("Bash ./x.sh", "./x.sh"),
    ("[Bash, 'git:*']", "git:*"),
    ("git:*", "git:*"),
    ("Bash:git", "Bash:git"),
    ("Bash.git", "Bash.git"),
    ("Bash:git(status)", "Bash:git(status)"),
    ("Bash git/*", "git/*"),
    ("Bash git@*", "git@*"),
    ("WebFetch domain:example.com", "domain:example.com"),
    ("Read **", "**"),
    ("Rea*", "Rea*"),
    ("Bash(git:*", "Bash(git:*"),
    ("Bash(git:*))", "Bash(git:*))"),
    ("Read ) Grep", ")"),
    ("Read Bash(ls)x", "Bash(ls)x"),
    ("Read, Bash()", "Bash()"),
    ("[Read, 'Bash(git', 'x)']", "Bash(git"),
    (">-\n  Read Bash\n  (git:*)", "(git:*)"),
    ("-Bash", "-Bash"),
    ("Read –Bash", "–Bash"),
    ("Read Bash（git:*）", "Bash（git:*）"),
    ("Read，Grep", "Read，Grep"),
    ("Read、Grep", "Read、Grep"),
    ("Read “Grep”", "“Grep”"),
    ("Read ‘Bash(git:*)’", "‘Bash(git:*)’"),
    ("Read, Grep\u200b", "Grep\u200b"),
    ("Read Ｂａｓｈ", "Ｂａｓｈ"),
    ("Rе\u0430d Grep", "Rе\u0430d"),
    ("Read Bash(git：*)", "Bash(git：*)"),
    ("Read Bash(git:＊)", "Bash(git:＊)"),
    ("Read WebFetch(domain：example.com)", "WebFetch(domain：example.com)"),
]


@each_row(("value", "piece"), _PIECES)
def test_a_malformed_list_is_found_in_every_target_and_allows_nothing(value: str, piece: str, tree: Tree) -> None:
    text = front(value)
    bag = {"bag/SKILLBAG.md": "SkillBag v0.3.0\n", "bag/.skills/tidy/SKILL.md": text}
    root = tree({"plain/skills/tidy/SKILL.md": text, **bag})

    for target in (root / "plain", root / "bag"):
        (finding,) = findings(target, _MALFORMED)
        assert finding.level == "warning"
        assert f"`{piece}` is no entry" in finding.message
        assert text.split("\n")[finding.line - 1][finding.column - 1 :].startswith(piece)
    allowed = allowed_tools_of(str(root / "plain/skills/tidy"), "SKILL.md")
    assert allowed is not None
    for tool, arguments in (("Read", {"file_path": "a"}), ("Bash", {"command": "git status"})):
        assert piece in (refusal(allowed, tool, arguments, str(root)) or "")
