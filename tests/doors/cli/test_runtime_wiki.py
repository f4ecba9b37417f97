"""`skillbag runtime wiki` and `runtime transform`: pages and answers as skills make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import VALIDATOR, values
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

CODE = """\
def sign(event):
    data = event["data"]
    return {"modified": {"content": "%s\\n%s by %s" % (data["content"], data["title"], data["template"])}}

register_workflow("services", lambda input: {"count": 2, "names": ["a", "b"], "key": KEY})
register_workflow("text", lambda input: "no object")
register_hook("OnBeforeWikiSection", sign)
"""
WIKI = """
  sections:
    - {title: "The Services!", template: pages/services.md, analyzer: services}
    - {title: The services, template: pages/plain.md}
  diagrams: [{type: mermaid, template: pages/calls.txt}]"""
TOKEN = "ghp_" + "Zq8Tn3VbXw1KfRm5" + "YdHs0LcPg7EjUa2NtQ4i"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with the skill `atlas`, which makes three pages."""
    root = write(tmp_path / "ws", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    code = CODE.replace("KEY", f'"{TOKEN}"')
    folder = active(root, "atlas", code, types="[workflow]", triggers="{modes: [wiki]}", wiki=WIKI)
    services = "# All {{count}}\n\n{{names}} {{ title }} {{key}}\n"
    write(folder / "pages", {"services.md": services, "plain.md": "Plain.\n", "calls.txt": "a-->{{count}}\n"})
    return root


def test_the_pages_of_a_skill_are_written(run: Run, root: Path) -> None:
    done = values(run, root, "wiki", "--out", "out")
    pages = ["atlas/the-services.md", "atlas/the-services-2.md", "atlas/diagrams.md", "index.md"]
    assert done["written"] == pages
    text = (root / "out" / pages[0]).read_text()
    assert text.startswith('# All 2\n\n[\n  "a",\n  "b"\n] The Services! ghp_')
    assert TOKEN not in text
    assert text.endswith("\n\nThe Services! by pages/services.md\n")
    assert (root / "out" / pages[1]).read_text() == "# The services\n\nPlain.\n\nThe services by pages/plain.md\n"
    diagrams = (root / "out" / pages[2]).read_text()
    assert diagrams.startswith("# Diagrams\n\n```mermaid\na-->2\n```\n")
    assert "- [The Services!](atlas/the-services.md)\n" in (root / "out/index.md").read_text()
    again = values(run, root, "wiki", "--out", "out")
    assert (again["written"], again["unchanged"]) == ([], pages)


def test_what_a_user_has_written_is_kept(run: Run, root: Path) -> None:
    write(root, {"out/index.md": "Mine.\n", "elsewhere/x.md": "Far.\n"})
    assert values(run, root, "wiki", "--out", "out")["kept"] == ["index.md"]
    edited = root / "out/atlas/diagrams.md"
    edited.write_text("Edited.\n")
    linked = root / "out/atlas/the-services.md"
    linked.unlink()
    linked.symlink_to(root / "elsewhere/x.md")
    write(root / ".skills/atlas/pages", {"plain.md": "New.\n"})
    done = run("runtime", "wiki", "--out", "out", cwd=root)
    assert done.code == 0
    assert "written    atlas/the-services-2.md\n" in done.out
    assert "kept       atlas/diagrams.md  (it was edited, or is not generated)\n" in done.out
    assert (edited.read_text(), (root / "elsewhere/x.md").read_text()) == ("Edited.\n", "Far.\n")
    assert (root / "out/index.md").read_text() == "Mine.\n"


def test_a_folder_that_is_a_link_is_not_followed(run: Run, root: Path) -> None:
    write(root, {"elsewhere/x.md": "Far.\n", "out/x": ""})
    (root / "out/atlas").symlink_to(root / "elsewhere")
    kept = values(run, root, "wiki", "--out", "out")["kept"]
    assert len(kept) == 3
    assert [path.name for path in (root / "elsewhere").iterdir()] == ["x.md"]


@pytest.mark.parametrize("out", ["docs", "docs/generated"])
def test_a_link_of_the_workspace_does_not_lead_out_of_it(run: Run, root: Path, out: str) -> None:
    far = write(root.parent / "far", {"x.md": "Far.\n"})
    (root / "docs").symlink_to(far)
    done = run("runtime", "wiki", "--out", out, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "a link leads out of the workspace" in done.err
    assert [path.name for path in far.iterdir()] == ["x.md"]
    assert values(run, root, "wiki", "--out", str(far))["written"]
    (root / "docs").unlink()
    (root / "pages").mkdir()
    (root / "docs").symlink_to("pages")
    assert values(run, root, "wiki", "--out", out)["written"]


@pytest.mark.parametrize(
    ("template", "analyzer", "said"),
    [
        ("a\n b {{nope}}", "services", 'pages/services.md:2:4: there is no value "nope"; the values are count, key, '),
        ("x", "gone", 'there is no workflow "gone"; the skill registers services, text'),
        ("x", "text", "gives no object with values"),
    ],
)
def test_a_page_that_can_t_be_made_is_an_error(run: Run, root: Path, template: str, analyzer: str, said: str) -> None:
    write(root / ".skills/atlas/pages", {"services.md": template})
    manifest = root / ".skills/atlas/SKILL.yaml"
    manifest.write_text(
        manifest.read_text().replace("analyzer: services", f"analyzer: {analyzer}").replace("  diagrams:", "  #")
    )
    done = values(run, root, "wiki", "--out", "out", code=1)
    (error,) = done["errors"]
    assert (error["skill"], error["path"]) == ("atlas", "atlas/the-services.md")
    assert said in error["message"]
    assert done["written"] == ["atlas/the-services-2.md", "index.md"]


def test_a_dry_run_shows_the_pages(run: Run, root: Path) -> None:
    done = run("runtime", "wiki", "--out", "out", "--dry-run", cwd=root)
    assert "then these pages would be written:\n  atlas/the-services.md\n" in done.out
    planned = values(run, root, "wiki", "--out", "out", "--dry-run")
    assert planned["files"][-1] == "index.md"
    assert not (root / "out").exists()


def test_a_transform_changes_the_answer(run: Run, root: Path) -> None:
    shout = 'register_hook("OnAfterResponse", lambda e: {"modified": {"response": e["data"]["response"].upper()}})\n'
    active(root, "shout", shout, types="[transform]", triggers="{keywords: [loud], modes: [plugin]}")
    for options in (["--message", "be loud"], ["--mode", "plugin"], ["--skills", "shout"]):
        done = run("runtime", "transform", *options, cwd=root, stdin="good dày\n".encode())
        assert (done.code, done.out, done.err) == (0, "GOOD DÀY\n", "")
    plain = run("runtime", "transform", "--json", cwd=root, stdin=b"good day")
    found = json.loads(plain.out)
    VALIDATOR.validate(found)
    assert (found["response"], found["changed"]) == ("good day", False)
    assert found["remarks"] == ['no skill of the type "transform" is active']
    assert "shout would be activated" in run("runtime", "transform", "--skills", "shout", "--dry-run", cwd=root).out


def test_an_answer_has_no_control_characters_for_a_terminal(run: Run, root: Path) -> None:
    assert "\x1b" not in run("runtime", "transform", cwd=root, stdin=b"a\x1b[31mb\n").out


def test_no_page_has_the_name_of_instructions_for_agents(run: Run, root: Path) -> None:
    titles = ("Agents", "CLAUDE", "Skill", "claude page")
    sections = ", ".join(f"{{title: {title}, template: pages/plain.md}}" for title in titles)
    active(root, "atlas", CODE.replace("KEY", "1"), types="[workflow]", wiki=f"{{sections: [{sections}]}}")
    done = values(run, root, "wiki", "--out", "out", "--skills", "atlas")
    names = ["agents-page", "claude-page", "skill-page", "claude-page-2"]
    assert done["written"] == [*(f"atlas/{name}.md" for name in names), "index.md"]
