"""`marketplace.json`: each form of it, and everything that it could do harm with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.workspace.marketplace_file import BadMarketplaceError, read_marketplace
from tests.agents.marketplace.markets import (
    add,
    marketplace,
    plain,
    plugin,
    plugins,
    refs,
    skill,
    update,
)
from tests.rows import each_row
from tests.supply.install.worlds import make_source, write
from tests.supply.sources.repositories import make_repository
from tests.supply.sources.servers import content, git_backend, serve
from tests.support import Run


def test_a_repository_with_a_list_offers_what_its_plugins_have(run: Run, tmp_path: Path) -> None:
    files = plain("listed", "named", "unlisted") | plain("of-plugin", "second", at="plugins/one/skills")
    files |= plain("extra", at="plugins/one/more/skills") | plain("internal", at=".claude/skills")
    files |= plugins(
        plugin("docs", "./", strict=False, skills=["./skills/listed", "skills/named/"]),
        plugin("one", "./plugins/one", skills="./more/skills"),
    )
    add(run, make_repository(tmp_path / "one.git", files).url, "team")

    code, sources = update(run)

    assert code == 0
    assert not sources["team"]["remarks"]
    assert refs(run) == ["team/extra", "team/listed", "team/named", "team/of-plugin", "team/second"]


def test_paths_of_plugins_count_from_the_root_of_plugins(run: Run, tmp_path: Path) -> None:
    files = plain("one-skill", at="plugins/one/skills") | plain("two-skill", at="plugins/two/skills")
    files |= plugins(plugin("one", "one"), plugin("two", "./plugins/two"), metadata={"pluginRoot": "./plugins"})
    add(run, write(tmp_path / "source", files), "team")

    update(run)

    assert refs(run) == ["team/one-skill", "team/two-skill"]


def test_a_list_leads_on_to_other_repositories_once_and_not_in_a_circle(
    run: Run, tmp_path: Path, git_settings: Path
) -> None:
    served = tmp_path / "served"
    with serve({"/": git_backend(served)}) as server:
        git_settings.write_text(f'[url "{server.url}/"]\n\tinsteadOf = https://github.com/acme/\n', "utf-8")
        own = f"{server.url}/own.git"
        other = make_repository(
            served / "other", plain("of-github") | plugins(plugin("own", {"source": "url", "url": own}))
        )
        other.git("tag", "v1")
        other.commit(plain("newer"))
        make_repository(served / "url.git", plain("of-url"))
        make_repository(served / "far.git", plain("near", at="skills") | plain("of-subdir", at="tools/x/skills"))
        make_source(tmp_path / "unused", ["x"])
        make_repository(
            served / "own.git",
            plugins(
                plugin("github", {"source": "github", "repo": "acme/other", "ref": "v1"}),
                plugin("url", {"source": "url", "url": f"{server.url}/url.git"}),
                plugin("subdir", {"source": "git-subdir", "url": f"{server.url}/far.git", "path": "tools/x"}),
                plugin("itself", {"source": "url", "url": own}),
                plugin("npm", {"source": "npm", "package": "@x/y"}),
            ),
        )
        add(run, own, "team")

        code, sources = update(run)

    assert code == 0, sources
    assert refs(run) == ["team/of-github", "team/of-subdir", "team/of-url"]
    assert [remark for remark in sources["team"]["remarks"] if "npm" in remark]


def test_a_repository_that_a_list_leads_to_fails_for_itself(run: Run, tmp_path: Path) -> None:
    there = make_repository(tmp_path / "there.git", plain("there"))
    gone = plugin("gone", {"source": "url", "url": (tmp_path / "gone.git").as_uri()})
    files = plain("own") | plugins(gone, plugin("there", {"source": "url", "url": there.url}), plugin("own", "./"))
    add(run, write(tmp_path / "source", files), "team")

    code, sources = update(run)

    assert code == 4
    assert len(sources["team"]["failures"]) == 1
    assert "gone.git" in sources["team"]["failures"][0]
    assert refs(run) == ["team/own", "team/there"]


@pytest.mark.parametrize("place", ["list.json", ".claude-plugin/marketplace.json"])
def test_a_list_on_the_disk_counts_from_its_folder(run: Run, tmp_path: Path, place: str) -> None:
    files = plain("own", "other") | {place: marketplace(plugin("own", "./", strict=False, skills=["./skills/own"]))}
    write(tmp_path / "source", files)
    add(run, tmp_path / "source" / place, "team")

    assert update(run)[0] == 0
    assert refs(run) == ["team/own"]


def test_a_list_by_itself_is_fetched_over_http_and_kept_for_offline(run: Run, tmp_path: Path) -> None:
    served = tmp_path / "served"
    make_repository(served / "one.git", plain("of-url"))
    with serve({"/": git_backend(served)}) as server:
        url = plugin("url", {"source": "url", "url": f"{server.url}/one.git"})
        server.table["/list.json"] = content(marketplace(url, plugin("here", "./here")).encode())
        add(run, f"{server.url}/list.json", "team")
        offline, _ = update(run, "--offline")
        code, sources = update(run)

    assert (offline, code) == (4, 0)
    assert refs(run) == ["team/of-url"]
    assert any("here" in remark for remark in sources["team"]["remarks"])
    assert update(run, "--offline")[0] == 0
    assert update(run)[0] == 4


def test_a_list_from_elsewhere_does_not_reach_into_this_machine(run: Run, tmp_path: Path) -> None:
    secret = make_repository(tmp_path / "secret.git", plain("secret"))
    write(tmp_path / "folder", plain("folder"))
    local = [
        plugin("file", {"source": "url", "url": secret.url}),
        plugin("folder", {"source": "url", "url": str(tmp_path / "folder")}),
        plugin("relative", {"source": "url", "url": "../folder"}),
        plugin("ext", {"source": "url", "url": "ext::sh -c id"}),
        plugin("option", {"source": "url", "url": "--upload-pack=id"}),
        plugin("secret", {"source": "url", "url": "https://me:word@127.0.0.1:9/x.git"}),
    ]
    with serve({"/list.json": content(marketplace(*local).encode())}) as server:
        add(run, f"{server.url}/list.json", "team")
        code, sources = update(run)

    assert code == 0
    assert refs(run) == []
    assert len(sources["team"]["remarks"]) == len(local)


def test_a_malformed_list_of_a_repository_is_reported_and_all_its_skills_are_taken(run: Run, tmp_path: Path) -> None:
    add(run, write(tmp_path / "source", plain("one") | {".claude-plugin/marketplace.json": "{"}), "team")

    code, sources = update(run)

    assert code == 0
    assert refs(run) == ["team/one"]
    assert "marketplace.json:1: it is not JSON" in sources["team"]["remarks"][0]


def test_a_list_that_is_a_link_out_of_its_repository_is_not_read(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"outside.json": marketplace(plugin("own", "./", strict=False, skills=["./skills/one"]))})
    write(tmp_path / "source", plain("one", "two"))
    (tmp_path / "source" / ".claude-plugin").mkdir()
    (tmp_path / "source" / ".claude-plugin" / "marketplace.json").symlink_to(tmp_path / "outside.json")
    add(run, tmp_path / "source", "team")

    update(run)

    assert refs(run) == ["team/one", "team/two"]


@each_row(
    "text",
    [
        *(
            "",
            "[]",
            "7",
            '"x"',
            "null",
            "{}",
            '{"plugins": {}}',
            '{"plugins": "x"}',
            "\xef\xbb\xbfx",
            "{'plugins': []}",
        ),
        *("[" * 100_000, '{"plugins":' * 50_000, '{"plugins": [' + "9" * 5_000 + "]", "x" * (1 << 20) + "x", "\0"),
    ],
    ids=lambda text: text[:12].replace("\0", "NUL"),
)
def test_what_is_no_list_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"marketplace.json": text})

    with pytest.raises(BadMarketplaceError) as error:
        read_marketplace(str(tmp_path / "marketplace.json"), str(tmp_path))

    assert len(str(error.value)) < 300


MALFORMED = [
    *json.loads(Path(__file__).with_name("malformed_plugins.json").read_text("utf-8")),
    *({"source": "x" * 3000}, {"source": "./", "skills": ["x"] * 5000}),
]


@each_row("item", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_plugin_is_reported_and_the_others_count(tmp_path: Path, item: object) -> None:
    good = plugin("good", "./good")
    write(tmp_path, {"marketplace.json": marketplace(item, good)})

    found = read_marketplace(str(tmp_path / "marketplace.json"), str(tmp_path))

    assert [row.places for row in found.plugins] == [("good/skills",)]
    assert len([*found.remarks, *found.elsewhere]) == 1
    assert len([*found.remarks, *found.elsewhere][0]) < 300


def test_a_list_of_very_many_plugins_and_repositories_is_bounded(run: Run, tmp_path: Path) -> None:
    many = [
        plugin(f"p{number}", {"source": "url", "url": f"https://127.0.0.1:9/{number}.git"}) for number in range(2500)
    ]
    write(tmp_path, {"marketplace.json": marketplace(*many)})
    found = read_marketplace(str(tmp_path / "marketplace.json"), str(tmp_path))

    from skillbag.agents.marketplace.manifest_sources import parts_of_list
    from skillbag.agents.settings.user_settings import MarketSource

    parts = parts_of_list(MarketSource("team", str(tmp_path / "marketplace.json")), offline=True)

    assert len(found.plugins) == 1000
    assert len(parts.parts) == 100
    assert len(parts.remarks) == 901


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["./", "./a", "url", "github", "git-subdir", "a/b"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "source", "url", "repo", "path", "ref", "sha", "skills", "strict"]), inner
        )
    ),
    max_leaves=12,
)


@given(plugins=_VALUES, metadata=_VALUES)
def test_no_list_makes_the_reader_fail_or_lead_out(tmp_path: Path, plugins: object, metadata: object) -> None:
    text = json.dumps({"plugins": plugins, "metadata": metadata}, ensure_ascii=True)
    write(tmp_path, {"marketplace.json": text})
    try:
        found = read_marketplace(str(tmp_path / "marketplace.json"), str(tmp_path))
    except BadMarketplaceError:
        return
    for row in found.plugins:
        for place in row.places:
            assert not place.startswith("/")
            assert ".." not in place.split("/")


def test_two_skills_of_one_name_in_a_source_are_reported_and_the_first_counts(run: Run, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other.git", {"skills/one/SKILL.md": skill("one", "Something else.")})
    files = plain("one") | plugins(plugin("own", "./"), plugin("other", {"source": "url", "url": other.url}))
    add(run, write(tmp_path / "source", files), "team")

    _, sources = update(run)

    assert refs(run) == ["team/one"]
    assert sources["team"]["remarks"] == ["one: the source offers another skill of this name before"]


def test_a_place_that_a_plugin_names_and_that_holds_nothing_is_reported(run: Run, tmp_path: Path) -> None:
    files = plain("one") | plugins(plugin("own", "./", skills=["./skills/one", "./skills/gone"]))
    add(run, write(tmp_path / "source", files), "team")

    _, sources = update(run)

    assert refs(run) == ["team/one"]
    assert sources["team"]["remarks"] == ["plugin own: skills/gone: it holds no installable skill"]
