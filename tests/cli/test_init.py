"""`skillbag init` and `skillbag new` as commands: what they write passes the strict check."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Run, Tree


def listing(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("flags", [[], ["--source"], ["--agents", "claude,cursor,copilot", "--pre-commit", "--github"]])
def test_fresh_ones_pass_the_strict_check(tmp_path: Path, run: Run, flags: list[str]) -> None:
    assert run("init", tmp_path, *flags).code == 0
    assert run("check", tmp_path, "--strict").code == 0
    for name in ("convert-to-pdf", "invoice-tools", "a", "x1-2"):
        assert run("new", name, cwd=tmp_path).code == 0
    assert run("new", "last", "--description", 'It\'s: "odd" #run/last', cwd=tmp_path / ".skills").code == 0
    outcome = run("check", tmp_path, "--strict")
    assert (outcome.code, outcome.out.count("conforms")) == (0, 1)


def test_a_second_init_says_so_and_changes_nothing(tmp_path: Path, run: Run) -> None:
    run("init", cwd=tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)}
    assert "Everything is in place" in run("init", cwd=tmp_path).out
    assert {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)} == before


def test_a_dry_run_writes_nothing(tmp_path: Path, run: Run) -> None:
    outcome = run("init", "--dry-run", "--github", cwd=tmp_path)
    assert outcome.code == 0
    assert ".skills/skillbag-get-skills/SKILL.md" in outcome.out
    assert listing(tmp_path) == set()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["new", "My Skill"], "my-skill"),
        (["new", "skillbag-get-skills"], "skillbag-get-skills"),
        (["init", "--agents", "nobody"], "known are claude"),
        (["init", "--entrypoint", "missing.md"], "missing"),
        (["init", "--source", "--entrypoint", "published.md"], "not both"),
        (["init", "--repo", "; rm -rf /"], "--repo"),
        (["initt"], "Did you mean 'init'?"),
        (["rule", "catalog-sort"], "Did you mean 'catalog-sorted'?"),
    ],
)
def test_mistakes_are_exit_2(tree: Tree, run: Run, arguments: list[str], words: str) -> None:
    root = tree({"published.md": "SkillBag v0.3.0\n\nText.\n"})
    run("init", cwd=root)
    before = listing(root)
    outcome = run(*arguments, cwd=root)
    assert outcome.code == 2
    assert words in outcome.err
    assert listing(root) == before


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("published")
    (folder / "SKILLBAG.md").write_text("SkillBag v0.3.0\n\nThe published text.\n", "utf-8")
    (folder / "large.md").write_bytes(b"SkillBag v0.3.0\n" + b"x" * (1 << 20))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == "/redirect.md":
                self.send_response(302)
                self.send_header("Location", (folder / "SKILLBAG.md").as_uri())
                self.end_headers()
            else:
                super().do_GET()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_published_entrypoint_is_fetched(tmp_path: Path, run: Run, server: str) -> None:
    assert run("init", tmp_path / "w", "--entrypoint", f"{server}/SKILLBAG.md").code == 0
    assert (tmp_path / "w/SKILLBAG.md").read_text() == "SkillBag v0.3.0\n\nThe published text.\n"
    assert run("check", tmp_path / "w", "--strict").code == 0


@pytest.mark.parametrize(("page", "code"), [("missing.md", 4), ("large.md", 2), ("redirect.md", 4)])
def test_a_page_that_cannot_be_had_leaves_nothing(tmp_path: Path, run: Run, server: str, page: str, code: int) -> None:
    outcome = run("init", tmp_path / "w", "--entrypoint", f"{server}/{page}")
    assert outcome.code == code
    assert "--entrypoint" in outcome.err
    assert not (tmp_path / "w").exists()
