"""Code within commands and here-documents, pages that browsers open, buckets, and settings in blocks of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lint.capabilities.facts import FactKind
from tests.lint.capabilities.test_facts import facts, fence
from tests.rows import each_row

GET = "import requests; requests.get('https://vendor.dev/x')"
INLINE: list[tuple[str, FactKind, str, set[str]]] = [
    ("option", FactKind.HOST, f'python3 -c "{GET}"', {"vendor.dev"}),
    ("joined options", FactKind.HOST, f'sudo python3.12 -uc "{GET}"', {"vendor.dev"}),
    ("environment", FactKind.HOST, f'uv run --with requests python -c "{GET}"', {"vendor.dev"}),
    ("escapes", FactKind.VARIABLE, 'python -c "import os; os.environ[\\"A_TOKEN\\"]"', {"A_TOKEN"}),
    ("node", FactKind.HOST, "node -e \"fetch('https://vendor.dev')\"", {"vendor.dev"}),
    ("shell", FactKind.PROGRAM, "bash -lc 'git log | head'", {"bash", "git", "head"}),
    ("nested", FactKind.HOST, f"bash -c 'python3 -c \"{GET.replace(chr(39), '')}\"'", set()),
    ("powershell", FactKind.HOST, "pwsh -Command 'irm https://vendor.dev/x'", {"vendor.dev"}),
    ("document", FactKind.HOST, f"python3 - <<'EOF'\n{GET}\nEOF", {"vendor.dev"}),
    ("document in a pipeline", FactKind.HOST, f"cat <<EOF | python3\n{GET}\nEOF", {"vendor.dev"}),
    ("document before another command", FactKind.HOST, f"python3 <<EOF && echo x\n{GET}\nEOF", {"vendor.dev"}),
    ("document of a shell", FactKind.PROGRAM, "bash -s <<EOF\nmake all\nEOF", {"bash", "make"}),
    ("script that is written", FactKind.HOST, f"cat > get.py <<EOF\n{GET}\nEOF", {"vendor.dev"}),
    ("script through tee", FactKind.PROGRAM, "tee run.sh <<'EOF'\nmake all\nEOF", {"tee", "make"}),
    ("write", FactKind.WRITE_OUTSIDE, "python3 - <<EOF\nopen('/etc/hosts', 'a')\nEOF", {"/etc/hosts"}),
    ("text that is written", FactKind.HOST, f"cat > get.md <<EOF\n{GET}\nEOF", set()),
    ("data of a script", FactKind.HOST, f"python3 read.py <<EOF\n{GET}\nEOF", set()),
    ("data of a module", FactKind.HOST, f"python3 -c 'pass' <<EOF\n{GET}\nEOF", set()),
    ("option of a script", FactKind.HOST, f'python3 x.py -c "{GET}"', set()),
    ("remote shell", FactKind.PROGRAM, "ssh me@vendor.dev 'make all'", {"ssh"}),
    ("own variable", FactKind.VARIABLE, "export OUT=1\npython3 - <<'EOF'\nimport os\nos.environ['OUT']\nEOF", set()),
]


@each_row(("kind", "text", "expected"), [row[1:] for row in INLINE], ids=[row[0] for row in INLINE])
def test_inline_code(tmp_path: Path, kind: FactKind, text: str, expected: set[str]) -> None:
    assert set(facts(tmp_path, {"SKILL.md": fence(text)}, kind)) == expected


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    text = "\n".join(("cat x", "python3 - <<'EOF'", "import os", "os.environ['A_TOKEN']", "EOF"))
    (place,) = facts(tmp_path, {"run.sh": text}, FactKind.VARIABLE)["A_TOKEN"].places
    assert str(place) == "run.sh:4:1"
    text = 'true; python3 -c "import os; os.environ[\\"B_TOKEN\\"]"'
    (place,) = facts(tmp_path, {"run.sh": text}, FactKind.VARIABLE)["B_TOKEN"].places
    assert str(place) == "run.sh:1:18"


CALLS: list[tuple[str, FactKind, str, str, set[str]]] = [
    ("page", FactKind.HOST, "javascript", "await page.goto('https://vendor.dev/x')", {"vendor.dev"}),
    ("page of this", FactKind.HOST, "javascript", "await this.page.goto(`https://vendor.dev`)", {"vendor.dev"}),
    ("page of a variable", FactKind.UNKNOWN_HOST, "javascript", "await page.goto(url)", {"${url}"}),
    ("own server", FactKind.UNKNOWN_HOST, "javascript", "const A = '/api';\nfetch(`${A}/x`); fetch(A)", set()),
    ("page here", FactKind.HOST, "javascript", "await page.goto('http://localhost:3000'); goto('/x')", set()),
    ("browser", FactKind.HOST, "python", "import playwright\npage.goto('https://vendor.dev')", {"vendor.dev"}),
    ("driver", FactKind.HOST, "python", "import selenium\nself.driver.get('https://vendor.dev')", {"vendor.dev"}),
    (
        "request",
        FactKind.UNKNOWN_HOST,
        "python",
        "import urllib.request\nr = urllib.request.Request('https://vendor.dev')\nurllib.request.urlopen(r)",
        set(),
    ),
    ("no driver", FactKind.HOST, "python", "import selenium\nd.get('https://vendor.dev')", set()),
    ("command", FactKind.HOST, "bash", "agent-browser open https://vendor.dev", {"vendor.dev"}),
    ("upload", FactKind.HOST, "bash", "aws s3 cp x s3://team-data/y --acl private", {"s3://team-data"}),
    ("api", FactKind.HOST, "bash", "aws s3api put-object --bucket team-data --key k", {"s3://team-data"}),
    ("google", FactKind.HOST, "bash", "gsutil cp gs://team-data/y .", {"gs://team-data"}),
    ("bucket of a variable", FactKind.UNKNOWN_HOST, "bash", "aws s3 ls s3://$BUCKET/x", {"s3://$BUCKET/x"}),
    ("bucket of an example", FactKind.HOST, "bash", "aws s3 ls s3://my-bucket-name/\necho s3://team-data", set()),
    ("boto3", FactKind.HOST, "python", "import boto3\nc.upload_file('a', 'team-data', 'k')", {"s3://team-data"}),
    (
        "boto3 by name",
        FactKind.HOST,
        "python",
        "import boto3\nc.get_object(Bucket='team-data', Key='k')",
        {"s3://team-data"},
    ),
    ("another upload", FactKind.HOST, "python", "c.upload_file('a', 'team-data', 'k')", set()),
]


@each_row(("kind", "language", "text", "expected"), [row[1:] for row in CALLS], ids=[r[0] for r in CALLS])
def test_pages_and_buckets(tmp_path: Path, kind: FactKind, language: str, text: str, expected: set[str]) -> None:
    assert set(facts(tmp_path, {"SKILL.md": fence(text, language)}, kind)) == expected


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("aws s3 sync . s3://team-data", {"sends"}),
        ("aws s3 sync s3://team-data .", set()),
        ("aws s3 ls s3://team-data", set()),
    ],
)
def test_a_bucket_that_is_written(tmp_path: Path, text: str, marks: set[str]) -> None:
    assert set(facts(tmp_path, {"SKILL.md": fence(text)}, FactKind.HOST)["s3://team-data"].marks) - {"fence"} == marks


SETTINGS = [
    ("# .bazelrc\nbuild --remote\ncoverage --report=lcov", set()),
    ("# ~/.config/tool.conf (example)\nuser nobody\nworker auto", set()),
    ("[distutils]\nindex-servers =\n    pypi\n    testpypi\n\nmake all", {"make"}),
    ("# .bashrc\nmake all", {"make"}),
    ("# deploy.sh\nmake all", {"make"}),
    ("msf> search x\nconsole > out.txt", {"console"}),
    ("/api/v1/data&details\nmake&\nmake && tool -x", {"make", "tool"}),
    ("list_files path=. depth=3\nnvinfer a=1 ! nvosd", set()),
    ("make A=1\ndd if=x of=y", {"make", "dd"}),
    ("/opt/tool/etc/httpd.conf\n/opt/tool/bin/run", {"/opt/tool/bin/run"}),
    ("msf6 > use exploit/x/y\nshow options\nexploit", set()),
    ("@test 'x' {\n  run tool -x\n}", set()),
    ("log_error 'x'\n```\n\n```bash\nlog_error() {\n  make\n}", {"make"}),
    ("make all\n```\n\n```python\nremake()\nx = make()", {"make"}),
    ("[ -f x ] && make\n[[ -f y ]] || tool -x", {"make", "tool"}),
]


@each_row(("text", "expected"), SETTINGS)
def test_settings_and_prompts_are_no_programs(tmp_path: Path, text: str, expected: set[str]) -> None:
    assert set(facts(tmp_path, {"SKILL.md": fence(text)}, FactKind.PROGRAM)) == expected
