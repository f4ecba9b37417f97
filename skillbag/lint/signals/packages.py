"""Packages that a command installs, or fetches and runs: which manager, which name, whether its version is fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.programs import ProgramRun


class Package(NamedTuple):
    """A package by its manager's name for it, without the version.

    `everywhere`: it is installed for all projects of the user; `runs`: it is fetched and run at once; `foreign`: it
    comes from an address, or the index is another one.
    """

    manager: str
    name: str
    pinned: bool
    everywhere: bool = False
    runs: bool = False
    foreign: bool = False


def marks_of(package: Package) -> tuple[str, ...]:
    """What is remarkable about a package, in words."""
    marks = (("global", package.everywhere), ("foreign", package.foreign), ("runs", package.runs))
    return (*(word for word, holds in marks if holds), "pinned" if package.pinned else "unpinned")


_NAME = late(r"@?[A-Za-z0-9][\w.+/:@-]*(?:\[[\w,.-]*\])?(?:[=<>~!^]=?[\w.*,<>=!~^ -]*)?\Z")
_PIN = late(r"==\s*\d|(?<=.)@v?\d|(?<![<>~!=^])=\d")
_VERSION = late(r"(?:[=<>~!]=?|(?<=[^/])@|\[).*\Z", 16)

_SYSTEM = {
    "apt": ("install",),
    "apt-get": ("install",),
    "brew": ("install", "tap", "reinstall"),
    "dnf": ("install",),
    "yum": ("install",),
    "apk": ("add",),
    "pacman": ("-S", "-Sy", "-Syu"),
    "zypper": ("install", "in"),
    "port": ("install",),
    "snap": ("install",),
    "choco": ("install",),
    "winget": ("install",),
    "scoop": ("install",),
}
_NODE = {
    "npm": ("install", "i", "add", "ci"),
    "pnpm": ("add", "install", "i"),
    "yarn": ("add",),
    "bun": ("add", "install", "i"),
}
_RUNNERS = {"npx": "npm", "bunx": "npm", "uvx": "pypi", "pipx": "pypi"}
_FOREIGN = ("--index-url", "-i", "--extra-index-url", "--find-links", "--registry")
_VALUED_WORDS = """
    -c -C -i -n -o -p -r -t --branch --channel --config --constraint --extra-index-url --features --find-links --from
    --git --id --index-url --name --package --path --prefix --proxy --python --registry --requirement --root --source
    --tag --target --version --with --with-requirements"""
_VALUED = frozenset(_VALUED_WORDS.split())
"""Options of some manager that take a value, and that no other one has as a flag."""
_VALUED_OF = {
    "apt": "--default-release --option",
    "bun": "--cwd --backend --filter",
    "cargo": "--bin --example --index --jobs -j --profile --rev",
    "conda": "--file",
    "docker": "--platform",
    "dotnet": "--add-source --configfile --framework --tool-manifest --tool-path --verbosity -v",
    "gem": "--bindir --install-dir --platform -v",
    "git": "-b --depth --filter --origin --reference --separate-git-dir --template -u --upload-pack",
    "npm": "--cache --loglevel --omit --include -w --workspace",
    "npx": "--cache -w --workspace",
    "pdm": "-G --group -dG -p --project -e --editable",
    "pip": """--abi --cache-dir --cert --config-settings -e --editable -f --global-option --implementation --log
    --no-binary --only-binary --platform --progress-bar --python-version --report --retries --src --timeout
    --trusted-host --upgrade-strategy""",
    "pipenv": "-e --editable --categories --index",
    "pipx": "--pip-args --spec --suffix",
    "pnpm": "--dir --filter --store-dir",
    "poetry": "-E --extras -G --group --markers --platform -e --editable",
    "uv": """--bounds --cache-dir --default-index --directory -e --editable --exclude-newer --extra -f --group --index
    --index-strategy -m --marker --no-binary --only-binary --optional -P --project --python-platform --python-version
    --refresh-package --reinstall-package --rev --script --upgrade-package -w --with-editable""",
    "yarn": "--cwd --modules-folder",
}
"""Options of one manager that take a value; the same letters are flags of others (`npm install -f`)."""
_SAME = {"apt-get": "apt", "mamba": "conda", "micromamba": "conda", "uvx": "uv", "bunx": "bun"}


def packages(run: ProgramRun) -> Iterator[Package]:
    """The packages of one command, in order."""
    name = run.name.rpartition("/")[2].removesuffix(".exe")
    words = list(run.texts)
    if name.startswith("python") and words[:2] == ["-m", "pip"]:
        name, words = "pip", words[2:]
    if name == "py" and words[1:3] == ["-m", "pip"]:
        name, words = "pip", words[3:]
    if name.startswith("pip") and name.removeprefix("pip").replace(".", "").isdigit():
        name = "pip"
    if not words:
        return
    if name == "uv":
        yield from _uv(words)
    elif name in _RUNNERS:
        yield from _runner(name, words)
    elif name == "pip" and words[0] == "install":
        yield from _listed("pypi", words[1:], name)
    elif name in _NODE:
        yield from _node(name, words)
    elif name in _SYSTEM and words[0] in _SYSTEM[name]:
        yield from _listed(name, words[1:], name, everywhere=True)
    elif name == "git" and words[0] == "clone":
        yield from _clone(words[1:])
    else:
        yield from _others(name, words)


def _uv(words: Sequence[str]) -> Iterator[Package]:
    if words[:2] == ["pip", "install"]:
        yield from _listed("pypi", words[2:], "uv")
    elif words[:2] == ["tool", "install"]:
        yield from _listed("pypi", words[2:], "uv", everywhere=True)
    elif words[:2] == ["tool", "run"]:
        yield from _runner("uvx", words[2:])
    elif words[0] == "add":
        yield from _listed("pypi", words[1:], "uv")
    elif words[0] == "run":
        yield from (_package("pypi", text) for text in _values(words, "--with"))


def _runner(name: str, words: Sequence[str]) -> Iterator[Package]:
    if name == "pipx":
        if words[0] == "install":
            yield from _listed("pypi", words[1:], name, everywhere=True)
            return
        if words[0] != "run":
            return
        words = words[1:]
    manager = _RUNNERS[name]
    given = [
        *_values(words, "--from"),
        *_values(words, "--package"),
        *_values(words, "-p" if name == "npx" else "--with"),
    ]
    first = next(iter(_positional(words, name)), None)
    for text in given or ([first] if first else []):
        if _NAME().match(text):
            yield _package(manager, text)._replace(runs=True)


def _node(name: str, words: Sequence[str]) -> Iterator[Package]:
    everywhere = "-g" in words or "--global" in words
    if name == "yarn" and words[0] == "global":
        words, everywhere = words[1:], True
    if not words:
        return
    if words[0] in ("dlx", "exec", "x") and name != "npm":
        yield from (package._replace(runs=True) for package in _listed("npm", _positional(words[1:], name)[:1], name))
    elif words[0] in _NODE[name]:
        yield from _listed("npm", words[1:], name, everywhere=everywhere)


def _clone(words: Sequence[str]) -> Iterator[Package]:
    address = next(iter(_positional(words, "git")), "")
    if "://" in address or address.startswith("git@"):
        pinned = any(word in ("-b", "--branch") or word.startswith("--branch=") for word in words)
        yield Package("git", address, pinned, foreign=True)


def _others(name: str, words: Sequence[str]) -> Iterator[Package]:
    first = words[0]
    if (name, first) in {("cargo", "install"), ("gem", "install"), ("go", "install"), ("dotnet", "tool")}:
        rest = words[2:] if name == "dotnet" else words[1:]
        yield from _listed({"cargo": "cargo", "gem": "gem", "go": "go"}.get(name, "nuget"), rest, name, everywhere=True)
    elif name in ("conda", "mamba", "micromamba") and first == "install":
        yield from _listed("conda", words[1:], name)
    elif name == "docker" and first == "pull":
        yield from _listed("docker", words[1:], name)
    elif name == "composer" and first == "require":
        yield from _listed("composer", words[1:], name)
    elif (name, first) in {("poetry", "add"), ("pdm", "add"), ("pipenv", "install")}:
        yield from _listed("pypi", words[1:], name)


def _listed(manager: str, words: Sequence[str], program: str, *, everywhere: bool = False) -> Iterator[Package]:
    foreign = any(word.partition("=")[0] in _FOREIGN for word in words)
    for text in _positional(words, program):
        if "://" in text or text.startswith(("git+", "github:", "git@")):
            yield Package(manager, text, _is_pinned(text), everywhere, foreign=True)
        elif _NAME().match(text) and not _is_local(text):
            yield _package(manager, text)._replace(everywhere=everywhere, foreign=foreign)


def _package(manager: str, text: str) -> Package:
    return Package(manager, _VERSION().sub("", text).strip() or text, _is_pinned(text))


def _is_pinned(text: str) -> bool:
    return bool(_PIN().search(text))


def _is_local(text: str) -> bool:
    return text.startswith((".", "/", "~")) or text.endswith(
        (".txt", ".whl", ".tgz", ".tar.gz", ".toml", ".deb", ".rb")
    )


def _positional(words: Sequence[str], program: str) -> list[str]:
    """The arguments of a program that are no options and no values of options."""
    own = _VALUED_OF.get(_SAME.get(program, program), "").split()
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == "--":
            continue
        elif word.startswith("-"):
            skip = word in _VALUED or word in own
        else:
            found.append(word)
    return found


def _values(words: Sequence[str], option: str) -> list[str]:
    """What is given for an option."""
    after = [words[index + 1] for index, word in enumerate(words[:-1]) if word == option]
    return after + [
        word.partition("=")[2] for word in words if word.startswith(f"{option}=") and option.startswith("--")
    ]
