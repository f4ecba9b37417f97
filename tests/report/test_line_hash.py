"""The line hash of GitHub code scanning: the values that its own implementation is tested with."""

from __future__ import annotations

from skillbag.kernel.documents.source import Document, decode
from skillbag.report.formats.line_hash import line_hashes
from tests.rows import each_row

FOUR = ["271789c17abda88f", "54703d4cd895b18", "180aee12dab6264", "a23a3dc5e078b07b"]
SIX = ["8b7cf3e952e7aeb2", "b1ae1287ec4718d9", "bff680108adb0fcc", "c6805c5e1288b612", "b86d3392aea1be30"]
SIX += ["e6ceba753e1a442"]
SEVEN = ["e9496ae3ebfced30", "fb7c023a8b9ccb3f", "ce8ba1a563dcdaca", "e20e36e16fcb0cc8", "b3edc88f2938467e"]
SEVEN += ["c8e28b0b4002a3a0", "c129715d7a2bc9a3"]
LOREM = ["a7f2ff13bc495cf2"] * 6 + ["a7f2ff1481e87703", "a9cf91f7bbf1862b", "55ec222b86bcae53", "cc97dc7b1d7d8f7b"]


def hashes(data: bytes, lines: int = 20) -> list[str]:
    document = decode("a.md", data)
    assert isinstance(document, Document)
    found = line_hashes(document, range(1, lines + 1))
    assert [*found] == [*range(1, len(found) + 1)]
    return [*found.values()]


@each_row(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3"]),
        (" a\nb\n  \t\tc\n d", FOUR),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End", SIX),
        (" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n", SEVEN),
        (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", SEVEN),
        (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", SEVEN),
        (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", SEVEN),
    ],
)
def test_lines_are_hashed_as_github_does(text: str, expected: list[str]) -> None:
    assert hashes(text.encode()) == [f"{value}:1" for value in expected]


def test_equal_lines_are_numbered() -> None:
    numbers = [1, 2, 3, 4, 5, 6, 1, 1, 1, 1]
    expected = [f"{value}:{number}" for value, number in zip(LOREM, numbers, strict=True)]
    assert hashes(b"Lorem ipsum dolor sit amet.\n" * 10, 10) == expected


def test_characters_are_those_of_utf_16_and_the_byte_order_mark_is_one() -> None:
    one, other = "𐐀".encode(), "\U00010401".encode()
    assert hashes(one) != hashes(other)
    assert hashes("\ufeffa".encode()) != hashes(b"a")
    # 0xD801 and 0xDC00, then the end of the file, then 97 zeros.
    value = sum(unit * 37 ** (99 - at) for at, unit in enumerate((0xD801, 0xDC00, 0xFFFF))) % (1 << 64)
    assert hashes(one) == [f"{value:x}:1"]


def test_a_line_that_is_not_there_has_none() -> None:
    document = decode("a.md", b"a\nb")
    assert isinstance(document, Document)
    assert set(line_hashes(document, [2, 3, 99])) == {2}
