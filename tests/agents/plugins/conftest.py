"""A workspace with two skills, our plugin as a host sees it, and plugins that a test writes."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.agents.plugins.plain_host import ENVIRONMENT, PlainHost, Printed
from tests.agents.plugins.plugged import Hosting, InnerHost, Plugged, Put, catalog, restricted
from tests.supply.install.worlds import make_workspace, skill_text, write
from tests.support import Run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two skills: `aa` allows some tools only, `bb` any. A secret lies beside them."""
    folder = make_workspace(tmp_path / "workspace")
    write(
        folder,
        {
            ".skills/SKILLS.md": catalog("aa", "bb"),
            ".skills/aa/SKILL.md": restricted("aa"),
            ".skills/aa/scripts/say.sh": 'echo "$1"; cat; exit 3\n',
            ".skills/aa/references/notes.md": "Notes.\n",
            ".skills/bb/SKILL.md": skill_text("bb"),
            ".skills/aab/secret.txt": "secret\n",
        },
    )
    return folder


@pytest.fixture
def plugins(tmp_path: Path, run: Run) -> Path:
    """The plugins folder of a host, with our plugin installed."""
    folder = tmp_path / "plugins"
    assert run("agent", "plugin", "install", folder).code == 0
    return folder


@pytest.fixture
def host(plugins: Path, workspace: Path) -> Hosting:
    def make(form: str = ENVIRONMENT, folder: Path = workspace, **more: str) -> PlainHost:
        return PlainHost(plugins, folder, form, **more)

    return make


@pytest.fixture
def plugged(workspace: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Plugged:
    """The plugin run within this process, in one session: what it says with these variables and this input."""

    def call(stdin: bytes = b"", words: tuple[str, ...] = (), folder: Path = workspace, **named: str) -> Printed:
        with monkeypatch.context() as patch:
            for name, value in named.items():
                patch.setenv(name, value)
            outcome = run("agent", "plugin", "serve", *words, cwd=folder, stdin=stdin)
        return Printed(outcome.code, outcome.out, outcome.err)

    return call


@pytest.fixture
def inner(plugged: Plugged) -> Hosting:
    return partial(InnerHost, plugged)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plugins"
    made.mkdir()
    return made


@pytest.fixture
def put(folder: Path) -> Put:
    """Write an executable plugin: its schema, and the shell lines that answer everything else."""

    def write(path: str, does: str = "", *, schema: object = None, hooks: tuple[str, ...] = ()) -> Path:
        name = Path(path).name
        message = {"name": name, "description": f"What {name} does", "hooks": hooks} if schema is None else schema
        text = message if isinstance(message, str) else json.dumps(message)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\nif [ \"$1\" = --schema ]; then cat <<'END'\n{text}\nEND\nexit; fi\n{does}\n")
        file.chmod(0o755)
        return file

    return write
