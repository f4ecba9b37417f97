"""A picture of the server in an editor: a real Neovim, with the settings that `docs/editors.md` shows.

    python tools/editor_picture.py > docs/images/editor.svg

Colours are those of the terminal, so that the picture follows the reader's light or dark scheme as the recording does.
It is made by hand, since it needs Neovim; a test compares its findings with those of today.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from terminal import Terminal
from terminal_svg import Frame, drawing

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples/draft"
FILE = "skills/translate-page/SKILL.md"
COLUMNS, LINES = 104, 30
TITLE = (
    "Neovim with the file SKILL.md: warnings of skillbag stand behind their lines, and a window explains the rule of "
    "the one at the cursor"
)
_BLOCK = re.compile(r"<!-- neovim 0\.7 -->\n```lua\n(.*?)```", re.DOTALL)
LOOKS = """
vim.opt.number, vim.opt.signcolumn, vim.opt.laststatus, vim.opt.ruler = true, "yes", 0, false
vim.opt.showmode, vim.opt.showcmd, vim.opt.fillchars, vim.opt.wrap = false, false, "eob: ", false
vim.opt.cursorline, vim.opt.conceallevel, vim.opt.linebreak = true, 0, true
vim.diagnostic.config({ virtual_text = { prefix = "■", spacing = 2 }, severity_sort = true })
vim.lsp.handlers["textDocument/hover"] = vim.lsp.with(vim.lsp.handlers.hover, { border = "rounded", max_width = 90 })
for _, name in ipairs({ "Error", "Warn", "Info", "Hint" }) do
  local sign = "DiagnosticSign" .. name
  vim.fn.sign_define(sign, { text = "●", texthl = sign })
end
vim.cmd([[
  syntax enable
  highlight clear
  highlight Normal ctermfg=NONE ctermbg=NONE
  highlight NormalFloat ctermfg=NONE ctermbg=NONE
  highlight FloatBorder ctermfg=8
  highlight LineNr ctermfg=8
  highlight CursorLine cterm=NONE
  highlight CursorLineNr cterm=bold ctermfg=NONE
  highlight SignColumn ctermbg=NONE
  highlight DiagnosticWarn ctermfg=3
  highlight DiagnosticSignWarn ctermfg=3
  highlight DiagnosticVirtualTextWarn ctermfg=3 cterm=italic
  highlight DiagnosticUnderlineWarn cterm=underline
  highlight Title cterm=bold ctermfg=4
  highlight markdownH2 cterm=NONE ctermfg=NONE
  highlight Comment ctermfg=8
  highlight PreProc ctermfg=8
  highlight Identifier ctermfg=6
  highlight Type ctermfg=6
  highlight Statement ctermfg=6
  highlight Special ctermfg=5
  highlight Underlined cterm=NONE ctermfg=4
  highlight String ctermfg=2
  highlight Number ctermfg=5
  highlight Float ctermfg=5
  highlight Delimiter ctermfg=8
]])
"""


def picture() -> str:
    """The SVG of the editor at a finding."""
    with tempfile.TemporaryDirectory() as temporary:
        home, folder = Path(temporary, "home"), Path(temporary, "draft")
        home.mkdir()
        shutil.copytree(EXAMPLE, folder)
        (folder / ".git").mkdir()
        found = _BLOCK.search((ROOT / "docs/editors.md").read_text("utf-8"))
        if not found:
            raise SystemExit("docs/editors.md has no block after <!-- neovim 0.7 -->")
        (home / "init.lua").write_text(found[1] + LOOKS, "utf-8")
        terminal = Terminal(COLUMNS, LINES)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        env = {"PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        terminal.start(["nvim", "--clean", "-n", "-u", str(home / "init.lua"), FILE], folder, env)
        terminal.wait(lambda screen: screen.count("■") == 3)
        terminal.write("10Gf(l")
        terminal.write("K")
        terminal.wait(lambda screen: "╭" in screen)
        terminal.write(":\x1b")
        terminal.wait(lambda screen: "╭" in screen)
        rows = terminal.rows()
        terminal.write("\x1b:qall!\r")
        terminal.finish()
    last = max(number for number, row in enumerate(rows) if row)
    return drawing([Frame(rows[: last + 2], 1.0)], COLUMNS, TITLE)


if __name__ == "__main__":
    sys.stdout.write(picture())
