"""URIs and paths, as both kinds of systems have them."""

from __future__ import annotations

from skillbag.doors.language_server.addresses import path_of, uri_of
from tests.rows import each_row


@each_row(
    ("uri", "path"),
    [
        ("file:///home/me/a%20b/SKILL.md", "/home/me/a b/SKILL.md"),
        ("file://localhost/home/%C3%A4.md", "/home/ä.md"),
        ("file:///home/me/../x#y?z.md", "/home/x#y?z.md"),
        ("file:///c%3A/bag", "/c:/bag"),
        ("file://host/share/bag", None),
        ("untitled:Untitled-1", None),
        ("https://host.example/SKILL.md", None),
        ("file:relative.md", None),
        ("file:///a%00b", None),
        ("file://[broken", None),
        ("", None),
    ],
)
def test_paths_of_posix(uri: str, path: str | None) -> None:
    assert path_of(uri, windows=False) == path


@each_row(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/me/a%20b/SKILL.md", r"c:\Users\me\a b\SKILL.md"),
        ("file:///C:/Users/me/../x.md", r"C:\Users\x.md"),
        ("file://localhost/c%3a/bag", r"c:\bag"),
        ("file://host/share/bag/SKILL.md", r"\\host\share\bag\SKILL.md"),
        ("file:///c%3A", None),
        ("file:///home/me", None),
        ("file:///c%3A/a%00b", None),
        ("untitled:Untitled-1", None),
    ],
)
def test_paths_of_windows(uri: str, path: str | None) -> None:
    assert path_of(uri, windows=True) == path


@each_row(
    ("path", "windows", "uri"),
    [
        ("/home/me/a b#c?d%20ä~.md", False, "file:///home/me/a%20b%23c%3Fd%2520%C3%A4~.md"),
        (r"c:\Users\me\a b.md", True, "file:///c%3A/Users/me/a%20b.md"),
        (r"\\host\share\ä.md", True, "file://host/share/%C3%A4.md"),
    ],
)
def test_a_uri_names_its_path(path: str, windows: bool, uri: str) -> None:
    assert uri_of(path, windows=windows) == uri
    assert path_of(uri, windows=windows) == path
