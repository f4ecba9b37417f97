"""A small world that can be edited in every way: a repository with a workspace, a source and a plain tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.edited_texts import PLACES, RULE, SKILL


class World:
    """The world in the folder `top`; each method edits it, and does nothing where that is not possible."""

    def __init__(self, top: Path) -> None:
        self.top = top
        for place in PLACES:
            (top / place).mkdir(parents=True, exist_ok=True)
        (top / "ws/.skills/d").rmdir()
        subprocess.run(["git", "init", "-q", str(top)], check=True, env=self.environment())
        first = {
            "ws/SKILLBAG.md": "SkillBag v0.3.0\n",
            "ws/.skills/SKILLS.md": "- a - Tidy a. Use when files lie about. #use/a\n",
            "ws/CONTEXT.md": "# Context\n",
            "ws/USER_CONTEXT.md": "# Mine\n",
            "src/AGENTS.md": "# SKILLBAG source\n",
            "src/.skills/SKILLS.md": "",
            "src/.skills/a/SKILL.md": SKILL.format("a"),
            "outside/note.md": "# Note\n",
            "team/own.yaml": RULE.format("own", "warning", "workspace", "nested"),
            **{f"ws/.skills/{name}/SKILL.md": SKILL.format(name) for name in "abc"},
            **{f"plain/skills/{name}/SKILL.md": SKILL.format(name) for name in "xy"},
        }
        for name, text in first.items():
            (top / name).write_text(text, "utf-8")

    def environment(self) -> dict[str, str]:
        """What programs are given: git's settings and a shell of this world's own."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        path = f"{self.top}/bin{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {**plain, "HOME": f"{self.top}/home", "XDG_CONFIG_HOME": f"{self.top}/home/.config", "PATH": path}

    def write(self, name: str, text: bytes) -> None:
        with suppress(OSError):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            (self.top / name).write_bytes(text)

    def append(self, name: str, text: bytes) -> None:
        with suppress(OSError), open(self.top / name, "ab") as file:
            file.write(text[:200])

    def truncate(self, name: str, size: int) -> None:
        with suppress(OSError):
            os.truncate(self.top / name, size)

    def replace(self, name: str, text: bytes) -> None:
        with suppress(OSError):
            new = self.top / "new"
            new.write_bytes(text)
            os.replace(new, self.top / name)

    def swap_bytes(self, name: str) -> None:
        """Other content of the same size, with the times of before."""
        with suppress(OSError):
            path = self.top / name
            before = path.stat()
            path.write_bytes(path.read_bytes().swapcase())
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def touch(self, name: str) -> None:
        with suppress(OSError):
            os.utime(self.top / name)

    def copy_over(self, name: str) -> None:
        with suppress(OSError):
            shutil.copy2(self.top / name, self.top / "copied")
            os.replace(self.top / "copied", self.top / name)

    def delete(self, name: str) -> None:
        path = self.top / name
        if name in ("", "ws", "plain"):
            return
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def move(self, name: str, to: str) -> None:
        with suppress(OSError):
            if name not in ("", ".git"):
                (self.top / to).parent.mkdir(parents=True, exist_ok=True)
                os.rename(self.top / name, self.top / to)

    def swap(self, one: str, other: str) -> None:
        with suppress(OSError):
            os.rename(self.top / one, self.top / "swapped")
            with suppress(OSError):
                os.rename(self.top / other, self.top / one)
            os.rename(self.top / "swapped", self.top / other)

    def make_folder(self, name: str) -> None:
        with suppress(OSError):
            (self.top / name).mkdir(parents=True)

    def link(self, name: str, says: str) -> None:
        with suppress(OSError):
            path = self.top / name
            if path.is_symlink() or path.is_file():
                path.unlink()
            path.symlink_to(says)

    def chmod(self, name: str, mode: int) -> None:
        with suppress(OSError):
            os.chmod(self.top / name, mode)

    def git(self, *arguments: str) -> None:
        subprocess.run(
            ["git", "-C", str(self.top), *arguments], env=self.environment(), capture_output=True, check=False
        )

    def add(self, name: str) -> None:
        self.git("add", "-f", name)

    def untrack(self, name: str) -> None:
        self.git("rm", "-rq", "--cached", name)

    def set_in_git(self, key: str, value: bool) -> None:
        self.git("config", key, str(value).lower())

    def program(self, text: str) -> None:
        """Put another `bash` before the one of the system; without a text, take it away."""
        path = self.top / "bin/bash"
        with suppress(OSError):
            path.unlink(missing_ok=True)
            if text:
                path.write_text(text)
                path.chmod(0o755)

    def remove(self) -> None:
        """Delete it all, whatever may not be entered."""
        subprocess.run(["chmod", "-R", "u+rwX", str(self.top)], capture_output=True, check=False)
        shutil.rmtree(self.top, ignore_errors=True)

    def requests(self) -> tuple[CheckRequest, ...]:
        """What may be asked of this world."""
        top = str(self.top)
        ws, plain = f"{top}/ws", f"{top}/plain"
        return (
            CheckRequest((top,)),
            CheckRequest((ws,)),
            CheckRequest((plain,), today="2026-01-01"),
            CheckRequest((ws, plain, f"{top}/src"), today="2027-01-01"),
            CheckRequest((ws,), select=("links", "files", "suppressions")),
            CheckRequest((top,), ignore=("prose",), exclude=("**/b/**", "plain/skills/y"), here=top),
            CheckRequest((f"{ws}/.skills/a",), root=ws),
            CheckRequest((top,), kind=TargetKind.SKILLS),
            CheckRequest((f"{plain}/skills/x/SKILL.md",)),
            CheckRequest(
                (ws,),
                select=(
                    "user-context-tracked",
                    "user-context-not-ignored",
                    "script-not-executable",
                    "script-syntax-invalid",
                ),
            ),
            CheckRequest((f"{top}/src",), config=f"{top}/skillbag.toml"),
        )


def outcome(request: CheckRequest, *, remember: bool) -> CheckResult | str:
    """The result of a check, or its error."""
    try:
        return (CachedChecker if remember else Checker)(request).check()
    except (UserError, OSError) as error:
        return f"{type(error).__name__}: {error}"


_ticks: dict[int, float] = {}


def tick(folder: Path) -> float:
    """The seconds after which a change is sure to bear another time than one before it."""
    device = folder.stat().st_dev
    if device not in _ticks:
        _ticks[device] = _measured(folder)
    return _ticks[device]


def _measured(folder: Path) -> float:
    probe, longest = folder / "probe", 0.0
    for _ in range(3):
        probe.write_bytes(b"")
        first, begun = probe.stat().st_ctime_ns, time.monotonic()
        while probe.stat().st_ctime_ns == first:
            probe.touch()
        longest = max(longest, time.monotonic() - begun)
    probe.unlink()
    return longest * 2 + 0.002


def init_repository(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a repository with an ignored user context."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    (top / "USER_CONTEXT.md").write_text("# Mine\n")
    (top / ".gitignore").write_text("USER_CONTEXT.md\n")
