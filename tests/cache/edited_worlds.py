"""A small world that can be edited in every way: a repository with a workspace, a source and a plain tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from skillbag.base.errors import UserError
from skillbag.cache.checker import CachedChecker
from skillbag.engine.checker import Checker
from skillbag.engine.request import CheckRequest
from skillbag.model.result import Result
from skillbag.workspace.target import Kind

TOKEN = "ghp_" + "R7kQ2mVx9TzL4pYc8WnB3sHd6FgJ1aUe5oXi"

SKILL = "---\nname: {0}\ndescription: Tidy {0}. Use when files lie about. #use/{0}\n---\n\n# {0}\n\n"
TEXTS: tuple[bytes, ...] = tuple(
    text.encode("utf-8")
    for text in (
        "",
        "# Words\n",
        *(SKILL.format(name) for name in "abc"),
        SKILL.format("b") + "Run `run c-d`, read [the guide](references/guide.md#words) and [b](../b/SKILL.md).\n",
        SKILL.format("a") + "See [out](../../../outside/note.md), [top](../../NOTES.md) and `scripts/run.sh`.\n",
        SKILL.format("a")
        + "```yaml\ndependencies:\n  - name: b\n  - name: nobody\n```\n\n```sh\n./scripts/run.sh --all\n```\n",
        SKILL.format("c") + "## Dependencies\n\n```yaml\ndependencies:\n  - name: a\n```\n",
        SKILL.format("a") + '<!-- skillbag: ignore-file[link-broken] reason="x" until=2026-06-01 -->\n[x](gone.md)\n',
        SKILL.format("a") + '<!-- skillbag: ignore[nothing] reason="x" until=soon -->\n[x](gone.md)\n',
        f"---\nname: a\ndescription: It uses {TOKEN} always.\n---\n\nKEY={TOKEN}\n",
        "---\nname: [a\n---\n",
        "#!/bin/sh\nif true; then\n  echo 'never closed\n",
        "#!/bin/bash\necho sound\n",
        "def broken(:\n",
        "SkillBag v0.3.0\n",
        "SkillBag v9.9.9\n",
        "# SKILLBAG source\n",
        "- a - Tidy a. Use when files lie about. #use/a\n- b - other words\n- ghost - not there\n",
        "- c - Tidy c. Use when files lie about. #use/c\n",
        "# Context\n\n```yaml\nskills:\n  - name: a\n    source: ./src\ndependencies:\n  - name: b\n```\n",
        '# Context\n\n```yaml\nprohibit:\n  - "gh\\0st"\noverrides:\n  - name: "a\\0b"\n    source: ./x\n```\n',
        "USER_CONTEXT.md\n",
        "!USER_CONTEXT.md\nplain/skills/\n",
        "*.md\n/plain/\n",
        '[levels]\nlink-broken = "note"\n',
        'ignore = ["prose"]\n[paths."**/b/**"]\nignore = ["all"]\n',
        'exclude = ["**/x/", "nothing"]\nrules = ["team"]\n',
        'exclude = ["nothing-here"]\n',
        'exclude = ["*"]\n[levels]\nsecret = "error"\n',
        'rules = ["team"]\n[options.skill-file-missing]\nshared = ["d"]\n',
        "levels = 3\n",
        '[tool.skillbag]\nselect = ["links"]\n',
        "[core]\n\tfilemode = false\n",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        "[core]\n\texcludesFile = ~/ignored\n",
    )
)

RULE = """id: {0}
clause: null
level: {1}
heuristic: true
targets: [{2}]
check: skill-nested
summary: A rule of a team.
message: "{3} {{name}}"
fix: Mend it.
why: |
  It is a team's own, and so this one is here.
examples:
  pass:
    - files:
        a: b
  fail:
    - files:
        a: b
      expect: ["a:1:1"]
"""
TEXTS += tuple(
    RULE.format("own", level, targets, words).encode()
    for level, targets, words in (
        ("warning", "workspace", "nested"),
        ("note", "workspace, source, skills", "inner"),
        ("warning", "skills", "nested"),
    )
)

TEXTS += (b"\xff\xfe not text", b"a\0b", b"---\nname: a\n", b"x" * ((1 << 20) + 1))

NAMES = ("a", "b", "c", "d")
PLACES = (
    *(f"ws/.skills/{name}" for name in NAMES),
    *(f"plain/skills/{name}" for name in ("x", "y", ".curated", ".curated/z")),
    "plain/.claude/skills/a",
    "src/.skills/a",
    "ws",
    "ws/.skills",
    "plain",
    "plain/skills",
    "src",
    "outside",
    "team",
    "bin",
    "home/.config/git",
    ".git/info",
    "",
)
FILES = (
    *(f"{place}/SKILL.md" for place in PLACES[:10]),
    *(f"ws/.skills/{name}/{file}" for name in "ab" for file in ("references/guide.md", "scripts/run.sh", "data.json")),
    "ws/.skills/a/skill.md",
    "ws/.skills/a/SKILL.md.txt",
    "ws/.skills/a/scripts/run.py",
    "ws/.skills/a/nested/SKILL.md",
    f"ws/.skills/b/{TOKEN}.md",
    "ws/.skills/SKILLS.md",
    "ws/.skills/loose.md",
    "ws/.skills/d",
    "ws/SKILLBAG.md",
    "ws/AGENTS.md",
    "ws/CONTEXT.md",
    "ws/USER_CONTEXT.md",
    "ws/NOTES.md",
    "ws/.gitignore",
    "ws/skillbag.toml",
    "plain/skillbag.toml",
    "plain/pyproject.toml",
    "plain/skills/notes.md",
    "plain/.gitignore",
    "src/AGENTS.md",
    "src/.skills/SKILLS.md",
    "skillbag.toml",
    "team/own.yaml",
    "rules/team/own.yaml",
    ".gitignore",
    ".git/info/exclude",
    ".git/config",
    ".git/HEAD",
    "home/.gitconfig",
    "home/.config/git/ignore",
    "home/ignored",
    "outside/note.md",
    "outside/SKILL.md",
    "ws/skillbag.lock",
)
LINKS = (
    "../b",
    "../../outside",
    "../../../outside",
    "nowhere",
    "SKILL.md",
    "loop",
    "..",
    "../b/SKILL.md",
    "a",
    ".",
    f"/x/{TOKEN}",
)
SHELL = "#!/bin/sh\necho 'bash: line 2: odd words' >&2\nexit 2\n"


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
            CheckRequest((top,), kind=Kind.SKILLS),
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


def outcome(request: CheckRequest, *, remember: bool) -> Result | str:
    """The result of a check, or what is said instead."""
    try:
        return (CachedChecker if remember else Checker)(request).check()
    except (UserError, OSError) as error:
        return f"{type(error).__name__}: {error}"


def tick(folder: Path) -> float:
    """The seconds after which a change is sure to bear another time than one before it."""
    probe, longest = folder / "probe", 0.0
    for _ in range(3):
        probe.write_bytes(b"")
        first, begun = probe.stat().st_ctime_ns, time.monotonic()
        while probe.stat().st_ctime_ns == first:
            probe.touch()
        longest = max(longest, time.monotonic() - begun)
    probe.unlink()
    return longest * 2 + 0.002
