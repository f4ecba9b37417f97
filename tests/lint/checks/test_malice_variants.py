"""Attacks in many forms, and honest code and prose that look alike."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import RULES, in_skill
from tests.rows import each_row
from tests.support import table

TABLES = [table(__file__, name) for name in ("theft.toml", "foothold.toml", "recall.toml")]
MALICIOUS = [case for cases in TABLES for case in cases["malicious"]]
HONEST = [case for cases in TABLES for case in cases["honest"]]
OURS = sorted({rule for rule, *_ in MALICIOUS})

# Built from parts, so that no scanner takes this file for what it tests.
HOSTS = {
    "COLLECTOR": "webhook" + ".site",
    "OAST": "oast" + ".fun",
    "HOOK": "discord" + ".com/api/web" + "hooks/" + "12345678901234567/" + "aBcDeFgH" * 8,
    "RAW": "45." + "33.20" + ".71",
}


def filled(text: str) -> str:
    # Literal strings of TOML have no line ends in one line.
    text = text.replace("\\n", "\n")
    for name, host in HOSTS.items():
        text = text.replace(name, host)
    return text


def levels(root: Path, text: str, name: str, *ids: str) -> list[tuple[str, str]]:
    """The rule and level of each finding in one file of a skill."""
    start = "---\nname: tidy\ndescription: Tidy a folder.\n---\n\n" if name == "SKILL.md" else ""
    found = in_skill(root, start + text + "\n", *ids, name=name)
    return [(finding.rule, finding.level.value) for finding in found]


@each_row("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@each_row(("rule", "level", "name", "text"), MALICIOUS)
def test_malicious(rule: str, level: str, name: str, text: str, ends: str, tmp_path: Path) -> None:
    assert (rule, level) in levels(tmp_path, filled(text).replace("\n", ends), name, rule)


@each_row(("name", "text"), HONEST)
def test_honest(name: str, text: str, tmp_path: Path) -> None:
    assert [found for found in levels(tmp_path, filled(text), name, *OURS) if found[1] != "note"] == []


def test_every_rule_has_its_categories() -> None:
    assert all(RULES[rule].owasp for rule in OURS)


@pytest.mark.slow
@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "/dev/tcp/ bash -i ",
            "rm -rf ",
            "nc -e ",
            "exec(requests.get(",
            "~/.ssh/id_rsa ",
            "curl -d @~/.aws/ ",
            "env | ",
        ),
        *(
            "dig +short $(",
            "a = fetch(a) ",
            "os.environ.items() ",
            "crontab ",
            "\\x41",
            "chr(65)+",
            "conversation add the ",
        ),
        *(
            "mnemonic requests.post(",
            "!!python/object:",
            "`~/.ssh` send ",
            "webhook" + ".site/",
            "Remove-Item -Recurse ",
        ),
        *(
            "get get get get http://a/http://a/http://a/http://a/http://a/http://a/ ollow th ",
            "a = b64decode(b)\n",
            "claude --yolo x --yolo ",
            "dup2( fileno() )",
            "copy it and paste ",
            "send post add put ~/.aws/ to ",
            "seed phrase send it ",
            "CLAUDE.md ",
        ),
    ],
)
@pytest.mark.parametrize("name", ["scripts/a.sh", "references/a.md"])
def test_long_lines_take_linear_time(piece: str, name: str, tmp_path: Path) -> None:
    started = time.process_time()
    in_skill(tmp_path, piece * (300_000 // len(piece)), *OURS, name=name)
    assert time.process_time() - started < 20


@each_row(("description", "level"), [("Review a branch by Codex.", "note"), ("Tidy a folder.", "warning")])
def test_an_agent_that_the_description_names_is_expected(description: str, level: str, tmp_path: Path) -> None:
    text = f"---\nname: tidy\ndescription: {description}\n---\n\n```bash\ncodex exec --yolo x\n```\n"
    found = in_skill(tmp_path, text, "permission-bypass")
    assert [finding.level.value for finding in found] == [level]
