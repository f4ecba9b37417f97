"""Random strings, and the refusal to keep them."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from pathlib import Path

from tests.supply.install.worlds import contents
from tests.support import Completed, Run

_CHANCE = random.Random(20260616)


def generated(size: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A random string, the same in every run; with a digit, as nearly all of that length have."""
    return "".join(_CHANCE.choice(alphabet) for _ in range(size - 1)) + "7"


def parts(secret: str) -> list[str]:
    """The pieces of a secret that nothing may repeat; its public beginning and what people write is not among them."""
    return [piece for piece in re.findall(r"[A-Za-z0-9]{12,}", secret) if not piece.isalpha()] or [secret[-8:]]


def refused(run: Run, workspace: Path, *arguments: str, secret: str = "") -> Completed:
    """The refusal of `remember ARGUMENTS`; whatever the options, no file and no output has anything of the secret."""
    before = contents(workspace)
    outcomes = [run("remember", *arguments, *more, cwd=workspace) for more in ((), ("--explicit",), ("--json",))]
    for outcome in outcomes:
        assert outcome.code == 2, outcome
        for piece in parts(secret) if secret else ():
            assert piece not in outcome.out + outcome.err
    assert contents(workspace) == before
    assert json.loads(outcomes[-1].out)["exit"] == 2
    return outcomes[0]


GENERATED = {
    **{f"letters and digits {size}": generated(size) for size in (24, 32, 40, 64)},
    "small letters and digits": generated(32, string.ascii_lowercase + string.digits),
    "capitals and digits": generated(32, string.ascii_uppercase + "234567"),
    "base64": base64.b64encode(bytes(_CHANCE.randrange(256) for _ in range(33))).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(bytes(_CHANCE.randrange(256) for _ in range(33))).decode(),
    "with separators": f"{generated(20)}.{generated(16)}_{generated(20)}",
    "a password with signs": "Tr0ub4" + "dor&3xQ",
    "within a sentence": f"the key is {generated(24)}, do not lose it",
    "within a list": f"[a, {generated(24)}]",
    "within a mapping": f"{{a: {{b: {generated(24)}}}}}",
    "a relative path": f"{generated(20)}/{generated(20)}",
}
