"""What all tests share: trees of files made from a mapping, and the command line run in this process."""

from __future__ import annotations

import gc
import io
import itertools
import os
import re
import signal
import ssl
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from skillbag.agents.settings.scope import Scope
from tests.sampling import EXAMPLES, NIGHTLY, sample
from tests.supply.install.worlds import make_workspace
from tests.supply.sources.repositories import use_own_git_settings
from tests.support import CORPUS, PROJECT, Completed, Run, Tree, writer_in

# Thousands of processes run the program. Where the environment forbids bytecode, each of them would compile it again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Scripts of skills find the interpreter itself: what stands for it on PATH may be a program that looks for one.
os.environ["PATH"] = os.path.dirname(os.path.realpath(sys.executable)) + os.pathsep + os.environ.get("PATH", os.defpath)

# The tests make very many small files, and none must outlive the machine: in memory they take a third less time.
# Not where `/dev/shm` is small or forbids programs, as it does in many containers.
_MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and _MEMORY.is_mount():
    space = os.statvfs(_MEMORY)
    if not space.f_flag & os.ST_NOEXEC and space.f_bavail * space.f_frsize > 4 << 30:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

# Tests that make environments install what is locked, so that they say the same on any day; every night the newest.
if not NIGHTLY:
    os.environ.update(
        PIP_CONSTRAINT=str(PROJECT / "constraints.txt"), PIP_BUILD_CONSTRAINT=str(PROJECT / "constraints.txt")
    )

