"""`new --type`: each kind of active skill passes `check` as it is written, and works."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from skillbag.supply.bootstrap.active_skill import NewType
from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.init import InitOptions, plan_init
from skillbag.supply.bootstrap.plan import apply
from skillbag.supply.bootstrap.skill import plan_new
from tests.supply.install.worlds import write
from tests.support import Completed, Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

TYPES = [each.value for each in NewType]
CASE_KEYS = {"name", "files", "env", "message", "approve", "expect", "host"}
CASE_KINDS = {"call", "run", "scan", "hook", "trigger"}
EXPECTED = {"value", "contains", "error", "score", "state"}


def workspace(folder: Path) -> Path:
    apply(plan_init(str(folder), InitOptions()))
    return folder


@pytest.fixture
def root(run: Run, tmp_path: Path) -> Path:
    root = workspace(tmp_path)
    for type_ in TYPES:
        done = new(run, root, f"my-{type_}", "--type", type_, "--description", f"Does {type_}. Use it for {type_}.")
        assert (done.code, done.err) == (0, "")
    return root


def new(run: Run, root: Path, *arguments: str) -> Completed:
    return run("new", *arguments, cwd=root)


def runtime(run: Run, root: Path, *arguments: str) -> str:
    done = run("runtime", *arguments, "--approve-skills", ",".join(f"my-{each}" for each in TYPES), cwd=root)
    assert done.code == 0, done
    return done.out


def test_every_type_passes_check_as_it_is_written(run: Run, root: Path) -> None:
    done = run("check", "--strict", cwd=root)
    assert (done.code, done.out.splitlines()[-1]) == (0, "No findings.")
    found = json.loads(run("runtime", "list", "--json", cwd=root).out)["skills"]
    states = {each["name"]: each["state"] for each in found if each["name"].startswith("my-")}
    assert states == {f"my-{each}": "inactive" for each in TYPES}


def test_the_tools_work(run: Run, root: Path) -> None:
    write(root, {"notes.txt": "one\ntwo words\n"})
    assert runtime(run, root, "call", "my_tool", '{"path": "notes.txt", "text": "two"}') == "2: two words\n"
    assert runtime(run, root, "call", "my_plugin", '{"path": "notes.txt"}') == '{"words":3}\n'
    assert runtime(run, root, "call", "my_process", '{"text": "a b"}') == '{"words":2}\n'
    refused = run("runtime", "call", "my_tool", "{}", "--approve-skills", "my-tool", cwd=root)
    assert refused.code == 2


def test_the_others_work(run: Run, root: Path) -> None:
    write(root, {"docs/a.md": "# One\n## Two\n"})
    assert json.loads(runtime(run, root, "run", "my-workflow", '{"to": "out.txt"}')) == {"headings": 2}
    assert (root / "out.txt").read_text() == "docs/a.md: One\ndocs/a.md: Two\n"
    for name in ("my-security-rule", "my-transform"):
        assert f"Activated: {name}" in runtime(run, root, "activate", name)
    # Its Python file would trigger the security rule, which asks.
    shutil.rmtree(root / ".skills/my-plugin")
    requested: list[dict[str, object]] = [
        {"do": "start", "protocol": 1, "folder": str(root), "mode": "interactive"},
        {"do": "message", "text": "Is this my prompt?"},
        {"do": "respond", "text": "You utilize it in order to see."},
    ]
    lines = "".join(json.dumps({"id": number, **each}) + "\n" for number, each in enumerate(requested))
    started, message, answer = map(json.loads, run("runtime", "host", cwd=root, stdin=lines.encode()).out.splitlines())
    assert started["result"]["activated"] == ["my-transform"]
    assert message["result"]["activated"] == ["my-prompt"]
    assert answer["result"]["text"] == "You use it to see."


def test_new_names_the_commands_that_try_the_skill(run: Run, tmp_path: Path) -> None:
    workspace(tmp_path)
    write(tmp_path, {"notes.txt": "two words\n"})
    for type_ in TYPES:
        out = new(run, tmp_path, f"try-{type_}", "--type", type_, "--description", f"Tries {type_}. Use it.").out
        test, command = out.partition("Then try it:\n")[2].splitlines()
        assert test == f"  skillbag runtime test try-{type_}"
        given, _, words = command.strip().rpartition("skillbag ")
        assert given in ("", "echo 'We utilize it.' | ")
        arguments = [each.replace("FILE", "notes.txt").replace("WORDS", "two") for each in shlex.split(words)]
        done = run(*arguments, *approved(arguments, type_), cwd=tmp_path, stdin=b"We utilize it.")
        assert done.code == 0, (words, done)


def approved(arguments: list[str], type_: str) -> tuple[str, ...]:
    return () if "why" in arguments else ("--approve-skills", f"try-{type_}")


def test_a_security_rule_scans_without_being_named(run: Run, root: Path) -> None:
    write(root, {"settings.py": "DEBUG = True\n"})
    done = run("runtime", "scan", "--approve-skills", "my-security-rule", cwd=root)
    assert "Debug mode is left on" in done.out


@pytest.mark.parametrize("type_", TYPES)
def test_each_has_a_case_of_its_handler(root: Path, type_: str) -> None:
    case = yaml.safe_load((root / f".skills/my-{type_}/tests/first.yaml").read_text())
    (kind,) = CASE_KINDS & case.keys()
    assert case.keys() - {kind} <= CASE_KEYS
    assert case["expect"].keys() <= EXPECTED
    assert all(each.keys() == {"call", "args", "result"} for each in case.get("host", []))


@pytest.mark.parametrize("name", ["null", "yes", "no", "x", "a1-b2"])
def test_names_and_descriptions_that_yaml_or_a_template_might_misread(run: Run, tmp_path: Path, name: str) -> None:
    root = workspace(tmp_path)
    for type_ in (NewType.TOOL, NewType.PROCESS, NewType.PROMPT):
        described = "Use {name}: it's #1 at {tool}, 'quoted' and \"so\"."
        assert new(run, root, f"{name}-{type_}", "--type", type_, "--description", described).code == 0
    assert new(run, root, name, "--type", "plugin", "--description", "Does it. Use it for that.").code == 0
    done = run("check", cwd=root)
    assert (done.code, "error" in done.out) == (0, False), done.out
    manifest = yaml.safe_load((root / f".skills/{name}/SKILL.yaml").read_text())
    assert (manifest["name"], manifest["tools"][0]["name"]) == (name, name.replace("-", "_"))


def test_what_is_written_and_what_is_not(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path)
    assert new(run, root, "count", "--type", "process", "--dry-run").code == 0
    assert not (root / ".skills/count").exists()
    done = new(run, root, "count", "--type", "process")
    assert "Its SKILL.yaml needs the same one." in done.out
    files = sorted(str(path.relative_to(root / ".skills/count")) for path in (root / ".skills/count").rglob("*.*"))
    assert files == ["SKILL.md", "SKILL.yaml", "input.json", "tests/first.yaml"]
    assert (root / ".skills/count/bin/count").stat().st_mode & 0o777 == 0o755
    with pytest.raises(CannotInitError, match="begins with a letter"):
        plan_new(str(root), "3d", None, NewType.TOOL)
    apply(plan_new(str(root), "3d"))
    assert new(run, root, "other", "--type", "mcp").code == 2
