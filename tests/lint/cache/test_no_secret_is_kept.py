"""No secret of a workspace comes to lie in the cache, wherever in the workspace it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillbag.kernel.secrets.beside import BESIDE
from skillbag.kernel.secrets.detection import mask, may_tell
from skillbag.kernel.secrets.formats import PREFIXES
from skillbag.lint.cache import entry
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.entry import holds_secrets
from skillbag.lint.cache.store import place_of
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.edited_texts import RULE, TOKEN
from tests.report.test_masking import KEY
from tests.sampling import EXAMPLES
from tests.support import Tree, skill

LETTERS = "hf_" + "qWeRtYuIoPaSdFgHjKlZxCvBnMqWeRtYuI"


def kept(top: Path, *select: str) -> bytes:
    """What lies in the cache after two checks of `top`, which find what others find."""
    request = CheckRequest((str(top),), select=select)
    for _ in range(2):
        assert CachedChecker(request).check() == Checker(request).check()
    path = Path(place_of(request))
    return path.read_bytes() if path.exists() else b""


PLACES = {
    "a body": {".skills/one/SKILL.md": skill("one") + f"KEY={TOKEN}\n"},
    "a description": {".skills/one/SKILL.md": skill("one", f"Tidy with {TOKEN} always. Use when needed.")},
    "a name": {".skills/one/SKILL.md": skill(TOKEN)},
    "a line with a fault": {".skills/one/SKILL.md": skill("one") + f"[x](gone.md) {TOKEN}\n"},
    "a fault itself": {".skills/one/SKILL.md": skill("one") + f"[x]({TOKEN}.md)\n"},
    "a path that is asked for": {".skills/one/SKILL.md": skill("one") + f"[x](../../{TOKEN}/x.md)\n"},
    "behind an escape": {".skills/one/SKILL.md": skill("one", f'"Tidy.\\n{TOKEN}\u2014 always. Use when needed."')},
    "letters alone": {".skills/one/SKILL.md": skill("one", f"Tidy with {LETTERS} always.")},
    "a login": {".skills/one/SKILL.md": skill("one") + '[x](gone.md) https://me:fq"9Zx7Lm2Kp4Rt@example.org/x\n'},
    "a dependency": {".skills/one/SKILL.md": skill("one") + f"```yaml\ndependencies:\n  - name: {TOKEN}\n```\n"},
    "a suppression": {
        ".skills/one/SKILL.md": skill("one") + f"{TOKEN} <!-- skillbag: ignore[nothing] reason='x' -->\n"
    },
    "the catalog": {".skills/SKILLS.md": f"- {TOKEN} - Tidy.\n- one - {TOKEN}\n"},
    "a context": {"CONTEXT.md": f"```yaml\nskills:\n  - name: {TOKEN}\n```\ntoken: {TOKEN}\n"},
    "the name of a file": {f".skills/one/references/{TOKEN}.md": "# Words\n"},
    "the name of a skill": {f".skills/{TOKEN}/SKILL.md": skill("two")},
    "a key": {".skills/one/key.md": f"{KEY}\n", ".skills/one/SKILL.md": skill("one") + KEY.replace("\n", "\n    ")},
}
SECRETS = (TOKEN, LETTERS, "fq", "CAQCvq7GEMap2xmYG", "Q10xT9vL2pZ7kR4mN8sB1wY6cJ3hD5gF0aVuXoEiSzWqKtHlPbMnCrGyUdIj10")


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("select", [(), ("suppressions", "links")])
def test_no_secret_is_kept(where: str, select: tuple[str, ...], tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SETTLED", -(10**12))
    base = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", ".skills/one/SKILL.md": skill("one")}
    top = tree({**base, ".skills/two/SKILL.md": skill("two"), **PLACES[where]})
    data = kept(top, *select)
    for secret in SECRETS:
        if len(secret) > 2:
            assert secret.encode() not in data
    assert b'fq\\"9Zx7Lm2Kp4Rt' not in data
    # What has nothing to do with it is kept all the same.
    assert where == "the name of a skill" or b"/.skills/two" in data


@pytest.mark.parametrize("says", [f"../{TOKEN}", f"/nowhere/{TOKEN}/x", TOKEN])
@pytest.mark.parametrize("place", [".skills/one/link.md", ".skills/three", "USER_CONTEXT.md", "skills/four"])
def test_no_secret_of_a_link_is_kept(place: str, says: str, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SETTLED", -(10**12))
    base = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/one/SKILL.md": skill("one"), "skills/x/SKILL.md": skill("x")}
    top = tree(base)
    (top / place).symlink_to(says)
    assert TOKEN.encode() not in kept(top)


def test_a_workspace_below_a_folder_with_a_secret_name_is_not_kept(tree: Tree) -> None:
    top = tree({f"{TOKEN}/SKILLBAG.md": "SkillBag v0.3.0\n", f"{TOKEN}/.skills/one/SKILL.md": skill("one")})
    assert kept(top / TOKEN) == b""


def test_no_secret_of_a_rule_of_a_team_is_kept(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SETTLED", -(10**12))
    rule = RULE.format("own", "warning", "workspace", f"nested {TOKEN}").replace(
        "a team's own", f"a team's {TOKEN} own"
    )
    files = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/one/SKILL.md": skill("one"), "team/own.yaml": rule}
    top = tree({**files, ".skills/one/in/SKILL.md": skill("in"), "skillbag.toml": 'rules = ["team"]\n'})
    for select in ((), ("own",), ("links", "own")):
        data = kept(top, *select)
        assert data
        assert TOKEN.encode() not in data
    (top / ".skills/one/in/SKILL.md").unlink()
    assert TOKEN.encode() not in kept(top)


tails = st.text(
    st.sampled_from("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789_-/+=.:@"), min_size=8, max_size=90
)
heads = st.sampled_from(
    [
        *PREFIXES,
        *(literal for form in BESIDE for literal in form.literals),
        "password: ",
        "default = '",
        'api_key:\t"',
        "SECRET=",
        "token ",
        "https://me:",
        "twilio ",
        "aws '",
        "",
    ]
)
between = st.sampled_from(["", " ", "\n", "\t", "\\", '"', "\u2014", "\u00e9", "\u017f", "\r\n", "\x1b[0m"])


@settings(max_examples=10 * EXAMPLES, database=None)
@given(parts=st.lists(st.tuples(between, heads, tails, between), min_size=1, max_size=3))
@example(parts=[("\n", "", TOKEN, "")])
@example(parts=[("", "", LETTERS, "")])
@example(parts=[("", "password=", "\u017fqWeRtYuIoPa7SdFg", "")])
@example(parts=[("", "", KEY, "")])
def test_the_quick_look_misses_nothing_that_is_masked(parts: list[tuple[str, str, str, str]]) -> None:
    text = "".join("".join(part) for part in parts)
    if mask(text) != text:
        assert may_tell(text.encode())
        assert may_tell(json.dumps(text).encode())
        assert holds_secrets(json.dumps([1, None, [text, {"x": [text]}]]).encode())
        assert holds_secrets(json.dumps({text: True}).encode())


def test_the_quick_look_lets_ordinary_cards_pass() -> None:
    card = [
        "one",
        "/home/me/work/.skills/one",
        "/home/me/work/.skills/one/SKILL.md",
        ["one", 10, 13],
        "Tidy a folder: all of it.",
    ]
    assert not may_tell(json.dumps(card).encode())
