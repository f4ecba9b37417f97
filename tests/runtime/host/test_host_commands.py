"""`exec`, `env` and `set_env`: programs within limits, and variables without secrets."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from skillbag.kernel.processes.environment import VARIABLE
from skillbag.runtime.errors import BadParametersError, NotFoundError, NotPermittedError, TimeLimitError
from skillbag.runtime.host.commands import MAX_KEPT, MAX_SET
from tests.processes import eventually, ids_in, is_alive
from tests.runtime.hosts import World, make_world
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems")

TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path, limits={"exec_seconds": 20})


def test_a_program_gives_its_output_and_its_exit_code(world: World) -> None:
    assert world.call("exec", "sh", "-c", "echo out; echo err >&2; exit 3") == {
        "stdout": "out\n",
        "stderr": "err\n",
        "exit_code": 3,
    }
    assert world.call("exec", "sh", "-c", "kill -9 $$")["exit_code"] == -9
    assert world.call("exec", "cat") == {"stdout": "", "stderr": "", "exit_code": 0}, "there is no input"


def test_there_is_no_shell(world: World) -> None:
    words = ["$HOME", "`id`", "; id", "*", "a b", "", "-n", "\n"]
    assert world.call("exec", "printf", "%s|", *words)["stdout"] == "".join(f"{word}|" for word in words)


def test_it_works_in_the_workspace_with_the_environment_of_scripts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    lines = world.call("exec", "env")["stdout"].splitlines()
    variables = dict(line.partition("=")[::2] for line in lines)
    assert variables["PWD"] == variables["SKILLBAG_WORKSPACE"] == str(world.work)
    assert variables["SKILL_DIR"] == str(world.skill)
    assert "API_TOKEN" not in variables
    assert world.call("exec", "pwd", "-P")["stdout"] == f"{world.work}\n"


def test_a_program_of_the_skill_or_the_workspace_is_named_by_its_path(world: World) -> None:
    for place in ("skill", "work"):
        write(
            world.top,
            {f"{place}/bin/{place}": f"#!/bin/sh\necho {place}", f"{place}/bin/x": f"#!/bin/sh\necho {place}"},
        )
        for name in (place, "x"):
            (world.top / place / "bin" / name).chmod(0o755)
    assert [world.call("exec", f"bin/{name}")["stdout"] for name in ("skill", "work", "x")] == [
        *("skill\n", "work\n", "skill\n")
    ]
    assert world.call("exec", str(world.work / "bin/x"))["stdout"] == "work\n"


@pytest.mark.parametrize("command", ["no-such-program", "bin/none", "./both.txt", "/no/such", "a.py", "\x1b[31m"])
def test_a_missing_program_is_told(world: World, command: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        world.call("exec", command)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("command", ["", "../x", "bin/../../x"])
def test_a_path_out_is_no_program(world: World, command: str) -> None:
    with pytest.raises((BadParametersError, NotFoundError)):
        world.call("exec", command)


def test_the_folder_it_works_in_is_not_searched_for_programs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write(world.work, {"mine": "#!/bin/sh\necho mine"})
    (world.work / "mine").chmod(0o755)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    monkeypatch.chdir(world.work)
    with pytest.raises(NotFoundError, match="not on the PATH"):
        world.call("exec", "mine")


def test_it_ends_in_time_with_all_its_processes(tmp_path: Path) -> None:
    world, began = make_world(tmp_path, limits={"exec_seconds": 0.4}), time.monotonic()
    with pytest.raises(TimeLimitError, match=r"exec: .sh. took longer than 0\.4 s"):
        world.call("exec", "sh", "-c", f"sleep 1000 & echo $! >{tmp_path}/ids; sleep 1000")
    assert time.monotonic() - began < 50
    (child,) = ids_in(tmp_path / "ids")
    assert eventually(lambda: not is_alive(child))


def test_a_flood_is_kept_in_part(world: World) -> None:
    result = world.call("exec", "sh", "-c", "yes | head -c 3000000; echo end")
    assert len(result["stdout"]) < MAX_KEPT + 100
    assert "bytes left out" in result["stdout"]
    assert result["stdout"].endswith("end\n")


def test_arguments_that_are_too_long_are_told(world: World) -> None:
    with pytest.raises(BadParametersError, match="too long for the system"):
        world.call("exec", "echo", *["x" * 100_000] * 50)


def test_what_is_set_is_there_for_later_programs_of_this_skill_alone(world: World, tmp_path: Path) -> None:
    world.call("set_env", "KUBECONFIG", "/k")
    world.call("set_env", "LANG", "xx")
    assert world.call("exec", "sh", "-c", "echo $KUBECONFIG $LANG")["stdout"] == "/k xx\n"
    assert (world.call("env", "KUBECONFIG"), os.environ.get("KUBECONFIG")) == ("/k", None)
    other = make_world(tmp_path / "other")
    assert other.call("env", "KUBECONFIG") == ""


@pytest.mark.parametrize("key", ["", "A=B", "1A", "a b", "SKILLBAG_STATE_DIR", "skillbag_x", "SKILL_DIR", "PWD", "ä"])
def test_not_every_variable_is_set(world: World, key: str) -> None:
    with pytest.raises(BadParametersError):
        world.call("set_env", key, "x")


def test_there_is_an_end_to_what_is_set(world: World) -> None:
    with pytest.raises(BadParametersError, match="longer than"):
        world.call("set_env", "A", "x" * 40_000)
    for number in range(MAX_SET):
        world.call("set_env", f"A{number}", "x")
    world.call("set_env", "A0", "changed")
    with pytest.raises(BadParametersError, match="100 variables"):
        world.call("set_env", "B", "x")


def test_a_setting_is_read_and_an_unset_one_is_empty(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/home/me/.kube/config")
    monkeypatch.delenv("NOT_SET", raising=False)
    assert [world.call("env", key) for key in ("KUBECONFIG", "NOT_SET", "A=B", "")] == [
        *("/home/me/.kube/config", "", "", "")
    ]


SECRETS = {
    **dict.fromkeys(["API_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "apikey", "GH_PAT"], "x1"),
    "SETTING": TOKEN,
    "HTTPS_PROXY": "http://me:Zk3Qw8Rt1Yp6@proxy.local:80",
}


@pytest.mark.parametrize("key", SECRETS)
def test_a_credential_is_given_only_if_the_user_lists_it(
    world: World, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key, SECRETS[key])
    with pytest.raises(NotPermittedError) as raised:
        world.call("env", key)
    assert VARIABLE in str(raised.value)
    assert SECRETS[key] not in str(raised.value)
    monkeypatch.setenv(VARIABLE, f"OTHER, {key}")
    assert world.call("env", key) == SECRETS[key]


@pytest.mark.parametrize("key", ["SKILLBAG_STATE_DIR", "skillbag_x", VARIABLE])
def test_our_own_variables_are_not_read(world: World, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(NotPermittedError, match="env: "):
        world.call("env", key)
