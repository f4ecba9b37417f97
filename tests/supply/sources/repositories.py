"""Git repositories for tests, made by git itself; hostile ones too, whose trees no ordinary command would write."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

_WHO = {"NAME": "Test", "EMAIL": "test@example.com", "DATE": "2026-01-01T00:00:00Z"}

AGENTS = "# SKILLBAG\n\nThe skills are in `.skills/`. There are no extra installation steps.\n"


def skill(name: str, more: str = "") -> dict[str, str]:
    """The files of a skill in a source."""
    text = f"---\nname: {name}\ndescription: Does {name}.\n---\n\nDo {name}.\n{more}"
    return {f".skills/{name}/SKILL.md": text}


def source(*names: str) -> dict[str, str]:
    """The files of a whole source with these skills."""
    catalog = "".join(f"{name}: Does {name}.\n" for name in sorted(names))
    files = {"AGENTS.md": AGENTS, ".skills/SKILLS.md": catalog}
    for name in names:
        files |= skill(name)
    return files


def use_own_git_settings(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """From here on git has no settings but those of the file that is returned, and no variables of the user's."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "SSH_"))]:
        monkeypatch.delenv(name)
    settings = folder / "gitconfig"
    settings.touch()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(folder))
    return settings


def git(folder: Path, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """What git answers in `folder`, without the line end; its own settings play no part."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=stdin,
        env={**os.environ, **who, **alone, **(env or {})},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def committed(folder: Path) -> Path:
    """The folder, which becomes a repository with all that is in it committed, on the branch `main`."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "begin")
    return folder


class Entry(NamedTuple):
    """An entry of a tree that no ordinary command writes: a mode such as `100644`, any name, and an object."""

    mode: str
    name: str | bytes
    object: str


class Repository(NamedTuple):
    """A bare repository."""

    path: Path

    @property
    def url(self) -> str:
        """Its `file://` address."""
        return self.path.as_uri()

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """What git answers in it."""
        return git(self.path, *arguments, stdin=stdin)

    def commit(self, files: Mapping[str, str | bytes], branch: str = "main", *, executable: Iterable[str] = ()) -> str:
        """A commit of just these files on top of `branch`; its name. A value `-> target` makes a symbolic link."""
        stream = [f"commit refs/heads/{branch}\ncommitter Test <test@example.com> 1767225600 +0000\ndata 0\n".encode()]
        if parent := self.tip(f"refs/heads/{branch}"):
            stream.append(f"from {parent}\n".encode())
        stream.append(b"deleteall\n")
        for path, text in files.items():
            data, mode = text.encode() if isinstance(text, str) else text, 755 if path in executable else 644
            target = data.removeprefix(b"-> ")
            kind = f"100{mode}" if target == data else "120000"
            stream.append(b'M %b inline "%b"\ndata %d\n%b\n' % (kind.encode(), path.encode(), len(target), target))
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        return self.tip(f"refs/heads/{branch}")

    def tip(self, reference: str) -> str:
        """The object that a reference names, or an empty string."""
        return self.git("for-each-ref", "--format=%(objectname)", reference)

    def blob(self, content: bytes) -> str:
        """The object of a content."""
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def tree(self, *entries: Entry) -> str:
        """The object of a tree with these entries, as they are."""
        data = b""
        for mode, name, target in entries:
            raw = name if isinstance(name, bytes) else name.encode()
            data += b"%b %b\0%b" % (mode.encode(), raw, bytes.fromhex(target))
        return self.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=data)

    def point(self, branch: str, tree: str) -> str:
        """A branch whose only commit has this tree."""
        commit = self.git("commit-tree", "-m", "test", tree)
        self.git("update-ref", f"refs/heads/{branch}", commit)
        return commit


def make_repository(
    path: Path, files: Mapping[str, str | bytes] | None = None, *, executable: Iterable[str] = (), sha256: bool = False
) -> Repository:
    """A bare repository whose default branch is `main`, with one commit of these files, if any."""
    path.mkdir(parents=True)
    kind = ["--object-format=sha256"] if sha256 else []
    git(path, "init", "--quiet", "--bare", "--initial-branch=main", "--template=", *kind, ".")
    repository = Repository(path)
    if files:
        repository.commit(files, executable=executable)
    return repository
