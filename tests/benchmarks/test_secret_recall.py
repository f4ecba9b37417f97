"""Credentials of all known kinds, where texts have them: found, masked, reported, and in no output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from skillbag.kernel.base.literals import Literals
from skillbag.kernel.secrets.detection import LITERALS, find_secrets, suspected
from tests.rows import each_row
from tests.sampling import sample
from tests.support import PROJECT, Run, Tree, skill

LEAST = 0.98
FORMATS = ("concise", "json", "sarif", "rdjson", "html", "markdown", "gitlab", "azure", "github", "junit")


class Text(NamedTuple):
    """A text with a credential, and the credential."""

    text: str
    value: str


def of_each_kind(*places: str) -> list[Text]:
    """A found text of each kind, each in another place, or of those that have one of these places."""
    import secret_corpus

    by_kind: dict[str, list[Text]] = {}
    for one in secret_corpus.samples(1):
        # One in a hundred looks like a placeholder.
        if (not places or one.place in places) and find_secrets(one.text):
            by_kind.setdefault(one.kind, []).append(Text(one.text, one.value))
    return [texts[number % len(texts)] for number, texts in enumerate(by_kind.values())]


def written(tree: Tree, kinds: list[Text], name: str) -> Path:
    files = {f"skills/a/{name.format(number)}": f"{one.text}\n" for number, one in enumerate(kinds)}
    return tree({"skills/a/SKILL.md": skill("a"), **files})


def test_each_kind_is_found_and_masked() -> None:
    import secret_corpus

    rows = secret_corpus.recalls(2)
    assert len(rows) > 170
    # Of so few, one more may be missed.
    assert [row for row in rows if min(row.found, row.masked) < LEAST * row.texts - 1] == []


def test_the_figures_in_the_documentation_are_of_these_kinds() -> None:
    import secret_corpus

    recorded = json.loads((PROJECT / "benchmarks/results/secrets.json").read_text("utf-8"))
    assert [row["kind"] for row in recorded] == list(dict.fromkeys(one.kind for one in secret_corpus.samples(1)))
    assert all(min(row["found"], row["masked"]) >= LEAST * row["texts"] for row in recorded)


@pytest.mark.parametrize("name", ["scripts/{}.sh", "references/{}.md"])
def test_check_reports_each_kind(tree: Tree, run: Run, name: str) -> None:
    kinds = of_each_kind()
    root = written(tree, kinds, name)
    report = json.loads(run("check", "--json", "--config=cache=false", "--select", "secret", cwd=root).out)
    reported = {Path(finding["path"]).stem for finding in report["findings"]}
    assert [one.text for number, one in enumerate(kinds) if str(number) not in reported] == []


@each_row(
    "line",
    [
        "see https://cdnjs.cloudflare.com/ajax/libs/p5.js/1.7.0/p5.min.js",
        "Sentry.extraErrorDataIntegration({ depth: 5 })",
        "password=hash_password(input)",
        "docker login --username AWS --password-stdin registry.example.com",
        "npm_translate_lock(name = 1)",
        "wget -u https://example.com/a/b",
        "curl -fsSLu https://example.com/a",
        "tool --api-key <your key> --token $TOKEN --client-secret …",
        "aws ecr get-login-password < a",
        "docker run --name mongo mongo",
    ],
)
def test_for_ordinary_lines_no_expression_is_compiled(line: str) -> None:
    places = Literals(LITERALS).search(line.encode())
    assert places.found
    assert [form.kind for form, _ in suspected(line, places)] == []


def test_no_report_has_a_credential(tree: Tree, run: Run, tmp_path: Path) -> None:
    kinds = of_each_kind()
    root = written(tree, kinds, "scripts/{}.sh")
    also = [word for form in FORMATS for word in ("--output", f"{form}={tmp_path / form}")]
    outputs = [
        run("check", *also, "--config=cache=false", cwd=root).out,
        *((tmp_path / form).read_text() for form in FORMATS),
    ]
    assert [one.text for one in kinds if any(one.value[4:] in output for output in outputs)] == []


@pytest.mark.parametrize("command", [["install", "--source"], ["team", "marketplace", "add"], ["add", "x", "--source"]])
def test_no_error_with_an_address_has_one(run: Run, tree: Tree, command: list[str]) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n"})
    for one in sample("credentials in addresses", of_each_kind("address")):
        address = next(word for word in one.text.split() if word.startswith("https:"))
        outcome = run(*command, f"{address}#x", cwd=root)
        assert outcome.code == 2, outcome
        assert one.value[4:] not in outcome.out + outcome.err
