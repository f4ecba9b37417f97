"""`read_skill_file`: what an agent is given of a skill's files, what it never is, and what it is told instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.agents.scripts.skill_files import list_skill_files, read_skill_file
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import LIMIT
from tests.kernel.fs.races import raced
from tests.rows import each_row
from tests.supply.install.worlds import skill_text, write


@pytest.fixture
def aa(tmp_path: Path) -> Path:
    """The skill `aa`, with a secret in everything around it."""
    write(
        tmp_path,
        {
            "secret.txt": "secret",
            "aab/secret.txt": "secret",
            "aa/SKILL.md": skill_text("aa"),
            "aa/references/guide.md": "# Guide\n",
            "aa/scripts/tidy.py": "print('tidy')\n",
        },
    )
    return tmp_path / "aa"


def refusal(skill: Path, path: str) -> str:
    """What is said to somebody who asks for `path`: one sentence, and nothing of a secret."""
    with pytest.raises(UserError) as raised:
        read_skill_file(str(skill), path)
    text = str(raised.value)
    assert len(text) < 1000
    assert text.isprintable()
    assert "\n" not in text
    return text


@pytest.mark.parametrize("text", ["", "a\r\nb\rc\n", "no line end", "äöü 😀\n", "\x1b[31m", "AKIA" + "Q" * 16 + "\n"])
def test_a_text_is_given_exactly_as_it_is(aa: Path, text: str) -> None:
    (aa / "text").write_bytes(text.encode())
    assert read_skill_file(str(aa), "text") == text


def test_a_byte_order_mark_is_no_part_of_the_text(aa: Path) -> None:
    (aa / "text").write_bytes(b"\xef\xbb\xbfhere")
    assert read_skill_file(str(aa), "text") == "here"


def test_a_path_may_begin_in_the_folder_itself(aa: Path) -> None:
    assert read_skill_file(str(aa), "./references/guide.md") == "# Guide\n"


def test_a_name_may_have_spaces_dots_and_other_letters(aa: Path) -> None:
    for name in ["a b.txt", "..a", "a..b", "...", "ü/ñ.md", "-rf", "~", "$HOME", "a;b", "%2e%2e", "CON"]:
        write(aa, {f"references/{name}": name})
        assert read_skill_file(str(aa), f"references/{name}") == name


ELSEWHERE = """
../aab/secret.txt ../secret.txt .. ../ ../aa/SKILL.md scripts/../../secret.txt ./../secret.txt
references/../SKILL.md a/.. scripts/.. ../../../../../../etc/passwd ....//../secret.txt
/etc/passwd / //etc/passwd /proc/self/environ {aa}/SKILL.md {aa}b/secret.txt .//etc/passwd
..\\secret.txt scripts\\..\\..\\secret.txt \\etc\\passwd \\\\host\\share
C:\\Windows C:/Windows c:secret.txt C: :x :/x
"""


@pytest.mark.parametrize("path", ELSEWHERE.split())
def test_a_path_that_leads_elsewhere_is_a_traversal(aa: Path, path: str) -> None:
    assert refusal(aa, path.format(aa=aa)).startswith("Path traversal not allowed: ")


FOLDERS = ["./", ".", "././SKILL.md", "x/", "SKILL.md/", "references/", "references//guide.md", "references/./guide.md"]
ODD = ["SKILL.md\0", "SKILL.md\0.txt", "a\nb", "a\rb", "\x1b[2J", "a\x7f", "a\x85", "\ud800", "a\udcff.md", "a\\b"]
LONG = ["x" * 256, "ü" * 128, "a/" + "b" * 256, "/".join(["d"] * 600), "x" * 1_000_000]


@pytest.mark.parametrize("path", ["", *FOLDERS, *ODD, *LONG])
def test_a_path_that_is_none_of_a_file_is_refused(aa: Path, path: str) -> None:
    assert "names no file: " in refusal(aa, path)


@each_row("path", ["", "../x", "x/", "a\0", "C:x", "a" * 256])
def test_the_shape_of_a_path_is_looked_at_before_the_disk_is(tmp_path: Path, path: str) -> None:
    with pytest.raises(UserError, match=r"traversal|names no file"):
        read_skill_file(str(tmp_path / "there is no such skill"), path)


@pytest.mark.parametrize(
    "path", ["skill.md", "Skill.md", "REFERENCES/guide.md", "references/Guide.md", "SKILL.md ", "SKILL.md."]
)
def test_another_spelling_is_another_file(aa: Path, path: str) -> None:
    assert refusal(aa, path).startswith(f"File not found: {path}; did you mean ")


def test_the_forms_of_unicode_are_different_names(aa: Path) -> None:
    write(aa, {"é": "composed"})
    assert refusal(aa, "e\u0301").startswith("File not found: ")


def test_what_is_missing_is_reported_with_what_is_there(aa: Path) -> None:
    assert refusal(aa, "references/guid.md") == "File not found: references/guid.md; did you mean references/guide.md?"
    listed = "SKILL.md, references/guide.md, scripts/tidy.py"
    assert refusal(aa, "x") == f"File not found: x; the skill has {listed}"
    assert refusal(aa, "SKILL.md/x").startswith("File not found: SKILL.md/x; ")


def test_of_many_files_a_message_names_a_few(aa: Path) -> None:
    write(aa, {f"data/{number:04}": "" for number in range(50)})
    assert refusal(aa, "x").endswith("data/0010 and 41 more")


def test_a_folder_is_reported_with_its_files(aa: Path) -> None:
    (aa / "empty").mkdir()
    assert refusal(aa, "references") == "references is a folder; name a file in it: references/guide.md"
    assert refusal(aa, "empty") == "empty is a folder; name a file in it: none that can be read"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", b"a\0b", b"\xff\xfeh\0i\0", b"caf\xe9", b"\xed\xa0\x80"])
def test_a_binary_file_is_called_one(aa: Path, data: bytes) -> None:
    (aa / "data.bin").write_bytes(data)
    assert "is not UTF-8 text (byte " in refusal(aa, "data.bin")


def test_a_file_beyond_the_limit_is_not_read(aa: Path) -> None:
    (aa / "most").write_bytes(b"x" * LIMIT)
    assert len(read_skill_file(str(aa), "most")) == LIMIT
    with (aa / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert refusal(aa, "huge").startswith("huge is larger than 1024 KiB")


def test_a_pipe_is_not_waited_for(aa: Path) -> None:
    os.mkfifo(aa / "pipe")
    assert refusal(aa, "pipe").startswith("pipe is no regular file")


@pytest.mark.parametrize("link", ["link", "references/link"])
@pytest.mark.parametrize("target", ["{up}/secret.txt", "{up}/aab/secret.txt", "/etc/passwd", "/dev/zero", "{up}/gone"])
def test_a_link_out_is_a_traversal_wherever_it_is(aa: Path, link: str, target: str) -> None:
    (aa / link).symlink_to(target.format(up=aa.parent))
    assert refusal(aa, link).startswith(f"Path traversal not allowed: {link} leads out of the skill's folder; ")


def test_a_linked_folder_outside_is_a_traversal(aa: Path) -> None:
    (aa / "data").symlink_to("../aab")
    (aa / "twice").symlink_to("data")
    for folder in ["data", "twice"]:
        assert refusal(aa, f"{folder}/secret.txt").startswith("Path traversal not allowed: ")
        assert refusal(aa, f"{folder}/gone").startswith("Path traversal not allowed: ")


def test_links_within_the_skill_are_followed(aa: Path) -> None:
    (aa / "guide").symlink_to("references/guide.md")
    (aa / "docs").symlink_to("references")
    (aa / "scripts/guide").symlink_to("../docs/guide.md")
    for path in ["guide", "docs/guide.md", "scripts/guide"]:
        assert read_skill_file(str(aa), path) == "# Guide\n"


def test_links_in_a_circle_end(aa: Path) -> None:
    (aa / "one").symlink_to("two")
    (aa / "two").symlink_to("one")
    assert refusal(aa, "one").startswith("one leads through links in a circle")


def test_the_list_names_what_can_be_read(aa: Path) -> None:
    write(
        aa,
        {
            ".env": "",
            "references/.hidden": "",
            ".git/config": "",
            "node_modules/x.js": "",
            "scripts/__pycache__/x.pyc": "",
            "references/a b.md": "",
            "references/a\nb": "",
            "back\\slash": "",
            "huge": "x" * (LIMIT + 1),
            ".DS_Store": "",
        },
    )
    (aa / "empty").mkdir()
    (aa / "link").symlink_to("SKILL.md")
    (aa / "docs").symlink_to("references")
    (aa / "out").symlink_to("../secret.txt")
    (aa / "gone").symlink_to("nowhere")
    os.mkfifo(aa / "pipe")
    listed = list_skill_files(str(aa))
    assert listed == ("SKILL.md", "link", "references/a b.md", "references/guide.md", "scripts/tidy.py")
    for path in listed:
        read_skill_file(str(aa), path)


def test_a_skill_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert list_skill_files(str(tmp_path / "gone")) == ()


def test_a_secret_never_comes_back_however_files_and_folders_are_swapped(aa: Path) -> None:
    def swap() -> None:
        for place in ["references/guide.md", "references"]:
            made = aa / "made"
            made.symlink_to(aa.parent / ("secret.txt" if place.endswith(".md") else "aab"))
            (aa / place).rename(aa / "aside")
            made.rename(aa / place)
            (aa / place).unlink()
            (aa / "aside").rename(aa / place)

    def ask() -> str:
        try:
            return read_skill_file(str(aa), "references/guide.md")
        except UserError:
            return "refused"

    write(aa.parent, {"aab/guide.md": "secret"})
    reported = raced(ask, swap, {"# Guide\n", "refused"})
    assert set(reported) == {"# Guide\n", "refused"}
