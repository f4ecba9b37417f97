"""The server in a real Neovim, with the settings that the documentation shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.neovim import Neovim
from tests.processes import eventually
from tests.support import PROJECT

pytestmark = [
    pytest.mark.boundary,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed: apt-get install neovim"),
]
CODES = "vim.tbl_map(function(each) return each.code end, vim.diagnostic.get(0))"
DRAFT = "skills/translate-page/SKILL.md"
FAULTS = ["value-unquoted", "link-broken", "script-not-executable", "link-anchor-broken"]
CLIENTS = "(vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.tbl_values(vim.lsp.buf_get_clients(0)))"
LINE = "vim.api.nvim_get_current_line()"
FILE = "vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':.')"
CHOOSE = """
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    if options.format_item(item):find(wanted, 1, true) then return choose(item) end
  end
end
"""


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of an example, as a repository of its own."""
    copied = tmp_path / "work"
    shutil.copytree(PROJECT / "examples" / request.param, copied)
    (copied / ".git").mkdir()
    return copied


@pytest.fixture
def neovim(folder: Path, tmp_path: Path) -> Iterator[Neovim]:
    home = tmp_path / "home"
    home.mkdir()
    editor = Neovim(home, folder, CHOOSE)
    yield editor
    editor.end()


def opened(neovim: Neovim, name: str) -> None:
    """Open a file, and wait until the server has answered for it."""
    neovim.type(f":edit {name}<CR>")
    neovim.becomes(f"#vim.tbl_filter(function(each) return each.initialized end, {CLIENTS})", 1)


@pytest.mark.parametrize("folder", ["draft"], indirect=True)
def test_findings_follow_what_is_typed(neovim: Neovim, folder: Path) -> None:
    opened(neovim, DRAFT)
    neovim.becomes(CODES, FAULTS)
    neovim.type("12Gf)i-as-it-is<Esc>")
    neovim.becomes(CODES, FAULTS[:3])
    neovim.type("u")
    neovim.becomes(CODES, FAULTS)
    assert "as-it-is)" not in (folder / DRAFT).read_text("utf-8")


@pytest.mark.parametrize("folder", ["workspace"], indirect=True)
def test_a_definition_is_gone_to(neovim: Neovim, folder: Path) -> None:
    opened(neovim, ".skills/SKILLS.md")
    neovim.type("/use.check-links<CR>$" + ("gd" if neovim.version < (0, 11) else "<C-]>"))
    neovim.becomes(FILE, ".skills/check-links/SKILL.md")


@pytest.mark.parametrize("folder", ["workspace"], indirect=True)
def test_a_skill_is_renamed_or_the_reason_is_given(neovim: Neovim, folder: Path) -> None:
    opened(neovim, ".skills/check-links/SKILL.md")
    neovim.type("/check-links<CR>")
    neovim.run("vim.lsp.buf.rename('find-links')")
    if neovim.version < (0, 10):
        # It renames files for a server, but no folders.
        neovim.becomes("vim.fn.execute('messages'):find('can.t rename folders') ~= nil", value=True)
        assert (folder / ".skills/check-links").is_dir()
    else:
        neovim.becomes("vim.fn.bufnr('find-links/SKILL.md') > 0", value=True)
        neovim.type(":wall<CR>")
        skill = folder / ".skills/find-links/SKILL.md"
        assert eventually(lambda: skill.is_file() and "name: find-links" in skill.read_text("utf-8"))
        assert eventually(lambda: "find-links" in (folder / ".skills/SKILLS.md").read_text("utf-8"))
        assert not (folder / ".skills/check-links").exists()


@pytest.mark.parametrize("folder", ["workspace"], indirect=True)
def test_a_parameter_is_renamed_in_all_files(neovim: Neovim, folder: Path) -> None:
    opened(neovim, "CONTEXT.md")
    neovim.type("/audience<CR>")
    neovim.run("vim.lsp.buf.rename('readers')")
    neovim.becomes("vim.fn.bufnr('release-notes/SKILL.md') > 0", value=True)
    neovim.type(":wall<CR>")
    files = [folder / "CONTEXT.md", folder / ".skills/release-notes/SKILL.md"]
    assert eventually(
        lambda: all("readers:" in file.read_text() or "name: readers" in file.read_text() for file in files)
    )
    assert "audience:" not in files[0].read_text("utf-8")


@pytest.mark.parametrize("folder", ["workspace"], indirect=True)
def test_names_of_skills_are_completed(neovim: Neovim, folder: Path) -> None:
    opened(neovim, "CONTEXT.md")
    neovim.type("/name-branches<CR>C<C-x><C-o>")
    neovim.becomes("vim.fn.pumvisible()", 1)
    words = neovim.ask("vim.tbl_map(function(each) return each.word end, vim.fn.complete_info().items)")
    assert {"name-branches", "release-notes", "check-links"} <= {*words}


@pytest.mark.parametrize("folder", ["draft"], indirect=True)
def test_a_fix_is_applied(neovim: Neovim, folder: Path) -> None:
    opened(neovim, DRAFT)
    neovim.becomes(CODES, FAULTS)
    neovim.run("wanted = '1.10'")
    neovim.type("5Gf1:lua vim.lsp.buf.code_action()<CR>")
    neovim.becomes(LINE, '  version: "1.10"')
    neovim.becomes(CODES, FAULTS[1:])


@pytest.mark.parametrize("folder", ["draft"], indirect=True)
def test_the_rule_is_explained_at_its_finding(neovim: Neovim, folder: Path) -> None:
    opened(neovim, DRAFT)
    neovim.becomes(CODES, FAULTS)
    neovim.type("5Gf1K")
    neovim.becomes("#vim.api.nvim_list_wins()", 2)
    shown = "vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(vim.api.nvim_list_wins()[2]), 0, -1, false)"
    assert "value-unquoted" in "\n".join(neovim.ask(shown))
