"""Makes what is derived: the index of rules, schemas of outputs, the hook list, pages of `docs/` and tables in them.

python tools/generate.py           write what is stale
python tools/generate.py --check   name what is stale, and clauses that no rule holds, and exit with 1

A file of a rule or a case that can't be used stops it before anything is written.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent_tables import agent_folder_tables, agent_tables, door_tables
from benchmark_table import SHOWN, benchmark_table
from clause_tests import read_proofs
from conformance_cases import BadCaseError, cases_document, cases_json
from hook_list import hook_list
from host_data import read_hosts
from host_pages import host_pages
from host_table import host_modules
from index import index, late_index
from kind_modules import kind_modules
from lock_schema import with_kinds
from manifest_table import manifest_tables
from picture import pictures
from predicate_tables import predicate_tables
from readings_page import readings_page
from recording import recording
from rule_docs import clauses_page, rule_page, rules_page
from rule_set import RuleSet, read_rule_set
from runtime_tables import runtime_tables
from schema_audit import audit_schema
from schema_envelope import envelope_schema
from schema_families import FAMILIES
from secrets_table import secrets_table
from security_table import security_tables
from skill_sdk_page import skill_sdk_page
from tables import inputs_table, options_table, outputs_table, with_tables
from verdicts_table import verdicts_table

from schemas import schema
from skillbag.lint.checks.agent_skills import FORMAT_KEYS
from skillbag.lint.rules.loader import BadRuleError
from skillbag.lint.rules.readings import load_readings

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "skillbag/lint/rules/index.py"
MANIFEST_INDEX = ROOT / "skillbag/lint/rules/late_index.py"
PAGES = ROOT / "docs/rules"
COMMANDS = ROOT / "docs/commands"
HOSTS = ROOT / "docs/hosts"
README = ROOT / "README.md"
CONFIGURATION = ROOT / "docs/configuration.md"
AGENT = ROOT / "docs/agent.md"
RUNTIME_HOSTS = ROOT / "docs/runtime-hosts.md"
AGENT_FOLDERS = ROOT / "docs/agent-folders.md"
MANIFEST = ROOT / "docs/manifest.md"
RUNTIME = ROOT / "docs/runtime.md"
PERFORMANCE = ROOT / "docs/performance.md"
SECURITY = ROOT / "docs/security.md"
OWN_RULES = ROOT / "docs/own-rules.md"
CREDENTIALS = ROOT / "docs/credentials.md"


def tables() -> dict[str, str]:
    """The tables of the page about configuration, by name."""
    action = ROOT / "action.yml"
    return {
        "options": options_table(ROOT / "schemas/config.schema.json"),
        "action-inputs": inputs_table(action),
        "action-outputs": outputs_table(action),
    }


def outputs(rules: RuleSet) -> Iterator[tuple[Path, str]]:
    """Every generated file with the text that it should have."""
    yield from _host_modules()
    yield INDEX, index(rules)
    yield MANIFEST_INDEX, late_index(rules)
    yield ROOT / ".pre-commit-hooks.yaml", hook_list()
    yield from host_pages(ROOT, read_hosts(ROOT))
    yield ROOT / "conformance/cases.json", cases_json(ROOT)
    yield ROOT / "conformance/run.py", (ROOT / "skillbag/fleet/conformance/kit.py").read_text("utf-8")
    yield ROOT / "docs/rules.md", rules_page(rules)
    yield ROOT / "docs/clauses.md", clauses_page(rules)
    yield ROOT / "docs/standard.md", readings_page(load_readings())
    results = ROOT / "benchmarks/results"
    speed = benchmark_table(results / "latest.json", SHOWN, largest=2_000)
    shown = {"verdicts": verdicts_table(results / "verdicts.json"), "speed": speed}
    yield README, with_tables(README.read_text("utf-8"), shown)
    kinds = {"credentials": secrets_table(results / "secrets.json")}
    yield CREDENTIALS, with_tables(CREDENTIALS.read_text("utf-8"), kinds)
    yield ROOT / "docs/images/check.svg", recording(ROOT)
    figures = {"benchmark": benchmark_table(results / "latest.json")}
    yield PERFORMANCE, with_tables(PERFORMANCE.read_text("utf-8"), figures)
    made = predicate_tables(ROOT / "schemas/rule.schema.json")
    yield OWN_RULES, with_tables(OWN_RULES.read_text("utf-8"), made)
    yield CONFIGURATION, with_tables(CONFIGURATION.read_text("utf-8"), tables())
    yield AGENT, with_tables(AGENT.read_text("utf-8"), agent_tables())
    yield RUNTIME_HOSTS, with_tables(RUNTIME_HOSTS.read_text("utf-8"), door_tables())
    yield AGENT_FOLDERS, with_tables(AGENT_FOLDERS.read_text("utf-8"), agent_folder_tables())
    shape = manifest_tables(ROOT / "schemas/skill-manifest.schema.json")
    yield MANIFEST, with_tables(MANIFEST.read_text("utf-8"), shape)
    active = runtime_tables(ROOT / "schemas/settings.schema.json", ROOT / "schemas/config.schema.json")
    yield RUNTIME, with_tables(RUNTIME.read_text("utf-8"), active)
    yield SECURITY, with_tables(SECURITY.read_text("utf-8"), security_tables(rules))
    for family in FAMILIES:
        yield ROOT / f"schemas/{family.name}.schema.json", schema(family)
    yield ROOT / "schemas/envelope.schema.json", envelope_schema()
    yield ROOT / "schemas/audit.schema.json", audit_schema()
    yield ROOT / "docs/skill-sdk.md", skill_sdk_page(ROOT / "skillbag/skill_sdk.py")
    for package, drawing in pictures(ROOT / "pyproject.toml").items():
        page = ROOT / ("docs/architecture.md" if package == "skillbag" else f"{package.replace('.', '/')}/README.md")
        yield page, with_tables(page.read_text("utf-8"), {"picture": drawing})
    lock = ROOT / "schemas/lock.schema.json"
    yield lock, with_kinds(lock.read_text("utf-8"))
    yield ROOT / "tests/kernel/workspace/kind_modules.py", kind_modules()
    from command_pages import command_pages

    # Made by the program's commands, which import the index.
    for name, text in command_pages():
        yield COMMANDS / name, text
    for entry in rules.entries:
        yield PAGES / f"{entry.rule.id}.md", rule_page(entry, rules.clauses)


def _host_modules() -> Iterator[tuple[Path, str]]:
    for name, text in host_modules(read_hosts(ROOT), FORMAT_KEYS):
        yield ROOT / f"skillbag/kernel/hosts/{name}.py", text


def stale(rules: RuleSet) -> Iterator[tuple[Path, str | None]]:
    """Each file that is not as it should be, with its text; None where it should not be there."""
    wanted = dict(outputs(rules))
    for path, text in wanted.items():
        if not path.is_file() or path.read_bytes() != text.encode():
            yield path, text
    present = [page for folder in (PAGES, COMMANDS, HOSTS) for page in sorted(folder.glob("*.md"))]
    yield from ((page, None) for page in present if page not in wanted)


def write(path: Path, text: str | None) -> None:
    """Bring one file up to date."""
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def main(arguments: list[str]) -> int:
    """Write, or with `--check` only name, what is stale; returns the exit code."""
    check = arguments == ["--check"]
    try:
        rules = read_rule_set(ROOT / "rules")
        cases_document(ROOT)
    except (BadRuleError, BadCaseError) as error:
        raise SystemExit(str(error)) from error
    if not check:
        if _written(_host_modules()):
            # Pages are made of these modules, which are imported already.
            return subprocess.run([sys.executable, __file__, *arguments], check=False).returncode
        # The README's screen is made by the program itself, which reads the index.
        _written(((INDEX, index(rules)), (MANIFEST_INDEX, late_index(rules))))
    found = list(stale(rules))
    for path, text in found:
        name = path.relative_to(ROOT)
        if check:
            print(f"stale: {name}; run `make generate`")
        else:
            write(path, text)
            print(f"{'removed' if text is None else 'written'}: {name}")
    gaps = [*(f"no rule holds the clause {clause}" for clause in rules.gaps()), *_unproved(rules)]
    for gap in gaps:
        print(gap)
    return int(check and bool(found or gaps))


def _written(made: Iterable[tuple[Path, str]]) -> bool:
    """Write the files that are stale; whether there were any."""
    changed = [(path, text) for path, text in made if not path.is_file() or path.read_bytes() != text.encode()]
    for path, text in changed:
        write(path, text)
        print(f"written: {path.relative_to(ROOT)}", flush=True)
    return bool(changed)


def _unproved(rules: RuleSet) -> Iterator[str]:
    """Clauses of behaviour that no test proves, and tests that name no clause."""
    proofs = {(proof.kind, proof.clause) for proof in read_proofs()}
    known = {(kind, clause.id) for clause in rules.clauses for kind in clause.proved_by if kind != "lint"}
    yield from (f"no test proves the clause {clause} ({kind})" for kind, clause in sorted(known - proofs))
    yield from (f"a test proves the clause {clause} ({kind}), which is none" for kind, clause in sorted(proofs - known))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