# Without deadlines: no test fails because the machine is slow. Only the nightly run draws other examples each time.
settings.register_profile("any", deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("ci", settings.get_profile("any"), max_examples=EXAMPLES, derandomize=True)
settings.register_profile("nightly", settings.get_profile("any"), max_examples=EXAMPLES)
settings.load_profile("nightly" if NIGHTLY else "ci")


def pytest_collection(session: pytest.Session) -> None:
    """Switch the collector off: what is collected stays, and there is much of it."""
    gc.disable()
    if not any("test_" in argument for argument in session.config.args):
        _import_in_turn(os.environ.get("PYTEST_XDIST_WORKER", "gw0"), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


def _import_in_turn(worker: str, count: str) -> None:
    """Import the tests, each worker beginning elsewhere: in a fresh clone all would compile the same at the same time.

    Modules have the names that pytest gives them. What can't be imported is reported when it is collected.
    """
    files = sorted((PROJECT / "tests").rglob("test_*.py"))
    first = len(files) * int(worker.removeprefix("gw")) // int(count)
    for file in [*files[first:], *files[:first]] if first else []:
        sys.path.insert(0, str(file.parent))
        with suppress(Exception, pytest.skip.Exception):
            import_module(file.stem)
        sys.path.pop(0)


def pytest_collection_finish() -> None:
    """Have the collector look at what the tests make, and at nothing before it."""
    gc.freeze()
    gc.enable()


_numbers = itertools.count()


@pytest.fixture
def test_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this test alone. pytest finds a free name by listing all earlier ones, thousands in a whole run."""
    folder = tmp_path_factory.getbasetemp() / "tests" / str(next(_numbers))
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def tmp_path(test_folder: Path, request: pytest.FixtureRequest) -> Path:
    """As pytest's own, in the folder of the test."""
    folder = test_folder / re.sub(r"\W", "_", request.node.name)[:30]
    folder.mkdir()
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests marked `nightly` or `slow`, and cases that are not in the sample.

    All of a nightly run and of files that are named is tried; `-m slow` is a run of its own, by `.ci/run`.
    """
    if NIGHTLY or "nightly" in config.option.markexpr or any("test_" in argument for argument in config.args):
        return
    others = ["nightly"] if config.option.markexpr == "slow" else ["nightly", "slow"]
    left = {item for item in items if any(map(item.get_closest_marker, others))} | set(_not_sampled(items))
    config.hook.pytest_deselected(items=[*left])
    items[:] = [item for item in items if item not in left]


def _not_sampled(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The cases of tests marked `sampled(count)` that are not in this commit's sample."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, group in cases.items():
        (marker,) = group[0].iter_markers("sampled")
        yield from set(group).difference(sample(name, group, marker.args[0]))


@pytest.fixture(autouse=True)
def user_folders(test_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's caches, states, settings and personal skills."""
    folder = test_folder / "user"
    folder.mkdir()
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("SKILLBAG_CONFIG_DIR", str(folder / "config"))
    monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(folder / "personal"))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset what the user's shell or job says of output, names and sessions; the tests that are about it set it."""
    for name in _OF_THE_USER:
        monkeypatch.delenv(name, raising=False)


_OF_THE_USER = [
    *("COLUMNS", "NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "TERM_PROGRAM", "VTE_VERSION", "WSL_DISTRO_NAME"),
    *("CDPATH", "NETRC", "PRE_COMMIT", "XDG_CONFIG_HOME", "SKILLBAG_SESSION", "SKILLBAG_REGISTRY_TOKEN"),
    *("SKILLBAG_APPROVE_SKILLS", "SKILLBAG_SKILLS", "SKILLBAG_ALLOW_CODE"),
    *(name for name in os.environ if name.startswith(("CLAUDE", "GIT_"))),
]


@pytest.fixture(scope="session", autouse=True)
def signals() -> Iterator[None]:
    """No test depends on whether `nohup` or a shell's `&` has us ignore signals.

    What is ignored stays ignored in every process that is started from here, and tests interrupt some of them. What is
    handled is not, so it is handled, by doing as little.
    """
    usual = (getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
    ignored = [number for number in usual if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda _number, _frame: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Read the certificates of the system once: every client does it anew, which takes longer than what it asks for.

    What a test names in the environment is read as always.
    """
    import httpcore2

    given, read = _named_certificates(), httpcore2.default_ssl_context
    once = cache(read)

    def context(**options: bool) -> ssl.SSLContext:
        return (once if _named_certificates() == given else read)(**options)

    httpcore2.default_ssl_context = context
    yield
    httpcore2.default_ssl_context = read


def _named_certificates() -> list[str | None]:
    return [os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]


@pytest.fixture
def git_config(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own settings file of git, without the user's settings and variables."""
    return use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("home"))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files (path to text) below `tmp_path`."""
    return writer_in(tmp_path)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `skillbag ARGUMENTS` in this process, in the folder `cwd`, with `stdin` as standard input."""

    def call(*arguments: object, cwd: Path | None = None, stdin: bytes = b"") -> Completed:
        from skillbag.doors.cli import main

        capfd.readouterr()
        with monkeypatch.context() as patch:
            if cwd is not None:
                patch.chdir(cwd)
            patch.setattr(sys, "argv", ["skillbag", *(os.fspath(str(argument)) for argument in arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            with pytest.raises(SystemExit) as exit_:
                main()
            gc.enable()  # a command switches it off, as its process ends soon
        captured = capfd.readouterr()
        code = exit_.value.code
        return Completed(code if isinstance(code, int) else int(bool(code)), captured.out, captured.err)

    return call


@pytest.fixture
def a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person is at the commands that run in this process: what counts on a terminal only counts."""
    from skillbag.doors.cli import person

    monkeypatch.setattr(person, "is_present", lambda: True)


@pytest.fixture
def a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that lets this program run foreign code."""
    monkeypatch.setenv("SKILLBAG_ALLOW_CODE", "1")


@pytest.fixture
def corpus(tmp_path: Path) -> Callable[[str], Path]:
    """Unpack one of the published corpora; skip where they are not beside the project."""

    def unpack(name: str) -> Path:
        import zipfile

        archive = CORPUS / f"{name}.zip"
        if not archive.is_file():
            pytest.skip(f"the corpus {archive.name} is not beside the project (../shared/corpus)")
        folder = tmp_path / name
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
        return folder

    return unpack


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace."""
    return make_workspace(tmp_path / "workspace")


@pytest.fixture
def scope(workspace: Path) -> Scope:
    """The workspace alone: no personal skills."""
    return Scope(str(workspace), None)
