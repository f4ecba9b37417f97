"""A real Neovim without a terminal, with the settings of `docs/editors.md`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.processes import eventually
from tests.support import PROJECT


def version() -> tuple[int, int]:
    """The version of the Neovim that is installed: 0.7.2 is (0, 7)."""
    said = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


def settings(version: tuple[int, int]) -> str:
    """The block of the page for this version, of those that name the version from which on they hold."""
    page = (PROJECT / "docs/editors.md").read_text("utf-8")
    blocks = re.findall(r"<!-- neovim (\d+)\.(\d+) -->\n```lua\n(.*?)```", page, re.DOTALL)
    fitting = [(int(major), int(minor), text) for major, minor, text in blocks if (int(major), int(minor)) <= version]
    assert fitting, version
    return str(max(fitting)[2])


class Neovim:
    """One editor, which listens at a socket; it is asked in Lua and typed to."""

    def __init__(self, home: Path, folder: Path, extra: str = "") -> None:
        self._socket = str(home / "socket")
        init = home / "init.lua"
        self.version = version()
        init.write_text(settings(self.version) + extra, "utf-8")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_STATE_HOME": str(home)}
        self._env, self._log = env, home / "stderr"
        command = ["nvim", "--headless", "--clean", "-n", "-u", str(init), "--listen", self._socket]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.PIPE, stderr=log)
        assert eventually(lambda: Path(self._socket).exists()), self._log.read_text()

    def _remote(self, *words: str) -> str:
        command = ["nvim", "--server", self._socket, *words]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        # Neovim 0.7 writes the value to standard error where that is no terminal.
        return done.stdout or done.stderr

    def ask(self, lua: str) -> Any:
        """The value of an expression in Lua."""
        quoted = lua.replace("'", "''")
        return json.loads(self._remote("--remote-expr", f"luaeval('vim.json.encode({quoted})')"))

    def run(self, lua: str) -> None:
        """Run a statement in Lua."""
        self.ask(f"(function() {lua} return 1 end)()")

    def type(self, keys: str) -> None:
        """Type keys, in the notation of mappings."""
        self._remote("--remote-send", keys)

    def becomes(self, lua: str, value: object, seconds: float = 30) -> None:
        """Wait until an expression has this value."""
        seen: object = None

        def holds() -> bool:
            nonlocal seen
            seen = self.ask(lua)
            return seen == value

        assert eventually(holds, seconds), (lua, seen, self.log())

    def log(self) -> str:
        """What Neovim and the server complained of."""
        return self._log.read_text("utf-8", "replace") + str(self.ask("vim.fn.execute('messages')"))

    def end(self) -> None:
        """End it; the server ends with it."""
        try:
            # It may be gone before it answers.
            with suppress(AssertionError, subprocess.TimeoutExpired):
                self.type("<C-\\><C-n>:qall!<CR>")
                self._process.wait(300)
        finally:
            self._process.kill()
            self._process.communicate()
