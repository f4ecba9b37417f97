"""Discovery: every source, precedence, bad manifests, links, and skills that were named."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import BackendKind, Permission, SkillType
from skillbag.runtime.discovery import skill_folders
from skillbag.runtime.discovery.discovery import Discovered, DiscoveryRequest, discover
from skillbag.runtime.discovery.reading import Readings
from skillbag.runtime.discovery.registered import RegisteredSkill
from skillbag.runtime.discovery.skill_folders import search_tree
from skillbag.runtime.skill import SkillSource
from skillbag.runtime.triggers.settings import McpServer
from tests.runtime.folders import active, plain
from tests.runtime.found import found


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def names(discovered: Discovered) -> list[str]:
    return [skill.name for skill in discovered.skills]


def test_skills_of_a_workspace_are_found_and_sorted(top: Path) -> None:
    plain(top / ".skills" / "one", "zeta")
    active(top / ".skills" / "two", "alpha")
    (top / ".skills" / "notes").mkdir()
    discovered = discover(DiscoveryRequest(workspace=str(top)))
    alpha, zeta = discovered.skills
    assert (alpha.name, alpha.file, alpha.manifest.version) == ("alpha", str(top / ".skills/two/SKILL.yaml"), "1.0.0")
    assert (zeta.name, zeta.file, zeta.manifest.version) == ("zeta", str(top / ".skills/one/SKILL.md"), "0.0.0")
    assert (alpha.source, alpha.origin) == (SkillSource.PROJECT, f"project:{top}")
    assert (zeta.instructions, zeta.manifest.types) == ("Do it.\n", (SkillType.PROMPT,))
    assert discovered[1:] == ((), (), ())


def test_nothing_is_found_where_nothing_is(top: Path) -> None:
    request = DiscoveryRequest((str(top / "b"),), (), str(top / "u"), str(top), (str(top / "c"),))
    assert discover(request) == ((), (), (), (f"{top}/c: there is no such folder",))


@pytest.mark.parametrize(("most", "remarks"), [(3, 0), (2, 1)])
def test_a_search_ends_after_so_many_folders(
    top: Path, monkeypatch: pytest.MonkeyPatch, most: int, remarks: int
) -> None:
    (top / "a/b").mkdir(parents=True)
    monkeypatch.setattr(skill_folders, "_MAX_FOLDERS", most)
    assert len(search_tree(str(top)).remarks) == remarks


def all_sources(top: Path, name: str) -> DiscoveryRequest:
    """A request whose sources all have a skill of this name."""
    active(top / "builtin" / "a", name)
    active(top / "user" / "a", name)
    active(top / "work" / ".skills" / "a", name)
    active(top / "more" / "deep" / "a", name)
    return DiscoveryRequest(
        (str(top / "builtin"),),
        (RegisteredSkill(found(name).manifest),),
        str(top / "user"),
        str(top / "work"),
        (str(top / "more"),),
        (McpServer(name.removeprefix("mcp-"), url="https://example.com"),),
    )


def test_the_first_source_wins_and_the_others_stay_listed(top: Path) -> None:
    request = all_sources(top, "mcp-a")
    order = [*SkillSource]
    steps: list[tuple[SkillSource, dict[str, Any]]] = [
        (SkillSource.BUILTIN, {}),
        (SkillSource.BUNDLED, {"builtin": ()}),
        (SkillSource.USER, {"registered": ()}),
        (SkillSource.PROJECT, {"user": None}),
        (SkillSource.CONFIGURED, {"workspace": None}),
        (SkillSource.MCP, {"configured": ()}),
    ]
    for winner, fewer in steps:
        request = request._replace(**fewer)
        discovered = discover(request)
        (skill,) = discovered.skills
        assert skill.source is winner
        left = order[order.index(winner) + 1 :]
        assert [item.skill.source for item in discovered.shadowed] == left
        assert {item.by for item in discovered.shadowed} <= {skill}
        assert skill.hides == tuple(item.skill.file for item in discovered.shadowed)
        assert discovered.remarks == ()


def test_configured_folders_are_searched_with_all_below_but_not_below_skills(top: Path) -> None:
    active(top / "a" / "b" / "c", "deep")
    active(top / "a" / "b" / "c" / "d", "below")
    active(top / ".hidden" / "x", "hidden")
    active(top / "node_modules" / "x", "installed")
    assert names(discover(DiscoveryRequest(configured=(str(top),)))) == ["deep", "hidden"]
    assert names(discover(DiscoveryRequest(configured=(str(top / "a" / "b" / "c"),)))) == ["deep"]


def test_a_workspace_and_a_personal_root_hold_skills_directly(top: Path) -> None:
    active(top / ".skills" / "a", "a")
    active(top / ".skills" / "group" / "b", "b")
    active(top / ".skills" / ".old" / "c", "c")
    plain(top / ".skills" / "lower", "lower", file="skill.md")
    assert names(discover(DiscoveryRequest(workspace=str(top)))) == ["a"]
    assert names(discover(DiscoveryRequest(user=str(top / ".skills")))) == ["a", "lower"]


def test_a_bad_manifest_is_a_fault_of_its_skill_alone(top: Path) -> None:
    skills = top / ".skills"
    active(skills / "good", "good")
    active(skills / "bad", "Bad", types="[nonsense]")
    active(skills / "broken", "broken", description="[")
    plain(skills / "plain", "plain")
    (skills / "plain" / "SKILL.md").write_text("no front matter")
    (skills / "folder" / "SKILL.yaml").mkdir(parents=True)
    active(skills / "bytes", "bytes")
    (skills / "bytes" / "SKILL.yaml").write_bytes(b"name: \xff\n")
    discovered = discover(DiscoveryRequest(workspace=str(top)))
    assert names(discovered) == ["good"]
    assert [Path(bad.file).parent.name for bad in discovered.faults] == ["bad", "broken", "bytes", "folder", "plain"]
    bad, broken, *_ = discovered.faults
    assert [(fault.line, fault.column) for fault in bad.faults] == [(1, 7), (4, 9)]
    assert all(fault.message.startswith("manifest validation: ") for fault in bad.faults)
    assert [fault.message[:16] for fault in broken.faults] == ["parse manifest: "]
    assert {item.source for item in discovered.faults} == {SkillSource.PROJECT}


def test_a_bad_manifest_hides_no_other(top: Path) -> None:
    active(top / "user" / "a", "a", version="none")
    active(top / "work" / ".skills" / "a", "a")
    discovered = discover(DiscoveryRequest(user=str(top / "user"), workspace=str(top / "work")))
    assert [skill.source for skill in discovered.skills] == [SkillSource.PROJECT]


def test_remarks_on_a_manifest_have_their_place(top: Path) -> None:
    folder = active(top / ".skills" / "a", "a", colour="red")
    discovered = discover(DiscoveryRequest(workspace=str(top)))
    assert names(discovered) == ["a"]
    assert discovered.remarks == (f'{folder}/SKILL.yaml:5:1: manifest validation: unknown key "colour"',)


def test_of_one_name_twice_in_a_source_the_first_by_path_counts(top: Path) -> None:
    for name in ("z", "b", "c"):
        active(top / ".skills" / name, "same")
    discovered = discover(DiscoveryRequest(workspace=str(top)))
    files = [f"{top}/.skills/{name}/SKILL.yaml" for name in "bcz"]
    assert [skill.file for skill in discovered.skills] == files[:1]
    assert [item.skill.file for item in discovered.shadowed] == files[1:]
    assert discovered.remarks == tuple(
        f'skill "same" is there twice: {files[0]} counts, {other} does not' for other in files[1:]
    )


def test_links_out_of_the_root_are_refused(top: Path) -> None:
    outside = active(top / "outside", "outside")
    skills = top / "work" / ".skills"
    active(skills / "real", "real")
    active(skills / "manifest", "manifest")
    (skills / "manifest" / "SKILL.yaml").unlink()
    os.symlink(outside / "SKILL.yaml", skills / "manifest" / "SKILL.yaml")
    os.symlink(outside, skills / "link")
    os.symlink(skills / "real", skills / "again")
    os.symlink("loop", skills / "loop")
    os.symlink(top, skills / "no-skill")
    discovered = discover(DiscoveryRequest(workspace=str(top / "work")))
    assert names(discovered) == ["real"]
    assert [(Path(bad.file).name, bad.faults[0].message) for bad in discovered.faults] == [
        ("link", f"it is a link that leads out of {top}/work"),
        ("SKILL.yaml", "parse manifest: it is a link that leaves the tree"),
    ]
    assert discovered.shadowed == ()


def test_a_folder_of_skills_that_leads_out_of_the_workspace_is_refused(top: Path) -> None:
    active(top / "outside" / "a", "a")
    (top / "work").mkdir()
    os.symlink(top / "outside", top / "work" / ".skills")
    discovered = discover(DiscoveryRequest(workspace=str(top / "work")))
    assert discovered.skills == ()
    assert [bad.file for bad in discovered.faults] == [f"{top}/work/.skills"]


def test_the_search_is_stopped_by_no_loop_of_links(top: Path) -> None:
    active(top / "a" / "b", "b")
    os.symlink(top, top / "a" / "up")
    assert names(discover(DiscoveryRequest(configured=(str(top),)))) == ["b"]


def test_a_folder_that_two_sources_have_is_one_skill(top: Path) -> None:
    active(top / ".skills" / "a", "a")
    discovered = discover(DiscoveryRequest(workspace=str(top), configured=(str(top), str(top / ".skills"))))
    assert [skill.source for skill in discovered.skills] == [SkillSource.PROJECT]
    assert (discovered.shadowed, discovered.remarks) == ((), ())


def test_servers_are_skills(top: Path) -> None:
    bad = McpServer("Bad Name", ("serve",))
    servers = (McpServer("files", ("serve",)), McpServer("web", url="https://example.com"), bad)
    discovered = discover(DiscoveryRequest(mcp_servers=servers))
    files, web = discovered.skills
    assert (files.name, files.manifest.version, files.manifest.types) == ("mcp-files", "0.0.0", (SkillType.TOOL,))
    assert (files.manifest.permissions, web.manifest.permissions) == ((Permission.SHELL_EXEC,), ())
    assert files.manifest.implementation is not None
    assert (files.manifest.implementation.backend, files.origin) == (BackendKind.MCP, "mcp:files")
    assert [bad.file for bad in discovered.faults] == ["mcp:Bad Name"]


def test_named_skills_are_marked(top: Path) -> None:
    active(top / ".skills" / "a", "a")
    active(top / ".skills" / "b", "b")
    a, b = discover(DiscoveryRequest(workspace=str(top), inline=("b",))).skills
    assert (a.inline, b.inline) == (False, True)


def test_a_path_that_is_named_comes_before_every_source(top: Path) -> None:
    request = all_sources(top, "mcp-a")
    folder = active(top / "here" / "x", "mcp-a")
    discovered = discover(request._replace(inline=(str(folder),)))
    (skill,) = discovered.skills
    assert (skill.inline, skill.file, skill.source) == (True, f"{folder}/SKILL.yaml", SkillSource.CONFIGURED)
    assert [item.skill.source for item in discovered.shadowed] == [*SkillSource]


def test_a_path_may_be_relative_and_hold_many_skills(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    active(top / "dir" / "a", "a")
    active(top / "dir" / "b", "b")
    monkeypatch.chdir(top)
    discovered = discover(DiscoveryRequest(inline=("./dir",)))
    assert [(skill.name, skill.inline) for skill in discovered.skills] == [("a", True), ("b", True)]


def test_a_path_within_a_source_belongs_to_that_source(top: Path) -> None:
    active(top / "user" / "a", "a")
    folder = active(top / "work" / ".skills" / "a", "a")
    discovered = discover(DiscoveryRequest(user=str(top / "user"), workspace=str(top / "work"), inline=(str(folder),)))
    (skill,) = discovered.skills
    assert (skill.source, skill.origin, skill.inline) == (SkillSource.PROJECT, f"project:{top}/work", True)
    assert [item.skill.source for item in discovered.shadowed] == [SkillSource.USER]


def test_unknown_names_are_an_error_that_lists_them_all(top: Path) -> None:
    active(top / ".skills" / "bad", "bad", version="none")
    with pytest.raises(UserError) as caught:
        discover(DiscoveryRequest(workspace=str(top), inline=("x", "./nowhere", "bad", "e\x1b[m")))
    message = str(caught.value)
    assert 'explicit skill "x" not found in any source; ' in message
    assert 'explicit skill "./nowhere" not found in any source' in message
    bad = f'explicit skill "bad" can\'t be used: {top}/.skills/bad/SKILL.yaml: manifest validation: '
    assert bad in message
    assert "\x1b" not in message


def test_a_name_like_an_unknown_one_is_suggested(top: Path) -> None:
    active(top / ".skills" / "listing", "listing")
    with pytest.raises(UserError) as caught:
        discover(DiscoveryRequest(workspace=str(top), inline=("lsting", "other")))
    first = 'explicit skill "lsting" not found in any source; did you mean "listing"?'
    assert str(caught.value) == f'{first}; explicit skill "other" not found in any source'


def test_what_has_changed_is_read_again(top: Path) -> None:
    folder = active(top / ".skills" / "a", "a")
    readings = Readings()
    request = DiscoveryRequest(workspace=str(top))
    seen = [discover(request, readings)]
    active(folder, "b")
    seen.append(discover(request, readings))
    (folder / "SKILL.md").write_text("---\nname: c\ndescription: C.\n---\n")
    seen.append(discover(request, readings))
    (folder / "SKILL.yaml").unlink()
    seen.append(discover(request, readings))
    (folder / "SKILL.md").unlink()
    seen.append(discover(request, readings))
    assert [(names(one), len(one.faults)) for one in seen] == [(["a"], 0), (["b"], 0), ([], 1), (["c"], 0), ([], 0)]
    assert all(one != other for one, other in pairwise(seen))
