"""A world with credentials in its addresses, and what may not keep them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from tests.supply.install.worlds import write
from tests.supply.sources.repositories import Repository
from tests.supply.sources.servers import Server
from tests.support import Completed, Run

USER = "visitor-one"


PASSWORDS = ("hunter2", "Sommer2024", "x")
"""None of them looks drawn by chance."""


class World(NamedTuple):
    """A workspace and a server that asks for a password; `printed` is the output of all commands so far."""

    run: Run
    folder: Path
    workspace: Path
    repository: Repository
    server: Server
    password: str
    printed: list[str]

    def address(self, path: str = "repo.git", password: str = "") -> str:
        """An address at the server with the credentials in it."""
        return f"{self.server.url}/{path}".replace("//", f"//{USER}:{password or self.password}@", 1)

    def call(self, *arguments: object, code: int | None = None, stdin: bytes = b"") -> Completed:
        """Run a command; what it prints is kept."""
        outcome = self.run(*arguments, cwd=self.workspace, stdin=stdin)
        self.printed.append(f"{outcome.out}\n{outcome.err}")
        assert code in (None, outcome.code), self.printed[-1]
        return outcome

    def both(self, *arguments: object, code: int | None = None) -> None:
        """Run a command as text and as JSON."""
        self.call(*arguments, code=code)
        self.call(*arguments, "--json", code=code)

    def declares(self, text: str, name: str = "CONTEXT.md") -> None:
        """Write a context file with a block of YAML."""
        write(self.workspace, {name: f"# Context\n\n```yaml\n{text}```\n"})

    def leaks(self, text: str) -> bool:
        """Whether a text gives the credentials away."""
        parts = [f"{USER}:{self.password}", f":{self.password}@", f"token={self.password}"]
        return any(part in text for part in parts) or (len(self.password) > 1 and self.password in text)


def assert_nothing_kept(world: World) -> None:
    """No file that a command wrote names or holds the credentials."""
    ours = {"CONTEXT.md", "USER_CONTEXT.md", "SKILL.md", "settings.json"}
    for root in (world.workspace, world.folder / "out", *map(Path, user_folders())):
        for path in root.rglob("*"):
            assert not world.leaks(path.name)
            if path.is_file() and path.name not in ours:
                assert not world.leaks(path.read_bytes().decode("latin-1")), path


def user_folders() -> list[str]:
    return [os.environ[f"SKILLBAG_{name}_DIR"] for name in ("CACHE", "STATE", "CONFIG", "PERSONAL")]
